"""Small random records with candidates and groups."""

import numpy as np

from matchbound.matchers.records.agglomeration import Pairs


def random_case(seed):
    """A few records with candidates and groups; scores are sixteenths, so sums are exact."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 12))
    groups = [
        sorted(rng.choice(count, int(rng.integers(1, min(count, 4) + 1)), replace=False).tolist())
        for _ in range(rng.integers(0, 7))
    ]
    every = [(x, y) for x in range(count) for y in range(x + 1, count)]
    kept = [pair for pair in every if rng.random() < rng.choice([0.3, 0.8])]
    pairs = [(x, y, int(rng.integers(0, 17)) / 16) for x, y in kept]
    start = [every[i] for i in rng.choice(len(every), int(rng.integers(0, 3)))]
    return count, pairs, groups, start


def pairs_of(pairs):
    x, y, scores = zip(*pairs, strict=True) if pairs else ((), (), ())
    return Pairs(np.array(x, int), np.array(y, int), np.array(scores, float))
