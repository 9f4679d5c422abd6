"""Examples by name: their files, and the truth that only they know."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from matchbound.examples.matcher import USUAL, Matcher
from matchbound.examples.networks import two_networks
from matchbound.examples.people import Person
from matchbound.examples.tables import Table, Tables, Truth, one_table, two_tables
from matchbound.files import csv_text, write_whole

SEED, COUNT, CHECKED = 2026, 2000, 250
LEAST = 0.01
"""Pairs with a smaller probability are not in a matcher's file."""


@dataclass(frozen=True)
class Example:
    """An example's files by name, those of its files that are records, and its true matches."""

    files: dict[str, str]
    records: tuple[str, ...]
    truth: Truth

    def matches(self, id: str) -> tuple[str, ...]:
        """The true matches of a record, or an empty id if it has none, as labels have it."""
        return self.truth.get(id, ("",))


@cache
def _people() -> Example:
    tables = two_tables(SEED, COUNT)
    files = {
        "crm.csv": records_text(tables.left),
        "billing.csv": records_text(tables.right),
        "matches.csv": _matches(Matcher(tables)),
        "matches-2.csv": _matches(Matcher(tables, expands=True)),
        "checked.csv": _checked(tables),
    }
    return Example(files, ("crm.csv", "billing.csv"), tables.truth)


@cache
def _customers() -> Example:
    tables = one_table(SEED, COUNT * 2 // 3)
    files = {
        "customers.csv": records_text(tables.left),
        "duplicates.csv": _matches(Matcher(tables)),
    }
    return Example(files, ("customers.csv",), tables.truth)


@cache
def _networks() -> Example:
    forum, chat, truth = two_networks(SEED, COUNT)
    members = sorted({id for edge in forum for id in edge})
    files = {
        "forum.csv": csv_text(["src", "dst"], forum),
        "chat.csv": csv_text(["src", "dst"], chat),
        "members.csv": csv_text(["id"], ([id] for id in members)),
    }
    return Example(files, ("members.csv",), truth)


EXAMPLES: dict[str, Callable[[], Example]] = {
    "people": _people,
    "customers": _customers,
    "networks": _networks,
}


def write_example(name: str, out: Path, *, force: bool) -> list[Path]:
    """Write an example's files to a folder, and return their paths."""
    files = {out / file: text for file, text in EXAMPLES[name]().files.items()}
    write_whole(files, force=force)
    return list(files)


def records_text(table: Table) -> str:
    """A table of records as CSV."""
    return csv_text(["id", *Person._fields], ([id, *record] for id, record in table.items()))


def _matches(matcher: Matcher) -> str:
    """The pairs that a matcher thinks of at all, in the columns of Splink."""
    scored = zip(matcher.pairs, matcher.scores(USUAL).tolist(), strict=True)
    rows = ((f"{score:.4f}", *pair) for pair, score in scored if score >= LEAST)
    return csv_text(["match_probability", "unique_id_l", "unique_id_r"], rows)


def _checked(tables: Tables) -> str:
    """Labels that were there before: customers drawn at random, and all true matches of each."""
    drawn = Random(SEED).sample([*tables.left], CHECKED)
    return csv_text(["x", "y"], ((x, y) for x in drawn for y in tables.truth.get(x, ("",))))
