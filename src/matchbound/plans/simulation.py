"""The probability that a bound that depends on the order reaches a target, by simulation."""

import math

import numpy as np
from numpy.typing import NDArray

from matchbound.plans.bets import ByBets
from matchbound.plans.drawn import BLOCK, Block, samples
from matchbound.plans.margins import Margin
from matchbound.theorems import ROUNDING, SCALE

FEW, MANY = 400, 2000  # draws in a search, and for the answer
FEWER = 4  # times fewer draws, if each needs a whole guarantee


class Simulated:
    """Powers from simulated draws, with standard errors. Draws are the same at every call.

    This is for the theorem `sharp`, whose bets are made against the target alone.
    """

    def __init__(self, margin: Margin, by_bets: ByBets | None = None) -> None:
        self.margin, self.by_bets = margin, by_bets
        self._hits: dict[tuple[int, float, int], int] = {}

    def power(self, labels: int, target: float, draws: int) -> float:
        return sum(self._hit(labels, target, block) for block in range(draws // BLOCK)) / draws

    def _hit(self, labels: int, target: float, block: int) -> int:
        key = labels, target, block
        if key not in self._hits:
            self._hits[key] = int(self._reached(labels, self._samples(labels, block), target).sum())
        return self._hits[key]

    def rough(self, labels: int, target: float) -> float:
        """About the power that many draws would give, by few draws."""
        power = self.power(labels, target, FEW)
        return max(0.0, power - 2 * self.error(power, MANY))

    def error(self, power: float, draws: int) -> float:
        """The standard error of a power; above 0 for powers 0 and 1 too, as if by one more draw."""
        share = (power * draws + 0.5) / (draws + 1)
        return math.sqrt(share * (1 - share) / draws)

    def tooth(self, labels: int, target: float) -> int:
        """0, because powers of bets have no saw-tooth."""
        return 0

    def _samples(self, labels: int, block: int) -> Block:
        return samples(self.margin.urn, self.margin.fresh(labels), block)

    def _reached(self, labels: int, block: Block, target: float) -> NDArray[np.bool_]:
        """Whether each sample's guarantee reaches the target."""
        assert self.by_bets is not None
        margin, fresh = self.margin, self.margin.fresh(labels)
        changed = np.zeros(len(block[0]))
        if margin.gap_rate:
            changed += [margin.outside(fresh, int(count))[2] for count in block[0].sum(axis=1)]
        sample = margin.sample(labels)
        return self.by_bets.reached(sample, margin.design, block, changed, _printed(target))


class Whole(Simulated):
    """Powers from fewer draws, each with its whole guarantee: for any other bound or theorem."""

    def __init__(self, margin: Margin) -> None:
        super().__init__(margin)
        self._values: dict[tuple[int, int], list[float]] = {}

    def power(self, labels: int, target: float, draws: int) -> float:
        values = [v for n in range(draws // FEWER // BLOCK) for v in self._seen(labels, n)]
        return sum(self.margin.reaches(value, target) for value in values) / len(values)

    def error(self, power: float, draws: int) -> float:
        return super().error(power, draws // FEWER)

    def _seen(self, labels: int, block: int) -> list[float]:
        key = labels, block
        if key not in self._values:
            rows = zip(*self._samples(labels, block), strict=True)
            self._values[key] = [self._value(labels, *row) for row in rows]
        return self._values[key]

    def _value(self, labels: int, member: NDArray[np.bool_], right: NDArray[np.bool_]) -> float:
        if not member.any():
            return 0.0  # there is no bound without a node that counts
        kinds = np.where(member, np.where(right, 0, 1), 2).astype(np.int64)
        return self.margin.of_order(labels, kinds)


def _printed(target: float) -> float:
    """The least value that is certified as the target or more, after rounding."""
    return math.ceil(target * SCALE - 1e-6) / SCALE + ROUNDING
