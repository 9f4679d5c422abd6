"""What users have (files, data frames) becomes tables of ids and of pairs, checked once."""

import csv
import glob
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.engine import query
from matchbound.errors import InputError
from matchbound.files import digest_of_file

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FITTING = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
WHOLE = FITTING | {"UBIGINT", "HUGEINT", "UHUGEINT"}
NUMBERS = WHOLE | {"FLOAT", "DOUBLE"}


@dataclass(frozen=True)
class Source:
    """A user's table: the argument it came by, where it is, a digest, its columns and types."""

    argument: str
    path: str | None
    digest: str
    columns: dict[str, str]
    scan: str

    def as_dict(self, **more: Any) -> dict[str, Any]:
        return {"path": self.path, "digest": self.digest} | more

    def column(self, *names: str) -> str | None:
        """The column that has one of these names, in the order given; case does not matter."""
        for name in names:
            fitting = [column for column in self.columns if column.lower() == name]
            if len(fitting) > 1:
                raise InputError(
                    f"{self.argument} must have one column {name!r}, got {_listed(fitting)}. "
                    "Rename the others."
                )
            if fitting:
                return fitting[0]
        return None

    def need(self, *names: str) -> str:
        column = self.column(*names)
        if column is None:
            raise InputError(
                f"{self.argument} must have a column {' or '.join(map(repr, names))}, "
                f"got {_listed(self.columns)}. Rename the column that holds it."
            )
        return column

    def key(self, column: str, kind: str = "string") -> str:
        """SQL for the column's ids, as text or as whole numbers (see `key_kind`)."""
        given = self.columns[column]
        if given not in WHOLE and given != "VARCHAR" and not given.startswith("ENUM"):
            raise InputError(
                f"{self.argument} must have ids that are text or whole numbers, "
                f"got {column!r} of type {given}. Convert it to text."
            )
        return f"cast({_quoted(column)} as {kind})"

    def number(self, column: str) -> str:
        """SQL for the column's numbers, null where there is none."""
        kind = self.columns[column]
        if kind == "VARCHAR":  # trimmed, or DuckDB would cast while it reads, and give up
            return f"try_cast(trim({_quoted(column)}) as double)"
        if kind not in NUMBERS and not kind.startswith("DECIMAL"):
            raise InputError(
                f"{self.argument} must have scores that are numbers, "
                f"got {column!r} of type {kind}. Convert it first."
            )
        return f"cast({_quoted(column)} as double)"


def key_kind(*columns: tuple[Source, str]) -> str:
    """How ids in these columns are compared: as text, or, where all are numbers, faster as such.

    Each whole number has one text, so the two agree.
    """
    return "bigint" if all(s.columns[name] in FITTING for s, name in columns) else "string"


def open_source(con: "DuckDBPyConnection", argument: str, given: Any) -> Source:
    """A path to CSV or Parquet, or anything with `__arrow_c_stream__`."""
    if isinstance(given, str | os.PathLike):
        return _open_file(con, argument, Path(given))
    if not hasattr(given, "__arrow_c_stream__"):
        raise InputError(
            f"{argument} must be a path or a table (pandas, Polars, Arrow, DuckDB), "
            f"got {type(given).__name__}. Convert it to one of these."
        )
    return _open_object(con, argument, given)


def id_column(source: Source, named: str | None) -> str:
    """The column of ids in a table of nodes."""
    if named is not None and named not in source.columns:
        raise InputError(
            f"id must be a column of {source.argument}, got {named!r}. "
            f"Choose among {_listed(source.columns)}."
        )
    column = named or source.column("id", "x")
    if column is None and len(source.columns) > 1:
        raise InputError(
            f"{source.argument} must have a column 'id', got {_listed(source.columns)}. "
            "Name the right one with --id."
        )
    return column or next(iter(source.columns))


def read_ids(
    con: "DuckDBPyConnection",
    source: Source,
    table: str,
    column: str,
    kind: str = "string",
    *,
    checked: bool = False,
) -> int:
    """Load the ids of nodes into a table; how many there are. `checked` before: no id is there
    twice."""
    _load(con, source, table, f"{source.key(column, kind)} as id")
    _refuse_empty(con, source, table, {"id": column})
    for repeated, times in () if checked else query(con, "repeated_ids", table=table):
        raise InputError(
            f"{source.argument} must hold each id once, got {repeated!r} {times} times. "
            "Remove the repeats."
        )
    size = _count(con, table)
    if not size:
        raise InputError(f"{source.argument} must hold at least one id, got none. Check the file.")
    return size


def pair_columns(source: Source) -> tuple[str, str]:
    return source.need("x"), source.need("y")


def read_pairs(
    con: "DuckDBPyConnection",
    source: Source,
    table: str,
    threshold: float | None,
    kinds: tuple[str, str] = ("string", "string"),
) -> int:
    """Load a matcher's pairs at or above the threshold; how many there are."""
    x, y = pair_columns(source)
    kept = _matches(con, source, source.column("score"), threshold)
    columns = f"{source.key(x, kinds[0])} as x, {source.key(y, kinds[1])} as y"
    _load(con, source, table, columns, kept)
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


def _matches(
    con: "DuckDBPyConnection", source: Source, score: str | None, threshold: float | None
) -> str:
    """The condition that makes a row a match."""
    if score is None:
        if threshold is not None:
            raise InputError(
                f"threshold must be left out where {source.argument} has no column 'score', "
                f"got {threshold}. Drop it, or give the scores."
            )
        return "true"
    number = source.number(score)
    unscored, least, most = _run(
        con,
        source,
        f"select count(*) - count(nullif({number}, 'nan'::double)), min({number}), max({number})",
    )[0]
    if unscored:
        raise InputError(
            f"{source.argument} must have a number in every {score!r}, got {unscored} without. "
            "Remove these pairs, or score them."
        )
    if threshold is None and least is not None:
        raise InputError(
            f"threshold must be given, because {source.argument} has scores "
            f"from {least:g} to {most:g}. Say from which score on a pair is a match."
        )
    return "true" if threshold is None else f"{number} >= {threshold!r}"


def _open_file(con: "DuckDBPyConnection", argument: str, path: Path) -> Source:
    if not path.is_file():
        what = "a folder" if path.is_dir() else "no such file"
        raise InputError(f"{argument} must be a file, got {str(path)!r} ({what}). Check the path.")
    name, place = path.name.lower(), _text(glob.escape(str(path)))
    if name.endswith((".csv", ".tsv", ".txt")):
        scan = f"read_csv({place}, {_csv_options(argument, path)})"
    elif name.endswith((".parquet", ".pq")):
        scan = f"read_parquet({place})"
    else:
        raise InputError(
            f"{argument} must be a .csv or .parquet file, got {str(path)!r}. Convert it to one."
        )
    source = Source(argument, str(path), digest_of_file(path), {}, scan)
    return Source(argument, str(path), source.digest, _columns(con, source), scan)


def _csv_options(argument: str, path: Path) -> str:
    """Every column as text, split as the header is: by comma, semicolon, tab or bar."""
    with path.open("rb") as file:
        start = file.readline(1 << 20)
    try:
        header = start.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        raise InputError(
            f"{argument} must be UTF-8 text, got {str(path)!r}. Save it as CSV in UTF-8."
        ) from None
    delimiter = max(",;\t|", key=header.count)
    try:
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
    except csv.Error:
        names = []
    if not any(names):
        raise InputError(
            f"{argument} must have a header line, got {str(path)!r} without. "
            "Name the columns in the first line."
        )
    lowered = [name.lower() for name in names if name]
    for name in lowered:
        if lowered.count(name) > 1:
            raise InputError(
                f"{argument} must name each column once, got {name!r} "
                f"{lowered.count(name)} times. Rename or drop the others."
            )
    columns = ", ".join(
        f"{_text(name or f'unnamed {i}')}: 'VARCHAR'" for i, name in enumerate(names, start=1)
    )
    return (
        f"columns = {{{columns}}}, delim = {_text(delimiter)}, quote = '\"', escape = '\"', "
        "header = true, auto_detect = false, max_line_size = 10000000"
    )


def _open_object(con: "DuckDBPyConnection", argument: str, given: Any) -> Source:
    import pyarrow as pa

    try:
        table = pa.RecordBatchReader.from_stream(given).read_all().combine_chunks()
    except Exception as error:  # whatever a foreign library raises while it exports its table
        raise InputError(
            f"{argument} must be a table that Arrow can read, got an error ({error}). "
            "Save it as Parquet and give the path."
        ) from None
    sink = _Digest()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    con.register(f"{argument}_given", table)
    source = Source(argument, None, sink.digest.hexdigest(), {}, f"{argument}_given")
    return Source(argument, None, source.digest, _columns(con, source), source.scan)


class _Digest:
    """A file that only keeps the digest of what is written to it."""

    closed = False

    def __init__(self) -> None:
        self.digest = hashlib.sha256()

    def write(self, data: Any) -> int:
        self.digest.update(data)
        return len(data)

    def flush(self) -> None: ...


def _columns(con: "DuckDBPyConnection", source: Source) -> dict[str, str]:
    return {row[0]: row[1] for row in _run(con, source, "describe select *")}


def _any(con: "DuckDBPyConnection", source: Source, column: str) -> bool:
    return bool(_run(con, source, f"select count({_quoted(column)})")[0][0])


def _load(
    con: "DuckDBPyConnection", source: Source, table: str, columns: str, condition: str = "true"
) -> None:
    _run(con, source, f"create or replace temp table {table} as select {columns}", condition)


def _run(
    con: "DuckDBPyConnection", source: Source, select: str, condition: str = "true"
) -> list[Any]:
    import duckdb

    try:
        return con.execute(f"{select} from {source.scan} where {condition}").fetchall()
    except (duckdb.OutOfMemoryException, MemoryError):
        raise
    except duckdb.Error as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise InputError(
            f"{source.argument} must be readable, got {source.path or 'a table'!r} ({reason}). "
            "Check the file, or save it again."
        ) from None


def _refuse_empty(
    con: "DuckDBPyConnection", source: Source, table: str, columns: dict[str, str]
) -> None:
    for ours, theirs in columns.items():
        text = con.execute(f"select typeof({ours}) = 'VARCHAR' from {table} limit 1").fetchall()
        empty = f"{ours} is null" + (f" or {ours} = ''" if text == [(True,)] else "")
        ((count,),) = con.execute(f"select count(*) from {table} where {empty}").fetchall()
        if count:
            raise InputError(
                f"{source.argument} must have an id in every row, "
                f"got {count} empty in column {theirs!r}. Fill or remove these rows."
            )


def _count(con: "DuckDBPyConnection", table: str) -> int:
    return int(con.execute(f"select count(*) from {table}").fetchall()[0][0])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names)
