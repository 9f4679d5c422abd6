"""The one-sided likelihood ratio: against fractions, at every time, over every size."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from matchbound import bounds
from matchbound.bounds._likelihood import least_kept, refutes
from matchbound.bounds.likelihood import likelihood_ones, likelihood_sequence, likelihood_share
from support.betting_oracles import likelihood_ones as defined_ones
from support.betting_oracles import likelihood_ratio
from support.nasty import limit

DELTA = 0.05


def every_sequence(s):
    return [np.array(bits, dtype=bool) for bits in itertools.product((0, 1), repeat=s)]


# The formula


@pytest.mark.parametrize("n", range(1, 13))
def test_the_ratio_is_that_of_fractions(n):
    for i in range(1, n + 1):
        for k in range(i + 1):
            for m in range(k, n - (i - k)):
                ratio = float(likelihood_ratio(k, i, m, n))
                assert refutes(k, i - k, m, n, ratio * (1 - 1e-13))
                assert not refutes(k, i - k, m, n, ratio * (1 + 1e-13))


@pytest.mark.parametrize("n", [10**6, 10**8])
def test_the_ratio_of_large_sizes(n):
    """Against the same sum in whole numbers, taken over the members that matter."""
    for k, d, share in [(40, 2, 0.85), (19, 1, 0.8), (30, 30, 0.4)]:
        m = int(share * n)
        own, zeros = Fraction(math.perm(m, k)) * math.perm(n - m, d), n - m
        # C(n + 1, i + 1)·P(Hyp(n + 1, m + 1, i + 1) ≤ k), the sum over all m' in closed form
        above = sum(math.comb(m + 1, j) * math.comb(n - m, k + d + 1 - j) for j in range(k + 1))
        own /= math.factorial(k) * math.factorial(d)
        ratio = float(above / own / zeros)
        assert refutes(k, d, m, n, ratio * (1 - 1e-12))
        assert not refutes(k, d, m, n, ratio * (1 + 1e-12))


@pytest.mark.parametrize(("n", "delta"), [(9, 0.3), (14, 0.07), (40, 0.011)])
def test_the_bound_after_each_value(n, delta):
    for values in every_sequence(9):
        assert likelihood_sequence(values, n, delta).tolist() == defined_ones(values, n, delta)


def test_the_ones_rise_by_0_or_1_with_the_size():
    rng = np.random.default_rng(1)
    for delta in (0.5, 0.07, 1e-3):
        for _ in range(60):
            values = rng.random(rng.integers(1, 12)) < rng.choice([0.5, 0.9])
            ones = [likelihood_ones(values, n, delta) for n in range(len(values), 60)]
            assert set(np.diff(ones)) <= {0, 1}


def test_bound_is_the_share():
    values = np.random.default_rng(2).random(50) < 0.8
    bound = bounds.lower(values, size=300, delta=DELTA, method="likelihood")
    assert bound == likelihood_ones(values, 300, DELTA) / 300


def test_no_bound_beyond_what_the_labels_leave_possible():
    """Ones first, then zeros: an earlier beginning promises more than is left."""
    values = np.arange(12) < 6
    for n in (12, 13, 14):
        assert likelihood_sequence(values, n, 0.5)[5] > n - 6
        assert likelihood_ones(values, n, 0.5) == n - 6
        assert likelihood_share(values, (n, n), 0.5) == (n - 6) / n
        assert likelihood_share(values, (12, n), 0.5) <= 0.5


# Failure


@pytest.mark.parametrize("n", [5, 8, 11])
@pytest.mark.parametrize("delta", [0.5, 0.2, 0.05])
def test_every_order_at_every_time(n, delta):
    """P(any beginning's bound is above the truth), exactly, for every number of ones."""
    sequences = every_sequence(n)
    greatest = np.array([likelihood_sequence(x, n, delta).max() for x in sequences])
    ones = np.array([x.sum() for x in sequences])
    for m in range(n + 1):
        assert (greatest[ones == m] > m).mean() <= delta


def ever_above(values, m, n, read):
    """The share of rows in which any reading after any value is above m of n."""
    return np.mean([(read(row) > m).any() for row in values])


def drawn_rows(m, n, s, draws, seed=3):
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(n) < m, (draws, 1)), axis=1)[:, :s]


def by_likelihood(n):
    return lambda row: likelihood_sequence(row, n, DELTA)


@pytest.mark.parametrize("m", [285, 150, 6, 299])
def test_may_be_read_after_every_value(m):
    rows = drawn_rows(m, 300, 120, 2000)
    assert ever_above(rows, m, 300, by_likelihood(300)) <= limit(DELTA, 2000)


@pytest.mark.slow
@pytest.mark.parametrize("m", [285, 150, 6, 299, 100])
@pytest.mark.parametrize("s", [40, 150, 300])
def test_may_be_read_after_every_value_in_20_000_draws(m, s):
    rows = drawn_rows(m, 300, s, 20_000)
    assert ever_above(rows, m, 300, by_likelihood(300)) <= limit(DELTA, 20_000)


def test_the_exact_bound_may_not():
    draws = np.arange(1, 121)

    def exact(row):
        return bounds.hypergeometric_lower(np.cumsum(row), draws, 300, DELTA)

    assert ever_above(drawn_rows(150, 300, 120, 2000), 150, 300, exact) > 2 * limit(DELTA, 2000)


# A size that is not known


def test_a_range_is_the_least_over_it():
    """At or below every size's running bound; the least at the time that is best at the top."""
    rng = np.random.default_rng(4)
    sizes = range(40, 120)
    for known, _ in itertools.product(((0.0, 0), (3.5, 6)), range(25)):
        values = rng.random(rng.integers(1, 40)) < rng.choice([0.5, 0.9])

        def share(ones, n, known=known):
            return (known[0] + ones) / (known[1] + n)

        running = [share(likelihood_ones(values, n, DELTA), n) for n in sizes]
        time = 1 + int(np.argmax(likelihood_sequence(values, 119, DELTA)))
        ones = int(values[:time].sum())
        enough = (1 + 1e-9) / DELTA
        least = min(share(least_kept(ones, time - ones, n, enough, ones), n) for n in sizes)
        found = likelihood_share(values, (40, 119), DELTA, known)
        assert least * (1 - 1e-5) <= found <= min(running)
        assert likelihood_share(values, (119, 119), DELTA, known) == running[-1]


@pytest.mark.parametrize("delta", [0.4, 0.1])
def test_unknown_size_in_every_order(delta):
    """Members that are 1, members that are 0, and others: five drawn of seven, read at the end."""
    computed = {}

    def bound_of(sample):
        if sample not in computed:
            ones = np.array([x == 1 for x in sample if x is not None])
            others = sum(x is None for x in sample)
            computed[sample] = (
                likelihood_share(ones, (len(ones), 7 - others), delta) if ones.size else 0.0
            )
        return computed[sample]

    for right, wrong in itertools.product(range(8), range(8)):
        if not 0 < right + wrong <= 7:
            continue
        population = [1] * right + [0] * wrong + [None] * (7 - right - wrong)
        samples = list(itertools.permutations(population, 5))
        truth = right / (right + wrong)
        failures = np.mean([bound_of(sample) > truth + 1e-12 for sample in samples])
        assert failures <= delta


def test_large_ranges_are_searched_to_a_grain():
    values = np.random.default_rng(5).random(2000) < 0.9
    at_top = likelihood_share(values, (10**8, 10**8), DELTA)
    assert at_top - 0.0002 < likelihood_share(values, (2000, 10**8), DELTA) <= at_top


# Monotone, and wrong labels


def test_never_falls_when_a_value_rises():
    for values, n in itertools.product(every_sequence(8), (8, 11, 60)):
        before = likelihood_ones(values, n, 0.1)
        for i in np.flatnonzero(~values):
            raised = values.copy()
            raised[i] = True
            assert likelihood_ones(raised, n, 0.1) >= before


def test_one_more_zero_never_raises_it():
    """So an unsure node may count as a member that is 0."""
    for k, d, n in itertools.product(range(1, 9), range(6), (15, 30)):
        kept = [least_kept(k, zeros, n, 1 / 0.1, k) for zeros in (d, d + 1)]
        assert kept[1] <= kept[0]


@pytest.mark.parametrize("wrong", [1, 2])
def test_the_first_ones_are_the_worst_to_be_wrong(wrong):
    for values in every_sequence(9):
        ones = np.flatnonzero(values)
        if len(ones) < wrong:
            continue
        found = {}
        for chosen in itertools.combinations(ones.tolist(), wrong):
            changed = values.copy()
            changed[list(chosen)] = False
            found[chosen] = likelihood_ones(changed, 25, 0.2)
        assert found[tuple(ones[:wrong].tolist())] == min(found.values())
