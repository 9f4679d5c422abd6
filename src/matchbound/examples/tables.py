"""Tables of records, and which records are of the same person."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from matchbound.examples.people import Person, people, record_of

Table = dict[str, Person]
"""Records by their ids, in the order of the rows."""
Truth = dict[str, tuple[str, ...]]
"""The true matches of each record that has one."""


@dataclass(frozen=True)
class Tables:
    """Two tables, or one twice, and the true matches of the records in both."""

    left: Table
    right: Table
    truth: Truth

    @property
    def is_one(self) -> bool:
        """Whether one table is matched with itself."""
        return self.left is self.right


def two_tables(seed: int, count: int) -> Tables:
    """A table of `count` customers, and one with most of them and with other people."""
    rng = Random(seed)
    everyone = people(rng, count * 5 // 4)
    whom = list(range(count))
    billed = [one for one in range(len(everyone)) if one >= count or rng.random() < 0.75]
    rng.shuffle(billed)
    crm = _table(rng, "C", [everyone[one] for one in whom])
    billing = _table(rng, "B", [everyone[one] for one in billed])
    return Tables(crm, billing, _truth([*whom, *billed], [*crm, *billing]))


def one_table(seed: int, count: int) -> Tables:
    """A table in which some of `count` people stand twice or three times."""
    rng = Random(seed)
    everyone = people(rng, count)
    whom = [one for one in range(count) for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3)))]
    rng.shuffle(whom)
    table = _table(rng, "K", [everyone[one] for one in whom])
    return Tables(table, table, _truth(whom, [*table]))


def _table(rng: Random, letter: str, persons: Sequence[Person]) -> Table:
    return {f"{letter}{1001 + row}": record_of(rng, one) for row, one in enumerate(persons)}


def _truth(whom: Sequence[int], ids: Sequence[str]) -> Truth:
    """The true matches of records, from the person that each is of."""
    records = defaultdict(list)
    for one, id in zip(whom, ids, strict=True):
        records[one].append(id)
    return {
        id: tuple(other for other in same if other != id)
        for same in records.values()
        if len(same) > 1
        for id in same
    }
