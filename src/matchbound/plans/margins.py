"""A metric with its guessed value, and the guarantee that a sample would give."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from matchbound.bounds import BOUNDS
from matchbound.plans.bets import BY_BETS, ByBets
from matchbound.plans.counts import EXACT, NONE, Exact, SampleCounts, Urn, labels_of
from matchbound.plans.search import NORMAL
from matchbound.theorems import (
    METRICS,
    WHOLE,
    Cell,
    Choices,
    Design,
    Guarantee,
    Label,
    Metric,
    Tally,
    guarantees,
)


@dataclass(frozen=True)
class Margin:
    """A metric's guessed population: of `size` nodes, `members` count and `right` are right.

    A node that counts has `each` matches, all right or all wrong; for B-cubed, nodes without any
    match are right and not counted. `choices` are those of the metric alone, with its share of δ.
    The holdout matcher matches the share `found_share` of all nodes; the complete one has other
    matches at the share `gap_rate` (None: there is no complete matcher). Assumed: at labelled nodes
    both matchers are right at the same nodes; and the `train` nodes, and their number among the
    validation nodes, are as expected.
    """

    metric: str
    choices: Choices
    size: int
    members: int
    right: int
    found_share: float
    gap_rate: float | None = None
    train: int = 0

    @property
    def each(self) -> int:
        return matches_each(self.choices)

    @property
    def mean(self) -> float:
        """The share of right nodes among those that count."""
        return self.right / self.members

    @property
    def slope(self) -> float:
        """How much the metric rises with `mean`."""
        return slope(self.row, self.each, self.members / self.size)

    @cached_property
    def bound(self) -> str:
        """The bound on the labels' term."""
        return self._of(1, (self._labels(1, 1, 1)), 1).bound

    @property
    def is_ordered(self) -> bool:
        """Whether the bound depends on the order of the labels."""
        return BOUNDS[self.bound].ordered

    @property
    def row(self) -> Metric:
        return METRICS[self.metric]

    @cached_property
    def design(self) -> Design:
        return self.choices.design(self.metric)

    @property
    def exact(self) -> Exact | None:
        """How to compute the guarantee from counts, without a tally; None if that is impossible."""
        return EXACT.get(self.metric) if self._is_plain else None

    @property
    def by_bets(self) -> ByBets | None:
        """How to compute it by bets, without a tally; None if that is impossible."""
        return BY_BETS.get(self.metric) if self._is_plain else None

    @property
    def _is_plain(self) -> bool:
        c = self.choices
        return c.theorem == "sharp" and c.bound == "auto" and not (c.is_sampled or c.brought)

    def fresh(self, labels: int) -> int:
        """The number of validation nodes outside D, whose labels `sharp` counts exactly."""
        return labels - self._overlap(labels)

    def _overlap(self, labels: int) -> int:
        return round(labels * len(self._trained) / self.size)

    @cached_property
    def _trained(self) -> tuple[Label, ...]:
        """D's expected labels; none for `paper`, which does not use them."""
        if self.choices.theorem == "paper":
            return ()
        members = round(self.train * self.members / self.size)
        return self._labels(self.train, members, round(members * self.mean))

    def _labels(self, nodes: int, members: int, right: int) -> tuple[Label, ...]:
        return labels_of(Urn(nodes, members, right), self.each)

    @cached_property
    def known(self) -> Urn:
        """The counts of D."""
        counting = [label for label in self._trained if label != NONE]
        right = sum(bool(label.ht) for label in counting)
        return Urn(len(self._trained), len(counting), right)

    @cached_property
    def urn(self) -> Urn:
        """The counts of X − D, from which the validation nodes outside D are drawn."""
        nodes, members, right = self.known
        return Urn(self.size - nodes, self.members - members, self.right - right)

    def sample(self, labels: int, members: int = 0, right: int = 0) -> SampleCounts:
        fresh = self.fresh(labels)
        changed = self.outside(fresh, members)[2]
        seen, is_complete = Urn(fresh, members, right), self.gap_rate is not None
        return SampleCounts(self.urn, self.known, seen, changed, self.each, is_complete)

    def expected(self, labels: int) -> tuple[float, float]:
        """The expected number of validation nodes outside D that count, and that are right."""
        nodes, members, right = self.urn
        counting = self.fresh(labels) * members / nodes
        return counting, counting * right / max(members, 1)

    def typical(self, labels: int) -> float:
        """The bound from the expected sample, interpolated between whole numbers of nodes."""
        members, right = self.expected(labels)
        if self.is_ordered:  # it hardly changes with the members: no interpolation over these
            count = max(round(members), 1)
            return _between(
                lambda w: self.spread(labels, count, count - w), count * (1 - self.mean)
            )
        wrong = members - right
        return _between(lambda m: self._with_wrong(labels, max(m, 1), wrong), members)

    def _with_wrong(self, labels: int, members: int, wrong: float) -> float:
        return _between(
            lambda w: self.between(labels, members, members - w)[0], min(wrong, members)
        )

    def spread(self, labels: int, members: int, right: int) -> float:
        """The bound from a sample whose three kinds of nodes are evenly spread over its order."""
        counts = (right, members - right, self.fresh(labels) - members)
        positions = np.concatenate([(np.arange(n) + 0.5) / max(n, 1) for n in counts])
        kinds = np.repeat(np.arange(3), counts)
        return self.of_order(labels, kinds[np.argsort(positions, kind="stable")])

    def value(self, labels: int, members: int, right: int) -> float:
        """The bound from a sample of which `members` count and `right` are right, in any order."""
        if self.exact is not None:
            return self.exact.value(self.sample(labels, members, right), self.design)
        return self._of(labels, self._labels(self.fresh(labels), members, right), members).value

    def between(self, labels: int, members: int, right: int) -> tuple[float, float]:
        """Two close numbers that the value is between; faster to compute than the value."""
        if self.exact is not None and self.exact.near is not None:
            return self.exact.near(self.sample(labels, members, right), self.design)
        value = self.value(labels, members, right)
        return value, value

    def of_order(self, labels: int, kinds: NDArray[np.int64]) -> float:
        """The bound from a sample in its order; kinds are 0 right, 1 wrong, 2 does not count."""
        member, right = kinds < 2, kinds == 0
        members = int(member.sum())
        if self.by_bets is not None:
            sample = self.sample(labels, members, int(right.sum()))
            return self.by_bets.value(sample, self.design, member, right)
        by_kind = self._labels(3, 2, 1)
        return self._of(labels, tuple(by_kind[kind] for kind in kinds), members).value

    def _of(self, labels: int, fresh: tuple[Label, ...], members: int) -> Guarantee:
        in_both = self._trained[: self._overlap(labels)]
        overlap = tuple(range(len(fresh), len(fresh) + len(in_both)))
        gap = self._gap(len(fresh), members)
        tally = Tally(self.size, self._trained, fresh + in_both, overlap, gap)
        complete = self.gap_rate is not None
        (guarantee,) = guarantees({WHOLE: tally}, self.choices, complete=complete)
        return guarantee

    def _gap(self, fresh: int, members: int) -> tuple[Cell, ...]:
        """The expected cells of both matchers: of all nodes without a label, or of a sample."""
        nodes, matched, changed = self.outside(fresh, members)
        e = self.each
        cells = (
            Cell(0, 0, 0, nodes - matched),
            Cell(e, e, 0, changed),
            Cell(e, e, e, matched - changed),
        )
        return tuple(cell for cell in cells if cell.nodes)

    def outside(self, fresh: int, members: int) -> tuple[int, int, int]:
        """The numbers of nodes compared, of these matched by the holdout matcher, and changed."""
        nodes = self.choices.gap or self.size - len(self._trained) - fresh
        matched = round(nodes * self.found_share)
        if self.choices.gap:
            matched = max(matched, 1)
        elif self.row.members == "matched" or self.row.by_sums:
            matched = self.urn.members - members
        return nodes, matched, min(round(nodes * (self.gap_rate or 0)), matched)

    def deviation(self, labels: int) -> float:
        """The standard deviation of the sample's metric, which is about that of the bound."""
        nodes, members, right = self.urn
        counting = max(self.expected(labels)[0], 1.0)
        share, left = right / members, max(1 - self.fresh(labels) / nodes, 0)
        return self.slope * math.sqrt(share * (1 - share) / counting * left)

    def start(self, target: float) -> int:
        """About how many labels reach the target half the time, by the normal distribution.

        A search starts from it.
        """
        (delta, *_), share = self.design.shares(2), self.members / self.size
        distance = self.mean - (1 - self.row.misses(target) / self.slope)
        distance -= (self.gap_rate or 0) / share
        if distance <= 0:
            return self.size
        deviation = 1.2 * NORMAL.inv_cdf(1 - delta) * math.sqrt(self.mean * (1 - self.mean) / share)
        return round(max(1.0, 1 / ((distance / deviation) ** 2 + 1 / self.size)))

    def reaches(self, value: float, target: float) -> bool:
        return self.row.meets(value, target)


def matches_each(choices: Choices) -> int:
    """How many matches a node that counts is taken to have: as promised, and else 2."""
    if choices.one_to_one or choices.at_most_one_match:
        return 1
    return min(choices.most_true_matches or choices.among_records_with_at_most or 2, 2)


def slope(row: Metric, each: int, share: float) -> float:
    """How much a metric rises with the share of right nodes among those that count.

    For B-cubed, nodes without a match are right too, and one with wrong matches is part of its own
    cluster; `share` is that of nodes that count.
    """
    if not row.of_clusters:
        return 1.0
    num, den = row.ratio.parts(each, each, 0)
    return share * float(1 - num / den)


def _between(value: Callable[[int], float], number: float) -> float:
    """The value at a number that need not be whole, interpolated between its neighbours."""
    whole, part = divmod(number, 1)
    low = value(int(whole))
    return low + part * (value(int(whole) + 1) - low) if part else low
