"""No bound fails more often than δ: exact sums over populations, not the luck of a simulation.

Each check is shown to be able to fail: a bound with a part cut away is caught by the same sums.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from matchbound import bounds
from matchbound.bounds import BOUNDS
from matchbound.bounds.bernstein import KAPPA
from matchbound.bounds.means import BoundRow
from support.nasty import NODES, every_population, ordered_samples

SLACK = 1 + 1e-6  # the sums' own rounding

# The bounds, each with a part cut.


def hoeffding_cut(sample, size, delta):
    return sample.mean - math.sqrt(-math.log(delta) / 2 / (2 * sample.drawn))


def serfling_cut(sample, size, delta):
    s = sample.drawn
    return sample.mean - math.sqrt((1 - (s - 1) / size[1]) * -math.log(delta) / 2 / (2 * s))


def bernstein_cut(sample, size, delta):
    return sample.mean - KAPPA * math.log(5 / delta) / sample.drawn


def maurer_pontil_cut(sample, size, delta):
    return sample.mean - 7 * math.log(2 / delta) / (3 * (sample.drawn - 1))


def with_half_the_evidence(name):
    return lambda sample, size, delta: BOUNDS[name].bound(sample, size, math.sqrt(delta))


star_cut, anytime_cut, orderfree_cut, likelihood_cut = (
    with_half_the_evidence(name) for name in ("star", "anytime", "orderfree", "likelihood")
)


def hypergeometric_cut(sample, size, delta):
    ones = bounds.hypergeometric_lower(sample.ones, sample.drawn, size[1], delta)
    return (ones + (sample.ones > 0)) / size[1]


def binomial_cut(sample, size, delta):
    return BOUNDS["binomial"].bound(sample, size, delta) * (1 + 1e-6)


CUT = {
    "hoeffding": hoeffding_cut,
    "serfling": serfling_cut,
    "bernstein": bernstein_cut,
    "maurer_pontil": maurer_pontil_cut,
    "star": star_cut,
    "anytime": anytime_cut,
    "orderfree": orderfree_cut,
    "likelihood": likelihood_cut,
    "hypergeometric": hypergeometric_cut,
    "binomial": binomial_cut,
}


def test_every_bound_has_a_cut_form():
    assert CUT.keys() == BOUNDS.keys()


# Zeros and ones, order of no matter.

CASES = [  # n, s, δ
    (60, 20, 0.5),
    (60, 20, 0.1),
    (60, 40, 0.05),
    (200, 100, 0.05),
    (200, 100, 0.001),
    (3000, 400, 0.01),
    (3000, 400, 1e-6),
    (20_000, 2500, 0.05),
]


LOG_FACTORIAL = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, 20_001)))])


def hypergeometric_masses(n, m, s):
    ks = np.arange(s + 1)
    masses, possible = np.zeros(s + 1), (ks <= m) & (s - ks <= n - m)
    k, log = ks[possible], LOG_FACTORIAL
    masses[possible] = np.exp(
        (log[m] - log[k] - log[m - k])
        + (log[n - m] - log[s - k] - log[n - m - s + k])
        - (log[n] - log[s] - log[n - s])
    )
    return masses


def bound_by_ones(method, s, size, delta):
    return np.array(
        [
            bounds.lower([False, True], counts=[s - k, k], size=size, delta=delta, method=method)
            for k in range(s + 1)
        ]
    )


def worst_failure(method, n, s, delta, independent=False):
    """The greatest P(bound > mean) over all populations of zeros and ones.

    While the set of failing k stays the same, failure rises with the mean: only the means just
    below one of the bounds need to be looked at.
    """
    bound = bound_by_ones(method, s, None if independent else n, delta)
    assert bound.max() > 0.05, "says nothing at this size"
    ks, worst = np.arange(s + 1), 0.0
    for edge in np.unique(bound[bound > 0]):
        if independent:
            mean = np.nextafter(edge, 0)
            masses = stats.binom.pmf(ks, s, mean)
        else:
            m = math.ceil(edge * n) - 1
            m += (m + 1) / n < edge
            mean = m / n
            masses = hypergeometric_masses(n, m, s)
        worst = max(worst, masses[bound > mean].sum())
    return worst


POPULATION = [name for name, row in BOUNDS.items() if row.population and not row.ordered]
INDEPENDENT = [name for name, row in BOUNDS.items() if row.independent and not row.ordered]


@pytest.mark.parametrize("name", POPULATION)
def test_population_of_zeros_and_ones(name):
    for n, s, delta in CASES:
        if name == "bernstein" and KAPPA * math.log(5 / delta) / s > 0.9:
            continue  # it says nothing there
        assert worst_failure(name, n, s, delta) <= delta * SLACK, (n, s, delta)


@pytest.mark.parametrize("name", POPULATION)
def test_population_of_zeros_and_ones_catches_a_cut(name):
    assert any(worst_failure(CUT[name], n, s, delta) > delta * 1.01 for n, s, delta in CASES)


@pytest.mark.parametrize("name", INDEPENDENT)
def test_independent_zeros_and_ones(name):
    for _, s, delta in CASES:
        if name == "maurer_pontil" and 7 * math.log(2 / delta) / (3 * (s - 1)) > 0.9:
            continue  # it says nothing there
        assert worst_failure(name, None, s, delta, independent=True) <= delta * SLACK, (s, delta)


@pytest.mark.parametrize("name", INDEPENDENT)
def test_independent_zeros_and_ones_catches_a_cut(name):
    assert any(
        worst_failure(CUT[name], None, s, delta, independent=True) > delta * SLACK
        for _, s, delta in CASES
    )


@pytest.mark.parametrize(("k", "s", "n"), [(1, 6, 25), (4, 6, 25), (38, 40, 60), (90, 100, 200)])
@pytest.mark.parametrize("delta", [0.5, 0.05, 0.001])
def test_one_unit_less_breaks_the_exact_bound(k, s, n, delta):
    """Raise the bound for this k by one unit: a population there fails too often, if alone."""
    m = bounds.hypergeometric_lower(k, s, n, delta)
    assert stats.hypergeom.sf(k - 1, n, m, s) >= delta
    assert stats.hypergeom.sf(k - 1, n, m - 1, s) < delta


# Zeros and ones in every order.


def every_sequence_of_bits(s):
    return list(itertools.product((0.0, 1.0), repeat=s))


def worst_ordered_failure(bound_of, n, s):
    """Over all populations of n zeros and ones, every ordered sample of s."""
    bits = every_sequence_of_bits(s)
    bound = np.array([bound_of(sequence) for sequence in bits])
    ones = np.array([int(sum(sequence)) for sequence in bits])
    assert bound.max() > 0.3, "says nothing at this size"
    worst = 0.0
    for m in range(n + 1):
        weights = [
            math.perm(m, k) * math.perm(n - m, s - k) / math.perm(n, s) for k in range(s + 1)
        ]
        worst = max(worst, sum(weights[k] for k in ones[bound > m / n]))
    return worst


def bound_of(n, delta, method="star", variance=None):
    return lambda sequence: bounds.lower(
        sequence, size=n, delta=delta, method=method, variance=variance
    )


@pytest.mark.parametrize("n", [12, 15, 40])
@pytest.mark.parametrize("delta", [0.2, 0.05])
@pytest.mark.parametrize("variance", [0.01, None, 0.25])
def test_star_on_zeros_and_ones_in_every_order(n, delta, variance):
    assert worst_ordered_failure(bound_of(n, delta, variance=variance), n, 12) <= delta


@pytest.mark.parametrize("n", [12, 15, 40])
@pytest.mark.parametrize("delta", [0.5, 0.2, 0.05])
def test_likelihood_in_every_order(n, delta):
    """The bound of a sequence is the greatest of all its beginnings: it is valid at any time."""
    assert worst_ordered_failure(bound_of(n, delta, "likelihood"), n, 12) <= delta


@pytest.mark.parametrize("cut", [star_cut, likelihood_cut])
def test_every_order_catches_a_cut(cut):
    assert any(
        worst_ordered_failure(bound_of(n, delta, cut), n, 12) > delta
        for n in (12, 15, 40)
        for delta in (0.2, 0.05)
    )


@pytest.mark.parametrize("n", [12, 40])
@pytest.mark.parametrize("delta", [0.2, 0.05])
def test_anytime_in_every_order_and_at_every_time(n, delta):
    """The greatest of the bounds of all beginnings is the last: it is valid at any time."""
    bound = bound_of(n, delta, "anytime")
    assert worst_ordered_failure(bound, n, 12) <= delta
    for sequence in every_sequence_of_bits(6):
        running = [bound(sequence[: i + 1]) for i in range(6)]
        assert running == sorted(running)
        assert np.allclose(running, bounds.sequence(sequence, size=n, delta=delta), atol=2e-5)


def test_anytime_in_every_order_catches_a_cut():
    assert worst_ordered_failure(bound_of(12, 0.2, anytime_cut), 12, 12) > 0.2


def test_sequence_in_every_order():
    for n, delta in itertools.product((10, 14, 30), (0.3, 0.1)):
        assert (
            worst_ordered_failure(
                lambda x, n=n, delta=delta: bounds.sequence(x, size=n, delta=delta).max(), n, 10
            )
            <= delta
        )


def test_independent_star_in_every_order():
    bits = every_sequence_of_bits(12)
    ones = np.array([sum(sequence) for sequence in bits])
    for delta in (0.2, 0.05):
        for method, holds in (("star", True), (star_cut, False)):
            bound = np.array([bound_of(None, delta, method)(sequence) for sequence in bits])
            worst = max(
                (p ** ones[bound > p] * (1 - p) ** (12 - ones[bound > p])).sum()
                for p in np.nextafter(np.unique(bound), 0)[1:]
            )
            assert (worst <= delta) == holds


# Fractional values: every population on a grid, every sample, every order.


FRACTIONAL = [name for name, row in BOUNDS.items() if row.population and not row.binary]


@pytest.mark.parametrize("name", FRACTIONAL)
@pytest.mark.parametrize("delta", [0.7, 0.4, 0.15])
def test_fractional_populations_in_every_order(name, delta):
    computed = {}
    for population in every_population((0.0, 0.4, 0.5, 1.0), 6):
        mean = math.fsum(population) / 6
        for s in (3, 6):
            failure = 0.0
            for sample, probability in ordered_samples(population, s).items():
                if sample not in computed:
                    computed[sample] = bounds.lower(sample, size=6, delta=delta, method=name)
                failure += probability * (computed[sample] > mean + 1e-12)
            assert failure <= delta * SLACK, (population, s)


def mean_over(members, values):
    return sum(v for m, v in zip(members, values, strict=True) if m) / sum(members)


def ratio_failure(population, s, bound_of):
    """P(bound > mean over members), over every ordered sample."""
    members, values = zip(*population, strict=True)
    truth = mean_over(members, values)
    return sum(
        probability * (bound_of(sample) > truth + 1e-12)
        for sample, probability in ordered_samples(population, s).items()
    )


@pytest.mark.parametrize("delta", [0.5, 0.2])
def test_ratio_in_every_order(delta):
    computed = {}

    def bound_of(sample):
        if sample not in computed:
            members, values = zip(*sample, strict=True)
            computed[sample] = 0.0  # no member, no bound
            if any(members):
                computed[sample] = bounds.ratio_lower(members, values, size=7, delta=delta)
        return computed[sample]

    for population in every_population(NODES, 7):
        if any(member for member, _ in population):
            assert ratio_failure(population, 5, bound_of) <= delta, population
    assert max(computed.values()) > 0.3


@pytest.mark.slow
@pytest.mark.parametrize("cut", [False, True])
def test_ratio_at_size(cut):
    """Twelve thousand seeded samples; the promise made ten times too strong is caught."""
    rng = np.random.default_rng(7)
    n, s, delta, draws = 2000, 150, 0.05, 3000
    failures = []
    for share, probabilities in itertools.product((0.3, 0.9), ((0.1, 0.1, 0.8), (0.5, 0, 0.5))):
        member = rng.random(n) < share
        values = rng.choice([0.0, 0.5, 1.0], n, p=probabilities)
        truth = values[member].mean()
        count = 0
        for _ in range(draws):
            chosen = rng.choice(n, s, replace=False)
            bound = bounds.ratio_lower(
                member[chosen], values[chosen], size=n, delta=delta * (10 if cut else 1)
            )
            count += bound > truth
        failures.append(count / draws)
    limit = delta + 3 * math.sqrt(delta * (1 - delta) / draws)
    assert (max(failures) <= limit) != cut


def test_table_rows_say_what_they_are_for():
    assert all(
        isinstance(row, BoundRow) and (row.population or row.independent) for row in BOUNDS.values()
    )
