"""Estimates over many draws, uniform and by weight: their means are near the truth."""

import random
from collections import Counter

import pytest

from matchbound.theorems.estimates import _chance, estimate
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.ratios import B3_PRECISION, PAIRWISE_PRECISION, PRECISION
from matchbound.theorems.tally import Cell, Label, Tally


def drawn(rng, nodes, weight, size):
    """The first nodes of an order by weight: each next node with a chance like its weight."""
    return sorted(nodes, key=lambda x: rng.expovariate(weight(x[0])))[:size]


def test_the_chances_of_a_draw_by_weight():
    """Within four standard errors of 4,000 draws, and one in a hundred."""
    urn = Counter({1: 30, 5: 10, 40: 2})
    nodes = [(h, i) for h, n in urn.items() for i in range(n)]
    chance, seen, rng = _chance(urn, 12, float), Counter(), random.Random(1)
    for _ in range(4_000):
        seen.update(h for h, _ in drawn(rng, nodes, float, 12))
    for h, n in urn.items():
        share = seen[h] / (4_000 * n)
        assert chance(h) == pytest.approx(share, abs=0.01 + 4 * (0.25 / (4_000 * n)) ** 0.5)


def population(rng):
    """Nodes with (h, t, ht), large clusters more often wrong."""
    nodes = []
    for _ in range(200):
        h = rng.choice([0, 1, 1, 1, 2, 5, 20])
        both = sum(rng.random() < (0.9 if h < 5 else 0.5) for _ in range(h))
        nodes.append((h, both + (rng.random() < 0.1), both))
    return nodes


def tally_of(nodes, sample, trained=()):
    left = Counter(nodes) - Counter(sample) - Counter(trained)
    gap = Counter()
    for (h, _, _), n in left.items():
        gap[h] += n
    cells = tuple(Cell(h, h, h, n) for h, n in sorted(gap.items()))
    train, validation = (tuple(Label.alone(*node) for node in part) for part in (trained, sample))
    return Tally(len(nodes), train, validation, (), cells)


@pytest.mark.parametrize("ratio", [PRECISION, PAIRWISE_PRECISION, B3_PRECISION])
def test_estimates_from_draws_by_weight(ratio):
    """Nodes without a match have no weight; what is known of them is counted."""
    rng = random.Random(2)
    nodes = population(rng)
    truth, matched = float(ratio.share(nodes)), [node for node in nodes if node[0]]
    values = [
        estimate(ratio, tally_of(nodes, drawn(rng, matched, float, 60)), float) for _ in range(300)
    ]
    plain = [
        float(ratio.share(drawn(rng, matched, float, 60))) for _ in range(300)
    ]  # weights ignored
    assert sum(values) / 300 == pytest.approx(truth, abs=0.01)
    assert abs(sum(plain) / 300 - truth) > 0.03
    assert estimate(ratio, tally_of(nodes, matched), float) == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_estimates_from_uniform_draws(metric):
    """With D, which is not random here: the nodes with the most matches."""
    rng = random.Random(3)
    nodes = sorted(population(rng), reverse=True)
    trained, others = nodes[:30], nodes[30:]
    truth = float(metric.ratio.share(nodes))
    values = [
        estimate(metric.ratio, tally_of(nodes, rng.sample(others, 50), trained)) for _ in range(300)
    ]
    assert sum(values) / 300 == pytest.approx(truth, abs=0.006)
    assert estimate(metric.ratio, tally_of(nodes, others, trained)) == pytest.approx(truth)
