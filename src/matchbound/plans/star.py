"""Guarantees of precision and recall by star bets, on samples in draw order, without a tally."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchbound import bounds
from matchbound.bounds import star_rejects
from matchbound.plans.counts import SampleCounts, least_members, precision, recall
from matchbound.plans.drawn import Block
from matchbound.theorems import Design, Line


class Bets(NamedTuple):
    """The arguments of star bets; `known` is the sum and the number of known members."""

    size: int
    delta: float
    variance: float | None
    known: tuple[float, int] = (0.0, 0)


def precision_bets(sample: SampleCounts, design: Design) -> Bets:
    (delta,) = design.shares(1)
    return Bets(sample.urn.members, delta, design.planned_variance())


def recall_bets(sample: SampleCounts, design: Design) -> Bets:
    delta, _ = design.shares(2)
    variance = design.planned_variance(design.matched or 1.0)
    known = (float(sample.known.right), sample.known.members)
    return Bets(sample.urn.nodes, delta, variance, known)


def precision_by_star(
    sample: SampleCounts, design: Design, member: NDArray[np.bool_], right: NDArray[np.bool_]
) -> float:
    bets = precision_bets(sample, design)
    low = bounds.lower(
        right[member], method="star", size=bets.size, delta=bets.delta, variance=bets.variance
    )
    return precision(sample, sample.urn.members * low)


def recall_by_star(
    sample: SampleCounts, design: Design, member: NDArray[np.bool_], right: NDArray[np.bool_]
) -> float:
    bets = recall_bets(sample, design)
    low = bounds.ratio_lower(member, right, **bets._asdict())
    return recall(sample, Line(0.0, low), design)


def precision_needs(
    sample: SampleCounts,
    design: Design,
    counts: NDArray[np.int64],
    changed: NDArray[np.float64],
    target: float,
) -> NDArray[np.float64]:
    """The labels' bound that is needed: (known + members·bound − changed)/all ≥ target."""
    everyone = sample.known.members + sample.urn.members
    needed = target * everyone - sample.known.right + changed
    return np.asarray(needed / sample.urn.members)


def recall_needs(
    sample: SampleCounts,
    design: Design,
    counts: NDArray[np.int64],
    changed: NDArray[np.float64],
    target: float,
) -> NDArray[np.float64]:
    """The labels' bound that is needed: bound − changed/N ≥ target, at the least N."""
    if not changed.any():
        return np.full(len(counts), target)
    return target + changed / least_members(sample, counts, design)


Value = Callable[[SampleCounts, Design, NDArray[np.bool_], NDArray[np.bool_]], float]
Needs = Callable[
    [SampleCounts, Design, NDArray[np.int64], NDArray[np.float64], float], NDArray[np.float64]
]


@dataclass(frozen=True)
class StarBets:
    """A metric by star bets.

    `needs` computes the labels' bound that a target needs, for each sample, from how many of its
    nodes count and how many nodes are changed. `over_members`: only nodes that count are bet on.
    """

    value: Value
    bets: Callable[[SampleCounts, Design], Bets]
    needs: Needs
    over_members: bool

    def reached(
        self,
        sample: SampleCounts,
        design: Design,
        block: Block,
        changed: NDArray[np.float64],
        target: float,
    ) -> NDArray[np.bool_]:
        from matchbound.plans._drawing import packed

        member, right = block
        values, counts = right.astype(float), member.sum(axis=1)
        needs = self.needs(sample, design, counts, changed, target)
        drawn = np.full(len(member), member.shape[1])
        if self.over_members:
            values, drawn = packed(member, right)
            member = np.ones_like(member)
        bets = self.bets(sample, design)._asdict()
        reached = np.zeros(len(member), dtype=bool)
        for need in np.unique(needs):
            alike = (needs == need) & (counts > 0)
            reached[alike] = star_rejects(
                member[alike], values[alike], target=need, drawn=drawn[alike], **bets
            )
        return reached


PRECISION = StarBets(precision_by_star, precision_bets, precision_needs, over_members=True)
RECALL = StarBets(recall_by_star, recall_bets, recall_needs, over_members=False)
