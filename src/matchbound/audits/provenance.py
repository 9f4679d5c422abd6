"""How the labels that were made on the labelling page came about."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from matchbound.audits.book import Book
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
    matcher's output, at a threshold, propose some.
    """

    records: SearchedFile
    against: SearchedFile
    size: int
    candidates: SearchedFile | None = None
    holdout: SearchedFile | None = None
    threshold: float | None = None

    @property
    def words(self) -> str:
        """`among the 1000 records of right.csv, by search of any field, …`."""
        by = "by search of any field and the records nearest in text"
        if self.candidates is not None:
            by += f", with candidates from {self.candidates.name}"
        return f"among the {self.size} records of {self.against.name}, {by}"

    def as_dict(self) -> dict[str, Any]:
        """As the ledger and certificate.json have it."""
        files = asdict(self)
        size, threshold = files.pop("size"), files.pop("threshold")
        files["against"]["records"] = size
        if self.holdout is not None:
            files["holdout"]["threshold"] = threshold
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
        )


def _file(record: Any) -> SearchedFile:
    return SearchedFile(record["path"], record["digest"])


@dataclass(frozen=True)
class Provenance:
    """How the labels came about that were made on the labelling page.

    `twice` nodes were labelled by several people, who agreed on `agreed` of them. `changed` labels
    were given anew or undone. A matcher's answer was shown at `answers` nodes; `watched`: live
    bounds were shown. `search` is how true matches were searched for, in order.
    """

    nodes: int
    labellers: int
    agreed: int
    twice: int
    changed: int
    answers: int
    watched: bool
    search: tuple[Searched, ...]

    def as_dict(self) -> dict[str, Any]:
        """As certificate.json has it."""
        return asdict(self) | {"search": [one.as_dict() for one in self.search]}

    @staticmethod
    def of(record: Any) -> "Provenance":
        """From JSON, as `as_dict` writes it."""
        return Provenance(**{**record, "search": tuple(map(Searched.of, record["search"]))})


def label_provenance(
    entries: Sequence[Entry], labels: Digest, salted: Callable[[Digest], Digest]
) -> Provenance | None:
    """How labels came about that have this digest on record, if the labelling page wrote them."""
    book = Book.of(entries)
    written = salted(Digest(None, digest_of_text(book.to_csv())))
    if not book.live or written.bytes != labels.bytes:
        return None
    agreed, twice = book.agreement()
    verdicts = [(verdict.place, verdict.labeller) for verdict in book.live.values()]
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
    )
