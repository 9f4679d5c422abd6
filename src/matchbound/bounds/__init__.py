"""Bounds on a finite population's mean that hold with probability 1 − δ, for any values."""

from matchbound.bounds.betting import sequence
from matchbound.bounds.hypergeometric import hypergeometric_lower, hypergeometric_upper
from matchbound.bounds.means import BOUNDS, lower, upper
from matchbound.bounds.sample import Sample
from matchbound.bounds.star import ratio_lower

__all__ = [
    "BOUNDS",
    "Sample",
    "hypergeometric_lower",
    "hypergeometric_upper",
    "lower",
    "ratio_lower",
    "sequence",
    "upper",
]
