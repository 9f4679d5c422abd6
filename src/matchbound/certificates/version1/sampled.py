"""Version 1's sharp theorems where the gap was sampled, or about nodes to come."""

import math
from collections.abc import Callable

import numpy as np

from matchbound.certificates.version1.bounds import Known, lower, ratio_lower, upper
from matchbound.certificates.version1.choices import Choices
from matchbound.certificates.version1.tally import Tally
from matchbound.certificates.version1.terms import (
    Finding,
    differs,
    errors,
    estimate,
    is_dropped,
    matched,
    matched_by_holdout,
    matched_nodes,
    pick_bound,
    planned,
    precision_loss,
    precisions,
    recall_lower,
    recalls,
    require,
    share_of_cells,
    subset_lower,
)


def precision(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """P ≥ (lower(1_{X_H})·P_H − upper(1{d* > 0})) / upper(1_{X_C})."""
    delta, *others = choices.shares(4 if complete else 1)
    bound = pick_bound(choices, "precision", choices.at_most_one_match)
    value = _holdout_precision(tally, choices, bound, delta)
    if complete:
        require(tally.nodes(lambda h, c, hc: c > 0), "a match of the complete matcher")

        def loses(h: int, c: int, hc: int) -> bool:
            return precision_loss(choices, h, c, hc) > 0

        lost = _share(tally, loses, upper, others[0], choices)
        some = _share(tally, lambda h, c, hc: h > 0, lower, others[1], choices)
        kept = _share(tally, lambda h, c, hc: c > 0, upper, others[2], choices)
        value = (some * value - lost) / kept
    return Finding(value, estimate(precisions(tally.fresh)), bound)


def recall(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """R ≥ R_H − upper(d_r) / lower(1_{X'})."""
    delta, *others = choices.shares(3 if complete else 1)
    bound = pick_bound(choices, "recall", choices.one_to_one)
    member, values = recalls(tally.fresh)
    require(sum(member), "a true match")
    members = np.array(values)[member].tolist()
    rest = tally.size - len(tally.train)
    if choices.future and bound == "betting":
        variance = planned(tally, choices, "recall")
        value = ratio_lower(member, values, size=None, delta=delta, variance=variance)
    elif choices.future:
        value = _independent(members, delta, bound, choices, "recall")
    else:
        known = _sums(*recalls(tally.train))
        value = recall_lower(tally, tally.fresh, rest, delta, bound, choices, known)
    if complete:
        lost = _share(tally, is_dropped, upper, others[0], choices)
        share = _matched_share(tally, rest, others[1], choices)
        value = value - lost / share if share else 0.0
    return Finding(value, estimate(members), bound)


def error_rate(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """W ≤ W_H + upper(1{C ≠ H})."""
    delta, *others = choices.shares(2 if complete else 1)
    bound = pick_bound(choices, "error-rate", True)
    wrong = errors(tally.fresh)
    require(len(wrong), "a label outside the training nodes")
    rest = tally.size - len(tally.train)
    size, variance = None if choices.future else rest, choices.variance("error-rate")
    value = upper(wrong, size=size, delta=delta, method=bound, variance=variance)
    if not choices.future:
        value = (sum(errors(tally.train)) + rest * value) / tally.size
    if complete:
        value += _share(tally, differs, upper, others[0], choices)
    return Finding(value, estimate(wrong), bound)


def _holdout_precision(tally: Tally, choices: Choices, bound: str, delta: float) -> float:
    member, values = matched_by_holdout(tally.fresh)
    require(sum(member), "a match of the holdout matcher")
    if choices.future:
        return _independent(precisions(tally.fresh), delta, bound, choices, "precision")
    size = tally.size - len(tally.train), len(member) - sum(member)
    known = _sums(*matched_by_holdout(tally.train))
    variance = planned(tally, choices, "precision")
    return subset_lower(member, values, size, delta, bound, variance, known)


def _independent(
    values: list[float], delta: float, bound: str, choices: Choices, metric: str
) -> float:
    """Values at nodes that are independent draws of the nodes to come."""
    return lower(values, size=None, delta=delta, method=bound, variance=choices.variance(metric))


def _matched_share(tally: Tally, rest: int, delta: float, choices: Choices) -> float:
    if not choices.future:
        return matched_nodes(tally, rest, delta, choices) / tally.size
    method = "auto" if choices.bound == "betting" else choices.bound
    return lower(matched(tally.fresh), size=None, delta=delta, method=method)


def _share(
    tally: Tally,
    has: Callable[[int, int, int], bool],
    side: Callable[..., float],
    delta: float,
    choices: Choices,
) -> float:
    """A bound on the share of nodes whose cell has a property."""
    unfit = ("auto", "betting", "anytime", "bernstein")
    method = "auto" if choices.bound in unfit else choices.bound
    size = None if choices.future else tally.size
    return share_of_cells(tally, has, side, size, delta, method)


def _sums(member: list[bool], values: list[float]) -> Known:
    return math.fsum(v for v, m in zip(values, member, strict=True) if m), sum(member)
