"""DuckDB inside the process: the one place that knows it. Queries are in `sql/`, each once."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from matchbound.errors import EngineError, InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@contextmanager
def connect(memory: str | None = None) -> Iterator["DuckDBPyConnection"]:
    """A database of its own, that spills beyond `memory` and never reaches the network."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="matchbound-") as spill:
        config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": spill,
            "preserve_insertion_order": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        if memory is not None:
            config["memory_limit"] = memory
        try:
            con = duckdb.connect(config=config)
        except duckdb.Error:
            raise InputError(
                f"memory must be a size with its unit, got {memory!r}. Give for example 8GB."
            ) from None
        try:
            yield con
        except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
            reason = str(error).splitlines()[0]
            raise EngineError(f"the engine gave up: {reason} Free memory or disk space.") from None
        finally:
            con.close()


def query(con: "DuckDBPyConnection", name: str, **parts: str | int) -> list[Any]:
    """The rows of `sql/<name>.sql`; `parts` are names and numbers of ours, never a user's text."""
    return con.execute(_sql(name, parts)).fetchall()


def keep(con: "DuckDBPyConnection", table: str, name: str, **parts: str | int) -> None:
    """The rows of `sql/<name>.sql`, kept as a table."""
    con.execute(f"create or replace temp table {table} as {_sql(name, parts)}").fetchall()


def _sql(name: str, parts: dict[str, str | int]) -> str:
    return (files("matchbound") / "sql" / f"{name}.sql").read_text("utf-8").format(**parts)
