"""The search for the least share over a range of sizes."""

import pytest

from matchbound.bounds import hypergeometric_lower
from matchbound.bounds.hypergeometric import share_lower
from matchbound.bounds.ranges import GRAIN, least_share

CASES = [
    (k, s, (s, most), delta, known)
    for k, s, most in [(9, 12, 40), (30, 33, 180), (54, 60, 3000), (300, 335, 20_000)]
    for delta in (0.024, 0.3)
    for known in ((0.0, 0), (3.0, 5))
]


@pytest.mark.parametrize("case", CASES)
def test_the_search_finds_the_least_of_all_sizes(case):
    k, s, (least, most), delta, (total, count) = case
    shares = [
        (total + hypergeometric_lower(k, s, n, delta)) / (count + n) for n in range(least, most + 1)
    ]
    found = least_share(lambda n: hypergeometric_lower(k, s, n, delta), (least, most), case[4])
    assert min(shares) * (1 - GRAIN) <= found <= min(shares)
    assert min(shares) * (1 - GRAIN) <= share_lower(*case) <= min(shares)


def test_a_search_cut_short_is_below():
    k, s, size, delta, known = CASES[-1]
    whole, short = (
        least_share(lambda n: hypergeometric_lower(k, s, n, delta), size, known, blocks)
        for blocks in (20_000, 5)
    )
    assert 0.5 * whole < short < whole


def test_a_tie_is_settled_in_whole_numbers():
    """P(K ≥ 1) is δ itself for one draw and half of the population."""
    assert least_share(lambda n: hypergeometric_lower(1, 1, n, 0.5), (2, 8)) == 0.5
