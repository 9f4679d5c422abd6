"""The range in which labels leave a metric, without probability. No bound is outside it.

Labelled nodes have their values; all other nodes may be right, or all may be wrong.
"""

from fractions import Fraction

from matchbound.theorems.design import Design
from matchbound.theorems.metrics import Metric
from matchbound.theorems.tally import Label, Tally
from matchbound.theorems.terms import worst

Range = tuple[Fraction, Fraction]
ANYTHING: Range = (Fraction(0), Fraction(1))


def possible(metric: Metric, tally: Tally, design: Design) -> Range:
    """The range in which the labels leave the complete matcher's metric."""
    if design.future:
        return ANYTHING
    values = [value for label in tally.labelled if (value := _value(metric, label)) is not None]
    others = _others(metric, tally, design)
    size = len(values) + others
    if not size:
        return ANYTHING
    seen = sum(values, Fraction(0))
    low, half, high = (seen / size, (seen + Fraction(others, 2)) / size, (seen + others) / size)
    if metric.is_lower:
        return worst(f"possible {metric.name}", low, half), high
    return low, worst(f"possible {metric.name}", high, half)


def _value(metric: Metric, label: Label) -> Fraction | None:
    """The metric at a labelled node; None if the node does not count."""
    counts = label.c, label.t or 0, label.ct or 0
    whole = metric.denominator(*counts)
    return Fraction(metric.numerator(*counts), whole) if whole else None


def _others(metric: Metric, tally: Tally, design: Design) -> int:
    """How many nodes without a label count, or may count."""
    if metric.members == "matched" and not design.is_sampled:
        return sum(cell.nodes for cell in tally.gap if cell.c)
    return tally.size - len(tally.labelled)
