"""Ids: how they are read, and the checks of a loaded table that every id must pass."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from matchbound.engines import Engine, keep, lend
from matchbound.errors import InputError
from matchbound.tables.sources import Source

SEPARATOR = "-__-"  # Splink's, in ids of records of several sources: source-__-id
Row = tuple[str, int | None, int | None]
"""A drawn id, and its places (from 1) in D's and in S's own order."""


def node_of(source: Source, column: str, origin: str | None, kind: str = "string") -> str:
    """SQL for a node: its id, or source-__-id where records have a source (column `origin`)."""
    if origin is None:
        return source.key(column, kind)
    # || keeps a null id null, where DuckDB's concat would make an id of it.
    return f"{source.key(origin)} || '{SEPARATOR}' || nullif({source.key(column)}, '')"


def refuse_empty(
    con: Engine, source: Source, table: str, columns: Mapping[str, str], kinds: Sequence[str] = ()
) -> None:
    """Refuse missing ids. `columns`: the user's name of each loaded column; `kinds`: its type."""
    counts = []
    for column, kind in zip_longest(columns, kinds, fillvalue="string"):
        filled = f"nullif({column}, '')" if kind == "string" else column
        counts.append(f"count(*) - count({filled})")
    (empty,) = con.rows(f"select {', '.join(counts)} from {table}")
    for name, count in zip(columns.values(), empty, strict=True):
        if count:
            raise InputError(
                f"{source.argument} must have an id in every row, "
                f"got {count} empty in column {name!r}. Fill or remove these rows."
            )


def refuse_spaces(con: Engine, source: Source, table: str, columns: Mapping[str, str]) -> None:
    """Refuse ids with spaces around them. `columns`: the user's name of each column of text."""
    firsts = [f"min(case when {has_outer_spaces(x)} then {x} end)" for x in columns]
    (with_spaces,) = con.rows(f"select {', '.join(firsts)} from {table}")
    for name, first in zip(columns.values(), with_spaces, strict=True):
        if first is not None:
            raise InputError(
                f"{source.argument} must have ids without spaces around them, "
                f"got {first!r} in column {name!r}. Trim them."
            )


def has_outer_spaces(column: str) -> str:
    """The SQL condition that a text begins or ends with a blank."""
    blank = "concat(' ', chr(9), chr(10), chr(13))"
    return f"{column} <> trim(both {blank} from {column})"


def count_rows(con: Engine, table: str) -> int:
    return int(con.rows(f"select count(*) from {table}")[0][0])


def keep_several(con: Engine, kept: str, table: str, column: str, kind: str) -> None:
    """Keep the values that a column has more than once, and how often (`n`); `kind` is its type."""
    name = "tables/several_whole" if kind == "bigint" else "tables/several"
    keep(con, kept, name, id=column, a=table)


def load_drawn(con: Engine, sample: Sequence[Row]) -> None:
    """Keep the drawn nodes as the table `sample`."""
    ids, train, validation = zip(*sample, strict=True)
    lend(con, "sample", {"id": ids}, {"train": train, "validation": validation})
