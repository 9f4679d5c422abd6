"""Kernels as they are written and as they are compiled: the same numbers, to the last bit."""

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from matchbound import bounds
from matchbound.bounds import betting, hypergeometric, pooled_lower, pooled_rejects, star
from matchbound.bounds.binomial import clopper_pearson
from matchbound.bounds.chances import chance, chance_at_least
from matchbound.bounds.likelihood import likelihood_sequence, likelihood_share
from matchbound.compiled import PATIENCE, compiled, worth_compiling
from support.weighted import draw_by_weight, random_pooled

DELTAS = (1e-300, 1e-9, 0.025, 0.05, 0.5, 1 - 1e-16)


@compiled
def countdown(n):
    return 0.0 if n <= 0 else third(n) + countdown(n - 1)


@compiled
def third(x):
    return x / 3.0


@pytest.fixture
def run(monkeypatch):
    """A function called with plain kernels, then with compiled ones."""

    def both(function, *values, **named):
        results = []
        for compile_them in (False, True):
            is_worth = lambda _, answer=compile_them: answer  # noqa: E731
            monkeypatch.setattr("matchbound.compiled.worth_compiling", is_worth)
            results.append(function(*values, **named))
        return results

    return both


def least_kept(k, s, n, delta):
    """The least m with P(K ≥ k) ≥ δ, in whole numbers."""
    for m in range(k, n - (s - k) + 1):
        ways = sum(math.comb(m, j) * math.comb(n - m, s - j) for j in range(k, min(m, s) + 1))
        if Fraction(ways, math.comb(n, s)) >= Fraction(delta):
            return m
    raise AssertionError


def test_hypergeometric_bounds_of_all_small_draws(run):
    for n in range(1, 15):
        for s in range(1, n + 1):
            for k in range(s + 1):
                for delta in DELTAS:
                    plain, machine = run(hypergeometric._invert, k, s, n, delta)
                    assert plain == machine == least_kept(k, s, n, delta), (k, s, n, delta)


def test_hypergeometric_bounds_of_larger_draws(run):
    rng = np.random.default_rng(15)
    for _ in range(300):
        n = int(10 ** rng.uniform(1, 9))
        s = int(min(n, 10 ** rng.uniform(0, 4.5)))  # many are too large to settle ties exactly
        k, delta = int(rng.integers(s + 1)), float(rng.choice(DELTAS))
        plain, machine = run(hypergeometric._invert, k, s, n, delta)
        assert plain == machine, (k, s, n, delta)


@pytest.mark.parametrize("size", [None, 400, 10**9])
def test_star_bounds(run, size):
    rng = np.random.default_rng(16)
    for drawn in (1, 2, 7, 60, 200):
        for share in (0.0, 0.5, 0.9, 1.0):
            member = rng.random(drawn) < rng.choice([0.3, 1.0])
            values = np.where(rng.random(drawn) < share, 1.0, rng.random(drawn))
            sizes = None if size is None else (size, size)
            known = (0.5, 1) if size is not None else (0.0, 0)
            inputs = (member, values, sizes, float(rng.choice([1e-6, 0.05])), 0.04, known)
            plain, machine = run(star._star, *inputs)
            assert plain == machine, (drawn, share)


@pytest.mark.parametrize("anytime", [False, True])
def test_bounds_of_draws_by_weight(run, anytime):
    rng = np.random.default_rng(17)
    for drawn in (1, 2, 7, 60, 150):
        for n in (drawn, drawn + 3, 10 * drawn):
            population = random_pooled(rng, max(n, 2))
            draws = population.draws(draw_by_weight(population.weight, drawn, 1, rng)[0])
            plan = {"planned": int(rng.integers(1, 2 * drawn + 1)), "variance": float(rng.random())}
            delta = float(rng.choice([1e-6, 0.05]))

            def bound(
                draws=draws, population=population, how=plan | {"delta": delta, "anytime": anytime}
            ):
                return pooled_lower(draws, population.urn, known=population.known, **how)

            plain, machine = run(bound)
            assert plain == machine, (drawn, n)


def random_fractions(rng, drawn):
    """Whether each node counts, values of which some are 0 or 1, and a variance."""
    share, members = rng.choice([0.0, 0.5, 0.9, 1.0]), rng.choice([0.3, 1.0])
    values = np.where(rng.random(drawn) < share, 1.0, rng.random(drawn))
    return rng.random(drawn) < members, values, float(rng.choice([1e-12, 0.04, 0.25]))


@pytest.mark.parametrize("size", [None, 400, 10**9])
def test_bounds_at_any_time(run, size):
    rng = np.random.default_rng(18)
    for drawn in (1, 2, 7, 60, 200, 400):
        member, values, variance = random_fractions(rng, drawn)
        how = {"size": size, "delta": float(rng.choice([1e-6, 0.05])), "variance": variance}
        plain, machine = run(bounds.ratio_lower, member | (drawn < 3), values, anytime=True, **how)
        assert plain == machine, drawn
        plain, machine = run(betting.sequence, values, **how)
        assert (plain == machine).all(), drawn


@pytest.mark.parametrize("size", [None, 400, 10**9])
def test_bounds_without_an_order(run, size):
    rng = np.random.default_rng(25)
    for drawn in (1, 2, 7, 60, 300):
        member, values, variance = random_fractions(rng, drawn)
        for planned in (None, variance):
            how = {"size": size, "delta": float(rng.choice([1e-6, 0.05])), "variance": planned}
            plain, machine = run(bounds.orderfree_ratio, member | (drawn < 3), values, **how)
            assert plain == machine, drawn
    values, weights = rng.random(50), rng.random(50)
    plain, machine = run(bounds.weighted_lower, values, weights, delta=0.05)
    assert plain == machine


@pytest.mark.parametrize("anytime", [False, True])
@pytest.mark.parametrize("size", [None, 100, 10**9])
def test_bounds_despite_wrong_labels(run, size, anytime):
    rng = np.random.default_rng(19)
    for drawn, wrong in ((1, 1), (7, 2), (60, 1), (60, 30), (100, 5)):
        member, values, variance = random_fractions(rng, drawn)
        how = {"size": size, "delta": 0.05, "variance": variance, "anytime": anytime}
        members = member | (drawn < 3)
        plain, machine = run(star.star_with_errors, members, values, wrong=wrong, **how)
        assert plain == machine, (drawn, wrong)


def test_samples_against_a_target(run):
    rng = np.random.default_rng(20)
    values = np.where(rng.random((40, 90)) < 0.9, 1.0, rng.random((40, 90)))
    member, drawn = rng.random((40, 90)) < 0.8, rng.integers(1, 91, 40)
    for target in (0.8, 0.9):
        how = {"target": target, "size": 5000, "delta": 0.05, "variance": 0.04, "drawn": drawn}
        plain, machine = run(star.star_rejects, member, values, **how)
        assert (plain == machine).all()
        assert 0 < plain.sum() < 40


def test_samples_by_weight_against_a_target(run):
    rng = np.random.default_rng(21)
    population = random_pooled(rng, 300)
    draws = population.draws(draw_by_weight(population.weight, 90, 40, rng))
    for part in (0.8, 0.9, 0.99):
        how = {"known": population.known, "planned": 90, "delta": 0.05, "variance": 0.3}
        target = part * population.ratio
        plain, machine = run(pooled_rejects, draws, population.urn, target=target, **how)
        assert (plain == machine).all()


@pytest.mark.slow
def test_likelihood_ratios(run):
    rng = np.random.default_rng(22)
    for _ in range(60):
        n = int(10 ** rng.uniform(0, 9))
        values = rng.random(int(min(n, 10 ** rng.uniform(0, 3)))) < rng.random()
        delta = float(rng.choice([1e-9, 0.05, 0.5]))
        plain, machine = run(likelihood_sequence, values, n, delta)
        assert (plain == machine).all(), (n, values.size)
        plain, machine = run(likelihood_share, values, (max(n // 2, values.size), n), delta)
        assert plain == machine, (n, values.size)


def test_binomial_bounds_and_chances(run):
    rng = np.random.default_rng(23)
    for _ in range(300):
        n = int(10 ** rng.uniform(0.5, 9))
        s, m = int(min(n, 10 ** rng.uniform(0, 4))), int(rng.integers(n + 1))
        k = int(rng.binomial(s, m / n))
        for function, case in (
            (clopper_pearson, (k, s, float(rng.choice(DELTAS)))),
            (chance, (k, s, m, n)),
            (chance_at_least, (k, s, m, n)),
        ):
            plain, machine = run(function, *case)
            assert plain == machine, (function, case)


def test_many_bounds_at_once(run):
    n, s = np.array([10, 10, 10**6, 2**53]), np.array([5, 5, 900, 1000])
    ones = np.array([3, 3, 850, 990])
    plain, machine = run(hypergeometric.hypergeometric_lower, ones, s, n, 0.05)
    assert (plain == machine).all()
    assert plain[0] == least_kept(3, 5, 10, 0.05)


def test_a_kernel_calls_kernels_of_its_own_form():
    assert countdown(4) == countdown.plain(4) == pytest.approx(10 / 3)
    assert countdown.plain.__globals__["third"] is third.plain
    assert countdown.machine.py_func.__globals__["third"] is third.machine
    assert countdown.__name__ == "countdown"


def test_python_s_patience_ends(monkeypatch):
    monkeypatch.setattr("matchbound.compiled._steps", 0)
    assert not worth_compiling(PATIENCE)
    assert worth_compiling(1)
    assert third.over(1) is third.machine
    monkeypatch.setattr("matchbound.compiled._steps", 0)
    assert third.over(1) is third.plain


BOUNDS_OF_AN_AUDIT = """
import sys
import numpy as np
from matchbound.bounds import BOUNDS, lower, ratio_lower
rng = np.random.default_rng(24)
fractions, seen = rng.choice([0.5, 1.0], 2000), rng.random(2000) < 0.9
for name, row in BOUNDS.items():
    size = 20_000 if row.population else None
    lower(seen if row.binary else fractions, size=size, delta=0.05, method=name)
for anytime in (False, True):
    ratio_lower(seen, fractions, size=20_000, delta=0.05, anytime=anytime)
print("numba" in sys.modules)
"""


def test_an_audit_of_2000_labels_waits_for_no_compiler():
    command = [sys.executable, "-c", BOUNDS_OF_AN_AUDIT]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
