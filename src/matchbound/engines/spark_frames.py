"""Users' tables as Spark frames. Local files are read by DuckDB, so that both engines agree.

Parquet alone is read by Spark itself.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.engines.duckdb import database
from matchbound.engines.engine import QueryError, Table
from matchbound.files import resolved

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType

MEGABYTES = 100  # that a driver can hand to its executors without a change of Spark's settings
LOGS = ("_delta_log", "metadata", ".hoodie")  # folders of Delta, Iceberg and Hudi tables
DUCKDB_TYPES = {
    "void": '"NULL"',
    "int": "INTEGER",
    "binary": "BLOB",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
}


def column_types(frame: "DataFrame") -> dict[str, str]:
    """The columns and their types, in DuckDB's spelling."""
    return {field.name: _duckdb_type(field.dataType) for field in frame.schema.fields}


def _duckdb_type(spark_type: "DataType") -> str:
    from pyspark.sql.types import StringType

    name = spark_type.simpleString()
    is_text = isinstance(spark_type, StringType)
    return "VARCHAR" if is_text else DUCKDB_TYPES.get(name, name.upper())


def as_utf8(frame: "DataFrame") -> "DataFrame":
    """Make text compare by its bytes, whatever the table's collation; refuse invalid UTF-8."""
    from pyspark.sql import functions as sql

    columns = []
    for name, duckdb_type in column_types(frame).items():
        column = frame[quoted(name)]
        if duckdb_type == "VARCHAR":
            column = sql.validate_utf8(column.cast("string")).alias(name)
        columns.append(column)
    return frame.select(*columns)


def quoted(name: str) -> str:
    """Quote a name for calls of Spark's API; its SQL takes double quotes, as DuckDB's does."""
    return "`" + name.replace("`", "``") + "`"


def read_local(table: Table) -> Any:
    """Read files by DuckDB, as an Arrow table: Spark would misread malformed CSV silently."""
    _refuse_large(sum(file.stat().st_size for file in table.files))
    with database() as reader:
        return reader.arrow(f"select * from {reader.open(table).scan}")


def _refuse_large(size: int) -> None:
    if size > MEGABYTES << 20:
        raise QueryError(
            f"Spark is handed no more than {MEGABYTES} MB: write Parquet where it can read it"
        )


def handed_over(table: Any) -> Any:
    """Cast an Arrow table's columns to types that Spark has, without loss."""
    import pyarrow as pa

    _refuse_large(table.nbytes)
    for i, field in enumerate(table.schema):
        if getattr(field.type, "extension_name", "") == "arrow.uuid":
            texts = [None if one is None else str(one) for one in table.column(i).to_pylist()]
            table = table.set_column(i, field.name, pa.array(texts, pa.string()))
    fields = [pa.field(field.name, _common(field.type)) for field in table.schema]
    return table.cast(pa.schema(fields))


def _common(arrow_type: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(arrow_type):
        return _common(arrow_type.value_type)
    if arrow_type in (pa.uint8(), pa.uint16(), pa.uint32()):
        return pa.int64()
    if arrow_type in (pa.uint64(), pa.string_view(), pa.large_string()):
        return pa.string()
    return pa.float32() if arrow_type == pa.float16() else arrow_type


def read_parquet(session: "SparkSession", *paths: Path | str) -> "DataFrame":
    """Read all columns of the files, but none from names of folders such as a=1."""
    reader = session.read.option("recursiveFileLookup", "true").option("mergeSchema", "true")
    return reader.parquet(*map(_uri, paths))


def read_folder(session: "SparkSession", path: Path | str) -> "DataFrame":
    """Read a folder of Parquet; refuse it if its files alone are not the table.

    A folder's name may hold a column (a=1), and a table of Delta, Iceberg or Hudi has old versions.
    """
    root = _uri(path).rstrip("/")
    if any(_exists(session, f"{root}/{log}") for log in LOGS):
        raise QueryError("it is a Delta, Iceberg or Hudi table: give its name in the catalogue")
    frame = read_parquet(session, path)
    in_root = sum("=" in folder for folder in root.split("/"))
    for file in frame.inputFiles():
        if sum("=" in folder for folder in file.split("/")[:-1]) > in_root:
            raise QueryError("folders name a column (as in a=1): give its name in the catalogue")
    return frame


def _exists(session: "SparkSession", path: str) -> bool:
    from pyspark.errors import AnalysisException

    try:
        session.read.text(path)
    except AnalysisException as error:
        return error.getCondition() != "PATH_NOT_FOUND"
    return True


def _uri(path: Path | str) -> str:
    """A path's URI for Hadoop, with characters escaped that Hadoop would read as a pattern."""
    if isinstance(path, str):
        return path
    return "file:" + "".join(f"\\{c}" if c in "\\{}[]*?" else c for c in str(resolved(path)))
