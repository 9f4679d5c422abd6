"""The probability that a bound reaches a target, summed over all samples."""

import math
from collections.abc import Callable
from itertools import pairwise

from matchbound.bounds import chance, chance_at_least
from matchbound.plans.margins import Margin
from matchbound.plans.search import first_true

BLURRED = 0.6  # of a tooth: if the number of nodes that count varies more, the saw-tooth is gone


class Summed:
    """Exact powers, except that the rarest samples, of probability below 10⁻⁹, count as failures.

    A bound that does not depend on the order is a function of how many sampled nodes count, and of
    how many of these are wrong. It falls with the wrong ones, and one more right node does not
    lower it. So the most wrong nodes with which it reaches a target stay the same over a run of
    numbers of counting nodes, and are one more in the next run.
    """

    def __init__(self, margin: Margin) -> None:
        self.margin = margin
        self._values: dict[tuple[int, int, int], tuple[float, float]] = {}
        self._begun: dict[int, int] = {}  # where runs began in the last call: good guesses

    def power(self, labels: int, target: float, draws: int = 0) -> float:
        return self._sum(labels, target, exactly=True)

    def rough(self, labels: int, target: float) -> float:
        """A number at most the power and close to it, which is faster to compute."""
        return self._sum(labels, target, exactly=False)

    def _sum(self, labels: int, target: float, *, exactly: bool) -> float:
        nodes, members, right = self.margin.urn
        fresh = self.margin.fresh(labels)
        return math.fsum(
            chance(m, fresh, members, nodes) * chance_at_least(m - wrong, m, right, members)
            for wrong, begin, end in self._runs(labels, target, exactly)
            for m in range(begin, end)
        )

    def error(self, power: float, draws: int = 0) -> float:
        return 0.0

    def tooth(self, labels: int, target: float) -> int:
        """For how many more labels the power may fall, before one more wrong node is allowed."""
        nodes, members, _ = self.margin.urn
        fresh, (counting, _) = self.margin.fresh(labels), self.margin.expected(labels)
        allowed = (
            w for w, begin, _ in self._runs(labels, target, exactly=False) if begin <= counting
        )
        wrong = max(allowed, default=0)
        if _deviation(fresh, members, nodes) >= BLURRED * counting / (wrong + 1):
            return 0
        return math.ceil(labels / (wrong + 1))

    def _runs(self, labels: int, target: float, exactly: bool) -> list[tuple[int, int, int]]:
        """Runs (wrong, begin, end): if begin ≤ members < end, at most `wrong` reach the target."""
        low, high = self._range(labels)
        guess = max((w for w, m in self._begun.items() if m <= low), default=0) + 1

        def reaches(members: int, wrong: int) -> bool:
            return self._reaches(labels, members, wrong, target, exactly)

        wrong = first_true(lambda w: not reaches(low, w), 0, low, guess) - 1
        begun = [(wrong, low)]
        while begun[-1][1] <= high:
            begun.append(self._next_run(reaches, begun, high))
        self._begun = dict(begun)
        return [(w, begin, end) for (w, begin), (_, end) in pairwise(begun) if w >= 0]

    def _next_run(
        self, reaches: Callable[[int, int], bool], begun: list[tuple[int, int]], high: int
    ) -> tuple[int, int]:
        wrong, begin = begun[-1][0] + 1, begun[-1][1]
        as_long = 2 * begin - begun[-2][1] if len(begun) > 2 else begin + 1
        guess = self._begun.get(wrong, as_long)
        return wrong, first_true(lambda m: reaches(m, wrong), begin, high, guess)

    def _range(self, labels: int) -> tuple[int, int]:
        """The range of likely numbers of nodes that count, without 0, which gives no bound."""
        nodes, members, _ = self.margin.urn
        fresh = self.margin.fresh(labels)
        mean, reach = fresh * members / nodes, 6.3 * _deviation(fresh, members, nodes) + 10
        least = max(1, fresh - (nodes - members), math.floor(mean - reach))
        return least, min(fresh, members, math.ceil(mean + reach))

    def _reaches(self, labels: int, members: int, wrong: int, target: float, exactly: bool) -> bool:
        if wrong > members:
            return False
        key = labels, members, members - wrong
        if key not in self._values:
            self._values[key] = self.margin.between(*key)
        low, high = (self.margin.reaches(value, target) for value in self._values[key])
        if low == high or not exactly:
            return low
        self._values[key] = (self.margin.value(*key),) * 2
        return self.margin.reaches(self._values[key][0], target)


def _deviation(s: int, m: int, n: int) -> float:
    """The standard deviation of the ones among s drawn from n of which m are ones."""
    return math.sqrt(s * (m / n) * ((n - m) / n) * (n - s) / max(n - 1, 1))
