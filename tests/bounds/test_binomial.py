"""The binomial bound against 60-digit arithmetic and scipy."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from matchbound.bounds import _hypergeometric
from matchbound.bounds.binomial import clopper_pearson


def tail(k, s, p):
    """P(Binomial(s, p) ≥ k), p the double's exact value."""
    with mpmath.workdps(60):
        p = mpmath.mpf(p)
        start = mpmath.binomial(s, k) * p**k * (1 - p) ** (s - k)
        term = total = mpmath.mpf(1)
        for j in range(k, s):
            term *= mpmath.mpf(s - j) / (j + 1) * p / (1 - p)
            total += term
            if term < total * mpmath.mpf(10) ** -50:
                break
        return start * total


def cases(count):
    rng = np.random.default_rng(1934)
    for _ in range(count):
        s = int(10 ** rng.uniform(0, 5))
        k = min(max(int(rng.binomial(s, rng.choice([0.01, 0.5, 0.95]))), 1), s)
        yield k, s, float(10 ** rng.uniform(-12, -0.05))


EXTREME = [
    (4, 5, 5.795464523482599e-201),
    (3, 5, 1e-111),
    (77, 85, 1e-299),
    (1, 55, 1 - 1e-7),
    (1, 55, 1 - 1e-12),
    (1, 412, 1e-299),
    (1, 1, 0.5),
    (10_388, 10_392, 1e-300),
]


@pytest.mark.parametrize("case", [*cases(60), *EXTREME])
def test_tail_is_below_delta_and_a_hair_more_is_not(case):
    k, s, delta = case
    p = clopper_pearson(k, s, delta)
    assert 0 <= p < 1
    assert p == 0 or tail(k, s, p) <= delta
    if p > 1e-290 and delta < 0.999:
        assert tail(k, s, min(p * (1 + 1e-9), 1 - 1e-16)) >= delta


def test_stated_error_covers_the_real_one():
    rng = np.random.default_rng(7)
    for k, s, _ in cases(200):
        p = float(rng.uniform(1e-6, 1))
        if k < s * p:
            continue
        value, error = _hypergeometric.log_tail_binomial(k, s, p)
        assert abs(mpmath.log(tail(k, s, p)) - value) <= error


def test_equals_scipy():
    for k, s, delta in cases(200):
        exact = stats.beta.ppf(delta, k, s - k + 1)
        assert math.isclose(clopper_pearson(k, s, delta), exact, rel_tol=1e-9)
