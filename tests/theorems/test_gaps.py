"""What follows for the complete matcher, against brute force: all truths, all complete matchers."""

import itertools
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from matchbound import AssumptionError, Choices
from matchbound.theorems import gaps, members
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.possible import possible
from matchbound.theorems.tally import Cell
from matchbound.theorems.terms import Terms
from support.populations import metrics_of
from support.terms import using
from support.worlds import World, a_world, cells_with_known_pairs, truths

# A node's loss, over all truths that its known pairs leave.


def share(part, whole):
    return Fraction(part, whole) if whole else Fraction(0)


def test_losses_are_the_worst_truth_s():
    for cell in cells_with_known_pairs(3):
        every = list(truths(cell))
        precision = max(share(ht, cell.h) - share(ct, cell.c) for ht, ct, _ in every)
        assert gaps.precision_loss(cell) == precision
        recall = max(share(ht, t) - share(ct, t) for ht, ct, t in every)
        assert gaps.recall_loss(cell) == max(recall, 0)


def test_losses_where_a_node_has_at_most_one_true_match():
    """Equal where no pair is known, else never below."""
    for cell in cells_with_known_pairs(3):
        one = [(ht, ct) for ht, ct, t in truths(cell) if t <= 1]
        if not one:
            continue
        worst = max(share(ht, cell.h) - share(ct, cell.c) for ht, ct in one)
        loss = gaps.precision_loss_one_to_one(cell)
        assert loss >= worst
        assert any(cell.known) or loss == max(worst, 0)


# The worst number of nodes with a true match.


def test_a_kink_between_the_ends_is_the_worst():
    """Four nodes found, none labelled, one dropped; at least two right, or two thirds: with three
    members, of which two are found, one is left."""
    value = members.worst_ratio(members.Line(0.0, 2 / 3), 2, 4, 0.0, 1.0, 2.0)
    assert value == pytest.approx(1 / 3)


def test_the_worst_number_of_members_by_trying_all():
    rng = np.random.default_rng(3)
    for _ in range(2000):
        least, most = np.sort(rng.integers(1, 12, 2))
        after, spent, floor = rng.random() * 3, rng.random() * 4, rng.random() * 5
        line = members.Line(rng.random(), rng.random())
        sizes = np.linspace(least, most, 2000)
        found = np.maximum(line.start + line.slope * sizes, floor)
        every = (after + np.maximum(found - spent, 0)) / sizes
        value = members.worst_ratio(line, int(least), int(most), after, spent, floor)
        assert every.min() - 0.02 < value <= every.min() + 1e-12


def test_the_worst_number_of_members_by_trying_all_steps():
    rng = np.random.default_rng(4)
    for _ in range(500):
        count, least = (int(x) for x in rng.integers(0, 3, 2))
        least, most = count + least + 1, count + least + 1 + int(rng.integers(0, 9))
        rises = np.cumsum(rng.integers(0, 2, most + 1)).tolist()
        known = rng.random() * count

        def share(sizes, others, rises=rises):
            every = range(sizes[0], sizes[1] + 1)
            return min((others[0] + rises[n]) / (others[1] + n) for n in every)

        steps = members.Steps((known, count), 0, rises.__getitem__, share)
        after, spent, floor = rng.random() * 3, rng.random() * 4, rng.random() * 5
        expected = min(
            (after + max(0.0, max(known + rises[n - count], floor) - spent)) / n
            for n in range(least, most + 1)
        )
        value = members.worst_ratio(steps, least, most, after, spent, floor)
        assert value == pytest.approx(expected)


# Whole populations; the other metrics' are in test_pooled_gaps.py.

EVERY_METRIC = ("precision", "recall", "error-rate")


class TrueOrLess(Terms):
    """Labels' bounds put in by hand: the true values, or worse by chance."""

    def __init__(self, rng, world):
        labels = world.labels
        rest = [x for i, x in enumerate(labels) if i not in world.train]
        self.loose = lambda: 1.0 if rng.random() < 0.5 else float(rng.random())
        self.true = {
            "sharp precision labels": _mean([x.ht / x.h for x in rest if x.h]),
            "sharp recall members": _mean([x.t > 0 for x in rest]),
            "sharp error-rate labels": _mean([not x.h == x.t == x.ht for x in rest]),
        }
        self.used = {}

    def bounded(self, name, delta, bound):
        if name == "sharp recall labels":
            return bound(delta)
        if name not in self.used:
            true, loose = self.true[name], self.loose()
            worse = 1 - (1 - true) * loose if name.startswith("sharp error") else true * loose
            self.used[name] = worse
        return self.used[name]


def _mean(values):
    return sum(values) / len(values) if values else 0.0


def true_line(world, loose):
    """A(N) = ρN, ρ at most R_H."""
    recalls = [x.ht / x.t for x in world.labels if x.t]
    return members.Line(0.0, _mean(recalls) * loose)


def true_steps(world, rise, slack):
    """Whole numbers of ones by size, true at the true size, rising by 0 or 1 elsewhere."""
    labels = world.labels
    trained = [labels[x] for x in world.train]
    known = (
        sum(x.ht for i, x in zip(world.train, trained, strict=True) if i not in world.unsure),
        sum(x.t > 0 or i in world.unsure for i, x in zip(world.train, trained, strict=True)),
    )
    right, size = sum(x.ht for x in labels if x.t), sum(x.t > 0 for x in labels)
    # An unsure node of D that has no true match makes one member more than there are.
    true = max(0, right - known[0] - slack)

    def ones(n):
        more = n - (size - known[1])
        return max(0, true + more) if more < 0 else min(n, true + int(more * rise))

    def share(sizes, others):
        every = range(sizes[0], sizes[1] + 1)
        return min((others[0] + ones(n)) / (others[1] + n) for n in every if others[1] + n > 0)

    return members.Steps(known, known[1], ones, share)


def certified(metric, tally, choices):
    """Without rounding."""
    row, design = METRICS[metric], choices.design(metric)
    value = row.theorems["sharp"](tally, design, True).value
    low, high = possible(row, tally, design)
    return min(max(value, low), high)


def old_precision(world, choices, right):
    """(B_P − Σ d*) / |X_C|, every node's gap counted and no pair known."""
    loss = gaps.precision_loss_one_to_one if choices.one_to_one else gaps.precision_loss
    lost = sum(max(0, loss(Cell(x.h, x.c, x.hc, 1))) for x in world.labels)
    return (right - float(lost)) / sum(x.c > 0 for x in world.labels)


def old_recall(world, ratio, share):
    """ρ − Σ d_r / N_lo."""
    lost = sum(x.hc < x.h for x in world.labels)
    tally, rest = world.tally, len(world.h) - len(world.train)
    known, seen = (sum(bool(x.t) for x in part) for part in (tally.train, tally.fresh))
    least = known + max(rest * share, seen)
    return ratio - lost / least if least else 0.0


def check(world, terms, choices, found, monkeypatch, tight):
    """No metric is broken, and none is below the old formulas; `tight` counts those attained."""
    truth = metrics_of(Counter(world.labels))
    monkeypatch.setattr(members, "recall_sum", lambda *_: found)
    for metric in choices.metrics:
        if metric == "recall" and all(x.t == 0 for x in world.tally.fresh or world.tally.train):
            continue  # no sampled node might have a true match: refused
        try:
            value = using(terms, lambda m=metric: certified(m, world.tally, choices))
        except AssumptionError:
            continue
        sign = -1 if metric == "error-rate" else 1
        assert sign * value <= sign * truth[metric] + 1e-9, (metric, world)
        tight[metric] += abs(value - truth[metric]) < 1e-9
        if metric == "precision":
            known = sum(x.ht / x.h for x in world.tally.train if x.h and x.is_sure)
            matched = sum(
                world.labels[x].h > 0 for x in range(len(world.h)) if x not in world.train
            )
            right = known + matched * terms.used.get("sharp precision labels", 0.0)
            assert value >= old_precision(world, choices, right) - 1e-9, world
        if metric == "recall" and isinstance(found, members.Line):
            share = terms.used.get("sharp recall members", 0.0)
            assert value >= old_recall(world, found.slope, share) - 1e-9, world


def run_worlds(rng, runs, dedupe, one_to_one, monkeypatch):
    tight = Counter()
    for _ in range(runs):
        world = a_world(rng, dedupe, one_to_one)
        if not any(x.t for x in world.labels):
            continue
        terms = TrueOrLess(rng, world)
        metrics = EVERY_METRIC if rng.random() < 0.7 else ("recall",)
        choices = Choices(0.3, metrics, one_to_one=one_to_one)
        if one_to_one and rng.random() < 0.7:
            if any(not world.labels[x].t for x in world.unsure & {*world.train}):
                continue  # more known members than there are: A(N) is told another way
            found = true_steps(world, rng.choice([0, 0.5, 1]), int(rng.integers(0, 2)))
        else:
            found = true_line(world, terms.loose())
        check(world, terms, choices, found, monkeypatch, tight)
    return tight


@pytest.mark.parametrize("dedupe", [False, True], ids=["linkage", "deduplication"])
@pytest.mark.parametrize("one_to_one", [False, True], ids=["several", "one to one"])
def test_no_complete_matcher_breaks_what_follows_from_true_bounds(dedupe, one_to_one, monkeypatch):
    tight = run_worlds(np.random.default_rng(12), 1500, dedupe, one_to_one, monkeypatch)
    assert min(tight[metric] for metric in EVERY_METRIC) > 20


@pytest.mark.slow
@pytest.mark.parametrize("dedupe", [False, True], ids=["linkage", "deduplication"])
@pytest.mark.parametrize("one_to_one", [False, True], ids=["several", "one to one"])
def test_no_complete_matcher_breaks_it_in_many_worlds(dedupe, one_to_one, monkeypatch):
    run_worlds(np.random.default_rng(13), 15_000, dedupe, one_to_one, monkeypatch)


# The chance that any complete matcher at all breaks anything, by exact sums.


class Once(Terms):
    """Bounds on the holdout matcher computed once a sample, whatever the complete matcher."""

    def __init__(self):
        self.known = {}

    def bounded(self, name, delta, bound):
        if name == "sharp recall labels":
            return bound(delta)
        if name not in self.known:
            self.known[name] = bound(delta)
        return self.known[name]


SUBSETS = tuple(frozenset(s) for s in ((), (0,), (1,), (0, 1)))


def some_complete_matcher_breaks(world, choices, monkeypatch, found):
    terms, cached = Once(), []

    def once(*args):
        cached.extend([] if cached else [found(*args)])
        return cached[0]

    monkeypatch.setattr(members, "recall_sum", once)
    every = [tuple({_counts(h, c, t): c for c in SUBSETS}.values()) for h, t in world_of(world)]
    for c in itertools.product(*every):
        one = replace(world, c=c)
        truth, tally = metrics_of(Counter(one.labels)), one.tally
        for metric in choices.metrics:
            try:
                value = using(terms, lambda m=metric, t=tally: certified(m, t, choices))
            except AssumptionError:
                continue
            sign = -1 if metric == "error-rate" else 1
            if sign * value > sign * truth[metric] + 1e-9:
                return True
    return False


def _counts(h, c, t):
    return len(c), len(h & c), len(c & t)


def world_of(world):
    return zip(world.h, world.t, strict=True)


def failure(h, t, trained, s, unsure, choices, monkeypatch):
    """Over all S outside D, in every order if that matters."""
    found = members.recall_sum
    n = len(h)
    rest = [x for x in range(n) if x not in trained]
    draws = itertools.combinations if choices.one_to_one else itertools.permutations
    samples = list(draws(rest, s))
    failed = 0
    for sample in samples:
        world = World(h, h, t, trained, sample, frozenset(unsure), False)
        failed += some_complete_matcher_breaks(world, choices, monkeypatch, found)
        monkeypatch.setattr(members, "recall_sum", found)
    return failed / len(samples)


A, B, AB, NO = (frozenset(x) for x in ((0,), (1,), (0, 1), ()))
SMALL = {  # H, T, and who is unsure; node 0 is D
    "one to one": ((A, A, B, A, NO), (A, A, B, B, A), ()),
    "one to one, unsure": ((A, A, B, A, A), (A, B, B, A, NO), (0, 3)),
    "several": ((A, AB, B, A, AB), (A, AB, A, NO, AB), ()),
    "several, unsure": ((AB, A, AB, B, B), (AB, AB, AB, NO, B), (2,)),
}


def any_broken(name, s, delta, monkeypatch, more=((), ())):
    h, t, unsure = SMALL[name]
    one_to_one = name.startswith("one")
    choices = Choices(delta, EVERY_METRIC, one_to_one=one_to_one)
    return failure(h + more[0], t + more[1], (0,), s, unsure, choices, monkeypatch)


@pytest.mark.parametrize("name", ["one to one", "several"])
def test_the_chance_that_any_complete_matcher_breaks_anything(name, monkeypatch):
    assert any_broken(name, 2, 0.6, monkeypatch) <= 0.6


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("last", [(A, B), (NO, A)], ids=["wrong", "missed"])
def test_the_chance_among_six_nodes(name, last, monkeypatch):
    """Every one of 4,096 complete matchers, for every sample."""
    more = ((last[0],), (last[1],))
    drawn = 3 if name.startswith("one") else 2  # in every order
    assert any_broken(name, drawn, 0.6, monkeypatch, more) <= 0.6
