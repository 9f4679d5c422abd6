"""Connect to an engine, and run the queries that are in the rooms' `sql/` folders."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from matchbound.engines.engine import Engine, Lists
from matchbound.errors import InputError

Progress = Callable[[str], None]
"""A function that takes a few words on what a long command is doing now."""


@contextmanager
def connect(
    engine: Any = "duckdb", memory: str | None = None, temp: Any = None
) -> Iterator[Engine]:
    """Connect to DuckDB, which spills beyond `memory` to the folder `temp`, or to Spark.

    `engine` is "duckdb", "spark" or a SparkSession.
    """
    if engine == "duckdb":
        from matchbound.engines.duckdb import connected as duckdb

        with duckdb(memory, temp) as con:
            yield con
        return
    if engine != "spark" and not hasattr(engine, "newSession"):
        raise InputError(
            f"engine must be duckdb, spark or a SparkSession, got {engine!r}. Choose one of them."
        )
    for name, value, setting in (
        ("memory", memory, "spark.driver.memory and spark.executor.memory"),
        ("temp", temp, "spark.local.dir"),
    ):
        if value is not None:
            raise InputError(
                f"{name} must be left out with Spark, got {str(value)!r}: it is for the session to "
                f"say. Set {setting} there."
            )
    from matchbound.engines.spark import connected as spark

    with spark(engine) as con:
        yield con


@dataclass(frozen=True)
class Resources:
    """What to compute with: the arguments of `connect`, and whom to tell the stages."""

    engine: Any = "duckdb"
    memory: str | None = None
    temp: Any = None
    progress: Progress = lambda _: None

    def connect(self) -> AbstractContextManager[Engine]:
        return connect(self.engine, self.memory, self.temp)


def query(con: Engine, name: str, **parts: str | int) -> list[Any]:
    """Return the rows of `<room>/sql/<query>.sql`.

    `parts` are names and numbers of our own. Text of users must not be among them: it would be run.
    """
    return con.rows(sql(name, **parts))


def keep(con: Engine, table: str, name: str, settled: bool = False, **parts: str | int) -> None:
    """Keep the rows of `<room>/sql/<query>.sql` as a table."""
    con.keep(table, sql(name, **parts), settled=settled)


def view(con: Engine, table: str, name: str, **parts: str | int) -> None:
    """Create a view of `<room>/sql/<query>.sql`: its rows are computed whenever they are read."""
    con.rows(f"create or replace temp view {table} as {sql(name, **parts)}")


def lend(
    con: Engine,
    table: str,
    text: Mapping[str, Sequence[str | None]],
    whole: Mapping[str, Sequence[int | None]] | None = None,
) -> None:
    """Keep Python lists as a small table: columns of text and of whole numbers."""
    con.keep(table, f"select * from {con.open(Lists(text, whole or {})).scan}")


def sql(name: str, **parts: str | int) -> str:
    """The text of `<room>/sql/<query>.sql`, with its parts put in."""
    room, _, query = name.partition("/")
    path = files("matchbound") / room / "sql" / f"{query}.sql"
    return path.read_text("utf-8").format(**parts)
