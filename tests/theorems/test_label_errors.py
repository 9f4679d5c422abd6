"""What wrong labels do: never more than is told, whichever they are and whatever is true."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from matchbound.errors import AssumptionError
from matchbound.theorems.choices import Choices
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.label_errors import survives, why_not_computable, with_errors
from matchbound.theorems.tally import Cell, Label, Tally

METRICS = ("precision", "recall", "error-rate")
KINDS = {
    "exact": Choices(metrics=METRICS, one_to_one=True, delta=0.3),
    "star": Choices(metrics=METRICS, delta=0.3),
    "orderfree": Choices(metrics=METRICS, delta=0.3, brought=True),
    "anytime": Choices(metrics=("precision", "recall"), delta=0.3, bound="anytime"),
    "exact, matched": Choices(0.3, METRICS, one_to_one=True, every_node_matched=True),
    "star, matched": Choices(0.3, METRICS, every_node_matched=True),
}


def truths(label, most, least):
    """The labels that a node with these matches may have; `least`: its fewest true matches."""
    h, c, hc = label.h, label.c, label.hc
    for both, only_h, only_c in itertools.product(
        range(hc + 1), range(h - hc + 1), range(c - hc + 1)
    ):
        found = both + only_h + only_c
        for t in range(max(found, least), max(most, found) + 1):
            if most > 1 or t <= 1:
                yield Label(h, t, both + only_h, c, both + only_c, hc)


def random_tally(rng, most, complete, least):
    def label():
        h = int(rng.integers(most + 1))
        c = int(rng.integers(most + 1)) if complete else h
        hc = int(rng.integers(min(h, c) + 1)) if complete else h
        options = list(truths(Label(h, 0, 0, c, 0, hc), most, least))
        return options[rng.integers(len(options))]

    train = tuple(label() for _ in range(2))
    validation = tuple(label() for _ in range(int(rng.integers(3, 7))))
    size = len(train) + len(validation) + int(rng.integers(0, 8))
    rest = [label() for _ in range(size - len(train) - len(validation))]
    gap = tuple(Cell(node.h, node.c, node.hc, 1) for node in rest)
    return Tally(size, train, validation, (), gap)


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_no_true_labels_within_so_many_errors_give_less(kind, complete):
    rng = np.random.default_rng(7)
    choices, most = KINDS[kind], 1 if kind.startswith("exact") else 2
    least = int(choices.every_node_matched)
    compared = 0
    for _ in range(25):
        tally = random_tally(rng, most, complete, least)
        try:
            found = guarantees({"all": tally}, choices, complete=complete)
        except AssumptionError:
            continue  # nothing is matched, or no node has a true match
        if why_not_computable(found, {"all": tally}, choices):
            continue
        for errors, g in itertools.product((1, 2), found):
            told = with_errors(g, {"all": tally}, choices, errors)
            value = told.value if told else float(g.side == "upper")
            for true in within(rng, tally, errors, most, least):
                other = values(true, choices, complete).get(g.metric)
                if other is None:
                    continue
                compared += 1
                assert value <= other if g.side == "lower" else value >= other
    assert compared > 100


def within(rng, tally, errors, most, least, number=12):
    """Some true labellings that differ from the labels at up to so many validation nodes."""
    for _ in range(number):
        nodes = list(tally.validation)
        for place in rng.choice(len(nodes), min(errors, len(nodes)), replace=False):
            options = list(truths(nodes[place], most, least))
            nodes[place] = options[rng.integers(len(options))]
        yield replace(tally, validation=tuple(nodes))


def values(tally, choices, complete):
    try:
        found = guarantees({"all": tally}, choices, complete=complete)
    except AssumptionError:
        return {}
    return {g.metric: g.value for g in found}


def test_a_target_survives_as_many_as_are_told():
    right, wrong = Label.alone(1, 1, 1), Label.alone(1, 1, 0)
    tally = Tally(1000, (), (right,) * 190 + (wrong,) * 10, (), (Cell(1, 1, 1, 800),))
    choices = Choices(metrics=("precision",), one_to_one=True)
    (g,) = guarantees({"all": tally}, choices, complete=False)
    most = survives(g, {"all": tally}, choices, 0.85)
    assert with_errors(g, {"all": tally}, choices, most).value >= 0.85
    assert with_errors(g, {"all": tally}, choices, most + 1).value < 0.85
    spoilt = (right,) * (190 - most) + (wrong,) * (10 + most)
    (same,) = guarantees({"all": replace(tally, validation=spoilt)}, choices, complete=False)
    assert with_errors(g, {"all": tally}, choices, most).value <= same.value
