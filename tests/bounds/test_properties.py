"""Every property in a bound's row is one that the bound has: one contract over the whole table."""

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from matchbound import InputError, bounds
from matchbound.bounds import BOUNDS, DEFAULT_VARIANCE

SIZE, DELTA, TRIES = 200, 0.1, 20


def samples(row, seed=7, count=40):
    """Values that the bound takes, in draw order."""
    rng = np.random.default_rng(seed)
    for _ in range(TRIES):
        values = rng.choice([0.0, 0.3, 0.7, 1.0, 1.0, 1.0], count)
        yield np.round(values) if row.binary else values


def bound(row, values, variance=None, **more):
    size = SIZE if row.population else None
    return bounds.lower(values, size=size, delta=DELTA, method=row.bound, variance=variance, **more)


def is_ordered(row):
    return any(
        bound(row, values) != pytest.approx(bound(row, np.sort(values)), abs=1e-9)
        for values in samples(row)
    )


def is_by_mean(row):
    """Two values become their mean, and nothing changes; zeros and ones cannot be averaged."""
    for values in samples(row):
        level = values.copy()
        level[:2] = level[:2].mean()
        if bound(row, values) != pytest.approx(bound(row, level), abs=1e-9):
            return False
    return True


def is_monotone(row):
    """One value falls to the least; also where that leaves no variance."""
    outlier = np.array([1.0] + [0.0 if row.binary else 0.9] * 39)
    for values in (outlier, *samples(row)):
        lowered = np.concatenate([[values.min()], values[1:]])
        if bound(row, lowered) > bound(row, values) + 1e-9:
            return False
    return True


def is_sized_by_a_plan(row):
    return any(bound(row, v, 0.01) != bound(row, v, 0.2) for v in samples(row))


def has_a_way_without_a_plan(row):
    return any(bound(row, v) != bound(row, v, DEFAULT_VARIANCE) for v in samples(row))


def takes_counts(row):
    """Of any values, with the same bound as from the values themselves."""
    values = np.array([0.3] * 3 + [0.7] * 2 + [1.0] * 7)
    try:
        counted = bound(row, [0.3, 0.7, 1.0], counts=[3, 2, 7])
    except InputError:
        return False
    return counted == pytest.approx(bound(row, values), abs=1e-9)


def takes_fractions(row):
    try:
        bound(row, [0.3, 1.0, 0.7])
    except InputError:
        return False
    return True


def takes_size(row, size):
    try:
        bounds.lower([1.0, 0.0, 1.0], size=size, delta=DELTA, method=row.bound)
    except InputError:
        return False
    return True


def broken(name, row):
    """The properties that the row has wrong."""
    claims = {
        "population": takes_size(row, SIZE) == row.population,
        "independent": takes_size(row, None) == row.independent,
        "binary": takes_fractions(row) != row.binary,
        "ordered": is_ordered(row) == row.ordered,
        "bets": is_sized_by_a_plan(row) == row.bets,
        "unplanned": has_a_way_without_a_plan(row) == row.unplanned,
        "monotone": is_monotone(row) == row.monotone,
        "from_counts": takes_counts(row) == row.from_counts,
    }
    if not row.binary:
        claims["by_mean"] = is_by_mean(row) == row.by_mean
    return [f"{name}: {claim}" for claim, holds in claims.items() if not holds]


@pytest.mark.parametrize("name", BOUNDS)
def test_a_bound_has_the_properties_of_its_row(name):
    assert broken(name, BOUNDS[name]) == []


@pytest.mark.parametrize(
    ("name", "claim"),
    [
        ("star", "monotone"),
        ("bernstein", "monotone"),
        ("hoeffding", "by_mean"),
        ("orderfree", "by_mean"),
        ("orderfree", "unplanned"),
        ("serfling", "bets"),
        ("star", "bets"),
    ],
)
def test_a_wrong_property_is_caught(name, claim):
    row = BOUNDS[name]
    wrong = replace(row, **{claim: not getattr(row, claim)})
    assert broken(name, wrong) == [f"{name}: {claim}"]


def test_properties_go_together():
    for row in BOUNDS.values():
        assert row.independent or not row.future
        assert row.ordered or not row.anytime
        assert row.bets or not row.unplanned
        assert (row.ones is not None) == (row.share is not None) == (row.binary and row.population)


@pytest.mark.parametrize("name", [name for name, row in BOUNDS.items() if row.share])
def test_ones_and_share_are_the_same_bound(name):
    row = BOUNDS[name]
    for values in samples(row):
        low = bound(row, values)
        assert row.ones(values, SIZE, DELTA) / SIZE == pytest.approx(low)
        assert row.share(values, (SIZE, SIZE), DELTA, (0.0, 0)) == pytest.approx(low)
        known = row.share(values, (SIZE, SIZE), DELTA, (3.0, 4))
        assert known == pytest.approx((3 + low * SIZE) / (4 + SIZE))


def most_often_wrong_at_some_time(row, size=10, delta=0.3):
    """The greatest probability, over populations of zeros and ones, that some beginning fails."""
    lows = {
        drawn: bounds.lower(np.array(drawn), size=size, delta=delta, method=row.bound)
        for count in range(1, size + 1)
        for drawn in itertools.product([0.0, 1.0], repeat=count)
    }
    failed = Counter()
    for order in itertools.product([0.0, 1.0], repeat=size):
        mean = sum(order) / size
        failed[sum(order)] += any(lows[order[:n]] > mean + 1e-9 for n in range(1, size + 1))
    return max(count / math.comb(size, int(ones)) for ones, count in failed.items())


@pytest.mark.parametrize("name", [name for name, row in BOUNDS.items() if row.anytime])
def test_a_bound_at_any_time_holds_at_all_times_together(name):
    assert most_often_wrong_at_some_time(BOUNDS[name]) <= 0.3


def test_a_bound_for_one_time_does_not():
    assert most_often_wrong_at_some_time(BOUNDS["hypergeometric"]) > 0.3
