"""Every theorem's guarantees, summed over all samples: they fail with probability at most δ."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from matchbound import AssumptionError, Choices, Tally, bounds
from matchbound.bounds.orderfree import orderfree_ratio, weighted_lower
from matchbound.theorems import gaps, members
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.tally import Cell, Label
from support.populations import Node, broken, compositions, orders, outcome

# Matches of at most one a side: order does not matter, about 60 nodes can be counted.

ONE_TO_ONE = {
    "a good matcher": {Node(1, 1, 1): 50, Node(1, 1, 0): 4, Node(0, 0, 0): 6},
    "half of them": {Node(1, 1, 1): 20, Node(1, 1, 0): 15, Node(0, 1, 0): 10, Node(0, 0, 0): 15},
    "few have a match": {Node(1, 1, 1): 6, Node(1, 0, 0): 3, Node(0, 0, 0): 51},
    "right where not trained": {
        Node(1, 1, 1): 38,
        Node(1, 1, 0, trained=True): 12,
        Node(0, 0, 0): 10,
    },
    "right where trained": {
        Node(1, 1, 1, trained=True): 10,
        Node(1, 1, 1): 30,
        Node(1, 1, 0): 12,
        Node(0, 0, 0): 8,
    },
}
METRICS = [("precision",), ("recall",), ("error-rate",), ("precision", "recall", "error-rate")]


def failure(population, s, samples, choices, **how):
    return sum(
        p for order, p in samples(population, s) if broken(order, population, choices, **how)
    )


@pytest.mark.parametrize("name", ONE_TO_ONE)
@pytest.mark.parametrize("theorem", ["sharp", pytest.param("paper", marks=pytest.mark.slow)])
@pytest.mark.parametrize("metrics", METRICS, ids="+".join)
def test_one_to_one(name, theorem, metrics):
    choices = Choices(0.2, metrics, theorem, one_to_one=True)
    assert failure(ONE_TO_ONE[name], 12, compositions, choices) <= 0.2


@pytest.mark.parametrize("theorem", ["sharp", "paper"])
def test_holdout_alone(theorem):
    for population in ONE_TO_ONE.values():
        for metrics in METRICS:
            choices = Choices(0.2, metrics, theorem, one_to_one=True)
            assert failure(population, 12, compositions, choices, holdout_only=True) <= 0.2


@pytest.mark.slow
@pytest.mark.parametrize("bound", ["bernstein", "hoeffding", "serfling"])
def test_other_bounds(bound):
    for population in ONE_TO_ONE.values():
        choices = Choices(0.4, ("precision", "recall", "error-rate"), bound=bound, one_to_one=True)
        assert failure(population, 12, compositions, choices) <= 0.4


def test_a_promise_twice_as_strong_is_caught():
    """The same sums refute 1 − δ/2 where 1 − δ holds: they are not satisfied by looseness."""
    worst = max(
        failure(population, 12, compositions, Choices(0.2, (metric,), one_to_one=True))
        for population in ONE_TO_ONE.values()
        for metric in ("precision", "recall", "error-rate")
    )
    assert 0.1 < worst <= 0.2


# Fractions: star bets, in every order.

SEVERAL = {
    "fractions": {Node(2, 2, 2): 40, Node(2, 2, 1): 12, Node(0, 0, 0): 8},
    "some have none": {Node(2, 1, 1): 20, Node(1, 2, 1): 20, Node(0, 1, 0): 10, Node(3, 0, 0): 10},
    "right where not trained": {
        Node(2, 2, 2): 44,
        Node(2, 2, 0, trained=True): 8,
        Node(0, 0, 0): 8,
    },
}


@pytest.mark.parametrize(
    "name",
    [
        "fractions",
        pytest.param("some have none", marks=pytest.mark.slow),
        "right where not trained",
    ],
)
@pytest.mark.parametrize("theorem", ["sharp", pytest.param("paper", marks=pytest.mark.slow)])
def test_several_matches_in_every_order(name, theorem):
    for metrics in (("precision", "recall"), ("error-rate",)):
        assert failure(SEVERAL[name], 5, orders, Choices(0.3, metrics, theorem)) <= 0.3


@pytest.mark.parametrize("metric", ["precision", "recall"])
def test_several_matches_in_every_order_say_something(metric):
    """At sizes where the bound is above nothing, one metric at a time."""
    population = SEVERAL["fractions"]
    choices = Choices(0.3, (metric,))
    assert failure(population, 6, orders, choices) <= 0.3
    tally, _ = outcome(population, [Node(2, 2, 2)] * 8)
    assert guarantees({"all": tally}, choices, complete=True)[0].value > 0.7


# Shortcuts that break the guarantee, on populations where it shows.


def test_validating_on_what_was_not_trained_on_as_if_on_all_is_wrong():
    """A matcher that is wrong exactly where it was trained: L − D never sees it err."""
    population = {Node(1, 1, 1): 12, Node(1, 1, 0, trained=True): 8}
    right = [Node(1, 1, 1)] * 8  # L − D, every time
    as_if_from_all = bounds.lower([True] * 8, size=20, delta=0.3)
    assert as_if_from_all > 12 / 20  # broken with probability 1
    choices = Choices(0.3, ("precision",), one_to_one=True)
    assert not broken(right, population, choices)
    tally, _ = outcome(population, right)
    assert 0.5 < guarantees({"all": tally}, choices, complete=False)[0].value <= 12 / 20


def observed_gap_in_the_test(order, size, gap, delta):
    """R ≥ this, if the gap were known before the sample: it is not."""
    from matchbound.bounds._star import star_bound

    member = np.array([node.t > 0 for node in order])
    values = np.array([node.ht / node.t if node.t else 0.0 for node in order])
    return star_bound(member, values, float(size), (-float(gap), 0), 0.05, delta)


def test_putting_the_observed_gap_into_the_recall_test_is_wrong():
    """An adversary picks how many matches to drop after seeing the sample."""
    right, wrong, none = Node(1, 1, 1), Node(1, 1, 0), Node(0, 0, 0)
    worst = {}
    for counts, delta in itertools.product(
        [(3, 2, 3), (4, 2, 2), (3, 1, 4), (2, 2, 4)], WRONG_DELTAS
    ):
        population = dict(zip((right, wrong, none), counts, strict=True))
        size, matched = sum(counts), counts[0] + counts[1]
        failed = 0.0
        for order, probability in orders(population, 5):
            if not any(node.t for node in order):
                continue
            failed += probability * any(
                observed_gap_in_the_test(order, size, gap, delta)
                > (counts[0] - gap) / matched + 1e-9
                for gap in range(counts[0] + 1)
            )
        worst[counts, delta] = failed / delta
        ours = failure(population, 5, orders, Choices(delta, ("recall",), bound="star"))
        assert ours <= delta
    assert max(worst.values()) > 1


WRONG_DELTAS = (0.3, 0.2)


# An adversary at size.


def run_with_labels_repeated(rng, share_wrong, choices):
    """C repeats the validation labels exactly and is wrong elsewhere, on a share of the nodes."""
    n, s = 2000, 200
    right = rng.random(n) < 0.93
    sampled = rng.choice(n, s, replace=False)
    is_sampled = np.zeros(n, dtype=bool)
    is_sampled[sampled] = True
    spoilt = ~is_sampled & right & (rng.random(n) < share_wrong)
    truth_of_complete = np.where(is_sampled, True, right & ~spoilt).mean()
    elsewhere = ~is_sampled
    gap = (
        Cell(1, 1, 0, int(spoilt.sum())),
        Cell(1, 1, 1, int((elsewhere & ~spoilt).sum())),
    )
    labels = tuple(Label(1, 1, int(r), 1, 1, int(r)) for r in right[sampled])
    tally = Tally(n, (), labels, (), gap)
    found = guarantees({"all": tally}, choices, complete=True)
    without_gap = guarantees({"all": tally}, choices, complete=False)
    return (
        any(g.value > truth_of_complete for g in found),
        any(g.value > truth_of_complete for g in without_gap),
    )


@pytest.mark.parametrize("theorem", ["sharp", "paper"])
@pytest.mark.parametrize("share_wrong", [1.0, 0.1])
def test_an_adversary_at_size(theorem, share_wrong):
    rng = np.random.default_rng(14)
    choices = Choices(theorem=theorem, one_to_one=True)
    runs = [run_with_labels_repeated(rng, share_wrong, choices) for _ in range(300)]
    ours, without_gap = np.sum(runs, axis=0)
    assert ours <= 26  # δ and three standard errors
    assert without_gap > 150


# The pieces, against brute force.


def test_precision_loss_is_the_worst_truth():
    """Against the formulas that know of no pair; tests/theorems/test_gaps.py has brute force."""
    for h, c in itertools.product(range(6), repeat=2):
        for hc in range(min(h, c) + 1):
            cell = Cell(h, c, hc, 1)
            loss = gaps.precision_loss(cell)
            assert loss == ((1 - Fraction(hc, max(h, c))) if h else 0)
            declared = gaps.precision_loss_one_to_one(cell)
            assert declared <= loss <= gaps.paper_precision_loss(cell) + 1e-12


def test_erratum_the_paper_s_range_of_d_p():
    """Ten holdout matches and one other complete match give 11, not at most 3."""
    assert gaps.paper_precision_loss(Cell(10, 1, 0, 1)) == 11


def test_shares_of_delta_sum_to_at_most_delta():
    for theorem, terms in itertools.product(("sharp", "paper"), (1, 2, 3, 4)):
        for delta in (0.05, 0.1, 0.3, 1e-9):
            for metrics in (("recall",), ("precision", "recall", "error-rate")):
                shares = Choices(delta, metrics, theorem).design(metrics[0]).shares(terms)
                total = sum(map(Fraction, shares)) * len(metrics)
                assert Fraction(delta) * Fraction(999, 1000) < total <= Fraction(delta)


# The paper's settings: n = 1.2·10⁸, two thirds matched, 1000 labels, 0.1% of matches dropped.


def alone(triple, count=1):
    """Labels of nodes at which the complete matcher is the holdout one."""
    return (Label.alone(*triple),) * count


def at_the_paper_s_settings(metric, theorem, rate):
    n, s, matched = 120_000_000, 1000, 667
    k = round(rate * matched)
    drawn = 100_000 if theorem == "paper" else n - s
    differ = {"recall": 0.001, "precision": 0.0015}[metric]
    found, changed = drawn * 2 // 3, round(drawn * differ)
    gap = (
        Cell(0, 0, 0, drawn - found),
        Cell(1, 1, 0, changed),
        Cell(1, 1, 1, found - changed),
    )
    validation = alone((1, 1, 1), k) + alone((1, 1, 0), matched - k) + alone((0, 0, 0), s - matched)
    tally = Tally(n, (), validation, (), gap)
    sampled = drawn if theorem == "paper" else 0
    promises = {"one_to_one": True, "at_most_one_match": True}
    choices = Choices(0.05, (metric,), theorem, gap=sampled, **promises)
    return guarantees({"all": tally}, choices, complete=True)[0].value


def test_paper_s_numerical_results():
    assert at_the_paper_s_settings("recall", "paper", 0.85) == pytest.approx(0.8162, abs=5e-5)
    assert at_the_paper_s_settings("recall", "paper", 0.95) == pytest.approx(0.9275, abs=5e-5)
    assert at_the_paper_s_settings("precision", "paper", 0.85) == pytest.approx(0.8017, abs=5e-5)
    assert at_the_paper_s_settings("precision", "paper", 0.95) == pytest.approx(0.9125, abs=5e-5)


def test_sharp_at_the_paper_s_settings():
    assert at_the_paper_s_settings("recall", "sharp", 0.85) >= 0.823
    assert at_the_paper_s_settings("precision", "sharp", 0.85) >= 0.822


# Which bound is used is no matter of the sample.


@pytest.mark.parametrize("one_to_one", [False, True])
@pytest.mark.parametrize("most", [1, 2])
def test_the_bound_is_the_same_for_every_sample_outcome_and_complete_matcher(one_to_one, most):
    """All samples of 3 of 5 nodes, all truths they might be found to have, several matchers C."""
    matches = [0, 1, most, most, 0]
    complete = [lambda h: h, lambda h: 0, lambda h: 2, lambda h: 3 if h == 0 else h]
    used = set()
    outcomes = [(0, 0), (1, 0), (1, 1)] + ([] if one_to_one else [(2, 0), (2, 1)])
    choices = Choices(0.3, ("precision", "recall", "error-rate"), one_to_one=one_to_one)
    for chosen in set(itertools.combinations(sorted(matches), 3)):
        for found in itertools.product(outcomes, repeat=3):
            if any(ht > h for h, (_, ht) in zip(chosen, found, strict=True)):
                continue
            triples = [(h, *f) for h, f in zip(chosen, found, strict=True)]
            validation = tuple(label for triple in triples for label in alone(triple))
            rest = Counter(matches) - Counter(chosen)
            for finds in complete:
                counts = Counter((h, finds(h), min(h, finds(h))) for h in rest.elements())
                gap = tuple(Cell(*c, n) for c, n in counts.items())
                tally = Tally(5, (), validation, (), gap)
                try:
                    found_bounds = guarantees({"all": tally}, choices, complete=True)
                except AssumptionError:
                    continue
                used.add(tuple(g.bound for g in found_bounds))
    assert used == {
        (
            "hypergeometric" if most == 1 else "star",
            "hypergeometric" if one_to_one else "star",
            "hypergeometric",
        )
    }


def test_a_complete_matcher_that_picks_the_bound_would_break_it():
    """Two wrong matches at a node without any cost nothing, and might switch the bound."""
    right, wrong, none = Node(1, 1, 1), Node(1, 1, 0), Node(0, 0, 0)
    population = {right: 7, wrong: 13, none: 1}
    delta, size, s = 0.2, 20, 10
    switched, ours = 0.0, 0.0
    computed = {}
    for order, probability in orders(population, s):
        values = tuple(float(node.ht) for node in order if node.h)
        if values not in computed:
            exact = bounds.lower([v > 0 for v in values], size=size, delta=delta)
            computed[values] = exact, bounds.lower(values, size=size, delta=delta)
        exact, bet = computed[values]
        switched += probability * (max(exact, bet) > 7 / 20)
        ours += probability * (exact > 7 / 20)
    assert ours <= delta < switched


def test_a_sampled_gap_is_no_census():
    tally = Tally(20, (), alone((1, 1, 1), 3), (), (Cell(1, 1, 1, 9),))
    for theorem in ("sharp", "paper"):
        with pytest.raises(AssumptionError, match=r"^gap must be a census where none was drawn"):
            guarantees({"all": tally}, Choices(theorem=theorem), complete=True)


def test_hypergeometric_is_refused_for_fractions():
    validation = alone((2, 2, 2)) + alone((2, 2, 0))
    tally = Tally(9, (), validation, (), (Cell(2, 2, 2, 7),))
    with pytest.raises(AssumptionError) as error:
        guarantees(
            {"all": tally}, Choices(metrics=("precision",), bound="hypergeometric"), complete=True
        )
    assert str(error.value) == (
        "bound must not be hypergeometric for precision, which may be a fraction here. "
        "Use auto, or declare one-to-one if a node has at most one true match."
    )


# Unlabelled nodes count as the worst case.


@pytest.mark.parametrize("theorem", ["sharp", "paper"])
@pytest.mark.parametrize("one_to_one", [False, True])
def test_unlabelled_is_below_every_label_it_might_get(theorem, one_to_one):
    others = alone((1, 1, 1), 9) + alone((0, 0, 0), 2) + alone((1, 1, 0), 2)
    choices = Choices(0.3, ("precision", "recall", "error-rate"), theorem, one_to_one=one_to_one)

    def values(triple, train):
        """The node that may be unlabelled is in the gap then."""
        (node,) = alone(triple)
        gap = [Cell(0, 0, 0, 8), Cell(1, 1, 0, 2), Cell(1, 1, 1, 16)]
        gap += [] if node.is_sure else [Cell(node.h, node.c, node.hc, 1)]
        validation = others if train else (*others[:5], node, *others[5:])
        tally = Tally(40, (node,) if train else (), validation, (), tuple(gap))
        return [g.value for g in guarantees({"all": tally}, choices, complete=True)]

    for h, train in itertools.product((0, 1), (False, True)):
        if train and theorem == "paper":
            continue
        precision, recall, error = values((h, None, None), train)
        for t, ht in [(0, 0), (1, 0), *([(1, 1)] if h else [])]:
            labelled = values((h, t, ht), train)
            assert precision <= labelled[0]
            assert recall <= labelled[1]
            assert error >= labelled[2]


def test_unlabelled_is_refused_with_bernstein():
    validation = alone((1, None, None)) + alone((1, 1, 1))
    tally = Tally(9, (), validation, (), (Cell(1, 1, 1, 8),))
    with pytest.raises(AssumptionError, match="it can rise when a value falls"):
        guarantees({"all": tally}, Choices(bound="bernstein"), complete=True)


@pytest.mark.parametrize(
    ("validation", "gap", "message"),
    [
        (
            Label(0, 1, 0, 1, 0, 0),
            (Cell(0, 1, 0, 8),),
            "holdout must match some node, got 0 of 9. "
            "Give a matcher that finds something, or a lower threshold.",
        ),
        (
            Label(1, 1, 1, 0, 0, 0),
            (Cell(1, 0, 0, 8),),
            "complete must match some node, got 0 of 9. "
            "Give a matcher that finds something, or a lower threshold.",
        ),
        (
            Label.alone(0, 1, 0),
            (Cell(0, 0, 0, 4), Cell(1, 1, 1, 4)),
            "validation nodes with a match of the holdout matcher must be at least 1, got 0 of 1. "
            "Make a fresh draw, of at least 31 nodes; it costs δ again.",
        ),
        (
            Label.alone(1, 0, 0),
            (Cell(1, 1, 1, 8),),
            "validation nodes with a true match must be at least 1, got 0 of 1. "
            "Make a fresh draw, of at least 31 nodes; it costs δ again.",
        ),
    ],
)
@pytest.mark.parametrize("theorem", ["sharp", "paper"])
def test_empty_counts_have_no_bound(validation, gap, message, theorem):
    with pytest.raises(AssumptionError) as error:
        guarantees(
            {"all": Tally(9, (), (validation,), (), gap)}, Choices(theorem=theorem), complete=True
        )
    assert str(error.value) == message


@pytest.mark.parametrize("theorem", ["sharp", "paper"])
def test_no_node_known_to_have_a_match_bounds_recall_by_nothing(theorem):
    """Only unlabelled nodes might have one, and the complete matcher dropped matches."""
    validation = alone((1, 0, 0), 4) + alone((1, None, None), 6)
    tally = Tally(30, (), validation, (), (Cell(1, 0, 0, 3), Cell(1, 1, 1, 23)))
    choices = Choices(metrics=("recall",), theorem=theorem)
    assert guarantees({"all": tally}, choices, complete=True)[0].value == 0


def test_training_nodes_count_exactly_with_a_sampled_gap():
    """D is all missed, S all found: D is known, and the others' number is not."""
    missed, right = Label.alone(1, 1, 0), Label.alone(1, 1, 1)
    tally = Tally(60, (missed,) * 20, (right,) * 10, (), (Cell(1, 1, 1, 30),))
    choices = Choices(0.1, ("recall",), one_to_one=True, gap=30)
    (g,) = guarantees({"all": tally}, choices, complete=False)
    (delta, *_) = choices.design("recall").shares(3)
    least = min(bounds.hypergeometric_lower(10, 10, n, delta) / (20 + n) for n in range(10, 41))
    assert g.value == pytest.approx(least, rel=2e-5)


def test_the_stake_of_brought_labels_is_planned_over_all_nodes():
    right, wrong, none = Label.alone(2, 2, 2), Label.alone(2, 2, 1), Label.alone(0, 0, 0)
    validation = (right,) * 20 + (wrong,) * 5 + (none,) * 15
    tally = Tally(100, (), validation, (), (Cell(2, 2, 2, 25), Cell(0, 0, 0, 35)))
    variances = {"precision": 0.5}
    choices = Choices(0.1, ("precision",), theorem="paper", brought=True, variances=variances)
    (g,) = guarantees({"all": tally}, choices, complete=False)
    values, member = [1.0] * 20 + [0.5] * 5 + [0.0] * 15, [True] * 25 + [False] * 15
    (delta, *_) = choices.design("precision").shares(4)
    found = weighted_lower(values, [1.0] * 40, member=member, delta=delta, variance=0.5 * 0.5)
    assert g.value == pytest.approx(found, abs=2e-6)


def test_without_a_plan_bets_and_stakes_are_as_the_bounds_have_them():
    right, half, none = Label.alone(2, 2, 2), Label.alone(2, 2, 1), Label.alone(0, 0, 0)
    validation = (right, right, none, half, right, right, none, right) * 6
    tally = Tally(200, (), validation, (), (Cell(2, 2, 2, 76), Cell(0, 0, 0, 76)))
    member = [bool(label.t) for label in validation]
    values = [(label.ht or 0) / label.t if label.t else 0.0 for label in validation]
    share = (76 + sum(member)) / 200  # of nodes that the holdout matcher matches
    for choices, found in (
        (
            Choices(0.1, ("recall",)),
            lambda d: bounds.ratio_lower(member, values, size=200, delta=d, variance=0.05 * share),
        ),
        (
            Choices(0.1, ("recall",), brought=True),
            lambda d: orderfree_ratio(member, values, size=200, delta=d),
        ),
    ):
        (g,) = guarantees({"all": tally}, choices, complete=False)
        assert g.value == pytest.approx(found(choices.design(g.metric).shares(2)[0]), abs=2e-6)


def test_wrong_labels_may_name_members_that_are_none():
    tally = Tally(6, (), (Label.alone(1, 1, 1),) * 4 + (Label.alone(0, 0, 0),) * 2, (), ())
    choices = Choices(0.1, ("recall",), one_to_one=True)
    for errors in (0, 1, 2):
        assert members.least(tally, choices.design("recall"), 0.01, None, errors) == 4 - errors
