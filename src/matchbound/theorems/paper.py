"""The paper's Theorems 1 to 3 as it has them, with its three slips corrected.

S ranges over all of X, D included. The gap is counted over a sample S' of its own; a census is the
sample that holds every node, and its means are exact.
"""

import math
from collections.abc import Callable

from matchbound import bounds
from matchbound.choices import Choices
from matchbound.errors import AssumptionError
from matchbound.tallies import Tally
from matchbound.theorems import gaps, labels
from matchbound.theorems.terms import (
    Finding,
    cells_with,
    estimate,
    found,
    most_matches,
    pick_bound,
    precision_lower,
    recall_lower,
    share_of_cells,
)


def precision(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """P ≥ (lower(1_{X_H})·P_H − upper(d_p)) / upper(1_{X_C})."""
    most = most_matches(tally, choices)
    bound = pick_bound(choices, "precision", most <= 1)
    delta, *others = choices.shares(4 if complete else 1)
    value = precision_lower(tally.validation, _found_by_holdout(tally), delta, bound, choices)
    if complete:
        found_share = _share(tally, lambda h, c, hc: h > 0, bounds.lower, others[0], choices)
        kept_share = _share(tally, lambda h, c, hc: c > 0, bounds.upper, others[1], choices)
        if not kept_share:
            raise AssumptionError(
                f"complete must match some node, got 0 of {tally.drawn}. "
                "Give a matcher that finds something, or a lower threshold."
            )
        value = (found_share * value - _precision_gap(tally, most, others[2], choices)) / kept_share
    return Finding(value, estimate(labels.precisions(tally.validation)), bound)


def recall(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """R ≥ R_H − upper(d_r) / lower(1_{X'})."""
    bound = pick_bound(choices, "recall", choices.one_to_one)
    delta, *others = choices.shares(3 if complete else 1)
    share = found(tally) / tally.drawn
    value = recall_lower(tally.validation, tally.size, delta, bound, choices, share)
    if complete:
        gap = _share(tally, gaps.recall_loss, bounds.upper, others[0], choices)
        if gap:
            seen = labels.matched(tally.validation)
            share = bounds.lower(seen, size=tally.size, delta=others[1], method=choices.bound)
            value = value - gap / share if share else 0.0
    member, values = labels.recalls(tally.validation)
    return Finding(value, estimate([v for v, m in zip(values, member, strict=True) if m]), bound)


def error_rate(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """W ≤ W_H + upper(1{C ≠ H})."""
    bound = pick_bound(choices, "error-rate", True)
    delta, *others = choices.shares(2 if complete else 1)
    wrong = labels.errors(tally.validation)
    value = bounds.upper(
        wrong,
        size=tally.size,
        delta=delta,
        method=bound,
        variance=choices.variance("error-rate"),
    )
    if complete:
        value += _share(tally, gaps.differs, bounds.upper, others[0], choices)
    return Finding(value, estimate(wrong), bound)


def _found_by_holdout(tally: Tally) -> tuple[int, int]:
    """The least and the most that |X_H| can be."""
    count = found(tally)
    if tally.is_census:
        return count, count
    without = sum(h == 0 for h, *_ in tally.validation)
    return len(tally.validation) - without, tally.size - without


def _share(
    tally: Tally,
    has: Callable[[int, int, int], bool],
    side: Callable[..., float],
    delta: float,
    choices: Choices,
) -> float:
    """A bound on the share of nodes whose cell has a property; exact in a census."""
    if tally.is_census:
        return cells_with(tally, has) / tally.size
    method = _of_a_histogram(choices, "hypergeometric")
    return share_of_cells(tally, has, side, tally.size, delta, method)


def _precision_gap(tally: Tally, most: int, delta: float, choices: Choices) -> float:
    """An upper bound on the mean of d_p, which is at most 1 + (the most matches of a node)."""
    losses = [gaps.paper_precision_loss(h, c, hc) for h, c, hc, _ in tally.gap]
    counts = [n for *_, n in tally.gap]
    if tally.is_census:
        return math.fsum(d * n for d, n in zip(losses, counts, strict=True)) / tally.size
    return bounds.upper(
        losses,
        counts=counts,
        size=tally.size,
        delta=delta,
        span=(0, 1 + most),
        method=_of_a_histogram(choices, "bernstein"),
    )


def _of_a_histogram(choices: Choices, otherwise: str) -> str:
    """The bound chosen, if it needs no order and takes what it is given."""
    unfit = ("auto", "betting", "hypergeometric")
    return otherwise if choices.bound in unfit else choices.bound
