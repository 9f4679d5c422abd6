"""Betting against a small mean: tight for fractional values, and valid at any time.

A gambler bets on each value, in draw order, that the mean is above m. Were it not, her capital
would be unlikely ever to reach 1/δ (Ville): when it does, m is rejected. The bets are fixed in
advance, so the bound never falls when a value rises, and never depends on what the sample chose.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matchbound.bounds.checks import (
    check_delta,
    check_members,
    check_size,
    check_values,
    check_variance,
)
from matchbound.bounds.sample import DEFAULT_VARIANCE, Sample, Size
from matchbound.errors import InputError


def betting(sample: Sample, size: Size, delta: float) -> float:
    """The mean of values in [0, 1], from bets on each value in turn.

    Claim: mean ≥ bound with probability at least 1 − δ.
    Formula: the least m not rejected; m is when Π (1 + λᵢ(xᵢ − mᵢ)) reaches 1/δ, with
    mᵢ = (n·m − x₁ − … − xᵢ₋₁)/(n − i + 1) and λᵢ = min(λ, ¾/mᵢ), λ = √(2·ln(1/δ)/(s·variance)).
    Assumes: values in the order drawn, that order uniformly random; s and `variance`, the variance
    one expects, fixed before the values are seen. Without a size, mᵢ = m.
    Prefer it: for fractional values; about a third of the Bernstein gap.
    Source: Waudby-Smith and Ramdas (2024).

    >>> from matchbound import bounds
    >>> values = [1, 1, 1, 1, 0.5] * 40
    >>> round(bounds.lower(values, size=10_000, delta=0.05, variance=0.04), 4)
    0.8647
    """
    bets = _planned(sample.drawn, delta, sample.variance)
    return _bet(np.ones(sample.drawn, dtype=bool), sample.values, size, delta, bets)


def anytime(sample: Sample, size: Size, delta: float) -> float:
    """The mean of values in [0, 1], however many values one has chosen to look at.

    Claim: with probability at least 1 − δ the mean is at or above this bound for every beginning of
    the sample's order, so one may look after each value, and stop when it is enough.
    Formula: as `betting`, with λ = √(2·ln(1/δ)/(variance · i · ln(1 + i))) at the i-th value, which
    needs no sample size.
    Assumes: values in the order drawn, that order uniformly random; `variance` fixed before.
    Prefer it: where the number of labels is not fixed beforehand; it is a little wider.
    Source: Waudby-Smith and Ramdas (2024).

    >>> from matchbound import bounds
    >>> values = [1, 1, 1, 1, 0.5] * 40
    >>> round(bounds.lower(values, size=10_000, delta=0.05, method="anytime", variance=0.04), 4)
    0.8626
    """
    bets = _at_any_time(sample.drawn, delta, sample.variance)
    return _bet(np.ones(sample.drawn, dtype=bool), sample.values, size, delta, bets)


def sequence(
    values: ArrayLike, *, size: int | None, delta: float, variance: float | None = None
) -> NDArray[np.float64]:
    """The lower bound on the mean after each value, all of them valid together.

    Claim: with probability at least 1 − δ the mean is at or above every entry, so one may look
    after each value and stop when it is enough. Entries never fall, and do not change as values
    are added.
    Formula: `anytime` of each beginning, to within 10⁻⁵.
    Assumes: values in [0, 1], in the order drawn; `variance` fixed before they are seen.
    Source: Waudby-Smith and Ramdas (2024).

    >>> sequence([1, 1, 0, 1, 1, 1], size=8, delta=0.2).round(3)
    array([0.158, 0.421, 0.421, 0.421, 0.512, 0.625])
    """
    from matchbound.bounds._capital import running_bound

    delta = check_delta(delta)
    numbers = check_values(values, (0.0, 1.0))
    sizes = _one_size(check_size(size, len(numbers)))
    spread = check_variance(variance, DEFAULT_VARIANCE)
    bets = _at_any_time(len(numbers), delta, spread)
    return np.asarray(running_bound(numbers, sizes, bets, delta))


def ratio_lower(
    member: ArrayLike,
    values: ArrayLike,
    *,
    size: int | None,
    delta: float,
    variance: float | None = None,
    known: tuple[float, int] = (0.0, 0),
    anytime: bool = False,
) -> float:
    """The mean over a subpopulation whose size is not known, such as nodes with a true match.

    Claim: mean over the members ≥ bound with probability at least 1 − δ.
    Formula: the mean over members is at least ρ exactly if that of 1{member}·(value − ρ) + ρ over
    the whole population is; bet on that, as `betting` does, and invert over ρ.
    Assumes: the whole population's sample in the order drawn, `member` telling who belongs (values
    of others are ignored); `variance`, that of 1{member}·(value − mean over members), fixed before.
    `known`: sum and number of members known besides, outside the population that was drawn from;
    the bound is then on the mean over both. `anytime`: valid for every beginning of the sample.
    Prefer it: for fractional values; for 0 and 1 give `lower` a range of sizes.
    Source: Waudby-Smith and Ramdas (2024), applied to a ratio.

    >>> member, values = [True, True, False, True] * 50, [1, 1, 0, 0.5] * 50
    >>> round(ratio_lower(member, values, size=9000, delta=0.05), 4)
    0.7872
    """
    delta = check_delta(delta)
    members, numbers = check_members(member, values)
    sizes = check_size(size, len(numbers))
    spread = check_variance(variance, DEFAULT_VARIANCE)
    bets = (_at_any_time if anytime else _planned)(len(numbers), delta, spread)
    return _bet(members, numbers, sizes, delta, bets, (float(known[0]), int(known[1])))


def _bet(
    member: NDArray[np.bool_],
    values: NDArray[np.float64],
    size: Size,
    delta: float,
    bets: NDArray[np.float64],
    known: tuple[float, int] = (0.0, 0),
) -> float:
    from matchbound.bounds._capital import ratio_bound

    return float(ratio_bound(member, values, _one_size(size), known, bets, delta))


def _planned(count: int, delta: float, variance: float) -> NDArray[np.float64]:
    """One bet for all values."""
    return np.full(count, math.sqrt(2 * -math.log(delta) / (count * variance)))


def _at_any_time(count: int, delta: float, variance: float) -> NDArray[np.float64]:
    """Bets that do not depend on how many values there will be."""
    i = np.arange(1, count + 1)
    return np.asarray(np.sqrt(2 * -math.log(delta) / (variance * i * np.log1p(i))))


def _one_size(size: Size) -> float:
    """As the capital wants it: infinite for independent draws."""
    if size is None:
        return math.inf
    least, most = size
    if least != most:
        raise InputError(
            f"size must be one number for betting, got {size!r}. "
            "Give the whole population's size; for 0 and 1, hypergeometric takes a pair."
        )
    return float(most)
