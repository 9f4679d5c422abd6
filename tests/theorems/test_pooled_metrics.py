"""Pairwise and B-cubed metrics, and all metrics of draws by weight: false with probability ≤ δ.

Small populations are summed over all samples in every order, the complete matcher being made after
the sample was seen; large ones are simulated. The same sums refute forms with a part cut.
"""

import random
from dataclasses import replace

import numpy as np
import pytest

from matchbound import Choices, Tally
from matchbound.theorems import limits, ratios
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.planned import planned_variances
from matchbound.theorems.tally import Cell, Label
from matchbound.theorems.weighted import Holdout
from support.pooled_cases import OF_PRECISION, Case, Cut, a_case, a_case_of_entities
from support.populations import Node, breaks, orders, outcome
from support.simulated import NASTY, Counts, Setting, failures

BY_SUMS = tuple(name for name, metric in METRICS.items() if metric.by_sums)
TRAINED = Node(1, 1, 1, trained=True)
SMALL = {
    "half right": {Node(2, 2, 2): 3, Node(2, 2, 0): 3},
    "one large and wrong": {Node(1, 1, 1): 5, Node(3, 2, 0): 1},
    "right where heavy": {Node(3, 3, 3): 3, Node(1, 1, 0): 3},
    "one missed with many": {Node(1, 1, 1): 4, Node(0, 3, 0): 1, Node(2, 1, 1): 1, TRAINED: 1},
    "trained on what is right": {Node(2, 1, 1): 3, Node(1, 2, 0): 2, TRAINED: 2},
}


def chosen(metric, **how):
    return Choices(0.3, (metric,), **({"most_true_matches": 3} | how))


def every_case():
    """Each metric on each population, from draws of each weight that tells of it."""
    for name, population in SMALL.items():
        for metric in METRICS:
            weighs = ["pairwise-f1", *(["pairwise-precision"] * (metric in OF_PRECISION))]
            for weigh in ["", *weighs] if metric in BY_SUMS else weighs:
                case = Case(population, 3, chosen(metric, weigh=weigh))
                yield pytest.param(case, id=f"{name}, {metric}, by {weigh or 'no weight'}")


@pytest.mark.parametrize("case", list(every_case()))
def test_all_samples_in_every_order(case):
    assert case.failure() <= case.choices.delta


def test_unsure_nodes_in_training_and_in_the_sample():
    """A labeller who never tells where the matcher is right, or wrong."""
    population = SMALL["trained on what is right"]
    for metric in BY_SUMS:
        for hidden in (Node(1, 1, 1), Node(2, 1, 1), Node(1, 2, 0)):
            assert Case(population, 3, chosen(metric), hidden).failure() <= 0.3


@pytest.mark.parametrize("metric", ["pairwise-recall", "pairwise-f1"])
def test_among_records_with_few_true_matches(metric):
    way = {"most_true_matches": None, "among_records_with_at_most": 2}
    for population in SMALL.values():
        for weigh in ("", "pairwise-f1"):
            choices = chosen(metric, weigh=weigh, **way)
            assert Case(population, 3, choices, complete=False).failure() <= 0.3


def test_several_metrics_hold_together():
    population = SMALL["one large and wrong"]
    for weigh in ("", "pairwise-f1"):
        choices = Choices(0.5, tuple(METRICS), most_true_matches=2, weigh=weigh)
        assert Case(population, 3, choices).failure() <= 0.5


def worst_of(make, seed, runs):
    """The greatest failure in units of δ, of cases made at random."""
    rng = random.Random(seed)
    cases = filter(None, (make(rng) for _ in range(runs)))
    return max(case.failure() / case.choices.delta for case in cases)


@pytest.mark.parametrize(
    ("make", "runs"),
    [(a_case, 30), (a_case_of_entities, 15)]
    + [pytest.param(make, 1500, marks=pytest.mark.slow) for make in (a_case, a_case_of_entities)],
)
def test_random_populations(make, runs):
    assert 0.3 < worst_of(make, 22, runs) <= 1 + 1e-9


# Any time: bounds after every node drawn hold together.


@pytest.mark.parametrize("metric", BY_SUMS)
def test_all_looks_at_a_sample_hold_together(metric):
    choices = Choices(0.3, (metric,), bound="anytime", most_true_matches=2)
    for population in ({Node(2, 2, 2): 3, Node(2, 2, 0): 2}, {Node(1, 1, 1): 4, Node(2, 1, 0): 1}):
        failed = 0.0
        for order, probability in orders(population, 4):
            looks = (outcome(population, order[:i]) for i in range(1, 5))
            failed += probability * any(
                breaks(guarantees({"all": tally}, choices, complete=False), truth)
                for tally, truth in looks
            )
        assert failed <= 0.3


# Forms with a part cut.


@pytest.mark.parametrize("metric", ["recall", "pairwise-recall", "b3-recall"])
def test_weights_ignored_fail(metric):
    choices = Choices(0.2, (metric,), weigh="pairwise-f1", most_true_matches=1)
    case = Case({Node(4, 1, 1): 3, Node(0, 1, 0): 3}, 3, choices, complete=False)
    assert case.failure() <= 0.2 < case.failure("weights of the draw")


@pytest.mark.parametrize("metric", ["pairwise-precision", "pairwise-f1"])
def test_weights_ignored_fail_at_size(metric):
    wrong = (1, 1, 0) if metric == "pairwise-precision" else (0, 5, 0)
    choices = {"metrics": (metric,), "weigh": metric, "most_true_matches": 5}
    setting = Setting({(5, 5, 5): 200, wrong: 200}, 100, choices)
    assert failures(setting, 60, seed=1) <= 8
    assert failures(setting, 60, seed=1, terms=Cut("weights of the draw")) > 40


@pytest.mark.parametrize("metric", BY_SUMS)
def test_the_gap_forgotten_fails(metric):
    case = Case({Node(2, 2, 2): 7}, 3, replace(chosen(metric), delta=0.2))
    gap = f"sharp {metric[: metric.index('-')]} gap"
    assert case.failure() <= 0.2 < case.failure(gap)


@pytest.mark.parametrize("metric", ["pairwise-recall", "pairwise-f1"])
def test_the_greatest_number_of_true_matches_seen_is_no_limit(metric):
    choices = Choices(0.2, (metric,), most_true_matches=4)
    case = Case({Node(1, 1, 1): 6, Node(1, 4, 0): 2}, 3, choices, complete=False)
    assert case.failure() <= 0.2 < case.failure("limit on true matches")


# The limit that a sample proves.


def test_a_proved_limit_one_smaller_fails(monkeypatch):
    """Two draws of seven nodes miss the three that are one entity with probability 2/7."""
    choices = Choices(0.2, ("pairwise-recall",), limit_by_sample=True)
    case = Case({Node(1, 1, 1): 4, Node(0, 2, 0): 3}, 2, choices, complete=False)
    assert case.failure() <= 0.2
    plain = limits.missed
    monkeypatch.setattr(limits, "missed", lambda *given: plain(*given) - 1)
    assert case.failure() == pytest.approx(2 / 7)


def test_a_proved_limit_is_fixed_before_the_validation_labels():
    choices = Choices(0.1, ("pairwise-recall",), limit_by_sample=True)
    design = choices.design("pairwise-recall")
    gap = (Cell(1, 1, 1, 40),)
    few, many, unknown = (Label.alone(1, t, None if t is None else 1) for t in (1, 9, None))
    proved = set()
    for last in (few, many, unknown):
        size = 60 if last.is_sure else 59
        tally = Tally(size, (few,), (*(few,) * 18, last), (), gap)
        proved.add(limits.proved_limit(tally, design))
        (found,) = guarantees({"all": tally}, choices, complete=False)
        assert (found.value > 0) == (last == few)
    assert proved == {4}
    trained = Tally(60, (many,), (few,) * 19, (), gap)
    assert limits.proved_limit(trained, design) == 9
    assert guarantees({"all": trained}, choices, complete=False)[0].value > 0


# Large populations.


@pytest.mark.slow
@pytest.mark.parametrize("name", NASTY)
def test_20_000_simulations_of_nasty_populations(name):
    setting, runs = NASTY[name], 20_000
    limit = setting.delta * runs + 3 * (runs * setting.delta * (1 - setting.delta)) ** 0.5
    assert failures(setting, runs, seed=22) <= limit


def test_a_wrong_cluster_of_100_is_seen():
    """1,000 records, 450 right pairs, one wrong cluster of 100: 0.9 by record, 0.083 by pair."""
    counts = Counts.of({(1, 1, 1): 900, (99, 0, 0): 100})
    assert counts.truth["precision"] == 0.9
    assert counts.truth["pairwise-precision"] == 450 / 5400
    order = np.random.default_rng(22).permutation(1000)[:200]
    tally = counts.tally([], order.tolist())
    by_metric = {}
    for metric in OF_PRECISION:
        (found,) = guarantees({"all": tally}, Choices(0.05, (metric,)), complete=False)
        by_metric[metric] = found
    assert 0.82 < by_metric["precision"].value <= 0.9
    assert 0.03 < by_metric["pairwise-precision"].value <= 0.083
    difference = by_metric["precision"].estimate - by_metric["pairwise-precision"].estimate
    assert difference > 0.7


# Edges.

FOUND_ELSEWHERE = (Cell(2, 2, 2, 10), Cell(0, 0, 0, 5))


@pytest.mark.parametrize("metric", BY_SUMS)
def test_a_sample_without_a_found_match_or_without_a_node(metric):
    """Only what is certain is said: of B-cubed, each record's own place."""
    choices = Choices(0.2, (metric,), most_true_matches=3)
    for tally in (
        Tally(20, (), (Label.alone(0, 1, 0),) * 5, (), FOUND_ELSEWHERE),
        Tally(20, (Label.alone(0, 1, 0),) * 5, (), (), FOUND_ELSEWHERE),
    ):
        (found,) = guarantees({"all": tally}, choices, complete=True)
        assert found.value < 0.7
        assert (found.value > 0.2) == metric.startswith("b3")


def test_a_complete_matcher_that_is_the_holdout_one_has_its_bounds():
    """Also where the number of right pairs is known, up to rounding: all found ones are in D."""
    for right, wrong in ((31, 29), (7, 3), (20, 19)):
        train = (Label.alone(1, 1, 1),) * right + (Label.alone(1, 0, 0),) * wrong
        fresh = (Label.alone(0, 0, 0),) * 30
        tally = Tally(right + wrong + 60, train, fresh, (), (Cell(0, 0, 0, 30),))
        for metric in BY_SUMS:
            choices = Choices(0.05, (metric,), most_true_matches=1)
            values = [
                guarantees({"all": tally}, choices, complete=complete)[0].value
                for complete in (False, True)
            ]
            assert values[0] == pytest.approx(values[1], abs=2e-6)


def test_the_sample_s_b_cubed_precision_counts_records_without_a_match():
    validation = (Label.alone(0, 0, 0),) * 4 + (Label.alone(1, 1, 0),)
    tally = Tally(10, (), validation, (), (Cell(0, 0, 0, 4), Cell(1, 1, 1, 1)))
    (found,) = guarantees({"all": tally}, Choices(0.05, ("b3-precision",)), complete=False)
    assert found.estimate == pytest.approx(0.9)


def test_the_sample_s_ratio_is_the_population_s_on_average():
    """Of all samples drawn by weight, each node weighed by one over its weight."""
    population = {Node(3, 3, 3): 3, Node(1, 1, 0): 3, Node(0, 0, 0): 2}
    for metric in OF_PRECISION:
        choices = Choices(0.2, (metric,), weigh="pairwise-precision")
        means = []
        for order, probability in orders(population, 2, lambda node: node.h):
            tally, truth = outcome(population, order)
            (found,) = guarantees({"all": tally}, choices, complete=False)
            means.append(probability * found.estimate)
        assert sum(means) == pytest.approx(truth[metric], abs=0.12)


def test_variances_are_planned_for_what_the_weights_can_draw():
    """Records without a match have weight 0 in a draw by matches."""
    train = (Label.alone(0, 1, 0), Label.alone(1, 1, 1), Label.alone(2, 1, 1))
    tally = Tally(20, train, (), (), (Cell(1, 1, 1, 17),))
    choices = Choices(0.2, ("pairwise-precision",), weigh="pairwise-precision")
    assert set(OF_PRECISION) <= set(planned_variances(tally, choices, raised=True))


def test_a_plan_from_small_clusters_is_no_error_where_one_is_huge():
    right = (Label.alone(1, 1, 1),) * 200
    gap = (Cell(1, 1, 1, 99_800), Cell(99_999, 99_999, 99_999, 100_000))
    tally = Tally(200_000, (), right, (), gap)
    choices = Choices(0.05, ("pairwise-precision",), variances={"pairwise-precision": 0.005})
    (found,) = guarantees({"all": tally}, choices, complete=False)
    assert 0 < found.value <= 100_000 / (100_000 + 99_999 * 100_000) + 0.001


def test_the_number_to_come_is_planned_where_others_can_be_drawn():
    """From a draw by weight of more than U, the number that came tells which nodes they were."""
    labels = [Label.alone(1, 1, 1)] * 3 + [Label.alone(0, 0, 0)] * 5
    gap = (Cell(0, 0, 0, 40), Cell(1, 1, 1, 20))
    tally = Tally(68, (), tuple(labels), (), gap)
    choices = Choices(0.1, ("precision",), weigh="pairwise-f1", most_true_matches=1)
    by_weight = Holdout(ratios.PRECISION, tally, choices.design("precision"), 1)
    uniform = Holdout(ratios.PRECISION, tally, Choices(0.1).design("precision"), 1)
    assert uniform._planned == 3
    # 23 matched nodes of weight 2, 45 others of weight 1, 8 draws: 8·46/91
    assert by_weight._planned == 4
