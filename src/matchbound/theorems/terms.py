"""The named terms of theorems, and the bounds on labels that theorems share.

A theorem computes every bound and every worst case through `bounded` and `worst`, with the term's
name. Tests replace these: they record the δ of each term, and drop terms one by one to see that the
guarantee then fails.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar, cast

import numpy as np

from matchbound import bounds
from matchbound.bounds import BOUNDS, orderfree_ratio, star_with_errors
from matchbound.errors import AssumptionError
from matchbound.theorems.design import Design
from matchbound.theorems.tally import Cell, Label, Tally

Known = tuple[float, int]
"""The sum and the number of values that are known without sampling."""

NOTHING: Known = (0.0, 0)
T = TypeVar("T")


class Terms:
    """What theorems use as terms: a bound at its δ, and the worst case. Tests replace it."""

    def bounded(self, name: str, delta: float, bound: Callable[[float], float]) -> float:
        return bound(delta)

    def worst(self, name: str, value: Any, tempting: Any) -> Any:
        return value


TERMS: ContextVar[Terms] = ContextVar("terms", default=Terms())  # noqa: B039 (it has no state)


def bounded(name: str, delta: float, bound: Callable[[float], float]) -> float:
    """A bound that fails with probability at most `delta`."""
    return TERMS.get().bounded(name, delta, bound)


def worst(name: str, value: T, tempting: T) -> T:
    """Return the worst case. `tempting` is the value that a careless theorem would use instead."""
    return cast("T", TERMS.get().worst(name, value, tempting))


@dataclass(frozen=True)
class Finding:
    """A bound on a metric, the sample's mean, and the name of the labels' bound."""

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


def matched_count(cells: Sequence[Cell], matcher: str = "holdout") -> int:
    """How many nodes have a match of the matcher."""
    field = ("holdout", "complete").index(matcher)
    count = sum(cell.nodes for cell in cells if cell[field])
    if not count:
        raise AssumptionError(
            f"{matcher} must match some node, got 0 of {sum(cell.nodes for cell in cells)}. "
            "Give a matcher that finds something, or a lower threshold."
        )
    return count


def matched_share(cells: Sequence[Cell]) -> float:
    """The share of compared nodes that the holdout matcher matches."""
    return matched_count(cells) / sum(cell.nodes for cell in cells)


def most_matches(cells: Sequence[Cell], design: Design) -> int:
    """The most matches that the holdout matcher has at a node, by a census or by a promise.

    The complete matcher must not matter: it may depend on the labels, and the choice of a bound
    must not.
    """
    return 1 if design.is_sampled else max(cell.h for cell in cells)


def check_promise(tally: Tally) -> None:
    """Refuse a tally in which a matcher has several matches at a node, if one was promised."""
    labels, cells = (*tally.train, *tally.validation), tally.gap
    most = max(*(max(node.h, node.c) for node in labels), *(max(c.h, c.c) for c in cells), 0)
    if most > 1:
        refuse_several(most)


def refuse_several(most: int) -> NoReturn:
    raise AssumptionError(
        f"matchers must find at most one match a node, as promised, got one with {most}. "
        "Draw without the promise."
    )


def mean_lower(
    values: Sequence[float],
    size: int | None,
    delta: float,
    bound: str,
    variance: float | None,
    errors: int = 0,
) -> float:
    """Lower bound on the mean of values over a population, if at most `errors` are wrong."""
    row = BOUNDS[bound]
    if errors and row.bets and row.ordered:
        everyone = [True] * len(values)
        return ratio_lower(everyone, values, size, delta, bound, variance, NOTHING, errors)
    numbers = np.array(spoilt(values, errors), dtype=float)
    return bounds.lower(numbers, size=size, delta=delta, method=bound, variance=variance)


def spoilt(values: Sequence[float], errors: int) -> list[float]:
    """The values after the worst errors for a bound that uses no order: the largest become 0."""
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
    """Lower bound on the mean over known members and those among `size` nodes."""
    row = BOUNDS[bound]
    if errors and row.ordered:
        return star_with_errors(
            member,
            values,
            wrong=errors,
            size=size,
            delta=delta,
            variance=variance,
            known=known,
            anytime=row.anytime,
        )
    if not row.ordered:
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
        anytime=row.anytime,
    )


def _spoilt_members(
    member: Sequence[bool], values: Sequence[float], errors: int
) -> tuple[list[bool], list[float]]:
    """Members and values after errors: the largest values become 0, and others join with value 0.

    A wrong label does one of the two. Which lowers the bound more depends on the mean that is
    tested, so both are done for each, which is worse than any wrong labels.
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


def require_some(count: int, what: str, labels: Sequence[Label]) -> None:
    if not count:
        raise AssumptionError(
            f"validation nodes with {what} must be at least 1, got 0 of {len(labels)}. "
            f"Make a fresh draw, of at least {len(labels) + max(len(labels), 30)} nodes; it costs "
            "δ again."
        )


def estimate(values: Sequence[float]) -> float:
    return float(np.mean(values))
