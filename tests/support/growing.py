"""Small populations that grow and shrink after a draw, with a cohort, as sets."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from matchbound import Choices
from matchbound.theorems.grown import Change, New
from matchbound.theorems.growth import Cohort, Growth
from matchbound.theorems.tally import Cell, Label
from support.populations import metrics_of
from support.worlds import World

DELTA, DELTA_OF_COHORT = 0.5, 1e-6  # so that a term's δ tells whose it is


@dataclass(frozen=True)
class Draw:
    """A draw's nodes with H and T as they were, and those of its records that are there no more."""

    nodes: tuple
    h: dict
    t: dict
    labelled: frozenset
    everyone: frozenset  # the records that T was labelled over

    @property
    def truth(self):
        """The holdout matcher's metrics, and the share of members, as they were."""
        alone = [Label.alone(len(h), len(t), len(h & t)) for h, t in map(self.sets, self.nodes)]
        return metrics_of(Counter(alone)) | {
            "members": sum(label.t > 0 for label in alone) / len(alone)
        }

    def sets(self, x):
        return self.h[x], self.t[x]


@dataclass(frozen=True)
class Grown:
    """What was drawn, at first and as a cohort; the population now, with C and T over it."""

    draws: tuple
    now: frozenset
    c: dict
    t: dict
    dedupe: bool

    @property
    def metrics(self):
        labels = Counter(
            Label(len(c), len(t), len(c & t), len(c), len(c & t), len(c))
            for c, t in ((self.c[x], self.t[x]) for x in self.now)
        )
        return metrics_of(labels)

    @property
    def most_true(self):
        every = [*self.t.values(), *(t for draw in self.draws for t in draw.t.values())]
        return max(1, *map(len, every))

    def tally(self, draw):
        order = [x for x in draw.nodes if x in draw.labelled]
        order += [x for x in draw.nodes if x not in draw.labelled]
        place = {x: i for i, x in enumerate(order)}
        # Records are numbered so that the draw's own come first, as World numbers nodes.
        number = place | {y: len(place) + i for i, y in enumerate(self._others(draw, place))}

        def numbered(some):
            return frozenset(number[y] for y in some)

        h, t = (tuple(numbered(of[x]) for x in order) for of in (draw.h, draw.t))
        c = tuple(numbered(self.c.get(x, ())) for x in order)
        sample = tuple(range(len(draw.labelled)))
        return World(h, c, t, (), sample, frozenset(), self.dedupe)

    def _others(self, draw, place):
        records = {y for of in (draw.h, draw.t, self.c) for some in of.values() for y in some}
        return sorted(records - place.keys())

    def change(self, draw):
        world = self.tally(draw)
        order = [x for x in draw.nodes if x in draw.labelled]
        order += [x for x in draw.nodes if x not in draw.labelled]
        seen = frozenset(world.sample) if self.dedupe else ()
        gone = [i for i, x in enumerate(order) if x not in self.now]
        cells = Counter(world.cell(i, seen) for i in gone if i >= len(world.sample))
        labelled = [world.labels[i] for i in gone if i < len(world.sample)]
        return Change(
            tuple(cell._replace(nodes=n) for cell, n in cells.items()),
            len(labelled),
            sum(label.t > 0 for label in labelled),
            sum(label.t for label in labelled),
            len(self.now - draw.everyone) if self.dedupe else 0,
        )

    def growth(self, choices):
        first, *cohorts = self.draws
        drawn = {x for draw in self.draws for x in draw.nodes}
        new = [self.c[x] for x in self.now if x not in drawn]
        return Growth(
            self.change(first),
            New(len(new), sum(map(bool, new)), sum(map(len, new))),
            tuple(
                Cohort(
                    self.tally(one).tally, replace(choices, delta=DELTA_OF_COHORT), self.change(one)
                )
                for one in cohorts
            ),
        )


def a_grown(rng, dedupe, cohort):
    """X is drawn from, later (with a cohort) some of the new nodes, and then it changes again."""
    x = list(range(int(rng.integers(2, 6))))
    z = [len(x) + i for i in range(int(rng.integers(0, 4)))]
    later = [len(x) + len(z) + i for i in range(int(rng.integers(0, 3)))] if cohort else []
    every = [*x, *z, *later]
    true = _truth(rng, every, dedupe)
    then = [*(i for i in x if rng.random() < 0.9), *z]
    now = [*(i for i in then if rng.random() < 0.75), *later]
    draws = [_draw(rng, x, x, true, dedupe)]
    if cohort and z:
        draws.append(_draw(rng, z, then, true, dedupe))
    c = _matches(rng, now, draws, true, dedupe)
    present = frozenset(now)
    t = {i: true[i] & present if dedupe else true[i] for i in now}
    return Grown(tuple(draws), present, c, t, dedupe)


def _truth(rng, every, dedupe):
    if not dedupe:
        return {i: frozenset(np.flatnonzero(rng.random(3) < 0.4) + 100) for i in every}
    entity = rng.integers(0, max(1, int(len(every) * rng.choice([0.3, 0.7]))), len(every))
    return {i: frozenset(j for j in every if j != i and entity[j] == entity[i]) for i in every}


def _draw(rng, nodes, everyone, true, dedupe):
    within = frozenset(everyone)
    t = {i: true[i] & within if dedupe else true[i] for i in nodes}
    h = _flipped(rng, t, nodes, everyone, dedupe)
    count = int(rng.integers(1, len(nodes) + 1))
    labelled = frozenset(int(i) for i in rng.permutation(nodes)[:count])
    return Draw(tuple(nodes), h, t, labelled, within)


def _flipped(rng, sets, nodes, everyone, dedupe):
    """Sets with some matches turned over; symmetric among `nodes` in a deduplication."""
    share = rng.choice([0.0, 0.2, 0.5])
    if not dedupe:
        flips = {i: frozenset(np.flatnonzero(rng.random(3) < share) + 100) for i in nodes}
    else:
        pairs = [(i, j) for i in nodes for j in everyone if i != j and (i < j or j not in nodes)]
        chosen = [pair for pair in pairs if rng.random() < share]
        both = {*chosen, *((j, i) for i, j in chosen)}
        flips = {i: frozenset(b for a, b in both if a == i) for i in nodes}
    return {i: sets[i] ^ flips[i] for i in nodes}


def _matches(rng, now, draws, true, dedupe):
    """The complete matcher: near the holdout ones where they ran, or near the truth."""
    present = frozenset(now)
    before = {x: some for draw in draws for x, some in draw.h.items()}
    basis = {}
    for i in now:
        some = before.get(i, true[i] if rng.random() < 0.5 else frozenset())
        basis[i] = some & present if dedupe else some
    if dedupe:
        basis = {
            i: frozenset(j for j in now if j != i and (j in basis[i] or i in basis[j])) for i in now
        }
    return _flipped(rng, basis, now, now, dedupe)


def choices_of(grown, metrics):
    limit = {"most_true_matches": grown.most_true}
    return Choices(DELTA, metrics, **limit)


__all__ = ["DELTA_OF_COHORT", "Cell", "Draw", "Grown", "a_grown", "choices_of"]
