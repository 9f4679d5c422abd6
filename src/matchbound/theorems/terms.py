"""The terms of a theorem, each under a name, and the bounds on labels that theorems share.

A theorem gets every bound, and every worst case, through `bounded` and `worst`, which pass on its
name. Tests listen there: they record what each term spends of δ, and cut terms one by one to see
that the guarantee then fails.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import numpy as np

from matchbound import bounds
from matchbound.bounds import DEFAULT_VARIANCE, orderfree_ratio, star_with_errors
from matchbound.errors import AssumptionError
from matchbound.theorems.choices import Choices
from matchbound.theorems.tally import Cell, Label, Tally

Known = tuple[float, int]
"""The sum and the number of values that are known without sampling."""

NOTHING: Known = (0.0, 0)
T = TypeVar("T")


class Terms:
    """Terms as theorems use them: a bound at its δ, and the worst case."""

    def bounded(self, name: str, delta: float, bound: Callable[[float], float]) -> float:
        return bound(delta)

    def worst(self, name: str, value: Any, tempting: Any) -> Any:
        return value


TERMS: ContextVar[Terms] = ContextVar("terms", default=Terms())  # noqa: B039 (it has no state)


def bounded(name: str, delta: float, bound: Callable[[float], float]) -> float:
    """A bound that fails with probability at most `delta`."""
    return TERMS.get().bounded(name, delta, bound)


def worst(name: str, value: T, tempting: T) -> T:
    """A worst case, where a hasty reader would have taken `tempting`."""
    return cast("T", TERMS.get().worst(name, value, tempting))


@dataclass(frozen=True)
class Finding:
    """A bound on a metric, the sample's own mean, and the name of the labels' bound."""

    value: float
    estimate: float | None
    bound: str


def sure(labels: Sequence[Label]) -> tuple[Label, ...]:
    return tuple(label for label in labels if label.is_sure)


def trained(tally: Tally) -> tuple[Label, ...]:
    """D; its nodes without a label count as the worst case."""
    return worst("unlabelled training nodes", tally.train, sure(tally.train))


def sampled(tally: Tally) -> tuple[Label, ...]:
    """S − D, in S's order; its nodes without a label count as the worst case."""
    return worst("unlabelled validation nodes", tally.fresh, sure(tally.fresh))


RATIOS = ("star", "orderfree", "anytime")  # bounds on a mean over a set of unknown size, by payoffs


def pick_bound(choices: Choices, metric: str, binary: bool) -> str:
    """The labels' bound. Never a matter of the labels: `binary` was known before them.

    Where the sample ended with enough nodes of a kind, only the metric over these has a sample of
    fixed size; fractions over a set of unknown size are bet on over all nodes, so not even they.
    """
    by_payoffs = not binary or choices.bound in RATIOS
    fixed = metric == choices.counted and not (metric == "recall" and by_payoffs)
    if choices.is_anytime or (choices.until and not fixed):
        return at_any_time(choices, metric, binary)
    if choices.bound == "auto":
        if binary:
            return "binomial" if choices.future else "hypergeometric"
        return "orderfree" if choices.brought else "star"
    if choices.bound == "hypergeometric" and not binary:
        raise AssumptionError(
            f"bound must not be hypergeometric for {metric}, which may be a fraction here. "
            "Use auto, or declare one-to-one if a node has at most one true match."
        )
    return choices.bound


def at_any_time(choices: Choices, metric: str, binary: bool) -> str:
    """A bound that holds after every label."""
    return "likelihood" if binary and metric not in choices.few_misses else "anytime"


def members_bound(choices: Choices) -> str:
    """The bound on how many nodes have a true match, which no fixed number of ends the sample."""
    if choices.is_anytime or choices.until:
        return at_any_time(choices, "members", binary=True)
    return "hypergeometric" if choices.bound == "auto" else choices.bound


def matched_count(cells: Sequence[Cell], matcher: str = "holdout") -> int:
    """How many nodes have a match of the matcher."""
    place = ("holdout", "complete").index(matcher)
    count = sum(cell.nodes for cell in cells if cell[place])
    if not count:
        raise AssumptionError(
            f"{matcher} must match some node, got 0 of {sum(cell.nodes for cell in cells)}. "
            "Give a matcher that finds something, or a lower threshold."
        )
    return count


def matched_share(cells: Sequence[Cell]) -> float:
    """The share of the nodes compared that the holdout matcher matches."""
    return matched_count(cells) / sum(cell.nodes for cell in cells)


def most_matches(cells: Sequence[Cell], choices: Choices) -> int:
    """The most matches that the holdout matcher has at any node: a census shows it, or a promise.

    Never the complete matcher's: that may depend on the labels, and so would the choice of bound.
    """
    return 1 if choices.is_sampled else max(cell.h for cell in cells)


def check_promise(tally: Tally, choices: Choices) -> None:
    """At most one match of a matcher at a node, where it was promised."""
    if not choices.at_most_one_match:
        return
    labels, cells = (*tally.train, *tally.validation), tally.gap
    most = max(*(max(node.h, node.c) for node in labels), *(max(c.h, c.c) for c in cells), 0)
    if most > 1:
        raise AssumptionError(
            f"matchers must find at most one match a node, as promised, got one with {most}. "
            "Draw without the promise."
        )


def planned_variance(choices: Choices, metric: str, share: float = 1.0) -> float | None:
    """The variance that bets and stakes are sized by; None if nothing was planned.

    As D's labels gave it; else that of zeros and ones with the mean guessed, at the share of nodes
    that count. For recall it is that of the payoffs over all nodes.
    """
    if metric in choices.variances:
        return choices.variances[metric]
    guess = choices.guesses.get(metric)
    return None if guess is None else guess * (1 - guess) * share


def mean_lower(
    values: Sequence[float],
    size: int | None,
    delta: float,
    bound: str,
    variance: float | None,
    errors: int = 0,
) -> float:
    """Lower bound on the mean of values over a population, if at most `errors` are wrong."""
    if errors and bound in ("star", "anytime"):
        everyone = [True] * len(values)
        return ratio_lower(everyone, values, size, delta, bound, variance, NOTHING, errors)
    numbers = np.array(spoilt(values, errors), dtype=float)
    return bounds.lower(numbers, size=size, delta=delta, method=bound, variance=variance)


def spoilt(values: Sequence[float], errors: int) -> list[float]:
    """The worst that wrong labels can do to a bound that uses no order: the largest become 0."""
    largest = set(sorted(range(len(values)), key=lambda i: -values[i])[:errors])
    return [0.0 if i in largest else value for i, value in enumerate(values)]


def ratio_lower(
    member: Sequence[bool],
    values: Sequence[float],
    size: int | None,
    delta: float,
    bound: str,
    variance: float | None,
    known: Known = NOTHING,
    errors: int = 0,
) -> float:
    """Lower bound on the mean over the members among `size` nodes, and the known ones."""
    if errors and bound != "orderfree":
        return star_with_errors(
            member,
            values,
            wrong=errors,
            size=size,
            delta=delta,
            variance=variance,
            known=known,
            anytime=bound == "anytime",
        )
    if bound == "orderfree":
        member, values = _spoilt_members(member, values, errors)
        return orderfree_ratio(
            member, values, size=size, delta=delta, variance=variance, known=known
        )
    return bounds.ratio_lower(
        member,
        values,
        size=size,
        delta=delta,
        variance=variance,
        known=known,
        anytime=bound == "anytime",
    )


def _spoilt_members(
    member: Sequence[bool], values: Sequence[float], errors: int
) -> tuple[list[bool], list[float]]:
    """Wrong labels at their worst, and worse: the largest values become 0, and others join with 0.

    Which of the two costs more depends on the mean that is tested, so both are done.
    """
    others = [i for i, belongs in enumerate(member) if not belongs][:errors]
    joined = [belongs or i in others for i, belongs in enumerate(member)]
    kept = [value if belongs else 0.0 for value, belongs in zip(values, member, strict=True)]
    return joined, spoilt(kept, errors)


def share_of_cells(
    cells: Sequence[Cell],
    has: Callable[[Cell], bool],
    side: Callable[..., float],
    size: int | None,
    delta: float,
    method: str,
) -> float:
    """A bound on the share of nodes whose cell has a property, from a sample of nodes."""
    drawn, count = sum(cell.nodes for cell in cells), count_with(cells, has)
    seen = [drawn - count, count]
    return side([False, True], counts=seen, size=size, delta=delta, method=method)


def count_with(cells: Sequence[Cell], has: Callable[[Cell], bool]) -> int:
    return sum(cell.nodes for cell in cells if has(cell))


def or_default(variance: float | None, share: float, bound: str) -> float | None:
    """Bets need a variance, planned or not; the order-free bound has a way without."""
    return DEFAULT_VARIANCE * share if variance is None and bound != "orderfree" else variance


def require_some(count: int, what: str, labels: Sequence[Label]) -> None:
    if not count:
        raise AssumptionError(
            f"validation nodes with {what} must be at least 1, got 0 of {len(labels)}. "
            f"Make a fresh draw, of at least {len(labels) + max(len(labels), 30)} nodes; it costs "
            "δ again."
        )


def estimate(values: Sequence[float]) -> float:
    return float(np.mean(values))
