"""A simple matcher: pairs that share a block, scored by how their fields agree.

It follows Fellegi and Sunter, as Splink does: each field adds the logarithm of how much likelier
its agreement is among matches than among random pairs.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from matchbound.examples.people import Person
from matchbound.examples.tables import Table, Tables
from matchbound.examples.words import KINDS, NICKNAMES

DIFFERENT, NEAR, EQUAL, MISSING = range(4)
USUAL = np.array(
    [
        (0.08, 0.08, 0.84, 1.0),
        (0.05, 0.1, 0.85, 1.0),
        (0.01, 0.07, 0.92, 1.0),
        (0.3, 0.1, 0.6, 1.0),
        (0.1, 0.05, 0.85, 1.0),
        (0.2, 0.05, 0.75, 1.0),
    ]
)
"""How often each field of two records of one person is different, near and equal: an expert's guess
before any label is seen. What is missing says nothing."""
PRIOR = -11.0
"""The base-2 logarithm of the odds that a random pair matches."""
BLOCKS: tuple[Callable[[Person], tuple[str, ...]], ...] = (
    lambda record: (record.last_name, record.born),
    lambda record: (record.first_name, record.last_name, record.town),
    lambda record: (record.email,),
    lambda record: (record.first_name, record.born),
    lambda record: (record.street, record.town),
)
"""Two records are compared if one of these has no empty part and is the same for both."""


@dataclass(frozen=True)
class Matcher:
    """The pairs of two tables that are compared, and how their fields agree.

    If it expands, it writes abbreviations out first.
    """

    tables: Tables
    expands: bool = False

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        left, right = self._read(self.tables.left), self._read(self.tables.right)
        blocks = (_sharing(left, right, key) for key in BLOCKS)
        pairs = {pair for block in blocks for pair in block}
        if self.tables.is_one:
            pairs = {(x, y) for x, y in pairs if x < y}
        return sorted(pairs)

    @cached_property
    def levels(self) -> NDArray[np.int64]:
        """How each field of each pair agrees."""
        return self._levels(self.pairs)

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """How often each field of two random records agrees so."""
        random = zip(self.tables.left, [*self.tables.right][7:], strict=False)
        return shares(self._levels(random))

    def scores(self, among_matches: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability of each pair that it matches."""
        weights = np.log2(among_matches / self.chances)
        weights[:, MISSING] = 0
        total = PRIOR + weights[np.arange(len(weights)), self.levels].sum(axis=1)
        return np.asarray(1 / (1 + np.exp2(-total)))

    def _levels(self, pairs: Iterable[tuple[str, str]]) -> NDArray[np.int64]:
        left, right = self._read(self.tables.left), self._read(self.tables.right)
        return np.array([[*map(_level, left[x], right[y])] for x, y in pairs])

    def _read(self, table: Table) -> Table:
        return {id: _expanded(record) for id, record in table.items()} if self.expands else table


def shares(levels: NDArray[np.int64]) -> NDArray[np.float64]:
    """How often each field has each level, where it is not missing; no share is zero."""
    counts = np.array([np.bincount(field, minlength=4) for field in levels.T]) + 0.5
    return np.asarray(counts / counts[:, :MISSING].sum(axis=1, keepdims=True))


def learned(matcher: Matcher, matches: Iterable[tuple[str, str]]) -> NDArray[np.float64]:
    """How often each field of verified matches agrees so."""
    true = set(matches)
    return shares(matcher.levels[[pair in true for pair in matcher.pairs]])


def _sharing(
    left: Table, right: Table, key: Callable[[Person], tuple[str, ...]]
) -> Iterator[tuple[str, str]]:
    """The pairs of records with the same key."""
    ids = defaultdict(list)
    for y, record in right.items():
        ids[key(record)].append(y)
    for x, record in left.items():
        if all(key(record)):
            yield from ((x, y) for y in ids.get(key(record), ()))


def _level(one: str, other: str) -> int:
    if not one or not other:
        return MISSING
    if one == other:
        return EQUAL
    return NEAR if _is_near(one, other) else DIFFERENT


def _is_near(one: str, other: str) -> bool:
    """Whether texts are the same but for at most two neighbouring characters."""
    most, least = max(len(one), len(other)), min(len(one), len(other))
    if most - least > 2 or least < 3:
        return False
    same = _equal_beginning(one, other) + _equal_beginning(one[::-1], other[::-1])
    return same >= most - 2


def _equal_beginning(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _expanded(record: Person) -> Person:
    name, _, kind = record.street.rpartition(" ")
    names = {short: long for long, short in NICKNAMES.items()}
    kinds = {short: long for long, short in KINDS.items()}
    return record._replace(
        first_name=names.get(record.first_name, record.first_name),
        street=f"{name} {kinds.get(kind, kind)}".strip(),
    )
