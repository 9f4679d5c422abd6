"""Arguments: what is taken, what is refused and in which words."""

import numpy as np
import pytest

from matchbound import InputError, MatchboundError, bounds
from matchbound.bounds.likelihood import likelihood_ones
from matchbound.bounds.orderfree import weighted_lower

METHODS = (
    "hoeffding, serfling, bernstein, hypergeometric, star, anytime, orderfree, likelihood, "
    "binomial, maurer_pontil"
)
REFUSED = [
    (
        {"values": [0.5, 1.2]},
        "values must lie in the span 0 to 1, got 1.2. "
        "Correct it, or give the span that holds every possible value.",
    ),
    (
        {"values": [0.5, float("nan")]},
        "values must lie in the span 0 to 1, got nan. "
        "Correct it, or give the span that holds every possible value.",
    ),
    ({"values": []}, "values must not be empty, got none. Draw at least one."),
    ({"values": ["a"]}, "values must be numbers, got 'a'. Convert them first."),
    (
        {"values": [[1, 2]]},
        "values must be a flat sequence, got 2 dimensions. Give a list or an array.",
    ),
    (
        {"delta": 5},
        "delta must be above 0 and below 1, got 5. "
        "It is the probability of failure: give 0.05 for 95%.",
    ),
    (
        {"delta": float("nan")},
        "delta must be above 0 and below 1, got nan. "
        "It is the probability of failure: give 0.05 for 95%.",
    ),
    ({"delta": "x"}, "delta must be a number, got 'x'. Convert it first."),
    (
        {"size": 2},
        "size must be at least the number of values drawn, 3, got 2. "
        "Give the size of the whole population, not of the sample.",
    ),
    (
        {"size": 10.5},
        "size must be a whole number, a pair of them or None, got 10.5. "
        "Give the number of nodes in the population.",
    ),
    (
        {"size": (9, 5)},
        "size must not be negative and a pair in rising order, got (9, 5). "
        "Give the least and the most it can be.",
    ),
    (
        {"size": (5, 9)},
        "size must be one number for star, got (5, 9). "
        "Give the whole population's size; for 0 and 1, hypergeometric takes a pair.",
    ),
    (
        {"size": None, "method": "serfling"},
        "size must be given for serfling, got None. "
        "Give the population's size, or use binomial or star for independent draws.",
    ),
    (
        {"method": "binomial"},
        "size must be None for binomial, got 10: it is for independent draws. "
        "Use hypergeometric or star for a population.",
    ),
    (
        {"method": "hypergeometric"},
        "values must be 0 or 1 (the ends of the span) for hypergeometric, got 0.5. "
        "Use star for fractional values.",
    ),
    (
        {"method": "wald"},
        f"method must be auto, a callable or one of {METHODS}; got 'wald'. Choose one of them.",
    ),
    (
        {"counts": [1, 2, 3]},
        "counts must be left out for star, got some: it needs the values in draw order. "
        "Give every value, or booleans if they are 0 or 1, or use orderfree.",
    ),
    (
        {"counts": [1, 2], "method": "hoeffding"},
        "counts must hold a whole number for each of the 3 values, got [1, 2]. "
        "Give how often each distinct value was drawn.",
    ),
    (
        {"counts": [0, 0, 0], "method": "hoeffding"},
        "counts must not all be 0, got no draw. Draw at least one value.",
    ),
    (
        {"span": (1, 0)},
        "span must be two numbers, the lower first, got (1, 0). "
        "Give the least and the greatest value possible.",
    ),
    ({"delta": 1e-301}, "delta must be at least 1e-300, got 1e-301. Give a larger one."),
    ({"delta": 10**400}, f"delta must be a number, got {10**400!r}. Convert it first."),
    ({"values": [1, None]}, "values must be numbers, got None. Convert them first."),
    ({"values": [1, 2j]}, "values must be numbers, got (1+0j). Convert them first."),
    (
        {"values": [[1], [1, 2]]},
        "values must be a flat sequence, got rows of several lengths. Give a list or an array.",
    ),
    (
        {"values": (x for x in [1, 0])},
        "values must be a flat sequence, got generator. Give a list or an array.",
    ),
    (
        {"values": np.ma.masked_array([1, 0, 1], [0, 1, 0])},
        "values must not be masked, got a masked array. Fill or drop the gaps.",
    ),
    (
        {"size": 2**53 + 1},
        f"size must be at most 2**53, got {2**53 + 1}. Give a smaller population.",
    ),
    (
        {"size": True},
        "size must be a whole number, a pair of them or None, got True. "
        "Give the number of nodes in the population.",
    ),
    (
        {"size": (-5, 9)},
        "size must not be negative and a pair in rising order, got (-5, 9). "
        "Give the least and the most it can be.",
    ),
    (
        {"span": (0, 1e200)},
        "span must be two numbers, the lower first, got (0, 1e+200). "
        "Give the least and the greatest value possible.",
    ),
    (
        {"method": {}},
        f"method must be auto, a callable or one of {METHODS}; got {{}}. Choose one of them.",
    ),
    (
        {"method": lambda *_: None},
        "method must return a number, got None. Return a lower bound on the mean.",
    ),
    (
        {"counts": [2**62, 2**62, 1], "method": "hoeffding"},
        "counts must hold a whole number for each of the 3 values, "
        f"got {[2**62, 2**62, 1]}. Give how often each distinct value was drawn.",
    ),
    (
        {"variance": 0},
        "variance must be at least 1e-12, got 0. "
        "Give the variance that you expect of the values, or leave it out.",
    ),
]


@pytest.mark.parametrize(("change", "message"), REFUSED)
@pytest.mark.parametrize("side", [bounds.lower, bounds.upper])
def test_refused(side, change, message):
    arguments = {"values": [0, 0.5, 1], "size": 10, "delta": 0.05} | change
    with pytest.raises(InputError) as error:
        side(arguments.pop("values"), **arguments)
    assert str(error.value) == message
    assert isinstance(error.value, MatchboundError)


def test_ratio_refuses_members_that_do_not_fit():
    with pytest.raises(InputError) as error:
        bounds.ratio_lower([True], [1, 0], size=9, delta=0.05)
    assert str(error.value) == (
        "member must hold true or false for each of the 2 values, got 1 of type bool. "
        "Give one for each drawn node."
    )


def test_ratio_refuses_no_member_at_all():
    with pytest.raises(InputError) as error:
        bounds.ratio_lower([False, False], [1, 0], size=9, delta=0.05)
    assert str(error.value) == "member must be true at least once, got 0 of 2. Draw more nodes."


def test_ratio_takes_no_member_where_some_are_known():
    bound = bounds.ratio_lower([False, False], [1, 0], size=9, delta=0.05, known=(3.0, 4))
    assert 3 / 11 - 1e-9 <= bound <= 3 / 11  # the other seven may be members with value 0


def test_ratio_refuses_known_values_that_do_not_fit():
    with pytest.raises(InputError) as error:
        bounds.ratio_lower([True], [1], size=9, delta=0.05, known=(3.0, 2))
    assert str(error.value) == (
        "known must be a sum of values in [0, 1] and their number, got (3.0, 2). "
        "Give (0.0, 0) if no member is known."
    )


def test_likelihood_refuses_fractions():
    with pytest.raises(InputError) as error:
        likelihood_ones([1, 0.5], 9, 0.05)
    assert str(error.value) == "values must be 0 or 1, got 0.5. Use star for fractions."


def test_weights_must_be_probabilities():
    with pytest.raises(InputError) as error:
        weighted_lower([1, 0.5], [0.5, 0], delta=0.05)
    assert str(error.value) == (
        "weights must hold a probability above 0 for each of the 2 values, got [0.5, 0]. "
        "Give how likely each is to be in the sample."
    )


def test_ratio_ignores_what_is_no_member():
    assert bounds.ratio_lower(
        [True, False, True], [1, None, 1], size=9, delta=0.3
    ) == bounds.ratio_lower([True, False, True], [1, 0.5, 1], size=9, delta=0.3)


def test_sequence_refuses_a_range_of_sizes():
    with pytest.raises(InputError, match=r"^size must be one number for betting, got \(5, 9\)"):
        bounds.sequence([1, 0], size=(5, 9), delta=0.05)


@pytest.mark.parametrize(
    "method", ["hoeffding", "serfling", "bernstein", "hypergeometric", "orderfree"]
)
def test_counts_are_the_values_in_short(method):
    values = [True] * 60 + [False] * 20
    for side in (bounds.lower, bounds.upper):
        assert side(values, size=200, delta=0.05, method=method) == pytest.approx(
            side([0, 1], counts=[20, 60], size=200, delta=0.05, method=method), abs=1e-12
        )


def test_upper_is_lower_turned_over():
    values = np.array([0.2, 0.9, 1.0, 0.5] * 20)
    for method in ("hoeffding", "serfling", "bernstein", "star", "orderfree"):
        above = bounds.upper(values, size=500, delta=0.05, method=method)
        assert above == pytest.approx(
            1 - bounds.lower(1 - values, size=500, delta=0.05, method=method), abs=1e-12
        )


@pytest.mark.parametrize("method", ["hoeffding", "serfling", "bernstein", "star", "orderfree"])
def test_span_scales(method):
    values = np.array([0.0, 0.5, 1.0, 1.0] * 30)
    plain = bounds.lower(values, size=500, delta=0.05, method=method, variance=0.1)
    scaled = bounds.lower(
        4 * values - 1, size=500, delta=0.05, method=method, span=(-1, 3), variance=1.6
    )
    assert scaled == pytest.approx(4 * plain - 1, abs=1e-9)


@pytest.mark.parametrize(
    "method", ["hoeffding", "serfling", "bernstein", "hypergeometric", "likelihood"]
)
def test_a_range_of_sizes_holds_for_each(method):
    values = [True] * 30 + [False] * 6
    over = bounds.lower(values, size=(36, 300), delta=0.05, method=method)
    each = [bounds.lower(values, size=n, delta=0.05, method=method) for n in range(36, 301)]
    assert over <= min(each)
    assert over == pytest.approx(min(each), rel=1e-5)


def test_auto_asks_the_type_not_the_sample():
    bits = [1, 0, 1, 1, 1, 1, 1, 1]
    as_bool = np.array(bits, dtype=bool)

    def lower(values, **arguments):
        return bounds.lower(values, delta=0.05, **arguments)

    assert lower(as_bool, size=90) == lower(bits, size=90, method="hypergeometric")
    assert lower(as_bool, size=None) == lower(bits, size=None, method="binomial")
    assert lower(bits, size=90) == lower(bits, size=90, method="star")
    assert lower(bits, size=90) != lower(as_bool, size=90)


def test_a_callable_is_a_method():
    def always_zero(sample, size, delta):
        assert (sample.drawn, size, delta) == (3, (10, 10), 0.05)
        return -4.0

    assert bounds.lower([1, 0, 1], size=10, delta=0.05, method=always_zero) == 0.0
    assert bounds.upper([1, 0, 1], size=10, delta=0.05, method=always_zero) == 1.0


def test_a_row_of_the_table_is_checked_like_its_name():
    with pytest.raises(InputError, match=r"^values must be 0 or 1"):
        bounds.lower([0.5], size=10, delta=0.05, method=bounds.BOUNDS["hypergeometric"].bound)


def test_sizes_as_people_write_them():
    values = [True, True, False]
    assert bounds.lower(values, size=8e7, delta=0.05) == bounds.lower(
        values, size=80_000_000, delta=0.05
    )
    assert bounds.lower(values, size=[3, 9], delta=0.05) == bounds.lower(
        values, size=(3, 9), delta=0.05
    )


def test_a_census_is_never_beyond_its_mean():
    """Rounding goes outwards, also through a span."""
    for n in range(2, 60):
        for k in range(1, n):
            values = np.arange(n) < k
            assert bounds.lower(values, size=n, delta=0.05) <= k / n
            assert bounds.upper(values, size=n, delta=0.05) >= k / n
    for least, most in [(-1, 0.1), (-0.3, 0.7), (1e16, 1e16 + 4), (3, 3.3)]:
        ends = [least] * 3 + [most] * 7
        for side in (bounds.lower, bounds.upper):
            found = side(ends, size=10, delta=0.05, span=(least, most), method="hypergeometric")
            assert least <= found <= most
        assert bounds.lower(
            ends, size=10, delta=0.05, span=(least, most), method="hypergeometric"
        ) <= least + 0.7 * (most - least)


def test_bounds_stay_in_the_span():
    assert bounds.lower([0.0], size=10, delta=0.05, method="hoeffding", span=(0, 2)) == 0
    assert bounds.upper([1.0], size=10, delta=0.05, method="hoeffding") == 1
    assert bounds.lower([1.0], size=None, delta=0.05, method="maurer_pontil") == 0
