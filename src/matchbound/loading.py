"""Rows of a table into the engine, and what every id must be."""

from typing import TYPE_CHECKING

from matchbound.engine import keep
from matchbound.errors import InputError
from matchbound.matching import SEPARATOR
from matchbound.sources import Source, scan

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def node_of(source: Source, column: str, origin: str | None, kind: str = "string") -> str:
    """SQL for a node: its id, or source-__-id where records carry sources."""
    if origin is None:
        return source.key(column, kind)
    # || keeps what is null null, where concat would make an id of it.
    return f"{source.key(origin)} || '{SEPARATOR}' || nullif({source.key(column)}, '')"


def load(
    con: "DuckDBPyConnection", source: Source, table: str, columns: str, condition: str = "true"
) -> None:
    scan(con, source, f"create or replace temp table {table} as select {columns}", condition)


def refuse_empty(
    con: "DuckDBPyConnection", source: Source, table: str, columns: dict[str, str]
) -> None:
    for ours, theirs in columns.items():
        empty = f"{ours} is null" + (f" or {ours} = ''" if _is_text(con, table, ours) else "")
        ((count,),) = con.execute(f"select count(*) from {table} where {empty}").fetchall()
        if count:
            raise InputError(
                f"{source.argument} must have an id in every row, "
                f"got {count} empty in column {theirs!r}. Fill or remove these rows."
            )


def refuse_spaces(
    con: "DuckDBPyConnection", source: Source, table: str, columns: dict[str, str]
) -> None:
    for ours, theirs in columns.items():
        if not _is_text(con, table, ours):
            continue
        blank = "concat(' ', chr(9), chr(10), chr(13))"
        spaced = f"select min({ours}) from {table} where {ours} <> trim({ours}, {blank})"
        ((first,),) = con.execute(spaced).fetchall()
        if first is not None:
            raise InputError(
                f"{source.argument} must have ids without spaces around them, "
                f"got {first!r} in column {theirs!r}. Trim them."
            )


def _is_text(con: "DuckDBPyConnection", table: str, column: str) -> bool:
    kind = con.execute(f"select typeof({column}) from {table} limit 1").fetchall()
    return kind == [("VARCHAR",)]


def count_rows(con: "DuckDBPyConnection", table: str) -> int:
    return int(con.execute(f"select count(*) from {table}").fetchall()[0][0])


def keep_several(con: "DuckDBPyConnection", kept: str, table: str, column: str, kind: str) -> None:
    """The values that stand there several times, and how often (`n`); `kind` is the column's."""
    name = "several_whole" if kind == "bigint" else "several"
    keep(con, kept, name, id=column, a=table)
