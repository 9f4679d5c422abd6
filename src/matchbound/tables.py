"""Tables of ids, pairs and labels in the engine, each checked once as it is loaded."""

import math
from typing import TYPE_CHECKING, Any

from matchbound.engine import query
from matchbound.errors import InputError
from matchbound.sources import Source, listed, scan

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def id_column(source: Source, named: str | None, *others: str) -> str:
    """The column of ids in a table of nodes: the one named, or `id`."""
    if named is not None:
        column = source.column(named)
        if column is None:
            raise InputError(
                f"id must be a column of {source.argument}, got {named!r}. "
                f"Choose among {listed(source.columns)}."
            )
        return column
    column = source.column("id", *others)
    if column is None:
        raise InputError(
            f"{source.argument} must have a column 'id', got {listed(source.columns)}. "
            "Name the right one with --id."
        )
    return column


def read_ids(
    con: "DuckDBPyConnection",
    source: Source,
    table: str,
    column: str,
    kind: str = "string",
    *,
    checked: bool = False,
) -> int:
    """Load the ids of nodes; how many there are. `checked` before: each is there once."""
    _load(con, source, table, f"{source.key(column, kind)} as id")
    _refuse_empty(con, source, table, {"id": column})
    if not checked:
        _refuse_spaces(con, source, table, {"id": column})
        for repeated, times in query(con, "repeated_ids", table=table):
            raise InputError(
                f"{source.argument} must hold each id once, got {repeated!r} {times} times. "
                "Remove the repeats."
            )
    size = _count(con, table)
    if not size:
        raise InputError(f"{source.argument} must hold at least one id, got none. Check the file.")
    return size


def pair_columns(source: Source) -> tuple[str, str]:
    return source.require("x"), source.require("y")


def read_pairs(
    con: "DuckDBPyConnection",
    source: Source,
    table: str,
    threshold: float | None,
    kinds: tuple[str, str] = ("string", "string"),
) -> int:
    """Load a matcher's pairs at or above the threshold; how many there are."""
    x, y = pair_columns(source)
    columns = f"{source.key(x, kinds[0])} as x, {source.key(y, kinds[1])} as y"
    score = source.column("score")
    if score is None:
        _load(con, source, table, columns)
    else:
        _refuse_two_scores(con, source, columns)
        _load(con, source, table, columns, _matches(con, source, score, threshold))
    _refuse_empty(con, source, table, {"x": x, "y": y})
    return _count(con, table)


def read_labels(con: "DuckDBPyConnection", source: Source) -> None:
    """Load verified matches as text; an empty y says that the node has none."""
    x, y = pair_columns(source)
    if source.columns[y] in ("INTEGER", '"NULL"', "NULL") and not _any(con, source, y):
        y_text = "cast(null as string)"  # no label has a match: the column has no type of its own
    else:
        y_text = f"nullif({source.key(y)}, '')"
    _load(con, source, "labels", f"{source.key(x)} as x, {y_text} as y")
    _refuse_empty(con, source, "labels", {"x": x})
    _refuse_spaces(con, source, "labels", {"x": x, "y": y})


def check_threshold(threshold: Any, sources: list[Source]) -> float | None:
    """A finite number, if any of the tables has scores to compare it with."""
    if threshold is None:
        return None
    try:
        number = math.nan if isinstance(threshold, str | bool) else float(threshold)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(
            f"threshold must be a finite number, got {threshold!r}. "
            "Say from which score on a pair is a match."
        )
    if not any(source.column("score") for source in sources):
        raise InputError(
            "threshold must be left out where no matcher has a column 'score', "
            f"got {threshold}. Drop it, or give the scores."
        )
    return number


def _matches(
    con: "DuckDBPyConnection", source: Source, column: str, threshold: float | None
) -> str:
    """The condition that makes a row a match."""
    score = source.score(column)
    unscored, least, most = scan(
        con,
        source,
        f"select count(*) - count(nullif({score}, cast('nan' as double))), "
        f"min({score}), max({score})",
    )[0]
    if unscored:
        raise InputError(
            f"{source.argument} must have a number in every {column!r}, got {unscored} without. "
            "Remove these pairs, or score them (with a point, not a comma)."
        )
    if threshold is None:
        if least is None:
            return "true"
        raise InputError(
            f"threshold must be given, because {source.argument} has scores "
            f"from {least:g} to {most:g}. Say from which score on a pair is a match."
        )
    kind = "float" if source.columns[column] == "FLOAT" else "double"
    return f"{score} >= cast({threshold!r} as {kind})"


def _refuse_two_scores(con: "DuckDBPyConnection", source: Source, columns: str) -> None:
    """The same pair twice, whatever its scores."""
    repeats = scan(
        con,
        source,
        f"select x, y, count(*) from (select {columns}",
        "true) group by x, y having count(*) > 1 order by x, y limit 1",
    )
    for x, y, times in repeats:
        raise InputError(
            f"{source.argument} must hold each pair once, got ({str(x)!r}, {str(y)!r}) {times} "
            "times. Remove the repeats."
        )


def _load(
    con: "DuckDBPyConnection", source: Source, table: str, columns: str, condition: str = "true"
) -> None:
    scan(con, source, f"create or replace temp table {table} as select {columns}", condition)


def _any(con: "DuckDBPyConnection", source: Source, column: str) -> bool:
    return bool(scan(con, source, f'select count("{column}")')[0][0])


def _refuse_empty(
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


def _refuse_spaces(
    con: "DuckDBPyConnection", source: Source, table: str, columns: dict[str, str]
) -> None:
    for ours, theirs in columns.items():
        if not _is_text(con, table, ours):
            continue
        spaced = f"select min({ours}) from {table} where {ours} <> trim({ours})"
        ((first,),) = con.execute(spaced).fetchall()
        if first is not None:
            raise InputError(
                f"{source.argument} must have ids without spaces around them, "
                f"got {first!r} in column {theirs!r}. Trim them."
            )


def _is_text(con: "DuckDBPyConnection", table: str, column: str) -> bool:
    kind = con.execute(f"select typeof({column}) from {table} limit 1").fetchall()
    return kind == [("VARCHAR",)]


def _count(con: "DuckDBPyConnection", table: str) -> int:
    return int(con.execute(f"select count(*) from {table}").fetchall()[0][0])
