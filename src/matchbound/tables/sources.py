"""Open a user's table: a CSV or Parquet file, or any object that exports Arrow."""

import csv
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matchbound.engines import Engine, QueryError, Table
from matchbound.errors import AssumptionError, InputError, MatchboundError
from matchbound.files import digest_of_file, is_file, is_folder
from matchbound.tables.objects import as_table

# DuckDB's types of whole numbers; those that fit into 64 bits with a sign come first.
FITTING = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
WHOLE = FITTING | {"UBIGINT", "HUGEINT", "UHUGEINT"}
UNTYPED = ('"NULL"', "NULL")
SMALL = 4 << 20
"""Files of up to so many bytes have their rows digested always: it takes less than 0.1 s."""


@dataclass(frozen=True)
class Source:
    """An opened table of a user.

    `argument` is the name of the argument that the user gave it as, for messages. `columns` are
    their types by name, and `scan` is the table's name in SQL. `path` and `bytes`, the SHA-256 of a
    file's bytes, are None for a table in memory.
    """

    argument: str
    path: str | None
    columns: Mapping[str, str]
    scan: str
    bytes: str | None = None
    is_small: bool = False

    def column(self, *names: str) -> str | None:
        """The column of the first of these names that the table has; case does not matter."""
        for name in names:
            for column in self.columns:
                if column.lower() == name.lower():
                    return column
        return None

    def require(self, *names: str) -> str:
        column = self.column(*names)
        if column is None:
            raise InputError(
                f"{self.argument} must have a column {' or '.join(map(repr, names))}, "
                f"got {listed(self.columns)}. Rename the column that holds it."
            )
        return column

    def key(self, column: str, kind: str = "string") -> str:
        """SQL for the column's ids, as text or as whole numbers (see `key_kind`)."""
        type_ = self.columns[column]
        if type_ not in WHOLE and type_ != "VARCHAR" and not type_.startswith("ENUM"):
            raise InputError(
                f"{self.argument} must have ids that are text or whole numbers, "
                f"got {column!r} of type {type_}. Convert it (in pandas, Int64 keeps empty cells)."
            )
        return f"cast({quoted(column)} as {kind})"

    def score(self, column: str) -> str:
        """SQL for the column's numbers; null where the value is not a number."""
        type_ = self.columns[column]
        if type_ == "BOOLEAN":
            return f"cast({quoted(column)} as double)"
        if type_ == "VARCHAR":
            return f"number({quoted(column)})"
        if type_ not in WHOLE | {"FLOAT", "DOUBLE"} and not type_.startswith("DECIMAL"):
            raise InputError(
                f"{self.argument} must have scores that are numbers, "
                f"got {column!r} of type {type_}. Convert it first."
            )
        return quoted(column) if type_ == "FLOAT" else f"cast({quoted(column)} as double)"


def key_kind(*columns: tuple[Source, str]) -> str:
    """The type as which ids in these columns are compared: whole numbers if all are, else text.

    Comparing numbers is faster, and gives the same: each whole number has exactly one text.
    """
    return "bigint" if all(s.columns[name] in FITTING for s, name in columns) else "string"


def open_source(con: Engine, argument: str, table: Any, *, hashed: bool = True) -> Source:
    """Open a path to CSV or Parquet, an object with `__arrow_c_stream__`, or a table of a cluster.

    `hashed` computes the digest of a file's bytes.
    """
    if con.is_cluster and hasattr(table, "createGlobalTempView"):  # a Spark frame
        return _open_in_cluster(con, argument, None, Table(table, "name"))
    if isinstance(table, str | os.PathLike):
        if con.is_cluster and not is_file(Path(table)):
            return _open_in_cluster(con, argument, *_table_of_cluster(os.fspath(table)))
        return _open_file(con, argument, Path(table), hashed)
    try:
        table = as_table(table)
    except (TypeError, ValueError, OverflowError) as error:  # Arrow's errors are subclasses
        raise InputError(
            f"{argument} must have ids of one type, got an error ({error}). Convert them to text."
        ) from None
    if not hasattr(table, "__arrow_c_stream__"):
        raise InputError(
            f"{argument} must be a path or a table (pandas, Polars, Arrow, DuckDB), "
            f"got {type(table).__name__}. Convert it to one of these."
        )
    return _open_object(con, argument, table)


def scan(con: Engine, source: Source, select: str, where: str = "true") -> list[Any]:
    """Return the rows of a query over a source."""
    with readable(source.argument, source.path):
        return con.rows(f"{select} from {source.scan} where {where}")


def load(con: Engine, source: Source, table: str, columns: str, condition: str = "true") -> None:
    """Keep rows of a source as a table."""
    with readable(source.argument, source.path):
        con.keep(table, f"select {columns} from {source.scan} where {condition}")


@contextmanager
def readable(argument: str, path: str | None) -> Iterator[None]:
    """Raise the engine's failure to read a table as an error that the user can act on."""
    try:
        yield
    except QueryError as error:
        if error.fatal:
            raise
        reason = " ".join(str(error).split())[:160].rstrip(".")
        raise InputError(
            f"{argument} must be readable, got {path or 'a table'!r} ({reason}). "
            "Check the file, or save it again."
        ) from None


def _open_file(con: Engine, argument: str, path: Path, hashed: bool) -> Source:
    if not is_file(path):
        what = "a folder" if is_folder(path) else "no such file"
        raise InputError(f"{argument} must be a file, got {str(path)!r} ({what}). Check the path.")
    try:
        str(path).encode()
        digest = digest_of_file(path) if hashed else None
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.readline(1 << 20)
            file.seek(max(size - 8, 0))
            end = file.read()
    except (OSError, UnicodeEncodeError) as error:
        reason = getattr(error, "strerror", None) or "its name is not UTF-8"
        raise InputError(
            f"{argument} must be readable, got {str(path)!r} ({reason}). "
            "Change its permissions or its name."
        ) from None
    name = path.name.lower()
    if name.endswith((".csv", ".tsv", ".txt")):
        _refuse_parquet(argument, path, end, size)
        table = Table(path, "csv", *csv_header(argument, path, start))
    elif name.endswith((".parquet", ".pq")):
        table = Table(path, "parquet")
        refuse_repeated_names(argument, _parquet_names(path))
    else:
        _refuse_training_json(argument, path)
        raise InputError(
            f"{argument} must be a .csv or .parquet file, got {str(path)!r}. Convert it to one."
        )
    with readable(argument, str(path)):
        opened = con.open(table)
    refuse_repeated_names(argument, list(opened.columns))
    return Source(argument, str(path), opened.columns, opened.scan, digest, size <= SMALL)


def _refuse_parquet(argument: str, path: Path, end: bytes, size: int) -> None:
    """Refuse Parquet that is named .csv: a table is recognised by its bytes, whatever its name,
    so the same bytes must never be read as two different tables.
    """
    if end[-4:] in (b"PAR1", b"PARE") and int.from_bytes(end[:-4], "little") < size:
        raise InputError(
            f"{argument} must be CSV if it is named so, got Parquet in {str(path)!r}. Rename it."
        )


def _table_of_cluster(name: str) -> tuple[str, Table]:
    """The name, with the table: a folder of Parquet, a URL of one, or a name in the catalogue."""
    if is_folder(Path(name)):
        return name, Table(Path(name), "folder")
    return name, Table(name, "folder" if "://" in name else "name")


def _open_in_cluster(con: Engine, argument: str, path: str | None, table: Table) -> Source:
    try:
        opened = con.open(table)
    except QueryError as error:
        if error.fatal:
            raise
        raise InputError(
            f"{argument} must be a file, a folder of Parquet or a table of the catalogue, got "
            f"{path!r} ({error}). Check the path or the name."
        ) from None
    refuse_repeated_names(argument, list(opened.columns))
    return Source(argument, path, opened.columns, opened.scan)


def _refuse_training_json(argument: str, path: Path) -> None:
    if path.suffix.lower() == ".json" and b'"distinct"' in path.read_bytes():
        raise AssumptionError(
            f"{argument} must be a random sample, got dedupe's training pairs in {str(path)!r}: "
            "active learning chose them because they are hard, and they have no ids to join by. "
            "Draw nodes with `matchbound draw` and verify their matches."
        )


def _parquet_names(path: Path) -> list[str]:
    """The columns' names in the file: DuckDB renames columns that differ by case only."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return list(pq.read_schema(path).names)
    except (pa.ArrowException, OSError):
        return []  # DuckDB's error, when it opens the file, has the reason


def csv_header(argument: str, path: Path, start: bytes) -> tuple[list[str], str]:
    """The names of the columns, and the delimiter: a comma, semicolon, tab or bar."""
    try:
        header = start.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        header = "\0"
    if "\0" in header:
        raise InputError(
            f"{argument} must be UTF-8 text, got {str(path)!r}. Save it as CSV in UTF-8."
        )
    if "\r" in header:
        raise InputError(
            f"{argument} must have lines that end in LF or CRLF, got {str(path)!r}. Save it again."
        )
    unquoted = re.sub(r'"[^"]*"', "", header)
    delimiter = max(",;\t|", key=unquoted.count)
    try:
        names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
    except csv.Error:
        names = []
    if not any(names):
        raise InputError(
            f"{argument} must have a header line, got {str(path)!r} without. "
            "Name the columns in the first line."
        )
    refuse_repeated_names(argument, names)
    return [name or f"unnamed {i}" for i, name in enumerate(names, start=1)], delimiter


def _open_object(con: Engine, argument: str, stream: Any) -> Source:
    import pyarrow as pa

    try:
        table = pa.RecordBatchReader.from_stream(stream).read_all()
        names = [column for column in table.column_names if not column.startswith("__index")]
        refuse_repeated_names(argument, names)
        if not names:
            raise InputError(f"{argument} must have columns, got none. Give a table with some.")
        table = table.select(names).combine_chunks()
        opened = con.open(table)
    except MatchboundError:
        raise
    except Exception as error:  # other libraries raise anything while they export a table
        raise InputError(
            f"{argument} must be a table that Arrow can read, got an error ({error}). "
            "Save it as Parquet and give the path."
        ) from None
    return Source(argument, None, opened.columns, opened.scan)


def refuse_repeated_names(argument: str, names: list[str]) -> None:
    lowered = [name.lower() for name in names if name]
    for name in lowered:
        if lowered.count(name) > 1:
            raise InputError(
                f"{argument} must name each column once, got {name!r} "
                f"{lowered.count(name)} times. Rename or drop the others."
            )


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(value: str) -> str:
    """SQL for a text. A backslash becomes chr(92), because Spark would read it as an escape."""
    parts = ["'" + part.replace("'", "''") + "'" for part in value.split("\\")]
    return parts[0] if len(parts) == 1 else f"concat({', chr(92), '.join(parts)})"


def listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names)
