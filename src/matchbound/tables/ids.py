"""What every id must be, once a table is loaded."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from matchbound.engines import Engine, keep, lend
from matchbound.errors import InputError
from matchbound.tables.sides import SEPARATOR
from matchbound.tables.sources import Source

Row = tuple[str, int | None, int | None]
"""A drawn id, and its places (from 1) in D's and in S's own order."""


def node_of(source: Source, column: str, origin: str | None, kind: str = "string") -> str:
    """SQL for a node: its id, or source-__-id where records carry sources."""
    if origin is None:
        return source.key(column, kind)
    # || keeps what is null null, where concat would make an id of it.
    return f"{source.key(origin)} || '{SEPARATOR}' || nullif({source.key(column)}, '')"


def refuse_empty(
    con: Engine, source: Source, table: str, columns: Mapping[str, str], kinds: Sequence[str] = ()
) -> None:
    """Each of our columns, with their name for it; they hold text, or ids of these kinds."""
    counts = []
    for column, kind in zip_longest(columns, kinds, fillvalue="string"):
        filled = f"nullif({column}, '')" if kind == "string" else column
        counts.append(f"count(*) - count({filled})")
    (found,) = con.rows(f"select {', '.join(counts)} from {table}")
    for theirs, count in zip(columns.values(), found, strict=True):
        if count:
            raise InputError(
                f"{source.argument} must have an id in every row, "
                f"got {count} empty in column {theirs!r}. Fill or remove these rows."
            )


def refuse_spaces(con: Engine, source: Source, table: str, columns: Mapping[str, str]) -> None:
    """Of columns that hold text."""
    firsts = [f"min(case when {spaced(x)} then {x} end)" for x in columns]
    (found,) = con.rows(f"select {', '.join(firsts)} from {table}")
    for theirs, first in zip(columns.values(), found, strict=True):
        if first is not None:
            raise InputError(
                f"{source.argument} must have ids without spaces around them, "
                f"got {first!r} in column {theirs!r}. Trim them."
            )


def spaced(column: str) -> str:
    """The condition that text has a blank at an end."""
    blank = "concat(' ', chr(9), chr(10), chr(13))"
    return f"{column} <> trim(both {blank} from {column})"


def count_rows(con: Engine, table: str) -> int:
    return int(con.rows(f"select count(*) from {table}")[0][0])


def keep_several(con: Engine, kept: str, table: str, column: str, kind: str) -> None:
    """The values that stand there several times, and how often (`n`); `kind` is the column's."""
    name = "tables/several_whole" if kind == "bigint" else "tables/several"
    keep(con, kept, name, id=column, a=table)


def load_drawn(con: Engine, sample: Sequence[Row]) -> None:
    """The drawn nodes, as the table `sample`."""
    ids, train, validation = zip(*sample, strict=True)
    lend(con, "sample", {"id": ids}, {"train": train, "validation": validation})
