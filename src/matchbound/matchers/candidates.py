"""Candidates: the only pairs that may be matched, such as nodes whose names are alike."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matchbound.engines import Engine, connect, query
from matchbound.errors import InputError
from matchbound.matchers.columns import key_columns, spaces_around
from matchbound.matchers.graphs import Graph, Ints
from matchbound.tables import has_outer_spaces, load, open_source

HIGHEST = 1000  # of a score: it counts like so many sure pairs of neighbours

Rows = tuple[NDArray[np.int64], Ints, NDArray[np.float64]]


@dataclass(frozen=True)
class Candidates:
    """Pairs of nodes of two graphs, with scores, by x and by y.

    `of_x` has where the row of each x begins, its columns y in rising order, and their scores;
    `of_y` likewise. They are plain tuples for compiled code, like a graph's rows.
    """

    of_x: Rows
    of_y: Rows

    def __len__(self) -> int:
        return len(self.of_x[1])

    def holds(self, pairs: Ints) -> NDArray[np.bool_]:
        """Whether each of these pairs is a candidate."""
        starts, columns, _ = self.of_x
        x = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        known = set(zip(x.tolist(), columns.tolist(), strict=True))
        return np.array([pair in known for pair in map(tuple, pairs.tolist())], np.bool_)


def rows_of(candidates: Candidates | None) -> tuple[Rows | None, Rows | None]:
    """The rows by x and by y; None, for all pairs, where there are no candidates."""
    return (None, None) if candidates is None else (candidates.of_x, candidates.of_y)


def read_candidates(given: Any, left: Graph, right: Graph) -> Candidates:
    """Read a table of pairs x, y with a score, if it has one, else 0.

    Pairs of nodes that are not in both graphs are left out; a table without any other is refused.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    with connect() as con:
        load_candidates(con, given)
        table = con.arrow("select x, y, score from candidates")
    sides = []
    for column, graph in (("x", left), ("y", right)):
        ids = table[column].combine_chunks().cast(pa.large_string())
        sides.append(pc.index_in(ids, value_set=graph.ids))
    is_known = pc.and_(*(numbers.is_valid() for numbers in sides))
    if not pc.any(is_known).as_py():
        raise no_candidate()
    x, y = (np.asarray(numbers.filter(is_known).to_numpy(), np.int32) for numbers in sides)
    score = table["score"].combine_chunks().filter(is_known).to_numpy()
    return Candidates(_rows(x, y, score, len(left)), _rows(y, x, score, len(right)))


def load_candidates(con: Engine, given: Any) -> None:
    """Load the table `candidates` of x and y as text, and score; refuse what cannot be read."""
    source = open_source(con, "candidates", given, hashed=False)
    keys, _ = key_columns(source, ("x", "y"), or_first=False)
    x, y = (f"cast({key} as string)" for key in keys)
    column = source.column("score")
    score = "0e0" if column is None else f"cast({source.score(column)} as double)"
    load(con, source, "candidates", f"{x} as x, {y} as y, {score} as score")
    ((empty,),) = con.rows("select count(*) from candidates where x is null or y is null")
    if empty:
        raise InputError(
            f"candidates must have an id in every x and y, got {empty} rows without. "
            "Fill or remove these."
        )
    for side in ("x", "y"):
        ((first,),) = con.rows(f"select min({side}) from candidates where {has_outer_spaces(side)}")
        if first is not None:
            raise spaces_around("candidates", first)
    _refuse_bad_scores(con)
    _refuse_repeated(con)


def no_candidate() -> InputError:
    return InputError(
        "candidates must hold a pair of nodes of the two graphs, got none. "
        "Check that x is of left and y of right."
    )


def _refuse_bad_scores(con: Engine) -> None:
    is_bad = f"score is null or not score between 0 and {HIGHEST}"
    bad = con.rows(f"select x, y from candidates where {is_bad} order by x, y limit 1")
    if bad:
        raise InputError(
            f"candidates must have scores from 0 to {HIGHEST}, got another for {bad[0]}. "
            "Scale them, so that 1 counts like one pair of neighbours that match for sure."
        )


def _refuse_repeated(con: Engine) -> None:
    repeated = query(con, "matchers/repeated_candidates")
    if repeated:
        x, y, times = repeated[0]
        raise InputError(
            f"candidates must hold each pair once, got {(x, y)} {times} times. Keep one of them."
        )


def _rows(x: Ints, y: Ints, score: NDArray[np.float64], nodes: int) -> Rows:
    order = np.lexsort((y, x))
    starts = np.concatenate([[0], np.cumsum(np.bincount(x, minlength=nodes))])
    return starts, y[order], score[order]
