"""Nodes with a true match: nobody knows how many there are, so recall takes the worst number."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush

from matchbound import bounds
from matchbound.bounds.hypergeometric import hypergeometric_lower, slope_below
from matchbound.bounds.likelihood import likelihood_ones
from matchbound.choices import Choices
from matchbound.tallies import Tally
from matchbound.theorems import labels
from matchbound.theorems.terms import (
    RATIOS,
    bounded,
    matched_share,
    members_bound,
    or_default,
    planned_variance,
    ratio_lower,
    require_some,
    sampled,
    trained,
    worst,
)

GRAIN = 1e-5  # how finely numbers of members are searched, relative to the number
BLOCKS = 20_000  # and in how many steps at most


@dataclass(frozen=True)
class Line:
    """Σ r_H ≥ start + slope·N."""

    start: float
    slope: float

    def __call__(self, size: float) -> float:
        return self.start + self.slope * size


@dataclass(frozen=True)
class Steps:
    """Σ r_H ≥ known + ones(N − count), `ones` rising by 0 or 1 a step; at least `below`, a line.

    `fewest` is the least N that the sample leaves possible.
    """

    known: float
    count: int
    ones: Callable[[int], int]
    fewest: int
    below: Line

    def __call__(self, size: float) -> float:
        return self.known + self.ones(int(size) - self.count)


def least(tally: Tally, choices: Choices, delta: float, right: float | None) -> int:
    """A lower bound on |X'|: D's members are known, the others' number is bounded from S − D.

    Free of δ: those seen, nodes whose partner's label names them, and on precision's event as many
    more as the holdout matcher's right matches outside L (`right`).
    """
    known = sum(labels.matched(trained(tally)))
    rest = tally.size - len(tally.train)
    seen = labels.matched(tally.fresh)
    bound = members_bound(choices)
    share = matched_share(tally.everywhere)
    variance = or_default(None, max(share * (1 - share), 0.05) / 0.05, bound)

    def at(d: float) -> float:
        return rest * bounds.lower(seen, size=rest, delta=d, method=bound, variance=variance)

    bounded_rest = bounded("sharp recall members", delta, at) if rest and seen else 0.0
    named = sum(c.nodes for c in tally.gap if c.right + c.added_right + c.missed)
    in_labels = sum(labels.matched(tally.labelled))
    return _up(max(known + bounded_rest, in_labels + named, in_labels + (right or 0.0), 1))


def _up(number: float) -> int:
    """The least whole number at or above, but for what rounding explains."""
    return math.ceil(number - 1e-6)


def found(tally: Tally, choices: Choices, delta: float, bound: str) -> Line | Steps:
    """A lower bound on Σ r_H, as a function of the number of nodes with a true match."""
    known_member, known_values = labels.recalls(trained(tally))
    known = math.fsum(known_values), sum(known_member)
    rest = tally.size - len(tally.train)
    fresh = sampled(tally)
    member, values = labels.recalls(fresh)
    if not rest:
        require_some(known[1], "a true match", tally.train)
        return Line(known[0], 0.0)
    require_some(sum(member), "a true match", tally.fresh)
    if bound in RATIOS:
        share = choices.matched or matched_share(tally.everywhere)
        variance = or_default(planned_variance(choices, "recall", share), share, bound)
        return Line(0.0, ratio_lower(member, values, rest, delta, bound, variance, known))
    seen = [value for value, belongs in zip(values, member, strict=True) if belongs]
    sizes = (len(seen), rest - labels.verified_without(fresh))
    if bound in ("hypergeometric", "likelihood"):
        return _steps(seen, sizes, delta, bound, known)
    low = bounds.lower(seen, size=sizes, delta=delta, method=bound)
    return Line(known[0] - known[1] * low, low)


def _steps(
    seen: list[float], sizes: tuple[int, int], delta: float, bound: str, known: tuple[float, int]
) -> Steps:
    right, drawn = int(sum(seen)), len(seen)
    slope = slope_below(right, drawn, sizes[1], delta) if bound == "hypergeometric" else 0.0

    def ones(size: int) -> int:
        if bound == "hypergeometric":
            return hypergeometric_lower(right, drawn, size, delta)
        return likelihood_ones(seen, size, delta)

    below = Line(known[0] - known[1] * slope, slope)
    return Steps(known[0], known[1], ones, known[1] + drawn, below)


def worst_ratio(
    found: Line | Steps, least: int, most: int, after: float, spent: float, floor: float
) -> float:
    """The least over N from `least` to `most` of (after + max(0, A(N) − spent)) / N.

    A(N) is what was found, or `floor` if that is more. An empty range contradicts the labels: then
    only what they show is left.
    """

    def ratio(right: float, size: float) -> float:
        return (after + max(0.0, max(right, floor) - spent)) / size

    first = max(least, found.fewest) if isinstance(found, Steps) else least
    if first > most:
        return after / most if most else 0.0
    if isinstance(found, Line):
        value = _least_on_line(found, first, most, spent, floor, ratio)
    else:
        value = _least_of_steps(found, first, most, spent, floor, ratio)
    return worst("sharp recall number of members", value, ratio(found(most), most))


Ratio = Callable[[float, float], float]


def _least_on_line(
    line: Line, least: int, most: int, spent: float, floor: float, ratio: Ratio
) -> float:
    """A quotient of linear functions is least at an end, or where one of the kinks is."""
    sizes = [float(least), float(most)]
    if line.slope > 0:
        kinks = [(level - line.start) / line.slope for level in (spent, floor)]
        sizes += [size for size in kinks if least < size < most]
    return min(ratio(line(size), size) for size in sizes)


def _least_of_steps(
    steps: Steps, least: int, most: int, spent: float, floor: float, ratio: Ratio
) -> float:
    """At or below the ratio at every number: best first, blocks are split until narrow.

    A(N) does not fall as N grows, so its value at a block's beginning is at or below all of it.
    """
    ends = min(ratio(steps(size), size) for size in (least, most))
    everywhere = _least_on_line(steps.below, least, most, spent, floor, ratio)
    if everywhere >= ends * (1 - GRAIN):
        return everywhere
    right = steps(least)
    blocks = [(ratio(right, most), least, most, right)]
    below = blocks[0][0]
    for _ in range(BLOCKS):
        below, a, b, right = heappop(blocks)
        if b - a <= GRAIN * a:
            break
        middle = (a + b) // 2
        heappush(blocks, (ratio(right, middle), a, middle, right))
        right = steps(middle + 1)
        heappush(blocks, (ratio(right, b), middle + 1, b, right))
    return max(below, everywhere)
