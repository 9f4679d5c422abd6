"""Version 1's form of the paper's theorems."""

import math
from collections.abc import Callable

from matchbound.certificates.version1.bounds import lower, upper
from matchbound.certificates.version1.choices import Choices
from matchbound.certificates.version1.tally import Tally
from matchbound.certificates.version1.terms import (
    Finding,
    differs,
    errors,
    estimate,
    is_dropped,
    matched,
    matched_count,
    most_matches,
    paper_precision_loss,
    pick_bound,
    precision_lower,
    precisions,
    recall_lower,
    recalls,
    require,
    share_of_cells,
)


def precision(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """P ≥ (lower(1_{X_H})·P_H − upper(d_p)) / upper(1_{X_C})."""
    most = most_matches(tally, choices)
    bound = pick_bound(choices, "precision", most <= 1)
    delta, *others = choices.shares(4 if complete else 1)
    value = precision_lower(tally.validation, _found_by_holdout(tally), delta, bound, choices)
    if complete:
        some = _share(tally, lambda h, c, hc: h > 0, lower, others[0], choices)
        kept = _share(tally, lambda h, c, hc: c > 0, upper, others[1], choices)
        require(kept > 0, "a match of the complete matcher")
        value = (some * value - _precision_gap(tally, most, others[2], choices)) / kept
    return Finding(value, estimate(precisions(tally.validation)), bound)


def recall(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """R ≥ R_H − upper(d_r) / lower(1_{X'})."""
    bound = pick_bound(choices, "recall", choices.one_to_one)
    delta, *others = choices.shares(3 if complete else 1)
    value = recall_lower(tally, tally.validation, tally.size, delta, bound, choices)
    gap = _share(tally, is_dropped, upper, others[0], choices) if complete else 0.0
    if gap:
        seen = matched(tally.validation)
        share = lower(seen, size=tally.size, delta=others[1], method=choices.bound)
        value = value - gap / share if share else 0.0
    member, values = recalls(tally.validation)
    return Finding(value, estimate([v for v, m in zip(values, member, strict=True) if m]), bound)


def error_rate(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """W ≤ W_H + upper(1{C ≠ H})."""
    bound = pick_bound(choices, "error-rate", True)
    delta, *others = choices.shares(2 if complete else 1)
    wrong = errors(tally.validation)
    variance = choices.variance("error-rate")
    value = upper(wrong, size=tally.size, delta=delta, method=bound, variance=variance)
    if complete:
        value += _share(tally, differs, upper, others[0], choices)
    return Finding(value, estimate(wrong), bound)


def _found_by_holdout(tally: Tally) -> tuple[int, int]:
    """The least and the most that |X_H| can be."""
    count = matched_count(tally)
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
        return tally.nodes(has) / tally.size
    method = _of_a_histogram(choices, "hypergeometric")
    return share_of_cells(tally, has, side, tally.size, delta, method)


def _precision_gap(tally: Tally, most: int, delta: float, choices: Choices) -> float:
    """An upper bound on the mean of d_p, which is at most 1 + (the most matches of a node)."""
    losses = [paper_precision_loss(h, c, hc) for h, c, hc, _ in tally.gap]
    counts = [n for *_, n in tally.gap]
    if tally.is_census:
        return math.fsum(d * n for d, n in zip(losses, counts, strict=True)) / tally.size
    method = _of_a_histogram(choices, "bernstein")
    span = (0, 1 + most)
    return upper(losses, counts=counts, size=tally.size, delta=delta, span=span, method=method)


def _of_a_histogram(choices: Choices, otherwise: str) -> str:
    """The bound chosen, if it needs no order and takes what it is given."""
    unfit = ("auto", "betting", "hypergeometric")
    return otherwise if choices.bound in unfit else choices.bound
