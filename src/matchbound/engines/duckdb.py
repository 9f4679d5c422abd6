"""DuckDB, inside the process: the default engine."""

import glob
import os
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb

from matchbound.engines.chunks import chunk_digests, digests_of_few
from matchbound.engines.databases import DATABASES, rows_in
from matchbound.engines.engine import Chunk, Lists, Opened, QueryError, Table
from matchbound.errors import EngineError, InputError
from matchbound.files import temporary_folder

SHARE = 0.9  # of `memory` goes to DuckDB: the process needs some that DuckDB does not count
BATCH = 1 << 16  # rows
FULL = ("No space left", "max_temp_directory_size", "temporary file", "offload")
"""Words by which a message of DuckDB shows that the disk is full."""
LONGEST_LINE = 10_000_000  # bytes
LEAST = 16 << 20  # bytes: with less DuckDB cannot start


@contextmanager
def connected(memory: str | None = None, temp: Any = None) -> Iterator["DuckDB"]:
    """Open a database; raise its failures as errors that users can act on."""
    try:
        with database(memory, temp) as con:
            yield con
    except QueryError as error:
        raise _explained(error) from None
    except (duckdb.InterruptException, RuntimeError) as error:
        if "interrupt" not in str(error).lower():
            raise
        raise KeyboardInterrupt from None


@contextmanager
def database(memory: str | None = None, temp: Any = None) -> Iterator["DuckDB"]:
    """Open an empty database that spills to disk beyond `memory` and never uses the network."""
    with temporary_folder(_folder(temp)) as spill:
        con = duckdb.connect(
            config={
                "temp_directory": spill,
                "preserve_insertion_order": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            }
        )
        con.execute("set enable_progress_bar = false").fetchall()  # it would print to stdout
        if memory is not None:
            _limit(con, memory)
        # Without trim, DuckDB would cast while it reads the file, and fail instead of giving null.
        con.execute("create temp macro number(text) as try_cast(trim(text) as double)").fetchall()
        # The inner hash is the id's, xor the round's: by itself it would order alike in all rounds.
        con.execute("create temp macro scattered(id, round) as hash(hash(id, round))").fetchall()
        try:
            yield DuckDB(con)
        finally:
            con.close()


class DuckDB:
    """The `Engine` of a database inside the process."""

    is_cluster = False

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._opened = 0

    def open(self, table: Any) -> Opened:
        self._opened += 1
        name = f"opened_{self._opened}"
        if isinstance(table, Table) and table.format in DATABASES:
            self._copy_rows(name, table)
        elif isinstance(table, Table):
            if table.format == "json":
                table = replace(table, names=self._fields(table))
            what = "table" if table.at_once else "view"
            self._run(f"create temp {what} {name} as select * from {_reader(table)}")
            if table.names:  # to ask takes seconds where columns are many
                return Opened(name, dict.fromkeys(table.names, "VARCHAR"))
        elif isinstance(table, Lists):
            self._copy(name, table)
        else:
            with _translated():
                self._con.register(name, table)
        return Opened(name, self._columns(name))

    def _copy(self, table: str, lists: Lists) -> None:
        """Hand lists over as parameters: pyarrow, and the pandas that it loads, take 0.4 s."""
        columns = [f"unnest(?::varchar[]) as {name}" for name in lists.text]
        columns += [f"unnest(?::bigint[]) as {name}" for name in lists.whole]
        values = [list(column) for column in (*lists.text.values(), *lists.whole.values())]
        self._run(f"create temp table {table} as select {', '.join(columns)}", values)

    def _copy_rows(self, name: str, table: Table) -> None:
        """Copy a table out of another database, so that both need not stay open."""
        with rows_in(table) as rows, _translated():
            self._con.register("rows_read", rows)
            try:
                self._con.execute(f"create temp table {name} as select * from rows_read").fetchall()
            finally:
                self._con.unregister("rows_read")

    def _fields(self, table: Table) -> list[str]:
        """The names in lines of JSON, those of the longest line first."""
        lines = f"read_json_objects({_paths(table)}, {_as_lines(table)})"
        kinds = self._run(f"select distinct json_type(json), json_keys(json) from {lines}")
        if any(kind != "OBJECT" for kind, _ in kinds):
            raise QueryError("a line is no JSON object")
        if any(len({*names}) < len(names) for _, names in kinds):
            raise QueryError("a line has a name twice")
        each = sorted((names for _, names in kinds), key=lambda names: (-len(names), names))
        names = [name for name in dict.fromkeys(chain.from_iterable(each)) if name]
        if len({name.lower() for name in names}) < len(names) or not names:
            raise QueryError("its lines have no names, or some that differ by case alone")
        return names

    def _columns(self, name: str) -> Mapping[str, str]:
        return {row[0]: row[1] for row in self.rows(f"describe select * from {name}")}

    def keep(self, table: str, sql: str, *, settled: bool = False) -> None:
        self._run(f"create or replace temp table {table} as {sql}")

    def drop(self, table: str) -> None:
        self._run(f"drop table if exists {table}")

    def rows(self, sql: str) -> list[Any]:
        return self._run(sql)

    def arrow(self, sql: str) -> Any:
        with _translated():
            return self._con.sql(sql, alias="selected").to_arrow_table()

    def batches(self, sql: str) -> Iterator[Any]:
        with _translated():
            yield from self._con.sql(sql, alias="selected").to_arrow_reader(BATCH)

    def digests(
        self, scan: str, columns: Mapping[str, str], numbers: Collection[str], *, few: bool = False
    ) -> list[Chunk]:
        selected = ", ".join(f"{sql} as {name}" for name, sql in columns.items())
        order = ", ".join(f"{name} nulls first" for name in columns)
        sql = f"select {selected} from {scan} order by {order}"
        return digests_of_few(self.rows(sql)) if few else chunk_digests(self.batches(sql))

    def _run(self, sql: str, values: list[list[Any]] | None = None) -> list[Any]:
        with _translated():
            return self._con.execute(sql, values).fetchall()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (duckdb.InterruptException, duckdb.InternalException):
        raise
    except duckdb.Error as error:
        is_full = isinstance(error, duckdb.IOException) and any(s in str(error) for s in FULL)
        fatal = is_full or isinstance(error, duckdb.OutOfMemoryException)
        raise QueryError(str(error), fatal=fatal) from error


def _explained(failure: QueryError) -> BaseException:
    """An error that names what the machine lacks.

    Any other failure is a mistake of ours, so DuckDB's own error is returned.
    """
    cause = failure.__cause__
    if failure.fatal or isinstance(cause, duckdb.IOException):
        reason = str(failure).splitlines()[0]
        if any(sign in str(failure) for sign in FULL):
            return EngineError(
                f"the disk is full where what exceeds memory is kept: {reason} Free space there, "
                "or choose another folder with --temp."
            )
        return EngineError(
            f"the engine gave up: {reason} Give it more --memory, or free memory or disk space."
        )
    return failure if cause is None else cause


def _reader(table: Table) -> str:
    """SQL that reads files. CSV and JSON are read as text, so that 007 keeps its zeros.

    The path is absolute, because DuckDB takes `~`, `file:` and `s3:` at its start for other places.
    """
    paths = _paths(table)
    if table.format == "parquet":
        return f"read_parquet({paths}, hive_partitioning = false)"
    columns = ", ".join(f"{_literal(name)}: 'VARCHAR'" for name in table.names)
    if table.format == "json":
        return f"read_json({paths}, columns = {{{columns}}}, {_as_lines(table)})"
    return (
        f"read_csv({paths}, columns = {{{columns}}}, delim = {_literal(table.delimiter)}, "
        "quote = '\"', escape = '\"', header = true, auto_detect = false, "
        f"compression = '{table.compression}', hive_partitioning = false, "
        f"max_line_size = {LONGEST_LINE})"
    )


def _as_lines(table: Table) -> str:
    return (
        f"format = 'newline_delimited', compression = '{table.compression}', "
        "hive_partitioning = false"
    )


def _paths(table: Table) -> str:
    """SQL for the paths of a table's files."""
    paths = [_literal(glob.escape(str(file))) for file in table.files]
    return paths[0] if len(paths) == 1 else f"[{', '.join(paths)}]"


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _folder(temp: Any) -> str | None:
    if temp is None:
        return None
    try:
        with tempfile.TemporaryFile(dir=os.fspath(temp) or os.devnull):  # 5 would be a file
            return str(Path(temp))
    except (OSError, TypeError, ValueError):
        raise InputError(
            f"temp must be a folder that can be written to, got {str(temp)!r}. Make it first."
        ) from None


def _limit(con: duckdb.DuckDBPyConnection, memory: str) -> None:
    try:
        con.execute("set memory_limit = ?", [memory]).fetchall()
        ((size,),) = con.execute("select parse_formatted_bytes(?)", [memory]).fetchall()
        if size < LEAST:
            raise duckdb.InvalidInputException
        con.execute(f"set memory_limit = '{int(size * SHARE)}B'").fetchall()
    except duckdb.Error:
        con.close()
        raise InputError(
            f"memory must be a size with its unit, of at least {LEAST >> 20}MiB, got {memory!r}. "
            "Give for example 8GB."
        ) from None
