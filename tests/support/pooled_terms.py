"""The named terms of pairwise and B-cubed metrics: rows as in `terms`, summed over all orders."""

import random
from collections.abc import Iterator

from matchbound import Choices
from support.populations import Node, compositions, orders, outcome
from support.terms import NEGLIGIBLE, Outcome, Row, twice

HALF_RIGHT = {Node(2, 2, 2): 3, Node(2, 2, 0): 3}
ALL_RIGHT = {Node(2, 2, 2): 20}
ONE_OF_MANY = {Node(1, 1, 1): 6, Node(1, 4, 0): 2}  # few nodes have most true matches
RIGHT_WHERE_HEAVY = {Node(3, 3, 3): 3, Node(1, 1, 0): 4}
FEW_RIGHT = {Node(1, 1, 1): 40, Node(1, 0, 0): 160}
SPOILING = ("same", "one wrong")
LOSING = ("same", "lose the true if right")
PAIRWISE = ("pairwise-precision", "pairwise-recall", "pairwise-f1")
B3 = ("b3-precision", "b3-recall")
ORDERS = 3


def drawn(population, s, strategy=("same", "same"), weight=lambda node: 1.0) -> Iterator[Outcome]:
    """All samples in every order."""
    for order, probability in orders(population, s, weight):
        yield probability, *outcome(population, order, strategy)


def shuffled(population, s, strategy) -> Iterator[Outcome]:
    """All samples, each in some random orders."""
    rng = random.Random(22)
    for order, probability in compositions(population, s):
        if probability > NEGLIGIBLE:
            for _ in range(ORDERS):
                rng.shuffle(order)
                yield probability / ORDERS, *outcome(population, order, strategy)


def plain_share(bound, tally, delta):
    """The sample's own share of right pairs."""
    return sum(label.ht for label in tally.fresh) / sum(label.h for label in tally.fresh)


def chosen(metric, delta=0.2, most=2, **how):
    return Choices(delta, (metric,), most_true_matches=most, **how)


def pooled_rows() -> Iterator[Row]:
    for metric in (*PAIRWISE, *B3):
        choices = chosen(metric, 0.3 if metric in PAIRWISE else 0.4)
        yield Row(f"sharp {metric} labels", twice, choices, lambda: drawn(HALF_RIGHT, 3), False)
        yield Row(
            f"possible {metric}", None, chosen(metric), lambda: drawn(HALF_RIGHT, 3, SPOILING)
        )
        gap = f"sharp {'pairwise' if metric in PAIRWISE else 'b3'} gap"
        yield Row(gap, None, chosen(metric), lambda: drawn(ALL_RIGHT, 8, SPOILING))
    for metric in ("pairwise-recall", "pairwise-f1"):
        name, choices = "limit on true matches", chosen(metric, most=4)
        yield Row(name, None, choices, lambda: drawn(ONE_OF_MANY, 3), False)
    yield Row(
        "sharp pairwise-recall pairs",
        plain_share,
        chosen("pairwise-recall", 0.1, 1, other_terms=0.24),
        lambda: shuffled(FEW_RIGHT, 80, LOSING),
    )
    yield Row(
        "weights of the draw",
        None,
        Choices(0.2, ("precision",), weigh="pairwise-precision"),
        lambda: drawn(RIGHT_WHERE_HEAVY, 4, weight=lambda node: node.h),
        False,
    )
