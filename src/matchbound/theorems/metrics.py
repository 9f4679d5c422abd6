"""All metrics: what each is, which nodes count for it, and the theorems that bound it."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from matchbound.theorems import bcubed, grown, pairwise, paper, ratios, sampled, sharp
from matchbound.theorems.design import Design
from matchbound.theorems.grown import GrownTheorem
from matchbound.theorems.ratios import Ratio
from matchbound.theorems.tally import Tally
from matchbound.theorems.terms import Finding

Theorem = Callable[[Tally, Design, bool], Finding]
"""A bound on the complete or the holdout matcher's metric: (tally, design, complete)."""

TheoremWithErrors = Callable[[Tally, Design, bool, int], Finding]
"""A theorem with a further argument: at most this number of labels of S − D are wrong."""

Members = Literal["matched", "true", "all"]
"""The nodes that count: those the matcher matches, those with a true match, or every node."""

Promise = Literal["one_to_one", "at_most_one_match"]


@dataclass(frozen=True)
class Metric:
    """A `ratio` over its `members`, and what is proved about it.

    `words` describe it to people. `side`: it is bounded from below (lower) or above (upper).
    `theorems` are sharp (a census of the gap), sampled (sharp, where bounds on the gap take a part
    of δ) and paper; a draw that needs a missing one is refused. `with_errors` is the sharp theorem
    if some labels are wrong; None if the effect cannot be computed. `grown` is the theorem for a
    population that has changed since the draw; None if there is none.

    `binary_by` is the promise without which its values may be fractions; None if they are always 0
    or 1, or if the matcher's output shows it. `is_default`: it is certified if the user chooses no
    metric. `needs_limit`: there is no bound without a limit on the true matches of a record.
    `of_clusters`: it is about clusters of one table.
    """

    name: str
    words: str
    side: Literal["lower", "upper"]
    members: Members
    ratio: Ratio
    theorems: Mapping[str, Theorem]
    with_errors: TheoremWithErrors | None = None
    grown: GrownTheorem | None = None
    binary_by: Promise | None = None
    is_default: bool = False
    needs_limit: bool = False
    of_clusters: bool = False

    @property
    def is_lower(self) -> bool:
        return self.side == "lower"

    @property
    def sign(self) -> str:
        return "≥" if self.is_lower else "≤"

    @property
    def by_sums(self) -> bool:
        """Whether its bound is that of a ratio of sums, which only a draw of fixed size has."""
        return self.ratio.pooled or self.of_clusters

    @property
    def counts_missed(self) -> bool:
        """Whether it is another if one more true match is missed."""
        return self.ratio.parts(1, 1, 1) != self.ratio.parts(1, 2, 1)

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
        ratios.PRECISION,
        {"sharp": sharp.precision, "sampled": sampled.precision, "paper": paper.precision},
        sharp.precision,
        grown.precision,
        is_default=True,
    ),
    Metric(
        "recall",
        "for an average record with a true match, the share of these that is found",
        "lower",
        "true",
        ratios.RECALL,
        {"sharp": sharp.recall, "sampled": sampled.recall, "paper": paper.recall},
        sharp.recall,
        grown.recall,
        binary_by="one_to_one",
        is_default=True,
    ),
    Metric(
        "error-rate",
        "the share of records whose matches are not exactly the true ones",
        "upper",
        "all",
        ratios.WRONG,
        {"sharp": sharp.error_rate, "sampled": sampled.error_rate, "paper": paper.error_rate},
        sharp.error_rate,
        grown.error_rate,
    ),
    Metric(
        "pairwise-precision",
        "of the pairs that it links, the share that is right",
        "lower",
        "matched",
        ratios.PAIRWISE_PRECISION,
        {"sharp": pairwise.precision},
        grown=grown.pairwise_precision,
    ),
    Metric(
        "pairwise-recall",
        "of the true pairs, the share that it links",
        "lower",
        "true",
        ratios.PAIRWISE_RECALL,
        {"sharp": pairwise.recall},
        grown=grown.pairwise_recall,
        needs_limit=True,
    ),
    Metric(
        "pairwise-f1",
        "the harmonic mean of the share of linked pairs that is right and the share of true pairs "
        "that it links",
        "lower",
        "true",
        ratios.PAIRWISE_F1,
        {"sharp": pairwise.f1},
        grown=grown.f1,
        needs_limit=True,
    ),
    Metric(
        "b3-precision",
        "for an average record, the share of its cluster that is right, itself included",
        "lower",
        "all",
        ratios.B3_PRECISION,
        {"sharp": bcubed.precision},
        of_clusters=True,
    ),
    Metric(
        "b3-recall",
        "for an average record, the share of its entity that is in its cluster, itself included",
        "lower",
        "all",
        ratios.B3_RECALL,
        {"sharp": bcubed.recall},
        of_clusters=True,
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
