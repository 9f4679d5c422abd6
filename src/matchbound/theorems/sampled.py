"""Sharper forms of the paper's theorems where the gap costs probability too.

Either both matchers ran on samples only, and the gap between them was seen on S'; or the guarantees
are about nodes to come, and all that was seen are independent draws of their distribution. Every
difference at a node counts as a whole loss, so that nothing need be known of how many matches a
node has.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from matchbound import bounds
from matchbound.bounds.sample import DEFAULT_VARIANCE
from matchbound.choices import Choices
from matchbound.errors import AssumptionError
from matchbound.tallies import Tally
from matchbound.theorems import gaps, labels
from matchbound.theorems.terms import (
    Finding,
    Known,
    estimate,
    found,
    matched_nodes,
    need,
    pick_bound,
    recall_lower,
    share_of_cells,
    subset_lower,
)


def precision(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """P ≥ (lower(1_{X_H})·P_H − upper(1{d* > 0})) / upper(1_{X_C})."""
    delta, *others = choices.shares(4 if complete else 1)
    bound = pick_bound(choices, "precision", choices.at_most_one_match)
    value = _holdout_precision(tally, choices, bound, delta)
    if complete:
        loss = gaps.precision_loss_one_to_one if choices.one_to_one else gaps.precision_loss
        lost = _share(tally, lambda *n: loss(*n) > 0, bounds.upper, others[0], choices)
        some = _share(tally, lambda h, c, hc: h > 0, bounds.lower, others[1], choices)
        kept = _share(tally, lambda h, c, hc: c > 0, bounds.upper, others[2], choices)
        if not any(c for _, c, *_ in tally.gap):
            raise AssumptionError(
                f"complete must match some node, got 0 of {tally.drawn}. "
                "Give a matcher that finds something, or a lower threshold."
            )
        value = (some * value - lost) / kept
    return Finding(value, estimate(labels.precisions(tally.fresh)), bound)


def recall(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """R ≥ R_H − upper(d_r) / lower(1_{X'})."""
    delta, *others = choices.shares(3 if complete else 1)
    bound = pick_bound(choices, "recall", choices.one_to_one)
    member, values = labels.recalls(tally.fresh)
    need(sum(member), "a true match", tally.fresh)
    holdout = Finding(0.0, estimate(np.array(values)[member].tolist()), bound)
    rest = tally.size - len(tally.train)
    if choices.future and bound == "betting":
        # Over all nodes, not over the members: an unlabelled node must not shrink the bets.
        share = found(tally) / tally.drawn
        variance = (choices.variance("recall") or DEFAULT_VARIANCE) * share
        value = bounds.ratio_lower(member, values, size=None, delta=delta, variance=variance)
    elif choices.future:
        value = _independent(np.array(values)[member].tolist(), delta, bound, choices, "recall")
    else:
        known = labels.recalls(tally.train)
        share = found(tally) / tally.drawn
        value = recall_lower(tally.fresh, rest, delta, bound, choices, share, _sums(*known))
    if complete:
        lost = _share(tally, gaps.recall_loss, bounds.upper, others[0], choices)
        matched = _matched_share(tally, rest, others[1], choices)
        value = value - lost / matched if matched else 0.0
    return replace(holdout, value=value)


def error_rate(tally: Tally, choices: Choices, complete: bool) -> Finding:
    """W ≤ W_H + upper(1{C ≠ H})."""
    delta, *others = choices.shares(2 if complete else 1)
    bound = pick_bound(choices, "error-rate", True)
    wrong = labels.errors(tally.fresh)
    need(len(wrong), "a label outside the training nodes", tally.validation)
    rest = tally.size - len(tally.train)
    high = bounds.upper(
        wrong,
        size=None if choices.future else rest,
        delta=delta,
        method=bound,
        variance=choices.variance("error-rate"),
    )
    value = high
    if not choices.future:
        value = (sum(labels.errors(tally.train)) + rest * high) / tally.size
    if complete:
        value += _share(tally, gaps.differs, bounds.upper, others[0], choices)
    return Finding(value, estimate(wrong), bound)


def _holdout_precision(tally: Tally, choices: Choices, bound: str, delta: float) -> float:
    member, values = labels.found(tally.fresh)
    need(sum(member), "a match of the holdout matcher", tally.fresh)
    if choices.future:
        seen = labels.precisions(tally.fresh)
        return _independent(seen, delta, bound, choices, "precision")
    share = found(tally) / tally.drawn
    variance = (choices.variance("precision") or DEFAULT_VARIANCE) * share
    size = tally.size - len(tally.train), len(member) - sum(member)
    known = _sums(*labels.found(tally.train))
    return subset_lower(member, values, size, delta, bound, variance, known)


def _independent(
    values: list[float], delta: float, bound: str, choices: Choices, metric: str
) -> float:
    """Values at nodes that are independent draws of the nodes to come."""
    return bounds.lower(
        values, size=None, delta=delta, method=bound, variance=choices.variance(metric)
    )


def _matched_share(tally: Tally, rest: int, delta: float, choices: Choices) -> float:
    if not choices.future:
        return matched_nodes(tally, rest, delta, choices) / tally.size
    method = "auto" if choices.bound == "betting" else choices.bound
    return bounds.lower(labels.matched(tally.fresh), size=None, delta=delta, method=method)


def _share(
    tally: Tally,
    has: Callable[[int, int, int], bool],
    side: Callable[..., float],
    delta: float,
    choices: Choices,
) -> float:
    """A bound on the share of nodes whose cell has a property. Counts have no order to bet in."""
    unfit = ("auto", "betting", "anytime", "bernstein")
    method = "auto" if choices.bound in unfit else choices.bound
    size = None if choices.future else tally.size
    return share_of_cells(tally, has, side, size, delta, method)


def _sums(member: list[bool], values: list[float]) -> Known:
    return math.fsum(v for v, m in zip(values, member, strict=True) if m), sum(member)
