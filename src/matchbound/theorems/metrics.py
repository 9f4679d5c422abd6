"""All metrics: what each is, which nodes count for it, and the theorems that bound it."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from matchbound.theorems import paper, sampled, sharp
from matchbound.theorems.design import Design
from matchbound.theorems.tally import Tally
from matchbound.theorems.terms import Finding

Theorem = Callable[[Tally, Design, bool], Finding]
"""A bound on the complete or the holdout matcher's metric: (tally, design, complete)."""

TheoremWithErrors = Callable[[Tally, Design, bool, int], Finding]
"""A theorem with a further argument: at most this number of labels of S − D are wrong."""

Count = Callable[[int, int, int], int]
"""A whole number at a node, from its numbers of found matches, of true ones, and of both."""

Members = Literal["matched", "true", "all"]
"""The nodes that count: those the matcher matches, those with a true match, or every node."""

Promise = Literal["one_to_one", "at_most_one_match"]


@dataclass(frozen=True)
class Metric:
    """The mean over its `members` of `numerator` / `denominator`.

    The denominator is 0 at nodes that do not count. `words` describe the metric to people. `side`:
    it is bounded from below (lower) or above (upper). `theorems` are sharp (a census of the gap),
    sampled (sharp, where bounds on the gap take a part of δ) and paper; a draw that needs a missing
    one is refused. `with_errors` is the sharp theorem if some labels are wrong; None if the effect
    cannot be computed.

    `binary_by` is the promise without which its values may be fractions; None if they are always 0
    or 1, or if the matcher's output shows it. `is_default`: it is certified if the user chooses no
    metric. `mean` is the name of a sample's value.
    """

    name: str
    words: str
    side: Literal["lower", "upper"]
    members: Members
    numerator: Count
    denominator: Count
    theorems: Mapping[str, Theorem]
    with_errors: TheoremWithErrors | None = None
    binary_by: Promise | None = None
    is_default: bool = False
    mean: str = "sample mean"

    @property
    def is_lower(self) -> bool:
        return self.side == "lower"

    @property
    def sign(self) -> str:
        return "≥" if self.is_lower else "≤"

    @property
    def usual(self) -> float:
        """The value to plan for if the user gives no guess."""
        return 0.95 if self.is_lower else 0.05

    def meets(self, value: float, target: float) -> bool:
        """Whether a bound is at least as good as a target."""
        return value >= target if self.is_lower else value <= target

    def worst(self, values: Iterable[float]) -> float:
        return min(values) if self.is_lower else max(values)

    def rightness(self, value: float) -> float:
        """The value turned so that 1 is perfect, whatever the metric's side."""
        return value if self.is_lower else 1 - value

    def misses(self, value: float) -> float:
        """The value turned so that 0 is perfect, whatever the metric's side."""
        return 1 - value if self.is_lower else value

    def text(self, value: float) -> str:
        """The value with four decimals, rounded so that a bound is still one."""
        rounded = math.floor if self.is_lower else math.ceil
        return f"{rounded(round(value * 1e4, 6)) / 1e4:.4f}"


def _in_order(*metrics: Metric) -> dict[str, Metric]:
    return {metric.name: metric for metric in metrics}


METRICS = _in_order(
    Metric(
        "precision",
        "for an average record with a match, the share of its matches that is right",
        "lower",
        "matched",
        lambda found, true, both: both,
        lambda found, true, both: found,
        {"sharp": sharp.precision, "sampled": sampled.precision, "paper": paper.precision},
        sharp.precision,
        is_default=True,
    ),
    Metric(
        "recall",
        "for an average record with a true match, the share of these that is found",
        "lower",
        "true",
        lambda found, true, both: both,
        lambda found, true, both: true,
        {"sharp": sharp.recall, "sampled": sampled.recall, "paper": paper.recall},
        sharp.recall,
        binary_by="one_to_one",
        is_default=True,
    ),
    Metric(
        "error-rate",
        "the share of records whose matches are not exactly the true ones",
        "upper",
        "all",
        lambda found, true, both: int(not found == true == both),
        lambda found, true, both: 1,
        {"sharp": sharp.error_rate, "sampled": sampled.error_rate, "paper": paper.error_rate},
        sharp.error_rate,
    ),
)
"""All metrics, in the order of certificates. Bands and thresholds are about precision."""


def matched_by_guess(true: float, guesses: Mapping[str, float]) -> float:
    """The share of nodes that the holdout matcher matches; `true` is the share with a true match.

    A right match counts for precision and for recall, so the share is true × recall / precision. If
    either is not guessed, it is taken to be `true`.
    """
    if "precision" not in guesses or "recall" not in guesses:
        return true
    return true * guesses["recall"] / guesses["precision"]
