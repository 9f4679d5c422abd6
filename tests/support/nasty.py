"""Populations that are hard on bounds, and their samples."""

import itertools
import math
from collections import Counter

import numpy as np

NASTY = {  # values, None for those who are no members; and how many are drawn
    "nineteen in twenty": ([1.0] * 285 + [0.0] * 15, 120),
    "one failure": ([1.0] * 299 + [0.0], 150),
    "rare ones": ([0.0] * 290 + [1.0] * 10, 100),
    "half": ([1.0] * 150 + [0.0] * 150, 40),
    "all drawn but one": ([1.0] * 40 + [2 / 3] * 10 + [0.0] * 10, 59),
    "the whole": ([1.0] * 40 + [2 / 3] * 10 + [0.0] * 10, 60),
    "fractions": ([1.0] * 240 + [2 / 3, 0.5] * 25 + [0.0] * 10, 100),
    "a constant": ([0.3] * 200, 80),
    "nearly constant": ([0.9] * 190 + [0.0] * 10, 80),
    "few members": ([1.0] * 70 + [0.5] * 10 + [0.0] * 10 + [None] * 210, 120),
    "members all right": ([1.0] * 90 + [None] * 210, 120),
    "one wrong member": ([1.0] * 89 + [0.0] + [None] * 210, 200),
}

NODES = [(False, 0.0), (True, 0.0), (True, 0.5), (True, 1.0)]


def split(nodes):
    """Members and values of nodes, None being no member."""
    return [x is not None for x in nodes], [0.0 if x is None else x for x in nodes]


def mean_of(nodes):
    return math.fsum(x for x in nodes if x is not None) / sum(x is not None for x in nodes)


def every_population(support, n):
    return itertools.combinations_with_replacement(support, n)


def ordered_samples(population, s):
    """Each ordered sample of s and its probability."""
    drawn = Counter(itertools.permutations(population, s))
    total = math.perm(len(population), s)
    return {sample: count / total for sample, count in drawn.items()}


def unordered_samples(population, s):
    """Each sample of s in a sorted population and its probability."""
    drawn = Counter(itertools.combinations(population, s))
    total = math.comb(len(population), s)
    return {sample: count / total for sample, count in drawn.items()}


def shuffled(nodes, s, draws, seed):
    """Members and values of many samples in draw order, one a row."""
    rng = np.random.default_rng(seed)
    places = rng.permuted(np.tile(np.arange(len(nodes)), (draws, 1)), axis=1)[:, :s]
    member, values = map(np.array, split(nodes))
    return member[places], values[places].astype(float)


def limit(delta, draws):
    """Three standard errors above δ."""
    return delta + 3 * math.sqrt(delta * (1 - delta) / draws)
