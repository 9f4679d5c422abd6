"""A Spark session: the user's, or one made here and stopped again."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from matchbound.errors import EngineError, InputError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# The master is Spark's to know: local[*], unless spark-submit or spark-defaults.conf say another.
STARTED = {
    "spark.app.name": "matchbound",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@contextmanager
def session_of(given: Any) -> Iterator["SparkSession"]:
    """The session given, the one that is active if the word is `spark`, or a new one."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise EngineError(
            "the engine spark needs pyspark, which is not installed. "
            "Run `pip install matchbound[spark]`."
        ) from None
    known = given if given != "spark" else SparkSession.getActiveSession()
    if known is not None:
        if not isinstance(known, SparkSession):
            raise InputError(
                "engine must be duckdb, spark or a SparkSession that is not remote, "
                f"got {type(known).__name__} of {type(known).__module__}. Choose one of them."
            )
        yield known
        return
    # Spark makes this folder where it is started, though nothing is stored in it.
    with tempfile.TemporaryDirectory(prefix="matchbound-") as warehouse:
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
    session.sparkContext.setLogLevel("OFF")  # what fails is raised, and told in one sentence
    return session


@contextmanager
def quiet() -> Iterator[None]:
    """PySpark would print every error that it raises."""
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
