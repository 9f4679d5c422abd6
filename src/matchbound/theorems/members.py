"""Nodes with a true match: their number N is unknown, so recall is bounded for the worst N."""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from matchbound import bounds
from matchbound.bounds import BOUNDS, DEFAULT_VARIANCE
from matchbound.theorems import nodes
from matchbound.theorems.design import Design, or_default
from matchbound.theorems.tally import Tally
from matchbound.theorems.terms import (
    Known,
    bounded,
    matched_count,
    matched_share,
    mean_lower,
    most_matches,
    ratio_lower,
    require_some,
    sampled,
    spoilt,
    trained,
    worst,
)

MOST_GUESSED = 0.995  # a guessed mean of 1 would have no variance


@dataclass(frozen=True)
class Line:
    """Σ r_H ≥ start + slope·N."""

    start: float
    slope: float


@dataclass(frozen=True)
class Steps:
    """Σ r_H ≥ known + ones(N − count), where `ones` does not fall.

    `share` bounds (sum + ones(n)) / (number + n) from below over a range of n. `fewest` is the
    least N that the sample leaves possible.
    """

    known: Known
    fewest: int
    ones: Callable[[int], int]
    share: Callable[[tuple[int, int], Known], float]


def least(tally: Tally, design: Design, delta: float, right: float | None, errors: int = 0) -> int:
    """A lower bound on |X'|: D's members are known, and the others' number is bounded from S − D.

    Without spending δ, it is at least the number of members in L, plus the nodes that are true
    matches in other nodes' labels; or plus the holdout matcher's right matches outside L (`right`),
    on the event on which precision is certified.
    """
    known = sum(nodes.matched(trained(tally)))
    rest = tally.size - len(tally.train)
    seen = spoilt([float(is_member) for is_member in nodes.matched(tally.fresh)], errors)
    bound = design.members_bound
    share = matched_share(tally.everywhere)
    planned = max(share * (1 - share), DEFAULT_VARIANCE)
    variance = None if BOUNDS[bound].unplanned else planned
    others = 0.0
    if rest and seen and not design.weigh:  # this bound is for uniform draws
        others = rest * bounded(
            "sharp recall members",
            delta,
            lambda d: mean_lower(seen, rest, d, bound, variance),
        )
    in_labels = sum(nodes.matched(tally.labelled)) - errors
    in_other_labels = sum(c.nodes for c in tally.gap if c.right + c.added_right + c.missed)
    more = 0 if errors else max(in_other_labels, right or 0.0)
    return _up(max(known + others, in_labels + more, 1))


def range_of(
    tally: Tally, design: Design, delta: float, right: float | None, errors: int = 0
) -> tuple[int, int]:
    """The least and the greatest |X'|; `least` has the arguments.

    It is n, without spending δ, where every node has a true match by promise.
    """
    if design.every_node_matched:
        return tally.size, tally.size
    most = sum(nodes.matched(tally.labelled)) + tally.size - len(tally.labelled) + errors
    return least(tally, design, delta, right, errors), most


def _up(number: float) -> int:
    """The number rounded up to a whole one, with an allowance for rounding errors."""
    return math.ceil(number - 1e-6)


def recall_sum(
    tally: Tally, design: Design, delta: float, bound: str, errors: int = 0
) -> Line | Steps:
    """A lower bound on Σ r_H, as a function of the number of nodes with a true match."""
    if design.every_node_matched and not _is_precision(tally, design):
        return Line(_sum_over_found(tally, design, delta, bound, errors), 0.0)
    known_member, known_values = nodes.recalls(trained(tally))
    known = math.fsum(known_values), sum(known_member)
    rest = tally.size - len(tally.train)
    fresh = sampled(tally)
    member, values = nodes.recalls(fresh)
    if not rest:
        require_some(known[1], "a true match", tally.train)
        return Line(known[0], 0.0)
    require_some(sum(member), "a true match", tally.fresh)
    if BOUNDS[bound].bets:
        share = design.matched or matched_share(tally.everywhere)
        variance = or_default(design.planned_variance(share), share, bound)
        low = ratio_lower(member, values, rest, delta, bound, variance, known, errors)
        return Line(0.0, low)
    seen = [value for value, belongs in zip(values, member, strict=True) if belongs]
    if BOUNDS[bound].binary:
        return _steps(spoilt(seen, errors), delta, bound, known)
    sizes = (len(seen), rest - nodes.verified_without(fresh))
    low = bounds.lower(seen, size=sizes, delta=delta, method=bound)
    return Line(known[0] - known[1] * low, low)


def _is_precision(tally: Tally, design: Design) -> bool:
    """Whether recall is precision at every node with a found match, and precision is bounded too.

    A bound over these nodes would be precision's again. Over all nodes it is one more, and the
    better of the two counts. No label decides which it is.
    """
    is_beside = design.one_to_one and "precision" in design.beside
    return is_beside and most_matches(tally.everywhere, design) <= 1


def _sum_over_found(tally: Tally, design: Design, delta: float, bound: str, errors: int) -> float:
    """A lower bound on Σ r_H if every node has a true match.

    r_H is 0 where the holdout matcher has no match, and the number of the other nodes is known. If
    the promise is false, a node without a true match counts as missed: with r_H = 0 there, Σ r_H
    is the same, and n is at least |X'|.
    """
    known = math.fsum(nodes.recalls(trained(tally))[1])
    fresh = nodes.recalls([label for label in sampled(tally) if label.h])[1]
    rest = matched_count(tally.everywhere) - sum(label.h > 0 for label in tally.train)
    if not rest:
        return known
    require_some(len(fresh), "a match of the holdout matcher", tally.fresh)
    variance = or_default(where_found(tally, design).planned_variance(), 1.0, bound)
    return known + rest * mean_lower(fresh, rest, delta, bound, variance, errors)


def where_found(tally: Tally, design: Design) -> Design:
    """The design with the guess of recall turned into one over the nodes with a found match."""
    if design.guess is None:
        return design
    return replace(design, guess=min(design.guess / matched_share(tally.everywhere), MOST_GUESSED))


def _steps(seen: list[float], delta: float, bound: str, known: Known) -> Steps:
    values, row = np.array(seen), BOUNDS[bound]
    ones, share = row.ones, row.share
    assert ones is not None
    assert share is not None
    return Steps(
        known,
        known[1] + len(values),
        lambda size: ones(values, size, delta),
        lambda sizes, others: share(values, sizes, delta, others),
    )


def worst_ratio(
    sums: Line | Steps, least: int, most: int, after: float, spent: float, floor: float
) -> float:
    """The least over N from `least` to `most` of (after + max(0, A(N) − spent)) / N.

    A(N) is the bound of `sums`, or `floor` if that is more. If the range is empty, the bounds
    contradict the labels, and only the labels count.
    """
    first = max(least, sums.fewest) if isinstance(sums, Steps) else least
    if first > most:
        return max(after, 0.0) / most if most else 0.0
    search = _least_on_line if isinstance(sums, Line) else _least_of_steps
    value = search(sums, first, most, after, spent, floor)  # type: ignore[arg-type]
    tempting = search(sums, most, most, after, spent, floor)  # type: ignore[arg-type]
    return worst("sharp recall number of members", value, tempting)


def _least_on_line(
    line: Line, least: int, most: int, after: float, spent: float, floor: float
) -> float:
    """The least ratio where A(N) is a line: at an end of the range, or at a kink."""
    sizes = [float(least), float(most)]
    if line.slope > 0:
        kinks = [(level - line.start) / line.slope for level in (spent, floor)]
        sizes += [size for size in kinks if least < size < most]
    return min(
        (after + max(0.0, line.start + line.slope * size - spent, floor - spent)) / size
        for size in sizes
    )


def _least_of_steps(
    steps: Steps, least: int, most: int, after: float, spent: float, floor: float
) -> float:
    """The least ratio where A(N) rises in steps.

    Up to some N, A(N) is not above `spent` or `floor`; of these N, the greatest is worst.
    """
    total, count = steps.known
    level = max(spent, floor)
    sizes = range(least, most + 1)
    begin = least + bisect_left(sizes, level, key=lambda size: total + steps.ones(size - count))
    values = []
    if begin > least:
        values.append((after + level - spent) / (begin - 1))
    if begin <= most:
        others = (after - spent + total, count)
        values.append(steps.share((begin - count, most - count), others))
    return min(values)
