"""Every term of every theorem: what it spends of δ, and that it is needed."""

from dataclasses import MISSING, fields, replace
from fractions import Fraction

import numpy as np
import pytest

from matchbound import Choices, Tally
from matchbound.theorems import nodes
from matchbound.theorems.design import Design
from matchbound.theorems.guarantees import choose_threshold, guarantees
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.parts import parts
from matchbound.theorems.tally import Cell, Label
from matchbound.theorems.terms import Finding, bounded
from support.pooled_terms import pooled_rows
from support.populations import Node, cells
from support.terms import Recorded, rows, unsure, using

ROWS = [*rows(), *pooled_rows()]
EVERY_METRIC = ("precision", "recall", "error-rate")
OF_PRECISION = ("precision", "pairwise-precision", "b3-precision")
BY_SUMS = tuple(name for name in METRICS if METRICS[name].by_sums)
PROMISED = {"one_to_one": True, "at_most_one_match": True}
SCORES = {"choose_threshold": {"precision": 0.2}, "candidates": (0.9, 0.8, 0.7)}

MATCHED = [
    {},
    {"one_to_one": True, "bound": "anytime"},
    {"theorem": "paper", "brought": True},
    {"theorem": "paper", "gap": 60, **PROMISED},
    {"gap": 60},
    {"future": True},
    {"weigh": "pairwise-f1", "most_true_matches": 2},
]

# Choices that between them have every kind of draw; a field of Choices is in one of them.
KINDS = [
    {"metrics": EVERY_METRIC},
    {"metrics": EVERY_METRIC, "one_to_one": True, "other_terms": 0.1},
    {"metrics": EVERY_METRIC, "theorem": "paper"},
    {"metrics": EVERY_METRIC, "theorem": "paper", "brought": True},
    {"metrics": EVERY_METRIC, "theorem": "paper", "gap": 60, **PROMISED},
    {"metrics": EVERY_METRIC, "gap": 60},
    {"metrics": EVERY_METRIC, "gap": 60, **PROMISED, "bound": "hoeffding"},
    {"metrics": EVERY_METRIC, "future": True},
    {"metrics": EVERY_METRIC, "future": True, **PROMISED},
    {"metrics": EVERY_METRIC, "brought": True},
    {"metrics": EVERY_METRIC, "bound": "anytime"},
    {"metrics": EVERY_METRIC, "bound": "anytime", "few_misses": ("recall",), "one_to_one": True},
    {"metrics": EVERY_METRIC, "bound": "serfling", "one_to_one": True},
    {"metrics": EVERY_METRIC, "until": {"recall": 9}, "one_to_one": True},
    {"metrics": EVERY_METRIC, "until": {"precision": 9}},
    {"metrics": EVERY_METRIC, "guesses": {"recall": 0.8}, "matched": 0.7},
    {"metrics": EVERY_METRIC, "variances": {"precision": 0.1, "recall": 0.05}},
    {"metrics": EVERY_METRIC, "bands": (0.9, 0.5)},
    {"metrics": EVERY_METRIC, "algorithms": ("a", "b", "c")},
    {"metrics": EVERY_METRIC, "rounds": 2, "options": (2, 3)},
    {"metrics": ("precision",), "among": True},
    {"metrics": EVERY_METRIC, **SCORES, "allowance": 0.01},
    {"metrics": BY_SUMS, "most_true_matches": 3},
    {"metrics": BY_SUMS, "one_to_one": True, "bound": "anytime"},
    {"metrics": ("pairwise-recall", "pairwise-f1"), "among_records_with_at_most": 1},
    {"metrics": ("pairwise-recall", "pairwise-f1"), "limit_by_sample": True},
    {"metrics": OF_PRECISION, "weigh": "pairwise-precision"},
    {"metrics": tuple(METRICS), "weigh": "pairwise-f1", "most_true_matches": 2},
    *({"metrics": EVERY_METRIC, "every_node_matched": True, **kind} for kind in MATCHED),
]
NO_KIND_OF_DRAW = {"delta"}


def everything(kind):
    """A tally with D, S, an overlap, unsure nodes in both, and a gap.

    If the sample is to prove a limit on true matches, every node is labelled; if every node has a
    true match by promise, each has one.
    """
    population = {
        Node(1, 1, 1, trained=True): 6,
        Node(1, 1, 0, trained=True): 3,
        Node(1, 1, 1): 50,
        Node(1, 1, 0): 12,
        Node(0, 1, 0): 29 if kind.every_node_matched else 10,
        Node(0, 0, 0): 0 if kind.every_node_matched else 19,
    }
    order = [node for node, n in population.items() for _ in range(min(n, 8) - 2 * node.trained)]
    strategy = ("labels", "lose the true if right")
    hidden = None if kind.limit_by_sample else (1, 1, 0)
    tally, _ = unsure(population, order, lambda x: x[:3] == hidden, strategy)
    return replace(tally, gap=tally.everywhere) if kind.is_sampled else tally


def tallies_of(choices):
    return {part.name: everything(choices) for part in parts(choices)}


def guaranteed(choices):
    """Of the complete matcher, wherever a theorem tells of it."""
    complete = not choices.among_records_with_at_most
    return guarantees(tallies_of(choices), choices, complete=complete)


def recorded(choices):
    """By part and metric: what was recorded, each guarantee by itself."""
    found = {}
    for part in parts(choices):
        for metric in ("precision",) if part.is_band else choices.metrics:
            terms = Recorded()
            theorem, design = (
                METRICS[metric].theorems[choices.applied_theorem],
                choices.design(metric),
            )
            tally = everything(choices)
            using(terms, lambda f=theorem, t=tally, d=design: f(t, d, True))
            found[part.name, metric] = terms
    return found


# What is spent.


def spent_beyond_what_was_given(choices):
    """Metrics whose own terms sum to more than their share of δ, or that spend a term twice.

    What recall takes from precision's event is precision's to pay, and must be what it paid; so it
    is with pairs.
    """
    given = Fraction(choices.delta) / (choices.guarantees * choices.leaves)
    found, over = recorded(choices), []
    for (part, metric), terms in found.items():
        own = [s for s in terms.spent if s[0].startswith(f"{choices.applied_theorem} {metric} ")]
        others = set(terms.spent) - set(own)
        events = [found.get((part, name)) for name in ("precision", "pairwise-precision")]
        paid = [spent for event in events if event for spent in event.spent]
        twice = len(own) != len({name for name, _ in own})
        if sum(Fraction(d) for _, d in own) > given or twice or not own or others - set(paid):
            over.append(metric)
    return over


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_no_metric_spends_more_than_it_was_given(kind):
    assert spent_beyond_what_was_given(Choices(0.2, **kind)) == []


def test_recall_that_spends_5_percent_more_is_caught(monkeypatch):
    plain = Design.shares

    def more(self, terms):
        first, *others = plain(self, terms)
        return (first * (1.05 if terms == 2 else 1), *others)

    monkeypatch.setattr(Design, "shares", more)
    choices = Choices(0.2, ("precision", "recall"))
    assert spent_beyond_what_was_given(choices) == ["recall"]


def test_all_parts_together_spend_at_most_delta():
    """Each event once, whoever uses it."""
    for kind in KINDS:
        if "choose_threshold" in kind:
            continue
        choices, events = Choices(0.2, **kind), set()
        for (part, _), terms in recorded(choices).items():
            events |= {(part, name, delta) for name, delta in terms.spent}
        total = choices.leaves * sum(Fraction(delta) for *_, delta in events)
        assert total <= Fraction(choices.delta)


def test_a_sequence_of_thresholds_spends_the_whole_delta_on_each():
    """Not their sum: the first candidate below its level is the only one whose test must hold, and
    which that is does not depend on the labels. Other metrics share δ among the candidates."""
    choices = Choices(0.2, ("precision", "recall"), one_to_one=True, **SCORES)
    terms = Recorded()
    tallies = tallies_of(choices)
    using(terms, lambda: choose_threshold(tallies, choices, complete=True))
    given = Fraction(choices.delta) / 2
    assert [name for name, _ in terms.spent] == ["sharp precision labels"] * 3
    assert all(given * Fraction(999, 1000) < Fraction(d) <= given for _, d in terms.spent)
    terms = Recorded()
    using(terms, lambda: guarantees(tallies, choices, complete=True))
    recall = [Fraction(d) for name, d in terms.spent if name.startswith("sharp recall")]
    assert len(recall) == 2
    assert sum(recall) <= given / 3


# That every term is needed.


LONG = ("paper precision holdout",)


@pytest.mark.parametrize(
    "row",
    [pytest.param(row, marks=pytest.mark.slow if row.name in LONG else ()) for row in ROWS],
    ids=lambda row: f"{row.name} ({row.choices.theorem})",
)
def test_a_cut_term_fails_and_the_shipped_one_does_not(row):
    shipped, cut = row.failures()
    assert shipped <= row.choices.delta < cut


def without_a_row():
    """Names that some kind of draw records and no row cuts, and the other way round."""
    seen = set()
    for kind in KINDS:
        choices, terms = Choices(0.2, **kind), Recorded()
        using(terms, lambda c=choices: guaranteed(c))
        seen |= terms.names
    return seen ^ {row.name for row in ROWS}


def not_recorded():
    """Metrics and theorems that no kind of draw runs."""
    ran = {(m, c.applied_theorem) for kind in KINDS for c in [Choices(**kind)] for m in c.metrics}
    return {(name, theorem) for name, row in METRICS.items() for theorem in row.theorems} - ran


def test_every_term_has_a_row(monkeypatch):
    assert without_a_row() == set()
    plain = METRICS["recall"].theorems["sharp"]

    def with_one_more(tally, design, complete):
        bounded("one more", 0.01, lambda d: d)
        return plain(tally, design, complete)

    monkeypatch.setitem(METRICS["recall"].theorems, "sharp", with_one_more)
    assert without_a_row() == {"one more"}


def test_every_metric_and_theorem_is_recorded(monkeypatch):
    assert not_recorded() == set()
    monkeypatch.setitem(METRICS, "f1", replace(METRICS["recall"], theorems={"sharp": None}))
    monkeypatch.setitem(METRICS["recall"].theorems, "sharper", None)
    assert not_recorded() == {("f1", "sharp"), ("recall", "sharper")}


def test_every_kind_of_draw_is_recorded():
    """A field of Choices is given in some row, other than by default, or is none of a draw."""
    for field in fields(Choices):
        given = field.default if field.default is not MISSING else field.default_factory()
        varied = any(kind.get(field.name, given) != given for kind in KINDS)
        assert varied != (field.name in NO_KIND_OF_DRAW), field.name


# Nodes to come: D says nothing of them.


def counting_training_exactly(tally, design, complete):
    """The error rate of nodes to come as if D were part of them."""
    from matchbound import bounds

    delta, *_ = design.shares(2)
    fresh = nodes.errors(tally.fresh)
    rest = tally.size - len(tally.train)
    high = bounds.upper(fresh, size=None, delta=delta)
    value = (sum(nodes.errors(tally.train)) + rest * high) / tally.size
    return Finding(value, 0.0, "binomial")


def failed_on_nodes_to_come(runs=400):
    """H knows D by heart, and is wrong at a third of all other nodes."""
    rng = np.random.default_rng(25)
    choices = Choices(0.2, ("error-rate",), future=True)
    right, wrong = Label.alone(1, 1, 1), Label.alone(1, 1, 0)
    failed = 0
    for ones in rng.binomial(60, 2 / 3, runs):
        validation = (right,) * ones + (wrong,) * (60 - ones)
        tally = Tally(200, (right,) * 40, validation, (), (Cell(1, 1, 1, 100),))
        failed += guarantees({"all": tally}, choices, complete=False)[0].value < 1 / 3
    return failed / runs


def test_the_error_rate_of_nodes_to_come_does_not_count_training_nodes(monkeypatch):
    assert 0.05 < failed_on_nodes_to_come() <= 0.2 + 0.06
    monkeypatch.setitem(METRICS["error-rate"].theorems, "sampled", counting_training_exactly)
    assert failed_on_nodes_to_come() > 0.5


def test_cells_of_equal_counts_are_one_row():
    same = Label(1, 1, 1, 1, 1, 1), Label(1, 0, 0, 1, 0, 1)
    assert cells({same[0]: 2, same[1]: 3}) == (Cell(1, 1, 1, 5),)


# Nothing is bounded without a name.


def bounds_in(module):
    """The functions of `matchbound.bounds` that a module of the theorems calls."""
    for name, value in vars(module).items():
        home = getattr(value, "__module__", "") or ""
        is_class = isinstance(value, type)
        if callable(value) and not is_class and home.startswith("matchbound.bounds"):
            yield name


def test_every_bound_is_asked_for_under_a_name(monkeypatch):
    from matchbound import bounds
    from matchbound.theorems import members, paper, sampled, sharp, terms, weighted

    inside = []

    class Watched(terms.Terms):
        def bounded(self, name, delta, bound):
            inside.append(name)
            try:
                return bound(delta)
            finally:
                inside.pop()

    def only_inside(function):
        def called(*arguments, **options):
            assert inside, f"{function.__name__} was called outside every term"
            return function(*arguments, **options)

        return called

    for module in (members, paper, sampled, sharp, terms, weighted):
        for name in list(bounds_in(module)):
            monkeypatch.setattr(module, name, only_inside(getattr(module, name)))
    for name in ("lower", "upper", "ratio_lower"):
        monkeypatch.setattr(bounds, name, only_inside(getattr(bounds, name)))
    for name, row in bounds.BOUNDS.items():
        if row.share is not None:
            watched = replace(row, ones=only_inside(row.ones), share=only_inside(row.share))
            monkeypatch.setitem(bounds.BOUNDS, name, watched)
    token = terms.TERMS.set(Watched())
    try:
        for kind in KINDS:
            guaranteed(Choices(**kind))
        with pytest.raises(AssertionError, match="outside every term"):
            terms.mean_lower([1.0], 9, 0.1, "star", 0.05)
        with pytest.raises(AssertionError, match="outside every term"):
            members._steps([1.0], 0.1, "hypergeometric", (0.0, 0)).ones(9)
    finally:
        terms.TERMS.reset(token)
