"""The search over sizes, compiled and not."""

import pytest

from matchbound.bounds import hypergeometric_lower
from matchbound.bounds._sizes import least_share
from matchbound.bounds.hypergeometric import BLOCKS, GRAIN, _search

CASES = [
    (k, s, (s, most), delta, known)
    for k, s, most in [(9, 12, 40), (30, 33, 180), (54, 60, 3000), (300, 335, 20_000)]
    for delta in (0.024, 0.3)
    for known in ((0.0, 0), (3.0, 5))
]


@pytest.mark.parametrize("case", CASES)
def test_the_compiled_search_is_the_other_one(case):
    assert least_share(*case, GRAIN, BLOCKS) == _search(*case)


@pytest.mark.parametrize("case", [case for case in CASES if case[2][1] <= 3000])
def test_the_search_finds_the_least_of_all_sizes(case):
    k, s, (least, most), delta, (total, count) = case
    shares = [
        (total + hypergeometric_lower(k, s, n, delta)) / (count + n) for n in range(least, most + 1)
    ]
    found = least_share(*case, GRAIN, BLOCKS)
    assert min(shares) * (1 - 2 * GRAIN) <= found <= min(shares)


def test_a_tie_is_left_to_whole_numbers():
    """P(K ≥ 1) is δ itself for one draw and half of the population."""
    assert least_share(1, 1, (2, 8), 0.5, (0.0, 0), GRAIN, BLOCKS) == -1
    assert _search(1, 1, (2, 8), 0.5, (0.0, 0)) == 0.5
