"""Seeds: the pairs, known or guessed, from which matching starts."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matchbound.errors import InputError
from matchbound.matchers.bayes import bayes
from matchbound.matchers.columns import read_columns, refuse_untrimmed, text_array
from matchbound.matchers.convex import convex
from matchbound.matchers.graphs import Graph, Ints
from matchbound.matchers.hubs import hubs

GUESSES = {  # how to guess, and when there is no guess
    "hubs": (hubs, "no hubs of the two graphs are alike"),
    "bayes": (bayes, "no pair of nodes has a posterior of a half"),
    "convex": (convex, "no pair of nodes has the highest share of both alone"),
}


def read_seeds(seeds: Any, left: Graph, right: Graph) -> tuple[Ints, NDArray[np.float64]]:
    """The seeds as numbers of nodes in the two graphs, and their scores.

    `seeds` are a table with columns x and y, or a list of pairs, which have score 1; or "hubs",
    whose scores are their similarities, "bayes", whose scores are their posteriors, or "convex",
    whose scores are their shares. Pairs without y are skipped, so that labels can be given as they
    are.
    """
    if isinstance(seeds, str) and seeds in GUESSES:
        return _guessed(seeds, left, right)
    x, y = known_pairs(seeds)
    sides = (("x", x, "left", left), ("y", y, "right", right))
    pairs = np.stack([_node_numbers(*side) for side in sides], axis=1)
    return pairs, np.ones(len(pairs))


def known_pairs(seeds: Any) -> tuple[Any, Any]:
    """The seeds' x and y as Arrow arrays of text, without the pairs that have no y."""
    x, y = _columns(seeds)
    has_y = y.is_valid()
    x, y = x.filter(has_y), y.filter(has_y)
    if not len(x):
        raise InputError("seeds must hold at least one pair, got none. Give some, or 'hubs'.")
    return x, y


def in_both(
    left: Graph, right: Graph, labels: Sequence[tuple[str, str | None]]
) -> list[tuple[str, str]]:
    """The verified matches whose nodes both have an edge, and no other match among these."""
    in_left, in_right = set(left.ids.to_pylist()), set(right.ids.to_pylist())
    pairs = [(x, y) for x, y in labels if y is not None and x in in_left and y in in_right]
    of_x, of_y = (Counter(nodes) for nodes in zip(*set(pairs), strict=True)) if pairs else ({}, {})
    return [(x, y) for x, y in dict.fromkeys(pairs) if of_x[x] == of_y[y] == 1]


def _guessed(name: str, left: Graph, right: Graph) -> tuple[Ints, NDArray[np.float64]]:
    guess, none = GUESSES[name]
    pairs, scores = guess(left, right)
    if not len(pairs):
        raise InputError(f"seeds must be given where {none}, got {name!r}. Give some pairs.")
    return pairs, scores


def _columns(seeds: Any) -> tuple[Any, Any]:
    """The seeds' x and y as Arrow arrays of text; y may be null."""
    import pyarrow as pa

    if isinstance(seeds, list | tuple | np.ndarray):
        for row in seeds:
            if not (isinstance(row, list | tuple | np.ndarray) and len(row) == 2):
                raise InputError(
                    f"seeds must be pairs (x, y), got {row!r} among them. "
                    "Give a list of pairs, a table with columns x and y, or 'hubs'."
                )
        x, y = (text_array((row[i] for row in seeds), "seeds") for i in (0, 1))
    else:
        columns = read_columns(seeds, "seeds", ("x", "y"), or_first=False)
        x, y = (column.cast(pa.large_string()) for column in columns)
    if x.null_count:
        raise InputError(
            f"seeds must have an id in every x, got {x.null_count} empty. Fill or remove these."
        )
    return x, y


def _node_numbers(column: str, ids: Any, argument: str, graph: Graph) -> Ints:
    import pyarrow.compute as pc

    refuse_untrimmed(ids, "seeds")
    numbers = pc.index_in(ids, value_set=graph.ids)
    absent = ids.filter(numbers.is_null())
    if len(absent):
        raise absent_seeds(column, len(absent), argument, absent[0].as_py())
    refuse_repeated(column, ids)
    return np.asarray(numbers.to_numpy(), np.int32)


def absent_seeds(column: str, count: int, argument: str, first: str) -> InputError:
    return InputError(
        f"seeds must be nodes of the two graphs, got {count} in {column} that are not "
        f"in {argument} (first: {first!r}). Correct or remove them."
    )


def refuse_repeated(column: str, ids: Any) -> None:
    for counted in ids.value_counts().to_pylist():
        if counted["counts"] > 1:
            raise InputError(
                f"seeds must hold each node once, got {column} = {counted['values']!r} "
                f"{counted['counts']} times. Keep one of its pairs."
            )
