"""What a number of labels gives, metric by metric and together."""

import math
from dataclasses import dataclass, replace
from typing import Protocol

from matchbound.errors import InputError
from matchbound.planning.questions import Question
from matchbound.planning.searching import first_true, near, settled
from matchbound.planning.simulated import Simulated
from matchbound.planning.summed import Summed

MOST = 100_000  # labels; nobody plans for more


@dataclass(frozen=True)
class Outlook:
    """A metric's `typical` bound, the one `likely` to be reached, the `power` to reach the target.

    `error` is the power's standard error: 0 if it was summed. None: not asked for.
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
    error: float = 0.0


class Chances(Protocol):
    def power(self, labels: int, target: float) -> float: ...
    def error(self, power: float) -> float: ...
    def likely(self, labels: int, power: float) -> float: ...
    def tooth(self, labels: int, target: float) -> int: ...


class Prospects:
    """Everything that can be said of a question; what was computed is kept."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.most = min(question.size, MOST)
        self.margins = question.margins()
        self.chances: dict[str, Chances] = {}
        for metric, margin in self.margins.items():
            if min(margin.urn) < 1:
                raise InputError(
                    f"train must leave nodes that count for {metric}, got {question.train} of "
                    f"{question.size}. Train on fewer."
                )
            self.chances[metric] = Simulated(margin) if margin.bets else Summed(margin)
        self._powers: dict[tuple[int, str], float] = {}

    @property
    def simulated(self) -> bool:
        return any(isinstance(self.chances[m], Simulated) for m in self.question.targets)

    def power(self, labels: int, metric: str) -> float:
        key = labels, metric
        if key not in self._powers:
            self._powers[key] = self.chances[metric].power(labels, self.question.targets[metric])
        return self._powers[key]

    def together(self, labels: int) -> float:
        """At least this, however the metrics hang together: what the guesses do not tell."""
        misses = math.fsum(1 - self.power(labels, metric) for metric in self.question.targets)
        return max(0.0, 1 - misses)

    def row(self, labels: int, *, likely: bool) -> Row:
        outlooks = {}
        for metric, chances in self.chances.items():
            power = self.power(labels, metric) if metric in self.question.targets else None
            outlooks[metric] = Outlook(
                self.margins[metric].typical(labels),
                chances.likely(labels, self.question.power) if likely else None,
                power,
                0.0 if power is None else chances.error(power),
            )
        together = self.together(labels) if self.question.targets else None
        return Row(labels, outlooks, together, math.hypot(*(o.error for o in outlooks.values())))

    def needed(self) -> int | None:
        """The least labels from which on the targets are reached with the power wanted.

        Summed powers rise with the labels but for a saw-tooth, of which one tooth is looked at
        ahead; simulated ones are looked at in steps of about a fiftieth.
        """
        wanted = self.question.power
        even = self._even()
        if even is None:
            return None
        step = max(even // 50, 1) if self.simulated else 1
        last = self.most // step

        def reached(steps: int) -> bool:
            return self.together(steps * step) >= wanted

        guess = near(self.together, wanted, even, self.most)
        least = first_true(reached, 1, last, guess // step)
        if least > last:
            return None
        tooth = max(
            self.chances[metric].tooth(least * step, target)
            for metric, target in self.question.targets.items()
        )
        least = settled(lambda steps: not reached(steps), least, tooth, last)
        return least * step if least <= last else None

    def _even(self) -> int | None:
        """Where the sample expected reaches every target, if anywhere."""

        def reached(labels: int) -> bool:
            return all(
                self.margins[metric].reaches(self.margins[metric].typical(labels), target)
                for metric, target in self.question.targets.items()
            )

        if not reached(self.most):
            return None
        return first_true(reached, 1, self.most, guess=min(300, self.most))

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
