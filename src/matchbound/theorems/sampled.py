"""Precision, recall and error rate where bounds on the gap take a part of δ too.

Either both matchers ran on samples only, and the gap between them is counted on S'; or the
guarantees are about nodes to come, and all nodes seen are independent draws of their distribution.
δ is divided among the terms in the same way, whether or not there is a complete matcher.
"""

import math
from collections.abc import Callable

import numpy as np

from matchbound import bounds
from matchbound.bounds import BOUNDS
from matchbound.theorems import gaps, nodes
from matchbound.theorems.design import AUTO, Design, chosen_row, or_default
from matchbound.theorems.tally import Cell, Tally
from matchbound.theorems.terms import (
    NOTHING,
    Finding,
    Known,
    bounded,
    estimate,
    matched_count,
    matched_share,
    mean_lower,
    ratio_lower,
    require_some,
    sampled,
    share_of_cells,
    trained,
)

GAP_VARIANCE = 0.01  # the planned variance of d*, small because few nodes have a gap


def precision(tally: Tally, design: Design, complete: bool) -> Finding:
    """P ≥ (lower(1_{X_H})·P_H − upper(d*)) / upper(1_{X_C})."""
    delta, *others = design.shares(4)
    bound = design.labels_bound(design.at_most_one_match)
    fresh = sampled(tally)
    member, values = nodes.precisions_if_matched(fresh)
    require_some(sum(member), "a match of the holdout matcher", tally.fresh)
    known = NOTHING if design.future else _sums(*nodes.precisions_if_matched(trained(tally)))
    variance = design.planned_variance()
    share = matched_share(tally.gap)
    over_all = None if variance is None else variance * share
    rest = tally.size - len(tally.train)
    sizes = (sum(member), rest - (len(member) - sum(member)))

    def at(d: float) -> float:
        if design.future:
            return _independent(_members(member, values), d, bound, variance)
        if BOUNDS[bound].bets:
            spread = or_default(over_all, share, bound)
            return ratio_lower(member, values, rest, d, bound, spread, known)
        return _over_sizes(_members(member, values), sizes, d, bound, known)

    value = bounded("sampled precision labels", delta, at)
    if complete:
        matched_count(tally.gap, "complete")
        lost = _mean_loss(tally, others[0], design)
        holdout_share = _share(
            tally, "precision holdout", lambda c: c.h > 0, bounds.lower, others[1], design
        )
        complete_share = _share(
            tally, "precision complete", lambda c: c.c > 0, bounds.upper, others[2], design
        )
        value = (holdout_share * value - lost) / complete_share
    return Finding(value, estimate(nodes.precisions(fresh)), bound)


def recall(tally: Tally, design: Design, complete: bool) -> Finding:
    """R ≥ R_H − upper(d_r) / lower(1_{X'}); X' is X if every node has a true match."""
    everyone = design.every_node_matched
    delta, *others = design.shares(2 if everyone else 3)
    bound = design.labels_bound(design.one_to_one)
    fresh = sampled(tally)
    member, values = nodes.recalls(fresh)
    require_some(sum(member), "a true match", tally.fresh)
    known = NOTHING if design.future else _sums(*nodes.recalls(trained(tally)))
    rest = tally.size - len(tally.train)
    share = 1.0 if everyone else design.matched or matched_share(tally.gap)
    variance = design.planned_variance(share)
    sizes = (rest, rest) if everyone else (sum(member), rest - nodes.verified_without(fresh))

    def at(d: float) -> float:
        if BOUNDS[bound].bets:
            size = None if design.future else rest
            spread = or_default(variance, share, bound)
            return ratio_lower(member, values, size, d, bound, spread, known)
        if design.future:
            return _independent(_members(member, values), d, bound, variance)
        return _over_sizes(_members(member, values), sizes, d, bound, known)

    value = bounded("sampled recall labels", delta, at)
    if complete:
        lost = _share(tally, "recall gap", gaps.drops, bounds.upper, others[0], design)
        matched = 1.0 if everyone else _members_share(tally, others[1], design)
        value = value - lost / matched if matched else 0.0
    return Finding(value, estimate(_members(member, values)), bound)


def error_rate(tally: Tally, design: Design, complete: bool) -> Finding:
    """W ≤ W_H + upper(1{C ≠ H})."""
    delta, *others = design.shares(2)
    bound = design.labels_bound(True)
    fresh = nodes.errors(sampled(tally))
    require_some(len(fresh), "a label outside the training nodes", tally.validation)
    rest = tally.size - len(tally.train)
    size = None if design.future else rest
    variance = or_default(design.planned_variance(), 1.0, bound)
    value = bounded(
        "sampled error-rate labels",
        delta,
        lambda d: bounds.upper(fresh, size=size, delta=d, method=bound, variance=variance),
    )
    if not design.future:
        value = (sum(nodes.errors(trained(tally))) + rest * value) / tally.size
    if complete:
        value += _share(tally, "error-rate gap", gaps.differs, bounds.upper, others[0], design)
    return Finding(value, estimate(fresh), bound)


def _over_sizes(
    values: list[float], sizes: tuple[int, int], delta: float, bound: str, known: Known
) -> float:
    """A lower bound on the mean over members and known ones, for any number of members."""
    share = BOUNDS[bound].share
    if share is not None:
        return share(np.array(values), sizes, delta, known)
    low = bounds.lower(values, size=sizes, delta=delta, method=bound)
    return min((known[0] + n * low) / (known[1] + n) for n in sizes)


def _independent(values: list[float], delta: float, bound: str, variance: float | None) -> float:
    """A lower bound on the mean over nodes to come, of which the values are independent draws."""
    return mean_lower(values, None, delta, bound, or_default(variance, 1.0, bound))


def _mean_loss(tally: Tally, delta: float, design: Design) -> float:
    """An upper bound on the mean of d*, from its histogram over the gap's sample."""
    loss = gaps.precision_loss_one_to_one if design.one_to_one else gaps.precision_loss
    losses = [float(loss(cell)) for cell in tally.gap]
    counts = [cell.nodes for cell in tally.gap]
    size = None if design.future else tally.size
    method = _gap_bound(design, "orderfree")
    return bounded(
        "sampled precision gap",
        delta,
        lambda d: bounds.upper(
            losses, counts=counts, size=size, delta=d, method=method, variance=GAP_VARIANCE
        ),
    )


def _members_share(tally: Tally, delta: float, design: Design) -> float:
    """A lower bound on the share of nodes with a true match."""
    seen = nodes.matched(tally.fresh)
    rest = tally.size - len(tally.train)
    size = None if design.future else rest
    method = "binomial" if design.future else design.members_bound
    low = bounded(
        "sampled recall members",
        delta,
        lambda d: bounds.lower(seen, size=size, delta=d, method=method),
    )
    if design.future:
        return low
    known = sum(nodes.matched(tally.train))
    return (known + max(rest * low, sum(seen))) / tally.size


def _share(
    tally: Tally,
    name: str,
    has: Callable[[Cell], bool],
    side: Callable[..., float],
    delta: float,
    design: Design,
) -> float:
    """A bound on the share of nodes whose cell has a property.

    It cannot be a bound that bets in draw order: counts have none.
    """
    method = _gap_bound(design, AUTO)
    size = None if design.future else tally.size
    return bounded(
        f"sampled {name}",
        delta,
        lambda d: share_of_cells(tally.gap, has, side, size, d, method),
    )


def _gap_bound(design: Design, otherwise: str) -> str:
    """The chosen bound if it depends on the mean alone and so fits every term; else `otherwise`."""
    row = chosen_row(design.bound)
    return design.bound if row is not None and row.by_mean else otherwise


def _members(member: list[bool], values: list[float]) -> list[float]:
    return [value for value, belongs in zip(values, member, strict=True) if belongs]


def _sums(member: list[bool], values: list[float]) -> Known:
    return math.fsum(_members(member, values)), sum(member)
