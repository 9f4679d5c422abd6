"""The order-free bound: as defined, valid over every sample, monotone, and without an order."""

import itertools
import math
from functools import cache

import numpy as np
import pytest

from matchbound import bounds
from matchbound.bounds._orderfree import log_e_value, over_places
from matchbound.bounds.orderfree import choose_stakes, orderfree_ratio, weighted_lower
from support.betting_oracles import orderfree_log
from support.nasty import (
    NASTY,
    NODES,
    every_population,
    limit,
    mean_of,
    shuffled,
    split,
    unordered_samples,
)

STAKES = (0.05, 0.3, 0.6, 0.75)
SUPPORTS = [(0.0, 1.0), (0.0, 0.5, 1.0), (0.0, 0.1, 0.9, 1.0)]
NOTHING = (0.0, 0)


def lower(values, **how):
    return bounds.lower(values, method="orderfree", **how)


def histogram(values):
    distinct, counts = np.unique(np.asarray(values, dtype=float), return_counts=True)
    return distinct, counts.astype(np.int64)


def above(bound, truth):
    return bound > truth + 1e-12


# The definition


def defined_rejects(payoffs, n, most, delta, stakes):
    """`most` is what the payoffs of all n sum to if the mean is the one tested."""
    if n is not None and sum(payoffs) > most + 1e-12:
        return True
    if n is None or 200 * len(payoffs) < n:
        mean = most if n is None else most / n
        logs = [sum(math.log(1 - c + c * x / mean) for x in payoffs) for c in stakes]
    else:
        logs = [orderfree_log(payoffs, n, most, c) for c in stakes]
    return sum(map(math.exp, logs)) / len(stakes) >= 1 / delta


def defined_stakes(s, delta, variance):
    plan = 0.05 if variance is None else variance
    stake = min(0.75, math.sqrt(2 * math.log(1 / delta) / (s * 1.8 * plan)))
    return [stake] if variance else [min(0.75, part * stake) for part in (0.6, 1, 1.7)]


@pytest.mark.parametrize("variance", [None, 0.02, 0.3])
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_equals_its_definition(variance, share):
    rng = np.random.default_rng(1)
    for n, s in [(9, 9), (30, 12), (300, 60), (10**5, 50), (12, 1), (None, 30)]:
        for delta in (0.3, 0.01):
            nodes = [1.0, *(float(x) for x in rng.choice([0, 1 / 3, 0.5, 1], s - 1))]
            nodes = [x if i == 0 or rng.random() < share else None for i, x in enumerate(nodes)]
            known = NOTHING if n is None or share == 1.0 else (2.5, 4)
            how = {"size": n, "delta": delta, "variance": variance}
            if share == 1.0:
                bound = lower(nodes, **how)
            else:
                bound = orderfree_ratio(*split(nodes), **how, known=known)
            stakes = defined_stakes(s, delta, variance)

            def rejected(rho, nodes=nodes, n=n, known=known, delta=delta, stakes=stakes):
                most = rho if n is None else (n + known[1]) * rho - known[0]
                payoffs = [rho if x is None else x for x in nodes]
                return defined_rejects(payoffs, n, most, delta, stakes)

            assert rejected(bound - 1e-8)
            assert not rejected(bound + 1e-8)


def test_a_histogram_is_enough():
    values = np.random.default_rng(2).choice([0.0, 0.5, 2 / 3, 1.0], 300)
    distinct, counts = histogram(values)
    for size in (900, None, 10**6):
        how = {"size": size, "delta": 0.05}
        assert lower(distinct, counts=counts, **how) == pytest.approx(lower(values, **how))
        assert lower(np.sort(values), **how) == lower(values, **how)


def test_blocks_of_places_are_a_little_below():
    """Beyond 5,000 draws: at or below the sum over all places, and close to it."""
    rng = np.random.default_rng(3)
    values, n, s = rng.choice([0.0, 0.5, 1.0], 6000, p=[0.05, 0.05, 0.9]), 60_000, 6000
    (x, counts), total, delta = histogram(values), values.sum(), 0.01
    (stake,) = choose_stakes(s, delta, 0.06)

    def whole(m):
        places = np.arange(s)[:, None]
        others = (total - x) / (s - 1)
        factors = 1 - stake + stake * x * (n - places) / (n * m - places * others)
        return (counts * np.log(factors).mean(axis=0)).sum()

    bound = lower(values, size=n, delta=delta, variance=0.06)
    assert whole(bound) >= math.log(1 / delta)
    assert whole(bound + 1e-5) < math.log(1 / delta)


@pytest.mark.parametrize("mean", [0.3, 0.9])
def test_blocks_are_below_whether_factors_rise_or_fall(mean):
    n, s, total = 60_000, 6000, 3600.0
    for x, stake in itertools.product((0.2, 1.0), (0.1, 0.7)):
        others, places = (total - x) / (s - 1), np.arange(s)
        factors = 1 - stake + stake * x * (n - places) / (n * mean - places * others)
        whole = np.log(factors).mean()
        blocks = over_places(x, stake, float(n), s, n * mean - total, total)
        assert whole - 1e-3 < blocks < whole


def test_between_what_was_seen_and_what_is_left():
    rng = np.random.default_rng(4)
    for n, delta in itertools.product((10, 12, 30), (0.9, 0.5, 0.05)):
        for _ in range(50):
            values = rng.choice([0.0, 0.5, 1.0], 10)
            bound = lower(values, size=n, delta=delta)
            assert values.sum() / n - 1e-9 <= bound <= (values.sum() + n - 10) / n + 1e-9


# Evidence and failure, exactly: every sample of small populations


def mean_e_value(population, s, evidence):
    return sum(p * math.exp(evidence(a)) for a, p in unordered_samples(population, s).items())


@pytest.mark.parametrize("support", SUPPORTS)
def test_the_evidence_against_the_truth_is_1_in_the_mean(support):
    for n in (5, 6, 7):
        for population in every_population(support, n):
            mean = math.fsum(population) / n
            for s, stake in itertools.product((2, n - 1, n), STAKES if mean else ()):

                def evidence(sample, stake=stake, n=n, mean=mean):
                    return log_e_value(*histogram(sample), 0, float(n), NOTHING, mean, stake)

                assert mean_e_value(population, s, evidence) <= 1 + 1e-9


def test_the_best_of_several_stakes_is_no_evidence():
    """Their mean is; the greatest of them is above 1 in the mean."""
    population = (0.0,) * 4 + (1.0,) * 4

    def evidence(sample):
        return max(log_e_value(*histogram(sample), 0, 8.0, NOTHING, 0.5, c) for c in STAKES)

    assert mean_e_value(population, 4, evidence) > 1.1


def worst_failure(n, s, support, side, **how):
    """The greatest P(the bound is beyond the mean) over all populations."""
    bound_of = cache(lambda sample: side(sample, size=n, method="orderfree", **how))
    sign, worst = (1 if side is bounds.lower else -1), 0.0
    for population in every_population(support, n):
        mean = math.fsum(population) / n
        worst = max(
            worst,
            sum(
                p * above(sign * bound_of(sample), sign * mean)
                for sample, p in unordered_samples(population, s).items()
            ),
        )
    return worst


@pytest.mark.parametrize("side", [bounds.lower, bounds.upper])
@pytest.mark.parametrize("variance", [None, 0.01, 0.2])
def test_failure_over_every_sample(side, variance):
    for support, delta in itertools.product(SUPPORTS, (0.4, 0.2, 0.05)):
        how = {"delta": delta, "variance": variance}
        assert worst_failure(8, 4, support, side, **how) <= delta


def test_every_sample_catches_a_cut():
    """A tenth of the evidence is not enough."""
    assert worst_failure(12, 6, (0.0, 1.0), bounds.lower, delta=0.5) > 0.05


def ratio_failures(n, s, delta, variance, known):
    @cache
    def bound_of(sample):
        members, values = zip(*sample, strict=True)
        if not any(members) and not known[1]:
            return 0.0
        how = {"size": n, "delta": delta, "variance": variance, "known": known}
        return orderfree_ratio(members, values, **how)

    for population in every_population(NODES, n):
        count = known[1] + sum(member for member, _ in population)
        if count:
            truth = (known[0] + sum(value for member, value in population if member)) / count
            yield sum(
                p * above(bound_of(sample), truth)
                for sample, p in unordered_samples(population, s).items()
            )


@pytest.mark.parametrize("known", [NOTHING, (1.5, 2), (0.0, 1)])
def test_ratio_over_every_sample(known):
    for delta, variance in itertools.product((0.4, 0.2, 0.05), (None, 0.01, 0.2)):
        assert max(ratio_failures(7, 4, delta, variance, known)) <= delta


def test_ratio_over_every_sample_catches_a_cut():
    assert max(ratio_failures(9, 5, 0.6, None, NOTHING)) > 0.06


@pytest.mark.slow
@pytest.mark.parametrize("variance", [None, 0.01, 0.05, 0.2])
def test_more_populations_over_every_sample(variance):
    supports = [(0.0, 1.0), (0.0, 0.5, 1.0), (0.0, 1 / 3, 0.9, 1.0)]
    for support, delta in itertools.product(supports, (0.4, 0.2, 0.05)):
        for side in (bounds.lower, bounds.upper):
            how = {"delta": delta, "variance": variance}
            assert worst_failure(12, 6, support, side, **how) <= delta
    for known, delta in itertools.product([NOTHING, (1.5, 2), (2.0, 2)], (0.4, 0.2, 0.05)):
        assert max(ratio_failures(9, 5, delta, variance, known)) <= delta


# Failure, simulated


def failure_rate(nodes, s, delta, variance, draws):
    """The truth is rejected exactly if the bound is above it."""
    member, values = shuffled(nodes, s, draws, 5)
    truth, n = mean_of(nodes), float(len(nodes))
    stakes = choose_stakes(s, delta, variance)
    seen = {}

    def rejected(members, numbers):
        x, counts = histogram(numbers[members])
        others = s - int(counts.sum())
        key = (*x, *counts)
        if key not in seen:
            e = [log_e_value(x, counts, others, n, NOTHING, truth, c) for c in stakes]
            seen[key] = np.logaddexp.reduce(e) - math.log(len(stakes)) >= -math.log(delta)
        return seen[key]

    return np.mean([rejected(*sample) for sample in zip(member, values, strict=True)])


@pytest.mark.parametrize("name", NASTY)
def test_failure_of_nasty_populations(name):
    for delta, variance in ((0.2, None), (0.05, 0.02)):
        assert failure_rate(*NASTY[name], delta, variance, 1000) <= limit(delta, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("variance", [None, 0.005, 0.25])
def test_failure_of_nasty_populations_in_20_000_draws(name, variance):
    for delta in (0.2, 0.05):
        assert failure_rate(*NASTY[name], delta, variance, 20_000) <= limit(delta, 20_000)


# Orders that somebody knows or chooses


def test_a_public_order_of_twelve_ids():
    """Six of twelve labelled, δ = 0.2: failure over all samples, of each of 4,096 matchers."""
    samples = np.array(list(itertools.combinations(range(12), 6)))
    public = {}
    for bits in itertools.product((0.0, 1.0), repeat=6):
        public[bits] = bounds.lower(bits, size=12, delta=0.2)
    by_order = np.array([public[bits] for bits in itertools.product((0.0, 1.0), repeat=6)])
    by_count = np.array(
        [lower([0.0, 1.0], counts=[6 - k, k], size=12, delta=0.2) for k in range(7)]
    )
    broken, worst = 0, 0.0
    for matcher in itertools.product((0, 1), repeat=12):
        right, mean = np.array(matcher)[samples], sum(matcher) / 12
        broken += np.mean(by_order[right @ (1 << np.arange(6)[::-1])] > mean + 1e-12) > 0.2
        worst = max(worst, np.mean(by_count[right.sum(axis=1)] > mean + 1e-12))
    assert broken > 100
    assert worst <= 0.2


@pytest.mark.slow
def test_the_best_of_many_orders_fails():
    rng = np.random.default_rng(6)
    right = (np.arange(1000) < 900).astype(float)
    broken = {"best": 0, "none": 0}
    for _ in range(300):
        values = rng.permutation(right)[:100]
        best = max(bounds.lower(rng.permutation(values), size=1000, delta=0.05) for _ in range(50))
        broken["best"] += best > 0.9
        broken["none"] += lower(values, size=1000, delta=0.05) > 0.9
    assert broken["none"] / 300 <= limit(0.05, 300) < broken["best"] / 300


# Monotone


def test_never_falls_when_a_value_rises():
    rng = np.random.default_rng(7)
    for _ in range(800):
        s = int(rng.integers(1, 25))
        size = [None, s, s + 3, 40, 10**5][rng.integers(5)]
        nodes = [0.0, *(float(x) for x in rng.choice([0, 0.5, 0.7, 1], s - 1))]
        nodes = [x if i == 0 or rng.random() < 0.7 else None for i, x in enumerate(nodes)]
        how = {"size": size, "delta": rng.choice([0.3, 0.05])}
        how["variance"] = rng.choice([None, 0.01, 0.2])
        how["known"] = NOTHING if size is None else (1.0, 2)
        before = orderfree_ratio(*split(nodes), **how)
        worse, better, i = list(nodes), list(nodes), rng.integers(s)
        worse[i] = 0.0
        better[i] = None if nodes[i] is None else float(rng.uniform(nodes[i], 1))
        assert orderfree_ratio(*split(worse), **how) <= before + 1e-12
        assert orderfree_ratio(*split(better), **how) >= before - 1e-12


# Labels of which some may be in the sample


def mean_weighted_evidence(t, s, values, stake, weights):
    """At the true mean, over all L − D; the first t nodes are D."""
    power, mean = np.repeat(weights, [t, s]), sum(values) / len(values)
    e_values = [
        math.exp(log_e_value(np.array(drawn), power, 0, math.inf, NOTHING, mean, stake))
        for drawn in ((*values[:t], *rest) for rest in itertools.combinations(values[t:], s))
    ]
    return sum(e_values) / len(e_values)


@pytest.mark.parametrize(("t", "s", "n"), [(2, 2, 6), (1, 3, 6), (3, 2, 6)])
def test_weights_average_over_the_choice_of_the_sample(t, s, n):
    """D may have been seen by the matcher: the worst values for every D. Weights of 1 fail."""
    worst = {"averaged": 0.0, "all": 0.0}
    for values in itertools.product((0.0, 0.4, 1.0), repeat=n):
        if not sum(values):
            continue
        for stake in (0.3, 0.75):
            for name, weights in (("averaged", (s / n, 1 - t / n)), ("all", (1.0, 1.0))):
                mean = mean_weighted_evidence(t, s, values, stake, weights)
                worst[name] = max(worst[name], mean)
    assert worst["averaged"] <= 1 + 1e-9
    assert worst["all"] > 1.05


@pytest.mark.parametrize("variance", [None, 0.1])
def test_weighted_equals_its_definition(variance):
    rng = np.random.default_rng(9)
    values = rng.choice([0.0, 0.5, 1.0], 300, p=[0.05, 0.15, 0.8])
    member, weights = rng.random(300) < 0.8, np.repeat([0.3, 0.9], [100, 200])
    stakes = defined_stakes(weights.sum(), 0.05, variance)
    for chosen in (member, np.ones(300, dtype=bool)):
        bound = weighted_lower(values, weights, delta=0.05, variance=variance, member=chosen)

        def evidence(m, chosen=chosen):
            parts = list(zip(values[chosen], weights[chosen], strict=True))
            return np.mean([math.prod((1 - c + c * x / m) ** w for x, w in parts) for c in stakes])

        assert evidence(bound - 1e-9) >= 20 > evidence(bound + 1e-9)


def test_weights_of_1_are_the_plain_product():
    values = [1.0, 0.5, 1.0, 0.0, 1.0] * 8
    plain = lower(values, size=None, delta=0.05)
    assert weighted_lower(values, [1.0] * 40, delta=0.05) == pytest.approx(plain)
