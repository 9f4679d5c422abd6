"""The labels' term of each metric: a bound on the holdout matcher, shared by all theorems."""

from collections.abc import Callable, Sequence
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
    estimate: float | None
    bound: str


def pick_bound(choices: Choices, metric: str, binary: bool) -> str:
    """The labels' bound. Never a matter of the labels: `binary` was known before them.

    Where the sample ended with enough nodes of a kind, only the metric over these has a sample of
    fixed size; fractions over a set of unknown size are bet on over all nodes, so not even they.
    """
    unknown_size = choices.counted == "recall" and (not binary or choices.bound == "betting")
    if choices.until and (metric != choices.counted or unknown_size):
        return "anytime"
    if choices.bound == "auto":
        exact = "binomial" if choices.future else "hypergeometric"
        return exact if binary else "betting"
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
    if tally.is_census and not choices.future:
        return max(h for h, *_ in tally.gap)
    if not choices.at_most_one_match:
        raise AssumptionError(
            "at_most_one_match must be promised where the gap is sampled, got no promise. "
            "Run both matchers over the whole population, or promise it."
        )
    return 1


def check_promise(tally: Tally, choices: Choices) -> None:
    """At most one match of a matcher at a node, where it was promised."""
    if not choices.at_most_one_match:
        return
    most = max(
        *(max(h, c) for h, c, *_ in tally.gap),
        *(h for h, *_ in (*tally.train, *tally.validation)),
    )
    if most > 1:
        raise AssumptionError(
            f"matchers must find at most one match a node, as promised, got one with {most}. "
            "Draw without the promise."
        )


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
    without = labels.verified_without(triples)
    variance = (choices.variance("recall") or DEFAULT_VARIANCE) * share
    return subset_lower(member, values, (size, without), delta, bound, variance, known)


def subset_lower(
    member: Sequence[bool],
    values: Sequence[float],
    size: tuple[int, int],
    delta: float,
    bound: str,
    variance: float,
    known: Known,
) -> float:
    """The mean over the members among a number of nodes, of which some are known to be none."""
    nodes, without = size
    if bound in ("betting", "anytime"):
        return bounds.ratio_lower(
            member,
            values,
            size=nodes,
            delta=delta,
            variance=variance,
            known=known,
            anytime=bound == "anytime",
        )
    sizes = (sum(member), nodes - without)
    members = np.array(values)[np.array(member)]
    if bound == "hypergeometric":
        return share_lower(int(members.sum()), len(members), sizes, delta, known)
    low = bounds.lower(members, size=sizes, delta=delta, method=bound)
    return min((known[0] + n * low) / (known[1] + n) for n in sizes)


def share_of_cells(
    tally: Tally,
    has: Callable[[int, int, int], bool],
    side: Callable[..., float],
    size: int | None,
    delta: float,
    method: str,
) -> float:
    """A bound on the share of nodes whose cell has a property."""
    count = cells_with(tally, has)
    seen = [tally.drawn - count, count]
    return side([False, True], counts=seen, size=size, delta=delta, method=method)


def cells_with(tally: Tally, has: Callable[[int, int, int], bool]) -> int:
    return sum(n for h, c, hc, n in tally.gap if has(h, c, hc))


def matched_nodes(tally: Tally, rest: int, delta: float, choices: Choices) -> float:
    """A lower bound on |X'|: D's are known, the others' share is bounded from S − D."""
    known = sum(labels.matched(tally.train))
    if not rest:
        return known
    seen = labels.matched(tally.fresh)
    share = found(tally) / tally.drawn
    low = bounds.lower(
        seen,
        size=rest,
        delta=delta,
        method=choices.share_bound,
        variance=max(share * (1 - share), DEFAULT_VARIANCE),
    )
    return known + max(rest * low, sum(seen))


def need(count: int, what: str, triples: Sequence[Triple]) -> None:
    if not count:
        raise AssumptionError(
            f"validation nodes with {what} must be at least 1, got 0 of {len(triples)}. "
            f"Make a fresh draw, of at least {len(triples) + max(len(triples), 30)} nodes."
        )


def estimate(values: Sequence[float]) -> float:
    return float(np.mean(values))
