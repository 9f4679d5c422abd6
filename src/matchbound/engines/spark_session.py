"""A Spark session: the user's, or one that is started here and stopped at the end."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from matchbound.errors import EngineError, InputError
from matchbound.files import temporary_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The master is left to Spark: local[*], unless spark-submit or spark-defaults.conf set another.
STARTED = {
    "spark.app.name": "matchbound",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@contextmanager
def session_of(engine: Any) -> Iterator["SparkSession"]:
    """Yield the user's session; for "spark" the active session, or else a new one."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise EngineError(
            "the engine spark needs pyspark, which is not installed. "
            "Run `pip install matchbound[spark]`."
        ) from None
    existing = engine if engine != "spark" else SparkSession.getActiveSession()
    if existing is not None:
        if not isinstance(existing, SparkSession):
            raise InputError(
                "engine must be duckdb, spark or a SparkSession that is not remote, "
                f"got {type(existing).__name__} of {type(existing).__module__}. "
                "Choose one of them."
            )
        yield existing
        return
    # Spark would create its warehouse in the current folder, though we store nothing in it.
    with temporary_folder() as warehouse:
        session = _started({**STARTED, "spark.sql.warehouse.dir": warehouse})
        try:
            yield session
        finally:
            session.stop()


def _started(settings: Mapping[str, str]) -> "SparkSession":
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    try:
        session = SparkSession.builder.config(map=dict(settings)).getOrCreate()
    except PySparkRuntimeError as error:
        raise EngineError(
            "the engine spark needs Java 17 or newer, and none could be started "
            f"({error.getCondition()}). Install it, or say where it is in JAVA_HOME."
        ) from None
    session.sparkContext.setLogLevel("OFF")  # failures are raised as one sentence instead
    return session


@contextmanager
def quiet() -> Iterator[None]:
    """Stop PySpark from printing every error that it raises."""
    from pyspark.logger import PySparkLogger

    names = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
    loggers = [PySparkLogger.getLogger(name) for name in names]
    before = [logger.disabled for logger in loggers]
    try:
        for logger in loggers:
            logger.disabled = True
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled
