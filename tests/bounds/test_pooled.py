"""Bounds on a ratio of two sums from draws by weight: valid in every order, monotone."""

import numpy as np
import pytest

from matchbound import bounds
from matchbound.bounds import Draws, Urn, missed, pooled_lower


def test_equal_weights_and_den_are_star():
    """Up to the planned weight left, which `star` knows in closed form."""
    values = np.array([1, 1, 1, 1, 0.5] * 40)
    ones = np.ones(200)
    urn = Urn(weight=1e6, squares=1e6, most=1e6, risk=1.0)
    how = {"delta": 0.05, "variance": 0.04}
    bound = pooled_lower(Draws(values, ones, ones, ones), urn, known=(0, 0), planned=200, **how)
    assert bound == pytest.approx(bounds.lower(values, size=10**6, **how), abs=1e-4)


def test_misses_in_equal_weights():
    assert missed([(2.0, 10), (2.0, 50)], 20, 0.05) == missed([(1, 60)], 20, 0.05) == 7
