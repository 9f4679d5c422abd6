"""Small populations as sets: both matchers, the truth, and what of it is labelled."""

import itertools
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from matchbound import Tally
from matchbound.theorems.tally import Cell, Label


@dataclass(frozen=True)
class World:
    """Matches of H, C and T by node, as sets; D, S (in order), and who stays unsure."""

    h: tuple
    c: tuple
    t: tuple
    train: tuple
    sample: tuple
    unsure: frozenset
    dedupe: bool

    @cached_property
    def labels(self):
        def one(h, c, t):
            return Label(len(h), len(t), len(h & t), len(c), len(c & t), len(h & c))

        return list(map(one, self.h, self.c, self.t))

    @property
    def tally(self):
        seen = {*self.train, *self.sample} - self.unsure

        def label(x):
            full = self.labels[x]
            return full if x in seen else full._replace(t=None, ht=None, ct=None)

        fresh = [x for x in self.sample if x not in self.train]
        rest = [x for x in range(len(self.h)) if x not in seen]
        counts = Counter(self.cell(x, seen if self.dedupe else ()) for x in rest)
        gap = tuple(cell._replace(nodes=n) for cell, n in counts.items())
        return Tally(len(self.h), tuple(map(label, self.train)), tuple(map(label, fresh)), (), gap)

    def cell(self, y, seen):
        """A node outside L: the pairs with labelled nodes are known."""
        h, c, t = self.h[y], self.c[y], self.t[y]
        known, false = {x for x in seen if x in t}, {x for x in seen if x not in t}
        both, neither = h & c, {x for x in known if x not in h | c}
        counts = (len(both & known), len(both & false), len((h - c) & false))
        return Cell(len(h), len(c), len(both), 1, *counts, len((c - h) & known), len(neither))


def subsets(rng, n, items, share, dedupe):
    """A set of items for each node; symmetric where nodes are matched with themselves."""
    if not dedupe:
        return tuple(frozenset(np.flatnonzero(rng.random(items) < share)) for _ in range(n))
    linked = np.triu(rng.random((n, n)) < share, 1)
    linked |= linked.T
    return tuple(frozenset(np.flatnonzero(row)) for row in linked)


def first_only(sets):
    return tuple(frozenset(sorted(one)[:1]) for one in sets)


def changed(rng, sets, n, items, dedupe):
    """The same with some matches turned over."""
    other = subsets(rng, n, items, rng.choice([0.1, 0.4]), dedupe)
    return tuple(one ^ flip for one, flip in zip(sets, other, strict=True))


def a_world(rng, dedupe, one_to_one):
    n = int(rng.integers(3, 7))
    items = n if dedupe else int(rng.integers(2, 5))
    t = subsets(rng, n, items, rng.choice([0.3, 0.6]), dedupe)
    if one_to_one:
        t = first_only(t) if not dedupe else matching(rng, n)
    h = changed(rng, t, n, items, dedupe)
    c = changed(rng, h, n, items, dedupe)
    order = [int(x) for x in rng.permutation(n)]
    trained, drawn = int(rng.integers(0, n // 2 + 1)), int(rng.integers(1, n))
    train, sample = tuple(order[:trained]), tuple(order[trained : trained + drawn])
    unsure = frozenset(x for x in order if rng.random() < 0.15)
    return World(h, c, t, train, sample, unsure, dedupe)


def matching(rng, n):
    """Pairs of nodes, each node in one at most."""
    order, pairs = rng.permutation(n), [frozenset()] * n
    for x, y in zip(order[::2], order[1::2], strict=False):
        if rng.random() < 0.7:
            pairs[x], pairs[y] = frozenset([int(y)]), frozenset([int(x)])
    return tuple(pairs)


def cells_with_known_pairs(most):
    for h, c in itertools.product(range(most + 1), repeat=2):
        for hc in range(min(h, c) + 1):
            for right in range(hc + 1):
                for wrong in range(hc - right + 1):
                    for false, true in itertools.product(range(h - hc + 1), range(c - hc + 1)):
                        for missed in range(2):
                            yield Cell(h, c, hc, 1, right, wrong, false, true, missed)


def truths(cell):
    """(ht, ct, t) for every truth: how many of each class of matches are true."""
    common = range(cell.right, cell.hc - cell.wrong + 1)
    dropped = range(cell.h - cell.hc - cell.dropped_wrong + 1)
    added = range(cell.added_right, cell.c - cell.hc + 1)
    for a, u, e, m in itertools.product(common, dropped, added, range(cell.missed, 3)):
        yield a + u, a + e, a + u + e + m
