"""Guarantees of the theorem `sharp` from a sample's counts alone, without a tally of labels.

It works only where the gap is a census and the labels' bound is `auto`, and gives the same numbers:
tests compare it with the theorems.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchbound.bounds import GRAIN, hypergeometric_lower, share_lower
from matchbound.theorems import (
    Design,
    Label,
    Line,
    Steps,
    outwards,
    within,
    worst_ratio,
)

NONE = Label.alone(0, 0, 0)


class Urn(NamedTuple):
    """`nodes`, of which `members` count for the metric; at `right` of these, matches are right."""

    nodes: int
    members: int
    right: int


class SampleCounts(NamedTuple):
    """The counts of a sample: `seen` are drawn from `urn`; `known` are training nodes outside it.

    A node that counts has `each` matches. If there is a `complete` matcher, it has other matches
    than the holdout one at `changed` nodes without a label. Elsewhere both are right at the same
    nodes.
    """

    urn: Urn
    known: Urn
    seen: Urn
    changed: int
    each: int
    complete: bool

    @property
    def right(self) -> int:
        return self.known.right + self.seen.right

    @property
    def unseen(self) -> int:
        return self.urn.nodes - self.seen.nodes


def labels_of(counts: Urn, each: int) -> tuple[Label, ...]:
    """Labels of nodes that are right, then of those that are wrong, then of those without any."""
    right, wrong, none = Label.alone(each, each, each), Label.alone(each, each, 0), NONE
    nodes, members, good = counts
    return (right,) * good + (wrong,) * (members - good) + (none,) * (nodes - members)


def _ones(sample: SampleCounts, design: Design) -> int:
    """A lower bound on how many of the urn's members are right."""
    (delta,) = design.shares(1)
    return hypergeometric_lower(sample.seen.right, sample.seen.members, sample.urn.members, delta)


def exact_precision(sample: SampleCounts, design: Design) -> float:
    return precision(sample, _ones(sample, design))


def exact_error_rate(sample: SampleCounts, design: Design) -> float:
    return error_rate(sample, _ones(sample, design))


def exact_recall(sample: SampleCounts, design: Design) -> float:
    return recall(sample, _steps(sample, design), design)


def near_recall(sample: SampleCounts, design: Design) -> tuple[float, float]:
    """Two numbers that the exact recall is between; they take less time than the exact value.

    The exact value is the least over a range of N. Apart from a saw-tooth, the least is at an end:
    at the upper one, where the sample is the smallest part, or at the lower one, where the changed
    nodes weigh most.
    """
    steps = _steps(sample, design)
    first, most = max(_least(sample, design), steps.fewest), _most(sample)
    lost, members = sample.changed - sample.known.right, sample.known.members
    if first < most and steps.ones(first - members) > sample.seen.right + sample.changed:
        end = min((steps.ones(n - members) - lost) / n for n in (first, most))
        return outwards(end * (1 - GRAIN) - 1 / first, "lower"), outwards(end, "lower")
    value = exact_recall(sample, design)
    return value, value


def precision(sample: SampleCounts, low: float) -> float:
    """The guarantee from a lower bound on how many of the urn's members are right."""
    elsewhere = max(0.0, low - sample.seen.right - sample.changed)
    others = sample.urn.members - sample.seen.members
    members = sample.known.members + sample.urn.members
    value = (sample.right + min(elsewhere, others)) / members
    return within(_ends(sample.right, others, members), value, "lower")


def error_rate(sample: SampleCounts, low: float) -> float:
    """The guarantee from a lower bound on how many of the urn's nodes are right; all count."""
    labelled = sample.known.nodes + sample.seen.nodes
    elsewhere = sample.unseen - (low - sample.seen.right) + sample.changed
    wrong = labelled - sample.right + min(max(elsewhere, 0.0), sample.unseen)
    nodes = labelled + sample.unseen
    return within(_ends(labelled - sample.right, sample.unseen, nodes), wrong / nodes, "upper")


def recall(sample: SampleCounts, right_if: Line | Steps, design: Design) -> float:
    """The guarantee from a lower bound on how many are right if N nodes have a true match."""
    right, most = float(sample.right), _most(sample)
    spent = right + sample.changed
    value = worst_ratio(right_if, _least(sample, design), most, right, spent, 0.0)
    return within(_ends(sample.right, sample.unseen, most), value, "lower")


def _ends(seen: int, others: int, size: int) -> tuple[Fraction, Fraction]:
    """The range that labels leave possible: all other nodes are wrong, or all are right."""
    return Fraction(seen, size), Fraction(seen + others, size)


def _most(sample: SampleCounts) -> int:
    return sample.known.members + sample.seen.members + sample.unseen


def _least(sample: SampleCounts, design: Design) -> int:
    return int(least_members(sample, np.array([sample.seen.members]), design)[0])


def least_members(
    sample: SampleCounts, seen: NDArray[np.int64], design: Design
) -> NDArray[np.int64]:
    """A lower bound on how many nodes count, for each number of counting nodes in a sample."""
    _, delta = design.shares(2)
    others = hypergeometric_lower(seen, sample.seen.nodes, sample.urn.nodes, delta)
    return np.maximum(sample.known.members + others, 1)


def _steps(sample: SampleCounts, design: Design) -> Steps:
    delta, _ = design.shares(2)
    right, drawn, known = sample.seen.right, sample.seen.members, sample.known
    return Steps(
        (float(known.right), known.members),
        known.members + drawn,
        lambda size: hypergeometric_lower(right, drawn, size, delta),
        lambda sizes, others: share_lower(right, drawn, sizes, delta, others),
    )


@dataclass(frozen=True)
class Exact:
    """A metric's guarantee from counts, where values are 0 or 1.

    `near` gives two numbers that the value is between, and takes less time.
    """

    value: Callable[[SampleCounts, Design], float]
    near: Callable[[SampleCounts, Design], tuple[float, float]] | None = None


EXACT = {
    "precision": Exact(exact_precision),
    "recall": Exact(exact_recall, near_recall),
    "error-rate": Exact(exact_error_rate),
}
"""The metrics that are planned from counts. Others are planned by their theorems, more slowly."""
