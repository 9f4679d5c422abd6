"""Bounds from bets that are fixed in advance, whatever the sample's size: valid at any time.

A gambler bets on each value, in draw order, that the mean is above m. If it is not, her capital
ever reaches 1/δ with probability at most δ (Ville), so when it does, m is rejected. The bets are
fixed in advance, so the bound never falls when a value rises, and bets never depend on the sample.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matchbound.bounds.checks import (
    check_delta,
    check_size,
    check_values,
    check_variance,
    one_size,
)
from matchbound.bounds.sample import DEFAULT_VARIANCE, Known, Sample, Size

ROUNDS = 50  # of bisection, for one bound


def anytime(sample: Sample, size: Size, delta: float) -> float:
    """A bound on the mean of values in [0, 1] that allows looking after each value.

    Claim: with probability at least 1 − δ the mean is at or above this bound for every beginning of
    the sample's order, so one may look after each value, and stop when the bound is high enough.
    Formula: the least m not rejected; m is rejected when Π (1 + λᵢ(xᵢ − mᵢ)) reaches 1/δ, with
    mᵢ = (n·m − x₁ − … − xᵢ₋₁)/(n − i + 1) and λᵢ = min(√(2·ln(1/δ)/(variance·i·ln(1 + i))), ¾/mᵢ).
    Assumes: values in the order drawn, that order uniformly random; `variance` fixed before.
    Without a size, mᵢ = m.
    Prefer it: for fractions, if the number of labels is not fixed beforehand; for 0 and 1,
    `likelihood` is tighter unless zeros are few.
    Source: Waudby-Smith and Ramdas (2024).

    >>> from matchbound import bounds
    >>> values = [1, 1, 1, 1, 0.5] * 40
    >>> round(bounds.lower(values, size=10_000, delta=0.05, method="anytime", variance=0.04), 4)
    0.8626
    """
    member = np.ones(sample.drawn, dtype=bool)
    return fixed_bets_lower(member, sample.values, size, delta, sample.planned)


def sequence(
    values: ArrayLike, *, size: int | None, delta: float, variance: float | None = None
) -> NDArray[np.float64]:
    """The lower bound on the mean after each value, all of them valid together.

    Claim: with probability at least 1 − δ the mean is at or above every entry, so one may look
    after each value and stop when the bound is high enough. Entries never fall, and do not change
    as values are added.
    Formula: `anytime` of each beginning, to within 10⁻⁵.
    Assumes: values in [0, 1], in the order drawn; `variance` fixed before they are seen.
    Source: Waudby-Smith and Ramdas (2024).

    >>> sequence([1, 1, 0, 1, 1, 1], size=8, delta=0.2).round(3)
    array([0.158, 0.421, 0.421, 0.421, 0.512, 0.625])
    """
    from matchbound.bounds._betting import running_bound

    delta = check_delta(delta)
    numbers = check_values(values, (0.0, 1.0))
    sizes = one_size("betting", check_size(size, len(numbers)))
    spread = check_variance(variance, DEFAULT_VARIANCE)
    bets = bets_at_any_time(len(numbers), delta, spread)
    kernel = running_bound.over(ROUNDS * len(numbers) ** 2 // 8)
    return np.asarray(kernel(numbers, sizes, bets, delta))


def fixed_bets_lower(
    member: NDArray[np.bool_],
    values: NDArray[np.float64],
    size: Size,
    delta: float,
    variance: float,
    known: Known = (0.0, 0),
) -> float:
    """A lower bound on the mean over members, from the bets of `anytime`."""
    from matchbound.bounds._betting import ratio_bound

    bets = bets_at_any_time(len(values), delta, variance)
    kernel = ratio_bound.over(ROUNDS * len(values))
    return float(kernel(member, values, one_size("betting", size), known, bets, delta))


def bets_at_any_time(count: int, delta: float, variance: float) -> NDArray[np.float64]:
    """The first bets of a sequence that does not depend on how many values there will be."""
    i = np.arange(1, count + 1)
    return np.asarray(np.sqrt(2 * -math.log(delta) / (variance * i * np.log1p(i))))
