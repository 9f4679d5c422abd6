"""Percolation (Yartseva and Grossglauser): match a pair as soon as it has enough marks."""

from matchbound.matchers.candidates import Candidates, rows_of
from matchbound.matchers.graphs import Graph, Ints, shuffled, tie_key
from matchbound.matchers.matches import Found


def percolation(
    left: Graph,
    right: Graph,
    seeds: Ints,
    *,
    threshold: int = 4,
    seed: int | str = 0,
    candidates: Candidates | None = None,
) -> Found:
    """Match pairs as soon as they have `threshold` marks.

    Matched pairs wait in a queue, which begins with the seeds in random order. The first in the
    queue adds a mark to every pair of its neighbours. The pairs of free nodes that now have
    `threshold` marks are matched, in random order, and join the queue. A pair's round is one more
    than that of the pair that gave it its last mark. With `candidates`, no other pair is marked.
    Prefer it: as the simplest of these matchers. Theory gives the number of seeds that it needs.
    Source: Yartseva and Grossglauser (2013).
    """
    from matchbound.matchers._percolation import percolate

    key = tie_key(seed)
    queue = shuffled(seeds, left, right, key)
    matched = percolate(left.rows, right.rows, queue, rows_of(candidates), threshold, key)
    return Found(*matched[len(seeds) :].T)
