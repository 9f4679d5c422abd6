"""Pairs of small networks with seeds: random ones for comparing matchers with their definitions."""

import random

import numpy as np
import scipy.sparse as sp

from support import matcher_references as references


def small_case(number, most=(6, 12, 20)):
    """Two graphs of a few nodes: views of one, unlike each other, or full of ties; and seeds."""
    rng = random.Random(number)
    largest = rng.choice(most)
    sizes = rng.randint(2, largest), rng.randint(2, largest)
    density = rng.choice([0.15, 0.3, 0.6, 1.0])
    left, right = ([e for e in all_edges(n) if rng.random() < density] for n in sizes)
    kind = rng.choice(["unlike", "views", "views", "same", "circles"])
    if kind != "unlike":
        sizes = (sizes[0],) * 2
        right = [e for e in left if kind == "same" or rng.random() < 0.8]
    if kind == "circles":
        left = right = [(i, (i + 1) % sizes[0]) for i in range(sizes[0])]
    left, right = left or [(0, 1)], right or [(0, 1)]
    count = rng.randint(1, max(1, min(sizes) * 2 // 3))
    seeds = list(
        zip(rng.sample(range(sizes[0]), count), rng.sample(range(sizes[1]), count), strict=True)
    )
    if rng.random() < 0.6:
        seeds = [(i, i) for i, _ in seeds if i < sizes[1]] or [(0, 0)]
    return sizes, (left, right), seeds


def all_edges(nodes):
    return [(a, b) for a in range(nodes) for b in range(a)]


def matrix(nodes, edges):
    a, b = zip(*edges, strict=True)
    return sp.coo_array((np.ones(len(a)), (a, b)), shape=(nodes, nodes))


def by_definition(sizes, edges, seeds):
    sides = [
        references.graph_of(map(str, range(n)), [(str(a), str(b)) for a, b in some])
        for n, some in zip(sizes, edges, strict=True)
    ]
    return *sides, [(str(x), str(y)) for x, y in seeds]
