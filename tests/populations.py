"""Small populations whose every sample can be counted, and an adversary who sees the sample."""

import itertools
import math
from collections import Counter
from dataclasses import dataclass

from matchbound.tallies import Tally
from matchbound.theorems import guarantees


@dataclass(frozen=True)
class Node:
    """h, t, ht as in a triple, and whether the holdout matcher was trained on the node."""

    h: int
    t: int
    ht: int
    trained: bool = False

    @property
    def triple(self):
        return (self.h, self.t, self.ht)


# What a complete matcher may do at a node: (c, hc, ct).
MOVES = {
    "same": lambda n: (n.h, n.h, n.ht),
    "drop": lambda n: (0, 0, 0),
    "labels": lambda n: (n.t, n.ht, n.t),
    "one wrong": lambda n: (1, 0, 0),
    "lose the true": lambda n: (n.h - n.ht, n.h - n.ht, 0),
    "lose the true if right": lambda n: (0, 0, 0) if n.ht == n.h > 0 else (n.h, n.h, n.ht),
    "two wrong where there is none": lambda n: (n.h, n.h, n.ht) if n.h else (2, 0, 0),
    "pad": lambda n: (n.h + 1, n.h, n.ht) if n.h else (0, 0, 0),
}
STRATEGIES = [  # (at sampled nodes, elsewhere)
    ("same", "same"),
    ("labels", "same"),
    ("labels", "one wrong"),
    ("labels", "lose the true"),
    ("same", "lose the true if right"),
    ("same", "drop"),
    ("labels", "pad"),
    ("same", "two wrong where there is none"),
]


def truth(population, sampled, strategy):
    """The gap cells and the complete matcher's true metrics; None where one is undefined."""
    cells, precision, recall, wrong = Counter(), [], [], 0
    size = sum(population.values())
    for node, count in population.items():
        for number, move in (
            (sampled.get(node, 0), strategy[0]),
            (count - sampled.get(node, 0), strategy[1]),
        ):
            if not number:
                continue
            c, hc, ct = MOVES[move](node)
            cells[node.h, c, hc] += number
            precision += [(ct / c, number)] if c else []
            recall += [(ct / node.t, number)] if node.t else []
            wrong += number * (not c == node.t == ct)
    metrics = {
        "precision": _mean(precision),
        "recall": _mean(recall),
        "error-rate": wrong / size,
    }
    return tuple((*cell, n) for cell, n in sorted(cells.items())), metrics


def _mean(weighted):
    total = sum(n for _, n in weighted)
    return math.fsum(v * n for v, n in weighted) / total if total else None


def broken(order, population, choices, holdout_only=False):
    """Whether any strategy of the adversary breaks any guarantee, for a sample in this order."""
    sampled = Counter(order)
    train = tuple(
        node.triple for node, count in population.items() if node.trained for _ in range(count)
    )
    overlap = tuple(i for i, node in enumerate(order) if node.trained)
    validation = tuple(node.triple for node in order)
    for strategy in STRATEGIES[:1] if holdout_only else STRATEGIES:
        gap, metrics = truth(population, sampled, strategy)
        tally = Tally(sum(population.values()), train, validation, overlap, gap)
        for guarantee in _guarantees(tally, choices, not holdout_only):
            true = metrics[guarantee.metric]
            if guarantee.side == "lower" and guarantee.value > true + 1e-12:
                return True
            if guarantee.side == "upper" and guarantee.value < true - 1e-12:
                return True
    return False


def _guarantees(tally, choices, complete):
    from matchbound import AssumptionError

    try:
        return guarantees({"all": tally}, choices, complete=complete)
    except AssumptionError:
        return ()  # refused: nothing is promised


def compositions(population, s):
    """Every multiset of s nodes, with its probability."""
    kinds = list(population)
    total = math.comb(sum(population.values()), s)
    for counts in itertools.product(*(range(min(population[k], s) + 1) for k in kinds[:-1])):
        rest = s - sum(counts)
        if 0 <= rest <= population[kinds[-1]]:
            numbers = (*counts, rest)
            ways = math.prod(
                math.comb(population[k], n) for k, n in zip(kinds, numbers, strict=True)
            )
            order = [k for k, n in zip(kinds, numbers, strict=True) for _ in range(n)]
            yield order, ways / total


def orders(population, s):
    """Every ordered sample of s nodes, with its probability."""
    total = math.perm(sum(population.values()), s)
    for order in itertools.product(population, repeat=s):
        drawn = Counter(order)
        ways = math.prod(math.perm(population[k], n) for k, n in drawn.items())
        if ways:
            yield list(order), ways / total
