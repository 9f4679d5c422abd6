"""Every node has a true match, by promise: recall is then a mean over a number of nodes known."""

import itertools
import math
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from matchbound import AssumptionError, Choices
from matchbound.theorems import members, nodes
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.planned import planned_variances
from matchbound.theorems.tally import Cell, Label, Tally
from matchbound.theorems.terms import Terms
from support.oracles import least_ones
from support.populations import Node, breaks, broken, compositions, metrics_of, orders, outcome
from support.terms import Cut, unsure, using
from support.worlds import World, changed, matching, subsets

BOTH = ("precision", "recall")
MATCHED = {"every_node_matched": True}
ONE = {"one_to_one": True, **MATCHED}


def recall_of(tally, complete=False, delta=0.1, **how):
    """The guarantee of recall alone."""
    (one,) = guarantees({"all": tally}, Choices(delta, ("recall",), **how), complete=complete)
    return one


def a_tally(population, order, strategy=("same", "same")):
    return outcome(population, order, strategy)[0]


# What it is.

SOME = {Node(1, 1, 1): 60, Node(1, 1, 0): 5, Node(0, 1, 0): 35}
SMALLER = {Node(1, 1, 1): 12, Node(1, 1, 0): 4, Node(0, 1, 0): 4}
SEEN = [node for node, n in SOME.items() for _ in range(n // 5)]


def test_it_is_the_exact_bound_over_the_matched_nodes_whose_number_is_known():
    """Where H has no match recall is 0: 12 of 13 sampled nodes of 65 are found, out of 100."""
    expected = least_ones(12, 13, 65, 0.1) / 100
    assert recall_of(a_tally(SOME, SEEN), **ONE).value == pytest.approx(expected, abs=2e-6)


def with_gap(tally):
    """The complete matcher replaces the matches of two nodes."""
    cells = {cell.h: cell for cell in tally.gap}
    h = max(cells)
    cells[h] = cells[h]._replace(nodes=cells[h].nodes - 2)
    return replace(tally, gap=(*cells.values(), Cell(h, h, 0, 2)))


FRACTIONS = {Node(2, 2, 2): 40, Node(2, 2, 1): 20, Node(0, 2, 0): 30}
HOW = ({}, {"weigh": "pairwise-f1", "most_true_matches": 2}, {"gap": 99}, {"theorem": "paper"})


@pytest.mark.parametrize("how", HOW, ids=str)
@pytest.mark.parametrize("population", [SOME, FRACTIONS], ids=["one each", "several"])
def test_it_is_tighter_than_without_the_promise(population, how):
    """Also with D, with fractions, with a complete matcher, by weight, and with a sampled gap."""
    trained = {replace(node, trained=True): 5 for node in population}
    order = [node for node, n in population.items() for _ in range(n // 4)]
    order = [order[i] for i in np.random.default_rng(1).permutation(len(order))]
    for d in ({}, trained):
        tally = with_gap(a_tally(population | d, order))
        if "gap" in how:
            tally = replace(tally, gap=tally.everywhere)
        plain, promised = (recall_of(tally, True, **how, **also) for also in ({}, MATCHED))
        assert promised.value > plain.value


def test_beside_precision_no_sample_gives_less_than_without_the_promise():
    """Where a node has at most one true match, precision's event tells of the found nodes.

    But nothing above 0.8, which is certain: 16 nodes of 20 have a match.
    """
    for order, _ in compositions(SMALLER, 8):
        tally = a_tally(SMALLER, order)
        plain, promised = (
            guarantees({"all": tally}, Choices(0.3, BOTH, one_to_one=True, **how), complete=False)
            for how in ({}, MATCHED)
        )
        assert promised[1].value >= min(plain[1].value, 0.799999)
        assert promised[0] == plain[0]


def test_all_of_delta_is_the_labels_():
    spent = []

    class Spent(Terms):
        def bounded(self, name, delta, bound):
            spent.append((name, delta))
            return bound(delta)

    using(Spent(), lambda: recall_of(a_tally(SOME, SEEN), **ONE))
    assert [name for name, _ in spent] == ["sharp recall labels"]
    assert spent[0][1] == pytest.approx(0.1)


def test_the_sample_s_mean_is_over_all_its_nodes():
    for how in ({}, {"weigh": "pairwise-f1", "most_true_matches": 2}):
        plain, promised = (recall_of(a_tally(SOME, SEEN), **how, **also) for also in ({}, MATCHED))
        assert promised.estimate == plain.estimate


def test_no_other_metric_depends_on_it():
    tally = a_tally(SOME, SEEN, ("labels", "lose the true"))
    metrics = tuple(name for name in METRICS if name != "recall")
    plain, promised = (
        guarantees({"all": tally}, Choices(0.1, ("recall", *metrics), **how), complete=True)
        for how in ({"most_true_matches": 2}, {"most_true_matches": 2, **MATCHED})
    )
    assert [g for g in plain if g.metric != "recall"] == [
        g for g in promised if g.metric != "recall"
    ]


def test_what_no_label_can_change_is_no_matter_of_chance():
    """Nodes without a match are missed for certain, however large δ is; all others may be right."""
    tally = a_tally(SOME, [Node(1, 1, 1)] * 30)
    assert recall_of(tally, delta=0.999, **MATCHED).value <= 0.65
    every = a_tally(SOME, [node for node, n in SOME.items() for _ in range(n)])
    assert recall_of(every, **MATCHED).value == 0.6


def test_the_plan_is_of_the_nodes_that_are_bet_on():
    """D's labels give the variance over found nodes; so does a guess, by the share of these."""
    d = [Label.alone(2, 2, 2)] * 12 + [Label.alone(2, 2, 1)] * 4 + [Label.alone(0, 2, 0)] * 16
    tally = Tally(100, tuple(d), (), (), (Cell(2, 2, 2, 34), Cell(0, 0, 0, 34)))
    choices = Choices(0.1, ("recall",), **MATCHED)
    mean = 14 / 16
    spread = (12 * (1 - mean) ** 2 + 4 * (0.5 - mean) ** 2 + mean**2 / 2) / 16.5
    planned = planned_variances(tally, choices, raised=False)
    assert planned["recall"] == pytest.approx(spread)
    design = replace(choices, guesses={"recall": 0.4}).design("recall")
    assert members.where_found(tally, design).planned_variance() == pytest.approx(0.8 * 0.2)
    certain = replace(choices, guesses={"recall": 0.9}).design("recall")
    assert 0 < members.where_found(tally, certain).planned_variance() < 0.006


# What refutes it.


@pytest.mark.parametrize("role", ["train", "validation"])
@pytest.mark.parametrize("theorem", ["sharp", "paper"])
def test_a_label_without_a_true_match_refuses(role, theorem):
    tally = a_tally(SOME | {Node(1, 1, 1, trained=True): 3}, SEEN)
    labels = (*getattr(tally, role), Label.alone(0, 0, 0))
    tally = replace(tally, **{role: labels}, size=tally.size + 1)
    with pytest.raises(AssumptionError) as error:
        recall_of(tally, theorem=theorem, **MATCHED)
    assert str(error.value) == (
        "every_node_matched must allow what labels show, got 1 of 24 labelled nodes without a true "
        "match. Draw again without the promise; it costs δ again."
    )


def test_an_unsure_node_counts_as_missed():
    for hidden in (Node(1, 1, 1), Node(0, 1, 0)):
        tally, _ = unsure(SOME, SEEN, lambda x, n=hidden: x[:3] == (n.h, n.t, n.ht))
        missed = [Node(n.h, n.t, 0) if n == hidden else n for n in SEEN]
        population = Counter(SOME) - Counter(SEEN) + Counter(missed)
        assert recall_of(tally, **ONE).value == recall_of(a_tally(population, missed), **ONE).value


# Exact sums: over every sample, for a complete matcher that sees it.

TRUE = {
    Node(1, 1, 1): 18,
    Node(1, 1, 0): 4,
    Node(0, 1, 0): 6,
    Node(1, 1, 1, trained=True): 2,
    Node(0, 1, 0, trained=True): 1,
}
SEVERAL = {Node(2, 2, 2): 7, Node(2, 2, 1): 4, Node(1, 2, 0): 2, Node(0, 1, 0): 3}
UNMATCHED = {Node(0, 0, 0): 2, Node(1, 0, 0): 3}  # a label of one of them refuses
RECALL, TOGETHER = {"metrics": ("recall",)}, {"metrics": BOTH}
PAPER = {"metrics": BOTH, "theorem": "paper"}
ANYTIME = {"metrics": BOTH, "bound": "anytime"}
BY_WEIGHT = {"metrics": BOTH, "weigh": "pairwise-f1", "most_true_matches": 2}


def failures(population, choices, s, draws):
    """The chance that some complete matcher breaks a guarantee; a refused one is not broken."""
    fresh = {node: n for node, n in population.items() if not node.trained}

    def is_broken(order):
        return broken(order, population, choices) or broken(order, population, choices, True)

    return sum(chance for order, chance in draws(fresh, s) if is_broken(order))


@pytest.mark.parametrize("also", [{}, UNMATCHED], ids=["true", "false"])
@pytest.mark.parametrize(
    "how", [RECALL, TOGETHER, pytest.param(PAPER, marks=pytest.mark.slow)], ids=str
)
def test_it_fails_with_at_most_delta(how, also):
    """Where the promise is false, too: bounds from below hold as long as no label refutes it."""
    choices = Choices(0.3, **how, **ONE)
    failed = failures(TRUE | also, choices, 8, compositions)
    assert failed <= 0.3
    assert failed > 0.01  # it can fail


@pytest.mark.slow
@pytest.mark.parametrize("also", [{}, UNMATCHED], ids=["true", "false"])
@pytest.mark.parametrize("how", [RECALL, TOGETHER, PAPER, ANYTIME, BY_WEIGHT], ids=str)
def test_fractions_fail_with_at_most_delta(how, also):
    """In every order."""
    choices = Choices(0.3, **how, **MATCHED)

    def draws(fresh, s):
        return orders(fresh, s, lambda node: choices.design("recall").weight(node.h))

    assert failures(SEVERAL | also, choices, 4, draws) <= 0.3


# Every complete matcher there is, where nodes are of two tables, or of one.

A, B, AB, NO = (frozenset(x) for x in ((0,), (1,), (0, 1), ()))
ROUND = tuple(map(frozenset, ((1, 3), (0, 2, 3), (1,), (0, 1))))
STAR = tuple(map(frozenset, ((1, 3), (0,), (), (0,))))
PAIRS = tuple(map(frozenset, ((1,), (0,), (3,), (2,))))
SMALL = {  # H, T, whether they are of one table, s and δ
    "linkage": ((AB, B, B, AB), (AB, B, AB, B), False, 1, 0.4),
    "linkage, one each": ((A, B, A, B), (A, B, A, B), False, 2, 0.4),
    "linkage, false": ((AB, B, NO, A), (AB, B, NO, A), False, 1, 0.6),
    "one table": (ROUND, ROUND, True, 1, 0.4),
    "one table, one each": (PAIRS, PAIRS, True, 2, 0.4),
    "one table, false": (STAR, STAR, True, 1, 0.6),
}


def complete_matchers(h, t, dedupe):
    """All of them, but for those with the same counts at every node."""
    n = len(h)
    if dedupe:
        links = list(itertools.combinations(range(n), 2))
        for chosen in itertools.product((False, True), repeat=len(links)):
            linked = [link for link, is_in in zip(links, chosen, strict=True) if is_in]
            yield tuple(frozenset(y for x in linked for y in x if i in x) - {i} for i in range(n))
        return
    every = [
        {(len(c), len(one & c), len(c & true)): c for c in (NO, A, B, AB)}.values()
        for one, true in zip(h, t, strict=True)
    ]
    yield from itertools.product(*every)


def chance_that_any_breaks(name, s, choices):
    h, t, dedupe, *_ = SMALL[name]
    samples = list(itertools.permutations(range(1, len(h)), s))  # node 0 is D
    return sum(some_break(h, t, dedupe, sample, choices) for sample in samples) / len(samples)


def some_break(h, t, dedupe, sample, choices):
    """Whether some complete matcher has less than is said of it; a refused one has not."""
    for c in complete_matchers(h, t, dedupe):
        world = World(h, c, t, (0,), sample, frozenset(), dedupe)
        try:
            certified = guarantees({"all": world.tally}, choices, complete=True)
        except AssumptionError:
            continue
        if breaks(certified, metrics_of(Counter(world.labels))):
            return True
    return False


@pytest.mark.parametrize("name", SMALL)
def test_the_chance_that_any_complete_matcher_breaks_it(name):
    """With the gap forgotten it is more than δ."""
    *_, s, delta = SMALL[name]
    choices = Choices(delta, ("recall",), **MATCHED, one_to_one="one each" in name)
    forgotten = Cut("sharp recall gap", None)
    assert chance_that_any_breaks(name, s, choices) <= delta
    assert using(forgotten, lambda: chance_that_any_breaks(name, s, choices)) > delta


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("delta", [0.3, 0.6, 0.9])
def test_the_chance_with_precision_beside_it(name, delta):
    choices = Choices(delta, BOTH, **MATCHED, one_to_one="one each" in name)
    assert chance_that_any_breaks(name, 2, choices) <= delta


class Believed(Terms):
    """Precision's labels' bound put in by hand."""

    def __init__(self, mean):
        self.mean = mean

    def bounded(self, name, delta, bound):
        return bound(delta) if name == "sharp recall labels" else self.mean


def a_matched_world(rng, dedupe, one_to_one):
    """Some nodes have no true match, and stay without a sure label."""
    n = int(rng.integers(3, 7))
    items = n if dedupe else int(rng.integers(2, 5))
    t = subsets(rng, n, items, 0.5, dedupe)
    if one_to_one:
        t = matching(rng, n)
    h, order = changed(rng, t, n, items, dedupe), [int(x) for x in rng.permutation(n)]
    trained, drawn = int(rng.integers(0, n // 2 + 1)), int(rng.integers(1, n))
    train, sample = tuple(order[:trained]), tuple(order[trained : trained + drawn])
    hidden = frozenset(x for x in order if not t[x] or rng.random() < 0.15)
    return World(h, changed(rng, h, n, items, dedupe), t, train, sample, hidden, dedupe)


@pytest.mark.parametrize("dedupe", [False, True], ids=["linkage", "deduplication"])
@pytest.mark.parametrize("one_to_one", [False, True], ids=["several", "one to one"])
def test_nothing_breaks_what_follows_from_true_bounds(dedupe, one_to_one, monkeypatch):
    """With the true Σ r_H and Σ p_H, or less, no complete matcher has less recall than is said."""
    rng, tight = np.random.default_rng(26), 0
    for _ in range(200):
        world = a_matched_world(rng, dedupe, one_to_one)
        labels, truth = world.labels, metrics_of(Counter(world.labels))["recall"]
        rest = [x for i, x in enumerate(labels) if i not in world.train and x.h]
        if truth is None or not any(x.h for x in labels):
            continue
        loose = 1.0 if rng.random() < 0.5 else rng.random()
        found = members.Line(loose * math.fsum(x.ht / x.t for x in labels if x.t), 0.0)
        monkeypatch.setattr(members, "recall_sum", lambda *_, found=found: found)
        mean = loose * (np.mean([x.ht / x.h for x in rest]) if rest else 0.0)
        choices = Choices(0.3, BOTH, one_to_one=one_to_one, **MATCHED)
        try:
            certified = using(
                Believed(mean),
                lambda t=world.tally, c=choices: guarantees({"all": t}, c, complete=True),
            )
        except AssumptionError:
            continue
        assert certified[1].value <= truth + 1e-9, world
        tight += abs(certified[1].value - truth) < 1e-5
    assert tight > 10


# Forms that are tempting and fail.


def chance_of_failure(population, s, hidden=lambda x: False, **how):
    choices, failed = Choices(0.2, ("recall",), **ONE, **how), 0.0
    for order, chance in compositions(population, s):
        tally, truth = unsure(population, order, hidden)
        try:
            certified = guarantees({"all": tally}, choices, complete=False)
        except AssumptionError:
            continue
        failed += chance * breaks(certified, truth)
    return failed


MISLED = {Node(1, 1, 1): 4, Node(1, 1, 0): 8, Node(1, 0, 0): 8}


def test_one_member_fewer_than_there_are(monkeypatch):
    assert chance_of_failure(SMALLER, 17) <= 0.2
    monkeypatch.setattr(members, "range_of", lambda tally, *_: (tally.size - 1, tally.size - 1))
    assert chance_of_failure(SMALLER, 17) > 0.2


def test_unsure_nodes_left_out(monkeypatch):
    """A labeller who never tells where the holdout matcher is wrong."""

    def is_wrong(x):
        return x.ht < x.h

    assert chance_of_failure(SMALLER, 8, is_wrong) <= 0.2
    monkeypatch.setattr(members, "sampled", lambda tally: tuple(x for x in tally.fresh if x.t))
    assert chance_of_failure(SMALLER, 8, is_wrong) > 0.2


def test_an_unmatched_node_that_counts_as_right(monkeypatch):
    """Where the promise is false: nothing missed is taken for everything found."""
    module = sys.modules["matchbound.theorems.guarantees"]  # not the function of that name
    monkeypatch.setattr(module, "_check_every_node", lambda *_: None)
    assert chance_of_failure(MISLED, 10) <= 0.2
    plain = nodes.recalls

    def nothing_missed(labels):
        member, values = plain(labels)
        return member, [1.0 if x.t == 0 else v for x, v in zip(labels, values, strict=True)]

    monkeypatch.setattr(nodes, "recalls", nothing_missed)
    monkeypatch.setattr(nodes, "complete_recalls", lambda labels: nothing_missed(labels)[1])
    assert chance_of_failure(MISLED, 10) > 0.2
