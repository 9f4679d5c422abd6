"""Populations that are drawn by weight, their orders and what is hard on bounds."""

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np

from matchbound.bounds import Draws, Urn


@dataclass(frozen=True, eq=False)
class Pooled:
    """Nodes that can be drawn, and the sums of num and den of the others."""

    num: np.ndarray
    den: np.ndarray
    most: np.ndarray
    weight: np.ndarray
    known: tuple[float, float] = (0.0, 0.0)

    @property
    def ratio(self):
        num, den = math.fsum([self.known[0], *self.num]), math.fsum([self.known[1], *self.den])
        return num / den if den else math.nan

    @property
    def urn(self):
        return urn_of(self.most, self.weight)

    def draws(self, places):
        return Draws(self.num[places], self.den[places], self.most[places], self.weight[places])


def urn_of(most, weight):
    return Urn(weight.sum(), (weight**2).sum(), most.sum(), (most / weight).max())


def every_order(weight, s):
    """Each ordered sample of s places, one a row, and its probability in draws by weight."""
    places = np.array(list(itertools.permutations(range(len(weight)), s)), dtype=np.int64)
    drawn = weight[places]
    left = weight.sum() - np.cumsum(drawn, axis=1) + drawn
    return places, np.prod(drawn / left, axis=1)


def draw_by_weight(weight, s, draws, rng):
    """Places of many ordered samples, one a row: the least of exponential keys."""
    keys = rng.exponential(size=(draws, len(weight))) / weight
    nearest = np.argpartition(keys, s - 1, axis=1)[:, :s] if s < len(weight) else None
    if nearest is None:
        return np.argsort(keys, axis=1)
    order = np.argsort(np.take_along_axis(keys, nearest, axis=1), axis=1)
    return np.take_along_axis(nearest, order, axis=1)


KINDS = ("random", "all or nothing", "one miss", "heavy misses", "light misses", "nearly empty")


def random_pooled(rng, n, kind=None):
    """A small population: den up to 5, unequal weights or equal ones, known nodes or none."""
    kind = rng.choice(KINDS) if kind is None else kind
    most = rng.integers(1, 6, n).astype(float)
    if rng.random() < 0.3:
        most[:] = rng.integers(1, 6)
    den = np.where(rng.random(n) < 0.6, most, rng.integers(0, most + 1))
    num = np.round(den * rng.choice([0.0, 0.3, 0.5, 2 / 3, 1.0], n, p=[0.2, 0.1, 0.1, 0.1, 0.5]), 3)
    weight = rng.choice(["one", "spread", "most"])
    weight = {
        "one": np.ones(n),
        "spread": np.exp(rng.normal(0, rng.uniform(0, 2), n)),
        "most": most.copy(),
    }[weight]
    if kind == "all or nothing":
        den, num = most, np.where(rng.random(n) < rng.uniform(0.2, 0.9), most, 0.0)
    elif kind == "one miss":
        den, num = most, most.copy()
        num[rng.integers(n)] = 0.0
    elif kind in ("heavy misses", "light misses"):
        wrong = np.arange(n) < rng.integers(1, n)
        den, num = most, np.where(wrong, 0.0, most)
        weight = np.where(wrong, 1.0, np.exp(rng.uniform(0, 3)))
        if kind == "heavy misses":
            weight = weight.max() / weight
    elif kind == "nearly empty":
        den = np.where(np.arange(n) < 2, most, 0.0)
        num = np.where(np.arange(n) < 1, most, 0.0)
    known = (0.0, 0.0)
    if rng.random() < 0.5:
        size = float(rng.integers(1, 6))
        known = (float(rng.choice([0.0, size / 2, size])), size)
    return Pooled(num, den, most, weight, known)


def with_limit(population, limit):
    """The same nodes, each with this greatest den."""
    return replace(population, most=np.full(len(population.num), float(limit)))


def _pooled(*groups, known=(0.0, 0.0)):
    """Groups of nodes (how many, num, den, most, weight)."""
    counts = [group[0] for group in groups]
    columns = (
        np.repeat([float(group[k]) for group in groups], counts) for k in range(1, len(groups[0]))
    )
    return Pooled(*columns, known)


NASTY = {  # a population, and how many are drawn
    "a false cluster of 100, uniform": (_pooled((450, 1, 1, 1, 1), (100, 0, 99, 99, 1)), 150),
    "a false cluster of 100, by links": (_pooled((450, 1, 1, 1, 1), (100, 0, 99, 99, 99)), 100),
    "a false cluster of 100, F1": (_pooled((450, 2, 2, 2, 2), (100, 0, 99, 100, 100)), 100),
    "a false cluster of 20, F1 by root": (
        _pooled((400, 2, 2, 2, 2**0.5), (20, 0, 19, 20, 20**0.5)),
        100,
    ),
    "an entity of 20 missed": (_pooled((380, 1, 1, 19, 1), (20, 0, 19, 19, 1)), 100),
    "an entity of 20 missed, light": (_pooled((380, 1, 1, 19, 3), (20, 0, 19, 19, 1)), 100),
    "at the limit": (_pooled((270, 5, 5, 5, 1), (30, 0, 5, 5, 1)), 100),
    "at the limit, fractions": (_pooled((200, 5, 5, 5, 1), (100, 3, 5, 5, 2)), 100),
    "below the limit": (
        _pooled((200, 1, 1, 5, 1), (60, 0, 0, 5, 1), (20, 2, 5, 5, 1), (20, 0, 1, 5, 1)),
        120,
    ),
    "least weight on misses": (_pooled((270, 1, 1, 1, 5), (30, 0, 1, 1, 0.05)), 100),
    "less weight on misses": (_pooled((240, 1, 1, 1, 3), (60, 0, 1, 1, 0.75)), 100),
    "most weight on misses": (_pooled((270, 1, 1, 1, 0.3), (30, 0, 1, 1, 3)), 100),
    "weights of 1 and 100": (
        _pooled((150, 1, 1, 1, 100), (75, 0, 1, 1, 100), (75, 1, 1, 1, 1)),
        90,
    ),
    "half of them": (_pooled((150, 1, 1, 1, 1), (150, 0, 1, 1, 2)), 40),
    "one miss": (_pooled((299, 1, 1, 1, 1), (1, 0, 1, 1, 1)), 150),
    "one light miss": (_pooled((299, 1, 1, 1, 1), (1, 0, 1, 1, 0.05)), 150),
    "one large miss": (_pooled((299, 1, 1, 40, 1), (1, 0, 40, 40, 1)), 200),
    "rare hits": (_pooled((290, 0, 1, 1, 1), (10, 1, 1, 1, 2)), 100),
    "few with a true match": (_pooled((210, 0, 0, 1, 1), (80, 1, 1, 1, 2), (10, 0, 1, 1, 2)), 120),
    "all drawn": (_pooled((40, 3, 3, 3, 1), (10, 1, 3, 3, 2), (10, 0, 2, 3, 5)), 60),
    "all drawn but one": (_pooled((40, 3, 3, 3, 1), (10, 1, 3, 3, 2), (10, 0, 2, 3, 5)), 59),
    "known nodes better": (_pooled((200, 1, 1, 1, 1), (50, 0, 1, 1, 2), known=(50, 50)), 80),
    "known nodes worse": (_pooled((240, 2, 2, 2, 1), (10, 0, 2, 2, 2), known=(0, 60)), 80),
    "B-cubed, less the least value": (_pooled((270, 0.8, 1, 1, 1), (30, 0.1, 1, 1, 1)), 100),
}
