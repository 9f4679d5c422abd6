"""What follows for the complete matcher in pairwise and B-cubed metrics, against brute force."""

import itertools
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from matchbound import AssumptionError, Choices, Tally
from matchbound.theorems import bcubed
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.others import holdout_alone
from matchbound.theorems.pairwise import Sums
from matchbound.theorems.possible import possible
from matchbound.theorems.tally import Cell, Label
from matchbound.theorems.terms import Terms
from support.pooled_cases import Once
from support.populations import metrics_of
from support.terms import using
from support.worlds import World, a_world, cells_with_known_pairs, truths

BY_SUMS = tuple(name for name, metric in METRICS.items() if metric.by_sums)
SIDES = pytest.mark.parametrize("dedupe", [False, True], ids=["linkage", "deduplication"])


def greatest(world):
    """The most true matches of a node, at least 1."""
    return max(1, *(label.t for label in world.labels))


# A node's loss, over all truths that its known pairs leave.


def test_b_cubed_losses_are_the_worst_truth_s():
    """Equal where no pair is known, else never below."""
    for cell in cells_with_known_pairs(3):
        every = list(truths(cell))
        precision = max(
            Fraction(ht + 1, cell.h + 1) - Fraction(ct + 1, cell.c + 1) for ht, ct, _ in every
        )
        recall = max(Fraction(ht - ct, t + 1) for ht, ct, t in every)
        losses = bcubed.precision_loss(cell), bcubed.recall_loss(cell)
        assert losses[0] >= precision
        assert losses[1] >= recall
        assert any(cell.known) or losses == (precision, recall)


# Whole populations.


class TrueOrLess(Terms):
    """Bounds on the holdout matcher put in by hand: the true values, or less by chance."""

    def __init__(self, rng, world, limit):
        alone = Counter(label._replace(c=label.h, ct=label.ht) for label in world.labels)
        self.true, self.rng, self.used = metrics_of(alone), rng, {}
        found = max(label.h for label in world.labels)
        self.least = {"b3-precision": 1 / (found + 1), "b3-recall": 1 / (limit + 1)}

    def bounded(self, name, delta, bound):
        metric = name.split()[1] if name != "sharp pairwise-recall pairs" else "pairwise-precision"
        if name not in self.used:
            loose = 1.0 if self.rng.random() < 0.5 else self.rng.random()
            self.used[name] = (self.true[metric] or 0.0) * loose - self.least.get(metric, 0.0)
        return self.used[name]


def values(world, choices, terms):
    """By metric, before rounding; none where there is nothing to certify."""
    found = {}
    for name in choices.metrics:
        metric, design = METRICS[name], choices.design(name)
        try:
            value = using(
                terms, lambda m=metric, d=design: m.theorems["sharp"](world.tally, d, True)
            )
        except AssumptionError:
            continue
        low, high = possible(metric, world.tally, design)
        found[name] = min(max(value.value, low), high)
    return found


def run_worlds(seed, runs, dedupe, until=""):
    """How often each metric is attained and how often it is broken, until one is."""
    rng = np.random.default_rng(seed)
    tight, broken = Counter(), Counter()
    for _ in range(runs):
        world = a_world(rng, dedupe, one_to_one=rng.random() < 0.3)
        limit = greatest(world) + int(rng.integers(0, 2))
        metrics = BY_SUMS if rng.random() < 0.7 else (str(rng.choice(BY_SUMS)),)
        choices = Choices(0.3, metrics, most_true_matches=limit)
        truth = metrics_of(Counter(world.labels))
        for name, value in values(world, choices, TrueOrLess(rng, world, limit)).items():
            if truth[name] is not None:
                tight[name] += abs(value - truth[name]) < 1e-9
                broken[name] += value > truth[name] + 1e-9
        if broken[until]:
            break
    return tight, +broken


@SIDES
def test_no_complete_matcher_breaks_what_follows_from_true_bounds(dedupe):
    tight, broken = run_worlds(12, 800, dedupe)
    assert not broken
    assert min(tight[name] for name in BY_SUMS) > 20


@pytest.mark.slow
@SIDES
def test_no_complete_matcher_breaks_it_in_many_worlds(dedupe):
    assert not run_worlds(13, 20_000, dedupe)[1]


@SIDES
def test_without_the_kink_it_is_broken(dedupe, monkeypatch):
    def at_the_ends(self, low, value):
        low, high = max(low, self.least, 1), max(self.most, 1)
        return min(value(low), value(high)) if low <= high else 0.0

    monkeypatch.setattr(Sums, "least_over", at_the_ends)
    assert run_worlds(12, 3000, dedupe, until="pairwise-f1")[1]["pairwise-f1"]


@SIDES
@pytest.mark.parametrize("part", ["lost", "before", "sure"])
def test_with_a_sum_forgotten_it_is_broken(dedupe, part, monkeypatch):
    """Matches that were dropped, labelled right ones counted twice, known ones counted again."""
    plain = Sums.of

    def wrong(tally):
        sums = plain(tally)
        forgotten = {"lost": 0, "before": 0, "sure": sums.sure + 1}
        return replace(sums, **{part: forgotten[part]})

    monkeypatch.setattr(Sums, "of", staticmethod(wrong))
    assert run_worlds(12, 300, dedupe, until="pairwise-precision")[1]


# The chance that any complete matcher at all breaks anything, by exact sums.

A, B, AB, NO = (frozenset(x) for x in ((0,), (1,), (0, 1), ()))
EVERY_C = (A, B, AB, NO)
WHOLE = {  # H and T; node 0 is D
    "half found": ((A, AB, B, A, AB), (A, AB, A, NO, AB)),
    "one missed": ((AB, A, A, NO, B), (AB, A, A, AB, B)),
}


def all_complete(world):
    """The world with every complete matcher, of those with equal counts one."""
    every = [
        {(len(c), len(h & c), len(c & t)): c for c in EVERY_C}.values()
        for h, t in zip(world.h, world.t, strict=True)
    ]
    return (replace(world, c=c) for c in itertools.product(*every))


def some_breaks(world, choices):
    terms = Once()
    for one in all_complete(world):
        truth = metrics_of(Counter(one.labels))
        for name, value in values(one, choices, terms).items():
            if truth[name] is not None and value > truth[name] + 1e-9:
                return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("unsure", [(), (2,)], ids=["sure", "one unsure"])
def test_the_chance_that_any_complete_matcher_breaks_anything(name, unsure):
    h, t = WHOLE[name]
    choices = Choices(0.6, BY_SUMS, most_true_matches=2)
    samples = list(itertools.permutations(range(1, 5), 2))
    worlds = [World(h, h, t, (0,), sample, frozenset(unsure), False) for sample in samples]
    assert sum(some_breaks(world, choices) for world in worlds) / len(worlds) <= 0.6


# What labels leave possible, by all truths.


def all_truths(world, limit):
    """Every truth that agrees with the labels, within the limit."""
    n, seen = len(world.h), {*world.train, *world.sample} - world.unsure
    hidden = [x for x in range(n) if x not in seen]
    if world.dedupe:
        pairs = list(itertools.combinations(hidden, 2))
        for some in itertools.product((False, True), repeat=len(pairs)):
            true = [set(t if x in seen else t & seen) for x, t in enumerate(world.t)]
            for (x, y), is_true in zip(pairs, some, strict=True):
                if is_true:
                    true[x].add(y)
                    true[y].add(x)
            yield tuple(map(frozenset, true))
        return
    items = sorted(set().union(*world.h, *world.c, *world.t))
    subsets = [frozenset(s) for k in range(limit + 1) for s in itertools.combinations(items, k)]
    for some in itertools.product(subsets, repeat=len(hidden)):
        given = dict(zip(hidden, some, strict=True))
        yield tuple(given.get(x, t) for x, t in enumerate(world.t))


def exact(name, world, among):
    """The complete matcher's metric as a fraction; None if it is undefined."""
    ratio = METRICS[name].ratio
    limited = among if METRICS[name].needs_limit else None
    nodes = [x for x in world.labels if limited is None or x.t <= limited]
    return ratio.share((x.c, x.t, x.ct) for x in nodes)


def small_world(rng, dedupe):
    """At most three nodes without a label."""
    while True:
        world = a_world(rng, dedupe, one_to_one=False)
        seen = {*world.train, *world.sample} - world.unsure
        if len(world.h) - len(seen) <= 3:
            return world


@SIDES
@pytest.mark.parametrize("way", ["most_true_matches", "among_records_with_at_most"])
def test_possible_ranges_hold_all_truths(dedupe, way):
    """Both ends are attained somewhere."""
    rng, ends = np.random.default_rng(7), Counter()
    for _ in range(35):
        world = small_world(rng, dedupe)
        if way != "most_true_matches":
            world = replace(world, c=world.h)
        limit = greatest(world) if way == "most_true_matches" else 1 + int(rng.integers(0, 2))
        among = None if way == "most_true_matches" else limit
        choices = Choices(0.3, tuple(METRICS), **{way: limit})
        tally = holdout_alone(world.tally) if among else world.tally
        ranges = {m: possible(METRICS[m], tally, choices.design(m)) for m in METRICS}
        found = {name: [] for name in METRICS}
        for true in all_truths(world, limit if among is None else 3):
            if among is None and any(len(t) > limit for t in true):
                continue
            other = replace(world, t=true)
            for name in METRICS:
                found[name].append(exact(name, other, among))
        for name, every in found.items():
            told = [value for value in every if value is not None]
            low, high = ranges[name]
            assert all(low <= value <= high for value in told), (name, world)
            ends[name, "low"] += bool(told) and low == min(told)
            ends[name, "high"] += bool(told) and high == max(told)
    assert min(ends[name, end] for name in METRICS for end in ("low", "high")) > 2


@SIDES
def test_with_everything_labelled_a_certificate_is_the_truth(dedupe):
    rng, given = np.random.default_rng(8), Counter()
    for _ in range(40):
        world = a_world(rng, dedupe, one_to_one=False)
        everyone = tuple(range(len(world.h)))
        split = int(rng.integers(0, len(everyone)))
        all_seen = {"train": everyone[:split], "sample": everyone[split:], "unsure": frozenset()}
        world = replace(world, **all_seen)
        for name in METRICS:
            choices = Choices(0.3, (name,), most_true_matches=greatest(world))
            truth = exact(name, world, None)
            assert truth == pytest.approx(metrics_of(Counter(world.labels))[name])
            try:
                (found,) = guarantees({"all": world.tally}, choices, complete=True)
            except AssumptionError:
                continue
            if truth is not None:
                assert abs(Fraction(found.value) - truth) <= Fraction(1, 10**6), name
                given[name] += 1
    assert min(given[name] for name in METRICS) > 20


def test_more_true_matches_than_records():
    """In linkage, a record may have more true matches than its table has records."""
    tally = Tally(2, (), (Label.alone(5, 5, 5),), (), (Cell(5, 5, 5, 1),))
    ranges = {
        name: possible(METRICS[name], tally, Choices(0.2, (name,)).design(name))
        for name in ("precision", "recall", "error-rate", "pairwise-precision")
    }
    half, one = Fraction(1, 2), Fraction(1)
    assert ranges.pop("error-rate") == (0, half)
    assert set(ranges.values()) == {(half, one)}
