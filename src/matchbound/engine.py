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
        con = duckdb.connect(
            config={
                "temp_directory": spill,
                "preserve_insertion_order": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            }
        )
        con.execute("set enable_progress_bar = false").fetchall()  # it would go to stdout
        if memory is not None:
            _limit(con, memory)
        try:
            yield con
        except (duckdb.OutOfMemoryException, duckdb.IOException) as error:
            reason = str(error).splitlines()[0]
            raise EngineError(f"the engine gave up: {reason} Free memory or disk space.") from None
        except (duckdb.InterruptException, RuntimeError) as error:
            if "interrupt" not in str(error).lower():
                raise
            raise KeyboardInterrupt from None
        finally:
            con.close()


def _limit(con: "DuckDBPyConnection", memory: str) -> None:
    import duckdb

    try:
        con.execute("set memory_limit = ?", [memory]).fetchall()
    except duckdb.Error:
        con.close()
        raise InputError(
            f"memory must be a size with its unit, got {memory!r}. Give for example 8GB."
        ) from None


def query(con: "DuckDBPyConnection", name: str, **parts: str | int) -> list[Any]:
    """The rows of `sql/<name>.sql`; `parts` are names and numbers of ours, never a user's text."""
    return con.execute(_sql(name, parts)).fetchall()


def keep(con: "DuckDBPyConnection", table: str, name: str, **parts: str | int) -> None:
    """The rows of `sql/<name>.sql`, kept as a table."""
    con.execute(f"create or replace temp table {table} as {_sql(name, parts)}").fetchall()


def view(con: "DuckDBPyConnection", table: str, name: str, **parts: str | int) -> None:
    """The rows of `sql/<name>.sql`, found whenever they are asked for."""
    con.execute(f"create or replace temp view {table} as {_sql(name, parts)}").fetchall()


def _sql(name: str, parts: dict[str, str | int]) -> str:
    return (files("matchbound") / "sql" / f"{name}.sql").read_text("utf-8").format(**parts)
