"""From tallies to guarantees: one function for each theorem and metric."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from matchbound.choices import Choices
from matchbound.errors import AssumptionError
from matchbound.tallies import Tally
from matchbound.theorems import paper, sharp
from matchbound.theorems.terms import Finding

DECIMALS = 6
SCALE = 10.0**DECIMALS
ROUNDING = 1e-12  # more than the arithmetic of any theorem can be off by

METRICS: dict[str, tuple[str, dict[str, Callable[[Tally, Choices, bool], Finding]]]] = {
    "precision": ("lower", {"sharp": sharp.precision, "paper": paper.precision}),
    "recall": ("lower", {"sharp": sharp.recall, "paper": paper.recall}),
    "error-rate": ("upper", {"sharp": sharp.error_rate, "paper": paper.error_rate}),
}


@dataclass(frozen=True)
class Guarantee:
    """`metric` of `algorithm` is at least (`side` lower) or at most (upper) `value`.

    `estimate` is the validation sample's mean for the holdout matcher, `delta` the probability
    that this one guarantee fails, `bound` the bound on the labels' term.
    """

    metric: str
    algorithm: str
    side: str
    value: float
    estimate: float
    delta: float
    theorem: str
    bound: str


def guarantees(tally: Tally, choices: Choices, *, complete: bool) -> tuple[Guarantee, ...]:
    """One for each metric chosen; all hold together with probability at least 1 − δ."""
    return tuple(_guarantee(metric, tally, choices, complete) for metric in choices.metrics)


def _guarantee(metric: str, tally: Tally, choices: Choices, complete: bool) -> Guarantee:
    side, theorems = METRICS[metric]
    if choices.theorem == "sharp" and not tally.is_census:
        raise AssumptionError(
            f"gap must be a census for the sharp theorem, got {tally.drawn} of {tally.size} nodes. "
            "Run both matchers over the whole population, or use the paper's theorem."
        )
    unlabelled = any(t is None for _, t, _ in (*tally.train, *tally.validation))
    if unlabelled and choices.bound == "bernstein":
        raise AssumptionError(
            "bound must not be bernstein with unlabelled nodes: it can rise when a value falls. "
            "Label every drawn node, or draw with another bound."
        )
    finding = theorems[choices.theorem](tally, choices, complete)
    return Guarantee(
        metric=metric,
        algorithm="complete" if complete else "holdout",
        side=side,
        value=_outwards(finding.value, side),
        estimate=round(finding.estimate, DECIMALS),
        delta=choices.delta / len(choices.metrics),
        theorem=choices.theorem,
        bound=finding.bound,
    )


def _outwards(value: float, side: str) -> float:
    """Rounded so that it stays a bound, and kept in [0, 1]."""
    if side == "lower":
        rounded = math.floor((value - ROUNDING) * SCALE) / SCALE
    else:
        rounded = math.ceil((value + ROUNDING) * SCALE) / SCALE
    return min(max(rounded, 0.0), 1.0)
