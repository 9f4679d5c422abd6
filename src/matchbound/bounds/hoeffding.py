"""Hoeffding's bound, and Serfling's tightening of it for finite populations."""

import math

from matchbound.bounds.sample import Sample, Size


def hoeffding(sample: Sample, size: Size, delta: float) -> float:
    """A bound on the mean of values in [0, 1], from their sample mean and number alone.

    Claim: mean ≥ bound with probability at least 1 − δ.
    Formula: sample mean − √(ln(1/δ) / 2s).
    Assumes: drawn uniformly without replacement, or independently; s fixed beforehand.
    Prefer it: to reproduce published figures; every other bound here is tighter somewhere.
    Source: Hoeffding (1963), whose section 6 covers finite populations.

    >>> from matchbound import bounds
    >>> round(bounds.lower([0.5] * 200, size=10_000, delta=0.05, method="hoeffding"), 4)
    0.4135
    """
    return sample.mean - math.sqrt(-math.log(delta) / (2 * sample.drawn))


def serfling(sample: Sample, size: Size, delta: float) -> float:
    """Hoeffding's bound, tightened by the part of the population that was drawn.

    Claim: mean ≥ bound with probability at least 1 − δ.
    Formula: sample mean − √((1 − (s − 1)/n) · ln(1/δ) / 2s); for a range, n is the greatest size.
    Assumes: drawn uniformly without replacement; s fixed beforehand.
    Prefer it: to `hoeffding`, when a good part of the population was drawn.
    Source: Serfling (1974).

    >>> from matchbound import bounds
    >>> round(bounds.lower([0.5] * 200, size=400, delta=0.05, method="serfling"), 4)
    0.4387
    """
    assert size is not None
    s = sample.drawn
    return sample.mean - math.sqrt((1 - (s - 1) / size[1]) * -math.log(delta) / (2 * s))
