"""Seeds: pairs known, or guessed, before the matching starts."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matchbound.errors import InputError
from matchbound.matchers.columns import as_text, read_columns, refuse_spaces
from matchbound.matchers.graphs import Graph, Ints
from matchbound.matchers.hubs import hubs


def read_seeds(given: Any, left: Graph, right: Graph) -> tuple[Ints, NDArray[np.float64]]:
    """Places in the two graphs, and scores: 1 for what was given, or how alike two hubs are.

    A table with columns x and y, a list of pairs, or "hubs". Pairs without y are no seeds, so that
    labels can be given as they are.
    """
    if isinstance(given, str) and given == "hubs":
        return _hubs(left, right)
    x, y = known_pairs(given)
    sides = (("x", x, "left", left), ("y", y, "right", right))
    pairs = np.stack([_places(*side) for side in sides], axis=1)
    return pairs, np.ones(len(pairs))


def known_pairs(given: Any) -> tuple[Any, Any]:
    """Arrow arrays of text, without the pairs that have no y."""
    x, y = _columns(given)
    has_y = y.is_valid()
    x, y = x.filter(has_y), y.filter(has_y)
    if not len(x):
        raise InputError("seeds must hold at least one pair, got none. Give some, or 'hubs'.")
    return x, y


def in_both(
    left: Graph, right: Graph, known: Sequence[tuple[str, str | None]]
) -> list[tuple[str, str]]:
    """Of verified matches, those that have an edge on both sides."""
    in_left, in_right = set(left.ids.to_pylist()), set(right.ids.to_pylist())
    return [(x, y) for x, y in known if y is not None and x in in_left and y in in_right]


def _hubs(left: Graph, right: Graph) -> tuple[Ints, NDArray[np.float64]]:
    pairs, alike = hubs(left, right)
    if not len(pairs):
        raise InputError(
            "seeds must be given where no hubs of the two graphs are alike, got 'hubs'. "
            "Give some pairs."
        )
    return pairs, alike


def _columns(given: Any) -> tuple[Any, Any]:
    """Arrow arrays of text."""
    import pyarrow as pa

    if isinstance(given, list | tuple | np.ndarray):
        for row in given:
            if not (isinstance(row, list | tuple | np.ndarray) and len(row) == 2):
                raise InputError(
                    f"seeds must be pairs (x, y), got {row!r} among them. "
                    "Give a list of pairs, a table with columns x and y, or 'hubs'."
                )
        x, y = (as_text((row[i] for row in given), "seeds") for i in (0, 1))
    else:
        columns = read_columns(given, "seeds", ("x", "y"), or_first=False)
        x, y = (column.cast(pa.large_string()) for column in columns)
    if x.null_count:
        raise InputError(
            f"seeds must have an id in every x, got {x.null_count} empty. Fill or remove these."
        )
    return x, y


def _places(column: str, ids: Any, argument: str, graph: Graph) -> Ints:
    import pyarrow.compute as pc

    refuse_spaces(ids, "seeds")
    places = pc.index_in(ids, value_set=graph.ids)
    absent = ids.filter(places.is_null())
    if len(absent):
        raise unknown(column, len(absent), argument, absent[0].as_py())
    refuse_repeated(column, ids)
    return np.asarray(places.to_numpy(), np.int32)


def unknown(column: str, count: int, argument: str, first: str) -> InputError:
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
