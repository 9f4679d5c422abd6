"""ExpandWhenStuck (Kazemi, Hassani and Grossglauser): best first, and guesses when stuck."""

import numpy as np

from matchbound.errors import InputError
from matchbound.matchers.graphs import Graph, Ints, key_of
from matchbound.matchers.matches import Found

MARKS = 100_000_000


def expand(
    left: Graph,
    right: Graph,
    seeds: Ints,
    *,
    threshold: int = 2,
    marks: int = MARKS,
    seed: int | str = 0,
) -> Found:
    """Match the pair with the most marks, and guess where there is none.

    Every seed adds a mark to each pair of its neighbours. As long as a pair of free nodes has
    `threshold` marks, the one with the most is matched (of these the one whose degrees differ
    least; of these a random one), and adds its own marks. When there is none, all marked pairs of
    free nodes that have not yet done so add marks without being matched: a new round. It ends when
    there is no such pair, or when `marks` are spent: those that matches could need at most are set
    aside, guesses share the rest, the likeliest first.
    Prefer it: for recall, and from a handful of seeds. Memory grows with the pairs marked.
    Source: Kazemi, Hassani and Grossglauser (2015).
    """
    from matchbound.matchers._expand import expand_from

    spare = marks - _most_of_matches(left, right)
    if spare < 0:
        raise InputError(
            f"marks must be at least {marks - spare}, what matches between these graphs could add, "
            f"got {marks}. Raise it if there is memory (up to 40 bytes each), or use witness."
        )
    return Found(*expand_from(left.rows, right.rows, seeds, threshold, spare, key_of(seed)).T)


def _most_of_matches(left: Graph, right: Graph) -> int:
    """The sum of products of degrees, over any one-to-one matching: greatest in falling order."""
    nodes = min(len(left), len(right))
    return int(np.dot(left.degrees[:nodes], right.degrees[:nodes]))
