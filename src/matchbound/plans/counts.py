"""What `sharp` makes of a sample, from its counts alone: the same numbers, without its labels.

Only where the gap is a census and the labels' bound `auto`; the tests hold it against the theorems.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchbound import bounds
from matchbound.bounds import GRAIN, hypergeometric_lower, share_lower
from matchbound.theorems import (
    Design,
    Line,
    Steps,
    outwards,
    within,
    worst_ratio,
)


class Urn(NamedTuple):
    """`nodes` of which `members` count for the metric; at `right` of these the matcher is right."""

    nodes: int
    members: int
    right: int


class Sample(NamedTuple):
    """`seen` was drawn from `urn`; `known` are the training nodes, outside it.

    The complete matcher has other matches than the holdout one at `changed` nodes without a label;
    at the others it is as right.
    """

    urn: Urn
    known: Urn
    seen: Urn
    changed: int

    @property
    def right(self) -> int:
        return self.known.right + self.seen.right

    @property
    def unseen(self) -> int:
        return self.urn.nodes - self.seen.nodes


def _ones(sample: Sample, design: Design) -> int:
    """A lower bound on how many of the urn's members are right."""
    (delta,) = design.shares(1)
    return hypergeometric_lower(sample.seen.right, sample.seen.members, sample.urn.members, delta)


def exact_precision(sample: Sample, design: Design) -> float:
    return precision(sample, _ones(sample, design))


def exact_error_rate(sample: Sample, design: Design) -> float:
    return error_rate(sample, _ones(sample, design))


def exact_recall(sample: Sample, design: Design) -> float:
    return recall(sample, _steps(sample, design), design)


def near_recall(sample: Sample, design: Design) -> tuple[float, float]:
    """The exact value is the least over a range of N, which takes long to find.

    But for a saw-tooth it lies at one end of the range: at the upper, where a sample of so many
    tells least, or at the lower, where the changes weigh most.
    """
    steps = _steps(sample, design)
    first, most = max(_least(sample, design), steps.fewest), _most(sample)
    lost, members = sample.changed - sample.known.right, sample.known.members
    if first < most and steps.ones(first - members) > sample.seen.right + sample.changed:
        end = min((steps.ones(n - members) - lost) / n for n in (first, most))
        return outwards(end * (1 - GRAIN) - 1 / first, "lower"), outwards(end, "lower")
    value = exact_recall(sample, design)
    return value, value


class Bets(NamedTuple):
    """What star bets are sized by, and the sum and number of members that are known besides."""

    size: int
    delta: float
    variance: float | None
    known: tuple[float, int] = (0.0, 0)


def precision_bets(sample: Sample, design: Design) -> Bets:
    (delta,) = design.shares(1)
    return Bets(sample.urn.members, delta, design.planned_variance())


def recall_bets(sample: Sample, design: Design) -> Bets:
    delta, _ = design.shares(2)
    variance = design.planned_variance(design.matched or 1.0)
    known = (float(sample.known.right), sample.known.members)
    return Bets(sample.urn.nodes, delta, variance, known)


def precision_by_star(
    sample: Sample, design: Design, member: NDArray[np.bool_], values: NDArray[np.float64]
) -> float:
    bets = precision_bets(sample, design)
    low = bounds.lower(
        values[member], method="star", size=bets.size, delta=bets.delta, variance=bets.variance
    )
    return precision(sample, sample.urn.members * low)


def recall_by_star(
    sample: Sample, design: Design, member: NDArray[np.bool_], values: NDArray[np.float64]
) -> float:
    bets = recall_bets(sample, design)
    low = bounds.ratio_lower(member, values, **bets._asdict())
    return recall(sample, Line(0.0, low), design)


def precision_needs(
    sample: Sample,
    design: Design,
    counts: NDArray[np.int64],
    changed: NDArray[np.float64],
    target: float,
) -> NDArray[np.float64]:
    """(known + members·bound − changed)/all is to reach the target."""
    everyone = sample.known.members + sample.urn.members
    needed = target * everyone - sample.known.right + changed
    return np.asarray(needed / sample.urn.members)


def recall_needs(
    sample: Sample,
    design: Design,
    counts: NDArray[np.int64],
    changed: NDArray[np.float64],
    target: float,
) -> NDArray[np.float64]:
    """bound − changed/N is to reach the target, at the least N."""
    if not changed.any():
        return np.full(len(counts), target)
    return target + changed / least_members(sample, counts, design)


def precision(sample: Sample, low: float) -> float:
    """From a lower bound on how many of the urn's members are right."""
    elsewhere = max(0.0, low - sample.seen.right - sample.changed)
    others = sample.urn.members - sample.seen.members
    members = sample.known.members + sample.urn.members
    value = (sample.right + min(elsewhere, others)) / members
    return within(_ends(sample.right, others, members), value, "lower")


def error_rate(sample: Sample, low: float) -> float:
    """The same; every node counts."""
    labelled = sample.known.nodes + sample.seen.nodes
    elsewhere = sample.unseen - (low - sample.seen.right) + sample.changed
    wrong = labelled - sample.right + min(max(elsewhere, 0.0), sample.unseen)
    nodes = labelled + sample.unseen
    return within(_ends(labelled - sample.right, sample.unseen, nodes), wrong / nodes, "upper")


def recall(sample: Sample, right_if: Line | Steps, design: Design) -> float:
    """From a lower bound on how many are right, if N nodes have a true match."""
    right, most = float(sample.right), _most(sample)
    spent = right + sample.changed
    value = worst_ratio(right_if, _least(sample, design), most, right, spent, 0.0)
    return within(_ends(sample.right, sample.unseen, most), value, "lower")


def _ends(seen: int, others: int, size: int) -> tuple[Fraction, Fraction]:
    """What labels leave possible: the others are all wrong, or all right."""
    return Fraction(seen, size), Fraction(seen + others, size)


def _most(sample: Sample) -> int:
    return sample.known.members + sample.seen.members + sample.unseen


def _least(sample: Sample, design: Design) -> int:
    return int(least_members(sample, np.array([sample.seen.members]), design)[0])


def least_members(sample: Sample, seen: NDArray[np.int64], design: Design) -> NDArray[np.int64]:
    """A lower bound on how many count, for each number of those seen."""
    _, delta = design.shares(2)
    others = hypergeometric_lower(seen, sample.seen.nodes, sample.urn.nodes, delta)
    return np.maximum(sample.known.members + others, 1)


def _steps(sample: Sample, design: Design) -> Steps:
    delta, _ = design.shares(2)
    right, drawn, known = sample.seen.right, sample.seen.members, sample.known
    return Steps(
        (float(known.right), known.members),
        known.members + drawn,
        lambda size: hypergeometric_lower(right, drawn, size, delta),
        lambda sizes, others: share_lower(right, drawn, sizes, delta, others),
    )


Star = Callable[[Sample, Design, NDArray[np.bool_], NDArray[np.float64]], float]
Needs = Callable[
    [Sample, Design, NDArray[np.int64], NDArray[np.float64], float], NDArray[np.float64]
]


@dataclass(frozen=True)
class ByBets:
    """A metric by star bets, on a sample in draw order.

    `needs` is what the labels' bound must be for a target to be reached, for each sample by how
    many of it count and how many nodes are changed. `over_members`: only nodes that count are bet
    on.
    """

    value: Star
    bets: Callable[[Sample, Design], Bets]
    needs: Needs
    over_members: bool


@dataclass(frozen=True)
class Shortcut:
    """A metric's guarantee from counts: where values are 0 or 1, and by star bets if they may be
    fractions. `near` gives two numbers that the exact value lies between."""

    exact: Callable[[Sample, Design], float]
    near: Callable[[Sample, Design], tuple[float, float]] | None = None
    by_bets: ByBets | None = None


SHORTCUTS = {
    "precision": Shortcut(
        exact_precision,
        by_bets=ByBets(precision_by_star, precision_bets, precision_needs, over_members=True),
    ),
    "recall": Shortcut(
        exact_recall,
        near_recall,
        ByBets(recall_by_star, recall_bets, recall_needs, over_members=False),
    ),
    "error-rate": Shortcut(exact_error_rate),
}
"""Metrics that counts are enough for. Any other metric is planned by its theorem, only slower."""
