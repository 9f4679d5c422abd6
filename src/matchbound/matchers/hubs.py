"""Seeds where there are none: the nodes of highest degree, matched by their neighbourhoods."""

import numpy as np
from numpy.typing import NDArray

from matchbound.matchers.graphs import Graph, Ints

MOST = 400  # hubs of each graph


def hubs(left: Graph, right: Graph, *, most: int = MOST) -> tuple[Ints, NDArray[np.float64]]:
    """Pairs of hubs that are each other's likest, alone, and whose hub neighbours agree.

    A node's profile is its neighbours' degrees in falling order, and two are alike by Σ min / Σ max
    of these. Pairs of hubs that are each other's likest are kept if, of all such pairs, those next
    to both nodes are a greater share of those next to either than for any rival. Returns the pairs
    and how alike they are. Ties stay unmatched: names do not matter.
    Source: after Tian and Patel (2008), who match the nodes of highest degree first.
    """
    from matchbound.matchers._hubs import likeness

    x_hubs, y_hubs = _hubs_of(left, most), _hubs_of(right, most)
    if not (x_hubs and y_hubs):
        return np.empty((0, 2), np.int32), np.empty(0)
    alike = likeness(left.rows, right.rows, x_hubs, y_hubs)
    likest = _alone(alike)
    x, y = np.nonzero(likest)
    left_of, right_of = _next_to(left, x, x_hubs), _next_to(right, y, y_hubs)
    both = left_of.astype(np.int64) @ right_of.T
    either = left_of.sum(axis=1)[:, None] + right_of.sum(axis=1) - both
    pairs = np.argwhere(likest & _alone(both / np.maximum(either, 1))).astype(np.int32)
    return pairs, alike[pairs[:, 0], pairs[:, 1]]


def _hubs_of(graph: Graph, most: int) -> int:
    """How many nodes have a higher degree than the first that is left out."""
    degrees = graph.degrees
    return int(np.count_nonzero(degrees > (degrees[most] if len(degrees) > most else 0)))


def _alone(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Above 0 and every other score of their row and column."""
    in_row = scores == scores.max(axis=1, keepdims=True)
    in_column = scores == scores.max(axis=0)
    in_row &= in_row.sum(axis=1, keepdims=True) == 1
    in_column &= in_column.sum(axis=0) == 1
    return np.asarray(in_row & in_column & (scores > 0))


def _next_to(graph: Graph, nodes: NDArray[np.int64], hubs: int) -> NDArray[np.bool_]:
    """Which hubs (rows) are neighbours of which of these, hubs themselves (columns)."""
    adjacent = np.zeros((hubs, hubs), np.bool_)
    for hub in range(hubs):
        start, end = graph.starts[hub : hub + 2]
        neighbours = graph.neighbours[start:end]
        adjacent[hub, neighbours[neighbours < hubs]] = True
    return adjacent[:, nodes]
