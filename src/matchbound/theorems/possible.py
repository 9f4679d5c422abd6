"""The range in which labels leave a metric, without probability. No bound is outside it.

Labelled nodes have their values; all other nodes may be right, or all may be wrong.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from matchbound.theorems.design import Design
from matchbound.theorems.limits import limit
from matchbound.theorems.metrics import Metric
from matchbound.theorems.ratios import Parts
from matchbound.theorems.tally import Tally
from matchbound.theorems.terms import worst

Range = tuple[Fraction, Fraction]
ANYTHING: Range = (Fraction(0), Fraction(1))


def possible(metric: Metric, tally: Tally, design: Design) -> Range:
    """The range in which the labels leave the complete matcher's metric."""
    most = _limit(metric, tally, design)
    if design.future or most is None:
        return ANYTHING
    is_among = metric.needs_limit and design.is_among
    seen = Counter(
        metric.ratio.parts(label.c, label.t or 0, label.ct or 0)
        for label in tally.labelled
        if not (is_among and (label.t or 0) > most)
    )
    others = _others(metric, tally, design)
    if not any(den for _, den in seen) and not any(metric.ratio.worst(c, most)[1] for c in others):
        return ANYTHING
    best = partial(metric.ratio.best, least=int(design.every_node_matched))
    bad, good = (
        _with([*seen.items(), *((at(c, most), nodes) for c, nodes in others.items())])
        for at in (metric.ratio.worst, best)
    )
    if is_among and others:
        good = Fraction(1)  # nodes with more matches than the limit may count, or may not
    low, high = (bad, good) if metric.is_lower else (good, bad)
    half = (low + high) / 2
    if metric.is_lower:
        return worst(f"possible {metric.name}", low, half), high
    return low, worst(f"possible {metric.name}", high, half)


def _limit(metric: Metric, tally: Tally, design: Design) -> int | None:
    """The most true matches of a node, as far as the metric depends on it; None if unlimited."""
    if metric.needs_limit:
        return limit(tally, design)
    return design.promised_limit or max(tally.size - 1, *(cell.c for cell in tally.everywhere), 1)


def _others(metric: Metric, tally: Tally, design: Design) -> Counter[int]:
    """The nodes without a label, by the complete matcher's number of matches.

    If the matcher did not run on all of them, each is taken to have a match, right or wrong.
    """
    others = Counter[int]()
    if design.is_sampled:
        others[1] += tally.size - len(tally.labelled)
        return +others
    for cell in tally.gap:
        others[cell.c] += cell.nodes
    return others


def _with(rows: Sequence[tuple[Parts, int]]) -> Fraction:
    """The metric of nodes with these parts, each with its number of nodes."""
    num, den = (sum((nodes * parts[i] for parts, nodes in rows), Fraction(0)) for i in (0, 1))
    return num / den if den else Fraction(0)
