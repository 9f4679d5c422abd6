"""Populations that change after a draw: against brute force, exact sums, and an adversary."""

import functools
import math
from dataclasses import replace

import numpy as np
import pytest

from matchbound import AssumptionError, Choices, Tally
from matchbound.theorems.grown import Change, New, _Curve, _least, _Line
from matchbound.theorems.growth import Cohort, Growth
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.pairwise import Sums
from matchbound.theorems.tally import Cell, Label
from matchbound.theorems.terms import Terms
from support.growing import DELTA_OF_COHORT, a_grown, choices_of
from support.terms import using

COVERED = tuple(name for name, metric in METRICS.items() if metric.grown)
KINDS = pytest.mark.parametrize(
    ("dedupe", "cohort"),
    [(False, False), (False, True), (True, False), (True, True)],
    ids=["linkage", "linkage-cohort", "deduplication", "deduplication-cohort"],
)


class TrueOrLess(Terms):
    """Bounds on the holdout matchers put in by hand: the true values, or worse by chance.

    One worst case may be `forgotten`.
    """

    def __init__(self, rng, grown, forgotten=None):
        self.rng, self.forgotten, self.used = rng, forgotten, {}
        self.truths = [draw.truth for draw in grown.draws]

    def bounded(self, name, delta, bound):
        true = self.truths[-1 if delta < 10 * DELTA_OF_COHORT else 0]
        metric = name.split()[1] if name != "sharp pairwise-recall pairs" else "pairwise-precision"
        metric = "members" if name == "sharp recall members" else metric
        key = name, delta < 10 * DELTA_OF_COHORT
        if key not in self.used:
            loose = 1.0 if self.rng.random() < 0.6 else self.rng.random()
            value = true[metric] or 0.0
            self.used[key] = 1 - (1 - value) * loose if metric == "error-rate" else value * loose
        return self.used[key]

    def worst(self, name, value, tempting):
        return tempting if name == self.forgotten else value


def worlds(seed, count, dedupe, cohort):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        grown = a_grown(rng, dedupe, cohort)
        if grown.now:
            yield rng, grown


def certified(grown, terms, metrics=COVERED):
    choices = choices_of(grown, metrics)
    tally = grown.tally(grown.draws[0]).tally
    for metric in metrics:
        one = replace(choices, metrics=(metric,)) if metric != "pairwise-f1" else choices
        try:
            found = using(
                terms,
                lambda c=one: guarantees({"all": tally}, c, complete=True, growth=grown.growth(c)),
            )
        except AssumptionError:
            continue
        yield from (g for g in found if g.metric == metric)


def is_broken(guarantee, true):
    if true is None:
        return False
    if guarantee.side == "upper":
        return guarantee.value < true - 1e-9
    return guarantee.value > true + 1e-9


def broken(seed, count, dedupe, cohort, forgotten=None, metrics=COVERED):
    """The metrics of which some guarantee is false, and how many guarantees say something."""
    failed, telling = set(), 0
    for rng, grown in worlds(seed, count, dedupe, cohort):
        true = grown.metrics
        for g in certified(grown, TrueOrLess(rng, grown, forgotten), metrics):
            telling += 0 < g.value < 1
            if is_broken(g, true[g.metric]):
                failed.add(g.metric)
    return failed, telling


@KINDS
def test_no_truth_breaks_what_follows_from_true_bounds(dedupe, cohort):
    failed, telling = broken(1, 300, dedupe, cohort)
    assert not failed
    assert telling > 150


@pytest.mark.slow
@KINDS
def test_no_truth_breaks_it_in_many_populations(dedupe, cohort):
    assert not broken(2, 30_000, dedupe, cohort)[0]


FORGOTTEN = [
    ("sharp precision gap", "precision", False),
    ("grown precision new nodes", "precision", False),
    ("grown recall gap", "recall", False),
    ("grown recall removed", "recall", False),
    ("grown recall new nodes", "recall", False),
    ("grown recall joined", "recall", True),
    ("grown error-rate gap", "error-rate", False),
    ("grown error-rate new nodes", "error-rate", False),
    ("grown error-rate joined", "error-rate", True),
    ("sharp pairwise gap", "pairwise-precision", False),
    ("grown pairwise-precision new nodes", "pairwise-precision", False),
    ("grown pairwise-recall gap", "pairwise-recall", False),
    ("grown pairwise-recall removed", "pairwise-recall", False),
    ("grown pairwise-recall new records", "pairwise-recall", True),
]


@pytest.mark.parametrize(("name", "metric", "dedupe"), FORGOTTEN, ids=lambda value: str(value))
def test_each_worst_case_is_needed(name, metric, dedupe):
    failed, _ = broken(3, 700, dedupe, False, name, (metric,))
    assert failed == {metric}


# What is a matter of chance: exact sums, and many audits.

RIGHT, WRONG = Label.alone(1, 1, 1), Label.alone(1, 1, 0)


def hypergeometric(size, right, drawn):
    """How many right ones a sample has, with each number's probability."""
    for found in range(max(0, drawn - size + right), min(right, drawn) + 1):
        ways = math.comb(right, found) * math.comb(size - right, drawn - found)
        yield found, ways / math.comb(size, drawn)


def a_tally(size, drawn, found, c=1):
    """Every node has one match; C has the same, or none at the last `size − drawn` if c is 0."""
    labels = (RIGHT,) * found + (WRONG,) * (drawn - found)
    return Tally(size, (), labels, (), (Cell(1, c, c, size - drawn),))


def precision_of(tally, growth, delta):
    choices = Choices(delta, ("precision",), one_to_one=True)
    (guarantee,) = guarantees({"all": tally}, choices, complete=True, growth=growth)
    return guarantee.value


@functools.cache
def together(size, drawn, deltas, found, seen):
    """The bound if so many of the old nodes in the sample, and of the new ones, are right."""
    delta, of_cohort = deltas
    chosen = Choices(of_cohort, ("precision",), one_to_one=True)
    cohort = Cohort(a_tally(size, drawn, seen), chosen, Change())
    growth = Growth(Change(), New(), (cohort,))
    return precision_of(a_tally(size, drawn, found), growth, delta)


def fails_with_cohort(size, drawn, deltas, right):
    """The probability that precision of old and new nodes together is false.

    `right` of the old nodes are right. How many of the new ones are is chosen by an adversary who
    has seen the first labels, to be as harmful as possible.
    """

    def fails_given(found, new_right):
        return sum(
            chance
            * (together(size, drawn, deltas, found, seen) > (right + new_right) / (2 * size) + 1e-9)
            for seen, chance in hypergeometric(size, new_right, drawn)
        )

    return sum(
        chance * max(fails_given(found, new_right) for new_right in range(size + 1))
        for found, chance in hypergeometric(size, right, drawn)
    )


@pytest.mark.parametrize(
    ("deltas", "published"), [((0.2, 0.2), 0.2195), ((0.15, 0.05), 0.1567), ((0.05, 0.05), 0.0560)]
)
def test_a_cohort_fails_as_often_as_computed_elsewhere_and_needs_the_sum(deltas, published):
    """At most δ₁ + δ₂, and more often than the larger of the two."""
    worst = max(fails_with_cohort(20, 8, deltas, right) for right in range(21))
    assert worst == pytest.approx(published, abs=5e-4)
    assert max(deltas) < worst <= sum(deltas)


def test_growth_fails_seldom_and_the_old_bound_always():
    """12 nodes, 5 drawn; 2 right ones outside the sample go, and 3 wrong ones come."""
    delta, size, drawn = 0.2, 12, 5
    grown = carried = 0.0
    worst_grown, always = 0.0, True
    for right in range(size + 1):
        grown = carried = 0.0
        for found, chance in hypergeometric(size, right, drawn):
            gone = min(2, right - found)
            tally = a_tally(size, drawn, found)
            cells = [Cell(1, 1, 1, size - drawn - gone), Cell(1, 0, 0, gone)]
            gap = tuple(cell for cell in cells if cell.nodes)
            removed = tuple(cell for cell in gap if not cell.c)
            growth = Growth(Change(removed), New(3, 3, 3))
            value = precision_of(replace(tally, gap=gap), growth, delta)
            true = (right - gone) / (size - gone + 3)
            old = precision_of(tally, Growth(Change(), New()), delta)
            grown += chance * (value > true + 1e-9)
            carried += chance * (old > true + 1e-9)
        worst_grown = max(worst_grown, grown)
        always = always and (carried > delta or right < 4)
    assert 0 < worst_grown <= delta
    assert always


@pytest.mark.parametrize("metric", ["precision", "recall"])
def test_audits_of_growing_tables_fail_at_most_as_often_as_stated(metric):
    """5,000 audits: an adversary removes right nodes outside the sample, and adds wrong ones."""
    rng = np.random.default_rng(17)
    size, right, drawn, gone, new, delta = 400, 360, 60, 30, 40, 0.1
    choices = Choices(delta, (metric,), one_to_one=True)
    fails = fails_if_ignored = 0
    counts = rng.hypergeometric(right, size - right, drawn, 5000)
    kinds = {}
    for found in map(int, counts):
        if found not in kinds:
            labels = (RIGHT,) * found + (WRONG,) * (drawn - found)
            removed = (Cell(1, 0, 0, gone),)
            gap = (Cell(1, 1, 1, size - drawn - gone), *removed)
            tally, change = Tally(size, (), labels, (), gap), Change(removed)
            now = size - gone + new
            true = (right - gone) / now
            ask = {"all": tally}, choices
            (g,) = guarantees(*ask, complete=True, growth=Growth(change, New(new, new, new)))
            (old,) = guarantees(*ask, complete=True, growth=Growth(change, New()))
            kinds[found] = g.value > true + 1e-9, old.value > true + 1e-9
        fails += kinds[found][0]
        fails_if_ignored += kinds[found][1]
    assert fails / 5000 <= delta
    assert fails_if_ignored / 5000 > delta


# The least quotient is at a corner.


def a_line(rng):
    """Sums of one draw, such as they may be; ρN and what is spent are near each other."""
    least = int(rng.integers(1, 40))
    return _Line(
        slope=float(rng.choice([0.0, 0.2, 0.6, 0.95])),
        floor=float(rng.choice([0.0, rng.random() * least])),
        least=least,
        most=least + int(rng.integers(0, 60)),
        after=float(rng.random() * 3),
        spent=float(rng.random() * 30),
        gone=int(rng.integers(0, 2)),
        most_removed=float(rng.choice([0.0, rng.random() * 12])),
    )


def a_curve(rng):
    before, missed = int(rng.integers(0, 9)), int(rng.integers(0, 9))
    sums = Sums(0, 0, before, int(rng.integers(0, 9)), missed, before, before + 40, 0, 0)
    removed = int(rng.integers(0, 15))
    numbers = int(rng.integers(0, 20)), removed, int(rng.integers(0, 3))
    return _Curve(sums, float(rng.choice([0.3, 0.8, 1.0])), float(rng.integers(1, 30)), *numbers)


def least_on_grid(values, ends, bottom_of):
    """The least quotient over a fine grid between the first two ends."""
    grid = np.linspace(ends[0], ends[1], 150)
    tops, bottoms = values(grid), bottom_of(grid)
    return min((max(t, 0.0) / b for t, b in zip(tops, bottoms, strict=True) if b > 0), default=0.0)


def at_corners(tops, bottoms):
    return min((max(t, 0.0) / b for t, b in zip(tops, bottoms, strict=True) if b > 0), default=0.0)


@pytest.mark.parametrize("kind", [a_line, a_curve])
def test_no_number_between_corners_is_worse(kind):
    rng = np.random.default_rng(5)
    for _ in range(400):
        one, other = kind(rng), kind(rng)
        bottom = one.members if kind is a_line else one.true
        added = float(rng.integers(0, 20))
        # Together with a second draw at one of its corners, whose sums are numbers.
        size = other.ends[0]
        more = other.right(size), (other.members if kind is a_line else other.true)(size) + added
        if len(one.ends) < 2:
            continue

        def top_at(sizes, one=one, more=more):
            return [one.right(size) + more[0] for size in sizes]

        def bottom_at(sizes, bottom=bottom, more=more):
            return [bottom(size) + more[1] for size in sizes]

        if min(bottom_at(one.ends)) <= 0:
            continue
        corners = at_corners(top_at(one.ends), bottom_at(one.ends))
        assert corners <= least_on_grid(top_at, one.ends, bottom_at) + 1e-9


def test_no_more_was_removed_than_may_have_been_right():
    line = _Line(0.5, floor=0.0, least=10, most=20, after=1.0, spent=8.0, gone=1, most_removed=3.0)
    assert (line.right(10), line.members(10)) == (1.0, 9.0)  # of 5 right ones 8 are accounted for
    assert (line.right(20), line.members(20)) == (1.0, 17.0)  # 2 are left, and may be removed
    assert (line.right(24), line.members(24)) == (2.0, 20.0)


def test_without_a_denominator_nothing_is_certified():
    assert _least(iter([(1.0, 0.0), (1.0, -1.0)])) == 0.0


@pytest.mark.parametrize("metric", ["precision", "recall"])
def test_audits_with_a_cohort_fail_at_most_as_often_as_stated(metric):
    """5,000 audits: an adversary sees the first labels, then says how many new nodes are right."""
    rng = np.random.default_rng(18)
    size, right, drawn, new, labelled = 300, 270, 60, 150, 40
    first = Choices(0.1, (metric,), one_to_one=True)
    later = replace(first, delta=0.05)

    @functools.cache
    def bound(found, seen):
        tallies = [
            Tally(n, (), (RIGHT,) * k + (WRONG,) * (s - k), (), (Cell(1, 1, 1, n - s),))
            for n, s, k in ((size, drawn, found), (new, labelled, seen))
        ]
        growth = Growth(Change(), New(), (Cohort(tallies[1], later, Change()),))
        (g,) = guarantees({"all": tallies[0]}, first, complete=True, growth=growth)
        return g.value

    fails = 0
    for found in map(int, rng.hypergeometric(right, size - right, drawn, 5000)):
        # If the first labels flatter, errors are hidden where few would show them.
        new_right = 147 if found > drawn * right / size + 2 else 120
        seen = int(rng.hypergeometric(new_right, new - new_right, labelled))
        fails += bound(found, seen) > (right + new_right) / (size + new) + 1e-9
    assert 0 < fails / 5000 <= 0.15
