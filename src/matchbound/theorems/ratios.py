"""What a node adds to the two sums of which a metric is the ratio."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

Count = Callable[[int, int, int], int]
"""A whole number at a node, from its numbers of found matches, of true ones, and of both."""

Parts = tuple[Fraction, Fraction]
NOTHING: Parts = (Fraction(0), Fraction(0))


@dataclass(frozen=True)
class Ratio:
    """The mean of `numerator` / `denominator` over nodes; or, `pooled`, the ratio of their sums.

    The denominator is 0 at nodes that do not count. `known_unmatched`: at a node without a found
    match, no label is needed to know both.

    >>> counts = [(1, 1, 1), (3, 1, 0)]
    >>> PRECISION.share(counts), PAIRWISE_PRECISION.share(counts)
    (Fraction(1, 2), Fraction(1, 4))
    """

    numerator: Count
    denominator: Count
    pooled: bool = False
    known_unmatched: bool = False

    def parts(self, found: int, true: int, both: int) -> Parts:
        """What a node adds to both sums."""
        num, den = self.numerator(found, true, both), self.denominator(found, true, both)
        if self.pooled:
            return Fraction(num), Fraction(den)
        return (Fraction(num, den), Fraction(1)) if den else NOTHING

    def share(self, counts: Iterable[tuple[int, int, int]]) -> Fraction | None:
        """The ratio over nodes with these counts; None if no node counts."""
        sums = [self.parts(*each) for each in counts]
        whole = sum((den for _, den in sums), Fraction(0))
        return sum((num for num, _ in sums), Fraction(0)) / whole if whole else None

    def worst(self, found: int, limit: int) -> Parts:
        """The parts of a node if no found match is right, and as many are missed as can be."""
        return self.parts(found, limit, 0)

    def best(self, found: int, limit: int, least: int = 0) -> Parts:
        """The parts of a node if as many found matches are right as can be, and none is missed.

        `least`: the fewest true matches that a node can have; some are missed if fewer are found.
        """
        right = min(found, limit)
        return self.parts(found, max(right, least), right)


def _found(found: int, true: int, both: int) -> int:
    return found


def _true(found: int, true: int, both: int) -> int:
    return true


def _both(found: int, true: int, both: int) -> int:
    return both


def _one(found: int, true: int, both: int) -> int:
    return 1


def _is_exact(found: int, true: int, both: int) -> int:
    return int(found == true == both)


PRECISION = Ratio(_both, _found, known_unmatched=True)
RECALL = Ratio(_both, _true)
RECALL_WHERE_FOUND = Ratio(
    _both, lambda found, true, both: max(true, 1) if found else 0, known_unmatched=True
)
"""Recall over the nodes with a found match; one without a true match would count as missed."""
EXACT = Ratio(_is_exact, _one)
WRONG = Ratio(lambda found, true, both: 1 - _is_exact(found, true, both), _one)
PAIRWISE_PRECISION = Ratio(_both, _found, pooled=True, known_unmatched=True)
PAIRWISE_RECALL = Ratio(_both, _true, pooled=True)
PAIRWISE_F1 = Ratio(
    lambda found, true, both: 2 * both, lambda found, true, both: found + true, pooled=True
)
B3_PRECISION = Ratio(
    lambda found, true, both: both + 1, lambda found, true, both: found + 1, known_unmatched=True
)
B3_RECALL = Ratio(lambda found, true, both: both + 1, lambda found, true, both: true + 1)
