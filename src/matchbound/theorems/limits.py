"""A limit on a record's true matches, without which pairwise recall and F1 have no bound.

One record with very many true matches that the sample misses would make both as small as one likes.
The limit is promised; or the statement is about the records within it alone; or, where one table is
matched with itself, the sample proves it: an entity with more members would hardly be missed.
"""

from collections import Counter
from collections.abc import Sequence

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
    proved = proved_limit(tally, design)
    unlabelled = any(not label.is_sure for label in (*tally.train, *tally.fresh))
    if unlabelled or most_true(tally) > proved:
        return None
    return _worst(proved, tally)


def most_true(tally: Tally) -> int:
    """The most true matches that labels show of a node: its own, or other nodes'."""
    own = (label.t or 0 for label in tally.labelled)
    others = (cell.right + cell.added_right + cell.missed for cell in tally.gap)
    return max(*own, *others, 0, 0)


def proved_limit(tally: Tally, design: Design) -> int:
    """The limit that the sample proves, fixed before the validation labels.

    If an entity has more than limit + 1 members, then D's labels show it, or S misses them all:
    that has probability at most δ, and only then is a guarantee given that may be false. So the
    guarantee has the whole δ.
    """
    counts = found_outside(tally)
    weights = [(design.weight(found), nodes) for found, nodes in counts.items()]
    least = provable_limit(weights, len(tally.fresh), design.delta)
    return max(least, *(label.t or 0 for label in tally.train), 1)


def provable_limit(weights: Sequence[tuple[float, int]], drawn: int, delta: float) -> int:
    """The least limit that so many draws prove; `weights` as for `bounds.missed`."""
    return max(1, missed(weights, drawn, delta) - 2)


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
