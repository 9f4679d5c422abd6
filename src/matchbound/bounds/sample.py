"""The arguments of a bound: a sample of values in [0, 1], and the population's size."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from matchbound.reprs import brief

DEFAULT_VARIANCE = 0.05  # of values in [0, 1]; zeros and ones with mean 0.95 have about this

Size = tuple[int, int] | None
"""The least and the greatest size that the population may have; None for independent draws."""


@dataclass(frozen=True)
class Sample:
    """Values in [0, 1], in draw order, or distinct values with counts; and the planned variance.

    `variance` is None if none was planned.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.int64] | None = None
    variance: float | None = None

    def __repr__(self) -> str:
        return brief(self, f"{self.drawn} values, mean {self.mean:.4g}")

    @property
    def planned(self) -> float:
        """The planned variance, or else the default."""
        return DEFAULT_VARIANCE if self.variance is None else self.variance

    @property
    def drawn(self) -> int:
        return len(self.values) if self.counts is None else int(self.counts.sum())

    @property
    def mean(self) -> float:
        return float(np.average(self.values, weights=self.counts))

    @property
    def spread(self) -> float:
        """The sample's variance, dividing by the number drawn."""
        return float(np.average((self.values - self.mean) ** 2, weights=self.counts))

    @property
    def ones(self) -> int:
        """How many values are 1, if all are 0 or 1."""
        ones = self.values == 1
        return int(ones.sum() if self.counts is None else self.counts[ones].sum())

    @property
    def flipped(self) -> "Sample":
        return replace(self, values=1.0 - self.values)


Bound = Callable[[Sample, Size, float], float]
"""A lower bound on the population's mean that holds with probability 1 − δ."""

Known = tuple[float, int]
"""The sum and the number of known members that are not among the nodes drawn from."""

Ones = Callable[[NDArray[np.float64], int, float], int]
"""A lower bound on the number of ones among n, from values drawn in this order: (values, n, δ)."""

Share = Callable[[NDArray[np.float64], tuple[int, int], float, Known], float]
"""A lower bound on (sum + ones(n)) / (number + n) for every n in a range, where the sum and the
number are those of known members: (values, range, δ, known)."""
