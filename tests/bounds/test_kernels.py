"""Kernels as they are written and as they are compiled: the same numbers, to the last bit."""

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from matchbound.bounds import hypergeometric, pooled, pooled_lower, star
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

    def both(module, function, *values):
        results = []
        for compile_them in (False, True):
            monkeypatch.setattr(module, "worth_compiling", lambda _, answer=compile_them: answer)
            results.append(function(*values))
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
                    plain, machine = run(hypergeometric, hypergeometric._invert, k, s, n, delta)
                    assert plain == machine == least_kept(k, s, n, delta), (k, s, n, delta)


def test_hypergeometric_bounds_of_larger_draws(run):
    rng = np.random.default_rng(15)
    for _ in range(300):
        n = int(10 ** rng.uniform(1, 9))
        s = int(min(n, 10 ** rng.uniform(0, 3.2)))
        k, delta = int(rng.integers(s + 1)), float(rng.choice(DELTAS))
        plain, machine = run(hypergeometric, hypergeometric._invert, k, s, n, delta)
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
            plain, machine = run(star, star._star, *inputs)
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

            plain, machine = run(pooled, bound)
            assert plain == machine, (drawn, n)


def test_a_kernel_calls_kernels_of_its_own_form():
    assert countdown(4) == countdown.plain(4) == pytest.approx(10 / 3)
    assert countdown.plain.__globals__["third"] is third.plain
    assert countdown.machine.py_func.__globals__["third"] is third.machine
    assert countdown.__name__ == "countdown"


def test_python_s_patience_ends(monkeypatch):
    monkeypatch.setattr("matchbound.compiled.sys", SimpleNamespace(modules={}))
    monkeypatch.setattr("matchbound.compiled._steps", 0)
    assert not worth_compiling(PATIENCE)
    assert worth_compiling(1)
    monkeypatch.setattr("matchbound.compiled._steps", 0)
    monkeypatch.setattr("matchbound.compiled.sys", SimpleNamespace(modules={"numba": None}))
    assert worth_compiling(1)
