"""How likely a bound that depends on the order is to reach a target, by simulation."""

import math

import numpy as np
from numpy.typing import NDArray

from matchbound.planning.margins import Margin

DRAWS = 300
SEED = 2718


class Simulated:
    """The same draws each time they are asked for, with their standard error."""

    def __init__(self, margin: Margin) -> None:
        self.margin = margin
        self._values: dict[int, NDArray[np.float64]] = {}

    def power(self, labels: int, target: float) -> float:
        return float(np.mean([self.margin.reaches(value, target) for value in self._seen(labels)]))

    def error(self, power: float) -> float:
        """The standard error of a power; of 0 and 1 too, as if one more draw were otherwise."""
        share = (power * DRAWS + 0.5) / (DRAWS + 1)
        return math.sqrt(share * (1 - share) / DRAWS)

    def likely(self, labels: int, power: float) -> float:
        values = np.sort(self._seen(labels))[::-1]
        return math.floor(float(values[math.ceil(power * DRAWS) - 1]) * 1e3) / 1e3

    def tooth(self, labels: int, target: float) -> int:
        """Bets have no saw-tooth."""
        return 0

    def _seen(self, labels: int) -> NDArray[np.float64]:
        if labels not in self._values:
            rng = np.random.default_rng([SEED, labels])
            self._values[labels] = np.array([self._draw(labels, rng) for _ in range(DRAWS)])
        return self._values[labels]

    def _draw(self, labels: int, rng: np.random.Generator) -> float:
        nodes, members, right = self.margin.urn
        fresh = self.margin.fresh(labels)
        counting = int(rng.hypergeometric(members, nodes - members, fresh))
        if not counting:
            return 0.0  # no bound
        good = int(rng.hypergeometric(right, members - right, counting))
        kinds = np.repeat([0, 1, 2], [good, counting - good, fresh - counting])
        return self.margin.of_order(labels, rng.permutation(kinds).tolist()).value
