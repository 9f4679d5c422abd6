"""Where a bound changes its way of computing, and how far it keeps from the truth."""

import math

import numpy as np
import pytest

from matchbound import bounds
from matchbound.bounds._orderfree import log_e_value
from matchbound.bounds._star import make_scales, rejects, rejects_despite


def found_and_defined(values, n, rho, stake):
    """ln E of an order-free sample, as computed and by the sum over all places."""
    x, counts = np.unique(np.asarray(values, dtype=float), return_counts=True)
    found = log_e_value(x, counts.astype(np.int64), 0, float(n), (0.0, 0), rho, stake)
    places, others = np.arange(len(values))[:, None], (sum(values) - x) / (len(values) - 1)
    factors = 1 - stake + stake * x * (n - places) / (n * rho - places * others)
    return found, (counts * np.log(factors).mean(axis=0)).sum()


@pytest.mark.parametrize(("rho", "stake"), [(0.5, 0.75), (0.95, 0.75), (0.3, 0.1)])
def test_products_too_large_and_too_small_for_a_double(rho, stake):
    found, defined = found_and_defined([1.0] * 1000 + [0.01] * 2000, 30_000, rho, stake)
    assert found == pytest.approx(defined, rel=1e-9)


def test_places_are_taken_in_blocks_beyond_5000_draws_only():
    for s, is_exact in ((5000, True), (5001, False)):
        values = [1.0] * (s - 500) + [0.5] * 500
        found, defined = found_and_defined(values, 20_000, 0.9, 0.1)
        assert found <= defined + 1e-9
        assert (found == pytest.approx(defined, abs=1e-9)) == is_exact


@pytest.mark.parametrize("method", ["star", "orderfree"])
@pytest.mark.parametrize("value", [0.01, 0.75])
def test_a_census_is_kept_from_its_mean_by_what_rounding_may_do(method, value):
    """By 1e-9 of the sum, or of 1 if that is more."""
    n = 20
    bound = bounds.lower([value] * n, size=n, delta=0.05, method=method)
    assert math.isclose(value - bound, 1e-9 * max(1, n * value) / n, rel_tol=0.02)


@pytest.mark.parametrize("after", [(), (0.0,)])
def test_nothing_is_rejected_that_rounding_might_explain(after):
    """A census that sums to 1e-9 does not refute the mean 0; twice as much does."""
    for first, is_refuted in ((1e-9, False), (2e-9, True)):
        values = np.array([first, *after])
        n, nothing, everyone = float(len(values)), (0.0, 0), np.ones(len(values), dtype=bool)
        how = everyone, values, n, nothing, 0.0, make_scales(n, len(values), 0.05), 0.5
        assert rejects(*how) == is_refuted
        assert rejects_despite(*how, 0, False) == is_refuted
        counts = np.ones(len(values), dtype=np.int64)
        assert math.isinf(log_e_value(values, counts, 0, n, nothing, 0.0, 0.5)) == is_refuted
