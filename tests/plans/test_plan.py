"""What a plan promises is what certifying gives."""

import inspect
import itertools
import math
import re
from dataclasses import fields, replace
from fractions import Fraction
from functools import cache
from math import comb
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from matchbound import Choices, InputError, Tally, plan
from matchbound.bounds.chances import chance, chance_at_least
from matchbound.plans.command import draw_command
from matchbound.plans.outlooks import Prospects
from matchbound.plans.question import Question, choices_for
from matchbound.plans.simulation import FEW, MANY, Simulated, Whole
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.tally import Cell, Label
from support.audits import run
from support.plans import drawn_by, share_reached


def question(size, matched, guesses, targets, *, power=0.9, gap_rate=None, train=0, **choices):
    chosen = choices_for(guesses, matched, **choices)
    return Question(size, chosen, targets, power, gap_rate, train)


def alone(*counts):
    """So many labels of each kind (h, t, ht); a complete matcher is as right there."""
    return tuple(Label.alone(*kind) for kind, number in counts for _ in range(number))


RIGHT, WRONG, NONE = (1, 1, 1), (1, 1, 0), (0, 0, 0)


# Exactness: against sums in whole numbers, and against draws that know nothing of the planner.


def test_chances_are_those_of_whole_numbers():
    for n, m, s in [(10, 4, 5), (30, 30, 7), (30, 0, 7), (25, 13, 25), (40, 3, 20)]:
        masses = [Fraction(comb(m, k) * comb(n - m, s - k), comb(n, s)) for k in range(s + 1)]
        for k in range(s + 1):
            assert chance(k, s, m, n) == pytest.approx(float(masses[k]), rel=1e-12)
            assert chance_at_least(k, s, m, n) == pytest.approx(float(sum(masses[k:])), rel=1e-12)


def gap_of(nodes, found, rate):
    """Cells of nodes of which `found` are matched; the share `rate` of all has other matches."""
    changed = min(round(nodes * rate), found)
    cells = (Cell(*NONE, nodes - found), Cell(1, 1, 0, changed), Cell(1, 1, 1, found - changed))
    return tuple(cell for cell in cells if cell.nodes)


def bound_from(metric, choices, size, sample, gap):
    """The bound on one metric from a sample of (right, wrong, none), at most one match a side."""
    validation = alone(*zip((RIGHT, WRONG, NONE), sample, strict=True))
    tally = Tally(size, (), validation, (), gap)
    found = guarantees({"all": tally}, choices, complete=True)
    return next(g.value for g in found if g.metric == metric)


@pytest.mark.parametrize("metric", ["precision", "recall", "error-rate"])
@pytest.mark.parametrize("theorem", ["sharp", "paper"])
def test_power_is_the_sum_over_all_samples(metric, theorem):
    """Every (members, right) of 15 of 60 nodes, its probability as a fraction of whole numbers."""
    size, s, members, right = 60, 15, 45, 36
    guess, share = 0.8, 0.75
    if metric == "error-rate":
        members, right, guess, share = 60, 48, 0.2, 1.0
    choices = Choices(0.2, (metric,), theorem, one_to_one=True)
    for target in (0.3, 0.5, 0.55, 0.6, 0.7):
        total = Fraction(0)
        for m in range(1, min(s, members) + 1):
            for k in range(m + 1):
                ways = comb(right, k) * comb(members - right, m - k) * comb(size - members, s - m)
                if ways == 0:
                    continue
                found = members - m if metric == "precision" else round((size - s) * share)
                gap = gap_of(size - s, found, 0.05)
                value = bound_from(metric, choices, size, (k, m - k, s - m), gap)
                if value <= target if metric == "error-rate" else value >= target:
                    total += Fraction(ways, comb(size, s))
        asked = question(
            size,
            share,
            {metric: guess},
            {metric: target},
            gap_rate=0.05,
            delta=0.2,
            theorem=theorem,
            one_to_one=True,
        )
        assert Prospects(asked).power(s, metric) == pytest.approx(float(total), abs=1e-12)


SIMULATED = 1_500
HUGE = 100_000_000
SETTINGS = {  # size, matched, precision, recall, gap rate, gap sample, theorem, labels, targets
    "small": (5_000, 0.8, 0.95, 0.95, 0.002, 0, "sharp", 500, {"precision": 0.92}),
    "few": (2_000, 0.5, 0.9, 0.8, 0.002, 0, "sharp", 120, {"precision": 0.8, "recall": 0.69}),
    "more found than true": (HUGE, 0.6, 0.85, 0.93, 0.001, 0, "sharp", 700, {"recall": 0.9}),
    "sampled gap": (
        HUGE,
        0.67,
        0.95,
        0.9,
        0.001,
        20_000,
        "sharp",
        600,
        {"precision": 0.9, "recall": 0.85},
    ),
    "paper": (
        120_000_000,
        2 / 3,
        0.85,
        0.85,
        0.001,
        100_000,
        "paper",
        600,
        {"precision": 0.76, "recall": 0.78},
    ),
    "almost all match": (20_000, 0.99, 0.99, 0.98, 0.0, 0, "sharp", 900, {"precision": 0.98}),
}


def kinds_of(size, matched, precision, recall):
    """Right, wrong, missed and neither; wrong matches are at nodes that have a true match first."""
    true = round(size * matched)
    right = round(recall * true)
    found = round(right / precision)
    wrong_of_true = min(found - right, true - right)
    kinds = {
        (1, 1, 1): right,
        (1, 1, 0): wrong_of_true,
        (1, 0, 0): found - right - wrong_of_true,
        (0, 1, 0): true - right - wrong_of_true,
    }
    return kinds | {(0, 0, 0): size - sum(kinds.values())}


def simulated_draws(setting, rng):
    """Each metric's bound from each draw, certified together."""
    size, matched, precision, recall, rate, sampled, theorem, labels, targets = setting
    kinds = kinds_of(size, matched, precision, recall)
    share = matched * recall / precision
    choices = Choices(0.05, theorem=theorem, one_to_one=True, at_most_one_match=True, gap=sampled)

    @cache
    def bound(metric, place, right, other):
        """By the counts that it depends on: those that count, and those that are right."""
        member = ((1, 0, 0), (0, 1, 0))[place]
        validation = alone((RIGHT, right), (member, other - right), (NONE, labels - other))
        nodes = sampled or size - labels
        found = round(size * share) - other
        if metric == "recall" or sampled:
            found = round(nodes * share)
        tally = Tally(size, (), validation, (), gap_of(nodes, found, rate))
        one = Choices(
            0.025, (metric,), theorem, one_to_one=True, at_most_one_match=True, gap=sampled
        )
        assert one.design(metric).shares(2) == choices.design(metric).shares(2)
        return guarantees({"all": tally}, one, complete=True)[0].value

    for counts in rng.multivariate_hypergeometric(
        list(kinds.values()), labels, size=SIMULATED, method="marginals"
    ):
        drawn = dict(zip(kinds, map(int, counts), strict=True))
        right = drawn[1, 1, 1]
        found = sum(n for (h, _, _), n in drawn.items() if h)
        true = sum(n for (_, t, _), n in drawn.items() if t)
        counts = {"precision": (0, right, found), "recall": (1, right, true)}
        yield {metric: bound(metric, *counts[metric]) for metric in targets}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in ("paper", "sampled gap") else ())
        for name in SETTINGS
    ],
)
def test_power_agrees_with_draws(name):
    setting = SETTINGS[name]
    size, matched, precision, recall, rate, sampled, theorem, labels, targets = setting
    asked = question(
        size,
        matched,
        {"precision": precision, "recall": recall},
        targets,
        gap_rate=rate,
        gap=sampled,
        theorem=theorem,
        one_to_one=True,
        at_most_one_match=True,
    )
    prospects = Prospects(asked)
    draws = list(simulated_draws(setting, np.random.default_rng(6)))
    for metric, target in targets.items():
        power = prospects.power(labels, metric)
        assert 0.05 < power < 0.98  # a setting that tells something
        seen = np.mean([draw[metric] >= target for draw in draws])
        assert abs(seen - power) <= 3 * math.sqrt(power * (1 - power) / SIMULATED)
    all_seen = np.mean([all(draw[m] >= t for m, t in targets.items()) for draw in draws])
    together = prospects.together(labels)
    assert all_seen >= together - 3 * math.sqrt(all_seen * (1 - all_seen) / SIMULATED)


def test_power_with_training_nodes_agrees_with_draws():
    """D and S drawn independently, so that both D's make-up and their overlap vary."""
    size, members, right, train, labels, target = 4000, 3200, 3040, 400, 500, 0.93
    draws = 500
    asked = question(
        size, 0.8, {"precision": 0.95}, {"precision": target}, train=train, one_to_one=True
    )
    power = Prospects(asked).power(labels, "precision")
    rng = np.random.default_rng(6)
    choices = Choices(0.05, ("precision",), one_to_one=True)

    @cache
    def reached(trained, fresh):
        known, seen = (
            alone(*zip((RIGHT, WRONG, NONE), counts, strict=True)) for counts in (trained, fresh)
        )
        outside = size - len(known) - len(seen)
        found = members - sum(trained[:2]) - sum(fresh[:2])
        tally = Tally(size, known, seen, (), gap_of(outside, found, 0))
        return guarantees({"all": tally}, choices, complete=False)[0].value >= target

    population = np.array([right, members - right, size - members])
    hits = 0
    for _ in range(draws):
        trained = rng.multivariate_hypergeometric(population, train)
        overlap = rng.hypergeometric(train, size - train, labels)
        fresh = rng.multivariate_hypergeometric(population - trained, labels - overlap)
        hits += reached(tuple(trained.tolist()), tuple(fresh.tolist()))
    seen = hits / draws
    assert abs(seen - power) <= 3 * math.sqrt(power * (1 - power) / draws)
    other = question(size, 0.8, {"precision": 0.95}, {"precision": target}, one_to_one=True)
    assert power > Prospects(other).power(labels, "precision")  # D's labels are counted too


@pytest.mark.parametrize("metric", ["precision", pytest.param("recall", marks=pytest.mark.slow)])
def test_powers_against_a_target_are_those_of_whole_guarantees(metric):
    """Other draws, a whole guarantee from each, a complete matcher and training nodes as well."""
    size, labels, draws = 20_000, 400, 500
    asked = question(size, 0.9, {metric: 0.9}, {metric: 0.83}, gap_rate=0.002, train=1000)
    prospects = Prospects(asked)
    margin, chances = prospects.margins[metric], prospects.chances[metric]
    assert type(chances) is Simulated
    power = chances.power(labels, 0.83, MANY)
    rng = np.random.default_rng(6)
    kinds = np.repeat([0, 1, 2], [margin.urn.right, margin.urn.members - margin.urn.right, 1900])
    hits = 0
    for _ in range(draws):
        drawn = rng.choice(kinds, margin.fresh(labels), replace=False)
        by_kind = margin._labels(3, 2, 1)
        sample = tuple(by_kind[kind] for kind in drawn)
        hits += margin._of(labels, sample, int((drawn < 2).sum())).value >= 0.83
    assert abs(hits / draws - power) <= 3 * math.sqrt(power * (1 - power) * (1 / draws + 1 / MANY))
    assert prospects.power(labels, metric, MANY) == pytest.approx(
        power - 2 * math.sqrt(power * (1 - power) / MANY), abs=1e-4
    )


@pytest.mark.parametrize("metric", ["precision", "recall", "error-rate"])
@pytest.mark.parametrize("one_to_one", [True, False])
@pytest.mark.parametrize("gap_rate", [None, 0.0, 0.03])
@pytest.mark.parametrize("train", [0, 70])
def test_counts_tell_what_the_theorems_make_of_labels(metric, one_to_one, gap_rate, train):
    """To the last digit: the theorems get every label, the planner the counts alone."""
    rng = np.random.default_rng(6)
    asked = question(
        300, 0.7, {metric: 0.8}, {}, gap_rate=gap_rate, train=train, one_to_one=one_to_one
    )
    margin = asked.margins()[metric]
    assert margin.exact is not None
    for labels in (3, 20, 90, 200, 300):
        fresh, urn = margin.fresh(labels), margin.urn
        members = int(rng.hypergeometric(urn.members, urn.nodes - urn.members, fresh))
        right = int(rng.hypergeometric(urn.right, urn.members - urn.right, max(members, 1)))
        kinds = rng.permutation(np.repeat([0, 1, 2], [right, members - right, fresh - members]))
        by_kind = margin._labels(3, 2, 1)
        told = margin._of(labels, tuple(by_kind[kind] for kind in kinds), members)
        if margin.is_ordered:
            assert margin.of_order(labels, kinds) == told.value
            continue
        assert margin.value(labels, members, right) == told.value
        low, high = margin.between(labels, members, right)
        assert low <= told.value <= high


def test_other_bounds_are_simulated_whole():
    asked = question(10**5, 0.9, {"recall": 0.9}, {"recall": 0.8}, gap_rate=0.001, gap=2000)
    chances = Prospects(asked).chances["recall"]
    assert type(chances) is Whole
    powers = [chances.power(labels, 0.8, FEW) for labels in (50, 100, 250)]
    assert powers == sorted(powers)
    assert powers[0] < 0.7 < 0.9 < powers[-1]


# Monotone where it must be.


def needed(target, power=0.9, metric="precision", guess=0.95, matched=0.7, size=10**7, **more):
    asked = question(size, matched, {metric: guess}, {metric: target}, power=power, **more)
    return Prospects(asked).needed()


def test_more_is_needed_for_more():
    by_target = [needed(target, one_to_one=True) for target in (0.85, 0.88, 0.9, 0.92)]
    by_power = [needed(0.9, power, one_to_one=True) for power in (0.5, 0.8, 0.9, 0.99)]
    by_delta = [needed(0.9, one_to_one=True, delta=delta) for delta in (0.2, 0.05, 0.01)]
    by_gap = [needed(0.9, one_to_one=True, gap_rate=rate) for rate in (0.0, 0.002, 0.01)]
    for numbers in (by_target, by_power, by_delta, by_gap):
        assert numbers == sorted(set(numbers))


def test_power_does_not_fall_with_labels_where_the_saw_tooth_is_blurred():
    asked = question(10**7, 0.7, {"recall": 0.85}, {"recall": 0.8}, one_to_one=True)
    prospects = Prospects(asked)
    assert prospects.chances["recall"].tooth(700, 0.8) == 0
    powers = [prospects.power(labels, "recall") for labels in range(700, 730)]
    assert powers == sorted(powers)


@pytest.mark.parametrize(
    ("metric", "guess", "target"), [("error-rate", 0.03, 0.05), ("precision", 0.99, 0.97)]
)
def test_from_the_labels_needed_on_the_power_stays(metric, guess, target):
    """Where every node counts the power is a saw-tooth: some fewer labels reach it, and lose it."""
    asked = question(10**6, 1.0, {metric: guess}, {metric: target}, one_to_one=True)
    prospects = Prospects(asked)
    least = prospects.needed()
    powers = {n: prospects.power(n, metric) for n in range(least - 150, least + 300)}
    assert all(power >= 0.9 for n, power in powers.items() if n >= least)
    assert powers[least - 1] < 0.9
    assert any(power >= 0.9 for n, power in powers.items() if n < least)


def test_likely_bounds_are_reached_with_just_that_power():
    for metric, guess, step in (("precision", 0.9, 0.001), ("error-rate", 0.1, -0.001)):
        asked = question(10**6, 0.8, {metric: guess}, {}, one_to_one=True)
        prospects = Prospects(asked)
        chances, likely = prospects.chances[metric], prospects.likely(400, metric)
        assert chances.power(400, likely) >= 0.9 > chances.power(400, likely + step)


# Targets out of reach.


def test_a_target_out_of_reach_says_what_can_be_had():
    made = plan(
        size=10_000,
        matched=0.5,
        guesses={"precision": 0.95, "recall": 0.95},
        targets={"precision": 0.96, "recall": 0.9},
        gap_rate=0.01,
        one_to_one=True,
    )
    assert made.needed is made.command is None
    # All labelled: of 5000 found 4750 are right, and no node is left to be spoilt.
    assert made.limits["precision"] == pytest.approx(4750 / 5000, abs=2e-6)
    assert (
        "No number of labels reaches precision ≥ 0.96: its bound tends to 0.9500 as labels are "
        "added." in str(made)
    )


def test_a_limit_that_no_sample_reaches_is_told_from_two():
    made = plan(
        size=10**9,
        matched=0.5,
        guesses={"precision": 0.95},
        targets={"precision": 0.96},
        gap_rate=0.01,
        one_to_one=True,
    )
    assert made.limits["precision"] == pytest.approx(0.95 - 0.01 / 0.5, abs=1e-4)


def test_a_target_in_reach_of_more_labels_than_anyone_plans_for():
    """At 100,000 labels the bound is about 1.645·√(0.05·0.95/100000) = 0.0011 above 0.05."""
    made = plan(
        size=10**9, matched=1.0, guesses={"error-rate": 0.05}, targets={"error-rate": 0.0505}
    )
    assert made.needed is None
    assert made.limits["error-rate"] == pytest.approx(0.05, abs=1e-4)
    assert "error-rate ≤ 0.0505 is in reach, its bound tends to 0.050" in str(made)
    assert "; not with 100000 labels." in str(made)


# The door.

GOOD = {
    "size": 1000,
    "matched": 0.5,
    "guesses": {"precision": 0.9},
    "targets": {"precision": 0.8},
}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"size": 0},
            "size must be a whole number from 1 to 9007199254740992, got 0. "
            "Give the number of nodes, such as 100000.",
        ),
        (
            {"train": 1000},
            "train must be a whole number from 0 to 999, got 1000. Give fewer than size.",
        ),
        (
            {"matched": 1.5},
            "matched must be above 0 and at most 1, got 1.5. "
            "Give the share of nodes with a true match, such as 0.67.",
        ),
        ({"power": 1}, "power must be above 0 and below 1, got 1. Give for example 0.9."),
        (
            {"guesses": {}},
            "guess must be given for each metric, got none. Give precision=0.95.",
        ),
        (
            {"guesses": {"precision": 1.0}},
            "guess must be above 0 and below 1, got precision=1.0. "
            "Give the value you expect, such as precision=0.95.",
        ),
        (
            {"guesses": {"f1": 0.9}},
            "metric must be one of precision, recall, error-rate, pairwise-precision, "
            "pairwise-recall, pairwise-f1, b3-precision, b3-recall; got 'f1'. Choose one of them.",
        ),
        (
            {"targets": {"recall": 0.8}},
            "guess must be given for each target, got none for 'recall'. "
            "Give the value that you expect.",
        ),
        (
            {"targets": {"precision": 1}},
            "target must be above 0 and below 1, got precision=1. "
            "Give the bound that you want, such as precision=0.93.",
        ),
        (
            {"targets": None},
            "targets or labels must be given, got neither. Give the bounds that you want, or how "
            "many nodes you can label.",
        ),
        (
            {"labels": 1001},
            "labels must be a whole number from 1 to 1000, got 1001. "
            "Give a number of nodes to validate on, up to size.",
        ),
        (
            {"gap_rate": -0.1},
            "gap_rate must be a share from 0 to 1, got -0.1. Give 0.001.",
        ),
        (
            {"gap_rate": 0.6},
            "gap_rate must be at most the share of nodes that are matched, 0.5, got 0.6. "
            "Give the share of all nodes at which the matchers differ.",
        ),
        (
            {"gap": 100},
            "gap_rate must be given with gap, got none. Give the share of nodes at which the "
            "matchers differ, such as 0.001.",
        ),
        ({"gap": 1001}, "gap must be at most the size, 1000, got 1001. Give fewer."),
        (
            {"guesses": {"precision": 0.4, "recall": 0.9}},
            "matched × recall / precision must be a share that leaves the holdout matcher some "
            "nodes to match, got 1.125. Correct matched or the guesses.",
        ),
    ],
)
def test_what_cannot_be_planned(wrong, message):
    with pytest.raises(InputError) as error:
        plan(**GOOD | wrong)
    assert str(error.value) == message


def test_a_promise_that_the_theorem_needs():
    with pytest.raises(InputError, match=r"^at_most_one_match must be promised"):
        plan(**GOOD, theorem="paper", gap=100, gap_rate=0.001)


def test_its_keywords_are_choices():
    """Those that a plan uses: the other fields change nothing that it computes, or are its own."""
    keywords = inspect.signature(plan).parameters
    names = {field.name for field in fields(Choices)}
    used = {"delta", "theorem", "bound", "one_to_one", "at_most_one_match", "gap"}
    used |= {"most_true_matches", "among_records_with_at_most"}
    own = {"matched", "guesses"}
    assert names & set(keywords) == used | own
    for name in used:
        assert keywords[name].default is None
        assert keywords[name].kind is inspect.Parameter.KEYWORD_ONLY
    assert not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in keywords.values())
    values = {"delta": 0.1, "theorem": "paper", "bound": "hoeffding", "gap": 50}
    values |= {"most_true_matches": 4, "among_records_with_at_most": 4}
    for name in used:
        given = {name: values.get(name, True)} | ({"gap_rate": 0.01} if name == "gap" else {})
        made = plan(size=900, matched=0.8, guesses={"error-rate": 0.1}, labels=20, **given)
        assert getattr(made.question.choices, name) == values.get(name, True)


# The command.

COMMAND = ("plan", "--size", 100_000, "--matched", 0.8, "--guess", "precision=0.95", "--one-to-one")


def test_the_command_says_what_python_says(capsys):
    assert run(*COMMAND, "--target", "precision=0.9", "--gap-rate", 0.001, "--delta", 0.1) == 0
    made = plan(
        size=100_000,
        matched=0.8,
        guesses={"precision": 0.95},
        targets={"precision": 0.9},
        gap_rate=0.001,
        delta=0.1,
        one_to_one=True,
    )
    assert capsys.readouterr().out == f"{made}\n"
    assert str(made).endswith(f"\n  {made.command}")
    assert [row.labels for row in made.rows] == [
        round(made.needed * share) for share in (0.5, 0.75, 1, 1.5, 2)
    ]
    assert run(*COMMAND, "--target", "precision=0.96") == 1
    assert run(*COMMAND, "--labels", 200) == 0
    assert "likely: the bound that is reached with probability 0.9." in capsys.readouterr().out
    assert run(*COMMAND) == 2


@pytest.mark.parametrize(
    "asked", [("--target", "precision=0.9"), ("--labels", 100), ("--target", "precision=0.96")]
)
@pytest.mark.parametrize("name", ["plan.svg", "plan.html"])
def test_plots_are_offline_and_have_a_text(tmp_path, name, asked):
    path = tmp_path / name
    run(*COMMAND, *asked, "--plot", path)
    text = path.read_text("utf-8")
    svg = re.search(r"<svg.*</svg>", text, re.S)[0]
    root = ElementTree.fromstring(svg)
    assert root.find("{*}title").text
    assert "validation labels" in root.find("{*}desc").text
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)|<script|<link|url\(", text)
    before = path.read_bytes()
    assert run(*COMMAND, *asked, "--plot", path) == 2
    assert path.read_bytes() == before


def test_a_plot_of_another_kind_is_refused_before_planning(capsys):
    assert run(*COMMAND, "--target", "precision=0.9", "--plot", "plan.png") == 2
    assert capsys.readouterr().err == (
        "matchbound: plot must end in .svg or .html, got 'plan.png'. Rename it.\n"
    )


def test_metrics_that_are_guessed_share_delta():
    """A second metric makes the first one's bound lower, as it does when certified."""
    both = plan(size=10**6, matched=0.8, guesses={"precision": 0.9, "recall": 0.9}, labels=300)
    alone = plan(size=10**6, matched=0.8, guesses={"precision": 0.9}, labels=300)
    for one, two in itertools.zip_longest(alone.rows, both.rows):
        assert two.outlooks["precision"].typical < one.outlooks["precision"].typical


# The promise is kept by audits that the printed command makes.

SIZE, MATCHED = 100_000, 2 / 3
PRECISION = {"precision": 0.95}, {"precision": 0.9}
PROMISES = {  # recall: as guessed, wanted; whether precision is certified too; one-to-one
    "0.7": (0.7, 0.62, False, False),
    "0.7 with precision": (0.7, 0.62, True, False),
    "0.8": (0.8, 0.72, False, False),
    "0.8 with precision": (0.8, 0.72, True, False),
    "one-to-one": (0.85, 0.82, False, True),
    "one-to-one with precision": (0.85, 0.82, True, True),
}


def promised_by(name):
    recall, wanted, precision, one_to_one = PROMISES[name]
    guesses, targets = PRECISION if precision else ({}, {})
    return plan(
        size=SIZE,
        matched=MATCHED,
        guesses=guesses | {"recall": recall},
        targets=targets | {"recall": wanted},
        one_to_one=one_to_one,
    )


def whole_matches(recall, one_to_one):
    """As the plan has it: a node's matches are all right or all wrong."""
    kinds = kinds_of(SIZE, MATCHED, 0.95, recall)
    each = 1 if one_to_one else 2
    return {tuple(each * count for count in kind): nodes for kind, nodes in kinds.items()}


def part_matches(recall):
    """Otherwise than the plan has it: precision ½, ⅔, 1 and 0, recall ½, ⅔, 1 and 0."""
    true = MATCHED * SIZE
    shares = {(2, 2, 1): 0.03, (3, 2, 2): 0.03, (2, 3, 2): 0.2}
    shares[1, 1, 1] = recall - sum(n * ht / t for (_, t, ht), n in shares.items())
    right = sum(n * ht / h for (h, _, ht), n in shares.items())
    shares[1, 1, 0] = right / 0.95 - sum(shares.values())
    shares[0, 1, 0] = 1 - sum(shares.values())
    kinds = {kind: round(share * true) for kind, share in shares.items()}
    return kinds | {(0, 0, 0): SIZE - sum(kinds.values())}


def check_promise(name, audits):
    recall, _, _, one_to_one = PROMISES[name]
    made = promised_by(name)
    labels, choices = drawn_by(made.command)
    assert (labels, choices) == (made.needed, made.question.choices)
    promised = next(row.together for row in made.rows if row.labels == labels)
    assert promised >= 0.9
    rng = np.random.default_rng(6)
    populations = [whole_matches(recall, one_to_one)]
    populations += [] if one_to_one else [part_matches(recall)]
    error = math.sqrt(promised * (1 - promised) / audits)
    for kinds in populations:
        seen = share_reached(kinds, labels, choices, made.question.targets, audits, rng)
        assert seen >= promised - 3 * error
    if one_to_one:
        return
    forgotten = replace(choices, guesses={}, matched=None)  # as before: the values stay behind
    seen = share_reached(populations[0], labels, forgotten, made.question.targets, audits, rng)
    assert seen < promised - 3 * error


@pytest.mark.parametrize(
    "name", ["0.7", pytest.param("0.8 with precision", marks=pytest.mark.slow)]
)
def test_printed_draws_keep_the_promise(name):
    check_promise(name, 250)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROMISES)
def test_printed_draws_keep_the_promise_in_many_audits(name):
    check_promise(name, 2000)


def test_the_printed_draw_repeats_every_choice():
    asked = question(
        50_000,
        0.61,
        {"precision": 0.93, "error-rate": 0.04},
        {},
        gap_rate=0.001,
        gap=4000,
        train=120,
        delta=0.01,
        theorem="paper",
        one_to_one=True,
        at_most_one_match=True,
    )
    command = draw_command(asked, 300)
    assert command == (
        "matchbound draw POPULATION --labels 300 --train 120 --metric precision "
        "--metric error-rate --delta 0.01 --theorem paper --gap 4000 --one-to-one "
        "--at-most-one-match --guess precision=0.93 --guess error-rate=0.04 --matched 0.61 "
        "--out AUDIT"
    )
    assert drawn_by(command) == (300, asked.choices)


# The README's table.


def rows_of_the_readme():
    text = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    for theorem in ("paper", "sharp"):
        numbers = re.search(rf"\| `{theorem}` \| ([\d,]+) \| ([\d,]+) \|", text).groups()
        for metric, number in zip(("precision", "recall"), numbers, strict=True):
            marks = pytest.mark.slow if theorem == "paper" else ()
            yield pytest.param(theorem, metric, int(number.replace(",", "")), marks=marks)


@pytest.mark.parametrize(("theorem", "metric", "labels"), list(rows_of_the_readme()))
def test_the_readme_s_table_is_what_plan_says(theorem, metric, labels):
    """The power is reached with these labels, and with one less it is not."""
    paper = {"gap": 100_000, "at_most_one_match": True} if theorem == "paper" else {}
    asked = question(
        120_000_000,
        0.6666666667,
        {metric: 0.85},
        {metric: 0.82},
        gap_rate={"recall": 0.001, "precision": 0.0015}[metric],
        theorem=theorem,
        one_to_one=True,
        **paper,
    )
    prospects = Prospects(asked)
    assert prospects.together(labels) >= 0.9 > prospects.together(labels - 1)
    assert prospects.chances[metric].tooth(labels, 0.82) == 0
