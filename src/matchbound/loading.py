"""What every id must be, once a table is loaded."""

from matchbound.engines import Engine, keep
from matchbound.errors import InputError
from matchbound.matching import SEPARATOR
from matchbound.sources import Source


def node_of(source: Source, column: str, origin: str | None, kind: str = "string") -> str:
    """SQL for a node: its id, or source-__-id where records carry sources."""
    if origin is None:
        return source.key(column, kind)
    # || keeps what is null null, where concat would make an id of it.
    return f"{source.key(origin)} || '{SEPARATOR}' || nullif({source.key(column)}, '')"


def refuse_empty(con: Engine, source: Source, table: str, columns: dict[str, str]) -> None:
    for ours, theirs in columns.items():
        empty = f"{ours} is null" + (f" or {ours} = ''" if _is_text(con, table, ours) else "")
        ((count,),) = con.rows(f"select count(*) from {table} where {empty}")
        if count:
            raise InputError(
                f"{source.argument} must have an id in every row, "
                f"got {count} empty in column {theirs!r}. Fill or remove these rows."
            )


def refuse_spaces(con: Engine, source: Source, table: str, columns: dict[str, str]) -> None:
    for ours, theirs in columns.items():
        if not _is_text(con, table, ours):
            continue
        ((first,),) = con.rows(f"select min({ours}) from {table} where {spaced(ours)}")
        if first is not None:
            raise InputError(
                f"{source.argument} must have ids without spaces around them, "
                f"got {first!r} in column {theirs!r}. Trim them."
            )


def spaced(column: str) -> str:
    """The condition that text has a blank at an end."""
    blank = "concat(' ', chr(9), chr(10), chr(13))"
    return f"{column} <> trim(both {blank} from {column})"


def _is_text(con: Engine, table: str, column: str) -> bool:
    kinds = con.rows(f"select typeof({column}) from {table} limit 1")
    return [kind for (kind,) in kinds] in (["VARCHAR"], ["string"])


def count_rows(con: Engine, table: str) -> int:
    return int(con.rows(f"select count(*) from {table}")[0][0])


def keep_several(con: Engine, kept: str, table: str, column: str, kind: str) -> None:
    """The values that stand there several times, and how often (`n`); `kind` is the column's."""
    name = "several_whole" if kind == "bigint" else "several"
    keep(con, kept, name, id=column, a=table)
