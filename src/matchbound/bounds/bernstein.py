"""Empirical Bernstein bounds: tight if the sample's variance is small."""

import math

from matchbound.bounds.sample import Sample, Size

KAPPA = 7 / 3 + 3 / math.sqrt(2)


def bernstein(sample: Sample, size: Size, delta: float) -> float:
    """The empirical Bernstein–Serfling bound.

    Claim: mean ≥ bound with probability at least 1 − δ.
    Formula: sample mean − σ̂·√(2ρ·ln(5/δ)/s) − κ·ln(5/δ)/s, with κ = 7/3 + 3/√2, σ̂² the sample's
    variance dividing by s, ρ = 1 − (s−1)/n if s ≤ n/2, else (1 − s/n)(1 + 1/s). As ρ grows with n,
    the bound for a range of sizes is that for its greatest size.
    Assumes: drawn uniformly without replacement; s fixed beforehand.
    Prefer it: for fractional values when the draw order is lost; otherwise `star` is tighter.
    Source: Bardenet and Maillard (2015).

    >>> from matchbound import bounds
    >>> round(bounds.lower([1] * 950 + [0] * 50, size=10**6, delta=0.05, method="bernstein"), 4)
    0.9086
    """
    assert size is not None
    s, n = sample.drawn, size[1]
    rho = 1 - (s - 1) / n if s <= n / 2 else (1 - s / n) * (1 + 1 / s)
    cost = math.log(5 / delta) / s
    return sample.mean - math.sqrt(2 * rho * sample.spread * cost) - KAPPA * cost


def maurer_pontil(sample: Sample, size: Size, delta: float) -> float:
    """The empirical Bernstein bound for independent draws.

    Claim: mean ≥ bound with probability at least 1 − δ.
    Formula: sample mean − √(2V·ln(2/δ)/s) − 7·ln(2/δ)/(3(s−1)), V the variance dividing by s − 1.
    Assumes: independent draws; s fixed beforehand. With one value, the bound is 0.
    Prefer it: for fractional values when the draw order is lost; otherwise `star` is tighter.
    Source: Maurer and Pontil (2009), theorem 4.

    >>> from matchbound import bounds
    >>> round(bounds.lower([1] * 950 + [0] * 50, size=None, delta=0.05, method="maurer_pontil"), 4)
    0.9227
    """
    s = sample.drawn
    if s == 1:
        return 0.0
    cost = math.log(2 / delta) / (s - 1)
    return sample.mean - math.sqrt(2 * sample.spread * cost) - 7 / 3 * cost
