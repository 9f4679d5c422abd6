"""Bets fixed in advance: monotone, in order, tight, and safe to look at."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchbound import bounds

DELTA = 0.05


def reference(values, n, delta, variance):
    """The bound from its definition, in plain Python, on a grid of means."""
    bet = math.sqrt(2 * math.log(1 / delta) / (len(values) * variance))

    def rejected(m):
        capital, seen = 1.0, 0.0
        for i, x in enumerate(values):
            mean = (n * m - seen) / (n - i)
            if mean < 0:
                return True
            capital *= 1 + min(bet, 0.75 / mean if mean else math.inf) * (x - mean)
            seen += x
            if capital >= 1 / delta:
                return True
        return n * m < seen

    return max((m for m in np.linspace(0, 1, 2001) if rejected(m)), default=0.0)


def test_equals_its_definition():
    rng = np.random.default_rng(3)
    for n, s in [(30, 30), (30, 12), (500, 60)]:
        for variance in (0.01, 0.05, 0.25):
            values = rng.choice([0.0, 0.3, 0.5, 1.0], s, p=[0.1, 0.1, 0.1, 0.7])
            bound = bounds.lower(values, size=n, delta=DELTA, variance=variance)
            assert -1e-8 <= bound - reference(values, n, DELTA, variance) < 1 / 2000


def ratio_reference(member, values, n, delta, variance):
    bet = math.sqrt(2 * math.log(1 / delta) / (len(values) * variance))

    def rejected(ratio):
        capital, seen = 1.0, 0.0
        for i, (belongs, value) in enumerate(zip(member, values, strict=True)):
            payoff = value if belongs else ratio
            mean = (n * ratio - seen) / (n - i)
            if mean < 0:
                return True
            capital *= 1 + min(bet, 0.75 / mean if mean else math.inf) * (payoff - mean)
            seen += payoff
            if capital >= 1 / delta:
                return True
        return n * ratio < seen

    return max((r for r in np.linspace(0, 1, 2001) if rejected(r)), default=0.0)


def test_ratio_equals_its_definition():
    rng = np.random.default_rng(4)
    for n, s in [(40, 40), (40, 25), (600, 80)]:
        member = rng.random(s) < 0.7
        values = rng.choice([0.0, 0.3, 1.0], s, p=[0.1, 0.1, 0.8])
        bound = bounds.ratio_lower(member, values, size=n, delta=DELTA, variance=0.06)
        assert -1e-8 <= bound - ratio_reference(member, values, n, DELTA, 0.06) < 1 / 2000


fractions = st.floats(0, 1, allow_subnormal=False)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(fractions, min_size=1, max_size=30), st.data())
def test_never_falls_when_a_value_rises(values, data):
    i = data.draw(st.integers(0, len(values) - 1))
    raised = list(values)
    raised[i] = data.draw(st.floats(values[i], 1))
    for size in (len(values), 40, None):
        before = bounds.lower(values, size=size, delta=0.1)
        assert bounds.lower(raised, size=size, delta=0.1) >= before - 1e-12


def test_bets_come_from_the_plan():
    values = [1.0, 0.0, 1.0, 1.0, 1.0] * 40
    planned = [bounds.lower(values, size=10**6, delta=DELTA, variance=v) for v in (0.05, 0.25)]
    assert planned[0] == bounds.lower(values, size=10**6, delta=DELTA)
    assert planned[0] != planned[1]


def test_a_census_is_its_own_mean():
    values = [0.25, 1.0, 0.5, 0.75]
    assert bounds.lower(values, size=4, delta=DELTA) == pytest.approx(0.625, abs=1e-6)
    assert bounds.lower(values, size=4, delta=DELTA) <= 0.625


# Peeking


POPULATIONS = {
    "nineteen in twenty": np.repeat([1.0, 0.0], [285, 15]),
    "half": np.repeat([1.0, 0.0], [150, 150]),
    "rare": np.repeat([1.0, 0.0], [6, 294]),
    "fractional": np.repeat([0.0, 0.5, 2 / 3, 1.0], [6, 15, 15, 264]),
}
DRAWS = 5000


def ever_above(population, read):
    """The fraction of draws in which any reading after any value is above the true mean."""
    rng = np.random.default_rng(11)
    mean = population.mean()
    return np.mean(
        [(read(rng.permutation(population)[:120]) > mean + 1e-12).any() for _ in range(DRAWS)]
    )


LIMIT = DELTA + 3 * math.sqrt(DELTA * (1 - DELTA) / DRAWS)


@pytest.mark.parametrize("name", POPULATIONS)
def test_sequence_may_be_read_after_every_value(name):
    population = POPULATIONS[name]
    seen = ever_above(population, lambda x: bounds.sequence(x, size=300, delta=DELTA))
    assert seen <= LIMIT


def test_the_exact_bound_may_not():
    draws = np.arange(1, 121)
    broken = ever_above(
        POPULATIONS["half"],
        lambda x: bounds.hypergeometric_lower(np.cumsum(x).astype(int), draws, 300, DELTA) / 300,
    )
    assert broken > 2 * LIMIT


def test_sequence_does_not_change_as_values_are_added():
    values = np.random.default_rng(5).choice([0.0, 0.5, 1.0], 200, p=[0.1, 0.1, 0.8])
    whole = bounds.sequence(values, size=1000, delta=DELTA)
    assert (np.diff(whole) >= 0).all()
    for t in (1, 17, 100):
        part = bounds.sequence(values[:t], size=1000, delta=DELTA)
        np.testing.assert_array_equal(part, whole[:t])


def test_sequence_follows_its_definition():
    """At each time: the greatest mean rejected by then, to a grain."""
    values = np.random.default_rng(6).choice([0.0, 0.5, 1.0], 60, p=[0.1, 0.1, 0.8])
    n, delta = 90, 0.1

    def rejected(m, t):
        capital, seen = 1.0, 0.0
        for i in range(t):
            mean = (n * m - seen) / (n - i)
            if mean < 0:
                return True
            bet = math.sqrt(2 * math.log(1 / delta) / (0.05 * (i + 1) * math.log(i + 2)))
            capital *= 1 + min(bet, 0.75 / mean if mean else math.inf) * (values[i] - mean)
            seen += values[i]
            if capital >= 1 / delta:
                return True
        return n * m < seen

    for t, bound in enumerate(bounds.sequence(values, size=n, delta=delta), start=1):
        assert bound == 0 or rejected(bound, t)
        assert not rejected(bound + 2.5e-5, t)


# Tightness, at the settings


S, N = 667, 80_000_000
FRACTIONS = np.array([0, 1 / 2, 2 / 3, 1])
CHANCES = np.array([0.02, 0.05, 0.05, 0.88])


def mean_gap(samples, bound):
    return np.mean([x.mean() - bound(x) for x in samples])


def test_gap_against_the_exact_one():
    rng = np.random.default_rng(95)
    samples = [(rng.random(S) < 0.95).astype(float) for _ in range(300)]
    exact = mean_gap(samples, lambda x: bounds.hypergeometric_lower(int(x.sum()), S, N, DELTA) / N)
    betting = mean_gap(
        samples, lambda x: bounds.lower(x, size=N, delta=DELTA, variance=0.95 * 0.05)
    )
    assert exact < betting <= 1.35 * exact


def test_gap_against_bernstein():
    rng = np.random.default_rng(23)
    variance = CHANCES @ FRACTIONS**2 - (CHANCES @ FRACTIONS) ** 2
    samples = [rng.choice(FRACTIONS, S, p=CHANCES) for _ in range(300)]
    bernstein = mean_gap(
        samples, lambda x: bounds.lower(x, size=N, delta=DELTA, method="bernstein")
    )
    betting = mean_gap(samples, lambda x: bounds.lower(x, size=N, delta=DELTA, variance=variance))
    assert betting <= 0.4 * bernstein
