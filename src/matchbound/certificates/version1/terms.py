"""Version 1's terms: a node's values, the gap at a node, and the bounds that theorems share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from matchbound.certificates.version1.bounds import (
    DEFAULT_VARIANCE,
    NOTHING,
    Known,
    lower,
    ratio_lower,
    share_lower,
)
from matchbound.certificates.version1.choices import Choices
from matchbound.certificates.version1.tally import Tally, Triple
from matchbound.errors import AssumptionError


@dataclass(frozen=True)
class Finding:
    """A bound on a metric, the sample's own mean, and the name of the labels' bound."""

    value: float
    estimate: float | None
    bound: str


def precisions(triples: Sequence[Triple]) -> list[float]:
    return [(ht or 0) / h for h, _, ht in triples if h > 0]


def matched_by_holdout(triples: Sequence[Triple]) -> tuple[list[bool], list[float]]:
    return [h > 0 for h, *_ in triples], [(ht or 0) / h if h else 0.0 for h, _, ht in triples]


def recalls(triples: Sequence[Triple]) -> tuple[list[bool], list[float]]:
    member = [t is None or t > 0 for _, t, _ in triples]
    return member, [(ht or 0) / t if t else 0.0 for _, t, ht in triples]


def matched(triples: Sequence[Triple]) -> list[bool]:
    return [bool(t) for _, t, _ in triples]


def errors(triples: Sequence[Triple]) -> list[bool]:
    return [not h == t == ht for h, t, ht in triples]


def precision_loss(choices: Choices, h: int, c: int, hc: int) -> Fraction:
    """The most that precision can fall from holdout to complete at a node."""
    if h == 0:
        return Fraction(0)
    if choices.one_to_one:
        return Fraction(1, h) if hc < h else max(Fraction(0), Fraction(1, h) - Fraction(1, c))
    return 1 - Fraction(hc, max(h, c))


def paper_precision_loss(h: int, c: int, hc: int) -> float:
    if h == 0 or c == 0:
        return float(h > 0)
    return 0.0 if h == c == hc else 1.0 + (h - hc) / c


def is_dropped(h: int, c: int, hc: int) -> bool:
    return hc < h


def differs(h: int, c: int, hc: int) -> bool:
    return not h == c == hc


def pick_bound(choices: Choices, metric: str, binary: bool) -> str:
    """The labels' bound."""
    unknown_size = choices.counted == "recall" and (not binary or choices.bound == "betting")
    if choices.until and (metric != choices.counted or unknown_size):
        return "anytime"
    if choices.bound == "auto":
        exact = "binomial" if choices.future else "hypergeometric"
        return exact if binary else "betting"
    if choices.bound == "hypergeometric" and not binary:
        raise AssumptionError(f"bound must not be hypergeometric for {metric}.")
    return choices.bound


def matched_count(tally: Tally, matcher: int = 0) -> int:
    """|X_H|, or |X_C| for matcher 1, if the gap is a census."""
    count = sum(cell[3] for cell in tally.gap if cell[matcher])
    require(count, "a match")
    return count


def most_matches(tally: Tally, choices: Choices) -> int:
    """The most matches that the holdout matcher has at any node."""
    if tally.is_census and not choices.future:
        return max(h for h, *_ in tally.gap)
    if not choices.at_most_one_match:
        raise AssumptionError("at_most_one_match must be promised where the gap is sampled.")
    return 1


def precision_lower(
    triples: Sequence[Triple], size: int | tuple[int, int], delta: float, bound: str, c: Choices
) -> float:
    """The mean of p_H over `size` nodes that have it, `triples` being a sample of all nodes."""
    values = np.array(precisions(triples))
    require(len(values), "a match of the holdout matcher")
    return lower(values, size=size, delta=delta, method=bound, variance=c.variance("precision"))


def recall_lower(
    tally: Tally,
    triples: Sequence[Triple],
    size: int,
    delta: float,
    bound: str,
    choices: Choices,
    known: Known = NOTHING,
) -> float:
    """The mean of r_H over the nodes with a true match: those known, and those among `size`."""
    member, values = recalls(triples)
    require(sum(member), "a true match")
    without = sum(t == 0 for _, t, _ in triples)
    variance = planned(tally, choices, "recall")
    return subset_lower(member, values, (size, without), delta, bound, variance, known)


def planned(tally: Tally, choices: Choices, metric: str) -> float:
    """The variance to bet by, over all nodes: the metric's, times the share that is matched."""
    share = matched_count(tally) / tally.drawn
    return (choices.variance(metric) or DEFAULT_VARIANCE) * share


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
        return ratio_lower(
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
    low = lower(members, size=sizes, delta=delta, method=bound)
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
    count = tally.nodes(has)
    seen = [tally.drawn - count, count]
    return side([False, True], counts=seen, size=size, delta=delta, method=method)


def matched_nodes(tally: Tally, rest: int, delta: float, choices: Choices) -> float:
    """A lower bound on |X'|: D's are known, the others' share is bounded from S − D."""
    among_train = sum(matched(tally.train))
    if not rest:
        return among_train
    seen = matched(tally.fresh)
    share = matched_count(tally) / tally.drawn
    variance = max(share * (1 - share), DEFAULT_VARIANCE)
    low = lower(seen, size=rest, delta=delta, method=choices.share_bound, variance=variance)
    return among_train + max(rest * low, sum(seen))


def require(count: int, what: str) -> None:
    if not count:
        raise AssumptionError(f"nodes with {what} must be at least 1, got 0.")


def estimate(values: Sequence[float]) -> float:
    return float(np.mean(values))
