"""Bounds on a ratio of two sums from draws by weight: as defined, valid in every order, monotone.

Forms with a part cut are caught by the same checks.
"""

import itertools
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from matchbound import InputError, bounds
from matchbound.bounds import Draws, Urn, _pooled, pooled_lower, pooled_rejects
from support import best_bets
from support.betting_oracles import pooled_rejects as defined_rejects
from support.nasty import limit
from support.weighted import (
    NASTY,
    Pooled,
    draw_by_weight,
    every_order,
    random_pooled,
    urn_of,
    with_limit,
)

DELTA = 0.05
COLUMNS = ("num", "den", "most", "weight")


def random_plan(rng, population, n):
    """δ, the planned number and variance, right or wrong."""
    variance = math.exp(rng.uniform(-6, 3)) * population.urn.risk**2
    return {
        "delta": float(rng.uniform(0.05, 0.5)),
        "planned": int(rng.integers(1, n + 3)),
        "variance": float(variance),
    }


def random_cases(seed, cases, sizes=(4, 5, 6)):
    """A population, how many are drawn, and a plan."""
    rng = np.random.default_rng(seed)
    while cases:
        n = int(rng.choice(sizes))
        population = random_pooled(rng, n)
        if not math.isnan(population.ratio):
            yield population, int(rng.integers(1, n + 1)), random_plan(rng, population, n)
            cases -= 1


# The definition


@pytest.mark.parametrize("anytime", [False, True])
def test_equals_its_definition(anytime):
    rng = np.random.default_rng(1)
    for population, s, plan in random_cases(2, 60, sizes=(2, 4, 8, 20)):
        plan["anytime"] = anytime
        places = draw_by_weight(population.weight, s, 1, rng)[0]
        draws = population.draws(places)
        bound = pooled_lower(draws, population.urn, known=population.known, **plan)
        assert bound == 0 or defined_rejects(population, places, bound - 1e-7, **plan)
        assert not defined_rejects(population, places, bound + 1e-7, **plan) or bound > 1 - 1e-7


@pytest.mark.parametrize("planned", [40, 60, 80, 100])
def test_plans_of_nearly_all_nodes(planned):
    """Where the weight left is planned to be the least that it may be."""
    rng = np.random.default_rng(19)
    population = random_pooled(rng, 60, "all or nothing")
    places = draw_by_weight(population.weight, 30, 1, rng)[0]
    plan = {"planned": planned, "delta": 0.3, "variance": population.urn.risk**2 / 2000}
    bound = pooled_lower(population.draws(places), population.urn, known=(1, 2), **plan)
    population = replace(population, known=(1, 2))
    assert defined_rejects(population, places, bound - 1e-7, **plan)
    assert not defined_rejects(population, places, bound + 1e-7, **plan)


def test_equal_weights_and_den_are_star():
    """Up to the planned weight left, which `star` knows in closed form."""
    values, ones = np.array([1, 1, 1, 1, 0.5] * 40), np.ones(200)
    urn = Urn(weight=1e6, squares=1e6, most=1e6, risk=1.0)
    how = {"delta": DELTA, "variance": 0.04}
    bound = pooled_lower(Draws(values, ones, ones, ones), urn, known=(0, 0), planned=200, **how)
    assert bound == pytest.approx(bounds.lower(values, size=10**6, **how), abs=1e-4)


def test_units_of_weight_do_not_matter():
    population, s = NASTY["below the limit"]
    places = draw_by_weight(population.weight, s, 1, np.random.default_rng(3))[0]
    seen = []
    for unit in (1.0, 1e-6, 3e5):
        scaled = replace(population, weight=population.weight * unit)
        plan = {"planned": s, "delta": DELTA, "variance": 0.5 / unit**2}
        seen.append(pooled_lower(scaled.draws(places), scaled.urn, known=(0, 0), **plan))
    assert seen == pytest.approx([seen[0]] * 3, abs=1e-9)


def test_a_census_is_its_own_ratio():
    for population, _, plan in random_cases(4, 50):
        order = np.arange(len(population.num))
        how = plan | {"known": population.known, "delta": 1e-6}
        urn = population.urn
        rounded = replace(urn, most=urn.most * (1 - 9e-10), weight=urn.weight * (1 - 9e-10))
        for sums in (urn, rounded):
            bound = pooled_lower(population.draws(order), sums, **how)
            assert population.ratio - 1e-7 <= bound <= population.ratio


def test_a_light_node_that_rounding_hides():
    weight, ones = np.array([1.0, 1.0, 2**-31]), np.ones(3)
    urn = Urn(weight=2, squares=2, most=3, risk=2**31)
    draws = Draws(np.array([1.0, 0.0, 1.0]), ones, ones, weight)
    bound = pooled_lower(draws, urn, known=(0, 3), planned=3, delta=0.5, variance=1e19)
    assert 1 / 3 - 1e-8 <= bound <= 1 / 3


def test_what_might_have_been_sets_the_rounding():
    """A node drawn might have had a den of a million: sums may be wrong by a part of that."""
    one = np.ones(1)
    draws = Draws(0 * one, 0 * one, 1e6 * one, one)
    bound = pooled_lower(
        draws, Urn(1, 1, 1e6, 1e6), known=(1, 2), planned=1, delta=DELTA, variance=1
    )
    assert bound == pytest.approx(0.5 - 1e-9 * 1e6 / 4, abs=1e-6)


def test_all_known_and_nothing_to_draw():
    none, urn = Draws(*[[]] * 4), Urn(0, 0, 0, 0)
    bound = pooled_lower(none, urn, known=(3, 4), planned=1, delta=DELTA, variance=1)
    assert 0.75 - 1e-8 <= bound <= 0.75


def test_the_bound_is_at_most_the_top():
    ones = np.ones(50)
    urn, how = urn_of(ones, ones), {"planned": 50, "delta": DELTA, "variance": 0.1}
    bound = pooled_lower(Draws(0.8 * ones, ones, ones, ones), urn, known=(0, 0), top=0.5, **how)
    assert bound == pytest.approx(0.5, abs=1e-9)
    bound = pooled_lower(Draws(3 * ones, ones, ones, ones), urn, known=(0, 0), top=4.0, **how)
    assert bound == pytest.approx(3, abs=1e-7)


def test_many_samples_are_one_by_one():
    population, _ = NASTY["below the limit"]
    places = draw_by_weight(population.weight, 60, 30, np.random.default_rng(5))
    drawn, planned = np.arange(30) + 31, np.arange(30) * 9
    how = {"known": (0.0, 0.0), "delta": 0.3, "variance": 0.5}
    draws = population.draws(places)
    for target in (0.1, 0.3, 0.5):
        shares = {"target": target, "drawn": drawn, "planned": planned}
        rejected = pooled_rejects(draws, population.urn, **shares, **how)
        one_by_one = [
            pooled_lower(population.draws(row[:s]), population.urn, planned=int(planned_one), **how)
            >= target
            for row, s, planned_one in zip(places, drawn, planned, strict=True)
        ]
        assert rejected.tolist() == one_by_one
        assert 0 < rejected.sum() < 30 or target != 0.3


def test_rejected_ratios_are_an_interval():
    """So bisection is exact, and the largest rejected ratio is the bound."""
    rng = np.random.default_rng(6)
    grid = np.concatenate([[0.0, 1e-6], np.linspace(0.01, 1.2, 60)])
    for population, s, plan in random_cases(7, 300, sizes=(4, 6, 30)):
        places = draw_by_weight(population.weight, s, 20, rng)
        how = {"known": population.known, **plan}
        draws = population.draws(places)
        rejected = [pooled_rejects(draws, population.urn, target=rho, **how) for rho in grid]
        assert (np.diff(np.array(rejected, dtype=int), axis=0) <= 0).all()


def lowered(rng, draws):
    """The same samples; in each, one to three labels are lower."""
    num, den = draws.num.copy(), draws.den.copy()
    for row, column in itertools.product(range(len(num)), range(rng.integers(1, 4))):
        column = rng.integers(num.shape[1])
        if rng.random() < 0.5:
            num[row, column] *= rng.choice([0.0, 0.5])
        else:
            num[row, column], den[row, column] = 0.0, draws.most[row, column]
    return Draws(num, den, draws.most, draws.weight)


def newly_rejected(cases, seed, sizes=(4, 6, 30)):
    rng = np.random.default_rng(seed)
    count = 0
    for population, s, plan in random_cases(seed, cases, sizes):
        draws = population.draws(draw_by_weight(population.weight, s, 20, rng))
        lower = lowered(rng, draws)
        for target in (0.02, 0.2, 0.5, 0.7, 0.9, float(rng.random()), population.ratio):
            how = {"target": target, "known": population.known, **plan}
            before, after = (pooled_rejects(one, population.urn, **how) for one in (draws, lower))
            count += (after & ~before).sum()
    return count


def test_never_rises_when_a_label_falls():
    assert newly_rejected(300, 8) == 0
    rng = np.random.default_rng(9)
    for population, s, plan in random_cases(10, 100):
        draws = population.draws(draw_by_weight(population.weight, s, 1, rng))
        before, after = (
            pooled_lower(
                Draws(*(getattr(one, name)[0] for name in COLUMNS)),
                population.urn,
                known=population.known,
                **plan,
            )
            for one in (draws, lowered(rng, draws))
        )
        assert after <= before + 1e-9


def test_at_any_time_each_label_counts():
    """The bound rises with every node drawn, and falls when a label does."""
    rng = np.random.default_rng(17)
    for population, s, plan in random_cases(18, 60, sizes=(6, 20)):
        draws = population.draws(draw_by_weight(population.weight, s, 1, rng))
        how = {"known": population.known, "anytime": True, **plan}

        def bound(draws, drawn, urn=population.urn, how=how):
            one = Draws(*(getattr(draws, name)[0, :drawn] for name in COLUMNS))
            return pooled_lower(one, urn, **how)

        bounds_so_far = [bound(draws, drawn) for drawn in range(s + 1)]
        assert (np.diff(bounds_so_far) >= -1e-9).all()
        assert bound(lowered(rng, draws), s) <= bounds_so_far[-1] + 1e-9


@pytest.mark.slow
def test_never_rises_when_a_label_falls_in_more_samples():
    assert newly_rejected(4000, 11) + newly_rejected(500, 12, sizes=(100, 200)) == 0


# How draws are read: rightly, or with a part cut


def rightly(population, places):
    return population.draws(places), population.urn


def weights_ignored(population, places):
    return rightly(replace(population, weight=np.ones(len(population.num))), places)


def range_of_one(population, places):
    """Nobody loses more than one; `Draws` itself refuses that."""
    ones = np.ones(len(population.num))
    columns = replace(population, most=ones)
    drawn = {name: getattr(columns, name)[places] for name in COLUMNS}
    return SimpleNamespace(**drawn), urn_of(ones, population.weight)


def failure(population, places, chances, plan, read=rightly):
    """P(bound > truth): by the interval, that the truth itself is rejected."""
    draws, urn = read(population, places)
    how = {"target": population.ratio, "known": population.known, **plan}
    return float(chances @ pooled_rejects(draws, urn, **how))


# Failure, exactly: every order of small populations


def failures(seed, cases, read=rightly):
    """P(bound > truth) of each case, and δ."""
    for population, s, plan in random_cases(seed, cases):
        places, chances = every_order(population.weight, s)
        yield failure(population, places, chances, plan, read), plan["delta"]


def assert_valid(seed, cases):
    seen = list(failures(seed, cases))
    assert all(failed <= delta + 1e-12 for failed, delta in seen)
    assert max(failed / delta for failed, delta in seen) > 0.7  # the check can fail


def test_every_order():
    assert_valid(13, 1200)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 24))
def test_more_populations_in_every_order(seed):
    assert_valid(seed, 10_000)


@pytest.mark.parametrize("anytime", [False, True])
def test_bounds_in_every_order(anytime):
    """By bisection, as users see it."""
    for population, s, plan in random_cases(14, 60, sizes=(4,)):
        places, chances = every_order(population.weight, s)
        how = {"known": population.known, "anytime": anytime, **plan}
        found = [pooled_lower(population.draws(row), population.urn, **how) for row in places]
        assert chances @ (np.array(found) > population.ratio) <= plan["delta"] + 1e-12


@pytest.mark.parametrize("read", [weights_ignored, range_of_one])
def test_every_order_catches_a_cut(read):
    assert any(failed > delta * 1.05 for failed, delta in failures(13, 1200, read))


def test_every_order_catches_half_the_evidence():
    seen = []
    for population, s, plan in random_cases(13, 1200):
        places, chances = every_order(population.weight, s)
        half = plan | {"delta": math.sqrt(plan["delta"])}
        seen.append(failure(population, places, chances, half) > plan["delta"])
    assert any(seen)


# Failure, simulated


def rates(name, draws, seed=1, read=rightly, factors=(0.05, 1, 20), deltas=(DELTA, 0.2)):
    """Share of failures, and δ, for each plan: so many times the right variance."""
    population, s = NASTY[name]
    places = draw_by_weight(population.weight, s, draws, np.random.default_rng(seed))
    gain = population.num - population.ratio * population.den
    variance = (gain**2 / population.weight).sum() / population.weight.sum()
    for delta, factor in itertools.product(deltas, factors):
        plan = {"planned": s, "delta": delta, "variance": variance * factor}
        yield failure(population, places, np.full(draws, 1 / draws), plan, read), delta


@pytest.mark.parametrize("name", NASTY)
def test_failure_of_nasty_populations(name):
    for failed, delta in rates(name, 1000):
        assert failed <= limit(delta, 1000)


@pytest.mark.slow
@pytest.mark.parametrize("name", NASTY)
def test_failure_of_nasty_populations_in_20_000_draws(name):
    factors, deltas = (0.05, 0.25, 1, 4, 20), (0.5, 0.2, DELTA, 0.01)
    for failed, delta in rates(name, 20_000, factors=factors, deltas=deltas):
        assert failed <= limit(delta, 20_000)


@pytest.mark.parametrize(
    ("name", "read", "least"),
    [
        ("least weight on misses", weights_ignored, 0.99),
        ("less weight on misses", weights_ignored, 0.5),
        ("an entity of 20 missed, light", weights_ignored, 0.3),
        ("an entity of 20 missed", range_of_one, 0.3),
        ("a false cluster of 100, uniform", range_of_one, 0.3),
    ],
)
def test_nasty_populations_catch_a_cut(name, read, least):
    assert max(failed for failed, _ in rates(name, 1000, read=read, deltas=[DELTA])) > least


def test_a_limit_from_the_sample_fails():
    """An entity of 20 that is wholly missed: a sample without it shows no den above 1."""
    population, s, draws = NASTY["an entity of 20 missed"][0], 40, 4000
    places = draw_by_weight(population.weight, s, draws, np.random.default_rng(15))
    plan = {"planned": s, "delta": DELTA, "variance": 0.5}
    right = failure(population, places, np.full(draws, 1 / draws), plan)
    greatest, wrong = population.den[places].max(axis=1), 0.0
    for most in np.unique(greatest):
        rows = places[greatest == most]
        narrow = with_limit(population, most)
        read = {name: getattr(narrow, name)[rows] for name in COLUMNS}
        how = {"target": population.ratio, "known": (0.0, 0.0), **plan}
        wrong += pooled_rejects(SimpleNamespace(**read), narrow.urn, **how).sum() / draws
    assert right <= limit(DELTA, draws) < 0.08 < wrong


def test_knowing_how_many_will_come_fails():
    """In a draw by weight from more nodes than are bet on; STEPS = 200 gives 0.596 and 0.623."""
    assert best_bets.failure(0.6, knowing=False) < 0.6 < 0.61 < best_bets.failure(0.6, knowing=True)


# Rounding


def cut_kernel(before, after):
    """The kernel with a part of its text replaced, not compiled."""
    text = Path(_pooled.__file__).read_text("utf-8")
    assert text.count(before) == 1
    names = {"__name__": "cut"}
    exec(compile(text.replace(before, after), "cut", "exec"), names)
    return SimpleNamespace(
        **{name: names[name].plain for name in ("make_left", "make_scales", "rejects")}
    )


def truths_rejected(kernel, cases=300):
    """All drawn, the last a miss: F + G is 0 up to rounding."""
    rng, count = np.random.default_rng(16), 0
    for _ in range(cases):
        den = rng.choice([1.0, 2.0, 3.0], 30)
        num = np.append(den[:29] * rng.choice([0.1, 1 / 3, 2 / 3, 0.7], 29), 0.0)
        weight = rng.choice([1.0, 0.3, 7.0], 30)
        population = Pooled(num, den, den, weight)
        urn = population.urn
        left = kernel.make_left(weight, urn.weight)
        scales = kernel.make_scales(left, 30, urn.weight, urn.squares, urn.risk**2)
        parts = (num, den, weight), left, (urn.most, 0.0), urn.risk, (0.0, 0.0)
        count += kernel.rejects(*parts, population.ratio, scales, 1e-9, False)
    return count


def test_rounding_rejects_no_truth():
    assert truths_rejected(_pooled) == 0


def test_no_tolerance_rejects_truths():
    tolerance = "> ROUNDING * (total + rho * (size + most))"
    cut = cut_kernel(tolerance, "> 0.0")
    assert truths_rejected(cut) > 30


# Arguments


RIGHT = {"num": [1, 0], "den": [1, 2], "most": [1, 3], "weight": [1, 2]}
REFUSED_DRAWS = [
    ({"num": [-1, 0]}, "num must be at least 0, got -1. Correct it."),
    ({"most": [1, math.nan]}, "most must be at least 0, got nan. Correct it."),
    ({"weight": [1, 0]}, "weight must be above 0, got 0. Correct it."),
    ({"den": [0, 2]}, "num must be 0 where den is 0, got 1. Correct it."),
    ({"den": [1, 4]}, "den must be at most the node's most, got 4. Correct it."),
    (
        {"den": [1, 2, 3]},
        "den must have the shape of num, (2,), got (3,). Give a number for each node drawn.",
    ),
]
HOW = {"known": (0.0, 0.0), "planned": 2, "delta": DELTA, "variance": 0.1}
REFUSED = [
    (
        {"urn": Urn(2, 5, 9, 1.5)},
        "urn.weight must be at least 3, that of the nodes drawn, got 2. "
        "Add up all nodes that can be drawn.",
    ),
    (
        {"urn": Urn(9, 4, 9, 1.5)},
        "urn.squares must be at least 5, that of the nodes drawn, got 4. "
        "Add up all nodes that can be drawn.",
    ),
    (
        {"urn": Urn(9, 9, 3, 1.5)},
        "urn.most must be at least 4, that of the nodes drawn, got 3. "
        "Add up all nodes that can be drawn.",
    ),
    (
        {"urn": Urn(9, 9, 9, 1)},
        "urn.risk must be at least 1.5, that of the nodes drawn, got 1. "
        "Add up all nodes that can be drawn.",
    ),
    (
        {"known": (-1.0, 2.0)},
        "known must be two sums of at least 0, of num and of den, got (-1.0, 2.0). "
        "Give (0.0, 0.0) if no node is known.",
    ),
    (
        {"known": (1.0, 0.0)},
        "known must be two sums of at least 0, of num and of den, got (1.0, 0.0). "
        "Give (0.0, 0.0) if no node is known.",
    ),
    (
        {"planned": 2.5},
        "planned must be a whole number, got 2.5. Give the number of draws that is expected.",
    ),
    (
        {"urn": Urn(9, 9, 0, 0), "variance": 0},
        "variance must be at least 1e-100, got 0. Give the mean of (f/weight)² that is expected.",
    ),
    (
        {"planned": -1},
        "planned must be a whole number, got -1. Give the number of draws that is expected.",
    ),
    (
        {"variance": 0.0},
        "variance must be at least 2.25e-12, got 0.0. "
        "Give the mean of (f/weight)² that is expected.",
    ),
    ({"top": 0.0}, "top must be above 0, got 0.0. Give the greatest ratio possible."),
    (
        {"delta": 2},
        "delta must be above 0 and below 1, got 2. "
        "It is the probability of failure: give 0.05 for 95%.",
    ),
    (
        {"draws": Draws(*[np.ones((2, 3))] * 4)},
        "draws must be one sample, got arrays of shape (2, 3). Give one row.",
    ),
]


@pytest.mark.parametrize(("change", "message"), REFUSED_DRAWS)
def test_refused_draws(change, message):
    with pytest.raises(InputError) as error:
        Draws(**RIGHT | change)
    assert str(error.value) == message


@pytest.mark.parametrize(("change", "message"), REFUSED)
def test_refused(change, message):
    arguments = {"draws": Draws(**RIGHT), "urn": Urn(9, 9, 9, 1.5)} | HOW | change
    with pytest.raises(InputError) as error:
        pooled_lower(arguments.pop("draws"), arguments.pop("urn"), **arguments)
    assert str(error.value) == message


def test_an_urn_of_nothing_less_than_0():
    with pytest.raises(InputError) as error:
        Urn(1, 1, -1, 1)
    assert str(error.value) == (
        "urn.most must be at least 0, got -1.0. Add up all nodes that can be drawn."
    )
