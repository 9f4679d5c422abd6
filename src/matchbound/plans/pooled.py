"""Bets on ratios of sums, on samples in draw order, without a tally of each.

Every drawn node is of one of three kinds: its matches are right, or wrong, or it has none. What
bets need besides is the same for all samples of a size, and comes from the theorems.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matchbound.bounds import Draws, pooled_lower, pooled_rejects
from matchbound.plans.counts import SampleCounts, Urn, labels_of
from matchbound.plans.drawn import Block
from matchbound.theorems import METRICS, Cell, Design, Holdout, Tally, limit


class Drawn(NamedTuple):
    """Samples to bet on, one a row: num, den and the greatest den of nodes, as in `Draws`.

    `counts` are how many nodes of each row are bet on.
    """

    num: NDArray[np.float64]
    den: NDArray[np.float64]
    most: NDArray[np.float64]
    counts: NDArray[np.int64]

    def rows(self, rows: NDArray[np.int64]) -> "Drawn":
        return Drawn(self.num[rows], self.den[rows], self.most[rows], self.counts[rows])


@dataclass(frozen=True)
class Bets:
    """Bets on one ratio of the holdout matcher."""

    holdout: Holdout
    delta: float
    each: int

    @cached_property
    def _by_kind(self) -> tuple[NDArray[np.float64], ...]:
        """num above the least value, den and the greatest den, of each kind of node."""
        labels = labels_of(Urn(3, 2, 1), self.each)
        least, parts = self.holdout.before_draw.least, list(map(self.holdout.parts, labels))
        return (
            np.array([float(num) - least * float(den) for num, den in parts]),
            np.array([float(den) for _, den in parts]),
            np.array([float(self.holdout.most(label.h)) for label in labels]),
        )

    def drawn(self, block: Block) -> Drawn:
        from matchbound.plans._drawing import packed

        member, right = block
        counts = np.full(len(member), member.shape[1])
        if self.holdout.ratio.known_unmatched:
            right, counts = packed(member, right)
            member = np.ones(right.shape, dtype=bool)
        kinds = 2 - member.astype(np.intp) - right.astype(np.intp)
        num, den, most = (np.take(numbers, kinds) for numbers in self._by_kind)
        return Drawn(num, den, most, counts)

    def lower(self, member: NDArray[np.bool_], right: NDArray[np.bool_]) -> float:
        num, den, most, (count,) = self.drawn((member[None], right[None]))
        draws = Draws(num[0, :count], den[0, :count], most[0, :count], np.ones(count))
        before = self.holdout.before_draw
        return before.least + pooled_lower(
            draws,
            before.urn,
            known=before.known,
            planned=max(int(count), 1),
            delta=self.delta,
            variance=before.variance,
            top=1.0 - before.least,
        )

    def rejects(self, drawn: Drawn, target: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each sample's lower bound reaches its own target."""
        num, den, most, counts = drawn
        before = self.holdout.before_draw
        rejected = pooled_rejects(
            Draws(num, den, most, np.ones(num.shape)),
            before.urn,
            target=np.clip(target - before.least, 0.0, 1.0),
            known=before.known,
            planned=np.maximum(counts, 1),
            delta=self.delta,
            variance=before.variance,
            drawn=counts,
        )
        return np.where(target <= before.least, True, rejected & (target <= 1))


def bets_on(metric: str, sample: SampleCounts, design: Design) -> tuple[Bets, ...]:
    """The bets on a metric; none if it needs a limit on true matches, and none is proved.

    A complete matcher's pairwise recall depends on pairwise precision, too: its bets are second.
    """
    row, most = METRICS[metric], _most(metric, sample, design)
    if most is None:
        return ()
    tally = _tally(sample._replace(seen=Urn(0, 0, 0)))  # which nodes are drawn does not matter
    is_among = row.needs_limit and design.is_among
    holdout = Holdout(row.ratio, tally, design, most, is_among)
    deltas = design.shares(2 if metric == "pairwise-recall" else 1)
    bets = Bets(holdout, deltas[0], sample.each)
    if metric != "pairwise-recall" or not sample.complete:
        return (bets,)
    precision = Holdout(METRICS["pairwise-precision"].ratio, tally, design, 1)
    return bets, Bets(precision, deltas[1], sample.each)


def _most(metric: str, sample: SampleCounts, design: Design) -> int | None:
    """The limit on true matches that bets use."""
    if METRICS[metric].needs_limit:
        return design.limit or limit(_tally(sample), design)
    size = sample.known.nodes + sample.urn.nodes
    return (design.promised_limit or max(size - 1, 1)) if METRICS[metric].of_clusters else 1


def _tally(sample: SampleCounts) -> Tally:
    """A tally with the sample's counts, in any order."""
    each, others = sample.each, sample.urn.members - sample.seen.members
    cells = Cell(0, 0, 0, sample.unseen - others), Cell(each, each, each, others)
    return Tally(
        sample.known.nodes + sample.urn.nodes,
        labels_of(sample.known, each),
        labels_of(sample.seen, each),
        (),
        tuple(cell for cell in cells if cell.nodes),
    )
