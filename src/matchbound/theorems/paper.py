"""The paper's Theorems 1 to 3, with three slips corrected.

S is drawn from all of X, D included. The gap is counted over a separate sample S'; in a census S'
has every node, and its means are exact. δ is divided equally among the terms, whether or not there
is a complete matcher.

If the user brought the labels, it was not drawn which of them form S, so the order-free bound
averages over it. Let t be the size of D and s that of L − D. Given L and D, a node of D is in S
with probability s/n, and a node of L − D with probability 1 − t/n; each counts with this weight.
"""

import math
from collections.abc import Callable, Sequence

from matchbound import bounds
from matchbound.bounds import BOUNDS, weighted_lower
from matchbound.errors import AssumptionError
from matchbound.theorems import gaps, nodes
from matchbound.theorems.design import Design, chosen_row, or_default
from matchbound.theorems.tally import Cell, Label, Tally
from matchbound.theorems.terms import (
    Finding,
    bounded,
    count_with,
    estimate,
    matched_count,
    matched_share,
    most_matches,
    ratio_lower,
    require_some,
    share_of_cells,
    sure,
    worst,
)


def precision(tally: Tally, design: Design, complete: bool) -> Finding:
    """P ≥ (lower(1_{X_H})·P_H − upper(d_p)) / upper(1_{X_C})."""
    cells = _compared(tally, design)
    most = most_matches(cells, design)
    bound = _bound(design, most <= 1)
    delta, *others = design.shares(4)
    drawn, weights = _sample(tally, design)
    member, values = nodes.precisions_if_matched(drawn)
    size = _holdout_size(tally, design, cells)
    require_some(sum(member), "a match of the holdout matcher", drawn)
    variance = design.planned_variance()
    over_all = None if variance is None else variance * matched_share(cells)

    def at(d: float) -> float:
        if weights:
            return weighted_lower(values, weights, member=member, delta=d, variance=over_all)
        spread = or_default(variance, 1.0, bound)
        return bounds.lower(
            _members(member, values), size=size, delta=d, method=bound, variance=spread
        )

    value = bounded("paper precision labels", delta, at)
    if complete:
        holdout_share = _share(
            cells, "precision holdout", lambda c: c.h > 0, bounds.lower, others[0], (tally, design)
        )
        complete_share = _share(
            cells,
            "precision complete",
            lambda c: c.c > 0,
            bounds.upper,
            others[1],
            (tally, design),
        )
        if not complete_share:
            raise AssumptionError(
                f"complete must match some node, got 0 of {sum(c.nodes for c in cells)}. "
                "Give a matcher that finds something, or a lower threshold."
            )
        lost = _mean_loss(cells, most, others[2], tally, design)
        value = (holdout_share * value - lost) / complete_share
    return Finding(value, estimate(_members(member, values)), bound)


def recall(tally: Tally, design: Design, complete: bool) -> Finding:
    """R ≥ R_H − upper(d_r) / lower(1_{X'}); X' is X if every node has a true match."""
    cells, everyone = _compared(tally, design), design.every_node_matched
    bound = _bound(design, design.one_to_one)
    delta, *others = design.shares(2 if everyone else 3)
    drawn, weights = _sample(tally, design)
    member, values = nodes.recalls(drawn)
    require_some(sum(member), "a true match", drawn)
    share = 1.0 if everyone else design.matched or matched_share(cells)
    variance = design.planned_variance(share)

    def at(d: float) -> float:
        if weights:
            return weighted_lower(values, weights, member=member, delta=d, variance=variance)
        if BOUNDS[bound].bets:
            spread = or_default(variance, share, bound)
            return ratio_lower(member, values, tally.size, d, bound, spread)
        least = tally.size if everyone else sum(member)
        sizes = (least, tally.size - nodes.verified_without(drawn))
        return bounds.lower(_members(member, values), size=sizes, delta=d, method=bound)

    value = bounded("paper recall labels", delta, at)
    if complete:
        gap = _share(cells, "recall gap", gaps.drops, bounds.upper, others[0], (tally, design))
        if gap:
            matched = 1.0
            if not everyone:
                matched = _members_share(tally, drawn, weights, others[1], design)
            value = value - gap / matched if matched else 0.0
    return Finding(value, estimate(_members(member, values)), bound)


def error_rate(tally: Tally, design: Design, complete: bool) -> Finding:
    """W ≤ W_H + upper(1{C ≠ H})."""
    cells = _compared(tally, design)
    bound = _bound(design, True)
    delta, *others = design.shares(2)
    drawn, weights = _sample(tally, design)
    wrong = nodes.errors(drawn)
    variance = design.planned_variance()

    def at(d: float) -> float:
        if weights:
            right = [float(not is_wrong) for is_wrong in wrong]
            return 1 - weighted_lower(right, weights, delta=d, variance=variance)
        spread = or_default(variance, 1.0, bound)
        return bounds.upper(wrong, size=tally.size, delta=d, method=bound, variance=spread)

    value = bounded("paper error-rate labels", delta, at)
    if complete:
        value += _share(
            cells, "error-rate gap", gaps.differs, bounds.upper, others[0], (tally, design)
        )
    return Finding(value, estimate(wrong), bound)


def _compared(tally: Tally, design: Design) -> tuple[Cell, ...]:
    return tally.gap if design.gap else tally.everywhere


def _bound(design: Design, binary: bool) -> str:
    return "orderfree" if design.brought else design.labels_bound(binary)


def _sample(tally: Tally, design: Design) -> tuple[tuple[Label, ...], list[float]]:
    """S, if it was drawn; or all labels that the user brought, and their weights."""
    if not design.brought:
        return _with_unlabelled(tally.validation), []
    trained, fresh = len(tally.train), len(tally.fresh)
    require_some(fresh, "a label outside the training nodes", tally.train)
    weights = [fresh / tally.size] * trained + [1 - trained / tally.size] * fresh
    return (*tally.train, *tally.fresh), weights


def _with_unlabelled(labels: tuple[Label, ...]) -> tuple[Label, ...]:
    """All of S: its nodes without a label count as the worst case."""
    return worst("unlabelled validation nodes", labels, sure(labels))


def _members_share(
    tally: Tally,
    drawn: Sequence[Label],
    weights: list[float],
    delta: float,
    design: Design,
) -> float:
    seen = nodes.matched(drawn)

    def at(d: float) -> float:
        if weights:
            return weighted_lower(list(map(float, seen)), weights, delta=d, variance=None)
        return bounds.lower(seen, size=tally.size, delta=d, method=design.bound)

    return bounded("paper recall members", delta, at)


def _holdout_size(tally: Tally, design: Design, cells: Sequence[Cell]) -> int | tuple[int, int]:
    """|X_H|, or the range in which it is."""
    count = matched_count(cells)
    if not design.gap:
        return count
    without = sum(label.h == 0 for label in tally.validation)
    return len(tally.validation) - without, tally.size - without


def _share(
    cells: Sequence[Cell],
    name: str,
    has: Callable[[Cell], bool],
    side: Callable[..., float],
    delta: float,
    of: tuple[Tally, Design],
) -> float:
    """A bound on the share of nodes whose cell has a property; exact in a census."""
    tally, design = of
    if not design.gap:
        return count_with(cells, has) / tally.size
    method = _of_a_histogram(design, "hypergeometric")
    return bounded(
        f"paper {name}",
        delta,
        lambda d: share_of_cells(cells, has, side, tally.size, d, method),
    )


def _mean_loss(
    cells: Sequence[Cell], most: int, delta: float, tally: Tally, design: Design
) -> float:
    """An upper bound on the mean of d_p, if a node has at most `most` matches."""
    losses = [gaps.paper_precision_loss(cell) for cell in cells]
    counts = [cell.nodes for cell in cells]
    if not design.gap:
        return math.fsum(d * n for d, n in zip(losses, counts, strict=True)) / tally.size
    method = _of_a_histogram(design, "bernstein")
    return bounded(
        "paper precision gap",
        delta,
        lambda d: bounds.upper(
            losses, counts=counts, size=tally.size, delta=d, span=(0, 1 + most), method=method
        ),
    )


def _of_a_histogram(design: Design, otherwise: str) -> str:
    """The chosen bound if it accepts a histogram of any values, or else `otherwise`."""
    row = chosen_row(design.bound)
    return design.bound if row is not None and row.from_counts else otherwise


def _members(member: Sequence[bool], values: Sequence[float]) -> list[float]:
    return [value for value, belongs in zip(values, member, strict=True) if belongs]
