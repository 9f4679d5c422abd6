"""Open what a user gives: a path, an object that exports Arrow, or a table of a cluster."""

import os
from pathlib import Path
from typing import Any

from matchbound.engines import Engine, QueryError, Table
from matchbound.errors import InputError, MatchboundError
from matchbound.files import is_folder
from matchbound.tables.formats import refuse_repeated_names
from matchbound.tables.local import is_local, open_local
from matchbound.tables.objects import as_table, collected, is_lazy
from matchbound.tables.sources import Source


def open_source(con: Engine, argument: str, table: Any, *, hashed: bool = True) -> Source:
    """Open a path, an object with `__arrow_c_stream__`, or a table of a cluster.

    `hashed` computes the digest of a file's bytes.
    """
    if con.is_cluster and hasattr(table, "createGlobalTempView"):  # a Spark frame
        return _open_in_cluster(con, argument, None, Table(table, "name"))
    if isinstance(table, str | os.PathLike):
        if not os.fspath(table):  # a path of nothing would be the current folder
            raise InputError(f"{argument} must be a path, got ''. Say which table.")
        if con.is_cluster and not is_local(Path(table)):
            return _open_in_cluster(con, argument, *_table_of_cluster(os.fspath(table)))
        return open_local(con, argument, Path(table), hashed=hashed)
    try:
        table = as_table(table)
    except (TypeError, ValueError, OverflowError) as error:  # Arrow's errors are subclasses
        raise InputError(
            f"{argument} must have ids of one type, got an error ({error}). Convert them to text."
        ) from None
    if not (hasattr(table, "__arrow_c_stream__") or is_lazy(table)):
        raise InputError(
            f"{argument} must be a path or a table (pandas, Polars, Arrow, DuckDB), "
            f"got {type(table).__name__}. Convert it to one of these."
        )
    return _open_object(con, argument, table)


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


def _open_object(con: Engine, argument: str, stream: Any) -> Source:
    import pyarrow as pa

    try:
        table = pa.RecordBatchReader.from_stream(collected(stream)).read_all()
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
