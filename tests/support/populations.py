"""Small populations whose every sample can be counted, and an adversary who sees the sample."""

import itertools
import math
from collections import Counter
from dataclasses import dataclass

from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.tally import Cell, Label, Tally


@dataclass(frozen=True)
class Node:
    """h, t, ht as in a label, and whether the holdout matcher was trained on the node."""

    h: int
    t: int
    ht: int
    trained: bool = False

    def label(self, move="same"):
        """As a labeller tells it, and what the complete matcher has there."""
        c, hc, ct = MOVES[move](self)
        return Label(self.h, self.t, self.ht, c, ct, hc)


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


def outcome(population, order, strategy=("same", "same")):
    """The tally of a sample in this order, and the complete matcher's truth.

    All nodes that were trained on are labelled too. A metric that is undefined is None.
    """
    labelled = Counter(n for n in order if not n.trained)
    labelled += Counter({n: count for n, count in population.items() if n.trained})
    first, elsewhere = strategy
    train = [n.label(first) for n, count in population.items() if n.trained for _ in range(count)]
    validation = [n.label(first) for n in order]
    overlap = tuple(i for i, node in enumerate(order) if node.trained)
    fresh = [label for i, label in enumerate(validation) if i not in set(overlap)]
    rest = Counter(population) - labelled
    others = Counter({n.label(elsewhere): 0 for n in rest})
    for node, count in rest.items():
        others[node.label(elsewhere)] += count
    size = sum(population.values())
    tally = Tally(size, tuple(train), tuple(validation), overlap, cells(others))
    return tally, metrics_of(others + Counter((*train, *fresh)))


def cells(labels):
    """A gap's rows, from counts of labels that nobody has seen."""
    counts = Counter()
    for label, count in labels.items():
        counts[label.h, label.c, label.hc] += count
    return tuple(Cell(*found, count) for found, count in sorted(counts.items()) if count)


def metrics_of(labels):
    """The complete matcher's metrics, from counts of all nodes' labels."""
    precision = [(x.ct / x.c, n) for x, n in labels.items() if x.c]
    recall = [(x.ct / x.t, n) for x, n in labels.items() if x.t]
    wrong = [(float(not x.c == x.t == x.ct), n) for x, n in labels.items()]
    found, true, right = (
        sum(n * getattr(x, count) for x, n in labels.items()) for count in ("c", "t", "ct")
    )
    return {
        "precision": _mean(precision),
        "recall": _mean(recall),
        "error-rate": _mean(wrong),
        "pairwise-precision": right / found if found else None,
        "pairwise-recall": right / true if true else None,
        "pairwise-f1": 2 * right / (found + true) if found + true else None,
        "b3-precision": _mean([((x.ct + 1) / (x.c + 1), n) for x, n in labels.items()]),
        "b3-recall": _mean([((x.ct + 1) / (x.t + 1), n) for x, n in labels.items()]),
    }


def _mean(weighted):
    total = sum(n for _, n in weighted)
    return math.fsum(v * n for v, n in weighted) / total if total else None


def broken(order, population, choices, holdout_only=False):
    """Whether any strategy of the adversary breaks any guarantee, for a sample in this order."""
    for strategy in STRATEGIES[:1] if holdout_only else STRATEGIES:
        tally, metrics = outcome(population, order, strategy)
        if breaks(_guarantees(tally, choices, not holdout_only), metrics):
            return True
    return False


def breaks(guarantees, metrics, tolerance=1e-12):
    """Whether any of them is false."""
    return any(
        metrics[g.metric] is not None
        and (
            g.value > metrics[g.metric] + tolerance
            if g.side == "lower"
            else g.value < metrics[g.metric] - tolerance
        )
        for g in guarantees
    )


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


def orders(population, s, weight=lambda node: 1.0):
    """Every ordered sample of s nodes, drawn one by one by weight, with its probability."""
    left = Counter({k: n for k, n in population.items() if n and weight(k) > 0})
    return _orders(left, s, weight, [], 1.0)


def _orders(left, s, weight, order, probability):
    if not s:
        yield order, probability
        return
    total = sum(weight(k) * n for k, n in left.items())
    for kind, n in left.items():
        if n:
            chance = probability * weight(kind) * n / total
            yield from _orders(left - Counter([kind]), s - 1, weight, [*order, kind], chance)
