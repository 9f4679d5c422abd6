"""Bounds on a ratio of two sums, such as pairs linked rightly over pairs linked, by star bets.

A node adds num to the one sum and den to the other, and is drawn with a probability in proportion
to its weight. Before it is labelled, only a limit on its den is known. Everything else is as in
`star`: the rejected ratios form an interval, so bisection is exact, and the bound never rises when
num falls, or when a node is counted as wrong with the greatest den that it might have.
"""

import numpy as np
from numpy.typing import NDArray

from matchbound.bounds.betting import bets_at_any_time
from matchbound.bounds.checks import check_delta
from matchbound.bounds.urn import Draws, Urn
from matchbound.errors import InputError

SMALLEST_VARIANCE = 1e-12  # of risk²

Sums = tuple[float, float]
"""The sums of num and of den."""


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
    _check_plan(urn, planned, variance, top)
    if draws.num.ndim != 1:
        raise InputError(
            f"draws must be one sample, got arrays of shape {draws.num.shape}. Give one row."
        )
    urn.check_holds(draws)
    drawn, plan = len(draws.num), (int(planned), float(variance))
    kernel = pooled_bound.over(ROUNDS * drawn + planned)
    bets = bets_at_any_time(drawn if anytime else 0, delta, variance)
    parts = draws.num, draws.den, draws.weight
    return float(kernel(parts, draws.most, _sums(urn), known, *plan, delta, float(top), bets))


def pooled_rejects(
    draws: Draws,
    urn: Urn,
    *,
    target: NDArray[np.float64] | float,
    known: Sums,
    planned: NDArray[np.int64] | int,
    delta: float,
    variance: float,
    drawn: NDArray[np.int64] | None = None,
) -> NDArray[np.bool_]:
    """Whether the bound of each sample reaches `target`, without bisection, for planning.

    Each row of `draws` is a sample; `drawn` is how many of its nodes count, all if left out;
    `target` and `planned` are one number, or one for each row. Arguments are not checked.

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
    targets = np.broadcast_to(np.asarray(target, dtype=np.float64), (rows,)).copy()
    parts = draws.num, draws.den, draws.most, draws.weight
    plan = plans, float(variance)
    known = float(known[0]), float(known[1])
    kernel = reject_each.over(int(counts.sum() + plans.sum()))
    return np.asarray(kernel(*parts, counts, _sums(urn), known, *plan, delta, targets))


def _sums(urn: Urn) -> tuple[float, float, float, float]:
    return urn.weight, urn.squares, urn.most, urn.risk


def _check_known(known: Sums) -> Sums:
    num, den = float(known[0]), float(known[1])
    if not (0 <= num < np.inf and 0 <= den < np.inf and (den or not num)):
        raise InputError(
            f"known must be two sums of at least 0, of num and of den, got {known!r}. "
            "Give (0.0, 0.0) if no node is known."
        )
    return num, den


def _check_plan(urn: Urn, planned: int, variance: float, top: float) -> None:
    if not (planned >= 0 and planned == int(planned)):
        raise InputError(
            f"planned must be a whole number, got {planned!r}. "
            "Give the number of draws that is expected."
        )
    least = max(SMALLEST_VARIANCE * urn.risk**2, 1e-100)
    if not least <= variance < np.inf:
        raise InputError(
            f"variance must be at least {least:g}, got {variance!r}. "
            "Give the mean of (f/weight)² that is expected."
        )
    if not 0 < top < np.inf:
        raise InputError(f"top must be above 0, got {top!r}. Give the greatest ratio possible.")
