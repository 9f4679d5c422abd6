"""How far any complete matcher may move before a target is lost: every one of them is tried."""

import itertools
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest

from matchbound import AssumptionError, Choices, Tally
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.room import changed_matches, has_room, room
from matchbound.theorems.tally import Cell, Label
from support.worlds import a_world

EVERY_METRIC = ("precision", "recall", "error-rate")


def versions(world):
    """Every complete matcher, as sets by node."""
    n = len(world.h)
    if world.dedupe:
        pairs = list(itertools.combinations(range(n), 2))
        for linked in itertools.product([False, True], repeat=len(pairs)):
            kept = [pair for pair, is_linked in zip(pairs, linked, strict=True) if is_linked]
            yield tuple(frozenset(y for p in kept if x in p for y in p if y != x) for x in range(n))
        return
    some = (itertools.combinations(range(3), size) for size in range(4))
    yield from itertools.product(list(map(frozenset, itertools.chain(*some))), repeat=n)


def worst_by_changes(world, choices):
    """By metric, the worst certified value of any matcher with exactly so many changes."""
    values, tallies = {metric: {} for metric in choices.metrics}, {}
    for version in versions(world):
        tally = replace(world, c=version).tally
        if tally not in tallies:
            tallies[tally] = certified(tally, choices)
        changes = sum(len(h ^ c) for h, c in zip(world.h, version, strict=True))
        for metric, value in tallies[tally].items():
            before = values[metric].get(changes, value)
            values[metric][changes] = METRICS[metric].worst([before, value])
    return values


def certified(tally, choices):
    try:
        return {g.metric: g.value for g in guarantees({"all": tally}, choices, complete=True)}
    except AssumptionError:
        return {}


def check(world, choices, slack):
    """Against every matcher: none within the room loses the target."""
    tally = replace(world, c=world.h).tally
    if not certified(tally, choices):
        return
    for metric, values in worst_by_changes(world, choices).items():
        row = METRICS[metric]
        barely = -2e-6 if row.is_lower else 2e-6
        for value, off in itertools.product({*values.values()} - {0.0, 1.0}, (0.0, barely)):
            found = room(tally, choices, metric, value + off)
            lost = [k for k, worst in values.items() if not row.meets(worst, value + off)]
            kept = min(lost, default=max(values) + 1) - 1
            assert found is None or found <= kept, (metric, value, world)
            if lost and off and kept >= 0:
                slack[metric].append(kept + 1 if found is None else kept - found)


def run_worlds(runs, seed, dedupe, one_to_one, nodes):
    rng, slack = np.random.default_rng(seed), defaultdict(list)
    for _ in range(runs):
        world = a_world(rng, dedupe, one_to_one)
        items = frozenset().union(*world.h, *world.t)
        if len(world.h) > nodes or (not dedupe and max(items, default=0) > 2) or not any(world.h):
            continue
        metrics = EVERY_METRIC if rng.random() < 0.7 else (str(rng.choice(EVERY_METRIC)),)
        choices = Choices(float(rng.choice([0.5, 0.9])), metrics, one_to_one=one_to_one)
        check(world, choices, slack)
    return slack


@pytest.mark.parametrize("dedupe", [False, True], ids=["linkage", "deduplication"])
@pytest.mark.parametrize("one_to_one", [False, True], ids=["several", "one to one"])
def test_no_matcher_within_the_room_loses_the_target(dedupe, one_to_one):
    """Among so few nodes some run out, so that the worst matcher needs more changes."""
    slack = run_worlds(60, 5, dedupe, one_to_one, 4 if dedupe else 3)
    for metric in EVERY_METRIC:
        exact = np.array(slack[metric]) < (2 if dedupe else 1)  # a pair is two changes there
        assert exact.mean() > 0.25, metric


@pytest.mark.slow
@pytest.mark.parametrize("dedupe", [False, True], ids=["linkage", "deduplication"])
@pytest.mark.parametrize("one_to_one", [False, True], ids=["several", "one to one"])
def test_no_matcher_within_the_room_loses_the_target_in_many_worlds(dedupe, one_to_one):
    run_worlds(120, 6, dedupe, one_to_one, 5 if dedupe else 4)


# In a population that is not exhausted the room is exact.

MOVES = {
    "added where there was none": lambda x: Label(0, 0, 0, 1, 0, 0) if not x.h else None,
    "a second one added": lambda x: Label(1, x.t, x.ht, 2, x.ht, 1) if x.h == 1 else None,
    "dropped, one of two": lambda x: Label(2, x.t, x.ht, 1, 1, 1) if x.h == 2 else None,
    "dropped": lambda x: Label(1, x.t, x.ht, 0, 0, 0) if x.h == 1 else None,
}
MOSTLY_RIGHT = {(1, 1, 1): 230, (1, 1, 0): 6, (0, 0, 0): 150, (0, 1, 0): 14}
KINDS = {
    "with unmatched nodes": MOSTLY_RIGHT,
    "all matched": {(1, 1, 1): 390, (1, 1, 0): 10},
    "some with two": {(2, 2, 2): 200, (1, 1, 1): 180, (1, 0, 0): 8, (2, 2, 1): 12},
    "mostly wrong": {(1, 1, 1): 120, (1, 1, 0): 280},
}


def moved(labels, seen, move, changes):
    """The tally of a matcher that makes this move at so many nodes that nobody labelled."""
    gap, left = Counter(), changes
    for i, label in enumerate(labels):
        if i in seen:
            continue
        after = MOVES[move](label) if left else None
        left -= after is not None
        gap[(after or label).h, (after or label).c, (after or label).hc] += 1
    cells = tuple(Cell(*found, nodes) for found, nodes in sorted(gap.items()))
    return None if left else Tally(len(labels), (), tuple(labels[i] for i in seen), (), cells)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metrics", [("precision", "recall"), ("recall",), ("error-rate",)])
def test_one_change_more_loses_the_target(kind, metrics):
    labels = [Label.alone(*row) for row, nodes in KINDS[kind].items() for _ in range(nodes)]
    seen = np.random.default_rng(1).permutation(len(labels))[:120].tolist()
    choices = Choices(0.1, metrics, one_to_one=kind != "some with two")
    alone = moved(labels, seen, "dropped", 0)
    for g in guarantees({"all": alone}, choices, complete=False):
        row = METRICS[g.metric]
        target = g.value + (-0.0513 if row.is_lower else 0.0513)
        most = room(alone, choices, g.metric, target)
        assert most > 3
        for changes, is_kept in ((most, True), (most + 1, False)):
            tallies = filter(None, (moved(labels, seen, move, changes) for move in MOVES))
            values = [certified(tally, choices)[g.metric] for tally in tallies]
            assert row.meets(row.worst(values), target) == is_kept
        assert room(alone, choices, g.metric, g.value + (0.01 if row.is_lower else -0.01)) is None


def test_the_share_that_changed():
    labels = [Label.alone(1, 1, 1)] * 90 + [Label.alone(0, 0, 0)] * 10
    tally = moved(labels, [0, 1, 2], "dropped", 9)
    assert changed_matches(tally) == (9, 90)
    assert changed_matches(moved(labels, [], "a second one added", 4)) == (4, 90)


def test_where_it_is_proved():
    assert has_room("precision", Choices())
    assert has_room("precision", Choices(weigh="pairwise-precision", metrics=("precision",)))
    assert not has_room("pairwise-precision", Choices(metrics=("pairwise-precision",)))
    for other in (
        {"gap": 50, "at_most_one_match": True},
        {"future": True},
        {"theorem": "paper"},
        {"bands": (0.5, 0.9)},
        {"algorithms": ("a", "b")},
        {"choose_threshold": {"precision": 0.9}},
    ):
        assert not has_room("precision", Choices(**other)), other
