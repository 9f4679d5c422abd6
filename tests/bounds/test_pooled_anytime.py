"""Bounds on ratios of sums at any time: valid wherever one stops, and shortcuts break them."""

import math

import numpy as np
import pytest

from matchbound.bounds import pooled_lower, pooled_rejects
from matchbound.bounds._pooled import make_left, rejects
from matchbound.bounds.betting import bets_at_any_time
from support.weighted import Pooled, draw_by_weight, every_order, random_pooled


def random_cases(seed, cases, sizes):
    """A population, δ and the planned variance, right or wrong."""
    rng = np.random.default_rng(seed)
    while cases:
        population = random_pooled(rng, int(rng.choice(sizes)))
        if not math.isnan(population.ratio):
            variance = math.exp(rng.uniform(-6, 1)) * population.urn.risk**2
            yield population, float(rng.uniform(0.2, 0.7)), float(variance)
            cases -= 1


def at_any_time(draws, population, delta, variance):
    how = {"known": population.known, "delta": delta, "variance": variance, "anytime": True}
    return pooled_lower(draws, population.urn, planned=1, **how)


def failures(seed, cases, sizes):
    """P(a bound is above the truth, for some beginning of the order) in each case, over δ."""
    for population, delta, variance in random_cases(seed, cases, sizes):
        places, chances = every_order(population.weight, len(population.weight))
        failed = 0.0
        for row, chance in zip(places, chances, strict=True):
            bounds = (
                at_any_time(population.draws(row[:s]), population, delta, variance)
                for s in range(len(row) + 1)
            )
            failed += chance * any(value > population.ratio + 1e-12 for value in bounds)
        yield failed / delta


def assert_valid(seed, cases, sizes=(3, 4)):
    seen = list(failures(seed, cases, sizes))
    assert max(seen) <= 1 + 1e-9
    assert max(seen) > 0.7  # the check can fail


def test_every_beginning_of_every_order():
    assert_valid(3, 60)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 7))
def test_more_populations_at_every_beginning(seed):
    assert_valid(seed, 150, sizes=(4, 5))


# Watched in larger samples, against the truth alone: it is rejected if a bound is above it.

DELTA = 0.2
POPULATION = Pooled(
    num=np.repeat([2.0, 0.0, 1.0, 0.0], [60, 40, 60, 40]),
    den=np.repeat([2.0, 2.0, 1.0, 0.0], [60, 40, 60, 40]),
    most=np.full(200, 2.0),
    weight=np.ones(200),
)
LOOKS = range(4, 121, 4)
ALLOWED = DELTA + 3 * math.sqrt(DELTA * (1 - DELTA) / 1000)


def share_broken(is_broken, runs=1000):
    """The share of draws in which a look finds a bound above the truth."""
    rng = np.random.default_rng(6)
    places = draw_by_weight(POPULATION.weight, LOOKS[-1], runs, rng)
    return np.any([is_broken(POPULATION.draws(places[:, :s])) for s in LOOKS], axis=0).mean()


def rejects_truth(draws, bets):
    """By fixed bets, as `pooled_lower` with `anytime` makes them."""
    left = make_left(draws.weight[0], POPULATION.urn.weight)
    most = POPULATION.urn.most, POPULATION.urn.most - draws.most[0].sum()
    rest = left, most, POPULATION.urn.risk, (0.0, 0.0), POPULATION.ratio, bets, DELTA, True
    rows = zip(draws.num, draws.den, draws.weight, strict=True)
    return [rejects(row, *rest) for row in rows]


def test_watched_bounds_hold():
    def is_broken(draws):
        return rejects_truth(draws, bets_at_any_time(draws.num.shape[1], DELTA, 0.6))

    assert 0.5 * DELTA < share_broken(is_broken) <= ALLOWED


def test_bets_that_know_how_many_come_fail():
    """The best fixed bets for the number of labels at each look."""

    def is_broken(draws):
        count = draws.num.shape[1]
        return rejects_truth(draws, np.full(count, math.sqrt(-2 * math.log(DELTA) / (0.6 * count))))

    assert share_broken(is_broken) > ALLOWED


def test_bounds_for_one_look_fail_if_watched():
    """Star bets, each time as if the labels at hand had been the number planned."""

    def is_broken(draws):
        how = {"known": (0.0, 0.0), "delta": DELTA, "variance": 0.6, "target": POPULATION.ratio}
        return pooled_rejects(draws, POPULATION.urn, planned=draws.num.shape[1], **how)

    assert share_broken(is_broken) > ALLOWED
