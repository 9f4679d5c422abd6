"""Bands, several algorithms and thresholds: what is chosen before holds, what after does not."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from matchbound import AssumptionError, Choices, InputError, Tally, bounds
from matchbound.theorems.guarantees import choose_threshold, guarantees
from matchbound.theorems.parts import parts
from matchbound.theorems.tally import Cell, Label

# Bands: every sample of a small population, and an adversary who sees it.
# A kind of node is a pair (h, ht) in the low band and another in the high one, each 0 or 1.

RIGHT, WRONG, MISSED = Label.alone(1, 1, 1), Label.alone(1, 1, 0), Label.alone(0, 1, 0)
LOW, HIGH = "[0.5, 0.9)", "[0.9, ∞)"
POPULATION = {
    ((1, 1), (0, 0)): 9,
    ((1, 0), (0, 0)): 6,
    ((0, 0), (1, 1)): 11,
    ((0, 0), (1, 0)): 2,
    ((0, 0), (0, 0)): 4,
}
KINDS = list(POPULATION)


def same(kind):
    return kind, kind


def drop_right(kind):
    """Found and true: gone. Each band as (c, ct), and as (c, hc)."""
    kept = tuple((0, 0) if ht else (h, ht) for h, ht in kind)
    return kept, kept


def move_up(kind):
    """What was in the low band is now in the high one."""
    low, high = kind
    after = ((0, 0), (max(low[0], high[0]), max(low[1], high[1])))
    return after, ((0, 0), high)


def right(kind):
    """As the labels have it."""
    after = tuple((ht, ht) for _, ht in kind)
    return after, after


def cells(kind, move):
    """(h, c, hc, ct) in each band and in all."""
    found, common = move(kind)
    bands = [
        (h, c, min(hc[0], h, c), ct)
        for (h, _), (c, ct), hc in zip(kind, found, common, strict=True)
    ]
    h, c, ct = sum(b[0] for b in bands), sum(b[1] for b in bands), sum(b[3] for b in bands)
    hc = min(h, c) if move is move_up else sum(b[2] for b in bands)
    return {"all": (h, c, hc, ct), LOW: bands[0], HIGH: bands[1]}


def banded(sampled, at_sampled, elsewhere):
    """Tallies and the complete matcher's true precision, by part."""
    tallies, truth = {}, {}
    for part in ("all", LOW, HIGH):
        gap, total, good, validation = Counter(), 0, 0, []
        for kind, count in POPULATION.items():
            h, c, hc, ct = cells(kind, at_sampled)[part]
            _, t, ht = triple(kind, part)
            validation += [Label(h, t, ht, c, ct, hc)] * sampled[kind]
            total, good = total + sampled[kind] * (c > 0), good + sampled[kind] * ct
            h, c, hc, ct = cells(kind, elsewhere)[part]
            rest = count - sampled[kind]
            gap[h, c, hc] += rest
            total, good = total + rest * (c > 0), good + rest * ct
        rows = tuple(Cell(*cell, n) for cell, n in sorted(gap.items()) if n)
        tallies[part] = Tally(sum(POPULATION.values()), (), tuple(validation), (), rows)
        truth[part] = good / total if total else None
    return tallies, truth


def triple(kind, part):
    h, ht = {"all": map(sum, zip(*kind, strict=True)), LOW: kind[0], HIGH: kind[1]}[part]
    return h, sum(ht for _, ht in kind), ht


def samples(s):
    total = math.comb(sum(POPULATION.values()), s)
    for numbers in itertools.product(*(range(min(count, s) + 1) for count in POPULATION.values())):
        if sum(numbers) == s:
            ways = math.prod(map(math.comb, POPULATION.values(), numbers))
            yield dict(zip(KINDS, numbers, strict=True)), ways / total


STRATEGIES = [(same, same), (right, drop_right), (same, move_up), (right, move_up), (right, same)]


def test_bands_hold_together_whatever_the_complete_matcher_does():
    choices = Choices(0.3, ("precision",), bands=(0.9, 0.5), one_to_one=True)
    failed = 0.0
    for sampled, probability in samples(8):
        for strategy in STRATEGIES:
            tallies, truth = banded(sampled, *strategy)
            try:
                found = guarantees(tallies, choices, complete=True)
            except AssumptionError:  # nothing was drawn to tell by: nothing is promised
                continue
            if any(truth[g.part] is not None and g.value > truth[g.part] + 1e-9 for g in found):
                failed += probability
                break
    assert 0.05 < failed <= 0.3


def test_bands_chosen_after_looking_fail():
    """Twenty bands, each half right: the best-looking one is far below its own bound."""
    rng = np.random.default_rng(5)
    bands, size, s, delta = 20, 500, 30, 0.05
    ones = rng.hypergeometric(size // 2, size // 2, s, (2000, bands))
    ours = bounds.hypergeometric_lower(ones, s, size, delta / bands)
    chosen_after = bounds.hypergeometric_lower(ones.max(axis=1), s, size, delta)
    assert (ours.max(axis=1) > size // 2).mean() <= delta
    assert (chosen_after > size // 2).mean() > 0.4


def test_an_empty_band_keeps_its_share():
    tally = Tally(100, (), (RIGHT,) * 30, (), (Cell(1, 1, 1, 70),))
    nothing = Tally(100, (), (MISSED,) * 30, (), (Cell(0, 0, 0, 70),))
    two = Choices(0.1, ("precision",), bands=(0.5,), one_to_one=True)
    three = Choices(0.1, ("precision",), bands=(0.5, 0.9), one_to_one=True)
    full = guarantees({"all": tally, "[0.5, ∞)": tally}, two, complete=False)
    empty = guarantees({"all": tally, LOW: tally, HIGH: nothing}, three, complete=False)
    assert [g.part for g in empty] == ["all", LOW, HIGH]
    assert empty[2].value == 0
    assert empty[2].estimate is None
    assert empty[1].value < full[1].value


def test_several_algorithms_share_delta():
    """Twenty matchers at half: all of their bounds hold together."""
    rng = np.random.default_rng(6)
    names = tuple(f"m{i}" for i in range(20))
    choices = Choices(0.2, ("precision",), one_to_one=True, algorithms=names)
    gap = (Cell(1, 1, 1, 175),)
    broken = broken_alone = 0
    for _ in range(400):
        ones = rng.hypergeometric(100, 100, 25, len(names))
        tallies = {
            name: Tally(200, (), (RIGHT,) * k + (WRONG,) * (25 - k), (), gap)
            for name, k in zip(names, ones, strict=True)
        }
        found = guarantees(tallies, choices, complete=False)
        assert [g.part for g in found] == list(names)
        broken += any(g.value > 0.5 for g in found)
        broken_alone += bool((bounds.hypergeometric_lower(ones, 25, 200, 0.2) > 100).any())
    assert broken / 400 <= 0.2 < broken_alone / 400


# A threshold: in turn on the holdout matcher, strictest first.

CANDIDATES = (0.9, 0.8, 0.7, 0.6, 0.5)


def thresholds(rng, right, wrong, s, change=None):
    """A sample's tallies at each candidate, matches in disjoint bands of scores.

    `right` and `wrong` count the nodes whose one match is in each band. `change` is how many right
    matches the complete matcher drops in a band, given the sample.
    """
    size = sum(right) + sum(wrong)
    drawn = rng.multivariate_hypergeometric([*right, *wrong], s)
    k, miss = np.split(drawn, 2)
    dropped = np.zeros(len(right), int) if change is None else change(k, miss)
    return k, miss, dropped, tallies_of(right, wrong, k, miss, dropped, size, s)


def tallies_of(right, wrong, k, miss, dropped, size, s):
    tallies = {}
    for j, score in enumerate(CANDIDATES):
        good, bad = int(k[: j + 1].sum()), int(miss[: j + 1].sum())
        found = int(sum(right[: j + 1]) + sum(wrong[: j + 1]))
        lost = int(dropped[: j + 1].sum())
        validation = (RIGHT,) * good + (WRONG,) * bad + (MISSED,) * (s - good - bad)
        found_elsewhere, others = found - good - bad, size - found - (s - good - bad)
        gap = tuple(
            Cell(*cell, n)
            for cell, n in (
                ((0, 0, 0), others),
                ((1, 0, 0), lost),
                ((1, 1, 1), found_elsewhere - lost),
            )
            if n
        )
        tallies[f"score ≥ {score:g}"] = Tally(size, (), validation, (), gap)
    return tallies


def choices_for(target, delta=0.05, allowance=0.0, metrics=("precision",)):
    return Choices(
        delta,
        metrics,
        one_to_one=True,
        choose_threshold={"precision": target},
        candidates=CANDIDATES,
        allowance=allowance,
    )


@pytest.mark.parametrize("where", [0, 2, 4])
def test_the_chosen_threshold_has_its_precision(where):
    """Just below the target from one candidate on, wherever that is."""
    rng = np.random.default_rng(where)
    right, wrong = [60] * 5, [4] * 5
    target = 0.9
    for j in range(where, 5):
        right[j], wrong[j] = 40, 24  # cumulative precision falls below 0.9
    share = np.cumsum(right) / (np.cumsum(right) + np.cumsum(wrong))
    assert (share < target).argmax() == where
    choices, broken, chosen_any = choices_for(target, 0.2), 0, 0
    for _ in range(600):
        *_, tallies = thresholds(rng, right, wrong, 120)
        chosen = choose_threshold(tallies, choices, complete=False).chosen
        chosen_any += chosen is not None
        broken += chosen is not None and share[CANDIDATES.index(chosen)] < target
    assert broken / 600 <= 0.2
    assert chosen_any > 10 or where == 0


def run_on_complete(right, wrong, rng, target, delta, s):
    """The sequence run on C itself, by an adversary: is anything that passed below the target?

    Where the holdout's bound is too high, C drops right matches until its own bound is the target.
    """
    size = sum(right) + sum(wrong)
    drawn = rng.multivariate_hypergeometric([*right, *wrong], s)
    k, miss = np.split(drawn, 2)
    found = np.cumsum(right) + np.cumsum(wrong)
    good = np.cumsum(k)
    low = bounds.hypergeometric_lower(good, good + np.cumsum(miss), found, delta)
    for j in range(len(right)):
        if low[j] < target * found[j]:
            return False, None
        if low[j] > np.cumsum(right)[j]:
            # |X_H|·L − d ≥ target·(|X_H| − d): C drops d right matches of this band.
            d = min(int((low[j] - target * found[j]) / (1 - target)), right[j] - 1)
            truth = (np.cumsum(right)[j] - d) / (found[j] - d)
            dropped = np.zeros(len(right), int)
            dropped[j] = d
            return truth < target, tallies_of(right, wrong, k, miss, dropped, size, s)
    return False, None


@pytest.mark.slow
def test_the_sequence_run_on_the_complete_matcher_fails():
    """Which threshold is the first to be false depends on the sample: 0.05 becomes more."""
    rng = np.random.default_rng(11)
    right, wrong = [80, 240, 960, 3840, 15360], [20, 60, 240, 960, 3840]
    target, delta = 0.55, 0.05
    wrong_way = ours = 0
    choices = choices_for(target, delta, allowance=0.05)
    for _ in range(1000):
        broken, tallies = run_on_complete(right, wrong, rng, target, delta, 6400)
        wrong_way += broken
        if not broken:
            continue
        found = guarantees(tallies, choices, complete=True)
        for g in found:
            j = [p.name for p in parts(choices)].index(g.part)
            d = sum(cell.nodes for cell in tallies[g.part].gap if cell.c < cell.h)
            kept = sum(right[: j + 1]) - d
            ours += g.value > kept / (kept + sum(wrong[: j + 1]))
    assert wrong_way / 1000 > 0.08
    assert ours / 1000 <= 0.05


def test_what_passed_is_reported_at_its_level_never_higher():
    tallies = thresholds(np.random.default_rng(3), [80] * 5, [0] * 5, 200)[3]
    choices = choices_for(0.9, allowance=0.01)
    (found,) = guarantees(tallies, choices, complete=False)
    assert found.value == 0.91
    plain = Choices(0.05, ("precision",), one_to_one=True)
    (whole,) = guarantees({"all": tallies[found.part]}, plain, complete=False)
    assert whole.value > 0.97


def test_the_level_less_the_gap_is_exact():
    """1000 matched, 2 dropped: (1000·0.91 − 2)/998."""
    tallies = {
        f"score ≥ {score:g}": Tally(
            1000, (), (RIGHT,) * 700, (), (Cell(1, 0, 0, 2), Cell(1, 1, 1, 298))
        )
        for score in CANDIDATES
    }
    choices = choices_for(0.9, allowance=0.01)
    (found,) = guarantees(tallies, choices, complete=True)
    assert found.value == math.floor((1000 * 0.91 - 2) / 998 * 1e6) / 1e6
    assert found.part == "score ≥ 0.5"


def test_a_target_met_exactly_is_met():
    for target in (0.9, 0.95, 0.77, 0.83):
        tallies = thresholds(np.random.default_rng(3), [80] * 5, [0] * 5, 300)[3]
        found = choose_threshold(tallies, choices_for(target), complete=True)
        assert found.chosen == 0.5
        assert guarantees(tallies, choices_for(target), complete=True)[0].value == target


def test_recall_of_any_candidate_might_be_reported():
    """Its bound holds for all candidates at once: a share of δ for each."""
    tallies = thresholds(np.random.default_rng(3), [80] * 5, [0] * 5, 200)[3]
    choices = choices_for(0.9, metrics=("precision", "recall"))
    precision, recall = guarantees(tallies, choices, complete=False)
    alone = Choices(0.05 / 2 / 5, ("recall",), one_to_one=True)
    (expected,) = guarantees({"all": tallies[recall.part]}, alone, complete=False)
    assert recall.value == expected.value
    assert precision.part == recall.part == "score ≥ 0.5"


def test_none_is_an_answer():
    tallies = thresholds(np.random.default_rng(3), [40] * 5, [40] * 5, 200)[3]
    assert choose_threshold(tallies, choices_for(0.9), complete=False).chosen is None
    assert guarantees(tallies, choices_for(0.9), complete=False) == ()


def test_a_candidate_without_any_match_is_left_out():
    """The holdout matcher alone tells, so the labels do not."""
    tallies = thresholds(np.random.default_rng(3), [0, 80, 80, 80, 80], [0] * 5, 200)[3]
    found = choose_threshold(tallies, choices_for(0.9), complete=False)
    assert found.passed == (0.8, 0.7, 0.6, 0.5)


# What cannot be had together.


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"bands": (0.5, 0.5)}, "bands must be different finite scores, got (0.5, 0.5). "),
        ({"bands": (float("nan"),)}, "bands must be different finite scores, got (nan,). "),
        ({"algorithms": ("a",)}, "algorithms must be several different names, got ['a']. "),
        ({"algorithms": ("a", " b")}, "algorithm must be a name other than all, without '[' "),
        ({"candidates": (0.5,)}, "candidates and allowance must be left out where no threshold "),
        ({"choose_threshold": {"recall": 0.9}}, "choose_threshold must be a precision, got "),
        ({"choose_threshold": {"precision": 1.5}}, "choose_threshold and its allowance must be "),
        (
            {"choose_threshold": {"precision": 0.9}, "metrics": ("recall",)},
            "metric must include precision to choose a threshold by it, got ['recall']. ",
        ),
        (
            {"choose_threshold": {"precision": 0.9}, "bands": (0.5,)},
            "choose_threshold must not come with bands or several algorithms, got both. ",
        ),
        (
            {"choose_threshold": {"precision": 0.9}, "theorem": "paper"},
            "choose_threshold must come with the sharp theorem, a census and a plain or anytime ",
        ),
        ({"gap": -1}, "gap must be a number of nodes, got -1. "),
        ({"until": {"error-rate": 5}}, "until must be a number for precision or for recall, got "),
        ({"until": {"recall": 0}}, "until must be a whole number of nodes from 1 on, got 0. "),
        ({"bound": "anytime", "gap": 50}, "anytime must not come with gap, future, until or among"),
        (
            {"until": {"recall": 5}, "theorem": "paper"},
            "theorem must be sharp with anytime, until, among or future, got paper. ",
        ),
        ({"among": True}, "among must come with a kind of precision alone and a census, got "),
        (
            {"until": {"recall": 5}, "future": True},
            "until must not come with among or future, got both. ",
        ),
        (
            {"future": True, "bound": "bernstein"},
            "bound must be auto, hoeffding or star for future, got 'bernstein'. ",
        ),
        ({"among": 1}, "among must be true or false, got 1. "),
    ],
)
def test_choices_that_are_refused(choices, message):
    with pytest.raises(InputError) as error:
        Choices(**choices)
    assert str(error.value).startswith(message)
