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
from matchbound.engines.databases import database_format, tables_in
from matchbound.engines.engine import Engine, QueryError, Table

__all__ = [
    "Engine",
    "Progress",
    "QueryError",
    "Resources",
    "Table",
    "connect",
    "database_format",
    "keep",
    "lend",
    "query",
    "sql",
    "tables_in",
    "view",
]
