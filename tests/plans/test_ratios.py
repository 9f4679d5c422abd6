"""Pairwise and B-cubed metrics are planned as their theorems certify them."""

import math

import numpy as np
import pytest

from matchbound import plan
from matchbound.plans.command import draw_command
from matchbound.plans.outlooks import Prospects
from matchbound.plans.question import Question, choices_for
from matchbound.plans.simulation import Simulated, _printed
from matchbound.plans.words import assumed
from matchbound.theorems.metrics import METRICS
from support.audits import run
from support.plans import drawn_by, share_reached

PAIRWISE = ("pairwise-precision", "pairwise-recall", "pairwise-f1")
NEW = (*PAIRWISE, "b3-precision", "b3-recall")
LIMITED = ("pairwise-recall", "pairwise-f1")
LIMITS = {
    "a promise": {"most_true_matches": 5},
    "the sample": {},
    "among": {"among_records_with_at_most": 3},
    "a promise of one": {"most_true_matches": 1},
    "one-to-one": {"one_to_one": True},
}


def question(guesses, *, size=300, matched=0.7, targets=(), gap_rate=None, train=0, **choices):
    chosen = choices_for(guesses, matched, dedupe=True, **choices)
    return Question(size, chosen, dict(targets), 0.9, gap_rate, train, dedupe=True)


# Against the theorems.


def random_kinds(rng, margin, labels):
    """A sample in its order: 0 right, 1 wrong, 2 without a match."""
    nodes, members, right = margin.urn
    everyone = np.repeat([0, 1, 2], [right, members - right, nodes - members])
    return rng.permutation(everyone)[: margin.fresh(labels)]


def told_by_theorems(margin, labels, kinds):
    by_kind = margin._labels(3, 2, 1)
    sample = tuple(by_kind[kind] for kind in kinds)
    return margin._of(labels, sample, int((kinds < 2).sum())).value


def reached(margin, labels, rows, target):
    kinds = np.array(rows)
    block = kinds < 2, kinds == 0
    members = block[0].sum(axis=1)
    changed = np.array([margin.outside(margin.fresh(labels), int(m))[2] for m in members], float)
    sample = margin.sample(labels)
    return margin.by_bets.reached(sample, margin.design, block, changed, _printed(target))


def check_samples(metric, limit, numbers, times, gap_rates=(None, 0.02), seed=6):
    """Bounds are equal to the last digit, and so are decisions about targets next to them."""
    rng, positive = np.random.default_rng(seed), 0
    for gap_rate in gap_rates:
        if gap_rate is not None and limit == "among" and metric in LIMITED:
            continue  # there is no theorem
        for train in (0, 70):
            asked = question({metric: 0.8}, gap_rate=gap_rate, train=train, **LIMITS[limit])
            margin = asked.margins()[metric]
            for labels in numbers:
                rows = [random_kinds(rng, margin, labels) for _ in range(times)]
                values = [told_by_theorems(margin, labels, kinds) for kinds in rows]
                assert [margin.of_order(labels, kinds) for kinds in rows] == values
                positive += sum(value > 0 for value in values)
                if labels == margin.size or not 0 < values[0] < 1:
                    continue
                for target in (values[0], values[0] + 1e-6):
                    hits = reached(margin, labels, rows, target)
                    assert hits.tolist() == [value > target - 1e-7 for value in values]
    assert positive > times * len(numbers)


@pytest.mark.parametrize("metric", NEW)
@pytest.mark.parametrize("limit", ["a promise", "the sample", "among"])
def test_bets_tell_what_the_theorems_make_of_labels(metric, limit):
    check_samples(metric, limit, (15, 150), 2)


@pytest.mark.slow
@pytest.mark.parametrize("metric", NEW)
@pytest.mark.parametrize("limit", LIMITS)
def test_bets_tell_what_the_theorems_make_of_more_labels(metric, limit):
    check_samples(metric, limit, (2, 15, 60, 150, 280, 300), 6, (None, 0.0, 0.02, 0.2), seed=7)


@pytest.mark.parametrize("metric", NEW)
def test_no_bound_is_searched_for(metric):
    prospects = Prospects(question({metric: 0.9}, gap_rate=0.001, targets={metric: 0.8}))
    assert type(prospects.chances[metric]) is Simulated


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("one_to_one", [True, False])
def test_the_population_has_the_metric_that_was_guessed(metric, one_to_one):
    for guess in (0.7, 0.95):
        asked = question({metric: guess}, size=2000, one_to_one=one_to_one or None)
        margin = asked.margins()[metric]
        labels = margin._labels(margin.size, margin.members, margin.right)
        share = METRICS[metric].ratio.share((label.h, label.t, label.ht) for label in labels)
        assert float(share) == pytest.approx(guess, abs=4e-4)


def test_pairwise_guesses_tell_how_many_nodes_are_matched():
    asked = question({"pairwise-precision": 0.9, "pairwise-recall": 0.6}, size=900)
    assert asked.found_share == pytest.approx(0.7 * 0.6 / 0.9)
    assert asked.margins()["pairwise-precision"].members == round(900 * 0.7 * 0.6 / 0.9)
    assert asked.margins()["pairwise-recall"].members == 630


def test_a_limit_that_the_sample_proves_needs_more_labels():
    """100 of 2,000 nodes may all miss an entity of about 60; a promise of 5 is far less."""
    by = {
        name: Prospects(question({"pairwise-recall": 0.9}, size=2000, **LIMITS[name]))
        for name in ("a promise", "the sample")
    }
    bounds = {name: one.margins["pairwise-recall"].typical(100) for name, one in by.items()}
    assert bounds["the sample"] < bounds["a promise"] - 0.2


# The door.


def test_the_printed_draw_repeats_limits_and_dedupe():
    guesses = {"pairwise-recall": 0.9, "b3-recall": 0.95}
    for options, words in (
        ({"most_true_matches": 7}, "--most-true-matches 7 "),
        ({"among_records_with_at_most": 7}, "--among-records-with-at-most 7 "),
        ({}, ""),
    ):
        asked = question(guesses, **options)
        command = draw_command(asked, 120)
        assert command == (
            "matchbound draw POPULATION --labels 120 --dedupe --metric pairwise-recall "
            f"--metric b3-recall {words}--guess pairwise-recall=0.9 --guess b3-recall=0.95 "
            "--matched 0.7 --out AUDIT"
        )
        assert drawn_by(command) == (120, asked.choices)
        assert asked.choices.limit_by_sample == (not options)


COMMAND = ("plan", "--size", 2000, "--matched", 0.7, "--labels", 20)
MATCHES = "Nodes with matches are taken to have {} each, all right or all wrong. Nodes with many "
WIDER = " bounds wider: label more than planned if there are such nodes."


@pytest.mark.parametrize(
    ("guesses", "choices", "lines"),
    [
        (
            {"pairwise-recall": 0.9},
            {"most_true_matches": 5},
            [
                MATCHES.format(2) + "matches make",
                "pairwise" + WIDER,
                "For pairwise recall and F1, no node has more than 5 true matches, as promised.",
            ],
        ),
        (
            {"pairwise-f1": 0.9, "b3-recall": 0.9},
            {},
            [
                MATCHES.format(2) + "matches make",
                "pairwise and B-cubed" + WIDER,
                "Pairwise recall and F1 use the limit on true matches that the sample proves. A "
                "limit that you promise",
                "(--most-true-matches) is smaller, and needs fewer labels.",
            ],
        ),
        (
            {"pairwise-f1": 0.9},
            {"among_records_with_at_most": 1},
            [
                MATCHES.format(1) + "matches make",
                "pairwise" + WIDER,
                "Pairwise recall and F1 are about nodes with at most 1 true matches.",
            ],
        ),
        ({"b3-recall": 0.9}, {}, [MATCHES.format(2) + "matches make", "B-cubed" + WIDER]),
        ({"recall": 0.9}, {}, []),
    ],
)
def test_what_is_assumed_is_said(guesses, choices, lines):
    assert assumed(question(guesses, **choices))[2:] == lines


def test_it_is_said_on_the_command_line(capsys):
    assert run(*COMMAND, "--guess", "pairwise-recall=0.9", "--most-true-matches", 5) == 0
    assert "For pairwise recall and F1, no node has more than 5 true" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        (
            ["--guess", "pairwise-f1=0.9"],
            "most_true_matches must be given for pairwise-f1, got none",
        ),
        (
            ["--guess", "b3-recall=0.9"],
            "metric must not be b3-recall where one table is matched with another, got it",
        ),
        (
            ["--guess", "pairwise-precision=0.9", "--gap-rate", 0.01, "--gap", 100],
            "metric must have the theorem sampled for these choices, got pairwise-precision",
        ),
    ],
)
def test_what_cannot_be_drawn_cannot_be_planned(words, begins, capsys):
    """In the words of `draw`."""
    assert run(*COMMAND, *words) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"matchbound: {begins}")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--guess", "b3-recall=0.5", "--dedupe"],
            "guess must be above 0.5333 for b3-recall, got 0.5: nodes without a match are right, "
            "and every record is right about itself. Correct it, or matched.",
        ),
        (
            ["--guess", "pairwise-f1=0.9", "--among-records-with-at-most", 4, "--gap-rate", 0.01],
            "gap_rate must be left out for pairwise-f1 with among_records_with_at_most, got 0.01: "
            "there is no theorem for a complete matcher. Drop it, or promise most_true_matches.",
        ),
    ],
)
def test_what_cannot_be_planned(words, message, capsys):
    assert run(*COMMAND, *words) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"matchbound: {message}"


# The promise is kept by audits that the printed command makes.

SIZE, MATCHED = 100_000, 0.7
TRUE = round(SIZE * MATCHED)


def of_pairs(precision, recall):
    """Nodes of 2 matches, all right or all wrong; half of the nodes that are missed find none."""
    missed = round(TRUE * (1 - recall))
    found = round((TRUE - missed) / precision)
    wrong = min(found - (TRUE - missed), missed)
    kinds = {(2, 2, 2): TRUE - missed, (2, 2, 0): wrong, (0, 2, 0): missed - wrong}
    kinds[2, 0, 0] = found - (TRUE - missed) - wrong
    return kinds | {(0, 0, 0): SIZE - sum(kinds.values())}


def of_clusters(precision, recall):
    """The same by B-cubed values: a node whose matches are wrong has a third."""
    wrong, missed = (round(1.5 * SIZE * (1 - value)) for value in (precision, recall))
    kinds = {(2, 2, 2): TRUE - missed, (2, 2, 0): wrong, (0, 2, 0): missed - wrong}
    return kinds | {(0, 0, 0): SIZE - TRUE}


PROMISES = {  # guesses, targets, other words of the plan, and the population
    "pairs": (
        {"pairwise-precision": 0.95, "pairwise-recall": 0.9},
        {"pairwise-precision": 0.91, "pairwise-recall": 0.85},
        {"most_true_matches": 5},
        of_pairs(0.95, 0.9),
    ),
    "F1, two matchers": (
        {"pairwise-f1": 0.9},
        {"pairwise-f1": 0.84},
        {"most_true_matches": 5, "gap_rate": 0.002},
        of_pairs(0.9, 0.9),
    ),
    "clusters": (
        {"b3-precision": 0.95, "b3-recall": 0.92},
        {"b3-precision": 0.92, "b3-recall": 0.88},
        {"dedupe": True},
        of_clusters(0.95, 0.92),
    ),
}
LOOSE = 0.05  # a plan is that much below the truth, if at all, where its population is the true one


def check_promise(name, audits):
    """Return the share of audits that reach the targets with half of the labels."""
    guesses, targets, more, kinds = PROMISES[name]
    made = plan(size=SIZE, matched=MATCHED, guesses=guesses, targets=targets, **more)
    labels, choices = drawn_by(made.command)
    assert (labels, choices) == (made.needed, made.question.choices)
    promised = next(row.together for row in made.rows if row.labels == labels)
    assert promised >= 0.9
    rng, error = np.random.default_rng(6), math.sqrt(promised * (1 - promised) / audits)
    gap_rate = more.get("gap_rate")
    seen = share_reached(kinds, labels, choices, targets, audits, rng, gap_rate)
    assert promised - 3 * error <= seen <= promised + LOOSE + 3 * error
    return share_reached(kinds, labels // 2, choices, targets, audits // 4, rng, gap_rate)


def test_printed_draws_keep_the_promise():
    check_promise("clusters", 50)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROMISES)
def test_printed_draws_keep_the_promise_in_many_audits(name):
    """With half of the labels they would not."""
    assert check_promise(name, 2000) < 0.8


@pytest.mark.slow
def test_nodes_with_many_matches_need_more_labels_than_planned():
    """One node in ten has 10 matches, the others 1: what the plan warns of."""
    guesses, targets = {"pairwise-precision": 0.9}, {"pairwise-precision": 0.85}
    made = plan(size=SIZE, matched=MATCHED, guesses=guesses, targets=targets)
    labels, choices = drawn_by(made.command)
    kinds = {}
    for matches, nodes in ((1, 63_000), (10, 7_000)):
        kinds |= {(matches,) * 3: round(0.9 * nodes), (matches, matches, 0): round(0.1 * nodes)}
    kinds[0, 0, 0] = SIZE - TRUE
    rng = np.random.default_rng(6)
    shares = [share_reached(kinds, n, choices, targets, 400, rng) for n in (labels, 4 * labels)]
    assert shares[0] < 0.6
    assert shares[1] > 0.8
