"""A population that has changed since its nodes were drawn, and the draws from it since."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from matchbound.errors import AssumptionError, InputError
from matchbound.theorems.choices import Choices
from matchbound.theorems.grown import PAIRWISE, Change, Drawn, New
from matchbound.theorems.metrics import METRICS, Metric
from matchbound.theorems.tally import Tally
from matchbound.theorems.terms import Finding


@dataclass(frozen=True)
class Cohort:
    """A later draw, from nodes that were new then: its tally, choices, and what became of it."""

    tally: Tally
    choices: Choices
    change: Change
    name: str = ""


@dataclass(frozen=True)
class Growth:
    """What became of the nodes that were drawn from, which nodes are new, and later draws."""

    change: Change
    new: New
    cohorts: tuple[Cohort, ...] = ()

    @property
    def delta(self) -> Fraction:
        """The δ of all later draws."""
        return sum((Fraction(repr(one.choices.delta)) for one in self.cohorts), Fraction(0))

    def as_dict(self) -> dict[str, object]:
        return {
            "change": self.change.as_dict(),
            "new": asdict(self.new),
            "cohorts": [
                {
                    "name": one.name,
                    "choices": one.choices.as_dict(),
                    "change": one.change.as_dict(),
                    "tally": one.tally.as_dict(),
                }
                for one in self.cohorts
            ],
        }

    @staticmethod
    def from_dict(record: Any, tally: Tally) -> "Growth":
        """Read growth from a certificate; refuse counts that no population can have."""
        numbers = record["new"]
        new = New(*(int(numbers[name]) for name in ("nodes", "matched", "pairs")))
        if not 0 <= new.matched <= min(new.nodes, new.pairs) or (new.pairs and not new.matched):
            raise InputError(
                "grown must hold possible counts of new nodes, got others. Give a certificate as "
                "matchbound wrote it."
            )
        return Growth(
            Change.from_dict(record["change"], tally), new, tuple(map(_cohort, record["cohorts"]))
        )


def _cohort(record: Any) -> Cohort:
    tally = Tally.from_dict(record["tally"])
    choices, change = Choices.from_dict(record["choices"]), record["change"]
    return Cohort(tally, choices, Change.from_dict(change, tally), str(record["name"]))


def grown_finding(metric: Metric, tally: Tally, choices: Choices, growth: Growth) -> Finding:
    """The bound on a metric over the population as it is now; 0, or 1, where none is proved."""
    every = [Cohort(tally, choices, growth.change), *growth.cohorts]
    if metric.grown is None or any(metric.name not in one.choices.metrics for one in every):
        return Finding(0.0 if metric.is_lower else 1.0, None, choices.bound)
    drawn = [Drawn(one.tally, one.choices.design(metric.name), one.change) for one in every]
    return metric.grown(drawn, growth.new)


def check_growth(choices: Choices, growth: Growth, complete: bool) -> None:
    """Refuse kinds of draws of which nothing is proved for a population that has changed."""
    if not complete:
        raise AssumptionError(
            "complete must be given where the population has changed, got none. Give the matches "
            "of a matcher that ran over it as it is now."
        )
    for one in (choices, *(cohort.choices for cohort in growth.cohorts)):
        kinds = {
            "bands": one.bands,
            "choose_threshold": one.choose_threshold,
            "algorithms": one.algorithms,
            "gap": one.gap,
            "future": one.future,
            "theorem": one.theorem != "sharp",
        }
        for name in (name for name, is_chosen in kinds.items() if is_chosen):
            raise AssumptionError(
                f"population must be what was drawn from with the choice {name}, got one that has "
                "changed: nothing is proved for that. Draw again."
            )


def uncovered(choices: Choices, growth: Growth) -> tuple[str, ...]:
    """The metrics of which nothing is certified, because nothing is proved."""
    every = [Cohort(_NOTHING, choices, growth.change), *growth.cohorts]
    return tuple(
        name
        for name in choices.metrics
        if METRICS[name].grown is None or not all(_is_covered(name, one) for one in every)
    )


def _is_covered(metric: str, drawn: Cohort) -> bool:
    choices, joined = drawn.choices, drawn.change.joined
    if metric not in choices.metrics or (metric == "recall" and choices.weigh):
        return False
    if metric == "pairwise-f1" and not set(PAIRWISE) <= set(choices.metrics):
        return False
    promised = choices.design(metric).promised_limit is not None
    needs = metric in ("pairwise-recall", "pairwise-f1") or (metric == "error-rate" and joined > 0)
    return promised or not needs


_NOTHING = Tally(0, (), (), (), ())
