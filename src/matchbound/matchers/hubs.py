"""Guess seeds: match the nodes of highest degree by their neighbourhoods."""

import numpy as np
from numpy.typing import NDArray

from matchbound.matchers.graphs import Graph, Ints

MOST = 400  # hubs of each graph


def hubs(left: Graph, right: Graph, *, most: int = MOST) -> tuple[Ints, NDArray[np.float64]]:
    """Match hubs whose profiles are mutually and uniquely the most similar, if their neighbouring
    hubs are matched to each other.

    A node's profile is its neighbours' degrees in falling order; the similarity of two profiles is
    Σ min / Σ max. Candidates are the pairs of hubs that are mutually and uniquely the most similar.
    A candidate is kept if its neighbours agree better than those of any rival: of the candidates
    next to one of its nodes, the share that is next to both is the highest. Returns the pairs and
    their similarities. Ties stay unmatched, so ids do not matter.
    Source: after Tian and Patel (2008), who match the nodes of highest degree first.
    """
    from matchbound.matchers._hubs import likeness

    x_hubs, y_hubs = _hubs_of(left, most), _hubs_of(right, most)
    if not (x_hubs and y_hubs):
        return np.empty((0, 2), np.int32), np.empty(0)
    alike = likeness(left.rows, right.rows, x_hubs, y_hubs)
    candidates = _unique_best(alike)
    x, y = np.nonzero(candidates)
    left_next, right_next = _next_to(left, x, x_hubs), _next_to(right, y, y_hubs)
    both = left_next.astype(np.int64) @ right_next.T
    either = left_next.sum(axis=1)[:, None] + right_next.sum(axis=1) - both
    agreement = both / np.maximum(either, 1)
    pairs = np.argwhere(candidates & _unique_best(agreement)).astype(np.int32)
    return pairs, alike[pairs[:, 0], pairs[:, 1]]


def _hubs_of(graph: Graph, most: int) -> int:
    """The number of hubs: at most `most`. Of nodes of equal degree, all are hubs or none."""
    degrees = graph.degrees
    return int(np.count_nonzero(degrees > (degrees[most] if len(degrees) > most else 0)))


def _unique_best(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Flags of scores that are above 0 and above every other score of their row and column."""
    in_row = scores == scores.max(axis=1, keepdims=True)
    in_column = scores == scores.max(axis=0)
    in_row &= in_row.sum(axis=1, keepdims=True) == 1
    in_column &= in_column.sum(axis=0) == 1
    return np.asarray(in_row & in_column & (scores > 0))


def _next_to(graph: Graph, nodes: NDArray[np.int64], hubs: int) -> NDArray[np.bool_]:
    """Flags: whether a hub (row) is a neighbour of one of these hubs (column)."""
    adjacent = np.zeros((hubs, hubs), np.bool_)
    for hub in range(hubs):
        start, end = graph.starts[hub : hub + 2]
        neighbours = graph.neighbours[start:end]
        adjacent[hub, neighbours[neighbours < hubs]] = True
    return adjacent[:, nodes]
