"""Users' tables as Spark reads them: what is local is read as DuckDB reads it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.engines.duckdb import database
from matchbound.engines.engine import QueryError, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType

MEGABYTES = 100  # what a driver hands to its executors without a setting of its own
LOGS = ("_delta_log", "metadata", ".hoodie")
KINDS = {
    "void": '"NULL"',
    "int": "INTEGER",
    "binary": "BLOB",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
}


def kinds_of(frame: "DataFrame") -> dict[str, str]:
    """The columns and their types, as DuckDB calls them."""
    return {field.name: _kind(field.dataType) for field in frame.schema.fields}


def _kind(kind: "DataType") -> str:
    from pyspark.sql.types import StringType

    name = kind.simpleString()
    return "VARCHAR" if isinstance(kind, StringType) else KINDS.get(name, name.upper())


def as_utf8(frame: "DataFrame") -> "DataFrame":
    """Text is compared by its bytes, whatever the table's collation; what is no text is refused."""
    from pyspark.sql import functions as sql

    columns = []
    for name, kind in kinds_of(frame).items():
        column = frame[quoted(name)]
        if kind == "VARCHAR":
            column = sql.validate_utf8(column.cast("string")).alias(name)
        columns.append(column)
    return frame.select(*columns)


def quoted(name: str) -> str:
    """As Spark's own calls quote names; in SQL ours are quoted as everywhere."""
    return "`" + name.replace("`", "``") + "`"


def read_csv(table: Table) -> Any:
    """An Arrow table, read here by DuckDB: Spark takes what is malformed for something else."""
    _refuse_large(table.place.stat().st_size)
    with database() as reader:
        return reader.arrow(f"select * from {reader.open(table).scan}")


def _refuse_large(size: int) -> None:
    if size > MEGABYTES << 20:
        raise QueryError(
            f"Spark is handed no more than {MEGABYTES} MB: write Parquet where it can read it"
        )


def handed_over(table: Any) -> Any:
    """An Arrow table without the types that Spark lacks, each as one that holds the same."""
    import pyarrow as pa

    _refuse_large(table.nbytes)
    fields = [pa.field(field.name, _common(field.type)) for field in table.schema]
    return table.cast(pa.schema(fields))


def _common(kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _common(kind.value_type)
    if kind in (pa.uint8(), pa.uint16(), pa.uint32()):
        return pa.int64()
    if kind in (pa.uint64(), pa.string_view(), pa.large_string()):
        return pa.string()
    return pa.float32() if kind == pa.float16() else kind


def read_parquet(session: "SparkSession", place: Path | str) -> "DataFrame":
    """All of its columns, and none that its folders' names tell."""
    reader = session.read.option("recursiveFileLookup", "true").option("mergeSchema", "true")
    return reader.parquet(_uri(place))


def read_folder(session: "SparkSession", place: Path | str) -> "DataFrame":
    """Refused if its files alone are not the table: there are columns or versions beside them."""
    root = _uri(place).rstrip("/")
    if any(_exists(session, f"{root}/{log}") for log in LOGS):
        raise QueryError("it is a Delta, Iceberg or Hudi table: give its name in the catalogue")
    frame = read_parquet(session, place)
    named = sum("=" in folder for folder in root.split("/"))
    for file in frame.inputFiles():
        if sum("=" in folder for folder in file.split("/")[:-1]) > named:
            raise QueryError("folders name a column (as in a=1): give its name in the catalogue")
    return frame


def _exists(session: "SparkSession", place: str) -> bool:
    from pyspark.errors import AnalysisException

    try:
        session.read.text(place)
    except AnalysisException as error:
        return error.getCondition() != "PATH_NOT_FOUND"
    return True


def _uri(place: Path | str) -> str:
    """Where a file is, for Hadoop, which would take some characters of its name for a pattern."""
    if isinstance(place, str):
        return place
    return "file:" + "".join(f"\\{c}" if c in "\\{}[]*?" else c for c in str(place.resolve()))
