"""Spark: the same SQL, run where the data are."""

import secrets
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from matchbound.engines.duckdb import database
from matchbound.engines.engine import Chunk, Lists, Opened, QueryError, Table
from matchbound.engines.spark_digests import chunk_digests
from matchbound.engines.spark_frames import (
    as_utf8,
    column_types,
    handed_over,
    read_folder,
    read_local,
    read_parquet,
)
from matchbound.engines.spark_session import quiet, session_of
from matchbound.errors import EngineError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SETTINGS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",  # as in standard SQL, and in DuckDB
    "spark.sql.caseSensitive": "false",
    "spark.sql.files.ignoreCorruptFiles": "false",  # rows would be missing without an error
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.legacy.consecutiveStringLiterals.enabled": "false",
    "spark.sql.legacy.parquet.nanosAsLong": "true",  # never read, so no reason to fail
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.variable.substitute": "false",
}
PARTITIONS = "spark.sql.shuffle.partitions"
DIGITS = "([0-9]+[.]?[0-9]*|[.][0-9]+)(e[+-]?[0-9]+)?"
TRIMMED = "trim(both concat(' ', chr(9), chr(10), chr(11), chr(12), chr(13)) from text)"
FUNCTIONS = (
    "sha256(text string) returns string return sha2(text, 256)",
    # The pattern excludes 1d and 0x1p3, which Java would read as numbers too.
    "number(text string) returns double return "
    f"case when lower({TRIMMED}) rlike '^[+-]?({DIGITS}|inf|infinity|nan)$' "
    f"then try_cast({TRIMMED} as double) end",
    "scattered(id string, round int) returns bigint return xxhash64(id, round)",
)
FATAL = (  # words by which a message of Spark shows that no other input would help
    "ExecutorLostFailure",
    "No space left",
    "OutOfMemoryError",
    "Java heap space",
    "SparkContext",
    "cancelled",
    "maxResultSize",
)


@contextmanager
def connected(engine: Any) -> Iterator["Spark"]:
    """Open a session of our own beside the user's, beside the active one, or in a new Spark."""
    with session_of(engine) as session, quiet():
        con: Spark | None = None
        try:
            con = Spark(session)
            yield con
        except QueryError as error:
            raise EngineError(f"Spark gave up: {error}. Look into its log.") from None
        finally:
            if con is not None:
                con.close()


class Spark:
    """The `Engine` of a Spark cluster.

    Tables are views in a session of our own, so that they hide nothing in the user's session and
    our settings do not change it. `own` is the user's session.
    """

    is_cluster = True

    def __init__(self, own: "SparkSession") -> None:
        self._own = own
        self._kept: dict[str, DataFrame] = {}
        self._settled: list[tuple[str, Any]] = []
        self._shared: list[str] = []
        self._opened = 0
        self._local: dict[str, Any] = {}
        with _translated():
            self._session = own.newSession()
            partitions = {PARTITIONS: str(own.conf.get(PARTITIONS))}
            for name, value in (SETTINGS | partitions).items():
                self._session.conf.set(name, value)
            for function in FUNCTIONS:
                self._session.sql(f"create temporary function {function}")

    def open(self, table: Any) -> Opened:
        self._opened += 1
        name = f"opened_{self._opened}"
        with _translated():
            frame = self._frame(table)
            types = column_types(frame)
            as_utf8(frame).createOrReplaceTempView(name)
        if not isinstance(table, Table) or table.is_local:
            self._local[name] = table
        return Opened(name, types)

    def _frame(self, table: Any) -> "DataFrame":
        if isinstance(table, Lists):
            return self._session.createDataFrame(handed_over(table.as_arrow()))
        if not isinstance(table, Table):
            return self._session.createDataFrame(handed_over(table))
        if table.format == "parquet":
            return read_parquet(self._session, *table.files)
        if table.is_local:
            return self._session.createDataFrame(handed_over(read_local(table)))
        if table.format == "folder":
            return read_folder(self._session, table.location)
        if isinstance(table.location, str):
            return self._shared_with_us(self._own.table(table.location))
        return self._shared_with_us(table.location)

    def _shared_with_us(self, frame: Any) -> "DataFrame":
        """Pass a frame of the user's session to ours by a global view; sessions share no other."""
        name = f"matchbound_{secrets.token_hex(8)}"
        frame.createGlobalTempView(name)
        self._shared.append(name)
        return self._session.table(f"{self._own.conf.get('spark.sql.globalTempDatabase')}.{name}")

    def keep(self, table: str, sql: str, *, settled: bool = False) -> None:
        with _translated():
            frame, before = self._session.sql(sql), self._kept.get(table)
            frame = self._checkpointed(table, frame) if settled else frame.persist()
            self._kept[table] = frame
            if not settled:
                frame.count()  # read it now, so that a failure is raised here
            frame.createOrReplaceTempView(table)
            if before is not None:
                before.unpersist()

    def drop(self, table: str) -> None:
        with _translated():
            if table in self._kept:
                self._kept.pop(table).unpersist()
                self._session.catalog.dropTempView(table)
            for _, rows in [kept for kept in self._settled if kept[0] == table]:
                rows.unpersist(False)
            self._settled = [kept for kept in self._settled if kept[0] != table]

    def _checkpointed(self, table: str, frame: "DataFrame") -> "DataFrame":
        """Write the frame to the session's checkpoint folder, or else to the executors' disks.

        The frame's rows are checkpointed, not the frame: a checkpointed frame confuses its columns
        when it is joined with itself.
        """
        from pyspark.sql import DataFrame

        java: Any = self._session._jsparkSession
        rows: Any = frame._jdf.rdd()
        if self._session.sparkContext.getCheckpointDir() is None:
            rows.localCheckpoint()
        else:
            rows.checkpoint()
        rows.count()
        self._settled.append((table, rows))
        return DataFrame(java.createDataFrame(rows, frame._jdf.schema()), self._session)

    def rows(self, sql: str) -> list[Any]:
        with _translated():
            return [tuple(row) for row in self._session.sql(sql).collect()]

    def arrow(self, sql: str) -> Any:
        with _translated():
            return self._session.sql(sql).toArrow()

    def batches(self, sql: str) -> Iterator[Any]:
        yield from self.arrow(sql).to_batches()

    def digests(
        self, scan: str, columns: Mapping[str, str], numbers: Collection[str], *, few: bool = False
    ) -> list[Chunk]:
        """Digest local tables in DuckDB, which is faster for small ones, and others in Spark."""
        if scan in self._local:
            with database() as reader:
                return reader.digests(reader.open(self._local[scan]).scan, columns, numbers)
        with _translated():
            return chunk_digests(self._session, scan, columns, numbers)

    def close(self) -> None:
        with suppress(Exception):  # a dead session has nothing to free
            for frame in self._kept.values():
                frame.unpersist()
            for _, rows in self._settled:
                rows.unpersist(False)
            for name in self._shared:
                self._own.catalog.dropGlobalTempView(name)


@contextmanager
def _translated() -> Iterator[None]:
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        java = getattr(error, "java_exception", None)
        text = str(error) if java is None else str(java.getMessage())
        raise QueryError(_sentence(text), fatal=any(sign in text for sign in FATAL)) from error
    except (Py4JError, ConnectionError) as error:
        raise QueryError("its Java process does not answer", fatal=True) from error


def _sentence(text: str) -> str:
    first = (text.strip() or "it gave no reason").splitlines()[0]
    return " ".join(first.split())[:160].rstrip(". ")
