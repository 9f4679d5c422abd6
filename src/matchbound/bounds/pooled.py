"""Bounds on a ratio of two sums, such as pairs linked rightly over pairs linked, by star bets.

A node adds num to the one sum and den to the other, and is drawn with a probability in proportion
to its weight. Before it is labelled, only a limit on its den is known. Everything else is as in
`star`: the rejected ratios form an interval, so bisection is exact, and the bound never rises when
num falls, or when a node is counted as wrong with the greatest den that it might have.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from matchbound.bounds.betting import bets_at_any_time
from matchbound.bounds.checks import check_delta
from matchbound.compiled import worth_compiling
from matchbound.errors import InputError

SLACK = 1 + 1e-9  # rounding of sums
SMALLEST_PLAN = 1e-12  # of risk²

Floats = NDArray[np.float64]
Sums = tuple[float, float]
"""The sums of num and of den."""


@dataclass(frozen=True, eq=False)
class Draws:
    """The nodes drawn, in draw order: arrays of one length; of rows, if there are many samples.

    `most` is the greatest den that the node might have had before it was labelled.
    """

    num: Floats
    den: Floats
    most: Floats
    weight: Floats

    def __post_init__(self) -> None:
        for field in fields(self):
            array = np.ascontiguousarray(getattr(self, field.name), dtype=np.float64)
            object.__setattr__(self, field.name, array)
            _check(field.name, array, np.isfinite(array) & (array >= 0), "be at least 0")
            if array.shape != self.num.shape:
                raise InputError(
                    f"{field.name} must hold a number for each node drawn, got {array.shape} of "
                    f"{self.num.shape}. Give one for each."
                )
        _check("weight", self.weight, self.weight > 0, "be above 0")
        _check("num", self.num, (self.num == 0) | (self.den > 0), "be 0 where den is 0")
        _check("den", self.den, self.den <= self.most * SLACK, "be at most `most`")


@dataclass(frozen=True)
class Urn:
    """Sums over all nodes that can be drawn, before the first draw.

    They are of weight, of weight² and of `most`; `risk` is the greatest most/weight.
    """

    weight: float
    squares: float
    most: float
    risk: float

    def __post_init__(self) -> None:
        for field in fields(self):
            _check_number(f"urn.{field.name}", getattr(self, field.name), 0.0, "at least 0")


def pooled_lower(
    draws: Draws,
    urn: Urn,
    *,
    known: Sums,
    planned: int,
    delta: float,
    variance: float,
    top: float = 1.0,
    anytime: bool = False,
) -> float:
    """A bound on Σ num / Σ den over the urn and the known nodes, from draws by weight.

    Claim: ratio ≥ bound with probability at least 1 − δ.
    Formula: the least ρ ≤ `top` not rejected; f = num − ρ·den, F = Σ f over what is known and was
    drawn before, Wᵢ the weight not yet drawn. ρ is rejected when F is certainly above
    ρ·Σ most of the nodes not yet drawn, or when K = Π (1 + λᵢ·(f·Wᵢ/w + F)) reaches 1/δ, with
    L = ln(1.5/(δ·K)) before the draw, λᵢ = min(L·√(2/(1 + L))/(vᵢ·√Jᵢ), 0.9/(ρ·risk·Wᵢ − F)),
    vᵢ = variance·max(W₁ − (i − 1)·Σw²/W₁, W₁/50)², Jᵢ = 1/vᵢ + … up to the planned draw.
    Assumes: drawn one by one without replacement, each node with a probability in proportion to its
    weight among those left; in this order; no node has a greater den than its `most`. `known`, the
    sums of num and den of nodes that cannot be drawn, `planned`, the number of draws, and
    `variance`, the expected mean of (f/w)², are fixed before the draw. `planned` may be the number
    that was drawn only if weights are equal or every draw is from the urn. `anytime`: the bound is
    valid for every beginning of the sample, by the bets of the bound `anytime`.
    Prefer it: for den that differ between nodes, and for every draw by weight.
    Source: as `star`, for the sums of Shekhar and others (2023), *Risk-limiting financial audits
    via weighted sampling without replacement*.

    >>> links = np.array([1.0, 3, 1, 2, 1] * 40)  # of each node drawn, by which it was drawn
    >>> draws = Draws(num=np.minimum(links, 2), den=links, most=links, weight=links)
    >>> urn = Urn(weight=16_000, squares=32_000, most=16_000, risk=1.0)
    >>> how = {"known": (0.0, 0.0), "planned": 200, "delta": 0.05, "variance": 0.05}
    >>> round(pooled_lower(draws, urn, **how), 4)
    0.9095
    """
    from matchbound.bounds._pooled import pooled_bound
    from matchbound.bounds._star import ROUNDS

    delta, known = check_delta(delta), _check_known(known)
    _check_number("top", top, 1e-12, "above 0")
    _check_plan(draws, urn, planned, variance)
    steps = ROUNDS * draws.num.size + planned
    kernel = pooled_bound if worth_compiling(steps) else pooled_bound.plain
    parts = draws.num, draws.den, draws.weight
    sums, spread = _as_tuple(urn), float(variance)
    bets = bets_at_any_time(draws.num.size if anytime else 0, delta, spread)
    return float(
        kernel(parts, draws.most, sums, known, int(planned), spread, delta, float(top), bets)
    )


def pooled_rejects(
    draws: Draws,
    urn: Urn,
    *,
    target: float,
    known: Sums,
    planned: NDArray[np.int64] | int,
    delta: float,
    variance: float,
    drawn: NDArray[np.int64] | None = None,
) -> NDArray[np.bool_]:
    """Whether the bound of each sample reaches `target`, without bisection, for planning.

    Each row of `draws` is a sample; `drawn` is how many of its nodes count, all if left out;
    `planned` is one number, or one for each row. Arguments are not checked.

    >>> num = np.array([[1.0, 2, 1, 1, 0] * 40, [1.0, 2, 0, 1, 0] * 40])
    >>> draws = Draws(num, np.full(num.shape, 2.0), np.full(num.shape, 2.0), np.ones(num.shape))
    >>> urn = Urn(weight=9000, squares=9000, most=18_000, risk=2.0)
    >>> how = {"known": (0.0, 0.0), "planned": 200, "delta": 0.05, "variance": 0.5}
    >>> pooled_rejects(draws, urn, target=0.4, **how)
    array([ True, False])
    """
    from matchbound.bounds._pooled import reject_each

    rows, columns = draws.num.shape
    counts = np.full(rows, columns) if drawn is None else np.asarray(drawn)
    plans = np.broadcast_to(np.asarray(planned, dtype=np.int64), (rows,)).copy()
    rejected = reject_each(
        draws.num, draws.den, draws.most, draws.weight, counts, _as_tuple(urn), known, plans,
        float(variance), delta, target,
    )  # fmt: skip
    return np.asarray(rejected)


def _as_tuple(urn: Urn) -> tuple[float, float, float, float]:
    return float(urn.weight), float(urn.squares), float(urn.most), float(urn.risk)


def _check_known(known: Sums) -> Sums:
    num, den = float(known[0]), float(known[1])
    _check_number("known", num, 0.0, "two sums of at least 0")
    _check_number("known", den, 0.0, "two sums of at least 0")
    return num, den


def _check_plan(draws: Draws, urn: Urn, planned: int, variance: float) -> None:
    """Refuse a plan without draws or variance, and an urn that cannot hold the nodes drawn."""
    _check_number("planned", planned, 1, "at least 1")
    _check_number("variance", variance, max(SMALLEST_PLAN * urn.risk**2, 1e-300), "above 0")
    for name, sums in (
        ("weight", draws.weight.sum()),
        ("squares", (draws.weight**2).sum()),
        ("most", draws.most.sum()),
        ("risk", (draws.most / draws.weight).max(initial=0.0)),
    ):
        if sums > getattr(urn, name) * SLACK:
            raise InputError(
                f"urn.{name} must be at least that of the nodes drawn, {sums:g}, "
                f"got {getattr(urn, name):g}. Count every node that can be drawn."
            )


def _check_number(name: str, value: float, least: float, rule: str) -> None:
    if not least <= value < np.inf:
        raise InputError(f"{name} must be {rule}, got {value!r}. Correct it.")


def _check(name: str, array: Floats, right: NDArray[np.bool_], rule: str) -> None:
    if not right.all():
        worst = array[~right].flat[0]
        raise InputError(f"{name} must {rule}, got {worst:g}. Correct it.")
