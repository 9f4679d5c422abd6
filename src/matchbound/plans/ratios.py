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
ROUNDING = 1e-13  # of guarantees; less than `reached` allows for
ABOVE = 1 + 1e-9  # times a number is certainly above it, whatever the rounding

Numbers = Any
"""A number, or an array with one for each sample."""

Value = Callable[["Counts", Numbers, Numbers, float], Numbers]
"""A guarantee, from the counts, lower bounds on the holdout matcher's ratio and on its pairwise
precision, and the value of a node whose matches are wrong."""


class Counts(NamedTuple):
    """How many labelled nodes are right, wrong or have no match; how many of the `others` have
    matches, and how many are `blank`; and at how many the complete matcher has other ones."""

    right: Numbers
    wrong: Numbers
    none: Numbers
    others: Numbers
    blank: Numbers
    changed: Numbers

    @staticmethod
    def of(sample: SampleCounts, members: Numbers, right: Numbers, changed: Numbers) -> "Counts":
        """The counts if `members` of the sample count and `right` are right."""
        labelled = sample.known.nodes + sample.seen.nodes
        counting, good = sample.known.members + members, sample.known.right + right
        others = sample.urn.members - members
        blank = sample.unseen - others
        return Counts(good, counting - good, labelled - counting, others, blank, changed)

    @property
    def members(self) -> Numbers:
        return self.right + self.wrong + self.others

    @property
    def nodes(self) -> Numbers:
        return self.members + self.none + self.blank


@dataclass(frozen=True)
class RatioBets:
    """A metric by bets on a ratio of sums; `complete` is the complete matcher's guarantee.

    It never falls as the lower bounds rise. Only pairwise recall depends on pairwise precision.
    """

    metric: str
    complete: Value

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
        counts = Counts.of(sample, sample.seen.members, sample.seen.right, sample.changed)
        ends = self._ends(counts, bets[0], Fraction)
        if self._is_limited(sample) and lows[-1] > ends[1] * ABOVE:
            return within(ends, 0.0, "lower")
        value = self._value(sample)(counts, lows[0], lows[-1], self._worth(sample))
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
        counts = Counts.of(sample, members, right, changed)
        ends = self._ends(counts, bets[0], float)
        value, worth = self._value(sample), self._worth(sample)

        def needs(precision: Numbers) -> NDArray[np.float64]:
            def at(low: NDArray[np.float64]) -> NDArray[np.float64]:
                return np.asarray(np.clip(value(counts, low, precision, worth), *ends))

            return _least(at, np.full(len(members), target))

        drawn = [one.drawn(block) for one in bets]
        if len(bets) > 1:
            reached = _both(bets, drawn, needs)
        else:
            reached = bets[0].rejects(drawn[0], needs(0.0))
        if self._is_limited(sample):
            rows = np.flatnonzero(reached & (ends[0] < target))
            reached[rows] = ~bets[-1].rejects(drawn[-1].rows(rows), ends[1][rows] * ABOVE)
        return reached

    def _is_limited(self, sample: SampleCounts) -> bool:
        """Whether a bound above what labels leave possible makes labels alone count."""
        return METRICS[self.metric].needs_limit and sample.complete

    def _value(self, sample: SampleCounts) -> Value:
        """The guarantee; for pairwise recall and F1 of the holdout matcher, the ratio's bound."""
        if METRICS[self.metric].needs_limit and not sample.complete:
            return lambda counts, low, precision, worth: low
        return self.complete

    def _worth(self, sample: SampleCounts) -> float:
        num, den = METRICS[self.metric].ratio.parts(sample.each, sample.each, 0)
        return float(num / den)

    def _ends(self, counts: Counts, bets: Bets, number: Callable[[Fraction], Any]) -> Any:
        """The range that labels leave possible."""
        holdout, each, ratio = bets.holdout, bets.each, bets.holdout.ratio
        most = max(holdout.limit, each)
        ends = []
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


def pairwise_precision(counts: Counts, low: Numbers, precision: Numbers, worth: float) -> Numbers:
    return np.maximum(counts.right, low * counts.members - counts.changed) / counts.members


def pairwise_recall(counts: Counts, low: Numbers, precision: Numbers, worth: float) -> Numbers:
    return low * _kept(counts, precision * counts.members)


def pairwise_f1(counts: Counts, low: Numbers, precision: Numbers, worth: float) -> Numbers:
    return low * _kept(counts, low * (counts.members + counts.wrong) / (2 - low))


def b3_precision(counts: Counts, low: Numbers, precision: Numbers, worth: float) -> Numbers:
    return _b3(counts, low, worth, counts.blank + worth * counts.others)


def b3_recall(counts: Counts, low: Numbers, precision: Numbers, worth: float) -> Numbers:
    return _b3(counts, low, worth, 0.0)


def _b3(counts: Counts, low: Numbers, worth: float, least: Numbers) -> Numbers:
    """`least` is the least sum of values without labels."""
    labelled = counts.right + counts.none + worth * counts.wrong
    elsewhere = low * counts.nodes - labelled - (1 - worth) * counts.changed
    return (labelled + np.maximum(least, elsewhere)) / counts.nodes


def _kept(counts: Counts, fewest: Numbers) -> Numbers:
    """The least share of nodes with right matches at which the complete matcher keeps them.

    The holdout matcher is right at `fewest` nodes or more: the least share is at an end of the
    range of how many, or where the labelled nodes alone are as many as those kept.
    """
    high = np.maximum(counts.right + counts.others, 0.5)
    low = np.minimum(np.maximum(np.maximum(fewest, counts.right), 0.5), high)
    kink = np.minimum(np.maximum(counts.right + counts.changed, low), high)
    shares = [np.maximum(counts.right, many - counts.changed) / many for many in (low, high, kink)]
    return np.minimum.reduce(shares)


def _least(
    value: Callable[[NDArray[np.float64]], NDArray[np.float64]], target: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The least bound whose value is the target, for each sample; infinite if that of 1 is less.

    Values never fall, and are at most the bound itself unless labels alone reach the target. They
    are almost straight lines, which a few secants find; in between, intervals are halved.
    """
    low, high = target, np.ones(len(target))
    below, above = np.maximum(target - value(low), 0.0), value(high) - target
    is_sure, is_hopeless = value(np.zeros(len(target))) >= target, above < -ROUNDING
    for i in range(2 * ROUNDS):
        part = 0.5 if i % 2 else below / np.maximum(below + above, ROUNDING)
        need = low + (high - low) * part
        error = value(need) - target
        is_found = np.abs(error) <= ROUNDING
        if (is_found | is_sure | is_hopeless).all():
            break
        is_low = error < 0
        low, below = np.where(is_low, need, low), np.where(is_low, -error, below)
        high, above = np.where(is_low, high, need), np.where(is_low, above, error)
    need = np.where(is_found, need, high)
    return np.where(is_sure, 0.0, np.where(is_hopeless, np.inf, need))


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
    "pairwise-precision": RatioBets("pairwise-precision", pairwise_precision),
    "pairwise-recall": RatioBets("pairwise-recall", pairwise_recall),
    "pairwise-f1": RatioBets("pairwise-f1", pairwise_f1),
    "b3-precision": RatioBets("b3-precision", b3_precision),
    "b3-recall": RatioBets("b3-recall", b3_recall),
}
