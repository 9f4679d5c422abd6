"""The choices that a theorem needs for one metric: its share of δ, its bound, the kind of draw."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from matchbound.bounds import BOUNDS, DEFAULT_VARIANCE, BoundRow
from matchbound.errors import AssumptionError

AUTO = "auto"


def chosen_row(bound: str) -> BoundRow | None:
    """The row of a bound that was chosen by name; None for `auto`."""
    return None if bound == AUTO else BOUNDS[bound]


@dataclass(frozen=True)
class Design:
    """The choices that concern one metric; `Choices.design` makes it.

    `delta` is the δ of the metric's guarantee. `other_terms` is the share of it that each term
    other than the labels' gets; None divides it equally. `bound` is the chosen bound, or auto.
    `every_node_matched`: by promise, every node counts for recall.

    `variance` is the variance planned from D's labels, `guess` the metric's expected value,
    `matched` the expected share of nodes with a true match; each may be None. `few_misses`: bets
    are better at any time, because few misses are expected.

    `brought`: the user brought the labels, so they have no drawn order. `future`: the guarantee is
    about nodes to come. `gap`: the gap was counted on a sample. `until`: the sample ended with
    enough nodes of a kind; `is_counted`: with enough nodes that count for this metric. `by_truth`:
    the truth decides which nodes count for this metric, so their number is unknown.

    `promised_limit` is the most true matches that a node has, by promise. `among_limit`: where the
    metric needs a limit, it is about nodes with at most so many. `limit_by_sample`: the sample
    proves a limit. `weigh` is the metric that nodes were drawn for by weight; empty for uniform
    draws.

    `beside` holds the designs of all metrics that are certified on the same event.
    """

    metric: str
    delta: float
    other_terms: float | None = None
    bound: str = AUTO
    one_to_one: bool = False
    at_most_one_match: bool = False
    every_node_matched: bool = False
    variance: float | None = None
    guess: float | None = None
    matched: float | None = None
    few_misses: bool = False
    brought: bool = False
    future: bool = False
    gap: bool = False
    until: bool = False
    is_counted: bool = False
    by_truth: bool = False
    promised_limit: int | None = None
    among_limit: int | None = None
    limit_by_sample: bool = False
    weigh: str = ""
    beside: Mapping[str, "Design"] = field(default_factory=dict)

    @property
    def is_sampled(self) -> bool:
        """Whether bounds on the gap take a part of δ."""
        return self.gap or self.future

    @property
    def is_anytime(self) -> bool:
        row = chosen_row(self.bound)
        return row is not None and row.anytime

    @property
    def limit(self) -> int | None:
        """The limit on true matches that was chosen."""
        return self.promised_limit or self.among_limit

    @property
    def is_among(self) -> bool:
        """Whether a metric that needs a limit is about nodes within it alone."""
        return self.promised_limit is None and self.among_limit is not None

    def weight(self, found: int) -> float:
        """The weight by which a node with so many matches of the holdout matcher was drawn."""
        return weight(self.weigh, found, self.limit)

    def shares(self, terms: int) -> tuple[float, ...]:
        """δ divided among the terms, the labels' first; the parts sum to at most δ.

        The division does not depend on whether there is a complete matcher, so that guarantees for
        it and for the holdout matcher hold on the same event.
        """
        if self.other_terms is None:
            parts = [self.delta / terms] * terms
        else:
            other = self.delta * self.other_terms
            parts = [self.delta - other * (terms - 1), *[other] * (terms - 1)]
        return tuple(part * (1 - 1e-14) for part in parts)

    def labels_bound(self, binary: bool) -> str:
        """The bound on the labels' term. It does not depend on labels: `binary` is known before.

        If the sample ended with enough nodes of a kind, only the metric over these nodes has a
        sample of fixed size. Even this one has not if its values are fractions over a set of
        unknown size: these are bet on over all nodes, whose number is not fixed.
        """
        row = chosen_row(self.bound)
        by_bets = not binary or (row is not None and row.bets)
        is_fixed = self.is_counted and not (self.by_truth and by_bets)
        if self.is_anytime or (self.until and not is_fixed):
            return "likelihood" if binary and not self.few_misses else "anytime"
        if row is None:
            if binary:
                return "binomial" if self.future else "hypergeometric"
            return "orderfree" if self.brought else "star"
        if row.binary and not binary:
            raise AssumptionError(
                f"bound must not be {self.bound} for {self.metric}, which may be a fraction here. "
                "Use auto, or declare one-to-one if a node has at most one true match."
            )
        return self.bound

    @property
    def members_bound(self) -> str:
        """The bound on the number of nodes with a true match.

        It counts over all drawn nodes; if the sample ended by `until`, their number is not fixed.
        """
        if self.is_anytime or self.until:
            return "likelihood"
        return "hypergeometric" if self.bound == AUTO else self.bound

    def planned_variance(self, share: float = 1.0) -> float | None:
        """The planned variance, on which the size of bets and stakes depends; None without a plan.

        It is the one from D's labels; or else that of zeros and ones with the guessed mean, times
        the share of nodes that count. Where the truth decides which nodes count, it is the variance
        of the payoffs over all nodes.
        """
        if self.variance is not None:
            return self.variance
        return None if self.guess is None else self.guess * (1 - self.guess) * share


def weight(weigh: str, found: int, limit: int | None) -> float:
    """A node's weight in a draw for a metric: the most that the node can add to its denominator."""
    if weigh == "pairwise-precision":
        return float(found)
    return float(found + (limit or 1)) if weigh == "pairwise-f1" else 1.0


WEIGHED = ("pairwise-precision", "pairwise-f1")
"""The metrics for which unequal weights are better than equal ones."""


def or_default(variance: float | None, share: float, bound: str) -> float | None:
    """The planned variance; without one, the default if the bound needs a variance."""
    if variance is None and not BOUNDS[bound].unplanned:
        return DEFAULT_VARIANCE * share
    return variance
