"""A user's table, opened: a CSV or Parquet file, or any object that speaks Arrow."""

import csv
import glob
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.errors import AssumptionError, InputError
from matchbound.files import digest_of_file, is_file, is_folder
from matchbound.objects import as_table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FITTING = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"}
WHOLE = FITTING | {"UBIGINT", "HUGEINT", "UHUGEINT"}


@dataclass(frozen=True)
class Source:
    """Which argument it came by, where it is, its digest, columns and types, and SQL to scan it."""

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
        given = self.columns[column]
        if given not in WHOLE and given != "VARCHAR" and not given.startswith("ENUM"):
            raise InputError(
                f"{self.argument} must have ids that are text or whole numbers, "
                f"got {column!r} of type {given}. Convert it (in pandas, Int64 keeps empty cells)."
            )
        return f"cast({quoted(column)} as {kind})"

    def score(self, column: str) -> str:
        """SQL for the column's numbers, null where there is none."""
        kind = self.columns[column]
        if kind == "BOOLEAN":
            return f"cast({quoted(column)} as double)"
        if kind == "VARCHAR":  # trimmed, or DuckDB would cast while it reads, and give up
            return f"try_cast(trim({quoted(column)}) as double)"
        if kind not in WHOLE | {"FLOAT", "DOUBLE"} and not kind.startswith("DECIMAL"):
            raise InputError(
                f"{self.argument} must have scores that are numbers, "
                f"got {column!r} of type {kind}. Convert it first."
            )
        return quoted(column) if kind == "FLOAT" else f"cast({quoted(column)} as double)"


def key_kind(*columns: tuple[Source, str]) -> str:
    """How ids in these columns are compared: as text, or, where all are numbers, faster as such.

    Each whole number has one text, so the two agree.
    """
    return "bigint" if all(s.columns[name] in FITTING for s, name in columns) else "string"


def open_source(
    con: "DuckDBPyConnection", argument: str, given: Any, *, digest: bool = True
) -> Source:
    """A path to CSV or Parquet, or anything with `__arrow_c_stream__`."""
    if isinstance(given, str | os.PathLike):
        return _open_file(con, argument, Path(given), digest)
    try:
        given = as_table(given)
    except (TypeError, ValueError, OverflowError) as error:  # Arrow's own are of these kinds
        raise InputError(
            f"{argument} must have ids of one type, got an error ({error}). Convert them to text."
        ) from None
    if not hasattr(given, "__arrow_c_stream__"):
        raise InputError(
            f"{argument} must be a path or a table (pandas, Polars, Arrow, DuckDB), "
            f"got {type(given).__name__}. Convert it to one of these."
        )
    return _open_object(con, argument, given, digest)


def scan(con: "DuckDBPyConnection", source: Source, select: str, where: str = "true") -> list[Any]:
    """Run a query over a source; what the engine cannot read is the user's to mend."""
    import duckdb

    try:
        return con.execute(f"{select} from {source.scan} where {where}").fetchall()
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        reason = " ".join(str(error).split())[:160].rstrip(".")
        raise InputError(
            f"{source.argument} must be readable, got {source.path or 'a table'!r} ({reason}). "
            "Check the file, or save it again."
        ) from None


def _open_file(con: "DuckDBPyConnection", argument: str, path: Path, digest: bool) -> Source:
    if not is_file(path):
        what = "a folder" if is_folder(path) else "no such file"
        raise InputError(f"{argument} must be a file, got {str(path)!r} ({what}). Check the path.")
    try:
        str(path).encode()
        found = digest_of_file(path) if digest else ""
        with path.open("rb") as file:
            start = file.readline(1 << 20)
    except (OSError, UnicodeEncodeError) as error:
        reason = getattr(error, "strerror", None) or "its name is not UTF-8"
        raise InputError(
            f"{argument} must be readable, got {str(path)!r} ({reason}). "
            "Change its permissions or its name."
        ) from None
    name, place = path.name.lower(), literal(glob.escape(str(path)))
    if name.endswith((".csv", ".tsv", ".txt")):
        reader = f"read_csv({place}, {_csv_options(argument, path, start)})"
    elif name.endswith((".parquet", ".pq")):
        reader = f"read_parquet({place}, hive_partitioning = false)"
        refuse_repeated_names(argument, _parquet_names(path))
    else:
        _refuse_training_json(argument, path)
        raise InputError(
            f"{argument} must be a .csv or .parquet file, got {str(path)!r}. Convert it to one."
        )
    return _described(con, Source(argument, str(path), found, {}, reader))


def _refuse_training_json(argument: str, path: Path) -> None:
    if path.suffix.lower() == ".json" and b'"distinct"' in path.read_bytes():
        raise AssumptionError(
            f"{argument} must be a random sample, got dedupe's training pairs in {str(path)!r}: "
            "active learning chose them because they are hard, and they have no ids to join by. "
            "Draw nodes with `matchbound draw` and verify their matches."
        )


def _parquet_names(path: Path) -> list[str]:
    """The columns as the file names them: DuckDB renames what differs by case alone."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return list(pq.read_schema(path).names)
    except (pa.ArrowException, OSError):
        return []  # DuckDB will say what is wrong with it


def _csv_options(argument: str, path: Path, start: bytes) -> str:
    """Every column as text, split as the header is: by comma, semicolon, tab or bar."""
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
    bare = re.sub(r'"[^"]*"', "", header)
    delimiter = max(",;\t|", key=bare.count)
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
    columns = ", ".join(
        f"{literal(name or f'unnamed {i}')}: 'VARCHAR'" for i, name in enumerate(names, start=1)
    )
    return (
        f"columns = {{{columns}}}, delim = {literal(delimiter)}, quote = '\"', escape = '\"', "
        "header = true, auto_detect = false, hive_partitioning = false, max_line_size = 10000000"
    )


def _open_object(con: "DuckDBPyConnection", argument: str, given: Any, digest: bool) -> Source:
    import pyarrow as pa

    name = f"{argument}_given"
    try:
        table = pa.RecordBatchReader.from_stream(given).read_all()
        names = [column for column in table.column_names if not column.startswith("__index")]
        if len(set(names)) == len(names):
            table = table.select(names).combine_chunks()
            con.register(name, table)
    except Exception as error:  # whatever a foreign library raises while it exports its table
        raise InputError(
            f"{argument} must be a table that Arrow can read, got an error ({error}). "
            "Save it as Parquet and give the path."
        ) from None
    refuse_repeated_names(argument, names)
    if not names:
        raise InputError(f"{argument} must have columns, got none. Give a table with some.")
    found = _digest_of_table(table) if digest else ""
    return _described(con, Source(argument, None, found, {}, name))


def _digest_of_table(table: Any) -> str:
    """Of names and values as text, so that the same table in another library has the same."""
    import pyarrow as pa

    digest = hashlib.sha256(f"{table.num_rows} {table.num_columns} ".encode())
    for name, column in zip(table.column_names, table.columns, strict=True):
        digest.update(f"{len(name)}:{name}".encode(errors="surrogatepass"))
        try:
            values = column.cast(pa.large_string()).to_pylist()
        except (pa.ArrowException, UnicodeDecodeError):
            values = [str(column.type)]  # such a column holds no ids
        for value in values:
            text = "-" if value is None else f"{len(value)}:{value}"
            digest.update(text.encode(errors="surrogatepass"))
    return digest.hexdigest()


def _described(con: "DuckDBPyConnection", source: Source, names: list[str] | None = None) -> Source:
    """The source with its columns, each named once."""
    columns = {row[0]: row[1] for row in scan(con, source, "describe select *")}
    refuse_repeated_names(source.argument, names or list(columns))
    return Source(source.argument, source.path, source.digest, columns, source.scan)


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
    return "'" + value.replace("'", "''") + "'"


def listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names)
