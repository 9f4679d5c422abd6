"""Binomial tail inversion (Clopper–Pearson), for independent draws of 0 or 1."""

from matchbound.bounds._hypergeometric import binomial_share
from matchbound.bounds.sample import Sample, Size

STEPS = 1000  # microseconds of Python that one inversion takes, about


def clopper_pearson(k: int, s: int, delta: float) -> float:
    """The least p with P(Binomial(s, p) ≥ k) ≥ δ, or below it by a rounding error."""
    return float(binomial_share.over(STEPS)(k, s, delta)) if k else 0.0


def binomial(sample: Sample, size: Size, delta: float) -> float:
    """A bound on the mean of a distribution on {0, 1}, from independent draws.

    Claim: mean ≥ bound with probability at least 1 − δ.
    Formula: the least p with P(Binomial(s, p) ≥ k) ≥ δ, for k ones among s.
    Assumes: independent draws, each 0 or 1, s fixed beforehand. It is *not* valid for a finite
    population (at k = 1 it can exceed the exact bound): use `hypergeometric` there.
    Source: Clopper and Pearson (1934); Langford (2005); tails by Loader (2000).

    >>> import numpy as np
    >>> from matchbound import bounds
    >>> round(bounds.lower(np.arange(20) > 0, size=None, delta=0.05), 4)
    0.7839
    """
    return clopper_pearson(sample.ones, sample.drawn, delta)
