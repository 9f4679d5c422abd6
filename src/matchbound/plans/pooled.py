"""Bets on ratios of sums, on samples in draw order, without a tally of each.

Every drawn node is of one of three kinds: its matches are right, or wrong, or it has none. What
bets need besides is the same for all samples of a size, and comes from the theorems.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from matchbound.bounds import Draws, pooled_lower, pooled_rejects
from matchbound.plans.counts import SampleCounts, Urn, labels_of
from matchbound.plans.drawn import Block
from matchbound.theorems import METRICS, Cell, Design, Holdout, Tally, limit


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

    def _draws(self, block: Block) -> tuple[list[NDArray[np.float64]], NDArray[np.int64]]:
        """The arrays of `Draws`, and how many nodes of each row are bet on."""
        from matchbound.plans._drawing import packed

        member, right = block
        if self.holdout.ratio.known_unmatched:
            right, drawn = packed(member, right)
            kinds = np.where(right, 0, 1)
        else:
            kinds = np.where(member, np.where(right, 0, 1), 2)
            drawn = np.full(len(member), member.shape[1])
        return [*(numbers[kinds] for numbers in self._by_kind), np.ones(kinds.shape)], drawn

    def lower(self, member: NDArray[np.bool_], right: NDArray[np.bool_]) -> float:
        arrays, (drawn,) = self._draws((member[None], right[None]))
        before = self.holdout.before_draw
        return before.least + pooled_lower(
            Draws(*(array[0, :drawn] for array in arrays)),
            before.urn,
            known=before.known,
            planned=max(int(drawn), 1),
            delta=self.delta,
            variance=before.variance,
            top=1.0 - before.least,
        )

    def rejects(self, block: Block, target: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each sample's lower bound reaches its own target."""
        arrays, drawn = self._draws(block)
        before = self.holdout.before_draw
        rejected = pooled_rejects(
            Draws(*arrays),
            before.urn,
            target=np.clip(target - before.least, 0.0, 1.0),
            known=before.known,
            planned=np.maximum(drawn, 1),
            delta=self.delta,
            variance=before.variance,
            drawn=drawn,
        )
        return np.where(target <= before.least, True, rejected & (target <= 1))


def bets_on(metric: str, sample: SampleCounts, design: Design) -> tuple[Bets, ...]:
    """The bets on a metric; none if it needs a limit on true matches, and none is proved.

    A complete matcher's pairwise recall depends on pairwise precision, too: its bets are second.
    """
    row, tally = METRICS[metric], _tally(sample)
    most = _most(metric, tally, design)
    if most is None:
        return ()
    is_among = row.needs_limit and design.promised_limit is None and bool(design.among_limit)
    holdout = Holdout(row.ratio, tally, design, most, is_among)
    deltas = design.shares(2 if metric == "pairwise-recall" else 1)
    bets = Bets(holdout, deltas[0], sample.each)
    if metric != "pairwise-recall" or not sample.complete:
        return (bets,)
    precision = Holdout(METRICS["pairwise-precision"].ratio, tally, design, 1)
    return bets, Bets(precision, deltas[1], sample.each)


def _most(metric: str, tally: Tally, design: Design) -> int | None:
    """The limit on true matches that bets use."""
    if METRICS[metric].needs_limit:
        return limit(tally, design)
    return (design.promised_limit or max(tally.size - 1, 1)) if METRICS[metric].of_clusters else 1


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
