"""Spark on this machine, if Java and pyspark are here."""

import os
import shutil
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

HOME = os.environ.get("JAVA_HOME")
JAVA = shutil.which("java") or (HOME and (Path(HOME) / "bin/java").is_file())
MISSING = [name for name, found in (("Java", JAVA), ("pyspark", find_spec("pyspark"))) if not found]
needs_spark = pytest.mark.skipif(
    bool(MISSING) and "spark" not in os.environ.get("MATCHBOUND_NEEDS", ""),
    reason=f"needs {' and '.join(MISSING)}",
)
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
SMALL = {
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
UNPLANNED = {  # small queries spend their time on being planned and compiled
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@contextmanager
def spark(master, folder, **settings):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).config(map=SMALL | settings)
    session = builder.config("spark.sql.warehouse.dir", str(folder)).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
