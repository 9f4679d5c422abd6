"""Links: which records occur together, such as the authors of a paper."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matchbound.engines import connect
from matchbound.errors import InputError
from matchbound.matchers.records.candidates import Candidates
from matchbound.matchers.records.fields import Tables
from matchbound.matchers.records.relations import Neighbours
from matchbound.tables import load, open_source

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Links:
    """Groups of records that occur together; right records are numbered after the left ones."""

    groups: list[list[int]]
    count: int  # of records
    offset: int  # the number of the first right record; 0 in deduplication

    @cached_property
    def neighbours(self) -> Neighbours:
        return Neighbours.of(self.count, self.groups)

    def ends(self, candidates: Candidates) -> tuple[Ints, Ints]:
        """The numbers of the candidates' records."""
        return candidates.x.astype(np.int64), candidates.y.astype(np.int64) + self.offset

    def apart(self, x: Ints, y: Ints) -> NDArray[np.bool_]:
        """Whether the two records of each pair have no group in common."""
        groups: list[set[int]] = [set() for _ in range(self.count)]
        for number, members in enumerate(self.groups):
            for record in members:
                groups[record].add(number)
        pairs = zip(x.tolist(), y.tolist(), strict=True)
        return np.array([groups[a].isdisjoint(groups[b]) for a, b in pairs], bool)


def read_links(links: Any, tables: Tables) -> Links:
    """Read columns record and group, or pairs of records x and y that occur together."""
    ids, groups = _columns(links)
    numbers = _numbers(ids, tables)
    order = np.lexsort((numbers, groups))
    numbers, groups = numbers[order], groups[order]
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    members = [np.unique(part).tolist() for part in np.split(numbers, starts[1:])]
    offset = 0 if tables.is_dedupe else len(tables.left)
    size = len(tables.left) if tables.is_dedupe else offset + len(tables.right)
    return Links([own for own in members if len(own) > 1], size, offset)


def text_labels(tables: Tables) -> Ints:
    """A number for each record, the same for those whose texts are equal."""
    texts = [*tables.left_texts, *(() if tables.is_dedupe else tables.right_texts)]
    number: dict[str, int] = {}
    return np.array([number.setdefault(text, len(number)) for text in texts], np.int64)


def _columns(links: Any) -> tuple[Any, Ints]:
    """The records' ids as Arrow text, and the number of each one's group."""
    import pyarrow as pa

    with connect() as con:
        source = open_source(con, "links", links, hashed=False)
        is_pairs = source.column("record") is None and source.column("x") is not None
        names = [source.require(name) for name in (("x", "y") if is_pairs else ("record", "group"))]
        keys = [f"nullif({source.key(name, 'string')}, '')" for name in names]
        load(con, source, "links", f"{keys[0]} as a, {keys[1]} as b")
        table = con.arrow("select a, b from links")
    a, b = (column.combine_chunks().cast(pa.large_string()) for column in table.columns)
    empty = a.null_count + b.null_count
    if empty or not len(a):
        raise InputError(
            f"links must have a value in {names[0]} and {names[1]} of every row, got {empty} empty "
            f"among {len(a)} rows. Fill or remove these."
        )
    if is_pairs:
        return pa.concat_arrays([a, b]), np.tile(np.arange(len(a)), 2)
    return a, b.dictionary_encode().indices.to_numpy().astype(np.int64)


def _numbers(ids: Any, tables: Tables) -> Ints:
    """The records' numbers; refuse ids that are in no table, or in both."""
    import pyarrow.compute as pc

    left = pc.index_in(ids, value_set=tables.left)
    right = left if tables.is_dedupe else pc.index_in(ids, value_set=tables.right)
    is_left, is_right = left.is_valid(), right.is_valid()
    unknown = ids.filter(pc.invert(pc.or_(is_left, is_right)))
    if len(unknown):
        raise InputError(
            f"links must be of records of the tables, got {unknown[0].as_py()!r} among "
            f"{len(unknown)} that are in none. Correct or remove them."
        )
    if not tables.is_dedupe and len(both := ids.filter(pc.and_(is_left, is_right))):
        raise InputError(
            f"links must name records by ids that one table has, got {both[0].as_py()!r}, which "
            "both have. Give the records of one table other ids."
        )
    offset = 0 if tables.is_dedupe else len(tables.left)
    positions = pc.if_else(is_left, left, pc.add(right, offset))
    return np.asarray(positions.to_numpy(zero_copy_only=False), np.int64)
