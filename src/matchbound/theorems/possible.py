"""What labels leave possible, with no probability involved: no bound lies outside.

Labelled nodes are as they are; the most that the others can be is all right, the least all wrong.
"""

from collections.abc import Sequence
from fractions import Fraction

from matchbound.theorems import nodes
from matchbound.theorems.choices import Choices
from matchbound.theorems.tally import Tally
from matchbound.theorems.terms import worst

Range = tuple[Fraction, Fraction]
ANYTHING: Range = (Fraction(0), Fraction(1))


def possible(metric: str, tally: Tally, choices: Choices) -> Range:
    """The least and the most that the complete matcher's metric can be, given the labels."""
    if choices.future:
        return ANYTHING
    values, others = {"precision": _precision, "recall": _recall, "error-rate": _error_rate}[
        metric
    ](tally, choices)
    size = len(values) + others
    if not size:
        return ANYTHING
    seen = sum(values, Fraction(0))
    low, half, high = (seen / size, (seen + Fraction(others, 2)) / size, (seen + others) / size)
    if metric == "error-rate":  # of which the bound is from above
        return low, worst("possible error-rate", high, half)
    return worst(f"possible {metric}", low, half), high


Parts = tuple[Sequence[Fraction], int]
"""The values at labelled nodes, and how many other nodes have one, or may have."""


def _precision(tally: Tally, choices: Choices) -> Parts:
    others = tally.size - len(tally.labelled)
    if not choices.is_sampled:
        others = sum(cell.nodes for cell in tally.gap if cell.c)
    return [Fraction(label.ct or 0, label.c) for label in tally.labelled if label.c], others


def _recall(tally: Tally, choices: Choices) -> Parts:
    values = [Fraction(label.ct or 0, label.t) for label in tally.labelled if label.t]
    return values, tally.size - len(tally.labelled)


def _error_rate(tally: Tally, choices: Choices) -> Parts:
    wrong = [Fraction(one) for one in nodes.complete_errors(tally.labelled)]
    return wrong, tally.size - len(tally.labelled)
