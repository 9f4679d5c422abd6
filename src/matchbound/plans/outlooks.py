"""The bounds and probabilities to expect from a number of labels, by metric and together."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from matchbound.errors import InputError
from matchbound.plans.margins import Margin
from matchbound.plans.question import Question
from matchbound.plans.search import NORMAL, first_true, near, settled
from matchbound.plans.simulation import FEW, MANY, Simulated, Whole
from matchbound.plans.sums import Summed

MOST = 100_000  # labels that a plan considers
STEPS = 1000  # likely bounds are multiples of a thousandth


@dataclass(frozen=True)
class Outlook:
    """A metric's `typical` bound, the `likely` one, and the `power` to reach the target.

    `likely` and `power` are None if not asked for. `error` is the power's standard error, of which
    two were subtracted from it; 0 if the power is an exact sum.
    """

    typical: float
    likely: float | None = None
    power: float | None = None
    error: float = 0.0


@dataclass(frozen=True)
class OutlookRow:
    """A number of labels, each metric's outlook, and the power to reach all targets together."""

    labels: int
    outlooks: dict[str, Outlook]
    together: float | None


class Chances(Protocol):
    """The probability of reaching a target, by this number of `draws` if it is simulated."""

    def power(self, labels: int, target: float, draws: int) -> float: ...
    def rough(self, labels: int, target: float) -> float: ...
    def error(self, power: float, draws: int) -> float: ...
    def tooth(self, labels: int, target: float) -> int: ...


class Prospects:
    """The answers to a question: bounds, powers, labels needed. Powers are computed once."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.most = min(question.size, MOST)
        self.margins = question.margins()
        self.chances = {metric: self._chances(margin) for metric, margin in self.margins.items()}
        self._powers: dict[tuple[int, str, int], float] = {}

    def _chances(self, margin: Margin) -> Chances:
        if min(margin.urn) < 1:
            raise InputError(
                f"train must leave nodes that count for {margin.metric}, got {self.question.train} "
                f"of {self.question.size}. Train on fewer."
            )
        if not margin.is_ordered:
            return Summed(margin)
        return Whole(margin) if margin.by_bets is None else Simulated(margin, margin.by_bets)

    @property
    def is_simulated(self) -> bool:
        return any(isinstance(self.chances[m], Simulated) for m in self.question.targets)

    def power(self, labels: int, metric: str, draws: int = FEW) -> float:
        """The probability of reaching the metric's target, minus two standard errors."""
        chances = self.chances[metric]
        key = labels, metric, draws
        if key not in self._powers:
            power = chances.power(labels, self.question.targets[metric], draws)
            self._powers[key] = max(0.0, power - 2 * chances.error(power, draws))
        return self._powers[key]

    def together(self, labels: int, draws: int = FEW) -> float:
        """A lower bound on the probability of reaching all targets, for any dependence between the
        metrics."""
        return _all_of([self.power(labels, metric, draws) for metric in self.question.targets])

    def rough(self, labels: int) -> float:
        """About `together`, computed faster, for a search."""
        targets = self.question.targets.items()
        return _all_of([self.chances[metric].rough(labels, target) for metric, target in targets])

    def row(self, labels: int, *, likely: bool, draws: int = FEW) -> OutlookRow:
        outlooks = {}
        for metric, margin in self.margins.items():
            outlook = Outlook(margin.typical(labels))
            if likely:
                outlook = replace(outlook, likely=self.likely(labels, metric))
            if metric in self.question.targets:
                power = self.power(labels, metric, draws)
                error = self.chances[metric].error(power, draws)
                outlook = replace(outlook, power=power, error=error)
            outlooks[metric] = outlook
        together = self.together(labels, draws) if self.question.targets else None
        return OutlookRow(labels, outlooks, together)

    def likely(self, labels: int, metric: str) -> float:
        """The best bound, in three decimals, that is reached with the wanted power."""
        margin, chances, wanted = self.margins[metric], self.chances[metric], self.question.power
        is_lower = margin.row.is_lower

        def bound(steps: int) -> float:
            return (steps if is_lower else STEPS - steps) / STEPS

        def missed(steps: int) -> bool:
            return chances.power(labels, bound(steps), FEW) < wanted

        guess = margin.row.rightness(margin.typical(labels))
        guess -= NORMAL.inv_cdf(wanted) * margin.deviation(labels)
        return bound(first_true(missed, 1, STEPS, round(guess * STEPS)) - 1)

    def needed(self) -> int | None:
        """The least number of labels from which on the targets are reached with the wanted power.

        Summed powers rise with the labels except for a saw-tooth, so one tooth ahead is checked
        too. Simulated powers are computed in steps of a fiftieth of the labels.
        """
        even, wanted = self._even(), self.question.power
        if even is None:
            return None
        guess = near(self.rough, wanted, even, self.most)
        if self.is_simulated:
            return self._needed_by_draws(guess)

        def reached(labels: int) -> bool:
            return self.rough(labels) >= wanted or self.together(labels) >= wanted

        least = first_true(reached, 1, self.most, guess)
        if least > self.most:
            return None
        tooth = max(self.chances[m].tooth(least, t) for m, t in self.question.targets.items())
        least = settled(lambda labels: not reached(labels), least, tooth, self.most)
        return least if least <= self.most else None

    def _needed_by_draws(self, guess: int) -> int | None:
        """Search by few draws, correct them by many draws at the result, and search again.

        The answer is the first number of labels that many draws confirm.
        """
        wanted, step = self.question.power, max(guess // 50, 1)
        last = self.most // step

        def first(correction: float, guess: int) -> int:
            return first_true(lambda n: self.rough(n * step) + correction >= wanted, 1, last, guess)

        by_few = min(first(0.0, guess // step), last)
        correction = self.together(by_few * step, MANY) - self.rough(by_few * step)
        budgets = range(first(correction, by_few) * step, self.most + 1, step)
        return next((n for n in budgets if self.together(n, MANY) >= wanted), None)

    def _even(self) -> int | None:
        """The least labels whose expected sample reaches every target; None if there are none."""
        targets = self.question.targets.items()

        def reached(labels: int) -> bool:
            return all(
                self.margins[metric].reaches(self.margins[metric].typical(labels), target)
                for metric, target in targets
            )

        start = max(self.margins[metric].start(target) for metric, target in targets)
        even = first_true(reached, 1, self.most, guess=start)
        return even if even <= self.most else None

    def limits(self) -> dict[str, float]:
        """The value that each bound tends to as labels are added.

        It is extrapolated: the distance falls like the standard deviation of a mean of the labels.
        It is exact if all nodes may be labelled.
        """
        few, size = max(self.most // 4, 1), self.question.size
        near, far = (math.sqrt((1 - labels / size) / labels) for labels in (self.most, few))
        limits = {}
        for metric, margin in self.margins.items():
            at_few, at_most = (margin.typical(labels) for labels in (few, self.most))
            limits[metric] = at_most + (at_most - at_few) * near / max(far - near, near, 1e-300)
        return limits

    def moving(self, labels: int) -> dict[str, float]:
        """How much each bound loses if a tenth of the labels train rather than validate."""
        moved = labels // 10
        train = min(self.question.train + moved, self.question.size - 1)
        after = replace(self.question, train=train).margins()
        return {
            metric: abs(margin.typical(labels) - after[metric].typical(labels - moved))
            for metric, margin in self.margins.items()
        }


def _all_of(powers: Sequence[float]) -> float:
    """A lower bound on the probability of all events, by the union bound."""
    return max(0.0, 1 - math.fsum(1 - power for power in powers))
