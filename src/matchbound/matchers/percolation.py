"""Yartseva and Grossglauser's percolation: a pair with enough marks is matched."""

from matchbound.matchers.graphs import Graph, Ints, key_of, shuffled
from matchbound.matchers.matches import Found


def percolation(
    left: Graph, right: Graph, seeds: Ints, *, threshold: int = 4, seed: int | str = 0
) -> Found:
    """Match pairs as soon as they have `threshold` marks.

    Matched pairs wait in a queue, first the seeds in random order. The one in front adds a mark to
    every pair of its neighbours; the pairs of free nodes that now have `threshold` marks are
    matched, in random order, and join the queue. A pair's round is one more than that of the pair
    that gave it its last mark.
    Prefer it: as the plainest of its kind, whose number of seeds needed is understood.
    Source: Yartseva and Grossglauser (2013).
    """
    from matchbound.matchers._percolation import percolate

    key = key_of(seed)
    queue = shuffled(seeds, left, right, key)
    matched = percolate(left.rows, right.rows, queue, threshold, key)
    return Found(*matched[len(seeds) :].T)
