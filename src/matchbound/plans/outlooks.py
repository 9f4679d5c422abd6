"""What a number of labels gives, metric by metric and together."""

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

MOST = 100_000  # labels; nobody plans for more
STEPS = 1000  # likely bounds are given in thousandths


@dataclass(frozen=True)
class Outlook:
    """A metric's `typical` bound, the one `likely` to be reached, the `power` to reach the target.

    `error` is the power's standard error, which was taken off twice: 0 if it was summed. None: not
    asked for.
    """

    typical: float
    likely: float | None = None
    power: float | None = None
    error: float = 0.0


@dataclass(frozen=True)
class Row:
    """A number of labels, each metric's outlook, and the power to reach all targets together."""

    labels: int
    outlooks: dict[str, Outlook]
    together: float | None


class Chances(Protocol):
    """How likely a target is to be reached, by so many draws if it is simulated."""

    def power(self, labels: int, target: float, draws: int) -> float: ...
    def rough(self, labels: int, target: float) -> float: ...
    def error(self, power: float, draws: int) -> float: ...
    def tooth(self, labels: int, target: float) -> int: ...


class Prospects:
    """The answers to a question: bounds, powers, labels needed. Computed values are kept."""

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
        by_bets = margin.shortcut.by_bets if margin.shortcut is not None else None
        return Whole(margin) if by_bets is None else Simulated(margin, by_bets)

    @property
    def is_simulated(self) -> bool:
        return any(isinstance(self.chances[m], Simulated) for m in self.question.targets)

    def power(self, labels: int, metric: str, draws: int = FEW) -> float:
        """Less two standard errors."""
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
        """About the same, computed faster, for searching."""
        targets = self.question.targets.items()
        return _all_of([self.chances[metric].rough(labels, target) for metric, target in targets])

    def row(self, labels: int, *, likely: bool, draws: int = FEW) -> Row:
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
        return Row(labels, outlooks, together)

    def likely(self, labels: int, metric: str) -> float:
        """The best bound, in three decimals, that is reached with the power wanted."""
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
        """The least labels from which on the targets are reached with the power wanted.

        Summed powers rise with the labels but for a saw-tooth, of which one tooth is looked at
        ahead. Simulated ones are looked at in steps of a fiftieth.
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
        """Few draws, corrected by what many say where they lead, lead to what many confirm."""
        wanted, step = self.question.power, max(guess // 50, 1)
        last = self.most // step

        def first(more: float, guess: int) -> int:
            return first_true(lambda n: self.rough(n * step) + more >= wanted, 1, last, guess)

        near_it = min(first(0.0, guess // step), last)
        more = self.together(near_it * step, MANY) - self.rough(near_it * step)
        budgets = range(first(more, near_it) * step, self.most + 1, step)
        return next((n for n in budgets if self.together(n, MANY) >= wanted), None)

    def _even(self) -> int | None:
        """Where the sample expected reaches every target, if anywhere."""
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
        """What each bound tends to: it keeps away as the root of the labels' variance does.

        Exact where all nodes are within what is planned for.
        """
        few, size = max(self.most // 4, 1), self.question.size
        near, far = (math.sqrt((1 - labels / size) / labels) for labels in (self.most, few))
        limits = {}
        for metric, margin in self.margins.items():
            at_few, at_most = (margin.typical(labels) for labels in (few, self.most))
            limits[metric] = at_most + (at_most - at_few) * near / max(far - near, near, 1e-300)
        return limits

    def moving(self, labels: int) -> dict[str, float]:
        """What each bound loses if a tenth of the labels train rather than validate."""
        moved = labels // 10
        train = min(self.question.train + moved, self.question.size - 1)
        other = replace(self.question, train=train).margins()
        return {
            metric: abs(margin.typical(labels) - other[metric].typical(labels - moved))
            for metric, margin in self.margins.items()
        }


def _all_of(powers: Sequence[float]) -> float:
    """At least the probability of all events."""
    return max(0.0, 1 - math.fsum(1 - power for power in powers))
