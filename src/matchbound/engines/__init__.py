"""The engines that run SQL: DuckDB inside the process, or Spark. Queries are in `<room>/sql/`."""

from matchbound.engines.connection import (
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
