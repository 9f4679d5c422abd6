"""The engines that run SQL: DuckDB inside the process, or Spark. Queries are in `<room>/sql/`."""

from matchbound.engines.connection import (
    Progress,
    Resources,
    connect,
    keep,
    lend,
    query,
    sql,
    view,
)
from matchbound.engines.engine import Engine, QueryError, Table

__all__ = [
    "Engine",
    "Progress",
    "QueryError",
    "Resources",
    "Table",
    "connect",
    "keep",
    "lend",
    "query",
    "sql",
    "view",
]
