"""What runs SQL: DuckDB inside the process, or Spark. Queries are in each room's `sql/`."""

from matchbound.engines.connection import (
    ROWS,
    Engine,
    Progress,
    QueryError,
    Table,
    connect,
    keep,
    lend,
    query,
    sql,
    view,
)

__all__ = [
    "ROWS",
    "Engine",
    "Progress",
    "QueryError",
    "Table",
    "connect",
    "keep",
    "lend",
    "query",
    "sql",
    "view",
]
