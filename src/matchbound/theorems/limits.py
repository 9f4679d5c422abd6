"""A limit on a record's true matches, without which pairwise recall and F1 have no bound.

One record with very many true matches that the sample misses would make both as small as one likes.
The limit is promised; or the statement is about the records within it alone; or, where one table is
matched with itself, the sample proves it: an entity with more members would hardly be missed.
"""

from collections import Counter

from matchbound.bounds import missed
from matchbound.theorems.design import Design
from matchbound.theorems.tally import Label, Tally
from matchbound.theorems.terms import worst


def limit(tally: Tally, design: Design) -> int | None:
    """The limit that holds for a metric; None if a label is above it, or missing to prove it."""
    if design.limit is not None:
        return _worst(design.limit, tally)
    if not design.limit_by_sample:
        return None
    labels = (*tally.train, *tally.fresh)
    proved = proved_limit(tally, design)
    if any(label.t is None or label.t > proved for label in labels):
        return None
    return _worst(proved, tally)


def proved_limit(tally: Tally, design: Design) -> int:
    """The limit that the sample proves, fixed before the validation labels.

    If an entity has more than limit + 1 members, then D's labels show it, or S misses them all:
    that has probability at most δ, and only then is a guarantee given that may be false. So the
    guarantee has the whole δ.
    """
    counts = found_outside(tally)
    weights = [(design.weight(found), nodes) for found, nodes in counts.items()]
    members = missed(weights, len(tally.fresh), design.delta)
    return max(1, members - 2, *(label.t or 0 for label in tally.train))


def found_outside(tally: Tally) -> Counter[int]:
    """How many nodes outside D have each number of matches by the holdout matcher."""
    counts = Counter[int]()
    for cell in tally.everywhere:
        counts[cell.h] += cell.nodes
    counts.subtract(label.h for label in tally.train)
    return +counts


def _worst(number: int, tally: Tally) -> int:
    return worst("limit on true matches", number, _greatest((*tally.train, *tally.fresh)))


def _greatest(labels: tuple[Label, ...]) -> int:
    """The most true matches of a labelled node."""
    return max(1, *(label.t or 0 for label in labels), 1)
