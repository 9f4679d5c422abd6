"""Guarantees of pairwise and B-cubed metrics on samples in draw order, without a tally of each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchbound.plans.counts import SampleCounts, Urn
from matchbound.plans.drawn import Block
from matchbound.plans.pooled import Bets, Drawn, bets_on
from matchbound.theorems import METRICS, Design, within

ROUNDS = 45  # of bisection
ABOVE = 1 + 1e-9  # times a number is certainly above it, whatever the rounding
LEAST = 1e-300  # divides instead of 0

Numbers = Any
"""A number, or an array with one for each sample."""


class Counts(NamedTuple):
    """How many labelled nodes are right, wrong or have no match; how many of the `others` have
    matches, and how many are `blank`; and how much the complete matcher may lose at `others`, in
    nodes."""

    right: Numbers
    wrong: Numbers
    none: Numbers
    others: Numbers
    blank: Numbers
    lost: Numbers

    @staticmethod
    def of(sample: SampleCounts, members: Numbers, right: Numbers, lost: Numbers) -> "Counts":
        """The counts if `members` of the sample count and `right` are right."""
        labelled = sample.known.nodes + sample.seen.nodes
        counting, good = sample.known.members + members, sample.known.right + right
        others = sample.urn.members - members
        blank = sample.unseen - others
        return Counts(good, counting - good, labelled - counting, others, blank, lost)

    @property
    def members(self) -> Numbers:
        return self.right + self.wrong + self.others

    @property
    def nodes(self) -> Numbers:
        return self.members + self.none + self.blank

    @property
    def kept(self) -> Numbers:
        """The least share of right nodes that the complete matcher keeps, whatever their number.

        At worst it loses all that it may, at as few others as there are.
        """
        most = np.minimum(self.right + self.lost, self.right + self.others)
        return self.right / np.maximum(most, LEAST)


Formula = Callable[[Counts, Numbers, Numbers], Numbers]
"""From the counts, a bound on the holdout matcher's ratio (or a target) and its precision."""


def pairs_value(counts: Counts, low: Numbers, precision: Numbers) -> Numbers:
    return low - counts.lost / counts.members


def pairs_need(counts: Counts, target: Numbers, precision: Numbers) -> Numbers:
    return target + counts.lost / counts.members


def cluster_value(counts: Counts, low: Numbers, precision: Numbers) -> Numbers:
    return low - counts.lost / counts.nodes


def cluster_need(counts: Counts, target: Numbers, precision: Numbers) -> Numbers:
    return target + counts.lost / counts.nodes


def recall_value(counts: Counts, low: Numbers, precision: Numbers) -> Numbers:
    """The holdout matcher is right at precision × members nodes, or more."""
    right = np.maximum(precision * counts.members, LEAST)
    return low * np.maximum(counts.kept, 1 - counts.lost / right)


def recall_need(counts: Counts, target: Numbers, precision: Numbers) -> Numbers:
    return target / np.maximum(recall_value(counts, 1.0, precision), LEAST)


def f1_value(counts: Counts, low: Numbers, precision: Numbers) -> Numbers:
    """It is right at low × (members + wrong) / (2 − low) nodes, or more."""
    share = counts.lost / (counts.members + counts.wrong)
    return np.maximum(low * counts.kept, low - share * (2 - low))


def f1_need(counts: Counts, target: Numbers, precision: Numbers) -> Numbers:
    share = counts.lost / (counts.members + counts.wrong)
    return np.minimum(target / np.maximum(counts.kept, LEAST), (target + 2 * share) / (1 + share))


def same(counts: Counts, low: Numbers, precision: Numbers) -> Numbers:
    return low


@dataclass(frozen=True)
class RatioBets:
    """A metric by bets on a ratio of sums.

    `value_if` is the complete matcher's guarantee if lower bounds are known, before it is moved
    into what labels leave possible; `need_for` is the bound with which it reaches a target. Only
    those of pairwise recall depend on precision.
    """

    metric: str
    value_if: Formula
    need_for: Formula

    def value(
        self,
        sample: SampleCounts,
        design: Design,
        member: NDArray[np.bool_],
        right: NDArray[np.bool_],
    ) -> float:
        bets = bets_on(self.metric, sample, design)
        if not bets:
            return 0.0
        lows = [one.lower(member, right) for one in bets]
        lost = sample.changed * self._loss(sample)
        counts = Counts.of(sample, sample.seen.members, sample.seen.right, lost)
        ends = _ends(counts, bets[0], Fraction)
        if self._is_limited and sample.complete and lows[-1] > ends[1] * ABOVE:
            return within(ends, 0.0, "lower")
        value = self._formula(self.value_if, sample)(counts, lows[0], lows[-1])
        return within(ends, float(value), "lower")

    def reached(
        self,
        sample: SampleCounts,
        design: Design,
        block: Block,
        changed: NDArray[np.float64],
        target: float,
    ) -> NDArray[np.bool_]:
        members, right = (kind.sum(axis=1) for kind in block)
        most = int(members.argmax())
        seen = Urn(sample.seen.nodes, int(members[most]), int(right[most]))
        bets = bets_on(self.metric, sample._replace(seen=seen), design)
        if not bets:
            return np.zeros(len(members), dtype=bool)
        counts = Counts.of(sample, members, right, changed * self._loss(sample))
        low, high = _ends(counts, bets[0], float)
        formula = self._formula(self.need_for, sample)

        def needs(precision: Numbers) -> NDArray[np.float64]:
            need = formula(counts, target, precision)
            return np.where(low >= target, 0.0, np.where(high < target, np.inf, need))

        drawn = [one.drawn(block) for one in bets]
        if len(bets) > 1:
            reached = _both(bets, drawn, needs)
        else:
            reached = bets[0].rejects(drawn[0], needs(1.0))
        if self._is_limited and sample.complete:
            rows = np.flatnonzero(reached & (low < target))
            reached[rows] = ~bets[-1].rejects(drawn[-1].rows(rows), high[rows] * ABOVE)
        return reached

    @property
    def _is_limited(self) -> bool:
        """Whether a limit is needed: then, a complete matcher's bound above what labels leave
        possible makes labels alone count, and the holdout matcher's is the ratio's own."""
        return METRICS[self.metric].needs_limit

    def _formula(self, formula: Formula, sample: SampleCounts) -> Formula:
        return same if self._is_limited and not sample.complete else formula

    def _loss(self, sample: SampleCounts) -> float:
        """How much less than 1 a node with wrong matches is worth."""
        num, den = METRICS[self.metric].ratio.parts(sample.each, sample.each, 0)
        return float(1 - num / den)


def _ends(counts: Counts, bets: Bets, number: Callable[[Fraction], Any]) -> Any:
    """The range that labels leave possible."""
    holdout, each, ratio = bets.holdout, bets.each, bets.holdout.ratio
    most, ends = max(holdout.limit, each), []
    for at in (ratio.worst, ratio.best):
        rows = [
            (counts.right, ratio.parts(each, each, each)),
            (counts.wrong, ratio.parts(each, each, 0)),
            (counts.none, ratio.parts(0, 0, 0)),
            (counts.others, at(each, most)),
            (counts.blank, at(0, most)),
        ]
        num, den = (sum(count * number(parts[i]) for count, parts in rows) for i in (0, 1))
        ends.append(num / den)
    low, high = ends
    if holdout.among:  # nodes with more matches than the limit may count, or may not
        high += (1 - high) * (counts.others + counts.blank > 0)
    return low, high


def _both(
    bets: tuple[Bets, ...],
    drawn: list[Drawn],
    needs: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> NDArray[np.bool_]:
    """Whether each sample reaches a target, where the need falls as the bound on precision rises.

    It does if some precision is proved and the need at this one is reached; it does not if neither
    holds at some precision, such as 1. Each sample is bisected until one or the other is found.
    """
    size = len(drawn[0].counts)
    low, high, reached = np.zeros(size), np.ones(size), np.zeros(size, dtype=bool)
    rows = np.flatnonzero(bets[0].rejects(drawn[0], needs(high)))
    for _ in range(ROUNDS):
        if not len(rows):
            break
        precision = (low + high) / 2
        is_enough = bets[0].rejects(drawn[0].rows(rows), needs(precision)[rows])
        is_proved = bets[1].rejects(drawn[1].rows(rows), precision[rows])
        reached[rows] = is_enough & is_proved
        low[rows[is_proved]] = precision[rows[is_proved]]
        high[rows[~is_proved]] = precision[rows[~is_proved]]
        rows = rows[is_enough != is_proved]
    return reached


ALL: Mapping[str, RatioBets] = {
    "pairwise-precision": RatioBets("pairwise-precision", pairs_value, pairs_need),
    "pairwise-recall": RatioBets("pairwise-recall", recall_value, recall_need),
    "pairwise-f1": RatioBets("pairwise-f1", f1_value, f1_need),
    "b3-precision": RatioBets("b3-precision", cluster_value, cluster_need),
    "b3-recall": RatioBets("b3-recall", cluster_value, cluster_need),
}
