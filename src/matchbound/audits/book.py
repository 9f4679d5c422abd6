"""What labellers said, from the ledger's entries alone: each node's label, and who agreed."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from matchbound.audits.ledger import Entry
from matchbound.files import csv_text

UNSURE = "unsure"
CONFLICT = "conflict"
SETTLED = "settled"


@dataclass(frozen=True)
class Verdict:
    """One labeller's word on one node; `matches` is None if unsure, empty for no match."""

    entry: int
    place: int
    node: str
    labeller: str
    matches: tuple[str, ...] | None
    note: str
    decides: bool

    @staticmethod
    def of(entry: Entry) -> "Verdict":
        matches = entry["matches"]
        return Verdict(
            entry["entry"],
            entry["place"],
            entry["node"],
            entry["labeller"],
            None if matches is None else tuple(matches),
            entry["note"],
            entry["decides"],
        )


@dataclass(frozen=True)
class Page:
    """All that stands on one node: each labeller's latest verdict, and the latest decision."""

    verdicts: Sequence[Verdict]

    @cached_property
    def own(self) -> dict[str, Verdict]:
        """By labeller, decisions apart: what each said alone."""
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
        """The verdict that holds: the decision, or what all who are sure said."""
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
    """Pages by place in the order of labelling; undone verdicts are gone."""

    live: dict[int, Verdict] = field(default_factory=dict)  # by entry, in order
    pages: dict[int, Page] = field(default_factory=dict)

    @staticmethod
    def of(entries: Iterable[Entry]) -> "Book":
        book = Book()
        for entry in entries:
            book.enter(entry)
        return book

    def enter(self, entry: Entry) -> None:
        """A fresh draw begins a fresh book; one that only grew goes on in it.

        One of validation nodes alone, when D was there already, goes on with D's labels.
        """
        if entry["kind"] == "draw" and "extends" not in entry:
            kept = entry["train"] if entry["second"] else 0
            self.live = {i: one for i, one in self.live.items() if one.place <= kept}
            self.pages = {i: page for i, page in self.pages.items() if i <= kept}
        if entry["kind"] == "label":
            verdict = Verdict.of(entry)
            self.live[verdict.entry] = verdict
            before = self.pages.get(verdict.place, Page(()))
            self.pages[verdict.place] = Page((*before.verdicts, verdict))
        elif entry["kind"] == "undo":
            verdict = self.live.pop(entry["undoes"])
            rest = [other for other in self.pages.pop(verdict.place).verdicts if other != verdict]
            if rest:
                self.pages[verdict.place] = Page(rest)

    def last_of(self, labeller: str) -> Verdict | None:
        mine = (verdict for verdict in reversed(self.live.values()) if verdict.labeller == labeller)
        return next(mine, None)

    def with_status(self, status: str) -> list[int]:
        return sorted(place for place, page in self.pages.items() if page.status == status)

    def settled(self) -> list[Verdict]:
        """The verdicts that are labels, in the order of labelling."""
        found = [self.pages[place].final for place in self.with_status(SETTLED)]
        return [verdict for verdict in found if verdict is not None]

    def agreement(self) -> tuple[int, int]:
        """Of how many nodes several were sure and said the same, and of how many they were sure."""
        twice = [page for page in self.pages.values() if len(page.sure) > 1]
        return sum(page.agrees for page in twice), len(twice)

    def to_csv(self) -> str:
        """labels.csv: a row a true match, an empty y for none; no row where nothing is settled."""
        rows = [(v.node, y) for v in self.settled() for y in v.matches or ("",)]
        return csv_text(["x", "y"], rows)


def provenance(entries: Sequence[Entry], digest: str | None) -> dict[str, Any] | None:
    """How the labels with this digest came about, if the labelling page wrote them."""
    book = Book.of(entries)
    text = book.to_csv()
    if not book.live or hashlib.sha256(text.encode()).hexdigest() != digest:
        return None
    agreed, twice = book.agreement()
    words = [(verdict.place, verdict.labeller) for verdict in book.live.values()]
    return {
        "nodes": len(book.settled()),
        "labellers": len({labeller for _, labeller in words}),
        "agreed": agreed,
        "twice": twice,
        "changed": len(words) - len(set(words)) + sum(one["kind"] == "undo" for one in entries),
        "answers": len({one["place"] for one in entries if one["kind"] == "answer"}),
        "watched": any(one["kind"] == "watch" for one in entries),
        "search": [one["search"] for one in entries if one["kind"] == "search"],
    }


def how_searched(search: Mapping[str, Any]) -> str:
    """`among the 1000 records of right.csv, by search of any field, …`."""
    against, candidates = search["against"], search["candidates"]
    by = "by search of any field and the records nearest in text"
    if candidates is not None:
        by += f", with candidates from {Path(candidates['path']).name}"
    return f"among the {against['records']} records of {Path(against['path']).name}, {by}"
