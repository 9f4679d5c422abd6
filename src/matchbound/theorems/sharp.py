"""Precision, recall and error rate where both matchers ran over the whole population.

D's labels are counted exactly: given D, the nodes of S outside it are a uniform sample of X − D.
Only statements about the holdout matcher take a part of δ: how many of its matches are right, how
many true matches it has, how many nodes have a true match. Bounds on the complete matcher follow
from these: labelled nodes (L) have their values, and the gap is counted outside L. Without a
complete matcher, the holdout one takes its place and the gap is 0, so certificates of both hold on
the same event.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from matchbound.theorems import costs, gaps, members, nodes, ratios
from matchbound.theorems.design import Design, or_default
from matchbound.theorems.tally import Cell, Tally
from matchbound.theorems.terms import (
    Finding,
    bounded,
    count_with,
    estimate,
    matched_count,
    mean_lower,
    most_matches,
    require_some,
    sampled,
    trained,
    worst,
)
from matchbound.theorems.weighted import Holdout


def precision(tally: Tally, design: Design, complete: bool, errors: int = 0) -> Finding:
    """P ≥ (Σ_L p_C + max(0, Σ_{X−L} p_H − Σ_{X−L} d)) / |X_C|, Σ_X p_H bounded from below.

    Here and below, at most `errors` labels of S − D are wrong.
    """
    holdout = holdout_right(tally, design, errors)
    value = complete_precision(tally, design, Fraction(holdout.value))
    if errors:
        cost = max(costs.precision(label, design.one_to_one) for label in tally.fresh)
        value -= errors * cost / matched_count(tally.everywhere, "complete")
    return replace(holdout, value=float(value))


def holdout_right(tally: Tally, design: Design, errors: int = 0) -> Finding:
    """A lower bound on Σ_X p_H: D's part is known, and the mean elsewhere is bounded from S − D."""
    (delta,) = design.shares(1)
    bound = design.labels_bound(most_matches(tally.everywhere, design) <= 1)
    variance = or_default(design.planned_variance(), 1.0, bound)
    if design.weigh:
        return _right_by_weight(tally, design, delta)
    known, fresh = nodes.precisions(trained(tally)), nodes.precisions(sampled(tally))
    rest = matched_count(tally.everywhere) - sum(label.h > 0 for label in tally.train)
    right = math.fsum(known)
    if rest:
        require_some(len(fresh), "a match of the holdout matcher", tally.fresh)
        right += rest * bounded(
            "sharp precision labels",
            delta,
            lambda d: mean_lower(fresh, rest, d, bound, variance, errors),
        )
    right = max(right, math.fsum(nodes.precisions(tally.labelled)) - errors)
    return Finding(right, estimate(fresh or known), bound)


def _right_by_weight(tally: Tally, design: Design, delta: float) -> Finding:
    """`holdout_right` from a draw by weight."""
    holdout = Holdout(ratios.PRECISION, tally, design, 1)
    low = holdout.lower("sharp precision labels", delta)
    right = low * matched_count(tally.everywhere)
    right = max(right, math.fsum(nodes.precisions(tally.labelled)))
    return Finding(right, holdout.estimate, design.labels_bound(False))


def complete_precision(tally: Tally, design: Design, right: Fraction) -> Fraction:
    """The precision of C that follows, with certainty, from a lower bound on Σ_X p_H."""
    return complete_right(tally, design, right) / matched_count(tally.everywhere, "complete")


def complete_right(tally: Tally, design: Design, right: Fraction) -> Fraction:
    """A lower bound on Σ_X p_C that follows from one on Σ_X p_H."""
    loss = gaps.precision_loss_one_to_one if design.one_to_one else gaps.precision_loss
    lost = sum((cell.nodes * loss(cell) for cell in tally.gap), Fraction(0))
    lost = worst("sharp precision gap", lost, Fraction(0))
    before = _sum_of_ratios((label.ht, label.h) for label in tally.labelled)
    after = _sum_of_ratios((label.ct, label.c) for label in tally.labelled)
    return after + max(Fraction(0), right - before - lost)


def recall(tally: Tally, design: Design, complete: bool, errors: int = 0) -> Finding:
    """R ≥ the least over N = |X'| of (Σ_L r_C + max(0, A(N) − Σ_L r_H − loss)) / N.

    A(N) bounds Σ r_H from below if N nodes have a true match.
    """
    is_known = design.every_node_matched
    delta, delta_members = (*design.shares(1), 0.0) if is_known else design.shares(2)
    bound = design.labels_bound(design.one_to_one)
    right = None if errors else right_elsewhere(tally, design)
    least, most = members.range_of(tally, design, delta_members, right, errors)
    after = math.fsum(nodes.complete_recalls(tally.labelled))
    after -= errors * max(costs.recall(label) for label in tally.fresh) if errors else 0.0
    lost = worst("sharp recall gap", recall_lost(tally, tally.gap, right), 0.0)
    spent = math.fsum(nodes.recalls(tally.labelled)[1]) + lost
    floor = least_found(tally, design, right)

    def at(d: float) -> float:
        sums = members.recall_sum(tally, design, d, bound, errors)
        return members.worst_ratio(sums, least, most, after, spent, floor)

    if design.weigh:
        return _recall_by_weight(tally, design, least, most, after, spent, floor)
    value = bounded("sharp recall labels", delta, at)
    member, values = nodes.recalls(tally.fresh or tally.train)
    seen = [value for value, belongs in zip(values, member, strict=True) if belongs]
    return Finding(value, estimate(seen), bound)


def _recall_by_weight(
    tally: Tally,
    design: Design,
    least: int,
    most: int,
    after: float,
    spent: float,
    floor: float,
) -> Finding:
    """Recall from a draw by weight: Σ r_H ≥ ρ·N for every N, or ρ·|X_H| where N is known."""
    (delta,) = design.shares(1)
    holdout = Holdout(ratios.RECALL, tally, design, 1)
    if design.every_node_matched:
        planned = members.where_found(tally, design)
        found = Holdout(ratios.RECALL_WHERE_FOUND, tally, planned, 1)
        low = found.lower("sharp recall labels", delta)
        line = members.Line(low * matched_count(tally.everywhere), 0.0)
    else:
        line = members.Line(0.0, holdout.lower("sharp recall labels", delta))
    value = members.worst_ratio(line, least, most, after, spent, floor)
    return Finding(value, holdout.estimate, design.labels_bound(False))


def error_rate(tally: Tally, design: Design, complete: bool, errors: int = 0) -> Finding:
    """W ≤ (Σ_L w_C + min(|X − L|, Σ_{X−L} w_H + |{x not in L: C ≠ H}|)) / n."""
    holdout = holdout_wrong(tally, design, errors)
    return _complete_errors(tally, holdout.value, holdout, errors)


def holdout_wrong(tally: Tally, design: Design, errors: int = 0) -> Finding:
    """An upper bound on the number of nodes at which H is wrong."""
    (delta,) = design.shares(1)
    bound = design.labels_bound(True)
    rest = tally.size - len(tally.train)
    wrong = float(sum(nodes.errors(trained(tally))))
    fresh = nodes.errors(sampled(tally))
    right = [float(not is_wrong) for is_wrong in fresh]
    if design.weigh:
        holdout = Holdout(ratios.EXACT, tally, design, 1)
        wrong = tally.size * (1 - holdout.lower("sharp error-rate labels", delta))
        right_share = holdout.estimate
        return Finding(wrong, None if right_share is None else 1 - right_share, "star")
    variance = or_default(design.planned_variance(), 1.0, bound)
    if rest:
        require_some(len(fresh), "a label outside the training nodes", tally.validation)
        wrong += rest * bounded(
            "sharp error-rate labels",
            delta,
            lambda d: 1 - mean_lower(right, rest, d, bound, variance, errors),
        )
    return Finding(wrong, estimate(fresh or nodes.errors(tally.train)), bound)


def _complete_errors(tally: Tally, wrong: float, holdout: Finding, errors: int = 0) -> Finding:
    """The error rate of C that follows from a bound on the number of nodes at which H is wrong."""
    differing = worst("sharp error-rate gap", count_with(tally.gap, gaps.differs), 0)
    elsewhere = wrong - sum(nodes.errors(tally.labelled)) + differing
    after: float = sum(nodes.complete_errors(tally.labelled))
    after += errors * max(costs.error_rate(label) for label in tally.fresh) if errors else 0
    value = (after + min(tally.size - len(tally.labelled), max(elsewhere, 0.0))) / tally.size
    return replace(holdout, value=value)


def right_elsewhere(tally: Tally, design: Design) -> float | None:
    """U, a lower bound on Σ_{X−L} p_H, if precision is certified on the same event; else None."""
    precision = design.beside.get("precision")
    if precision is None:
        return None
    right = holdout_right(tally, precision).value
    return max(0.0, right - math.fsum(nodes.precisions(tally.labelled)))


def recall_lost(tally: Tally, cells: Sequence[Cell], right: float | None) -> float:
    """The most that recall can fall in sum over cells outside L, node by node, or by precision's.

    A dropped match is the only true one only if the holdout matcher's other matches there are
    wrong, and the bound on precision limits how many are.
    """
    lost = sum((cell.nodes * gaps.recall_loss(cell) for cell in cells), Fraction(0))
    if right is None:
        return float(lost)
    shares = sum((cell.nodes * gaps.dropped_share(cell) for cell in cells), Fraction(0))
    wrong = count_with(tally.gap, lambda cell: cell.h > 0) - right
    return min(float(lost), float(shares) + wrong)


def least_found(tally: Tally, design: Design, right: float | None) -> float:
    """A lower bound on Σ r_H: Σ p_H's where a node has at most one true match; else 0."""
    if right is None or not design.one_to_one:
        return 0.0
    return right + math.fsum(nodes.precisions(tally.labelled))


def _sum_of_ratios(pairs: Iterable[tuple[int | None, int]]) -> Fraction:
    counts = Counter(pairs)
    return sum(
        (n * Fraction(part or 0, whole) for (part, whole), n in counts.items() if whole),
        Fraction(0),
    )
