"""How many nodes a draw by weight might miss together, and the limit on den that follows."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from matchbound import InputError
from matchbound.bounds import missed, pooled_rejects
from matchbound.bounds.missed import _log_missed
from support.weighted import Pooled, every_order


def bound_on_missing(weight, e, drawn):
    """The formula that `missed` puts below δ, of one weight for each node."""
    distinct, count = np.unique(weight, return_counts=True)
    return math.exp(_log_missed(distinct, count, e, drawn))


def uniform_missed(n, e, drawn):
    return Fraction(math.comb(n - e, drawn), math.comb(n, drawn))


def chances_of_missing(weight, drawn):
    """P(all of the set are missed), for each set of nodes, by every order."""
    places, chances = every_order(weight, drawn)
    seen = (places[:, :, None] == np.arange(len(weight))).any(axis=1)
    for e in range(1, len(weight) - drawn + 1):
        for nodes in itertools.combinations(range(len(weight)), e):
            yield nodes, chances[~seen[:, nodes].any(axis=1)].sum()


def test_equal_weights_are_exact():
    for n, drawn in [(1, 0), (1, 1), (7, 3), (60, 20), (1000, 200), (10**5, 700)]:
        for delta in (1e-12, 0.01, 0.049, 0.3, 0.9):
            e = missed([(2.5, n)], drawn, delta)
            assert e > n or uniform_missed(n, e, drawn) <= Fraction(delta)
            assert uniform_missed(n, e - 1, drawn) > Fraction(delta)


def test_what_is_certain_and_what_rounding_leaves_open():
    assert missed([(1.0, 5)], 5, 1e-300) == 1
    assert missed([(1.0, 5), (2.0, 4)], 7, 1e-300) == 3
    assert missed([(1.0, 2)], 1, 0.5) == 2  # one node is missed with a probability of 0.5
    assert missed([(1.0, 2)], 1, 0.5 + 1e-8) == 1


def test_the_formula_of_equal_weights():
    for n, drawn in [(7, 3), (60, 20), (60, 60), (1000, 200)]:
        for e in range(1, min(n - drawn, 40) + 1):
            formula = bound_on_missing(np.full(n, 0.7), e, drawn)
            assert formula == pytest.approx(float(uniform_missed(n, e, drawn)), rel=1e-9)


@pytest.mark.parametrize("cases", [12, pytest.param(150, marks=pytest.mark.slow)])
def test_every_set_of_seven_nodes(cases):
    """The formula is never below the probability, and the lightest set is missed most."""
    rng = np.random.default_rng(1)
    for _ in range(cases):
        weight = np.sort(np.exp(rng.normal(0, rng.uniform(0, 2), 7)))
        drawn = int(rng.integers(1, 7))
        chances = dict(chances_of_missing(weight, drawn))
        for nodes, chance in chances.items():
            lightest = chances[tuple(range(len(nodes)))]
            formula = bound_on_missing(weight, len(nodes), drawn)
            assert chance <= lightest * (1 + 1e-9) <= formula * (1 + 2e-9)


def test_a_formula_with_the_heaviest_gone_is_too_low():
    """It would be right if the draws before took the heaviest nodes, not the lightest."""
    weight, drawn = np.arange(1.0, 8), 4
    left = weight.sum() - np.array([weight[7 - i :].sum() for i in range(drawn)])
    chances = dict(chances_of_missing(weight, drawn))
    for e in (1, 2, 3):
        assert chances[tuple(range(e))] > np.prod(1 - weight[:e].sum() / left)


def test_falls_with_every_node_drawn():
    rng = np.random.default_rng(2)
    for _ in range(20):
        weights = [(float(w), int(n)) for w, n in enumerate(rng.integers(1, 10, 4), start=1)]
        n = sum(many for _, many in weights)
        found = [missed(weights, drawn, 0.1) for drawn in range(n + 1)]
        assert found == sorted(found, reverse=True)
        assert (found[0], found[-1]) == (n + 1, 1)  # none is ever missed if all are drawn
        shuffled = [weights[i] for i in rng.permutation(4)]
        assert found == [missed(shuffled, drawn, 0.1) for drawn in range(n + 1)]


# The limit on true matches that a draw proves, if truth is a partition


def limit_of(weight, drawn, delta, known_most):
    e = missed([(w, 1) for w in weight], drawn, delta)
    return max(1, e - 2, known_most)


def limit_one_smaller(weight, drawn, delta, known_most):
    e = missed([(w, 1) for w in weight], drawn, delta) - 1
    return max(1, e - 2, known_most)


def limit_without_known(weight, drawn, delta, known_most):
    return limit_of(weight, drawn, delta, 0)


def entities(rng, n):
    """How many others are in each record's entity, and how many of them are found: all or none."""
    sizes = []
    while sum(sizes) < n:
        sizes.append(int(min(rng.integers(1, 5), n - sum(sizes))))
    found = np.array(sizes) < max(sizes) if rng.random() < 0.7 else rng.random(len(sizes)) < 0.8
    others = np.repeat(np.array(sizes) - 1.0, sizes)
    return others, others * np.repeat(found, sizes)


def false_certificates(seed, cases, limit):
    """P(a certificate of pairwise recall is given and false), and δ; up to two are known."""
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        (n, most_drawn), labelled = rng.choice([(6, 5), (7, 4)]), int(rng.integers(0, 3))
        others, found = entities(rng, n + labelled)
        order = rng.permutation(n + labelled)
        if rng.random() < 0.5:  # those of the largest entity are known first
            order = order[np.argsort(-others[order], kind="stable")]
        known, rest = order[:labelled], order[labelled:]
        weight = np.exp(rng.normal(0, rng.choice([0.0, 0.5]), n))
        drawn, delta = int(rng.integers(1, most_drawn + 1)), float(rng.uniform(0.03, 0.5))
        most = limit(weight, drawn, delta, others[known].max(initial=0.0))
        population = Pooled(
            found[rest],
            others[rest],
            np.full(n, float(most)),
            weight,
            (found[known].sum(), others[known].sum()),
        )
        if math.isnan(population.ratio):
            continue
        places, chances = every_order(weight, drawn)
        given = (population.den[places] <= most).all(axis=1)
        plan = {"planned": drawn, "delta": delta, "known": population.known}
        variance = math.exp(rng.uniform(-3, 1)) * population.urn.risk**2
        rejected = pooled_rejects(
            population.draws(places[given]),
            population.urn,
            target=population.ratio,
            variance=variance,
            **plan,
        )
        yield chances[given] @ rejected, delta


@pytest.mark.parametrize("cases", [1000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_the_limit_that_a_draw_proves(cases):
    seen = list(false_certificates(3, cases, limit_of))
    assert all(failed <= delta + 1e-12 for failed, delta in seen)
    assert max(failed / delta for failed, delta in seen) > 0.8


@pytest.mark.parametrize("limit", [limit_one_smaller, limit_without_known])
def test_a_smaller_limit_fails(limit):
    assert any(failed > delta * 1.05 for failed, delta in false_certificates(3, 1000, limit))


@pytest.mark.parametrize(
    ("weights", "drawn", "message"),
    [
        (
            [(1.0, 3)],
            4,
            "drawn must be 0 to the number of nodes, 3, got 4. Count every node that can be drawn.",
        ),
        (
            [(0.0, 3)],
            1,
            "weights must be above 0, with how many nodes have each, got [(0.0, 3)]. "
            "Leave out nodes that cannot be drawn.",
        ),
    ],
)
def test_refused(weights, drawn, message):
    with pytest.raises(InputError) as error:
        missed(weights, drawn, 0.05)
    assert str(error.value) == message
