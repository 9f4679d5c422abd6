"""What an engine is: it opens a user's table, keeps a query's result, and gives a query's rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Table:
    """A user's table before it is opened: a file of a kind, or what is in a cluster, by its name.

    `names` and `delimiter` are those of a CSV's header.
    """

    place: Any
    kind: str  # csv, parquet, folder (of Parquet) or name
    names: Sequence[str] = ()
    delimiter: str = ","


@dataclass(frozen=True)
class Lists:
    """A small table of Python's own: columns of text and of whole numbers, where None is null."""

    text: Mapping[str, Sequence[str | None]]
    whole: Mapping[str, Sequence[int | None]]

    def as_arrow(self) -> Any:
        import pyarrow as pa

        columns = {name: pa.array(values, pa.string()) for name, values in self.text.items()}
        columns |= {name: pa.array(values, pa.int64()) for name, values in self.whole.items()}
        return pa.table(columns)


@dataclass(frozen=True)
class Opened:
    """SQL to scan a user's table, its columns and their types, spelled as DuckDB spells them."""

    scan: str
    columns: Mapping[str, str]


class QueryError(Exception):
    """What an engine could not do, in its own words; `fatal` if no other input would help."""

    def __init__(self, reason: str, *, fatal: bool = False) -> None:
        super().__init__(reason)
        self.fatal = fatal


class Engine(Protocol):
    """Every method raises `QueryError`. SQL is what both DuckDB and Spark read alike, with the two
    functions that they spell differently: `sha256(text)`, and `number(text)`, null if it is none.
    """

    is_cluster: bool  # whether it knows tables by names in a catalogue, and frames of its own

    def open(self, given: Any) -> Opened:
        """A `Table`, an Arrow table or `Lists`, under a name that nothing else has."""
        ...

    def keep(self, table: str, sql: str, *, settled: bool = False) -> None:
        """The result of a query, until the end; it may read an older table of that name.

        `settled`: how it came about is forgotten, without which rounds would take ever longer.
        """
        ...

    def rows(self, sql: str) -> list[Any]:
        """The result of a query, as tuples."""
        ...

    def arrow(self, sql: str) -> Any:
        """The same as an Arrow table."""
        ...

    def batches(self, sql: str) -> Iterator[Any]:
        """The same as Arrow record batches, one after the other."""
        ...
