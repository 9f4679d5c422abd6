"""How the labels that were made on the labelling page came about."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from matchbound.audits.book import SETTLED, Book, Page
from matchbound.audits.ledger import Entry
from matchbound.files import digest_of_text
from matchbound.tables import Digest


@dataclass(frozen=True)
class SearchedFile:
    """A file that the labelling page shows records or proposals of, and its bytes' digest."""

    path: str | None
    digest: str | None

    @property
    def name(self) -> str:
        return "a table" if self.path is None else Path(self.path).name


@dataclass(frozen=True)
class Searched:
    """How true matches are searched for on the labelling page.

    For each of `records`, among the `size` records of `against`; `candidates` and the holdout
    matcher's output, at a threshold, propose some. `guidelines` are the rules to label by.
    """

    records: SearchedFile
    against: SearchedFile
    size: int
    candidates: SearchedFile | None = None
    holdout: SearchedFile | None = None
    threshold: float | None = None
    guidelines: SearchedFile | None = None

    @property
    def words(self) -> str:
        """`among the 1000 records of right.csv, by search of any field, …`."""
        by = "by search of any field and the records nearest in text"
        if self.candidates is not None:
            by += f", with candidates from {self.candidates.name}"
        if self.guidelines is not None:
            by += f", by the guidelines in {self.guidelines.name}"
        return f"among the {self.size} records of {self.against.name}, {by}"

    def as_dict(self) -> dict[str, Any]:
        """As the ledger and certificate.json have it."""
        files = asdict(self)
        size, threshold = files.pop("size"), files.pop("threshold")
        files["against"]["records"] = size
        if self.holdout is not None:
            files["holdout"]["threshold"] = threshold
        if self.guidelines is None:
            del files["guidelines"]
        return files

    @staticmethod
    def of(record: Any) -> "Searched":
        """From JSON, as `as_dict` writes it."""
        holdout = record["holdout"]
        return Searched(
            _file(record["records"]),
            _file(record["against"]),
            record["against"]["records"],
            None if record["candidates"] is None else _file(record["candidates"]),
            None if holdout is None else _file(holdout),
            None if holdout is None else holdout["threshold"],
            None if record.get("guidelines") is None else _file(record["guidelines"]),
        )


def _file(record: Any) -> SearchedFile:
    return SearchedFile(record["path"], record["digest"])


@dataclass(frozen=True)
class Provenance:
    """How the labels came about that were made on the labelling page.

    `twice` nodes were labelled by several people, who agreed on `agreed` of them. `changed` labels
    were given anew or undone. A matcher's answer was shown at `answers` nodes; `watched`: live
    bounds were shown. `search` is how true matches were searched for, in order.

    `shown` records were looked at for the nodes in all; `ways` are how many of their matches were
    found in each way. Of the matches that the first two labellers of a node found, `by_two` are how
    many the first alone, the second alone, and both found. `gained` labels got records from another
    node's label in one entity. `joined` is how many nodes' labels depend on one decision, at most.
    """

    nodes: int
    labellers: int
    agreed: int
    twice: int
    changed: int
    answers: int
    watched: bool
    search: tuple[Searched, ...]
    shown: int = 0
    ways: Mapping[str, int] = field(default_factory=dict)
    by_two: tuple[int, int, int] = (0, 0, 0)
    gained: int = 0
    joined: int = 1

    @property
    def missed(self) -> float | None:
        """About which share of true matches neither of two labellers finds; None: unknown.

        If they look independently, first × second / both are missed by both (Lincoln and Petersen).
        """
        first, second, both = self.by_two
        if not both:
            return None
        return first * second / ((first + both) * (second + both))

    def as_dict(self) -> dict[str, Any]:
        """As certificate.json has it."""
        own = {"search": [one.as_dict() for one in self.search], "by_two": list(self.by_two)}
        return asdict(self) | own

    @staticmethod
    def of(record: Any) -> "Provenance":
        """From JSON, as `as_dict` writes it."""
        search = tuple(map(Searched.of, record["search"]))
        by_two = tuple(record.get("by_two", (0, 0, 0)))  # not told by version 1
        return Provenance(**{**record, "search": search, "by_two": by_two})


def label_provenance(
    entries: Sequence[Entry], labels: Digest, salted: Callable[[Digest], Digest]
) -> Provenance | None:
    """How labels came about that have this digest on record, if the labelling page wrote them."""
    book = Book.of(entries)
    written = salted(Digest(None, digest_of_text(book.to_csv())))
    if not book.live or written.bytes != labels.bytes:
        return None
    agreed, twice = book.agreement()
    gained = sum(verdict.adds for verdict in book.live.values())
    verdicts = [(one.place, one.labeller) for one in book.live.values() if not one.adds]
    looks = [_looks(page) for page in book.pages.values() if page.status == SETTLED]
    ways: Counter[str] = sum((Counter(one) for one in looks), Counter())
    shown = ways.pop("shown", 0)
    undone = sum(one["kind"] == "undo" for one in entries)
    return Provenance(
        nodes=len(book.settled()),
        labellers=len({labeller for _, labeller in verdicts}),
        agreed=agreed,
        twice=twice,
        changed=len(verdicts) - len(set(verdicts)) + undone,
        answers=len({one["place"] for one in entries if one["kind"] == "answer"}),
        watched=any(one["kind"] == "watch" for one in entries),
        search=tuple(Searched.of(one["search"]) for one in entries if one["kind"] == "search"),
        shown=shown,
        ways=dict(sorted(ways.items())),
        by_two=_by_two(book),
        gained=gained,
        joined=_joined(book),
    )


def _looks(page: Page) -> Mapping[str, int]:
    """How the label of a node was found, by whoever looked for it last."""
    return next((one.looks for one in reversed(page.verdicts) if one.looks), {})


def _by_two(book: Book) -> tuple[int, int, int]:
    """The matches that the first of two labellers of a node found alone, the second, and both."""
    counts = [0, 0, 0]
    for page in book.pages.values():
        if len(page.sure) > 1:
            first, second = (set(one.matches or ()) for one in page.sure[:2])
            found = first - second, second - first, first & second
            counts = [count + len(part) for count, part in zip(counts, found, strict=True)]
    return counts[0], counts[1], counts[2]


def _joined(book: Book) -> int:
    """How many labelled nodes are in one entity that was joined by one key, at most.

    One wrong decision makes all their labels wrong.
    """
    places = {verdict.node: verdict.place for verdict in book.settled()}
    largest = 1
    for verdict in book.settled():
        if "entity" in _looks(book.pages[verdict.place]):
            entity = {verdict.node, *(verdict.matches or ())}
            largest = max(largest, sum(node in places for node in entity))
    return largest
