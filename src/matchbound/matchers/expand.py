"""ExpandWhenStuck (Kazemi, Hassani and Grossglauser): match best first, and guess when stuck."""

import numpy as np

from matchbound.errors import InputError
from matchbound.matchers.candidates import Candidates, rows_of
from matchbound.matchers.graphs import Graph, Ints, tie_key
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
    candidates: Candidates | None = None,
) -> Found:
    """Match the pair with the most marks, and guess where there is none.

    Every seed adds a mark to each pair of its neighbours. As long as a pair of free nodes has
    `threshold` marks, the pair with the most is matched and adds its own marks. Of pairs with
    equally many, the one whose degrees differ least is matched; of these, a random one. When no
    pair has `threshold` marks, a new round begins: all marked pairs of free nodes that have not
    added marks yet do so without being matched. The rounds end when there is no such pair, or when
    `marks` are spent. The most that matches could need is set aside; guesses get the rest, the
    likeliest first. With `candidates`, no other pair is marked.
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
    of_x, _ = rows_of(candidates)
    key = tie_key(seed)
    return Found(*expand_from(left.rows, right.rows, seeds, of_x, threshold, spare, key).T)


def _most_of_matches(left: Graph, right: Graph) -> int:
    """The most marks that one-to-one matches can add: the sum of products of their degrees.

    The sum is greatest if nodes are matched in order of falling degree.
    """
    nodes = min(len(left), len(right))
    return int(np.dot(left.degrees[:nodes], right.degrees[:nodes]))
