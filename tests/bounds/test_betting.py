"""Bets that do not depend on the sample's size: monotone, and safe to look at."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matchbound import bounds
from support.nasty import split

DELTA = 0.05


def rejected(nodes, n, m, delta, variance, known=(0.0, 0)):
    """From the definition, in plain Python; None is no member, who pays m."""
    capital, most = 1.0, (n + known[1]) * m - known[0]
    for i, value in enumerate(nodes):
        mean = most / (n - i)
        if mean < 0:
            return True
        bet = math.sqrt(2 * math.log(1 / delta) / (variance * (i + 1) * math.log(i + 2)))
        payoff = m if value is None else value
        capital *= 1 + min(bet, 0.75 / mean if mean else math.inf) * (payoff - mean)
        most -= payoff
        if capital >= 1 / delta:
            return True
    return most < 0


def random_nodes(s, share, seed):
    rng = np.random.default_rng(seed)
    values = rng.choice([0.0, 0.3, 0.5, 1.0], s, p=[0.1, 0.1, 0.1, 0.7])
    return [float(x) if rng.random() < share else None for x in values]


@pytest.mark.parametrize("variance", [0.01, 0.05, 0.25])
def test_equals_its_definition(variance):
    for n, s in [(30, 30), (30, 12), (500, 60)]:
        values = random_nodes(s, 1.0, 3)
        how = {"size": n, "delta": DELTA, "variance": variance}
        bound = bounds.lower(values, method="anytime", **how)
        assert rejected(values, n, bound - 1e-8, DELTA, variance)
        assert not rejected(values, n, bound + 1e-8, DELTA, variance)


@pytest.mark.parametrize("known", [(0.0, 0), (5.5, 7)])
def test_ratio_equals_its_definition(known):
    for n, s in [(40, 40), (40, 25), (600, 80)]:
        nodes = random_nodes(s, 0.7, 4)
        how = {"size": n, "delta": DELTA, "variance": 0.06, "known": known, "anytime": True}
        bound = bounds.ratio_lower(*split(nodes), **how)
        assert rejected(nodes, n, bound - 1e-8, DELTA, 0.06, known)
        assert not rejected(nodes, n, bound + 1e-8, DELTA, 0.06, known)


fractions = st.floats(0, 1, allow_subnormal=False)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(fractions, min_size=1, max_size=30), st.data())
def test_never_falls_when_a_value_rises(values, data):
    i = data.draw(st.integers(0, len(values) - 1))
    raised = list(values)
    raised[i] = data.draw(st.floats(values[i], 1))
    for size in (len(values), 40, None):
        how = {"size": size, "delta": 0.1, "method": "anytime"}
        assert bounds.lower(raised, **how) >= bounds.lower(values, **how) - 1e-12


def test_bets_come_from_the_plan():
    values = [1.0, 0.0, 1.0, 1.0, 1.0] * 40
    how = {"size": 10**6, "delta": DELTA, "method": "anytime"}
    planned = [bounds.lower(values, variance=v, **how) for v in (0.05, 0.25)]
    assert planned[0] == bounds.lower(values, **how)
    assert planned[0] != planned[1]


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
    for t, bound in enumerate(bounds.sequence(values, size=90, delta=0.1), start=1):
        assert bound == 0 or rejected(values[:t], 90, bound, 0.1, 0.05)
        assert not rejected(values[:t], 90, bound + 2.5e-5, 0.1, 0.05)
