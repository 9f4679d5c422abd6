"""Star bets: as defined, valid in every order, monotone, and with wrong labels."""

import itertools
import math
from functools import cache

import numpy as np
import pytest

from matchbound import bounds
from matchbound.bounds._star import make_scales, rejects
from matchbound.bounds.star import star_rejects, star_with_errors
from support.betting_oracles import star_rejects as defined_rejects
from support.nasty import (
    NASTY,
    NODES,
    every_population,
    limit,
    mean_of,
    ordered_samples,
    shuffled,
    split,
)

DELTA = 0.05


def random_nodes(rng, s, share=0.7):
    values = rng.choice([0.0, 0.25, 0.5, 1.0], s, p=[0.1, 0.1, 0.2, 0.6])
    return [float(x) if rng.random() < share else None for x in values]


def above(bound, truth):
    return bound > truth + 1e-12


# The definition


@pytest.mark.parametrize("share", [1.0, 0.6])
def test_equals_its_definition(share):
    rng = np.random.default_rng(3)
    for n, s in [(30, 30), (30, 12), (500, 60), (None, 25), (10**6, 40), (7, 1)]:
        for variance, delta in [(0.01, 0.05), (0.06, 0.3), (0.25, 1e-4)]:
            nodes = [1.0, *random_nodes(rng, s - 1, share)]
            known = (0.0, 0) if n is None or share == 1.0 else (2.5, 4)
            how = {"size": n, "delta": delta, "variance": variance}
            if share == 1.0:
                bound = bounds.lower(nodes, **how)
            else:
                bound = bounds.ratio_lower(*split(nodes), **how, known=known)
            case = (nodes, n), (delta, variance, known)
            assert bound == 0 or defined_rejects(*case[0], bound - 1e-7, *case[1])
            assert not defined_rejects(*case[0], min(bound + 1e-7, 1), *case[1])


def test_rejected_means_are_an_interval():
    """So bisection is exact, and the largest rejected mean is the bound."""
    rng = np.random.default_rng(4)
    grid = np.linspace(0.001, 0.999, 300)
    for _ in range(200):
        s = int(rng.integers(1, 60))
        n = float(rng.choice([s, s + 5, 10 * s, 10**6, math.inf]))
        member, values = map(np.array, split(random_nodes(rng, s, rng.choice([0.3, 0.8, 1.0]))))
        known = (0.0, 0) if math.isinf(n) else (2.0, 3)
        delta, variance = rng.choice([0.5, 0.05, 1e-5]), math.exp(rng.uniform(-6, 0))
        scales = make_scales(n, s, variance)
        rejected = [rejects(member, values, n, known, rho, scales, delta) for rho in grid]
        assert rejected == sorted(rejected, reverse=True)


def test_a_census_is_its_own_mean():
    values = [0.25, 1.0, 0.5, 0.75]
    assert bounds.lower(values, size=4, delta=DELTA) == pytest.approx(0.625, abs=1e-9)
    assert bounds.lower(values, size=4, delta=DELTA) <= 0.625


def test_rounding_rejects_no_truth():
    """All drawn, the last a miss: nothing is left, up to rounding, and the truth is the mean."""
    rng = np.random.default_rng(13)
    for _ in range(300):
        values = np.array([*rng.choice([0.1, 1 / 3, 2 / 3, 0.7], 29), 0.0])
        target = math.fsum(values) / 30
        how = {"size": 30, "delta": 1e-9, "variance": 0.05}
        assert not star_rejects(np.ones((1, 30), dtype=bool), values[None], target=target, **how)


def test_no_bound_beyond_what_the_labels_leave_possible():
    rng = np.random.default_rng(5)
    for n, delta in itertools.product((10, 12, 20), (0.8, 0.5)):
        for _ in range(300):
            nodes = [0.5, *random_nodes(rng, 9)]
            member, values = split(nodes)
            bound = bounds.ratio_lower(member, values, size=n, delta=delta, known=(1.0, 2))
            most = (1 + sum(values) + n - 10) / (2 + sum(member) + n - 10)
            assert (1 + sum(values)) / (2 + sum(member) + n - 10) - 1e-9 <= bound <= most + 1e-12


# Failure, exactly: every order of small populations


PLANS = (0.001, 0.05, 0.6)


def ratio_failures(n, s, delta, variance, known, nodes=NODES):
    """P(bound > mean over members) of every population of n nodes."""

    @cache
    def bound_of(sample):
        members, values = zip(*sample, strict=True)
        if not any(members) and not known[1]:
            return 0.0
        how = {"size": n, "delta": delta, "variance": variance, "known": known}
        return bounds.ratio_lower(members, values, **how)

    for population in every_population(nodes, n):
        count = known[1] + sum(member for member, _ in population)
        if not count:
            continue
        truth = (known[0] + sum(value for member, value in population if member)) / count
        yield sum(
            probability * above(bound_of(sample), truth)
            for sample, probability in ordered_samples(population, s).items()
        )


@pytest.mark.parametrize("known", [(0.0, 0), (1.5, 2), (0.0, 1)])
@pytest.mark.parametrize("delta", [0.5, 0.2, 0.05])
def test_ratio_in_every_order(known, delta):
    for variance in PLANS:
        assert max(ratio_failures(5, 4, delta, variance, known)) <= delta


def test_every_order_catches_a_cut():
    """Half the evidence is not enough, with known members and without."""
    for known in ((0.0, 0), (1.5, 2)):
        failures = (max(ratio_failures(5, 4, math.sqrt(0.2), plan, known)) for plan in PLANS)
        assert max(failures) > 0.2


def test_a_last_line_that_forgets_members_not_drawn():
    """Six nodes, four members worth 1, 1, 1 and 0, three drawn: others may be members."""
    population = [(True, 1.0)] * 3 + [(True, 0.0)] + [(False, 0.0)] * 2
    forgetful = failure = 0.0
    for sample, probability in ordered_samples(population, 3).items():
        members, values = map(np.array, zip(*sample, strict=True))
        bound = bounds.ratio_lower(members, values, size=6, delta=0.4) if members.any() else 0.0
        failure += probability * above(bound, 0.75)
        forgetful += probability * (values[members].sum() > 0.75 * members.sum())
    assert failure <= 0.4 < forgetful == pytest.approx(0.5)


@pytest.mark.slow
@pytest.mark.parametrize("known", [(0.0, 0), (1.5, 2), (0.0, 1), (3.0, 3)])
@pytest.mark.parametrize("delta", [0.7, 0.4, 0.1, 0.02])
def test_more_populations_in_every_order(known, delta):
    nodes = [*NODES, (True, 0.9)]
    for (n, s), variance in itertools.product([(6, 3), (6, 6), (7, 5)], PLANS):
        assert max(ratio_failures(n, s, delta, variance, known, nodes)) <= delta


# Failure, simulated


def failure_rate(nodes, s, delta, factor, draws, seed=1):
    """The truth is rejected exactly if the bound is above it."""
    spread = np.var([0.0 if x is None else x - mean_of(nodes) for x in nodes])
    how = {"size": len(nodes), "delta": delta, "variance": max(spread * factor, 1e-4)}
    samples = shuffled(nodes, s, draws, seed)
    return star_rejects(*samples, target=mean_of(nodes), **how).mean()


@pytest.mark.parametrize("name", NASTY)
def test_failure_of_nasty_populations(name):
    for delta, factor in itertools.product((0.2, 0.05), (0.05, 1, 20)):
        assert failure_rate(*NASTY[name], delta, factor, 2000) <= limit(delta, 2000)


@pytest.mark.slow
@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("factor", [0.05, 0.25, 1, 4, 20])
def test_failure_of_nasty_populations_in_20_000_draws(name, factor):
    for delta in (0.5, 0.2, 0.05, 0.01):
        assert failure_rate(*NASTY[name], delta, factor, 20_000) <= limit(delta, 20_000)


# What looks like it, and fails


@pytest.mark.slow
def test_bets_of_their_own_at_each_grid_point_need_a_scan():
    """Point j bets on the j-th block of 20 draws alone: valid only from below, one by one."""
    points, block, draws = 31, 20, 20_000
    rng = np.random.default_rng(8)
    values = rng.integers(0, 2, (draws, points * block)).astype(float)
    everyone = np.ones(values.shape, dtype=bool)
    grid = 0.5 + np.arange(1, points + 1) / 10_000
    rejected = np.empty((draws, points), dtype=bool)
    for j, target in enumerate(grid):
        part = slice(j * block, (j + 1) * block)
        how = {"target": target, "size": None, "delta": DELTA, "variance": 0.25}
        rejected[:, j] = star_rejects(everyone[:, part], values[:, part], **how)

    def by_bisection(row):
        low, high = -1, points
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if row[middle] else (low, middle)
        return low >= 0

    scan, bisection, largest = (
        rejected[:, 0].mean(),  # every grid point is above the truth
        np.mean([by_bisection(row) for row in rejected]),
        rejected.any(axis=1).mean(),
    )
    assert scan <= limit(DELTA, draws) < bisection < largest
    how = {"target": 0.5, "size": None, "delta": DELTA, "variance": 0.25}
    assert star_rejects(everyone, values, **how).mean() <= limit(DELTA, draws)


def test_a_public_order_fails():
    """A matcher that is right on the first half of an order that it knows."""
    rng = np.random.default_rng(9)
    right = np.arange(2000) < 1000
    broken = {"public": 0, "drawn": 0}
    for _ in range(200):
        drawn = rng.choice(2000, 300, replace=False)
        for name, order in (("public", np.sort(drawn)), ("drawn", drawn)):
            bound = bounds.lower(right[order].astype(float), size=2000, delta=DELTA)
            broken[name] += bound > 0.5
    assert broken["public"] == 200
    assert broken["drawn"] / 200 <= limit(DELTA, 200)


def test_bets_made_anew_after_each_label_fail():
    """The bets depend on s: read at every s, the bound is no bound."""
    draws = 3000
    member, values = shuffled([1.0] * 150 + [0.0] * 150, 120, draws, 10)
    how = {"target": 0.5, "size": 300, "delta": DELTA, "variance": 0.25}
    broken = np.zeros(draws, dtype=bool)
    for s in range(1, 121):
        broken |= star_rejects(member[:, :s], values[:, :s], **how)
    assert broken.mean() > 2 * limit(DELTA, draws)


# Monotone


def test_never_falls_when_a_value_rises():
    rng = np.random.default_rng(6)
    for _ in range(1500):
        s = int(rng.integers(1, 30))
        size = [None, s, s + 3, 40, 10**5][rng.integers(5)]
        nodes = [0.0, *random_nodes(rng, s - 1)]
        how = {"size": size, "delta": rng.choice([0.3, 0.05]), "variance": rng.choice(PLANS)}
        how["known"] = (0.0, 0) if size is None else (1.0, 2)
        before = bounds.ratio_lower(*split(nodes), **how)
        worse, better, i = list(nodes), list(nodes), rng.integers(s)
        worse[i] = 0.0
        better[i] = None if nodes[i] is None else float(rng.uniform(nodes[i], 1))
        assert bounds.ratio_lower(*split(worse), **how) <= before + 1e-11
        assert bounds.ratio_lower(*split(better), **how) >= before - 1e-11


# Wrong labels


def least_over_choices(nodes, wrong, **how):
    """The least bound with any `wrong` nodes turned into members with value 0."""
    found = []
    for chosen in itertools.combinations(range(len(nodes)), wrong):
        changed = [0.0 if i in chosen else x for i, x in enumerate(nodes)]
        found.append(bounds.ratio_lower(*split(changed), **how))
    return min(found)


@pytest.mark.parametrize("anytime", [False, True])
@pytest.mark.parametrize("share", [1.0, 0.6])
@pytest.mark.parametrize("wrong", [1, 2])
def test_wrong_labels_whichever_they_are(share, wrong, anytime):
    rng = np.random.default_rng(7)
    lost = []
    for _ in range(100):
        s = int(rng.integers(3, 14))
        n = int(rng.choice([s, s + 2, 3 * s, 10**4]))
        nodes = [1.0, *random_nodes(rng, s - 1, share)]
        how = {"size": n, "delta": rng.choice([0.3, 0.05]), "variance": rng.choice([0.02, 0.1])}
        how |= {"known": (2.0, 3) if share < 1 else (0.0, 0), "anytime": anytime}
        least = least_over_choices(nodes, wrong, **how)
        bound = star_with_errors(*split(nodes), wrong=wrong, **how)
        assert bound <= least + 1e-9
        lost.append(least - bound)
    assert np.mean(lost) < 0.001


def test_wrong_labels_leave_less_possible():
    """All of four nodes drawn: the half and one of the others wrong leave 1 of 4."""
    how = {"size": 4, "delta": 0.9, "variance": 0.01, "known": (1.0, 1)}
    nodes = [None, 0.5, None, 0.0]
    bound = star_with_errors(*split(nodes), wrong=2, **how)
    assert bound <= 0.25 == least_over_choices(nodes, 2, **how)


def test_turning_the_largest_into_0_is_not_the_worst():
    rng = np.random.default_rng(8)
    beaten = 0
    for _ in range(100):
        nodes = random_nodes(rng, 15, 1.0)
        how = {"size": 100, "delta": 0.2, "variance": 0.1}
        last = len(nodes) - 1 - int(np.argmax(nodes[::-1]))
        largest = [0.0 if i == last else x for i, x in enumerate(nodes)]
        beaten += bounds.lower(largest, **how) > least_over_choices(nodes, 1, **how) + 1e-6
    assert beaten > 20


def test_no_wrong_label_and_every_label_wrong():
    nodes = [1.0, None, 0.5, 1.0, None, 1.0]
    how = {"size": 20, "delta": 0.3, "known": (3.0, 4)}
    ratio = bounds.ratio_lower(*split(nodes), **how)
    assert star_with_errors(*split(nodes), wrong=0, **how) == ratio
    fixed = bounds.ratio_lower(*split(nodes), **how, anytime=True)
    despite = star_with_errors(*split(nodes), wrong=0, **how, anytime=True)
    assert despite == pytest.approx(fixed, abs=1e-9)
    for wrong in (6, 9):
        assert star_with_errors(*split(nodes), wrong=wrong, **how) == pytest.approx(3 / 24)


# For planning


def test_rejects_tells_whether_the_bound_gets_there():
    rng = np.random.default_rng(12)
    samples = [random_nodes(rng, 50) for _ in range(40)]
    member, values = (np.array(part) for part in zip(*map(split, samples), strict=True))
    drawn = rng.integers(20, 51, 40)
    how = {"size": 400, "delta": 0.1, "variance": 0.05, "known": (4.0, 5)}
    bound = [
        bounds.ratio_lower(m[:s], v[:s], **how)
        for m, v, s in zip(member, values, drawn, strict=True)
    ]
    for target in np.sort(bound)[[5, 20, 35]]:
        reached = star_rejects(member, values, target=target - 1e-9, drawn=drawn, **how)
        np.testing.assert_array_equal(reached, bound >= target)


# Tightness


def test_narrower_than_bernstein_and_near_the_exact_bound():
    rng = np.random.default_rng(95)
    n, s = 10**6, 667

    def gap(samples, method, variance):
        how = {"size": n, "delta": DELTA, "method": method, "variance": variance}
        return np.mean([x.mean() - bounds.lower(x, **how) for x in samples])

    ones = [(rng.random(s) < 0.95).astype(float) for _ in range(200)]
    assert gap(ones, "star", 0.0475) <= 1.1 * gap(ones, "hypergeometric", None)
    shares, support = [0.025, 0.03, 0.03, 0.915], [0, 1 / 2, 2 / 3, 1]
    mixed = [rng.choice(support, s, p=shares) for _ in range(200)]
    variance = np.dot(shares, np.square(support)) - np.dot(shares, support) ** 2
    assert gap(mixed, "star", variance) <= 0.3 * gap(mixed, "bernstein", None)
