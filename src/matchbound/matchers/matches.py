"""Matches: as numbers of nodes in two graphs, and as a table of the nodes' ids."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from matchbound.errors import InputError
from matchbound.files import csv_text, write_csv, write_whole, written_whole
from matchbound.matchers.graphs import Graph, Ints
from matchbound.reprs import brief

if TYPE_CHECKING:
    from os import PathLike

    import pyarrow as pa

COLUMNS = ("x", "y", "score", "round", "witnesses", "margin")


@dataclass(frozen=True)
class Found:
    """A matcher's pairs (x, y) without the seeds, each with its round, witnesses and margin.

    Witnesses are earlier pairs whose nodes are neighbours of x and of y. A rival is a pair of x or
    y with another free node; the margin is the number of witnesses minus the best rival's. A
    matcher that has no scores of its own gets them from witnesses and margin.
    """

    x: Ints
    y: Ints
    round: Ints
    witnesses: Ints
    margin: Ints
    score: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.x)

    def scores(self) -> NDArray[np.float64]:
        """The matcher's own, or witnesses / (witnesses + the best rival's + 1), below 1."""
        if self.score is not None:
            return self.score
        return np.asarray(self.witnesses / (2 * self.witnesses - self.margin + 1))


def joined(parts: Sequence[Found]) -> Found:
    """Join parts without scores of their own into one, in order."""
    none = np.empty(0, np.int32)
    names = ("x", "y", "round", "witnesses", "margin")
    columns = [[none, *(getattr(part, name) for part in parts)] for name in names]
    return Found(*map(np.concatenate, columns))


@dataclass(frozen=True)
class Matches:
    """A table with columns x, y, score, round, witnesses and margin; seeds have round 0.

    It exports Arrow, so pandas, Polars and `certify` read it as it is.
    """

    table: "pa.Table"
    seed_doubt: str = ""
    """A sentence if the seeds are likely wrong."""

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Yield the rows as tuples."""
        for batch in self.table.to_batches(max_chunksize=1 << 16):
            yield from _rows(batch)

    def __repr__(self) -> str:
        return brief(self, str(self))

    def __str__(self) -> str:
        rounds = self.table["round"].to_numpy()
        seeds = int(np.count_nonzero(rounds == 0))
        return counted(seeds, len(self) - seeds)

    @property
    def doubt(self) -> str:
        """A sentence if much of what was found is likely wrong; else empty."""
        if self.seed_doubt:
            return self.seed_doubt
        rounds, score, witnesses = (
            self.table[name].to_numpy() for name in ("round", "score", "witnesses")
        )
        found = rounds > 0
        return doubted(
            len(self) - int(found.sum()),
            int(found.sum()),
            int(np.count_nonzero(found & (score < 0.5))),
            int(np.count_nonzero(found & (witnesses <= 2))),
        )

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)

    def pairs(self) -> list[tuple[str, str]]:
        """All pairs (x, y), seeds included."""
        return list(zip(self.table["x"].to_pylist(), self.table["y"].to_pylist(), strict=True))

    def save(self, path: "str | PathLike[str]", *, force: bool = False) -> None:
        """Write a file: CSV or Parquet, by the ending of its name."""
        file = Path(path)
        check_name(file)
        is_csv = file.suffix.lower() == ".csv"
        content = csv_text(self.table.column_names, self) if is_csv else self._parquet()
        write_whole({file: content}, force=force)

    def _parquet(self) -> bytes:
        import pyarrow.parquet as pq

        file = io.BytesIO()
        pq.write_table(self.table, file)
        return file.getvalue()


def _rows(batch: Any) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)


def counted(seeds: int, found: int) -> str:
    return f"{seeds + found} matches: {seeds} seeds and {found} found."


def doubted(seeds: int, found: int, low: int, few: int) -> str:
    """Doubt what was found, or not: `low` scores are below 0.5, `few` have at most 2 witnesses.

    Below 0.5 another pair with one of the nodes is as likely. Measured on pairs with known truth:
    docs/reconcile.md.
    """
    if 2 * low > found:
        return (
            f"Doubtful: {low} of the {found} found have a score below 0.5, so another pair was as "
            "likely. Expect many to be wrong; give more seeds, or keep the others alone."
        )
    if found and 2 * found < seeds and 2 * few > found:
        return (
            f"Doubtful: {seeds} seeds led to {found} matches, and {few} of these have at most 2 "
            "witnesses, as unrelated networks have too. Check some of them, or give more seeds."
        )
    return ""


def write_batches(
    path: Path,
    batches: Callable[[], Iterator[Any]],
    *,
    force: bool,
    columns: Sequence[str] = COLUMNS,
) -> None:
    """Write a CSV or Parquet file batch by batch; if it fails, leave no file."""
    check_name(path)
    with written_whole(path, force=force) as unfinished:
        if path.suffix.lower() == ".csv":
            write_csv(unfinished, columns, lambda: map(_rows, batches()))
        else:
            _write_parquet(unfinished, batches())


def _write_parquet(path: Path, batches: Iterator[Any]) -> None:
    import pyarrow.parquet as pq

    first = next(batches)
    with pq.ParquetWriter(path, first.schema) as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)


def check_name(path: Path) -> None:
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise InputError(
            f"out must be a .csv or .parquet file, got {str(path)!r}. Choose another name."
        )


def named(
    left: Graph, right: Graph, seeds: Ints, likeness: NDArray[np.float64], found: Found
) -> Matches:
    """The table of seeds and found pairs with the nodes' ids, in order of round and x.

    The score of a seed is its likeness.
    """
    import pyarrow as pa

    zeros = np.zeros(len(seeds), np.int32)
    columns = {
        "x": left.ids.take(pa.array(np.concatenate([seeds[:, 0], found.x]))),
        "y": right.ids.take(pa.array(np.concatenate([seeds[:, 1], found.y]))),
        "score": np.concatenate([likeness, found.scores()]),
        "round": np.concatenate([zeros, found.round]),
        "witnesses": np.concatenate([zeros, found.witnesses]),
        "margin": np.concatenate([zeros, found.margin]),
    }
    table = pa.table({name: pa.array(column) for name, column in columns.items()})
    return Matches(table.sort_by([("round", "ascending"), ("x", "ascending")]))
