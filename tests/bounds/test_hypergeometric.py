"""The exact bound against whole-number and 60-digit arithmetic."""

import itertools
import math

import mpmath
import numpy as np
import pytest

from matchbound import InputError, bounds
from matchbound.bounds import _hypergeometric
from matchbound.bounds.hypergeometric import _below_every_size, share_lower
from support.oracles import least_ones, most_ones, tail_in_60_digits

DELTAS = (0.5, 0.1, 0.05, 0.01, 0.0001)


@pytest.mark.parametrize("n", range(1, 41))
def test_equals_whole_number_arithmetic(n):
    for s in range(1, n + 1):
        for k in range(s + 1):
            for delta in DELTAS:
                assert bounds.hypergeometric_lower(k, s, n, delta) == least_ones(k, s, n, delta)
                assert bounds.hypergeometric_upper(k, s, n, delta) == most_ones(k, s, n, delta)


def test_floating_point_leaves_ties_for_whole_numbers():
    """0.1 as a double is above 1/10, so a tail of exactly 1/10 is below it; at 1/4 it is kept."""
    assert _hypergeometric.bracket(1, 1, 10, 0.1) == (0, 2)
    assert bounds.hypergeometric_lower(1, 1, 10, 0.1) == 2
    assert _hypergeometric.bracket(1, 1, 8, 0.25) == (1, 3)
    assert bounds.hypergeometric_lower(1, 1, 8, 0.25) == 2


def random_cases(count):
    rng = np.random.default_rng(1966)
    for _ in range(count):
        n = int(10 ** rng.uniform(1, math.log10(2e9)))
        s = int(10 ** rng.uniform(0, math.log10(min(n, 10**6))))
        share = rng.choice([rng.uniform(), rng.beta(0.3, 3), rng.beta(3, 0.3)])
        k = min(max(int(rng.binomial(s, share)), 1), s)
        yield k, s, n, float(10 ** rng.uniform(-7, math.log10(0.9)))


def check_in_60_digits(case):
    k, s, n, delta = case
    m = bounds.hypergeometric_lower(k, s, n, delta)
    assert tail_in_60_digits(k, s, m - 1, n) < mpmath.mpf(delta) <= tail_in_60_digits(k, s, m, n)
    zeros = n - bounds.hypergeometric_upper(s - k, s, n, delta)
    assert zeros == m


def test_equals_60_digit_arithmetic():
    for case in random_cases(100):
        check_in_60_digits(case)


@pytest.mark.slow
def test_equals_60_digit_arithmetic_in_2000_cases():
    cases = list(random_cases(2000))
    assert max(n for _, _, n, _ in cases) > 1.9e9
    assert max(s for _, s, _, _ in cases) > 8e5
    for case in cases:
        check_in_60_digits(case)


def test_stated_error_covers_the_real_one():
    for k, s, n, delta in random_cases(150):
        m = bounds.hypergeometric_lower(k, s, n, delta)
        value, error, _ = _hypergeometric.log_tail(k, s, m, n)
        truth = mpmath.log(tail_in_60_digits(k, s, m, n))
        assert abs(truth - value) <= error
        assert error < 1e-10


def extreme_cases(count):
    """Tails down to 10⁻²⁵⁰, where k is far above the mean."""
    rng = np.random.default_rng(2000)
    for _ in range(count):
        n = int(10 ** rng.uniform(2, 9))
        s = int(10 ** rng.uniform(1, math.log10(min(n / 2, 20_000))))
        m = int(n * rng.uniform(0.01, 0.9))
        k = min(int(s * m / n * rng.uniform(1.0, 1.6)) + 1, s, m)
        yield k, s, m, n


def test_stated_error_covers_the_real_one_in_the_far_tail():
    for k, s, m, n in extreme_cases(300):
        if s - k > n - m:
            continue
        value, error, _ = _hypergeometric.log_tail(k, s, m, n)
        truth = mpmath.log(tail_in_60_digits(k, s, m, n))
        assert abs(truth - value) <= error


@pytest.mark.parametrize(
    ("case", "kept"),
    [  # δ is the double nearest the tail at `kept`
        ((4268, 7613, 167_552_489, 7.369206698900765e-83), 75_473_060),
        ((3279, 4319, 10_462, 9.694978533439841e-182), None),
        ((5414, 8756, 55_819_503, 8.296436632605574e-113), None),
    ],
)
def test_ties_at_tiny_delta_are_never_settled_too_high(case, kept):
    k, s, n, delta = case
    m = bounds.hypergeometric_lower(*case)
    assert tail_in_60_digits(k, s, m - 1, n) < mpmath.mpf(delta)
    assert kept is None or m <= kept


def test_delta_at_the_tail_itself():
    """The nearest double to a tail is the hardest δ: the answer may be low, never high."""
    exact = 0
    for k, s, m, n in extreme_cases(150):
        tail = tail_in_60_digits(k, s, m, n) if s - k <= n - m else 0
        delta = float(tail)
        if not 1e-290 < delta < 0.999:
            continue
        truth = m if tail >= mpmath.mpf(delta) else m + 1
        found = bounds.hypergeometric_lower(k, s, n, delta)
        assert found <= truth
        exact += found == truth
    assert exact > 75


def test_arrays_broadcast_and_equal_the_scalars():
    k, s, n = np.arange(11), np.array([[10], [12]]), 50
    answer = bounds.hypergeometric_lower(k, s, n, 0.1)
    assert answer.shape == (2, 11)
    for i, j in np.ndindex(2, 11):
        draws = int(s[i, 0])
        assert answer[i, j] == bounds.hypergeometric_lower(j, draws, n, 0.1)
    above = bounds.hypergeometric_upper(k, 10, n, [0.1])
    assert above.tolist() == [bounds.hypergeometric_upper(j, 10, n, 0.1) for j in range(11)]
    assert bounds.hypergeometric_lower([], 10, 50, 0.1).size == 0


def test_ties_are_settled_in_arrays_too():
    assert bounds.hypergeometric_lower([1, 1], [1, 1], [10, 8], [0.1, 0.25]).tolist() == [2, 2]


def test_a_scalar_call_takes_no_array_path(monkeypatch):
    monkeypatch.setattr(np, "broadcast_arrays", lambda *_: pytest.fail("array path"))
    assert type(bounds.hypergeometric_lower(9, 10, 100, 0.05)) is int
    assert type(bounds.hypergeometric_upper(9, 10, 100, 0.05)) is int


def test_numpy_scalars_give_whole_numbers():
    assert type(bounds.hypergeometric_lower(np.int64(9), 10, 100, 0.05)) is int
    assert bounds.hypergeometric_upper(np.int64(9), 10, 100, np.float64(0.05)) == (
        bounds.hypergeometric_upper(9, 10, 100, 0.05)
    )


def test_census_and_none():
    assert bounds.hypergeometric_lower(7, 10, 10, 0.05) == 7
    assert bounds.hypergeometric_lower(0, 5, 10, 0.05) == 0
    assert bounds.hypergeometric_upper(5, 5, 10, 0.05) == 10


def test_tie_with_many_draws_counts_as_kept():
    """By symmetry P(K ≥ 20001 | m = n/2) is exactly ½ at s = 40001: too long for whole numbers."""
    assert bounds.hypergeometric_lower(20_001, 40_001, 10**8, 0.5) == 50_000_000


# A range of sizes


def brute_share(k, s, least, most, delta):
    return min(
        bounds.hypergeometric_lower(k, s, n, delta) / n for n in range(max(s, least), most + 1)
    )


@pytest.mark.parametrize("delta", [0.5, 0.2, 0.05, 0.001])
def test_range_of_sizes_is_the_least_over_it(delta):
    for s in range(1, 13):
        for k in range(s + 1):
            for most in (s, s + 1, 2 * s + 3, 60, 151):
                answer = bounds.lower([True, False], counts=[k, s - k], size=(s, most), delta=delta)
                truth = brute_share(k, s, s, most, delta)
                assert truth * (1 - 1e-5) <= answer <= truth, (k, s, most)


@pytest.mark.parametrize("delta", [0.3, 0.5, 0.99])
def test_a_huge_range_is_searched_in_bounded_time(delta):
    for k, s, most in [(2, 3, 10**9), (500, 1000, 10**9), (7, 9, 2**53)]:
        found = bounds.lower([True, False], counts=[k, s - k], size=(s, most), delta=delta)
        sizes = np.unique(np.geomspace(s, most, 3000).astype(np.int64))
        assert 0 < found <= (bounds.hypergeometric_lower(k, s, sizes, delta) / sizes).min()


def test_the_top_of_the_range_alone_would_be_wrong():
    """The share is a saw-tooth in the size."""
    shares = [bounds.hypergeometric_lower(9, 10, n, 0.05) / n for n in range(10, 200)]
    assert min(shares) < shares[-1]
    assert any(a < b for a, b in itertools.pairwise(shares))


def test_ones_rise_by_at_most_one_with_the_size():
    """What the search over sizes rests on."""
    for k, s, delta in [(1, 4, 0.3), (5, 9, 0.05), (30, 40, 0.01), (12, 12, 0.5)]:
        ones = bounds.hypergeometric_lower(k, s, np.arange(s, 500), delta)
        assert set(np.diff(ones)) <= {0, 1}


def test_uhlmann_is_below_every_size():
    for delta in (0.9, 0.5, 0.3, 0.1, 0.01):
        for s in range(1, 26):
            sizes = np.arange(s, 400)
            for k in range(1, s + 1):
                least = (bounds.hypergeometric_lower(k, s, sizes, delta) / sizes).min()
                assert _below_every_size(k, s, 10**9, delta) <= least


def test_clopper_pearson_alone_is_not_below_every_size():
    """At k = 1, why the union bound takes its place."""
    from matchbound.bounds.binomial import clopper_pearson

    assert any(
        bounds.hypergeometric_lower(1, s, n, 0.5) / n < clopper_pearson(1, s, 0.5)
        for s in range(2, 12)
        for n in range(s, 60)
    )


def test_search_of_a_wide_range_agrees_with_uhlmann(monkeypatch):
    quick = share_lower(190, 200, (200, 40_000), 0.05)
    monkeypatch.setattr("matchbound.bounds.hypergeometric._below_every_size", lambda *_: 0.0)
    assert quick == pytest.approx(share_lower(190, 200, (200, 40_000), 0.05), rel=1e-3)


@pytest.mark.parametrize("known", [(0.0, 0), (3.0, 3), (0.0, 5), (7.5, 10)])
def test_known_part_and_unseen_part_together(known):
    for k, s, most, delta in [(5, 6, 40, 0.1), (9, 9, 30, 0.01), (1, 4, 100, 0.3), (0, 3, 9, 0.2)]:
        truth = min(
            (known[0] + bounds.hypergeometric_lower(k, s, n, delta)) / (known[1] + n)
            for n in range(s, most + 1)
        )
        assert truth * (1 - 1e-5) <= share_lower(k, s, (s, most), delta, known) <= truth


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (
            (5, 4, 10, 0.05),
            "k, s and n must satisfy 0 ≤ k ≤ s ≤ n ≤ 2**53, got k=5, s=4, n=10. "
            "Give ones seen, values drawn and population size, in this order.",
        ),
        (
            ([1, 2], 3, 2, 0.05),
            "k, s and n must satisfy 0 ≤ k ≤ s ≤ n ≤ 2**53, got k=1, s=3, n=2. "
            "Give ones seen, values drawn and population size, in this order.",
        ),
        (
            (1, 2, 3, 5.0),
            "delta must be above 0 and below 1, got 5.0. "
            "It is the probability of failure: give 0.05 for 95%.",
        ),
        (
            ([1, 1], 2, 3, [0.05, 1.0]),
            "delta must be above 0 and below 1, got 1.0. "
            "It is the probability of failure: give 0.05 for 95%.",
        ),
        (
            (0.5, 2, 3, 0.05),
            "k must be whole numbers, got float64 values. Convert them first.",
        ),
        (
            ([[1], [1, 2]], 3, 9, 0.05),
            "k must be a flat sequence, got rows of several lengths. Give a list or an array.",
        ),
        (([1], 3, 9, "0.05"), "delta must be fractions, got <U4 values. Convert them first."),
        (
            ([1, 2], [3, 3, 3], 9, 0.05),
            "k, s, n and delta must broadcast together, got shapes (2,), (3,), (), (). Match them.",
        ),
    ],
)
def test_bad_input_is_refused(case, message):
    for function in (bounds.hypergeometric_lower, bounds.hypergeometric_upper):
        with pytest.raises(InputError) as error:
            function(*case)
        assert str(error.value) == message
