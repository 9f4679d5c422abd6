"""Open a user's table: a CSV or Parquet file, or any object that exports Arrow."""

import csv
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matchbound.engines import Engine, QueryError, Table
from matchbound.errors import AssumptionError, ChangedError, InputError, MatchboundError
from matchbound.files import (
    TRIES,
    Content,
    Seen,
    content_of_file,
    is_file,
    is_folder,
    is_there,
    open_regular,
    read_at_once,
    resolved,
    scratch,
)
from matchbound.tables.objects import as_table

# DuckDB's types of whole numbers; those that fit into 64 bits with a sign come first.
FITTING = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
WHOLE = FITTING | {"UBIGINT", "HUGEINT", "UHUGEINT"}
UNTYPED = ('"NULL"', "NULL")
YES, NO = ("yes", "y", "true"), ("no", "n", "false")
SMALL = 4 << 20
"""Files of up to so many bytes have their rows digested always: it takes less than 0.1 s.

If they are CSV, their rows are read once and kept: someone may be writing labels meanwhile.
"""
TEXT = (".csv", ".tsv", ".txt")
PARQUET = (".parquet", ".pq")
HEADER = 10_000_000
"""Bytes that a header line may have: DuckDB reads no longer lines."""


@dataclass(frozen=True)
class Source:
    """An opened table of a user.

    `argument` is the name of the argument that the user gave it as, for messages. `columns` are
    their types by name, and `scan` is the table's name in SQL. `path` and `bytes`, the SHA-256 of a
    file's bytes, are None for a table in memory. `file` is the file that queries read, as it was
    when it was hashed; None if they read no file.
    """

    argument: str
    path: str | None
    columns: Mapping[str, str]
    scan: str
    bytes: str | None = None
    is_small: bool = False
    file: Seen | None = None

    @property
    def listed(self) -> str:
        """The names of its columns, for a sentence."""
        return listed(self.columns)

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

    def verdict(self, column: str) -> str:
        """SQL for the column's verdicts: 1 for yes or true, 0 for no or false, or its numbers."""
        type_ = self.columns[column]
        if type_ != "VARCHAR" and not type_.startswith("ENUM"):
            return self.score(column)
        text = f"lower(trim(cast({quoted(column)} as string)))"
        words = f"when {text} in {YES} then 1e0 when {text} in {NO} then 0e0"
        return f"case {words} else number({text}) end"


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
        _refuse_no_file(argument, Path(table))
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
    with reading(source):
        return con.rows(f"{select} from {source.scan} where {where}")


def load(con: Engine, source: Source, table: str, columns: str, condition: str = "true") -> None:
    """Keep rows of a source as a table."""
    with reading(source):
        con.keep(table, f"select {columns} from {source.scan} where {condition}")


@contextmanager
def reading(source: Source) -> Iterator[None]:
    """Read a source's rows; refuse a file that was changed since its bytes were hashed."""
    with readable(source.argument, source.path):
        yield
    if source.file is not None:
        source.file.refuse_changed()


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


def _refuse_no_file(argument: str, path: Path) -> None:
    if is_file(path):
        return
    scheme, colon, rest = str(path).partition(":")
    if colon and len(scheme) > 1 and scheme.isalnum() and rest.startswith("/"):
        raise InputError(
            f"{argument} must be the path of a local file, got {str(path)!r}, an address. Give a "
            "local copy, or read it where it is with --engine spark."
        )
    there = is_folder(path), is_there(path)
    what = {(True, True): "a folder", (False, True): "a pipe, a device or a link to nothing"}
    raise InputError(
        f"{argument} must be a file, got {str(path)!r} ({what.get(there, 'no such file')}). "
        "Check the path."
    )


def _open_file(con: Engine, argument: str, path: Path, hashed: bool) -> Source:
    """Open a file by its absolute path; again, if it was changed between hashing and reading.

    A file that others replace so often that it never stays is copied, and the copy is opened: the
    labels of an audit, for one, while people label.
    """
    place = resolved(path)
    _refuse_backslash(argument, place)
    for _ in range(TRIES):
        try:
            return _open_place(con, argument, path, place, hashed)
        except ChangedError as error:
            changed = error
    with _permitted(argument, path):
        size = Seen.at(place).size
        if con.is_cluster or size > SMALL or not path.name.lower().endswith(TEXT):
            raise changed
        content = read_at_once(place, SMALL)
    with scratch(path.name, content) as copy:
        return _open_place(con, argument, path, resolved(copy), hashed)


def _open_place(con: Engine, argument: str, path: Path, place: Path, hashed: bool) -> Source:
    """Open the file at `place`, which the user knows as `path`."""
    with _permitted(argument, path):
        seen = Seen.at(place)
        table, content = _table_at(argument, path, place, hashed)
    with readable(argument, str(path)):
        opened = con.open(table)
    seen.refuse_changed()
    refuse_repeated_names(argument, list(opened.columns))
    is_kept = table.at_once and not con.is_cluster
    return Source(
        argument,
        str(path),
        opened.columns,
        opened.scan,
        content.digest if content else None,
        seen.size <= SMALL,
        None if is_kept else seen,
    )


def _refuse_backslash(argument: str, place: Path) -> None:
    """Refuse a name that cannot be said to DuckDB: in patterns a backslash divides folders."""
    if os.name == "posix" and "\\" in str(place) and set("[*?") & set(str(place)):
        raise InputError(
            f"{argument} must not have a backslash beside one of [*? in its path, got "
            f"{str(place)!r}. Rename it."
        )


def _table_at(argument: str, path: Path, place: Path, hashed: bool) -> tuple[Table, Content | None]:
    """The table in a file, recognised by the name that the user gave."""
    name = path.name.lower()
    if not name.endswith((*TEXT, *PARQUET)):
        _refuse_training_json(argument, path)
        raise InputError(
            f"{argument} must be a .csv or .parquet file, got {str(path)!r}. Convert it to one."
        )
    str(path).encode()
    with open_regular(place) as file:
        size = os.fstat(file.fileno()).st_size
        start = file.readline(HEADER + 1)
        file.seek(max(size - 8, 0))
        end = file.read(8)
    if name.endswith(PARQUET):
        refuse_repeated_names(argument, _parquet_names(place))
        return Table(place, "parquet"), content_of_file(place) if hashed else None
    _refuse_parquet(argument, path, end, size)
    header = csv_header(argument, path, start)
    _refuse_nul(argument, path, b"\0" in end)
    content = content_of_file(place) if hashed else None
    _refuse_nul(argument, path, content is not None and content.has_nul)
    return Table(place, "csv", *header, at_once=size <= SMALL), content


@contextmanager
def _permitted(argument: str, path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, UnicodeEncodeError) as error:
        reason = getattr(error, "strerror", None) or "its name is not UTF-8"
        raise InputError(
            f"{argument} must be readable, got {str(path)!r} ({reason}). "
            "Change its permissions or its name."
        ) from None


def _refuse_nul(argument: str, path: Path, has_nul: bool) -> None:
    """Refuse bytes that no text has: a crash may have left them at a file's end."""
    if has_nul:
        raise InputError(
            f"{argument} must be text, got NUL bytes in {str(path)!r}. Save it again: it may be "
            "cut off, or UTF-16."
        )


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
    if path.suffix.lower() != ".json":
        return
    with open_regular(path) as file:
        start = file.read(1 << 20)
    if b'"distinct"' in start:
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
    if len(start) > HEADER:
        raise InputError(
            f"{argument} must have a header line of at most {HEADER:,} bytes, got a longer one in "
            f"{str(path)!r}. Keep the columns that are needed."
        )
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
    for name, count in Counter(name.lower() for name in names if name).items():
        if count > 1:
            raise InputError(
                f"{argument} must name each column once, got {name!r} {count} times. "
                "Rename or drop the others."
            )


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(value: str) -> str:
    """SQL for a text. A backslash becomes chr(92), because Spark would read it as an escape."""
    parts = ["'" + part.replace("'", "''") + "'" for part in value.split("\\")]
    return parts[0] if len(parts) == 1 else f"concat({', chr(92), '.join(parts)})"


def listed(names: Iterable[str]) -> str:
    """Names for a sentence: the first ones, if they are many or long."""
    every = list(names)
    first = [repr(name if len(name) <= 60 else f"{name[:60]}…") for name in every[:20]]
    rest = [f"{len(every) - 20} others"] if len(every) > 20 else []
    return ", ".join(first + rest)
