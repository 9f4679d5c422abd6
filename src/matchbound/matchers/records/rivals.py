"""Rivals of a candidate pair: the other candidates of its two records."""

import numpy as np
from numpy.typing import NDArray

from matchbound.matchers.records.candidates import Candidates

Floats = NDArray[np.float32]
RIVALS = ("rank of x", "rank of y", "x behind best", "y behind best")
"""A pair's rank by the mean of both cosines among the candidates of x and of y, from 1 on, and how
far it is behind their best. In deduplication x and y have no order: the smaller number is first."""


def rivals(candidates: Candidates, *, is_dedupe: bool) -> list[Floats]:
    cosine: Floats = (candidates.cosine3 + candidates.cosine4) * np.float32(0.5)
    if is_dedupe:
        nodes, size = np.concatenate([candidates.x, candidates.y]), len(cosine)
        both = _ranked(nodes, np.concatenate([cosine, cosine]))
        return [side for values in both for side in np.sort(values.reshape(2, size), axis=0)]
    (rank_x, behind_x), (rank_y, behind_y) = (
        _ranked(nodes, cosine) for nodes in (candidates.x, candidates.y)
    )
    return [rank_x, rank_y, behind_x, behind_y]


def _ranked(nodes: NDArray[np.int32], cosine: Floats) -> tuple[Floats, Floats]:
    """Each pair's rank among its node's pairs, and how far it is behind the first.

    Equals have the rank of the first of them.
    """
    order = np.lexsort((-cosine, nodes))
    of, value = nodes[order], cosine[order]
    places = np.arange(len(of))
    is_first = np.ones(len(of), bool)
    is_first[1:] = of[1:] != of[:-1]
    first = np.maximum.accumulate(np.where(is_first, places, 0))
    is_first[1:] |= value[1:] != value[:-1]
    equals = np.maximum.accumulate(np.where(is_first, places, 0))
    rank, behind = np.empty(len(of), np.float32), np.empty(len(of), np.float32)
    rank[order], behind[order] = equals - first + 1, value[first] - value
    return rank, behind
