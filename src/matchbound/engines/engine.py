"""The interface of an engine: it opens tables, keeps results of queries, and returns rows."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True)
class Table:
    """A user's table before it is opened: of a file, or one that the engine has by name.

    `location` is an absolute path, a tuple of them for several files that are one table, a URL, a
    name in the catalogue or a Spark frame. `names` and `delimiter` are those of a CSV's header; of
    a database, `names` are the table's schema and name. `compression` is none, gzip or zstd.
    `at_once`: its rows are read when it is opened, and never again.
    """

    location: Any
    format: str  # csv, json (lines), parquet, duckdb, sqlite, folder (of Parquet) or name
    names: Sequence[str] = ()
    delimiter: str = ","
    compression: str = "none"
    at_once: bool = False

    @property
    def files(self) -> tuple[Path, ...]:
        """Its files on this machine."""
        return self.location if isinstance(self.location, tuple) else (self.location,)

    @property
    def is_local(self) -> bool:
        """Whether it is of files on this machine; else the engine alone knows where it is."""
        return self.format not in ("folder", "name")


@dataclass(frozen=True)
class Lists:
    """A small table as Python lists: columns of text and of whole numbers, where None is null."""

    text: Mapping[str, Sequence[str | None]]
    whole: Mapping[str, Sequence[int | None]]

    def as_arrow(self) -> Any:
        import pyarrow as pa

        columns = {name: pa.array(values, pa.string()) for name, values in self.text.items()}
        columns |= {name: pa.array(values, pa.int64()) for name, values in self.whole.items()}
        return pa.table(columns)


@dataclass(frozen=True)
class Opened:
    """An opened table: its name in SQL, and its columns with their types in DuckDB's spelling."""

    scan: str
    columns: Mapping[str, str]


class QueryError(Exception):
    """An engine's failure, with the engine's message; `fatal` if no other input would help."""

    def __init__(self, reason: str, *, fatal: bool = False) -> None:
        super().__init__(reason)
        self.fatal = fatal


CHUNK = 65_536
"""The number of rows that are digested together."""
Chunk = tuple[int, bytes]
"""The number of a chunk's rows, and their SHA-256."""


class Engine(Protocol):
    """An engine. Every method raises `QueryError` if it fails.

    Queries use the SQL that DuckDB and Spark have in common, and three functions that each
    engine defines: `sha256(text)`; `number(text)`, which is null if the text is not a number; and
    `scattered(id, round)`, a number by which ids get another random order in each round.
    """

    is_cluster: bool  # whether it has a catalogue of named tables, and frames of its own

    def open(self, table: Any) -> Opened:
        """Open a `Table`, an Arrow table or `Lists` under a new name."""
        ...

    def keep(self, table: str, sql: str, *, settled: bool = False) -> None:
        """Keep the result of a query as a table; the query may read an older table of that name.

        `settled` drops the plan that led to the result. Without it, each round of a loop would
        take longer than the one before.
        """
        ...

    def drop(self, table: str) -> None:
        """Free a kept table that no later query reads, if there is one of that name."""
        ...

    def rows(self, sql: str) -> list[Any]:
        """Return the result of a query as tuples."""
        ...

    def arrow(self, sql: str) -> Any:
        """Return the result of a query as an Arrow table."""
        ...

    def batches(self, sql: str) -> Iterator[Any]:
        """Yield the result of a query as Arrow record batches."""
        ...

    def digests(
        self, scan: str, columns: Mapping[str, str], numbers: Collection[str], *, few: bool = False
    ) -> list[Chunk]:
        """Sort an opened table's rows, drop repeated rows, and digest them chunk by chunk.

        `columns` are SQL by name, and rows are sorted by them, nulls first. A column is text,
        sorted by its bytes, or one of `numbers`: doubles without −0. A chunk's bytes are its number
        of rows and, column by column:
        - one byte for each row: 1 if the value is null, else 0;
        - for text, the length of each value in bytes;
        - the values: text as UTF-8, numbers as the bits of a 64-bit float, 0 where null.
        Lengths, bits and the number of rows take 8 bytes each, the highest first. All NaNs have the
        same bits. Each part's length follows from the parts before it, so two different chunks of
        the same columns never have the same bytes. `few` says that the table is small.
        """
        ...
