"""Tables in database files of DuckDB and SQLite, read as Arrow batches.

A file is opened read-only. No extension is loaded, and a view fails that reads another file or an
address.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.engines.engine import QueryError, Table
from matchbound.files import open_regular

if TYPE_CHECKING:
    from sqlite3 import Connection

    from duckdb import DuckDBPyConnection

BATCH = 1 << 16  # rows
AT_A_TIME = 400  # columns whose types one query of SQLite tells
ALONE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "enable_external_access": False,
    "temp_directory": "",
}
"""By these settings DuckDB reads no other file, loads nothing, and writes nothing beside it."""
AS_THEY_ARE = ("INTEGER", "BIGINT", "SMALLINT", "TINYINT", "DOUBLE", "FLOAT", "BOOLEAN", "BLOB")
"""DuckDB's types that Arrow has too. Others are read as text, which keeps every id as it is."""
BUSY = ("-wal", "-journal")
"""How files end that SQLite has beside a database while somebody writes to it."""


def database_format(path: Path) -> str | None:
    """The format of a database file, by its first bytes; None if it is none that is known."""
    with open_regular(path) as file:
        start = file.read(16)
    if start == b"SQLite format 3\0":
        return "sqlite"
    return "duckdb" if start[8:12] == b"DUCK" else None


def tables_in(path: Path, format: str) -> list[tuple[str, str]]:
    """The schemas and names of a database's tables and views."""
    return _READERS[format][0](path)


def rows_in(table: Table) -> AbstractContextManager[Any]:
    """Give a reader of the batches of a table, whose schema and name are `table.names`."""
    return _READERS[table.format][1](table)


def _tables_of_duckdb(path: Path) -> list[tuple[str, str]]:
    with _duckdb(path) as con:
        return con.execute(
            "select table_schema, table_name from information_schema.tables "
            "where table_catalog = current_database() order by 1, 2"
        ).fetchall()


@contextmanager
def _rows_of_duckdb(table: Table) -> Iterator[Any]:
    name = ".".join(map(_quoted, table.names))
    with _duckdb(table.location) as con:
        columns = con.execute(f"describe select * from {name}").fetchall()
        selected = ", ".join(_in_arrow(column, kind) for column, kind, *_ in columns)
        yield con.sql(f"select {selected} from {name}", alias="selected").to_arrow_reader(BATCH)


def _in_arrow(column: str, kind: str) -> str:
    name = _quoted(column)
    return name if kind in AS_THEY_ARE else f"{name}::varchar as {name}"


@contextmanager
def _duckdb(path: Path) -> Iterator["DuckDBPyConnection"]:
    import duckdb

    try:
        with duckdb.connect(str(path), read_only=True, config=ALONE) as con:
            con.execute("set enable_progress_bar = false").fetchall()
            yield con
    except duckdb.Error as error:
        raise QueryError(str(error)) from error


def _tables_of_sqlite(path: Path) -> list[tuple[str, str]]:
    with _sqlite(path) as con:
        names = con.execute(
            "select name from sqlite_master where type in ('table', 'view') "
            "and name not like 'sqlite~_%' escape '~' order by name"
        ).fetchall()
    return [("main", name) for (name,) in names]


@contextmanager
def _rows_of_sqlite(table: Table) -> Iterator[Any]:
    import pyarrow as pa

    name = _quoted(table.names[-1])
    with _sqlite(table.location) as con:
        cursor = con.execute(f"select * from {name} limit 0")
        columns = [column for column, *_ in cursor.description]
        kinds = [kind for some in _apart(columns) for kind in _kinds(con, name, some)]
        types = {"integer": pa.int64(), "real": pa.float64(), "blob": pa.binary()}
        fields = [(c, types.get(k, pa.string())) for c, k in zip(columns, kinds, strict=True)]
        selected = [f"cast({_quoted(c)} as {k})" for c, k in zip(columns, kinds, strict=True)]
        rows = con.execute(f"select {', '.join(selected)} from {name}")
        schema = pa.schema(fields)
        yield pa.RecordBatchReader.from_batches(schema, _batches(rows, schema))


def _apart(columns: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(columns), AT_A_TIME):
        yield columns[start : start + AT_A_TIME]


def _kinds(con: "Connection", name: str, columns: Sequence[str]) -> Iterator[str]:
    """The type of each column: that of all its values, or one that holds them all.

    In SQLite any value may have any type. What is not all of numbers is text: 7 beside '007'.
    """
    kinds = ("blob", "text", "real", "integer")
    has = (f"max(typeof({_quoted(c)}) = '{kind}')" for c in columns for kind in kinds)
    (row,) = con.execute(f"select {', '.join(has)} from {name}").fetchall()
    for start in range(0, len(row), len(kinds)):
        there = row[start : start + len(kinds)]
        yield next((kind for kind, some in zip(kinds, there, strict=True) if some), "text")


def _batches(rows: Any, schema: Any) -> Iterator[Any]:
    import pyarrow as pa

    while some := rows.fetchmany(BATCH):
        columns = zip(*some, strict=True)
        arrays = [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)]
        yield pa.record_batch(arrays, schema=schema)


@contextmanager
def _sqlite(path: Path) -> Iterator["Connection"]:
    """Open a database that nobody writes to: `immutable` locks nothing and leaves no file."""
    import sqlite3

    busy = [f"{path}{end}" for end in BUSY]
    for beside in map(Path, busy):
        if beside.exists() and beside.stat().st_size:
            raise QueryError(
                f"somebody writes to it, or was interrupted: {beside.name} is beside it. Close it "
                "in the other program"
            )
    try:
        uri = f"{path.as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True, check_same_thread=False)) as con:
            con.execute("pragma trusted_schema = off")
            yield con
    except sqlite3.Error as error:
        raise QueryError(str(error)) from error


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


_Reader = tuple[
    Callable[[Path], list[tuple[str, str]]], Callable[[Table], AbstractContextManager[Any]]
]
_READERS: dict[str, _Reader] = {
    "duckdb": (_tables_of_duckdb, _rows_of_duckdb),
    "sqlite": (_tables_of_sqlite, _rows_of_sqlite),
}
DATABASES = tuple(_READERS)
