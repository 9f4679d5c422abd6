"""What an engine is: it opens a user's table, keeps a query's result, and gives a query's rows."""

from collections.abc import Collection, Iterator, Mapping, Sequence
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


CHUNK = 65_536
"""Rows that are digested together."""
Chunk = tuple[int, bytes]
"""How many rows a chunk has, and their SHA-256."""


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

    def digests(
        self, scan: str, columns: Mapping[str, str], numbers: Collection[str]
    ) -> list[Chunk]:
        """Sort an opened table's rows by columns, nulls first, each row once; digest every chunk.

        Columns are SQL by name: text, sorted by its bytes, or `numbers`, doubles without −0.
        Digested are the number of rows and, for each column: a byte for each row, 1 if it is null;
        for text its length in bytes; the values, of numbers the bits of a 64-bit float, 0 for null.
        Numbers take 8 bytes, the highest first; there is one NaN. Each part's length follows from
        those before it, so that no two chunks of the same columns have the same bytes.
        """
        ...
