"""What `sharp` makes of a sample, from its counts alone: the same numbers, without its labels.

Only where the gap is a census and the labels' bound `auto`; the tests hold it against the theorems.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchbound import bounds
from matchbound.bounds import GRAIN, hypergeometric_lower, share_lower
from matchbound.theorems import (
    Choices,
    Line,
    Steps,
    outwards,
    planned_variance,
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


def exact(metric: str, sample: Sample, choices: Choices) -> float:
    """The guarantee's value where values are 0 or 1."""
    delta = choices.shares(2 if metric == "recall" else 1)[0]
    if metric == "recall":
        return recall(sample, _steps(sample, delta), choices)
    low = hypergeometric_lower(sample.seen.right, sample.seen.members, sample.urn.members, delta)
    return precision(sample, low) if metric == "precision" else error_rate(sample, low)


def nearly(metric: str, sample: Sample, choices: Choices) -> tuple[float, float]:
    """Two numbers that the exact value lies between.

    For recall it is the least over a range of N, which takes long to find. But for a saw-tooth it
    lies at one end of the range: at the upper, where a sample of so many tells least, or at the
    lower, where the changes weigh most.
    """
    if metric == "recall":
        steps = _steps(sample, choices.shares(2)[0])
        first, most = max(_least(sample, choices), steps.fewest), _most(sample)
        lost, members = sample.changed - sample.known.right, sample.known.members
        if first < most and steps.ones(first - members) > sample.seen.right + sample.changed:
            end = min((steps.ones(n - members) - lost) / n for n in (first, most))
            return outwards(end * (1 - GRAIN) - 1 / first, "lower"), outwards(end, "lower")
    value = exact(metric, sample, choices)
    return value, value


def by_star(
    metric: str,
    sample: Sample,
    choices: Choices,
    member: NDArray[np.bool_],
    values: NDArray[np.float64],
) -> float:
    """The value by star bets, on the sample in draw order."""
    bets = star_bets(metric, sample, choices)
    if metric == "recall":
        return recall(sample, Line(0.0, bounds.ratio_lower(member, values, **bets)), choices)
    low = bounds.lower(values[member], method="star", **bets)
    return precision(sample, sample.urn.members * low)


def star_bets(metric: str, sample: Sample, choices: Choices) -> dict[str, Any]:
    """What the bets are sized by."""
    if metric == "precision":
        (delta,), variance = choices.shares(1), planned_variance(choices, metric)
        return {"size": sample.urn.members, "delta": delta, "variance": variance}
    delta, _ = choices.shares(2)
    return {
        "size": sample.urn.nodes,
        "delta": delta,
        "variance": planned_variance(choices, metric, choices.matched or 1.0),
        "known": (float(sample.known.right), sample.known.members),
    }


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


def recall(sample: Sample, found: Line | Steps, choices: Choices) -> float:
    right, most = float(sample.right), _most(sample)
    spent = right + sample.changed
    value = worst_ratio(found, _least(sample, choices), most, right, spent, 0.0)
    return within(_ends(sample.right, sample.unseen, most), value, "lower")


def _ends(seen: int, others: int, size: int) -> tuple[Fraction, Fraction]:
    """What labels leave possible: the others are all wrong, or all right."""
    return Fraction(seen, size), Fraction(seen + others, size)


def _most(sample: Sample) -> int:
    return sample.known.members + sample.seen.members + sample.unseen


def _least(sample: Sample, choices: Choices) -> int:
    return int(least_members(sample, np.array([sample.seen.members]), choices)[0])


def least_members(sample: Sample, seen: NDArray[np.int64], choices: Choices) -> NDArray[np.int64]:
    """A lower bound on how many count, for each number of those seen."""
    _, delta = choices.shares(2)
    others = hypergeometric_lower(seen, sample.seen.nodes, sample.urn.nodes, delta)
    return np.maximum(sample.known.members + others, 1)


def _steps(sample: Sample, delta: float) -> Steps:
    right, drawn, known = sample.seen.right, sample.seen.members, sample.known
    return Steps(
        (float(known.right), known.members),
        known.members + drawn,
        lambda size: hypergeometric_lower(right, drawn, size, delta),
        lambda sizes, others: share_lower(right, drawn, sizes, delta, others),
    )
