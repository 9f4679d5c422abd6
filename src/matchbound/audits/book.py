"""The labels that people gave on the labelling page, made from the ledger's opened entries."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from matchbound.audits.journal import is_sealed
from matchbound.audits.ledger import Entry
from matchbound.files import csv_text

UNSURE = "unsure"
CONFLICT = "conflict"
SETTLED = "settled"


@dataclass(frozen=True)
class Verdict:
    """One person's label of one node; `matches` is None if unsure, empty for no match.

    `leader` is the entry of the label that this one was saved with: its own, or that of the node
    whose label changed this one too, and `adds`: it gained matches by that, and lost none. `looks`
    are how many records were shown, and how many of the matches came there in each way.
    """

    entry: int
    place: int
    node: str
    labeller: str
    matches: tuple[str, ...] | None
    note: str
    decides: bool
    leader: int
    looks: Mapping[str, int]
    adds: bool = False
    time: str = ""

    @staticmethod
    def of(entry: Entry, labeller: str) -> "Verdict":
        label = entry["label"]
        matches = label["matches"]
        number, last = entry.get("joint", (1, 1))
        return Verdict(
            entry["entry"],
            entry["place"],
            label["node"],
            labeller,
            None if matches is None else tuple(matches),
            label["note"],
            entry["decides"],
            entry["entry"] + last - number,
            label.get("looks", {}),
            entry.get("adds", False),
            entry.get("time", ""),
        )


@dataclass(frozen=True)
class Page:
    """All verdicts about one node: each labeller's latest counts, and the latest decision."""

    verdicts: Sequence[Verdict]

    @cached_property
    def own(self) -> dict[str, Verdict]:
        """Each labeller's latest verdict, without decisions."""
        return {verdict.labeller: verdict for verdict in self.verdicts if not verdict.decides}

    @cached_property
    def decision(self) -> Verdict | None:
        return next((verdict for verdict in reversed(self.verdicts) if verdict.decides), None)

    @property
    def sure(self) -> list[Verdict]:
        return [verdict for verdict in self.own.values() if verdict.matches is not None]

    @property
    def agrees(self) -> bool:
        return len({frozenset(verdict.matches or ()) for verdict in self.sure}) <= 1

    @cached_property
    def final(self) -> Verdict | None:
        """The verdict that becomes the label: the decision, or the one all who are sure share."""
        if self.decision is not None:
            return self.decision
        if not self.agrees:
            return None
        return (self.sure or list(self.own.values()))[-1]

    @property
    def status(self) -> str:
        if self.final is None:
            return CONFLICT
        return UNSURE if self.final.matches is None else SETTLED


@dataclass
class Book:
    """The pages by place in the order of labelling; undone verdicts are removed.

    Labellers have numbers in the ledger, and `names` here. A place whose label cannot be
    opened is `erased`: it has no page, and gets none.
    """

    live: dict[int, Verdict] = field(default_factory=dict)  # by entry, in order
    pages: dict[int, Page] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    erased: set[int] = field(default_factory=set)
    _joint: list[Entry] = field(default_factory=list)  # labels saved as one, until the last is here

    @staticmethod
    def of(entries: Iterable[Entry]) -> "Book":
        book = Book()
        for entry in entries:
            book.enter(entry)
        return book

    def enter(self, entry: Entry) -> None:
        """Add an entry. A draw with a seed of its own empties the book, except that a draw of
        validation nodes alone keeps the labels of D, which was drawn before it."""
        if entry["kind"] == "draw" and "extends" not in entry:
            kept = entry["train"] if entry["second"] else 0
            self.live = {i: one for i, one in self.live.items() if one.place <= kept}
            self.pages = {i: page for i, page in self.pages.items() if i <= kept}
            self.erased = {place for place in self.erased if place <= kept}
        if entry["kind"] == "labeller":
            number, name = entry["labeller"], entry["name"]
            self.names[number] = f"labeller {number}" if is_sealed(name) else name
        elif entry["kind"] == "label":
            self._enter_joint(entry)
        elif entry["kind"] == "undo" and entry["undoes"] in self.live:
            for one in [one for one in self.live.values() if one.leader == entry["undoes"]]:
                self._take_back(one)
        elif entry["kind"] == "forget":
            for place in entry["places"]:
                self._erase(place)

    def _enter_joint(self, entry: Entry) -> None:
        """Take up labels that were saved as one when the last of them is there.

        A crash may leave the first of them alone: nobody was told that they were saved.
        """
        number, last = entry.get("joint", (1, 1))
        self._joint = [*self._joint, entry] if number == len(self._joint) + 1 else [entry]
        if number == last == len(self._joint):
            labels, self._joint = self._joint, []
            for label in labels:
                self._enter_label(label)

    def _take_back(self, verdict: Verdict) -> None:
        del self.live[verdict.entry]
        rest = [other for other in self.pages.pop(verdict.place).verdicts if other != verdict]
        if rest:
            self.pages[verdict.place] = Page(rest)

    def _enter_label(self, entry: Entry) -> None:
        place = entry["place"]
        if place in self.erased or is_sealed(entry["label"]):
            self._erase(place)
            return
        verdict = Verdict.of(entry, self.names.get(entry["labeller"], str(entry["labeller"])))
        self.live[verdict.entry] = verdict
        before = self.pages.get(place, Page(()))
        self.pages[place] = Page((*before.verdicts, verdict))

    def _erase(self, place: int) -> None:
        self.erased.add(place)
        self.pages.pop(place, None)
        self.live = {entry: one for entry, one in self.live.items() if one.place != place}

    def number_of(self, name: str) -> int | None:
        """The number that a labeller has in the ledger, if they did something before."""
        return next((number for number, one in self.names.items() if one == name), None)

    def last_of(self, labeller: str) -> Verdict | None:
        mine = (verdict for verdict in reversed(self.live.values()) if verdict.labeller == labeller)
        return next(mine, None)

    def with_status(self, status: str) -> list[int]:
        return sorted(place for place, page in self.pages.items() if page.status == status)

    def settled(self) -> list[Verdict]:
        """The verdicts that are labels, in the order of labelling."""
        verdicts = [self.pages[place].final for place in self.with_status(SETTLED)]
        return [verdict for verdict in verdicts if verdict is not None]

    def agreement(self) -> tuple[int, int]:
        """Return `(agreed, compared)`: of the nodes that two or more people labelled without
        "unsure", how many got the same label, and how many there are."""
        twice = [page for page in self.pages.values() if len(page.sure) > 1]
        return sum(page.agrees for page in twice), len(twice)

    def kappa(self) -> float | None:
        """Cohen's kappa of the nodes that two or more people labelled; None if there is none.

        A label is a category: that there is no match, or which ones there are.
        """
        pairs = [[one.matches for one in page.sure[:2]] for page in self.pages.values()]
        labels = [tuple(frozenset(ys or ()) for ys in pair) for pair in pairs if len(pair) == 2]
        if not labels:
            return None
        first, second = (Counter(part) for part in zip(*labels, strict=True))
        agreed = sum(a == b for a, b in labels) / len(labels)
        chance = sum(first[one] * second[one] for one in first) / len(labels) ** 2
        return 1.0 if chance == 1 else (agreed - chance) / (1 - chance)

    def to_csv(self) -> str:
        """labels.csv: a row a true match, an empty y for none; no row where nothing is settled."""
        rows = [(v.node, y) for v in self.settled() for y in v.matches or ("",)]
        return csv_text(["x", "y"], rows)
