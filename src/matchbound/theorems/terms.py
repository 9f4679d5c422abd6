"""The labels' term of each metric: a bound on the holdout matcher, shared by all theorems."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from matchbound import bounds
from matchbound.bounds.hypergeometric import share_lower
from matchbound.bounds.sample import DEFAULT_VARIANCE
from matchbound.choices import Choices
from matchbound.errors import AssumptionError
from matchbound.tallies import Tally, Triple
from matchbound.theorems import labels

Known = tuple[float, int]
"""The sum and the number of values that are known without sampling."""

NOTHING: Known = (0.0, 0)


@dataclass(frozen=True)
class Finding:
    """A bound on a metric, the sample's own mean, and the name of the labels' bound."""

    value: float
    estimate: float
    bound: str


def pick_bound(choices: Choices, metric: str, binary: bool) -> str:
    """The labels' bound. Never a matter of the labels: `binary` was known before them."""
    if choices.bound == "auto":
        return "hypergeometric" if binary else "betting"
    if choices.bound == "hypergeometric" and not binary:
        raise AssumptionError(
            f"bound must not be hypergeometric for {metric}, which may be a fraction here. "
            "Use auto or betting, or declare one-to-one if a node has at most one true match."
        )
    return choices.bound


def found(tally: Tally, matcher: str = "holdout") -> int:
    """|X_H|, or |X_C| for "complete", if the gap is a census."""
    place = ("holdout", "complete").index(matcher)
    count = sum(cell[3] for cell in tally.gap if cell[place])
    if not count:
        raise AssumptionError(
            f"{matcher} must match some node, got 0 of {tally.drawn}. "
            "Give a matcher that finds something, or a lower threshold."
        )
    return count


def most_matches(tally: Tally, choices: Choices) -> int:
    """The most matches that the holdout matcher has at any node: a census shows it, or a promise.

    Never the complete matcher's: that may depend on the labels, and so would the choice of bound.
    """
    if tally.is_census:
        return max(h for h, *_ in tally.gap)
    if not choices.at_most_one_match:
        raise AssumptionError(
            "at_most_one_match must be promised where the gap is sampled, got no promise. "
            "Run both matchers over the whole population, or promise it."
        )
    return 1


def precision_lower(
    triples: Sequence[Triple],
    size: int | tuple[int, int],
    delta: float,
    bound: str,
    choices: Choices,
) -> float:
    """The mean of p_H over `size` nodes that have it, `triples` being a sample of all nodes."""
    values = np.array(labels.precisions(triples))
    need(len(values), "a match of the holdout matcher", triples)
    return bounds.lower(
        values, size=size, delta=delta, method=bound, variance=choices.variance("precision")
    )


def recall_lower(
    triples: Sequence[Triple],
    size: int,
    delta: float,
    bound: str,
    choices: Choices,
    share: float,
    known: Known = NOTHING,
) -> float:
    """The mean of r_H over the nodes with a true match: those known, and those among `size`.

    How many of the `size` have one is not known, only between what was seen and what is left.
    `share` is a guess at that share, for the bets.
    """
    member, values = labels.recalls(triples)
    need(sum(member), "a true match", triples)
    if bound == "betting":
        variance = choices.variance("recall") or DEFAULT_VARIANCE
        return bounds.ratio_lower(
            member, values, size=size, delta=delta, variance=variance * share, known=known
        )
    sizes = (sum(member), size - labels.verified_without(triples))
    members = np.array(values)[member]
    if bound == "hypergeometric":
        return share_lower(int(members.sum()), len(members), sizes, delta, known)
    low = bounds.lower(members, size=sizes, delta=delta, method=bound)
    return min((known[0] + n * low) / (known[1] + n) for n in sizes)


def need(count: int, what: str, triples: Sequence[Triple]) -> None:
    if not count:
        raise AssumptionError(
            f"validation nodes with {what} must be at least 1, got 0 of {len(triples)}. "
            f"Make a fresh draw, of at least {len(triples) + max(len(triples), 30)} nodes."
        )


def estimate(values: Sequence[float]) -> float:
    return float(np.mean(values))
