"""Where a bound changes its way of computing, and how far it keeps from the truth."""

import math

import numpy as np
import pytest

from matchbound import bounds
from matchbound.bounds._orderfree import log_e_value
from matchbound.bounds._star import make_scales, rejects, rejects_despite
from matchbound.bounds.chances import chance_at_least
from matchbound.errors import InputError


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


@pytest.mark.parametrize("after", [[], [0.0, 0.0]])
@pytest.mark.parametrize("values", [[0.0], [0.5], [1.0, 0.7, 1.0, 1.0]])
@pytest.mark.parametrize("share", [0.99, 1.01])
def test_nothing_is_rejected_that_rounding_might_explain(values, after, share):
    """A census refutes a mean whose sum it exceeds by more than 1e-9 of its own, or of 1."""
    excess = share * 1e-9 * max(1, sum(values))
    values = np.array([values[0] + (excess if values == [0.0] else 0.0), *values[1:], *after])
    rho = (values.sum() - excess) / len(values)
    assert verdicts(values, max(rho, 0.0)) == [share > 1] * 3


def test_exactly_what_rounding_might_do_is_not_rejected():
    for values in ([1e-9], [1e-9, 0.0]):
        assert verdicts(np.array(values), 0.0) == [False] * 3


def verdicts(values, rho):
    """Of star bets, of those despite no wrong label, and of the order-free bound."""
    n, nothing, everyone = float(len(values)), (0.0, 0), np.ones(len(values), dtype=bool)
    how = everyone, values, n, nothing, rho, make_scales(n, len(values), 0.05), 1e-6
    evidence = log_e_value(values, np.ones(len(values), dtype=np.int64), 0, n, nothing, rho, 0.5)
    return [rejects(*how), rejects_despite(*how, 0, False), math.isinf(evidence)]


def test_a_size_that_may_be_nothing_is_at_least_what_was_drawn():
    seen = [True, True, False]
    assert bounds.lower(seen, size=(0, 9), delta=0.2) == bounds.lower(seen, size=(3, 9), delta=0.2)


def test_the_largest_size_and_the_smallest_variance_are_taken():
    assert bounds.hypergeometric_lower(1, 1, 2**53, 0.5) == 2**52
    values = [1.0, 0.5, 1.0]
    for method in ("star", "anytime", "orderfree"):
        found = bounds.lower(values, size=9, delta=0.2, method=method, variance=1e-12)
        assert 0 < found < 2.5 / 3
    with pytest.raises(InputError, match="variance must be at least 1e-12"):
        bounds.lower(values, size=9, delta=0.2, variance=0.99e-12)


def test_what_is_certain_has_chance_one():
    assert chance_at_least(2, 5, 8, 10) == 1.0  # of ten, two are zeros: five drawn have three ones


def test_bernstein_where_more_than_half_was_drawn():
    """As Bardenet and Maillard have it: (1 − s/n)(1 + 1/s), s being the number drawn."""
    n, s, delta = 1000, 900, 0.05
    cost = math.log(5 / delta) / s
    rho, kappa = (1 - s / n) * (1 + 1 / s), 7 / 3 + 3 / math.sqrt(2)
    expected = 0.5 - math.sqrt(2 * rho * 0.25 * cost) - kappa * cost
    found = bounds.lower([0.0, 1.0] * (s // 2), size=n, delta=delta, method="bernstein")
    assert found == pytest.approx(expected, abs=1e-12)
