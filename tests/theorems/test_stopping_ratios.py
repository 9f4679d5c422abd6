"""Pairwise and B-cubed metrics at any time: δ is kept at every beginning of every order."""

import itertools
from collections import Counter
from functools import cache

import pytest

from matchbound import Choices, Tally
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.tally import Cell, Label
from matchbound.theorems.weighted import Holdout
from support.terms import Cut, using

DELTA, LIMIT = 0.4, 3
NEW = [name for name, metric in METRICS.items() if metric.by_sums]
POPULATIONS = {  # the nodes (h, t, ht) that are drawn from, and those to train on
    "one wrong": (((1, 1, 1), (1, 1, 1), (2, 2, 2), (2, 1, 0), (0, 0, 0)), ()),
    "large ones missed": (((1, 1, 1), (1, 1, 1), (1, 1, 1), (0, 3, 0), (0, 0, 0)), ((1, 1, 1),)),
    "large ones wrong": (((1, 1, 1), (2, 2, 2), (3, 1, 0), (0, 0, 0), (0, 1, 0)), ((2, 2, 1),)),
    "parts": (((2, 3, 1), (3, 2, 2), (1, 1, 0), (2, 2, 2), (2, 2, 2)), ()),
}


def tally_of(seen, nodes, trained):
    left = Counter(nodes) - Counter(seen)
    cells = tuple(Cell(h, h, h, count) for (h, _, _), count in left.items())
    train, validation = (tuple(Label.alone(*kind) for kind in part) for part in (trained, seen))
    return Tally(len(nodes) + len(trained), train, validation, (), cells)


def choices_of(metric):
    guesses = {metric: 0.6}
    return Choices(DELTA, (metric,), bound="anytime", most_true_matches=LIMIT, guesses=guesses)


def share_broken(metric, nodes, trained):
    """The share of orders in which some beginning has a bound above the truth; the best bound."""
    truth, choices = METRICS[metric].ratio.share([*nodes, *trained]), choices_of(metric)

    @cache
    def bound(seen):
        (found,) = guarantees({"all": tally_of(seen, nodes, trained)}, choices, complete=False)
        return found.value

    orders = list(itertools.permutations(nodes))
    highest = [max(bound(order[:s]) for s in range(1, len(order) + 1)) for order in orders]
    return sum(value > float(truth) for value in highest) / len(orders), max(highest)


@pytest.mark.parametrize("metric", NEW)
@pytest.mark.parametrize("name", POPULATIONS)
def test_every_beginning_of_every_order(metric, name):
    share, best = share_broken(metric, *POPULATIONS[name])
    assert share <= DELTA
    assert best > 0


def test_the_check_catches_a_limit_from_the_sample():
    nodes, trained = POPULATIONS["large ones missed"]
    cut = Cut("limit on true matches", None)
    share, _ = using(cut, lambda: share_broken("pairwise-recall", nodes, trained))
    assert share > 1.05 * DELTA


@pytest.mark.parametrize("metric", NEW)
def test_what_bets_depend_on_is_fixed_before_the_draw(metric):
    nodes, trained = POPULATIONS["large ones wrong"]
    design = choices_of(metric).design(metric)
    order = sorted(nodes)
    fixed = {
        Holdout(
            METRICS[metric].ratio, tally_of(order[:s], nodes, trained), design, LIMIT
        ).before_draw
        for s in range(len(order) + 1)
    }
    assert len(fixed) == 1
