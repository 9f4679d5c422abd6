"""Until enough, among the matched, at any time: δ is kept, and shortcuts break it."""

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from matchbound import AssumptionError, Choices, InputError, Tally, bounds
from matchbound.tallies.prefix import looked_at
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.tally import Cell, Label
from support.populations import Node, breaks, outcome

RUNS = 1000


def at_most(delta, runs=RUNS):
    return delta + 3 * (delta * (1 - delta) / runs) ** 0.5


def broken(tally, choices, metrics, complete=True):
    try:
        found = guarantees({"all": tally}, choices, complete=complete)
    except AssumptionError:  # nothing to tell by: nothing is promised
        return False
    return breaks(found, metrics, 1e-9)


def an_order(rng, population):
    nodes = [node for node, count in population.items() for _ in range(count)]
    return [nodes[i] for i in rng.permutation(len(nodes))]


POPULATIONS = {
    "few have a match": {
        Node(1, 1, 1): 40,
        Node(0, 1, 0): 10,
        Node(1, 0, 0): 15,
        Node(0, 0, 0): 85,
    },
    "wrong where nothing is true": {Node(1, 1, 1): 50, Node(1, 0, 0): 50},
    "several": {Node(2, 2, 2): 40, Node(2, 3, 1): 20, Node(1, 1, 0): 20, Node(0, 0, 0): 40},
    "trained": {
        Node(1, 1, 1, trained=True): 12,
        Node(1, 1, 0): 15,
        Node(1, 1, 1): 50,
        Node(0, 0, 0): 40,
    },
}
STRATEGIES = [("same", "same"), ("labels", "lose the true if right"), ("labels", "pad")]


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("wanted", [{"recall": 15}, {"precision": 15}])
def test_until_enough(name, wanted):
    """Drawing ends with the fifteenth node that counts, whatever the complete matcher does."""
    rng = np.random.default_rng(1)
    population = POPULATIONS[name]
    choices = Choices(
        0.2,
        ("precision", "recall", "error-rate"),
        until=wanted,
        one_to_one=name != "several",
    )
    failed = 0
    for run in range(600):
        order = an_order(rng, population)
        strategy = STRATEGIES[run % 3]
        if "recall" in wanted:
            queue, metrics = outcome(population, order[:100], strategy)
            tally = looked_at(queue, choices, "refuse")
            ended = order[: len(tally.validation)]
            assert sum(n.t > 0 and not n.trained for n in ended) == 15
        else:
            counts = np.cumsum([n.h > 0 and not n.trained for n in order])
            ended = order[: int(np.argmax(counts == 15)) + 1]
        tally, metrics = outcome(population, ended, strategy)
        failed += broken(tally, choices, metrics)
    assert failed / 600 <= at_most(0.2, 600)


def test_only_the_counted_metric_keeps_its_bound():
    population = POPULATIONS["few have a match"]
    order = an_order(np.random.default_rng(2), population)
    tally, _ = outcome(population, order[:60])
    metrics = ("precision", "recall", "error-rate")

    def used(one_to_one, **until):
        choices = Choices(0.2, metrics, until=until, one_to_one=one_to_one)
        return [g.bound for g in guarantees({"all": tally}, choices, complete=True)]

    assert used(True, recall=9) == ["likelihood", "hypergeometric", "likelihood"]
    assert used(False, recall=9) == ["likelihood", "anytime", "likelihood"]
    assert used(True, precision=9) == ["hypergeometric", "likelihood", "likelihood"]
    few = Choices(0.2, metrics, until={"recall": 9}, one_to_one=True, few_misses=("precision",))
    bounds_used = [g.bound for g in guarantees({"all": tally}, few, complete=True)]
    assert bounds_used == ["anytime", "hypergeometric", "likelihood"]
    star = Choices(0.2, ("recall",), until={"recall": 9}, bound="star")
    assert guarantees({"all": tally}, star, complete=True)[0].bound == "anytime"


@pytest.mark.parametrize("name", ["few have a match", "trained"])
def test_until_enough_with_a_sampled_gap(name):
    rng = np.random.default_rng(6)
    population = POPULATIONS[name]
    metrics = ("precision", "recall", "error-rate")
    choices = Choices(
        0.2, metrics, until={"recall": 15}, one_to_one=True, at_most_one_match=True, gap=60
    )
    failed = 0
    for _ in range(400):
        order = an_order(rng, population)
        queue, _ = outcome(population, order[:100])
        ended = order[: len(looked_at(queue, choices, "refuse").validation)]
        # C finds nothing at the sampled nodes: S' must see it.
        tally, truth_now = outcome(population, ended, ("drop", "same"))
        cells = [cell[:3] for cell in tally.everywhere for _ in range(cell.nodes)]
        compared = Counter(cells[i] for i in rng.permutation(len(cells))[:60])
        gap = tuple(Cell(*cell, n) for cell, n in sorted(compared.items()))
        failed += broken(replace(tally, gap=gap), choices, truth_now)
    assert failed / 400 <= at_most(0.2, 400)


def unlabelled(tally, hidden):
    """The same with some of S's nodes that nobody verified."""
    nodes = tuple(
        x._replace(t=None, ht=None, ct=None) if gone else x
        for x, gone in zip(tally.validation, hidden, strict=True)
    )
    return replace(tally, validation=nodes)


def with_the_rest(read, full):
    """The gap of all nodes that have no sure label now."""
    known = Counter((x.h, x.c, x.hc) for x in read.labelled)
    counts = Counter({cell[:3]: cell.nodes for cell in full.everywhere}) - known
    return replace(read, gap=tuple(Cell(*cell, n) for cell, n in sorted(counts.items())))


def test_unlabelled_nodes_count_as_the_worst_at_any_time():
    """Some nodes stay unlabelled for good, in D and in S: still below the truth."""
    rng = np.random.default_rng(7)
    population = POPULATIONS["trained"]
    choices = Choices(0.2, ("precision", "recall", "error-rate"), bound="anytime")
    failed = 0
    for _ in range(300):
        order = an_order(rng, population)[:70]
        tally, truth_now = outcome(population, order, ("labels", "lose the true if right"))
        read = looked_at(unlabelled(tally, rng.random(70) < 0.1), choices, "worst")
        failed += broken(with_the_rest(read, tally), choices, truth_now)
    assert failed / 300 <= at_most(0.2, 300)


def test_until_enough_by_exact_sums():
    """Every order, up to the third node with a true match: recall fails with probability ≤ δ."""
    population = {Node(1, 1, 1): 9, Node(0, 1, 0): 6, Node(0, 0, 0): 5}
    choices = Choices(0.3, ("recall",), until={"recall": 3}, one_to_one=True)
    kinds = list(population)
    total = failed = 0.0

    def go(order, left, probability):
        nonlocal total, failed
        if sum(n.t > 0 for n in order) == 3:
            total += probability
            tally, metrics = outcome(population, order)
            failed += probability * broken(tally, choices, metrics, complete=False)
            return
        rest = sum(left)
        for i, kind in enumerate(kinds):
            if left[i]:
                fewer = tuple(n - (i == j) for j, n in enumerate(left))
                go([*order, kind], fewer, probability * left[i] / rest)

    go([], tuple(population.values()), 1.0)
    assert total == pytest.approx(1)
    assert 0.1 < failed <= 0.3


def test_among_the_matched():
    """S drawn from X_H alone, every composition: precision keeps its exact bound."""
    population = {Node(1, 1, 1): 30, Node(1, 1, 0): 10, Node(0, 1, 0): 20}
    matched = {node: count for node, count in population.items() if node.h}
    choices = Choices(0.2, ("precision",), among=True, one_to_one=True)
    failed = 0.0
    for right in range(13):
        wrong = 12 - right
        ways = math.comb(30, right) * math.comb(10, wrong) if wrong <= 10 else 0
        order = [Node(1, 1, 1)] * right + [Node(1, 1, 0)] * wrong
        for strategy in STRATEGIES:
            tally, metrics = outcome(population, order, strategy)
            if ways and broken(tally, choices, metrics):
                failed += ways / math.comb(sum(matched.values()), 12)
                break
    assert 0.05 < failed <= 0.2


# At any time.


@pytest.mark.parametrize("name", POPULATIONS)
def test_every_beginning_holds_at_once(name):
    """One may look after every label, and the complete matcher may be another each time."""
    rng = np.random.default_rng(3)
    population = POPULATIONS[name]
    choices = Choices(0.2, ("precision", "recall", "error-rate"), bound="anytime")
    failed = 0
    for _ in range(150):
        order = an_order(rng, population)
        for end in range(12, 90, 6):
            tally, metrics = outcome(population, order[:end], STRATEGIES[end % 3])
            if broken(tally, choices, metrics):
                failed += 1
                break
    assert failed / 150 <= at_most(0.2, 150)


def test_every_beginning_holds_at_once_by_exact_sums():
    """All orders of zeros and ones: the worst beginning of each."""
    n, s, delta = 14, 9, 0.25
    choices = Choices(delta, ("precision",), bound="anytime", one_to_one=True)
    bound = {}
    for length in range(1, s + 1):
        for bits in itertools.product((0, 1), repeat=length):
            labels = tuple(Label.alone(1, 1, b) for b in bits)
            tally = Tally(n, (), labels, (), (Cell(1, 1, 1, n - length),))
            bound[bits] = guarantees({"all": tally}, choices, complete=False)[0].value
    for ones in range(n + 1):
        failed = 0.0
        for bits in itertools.product((0, 1), repeat=s):
            k = sum(bits)
            if k <= ones and s - k <= n - ones:
                ways = math.perm(ones, k) * math.perm(n - ones, s - k) / math.perm(n, s)
                worst = max(bound[bits[:end]] for end in range(1, s + 1))
                failed += ways * (worst > ones / n + 1e-9)
        assert failed <= delta


def test_switching_from_anytime_to_a_fixed_size_fails():
    """The better of both, at the end: more than δ."""
    n, s, delta = 20, 12, 0.25
    worst = {"anytime": 0.0, "switched": 0.0}
    for ones in range(1, n):
        failed = Counter()
        for bits in itertools.product((False, True), repeat=s):
            k = sum(bits)
            if not (k <= ones and s - k <= n - ones):
                continue
            ways = math.perm(ones, k) * math.perm(n - ones, s - k) / math.perm(n, s)
            at_any_time = at_any_time_bound(bits, n, delta)
            fixed = bounds.hypergeometric_lower(k, s, n, delta) / n
            failed["anytime"] += ways * (at_any_time > ones / n)
            failed["switched"] += ways * (max(at_any_time, fixed) > ones / n)
        worst = {name: max(worst[name], failed[name]) for name in worst}
    assert worst["anytime"] <= delta < worst["switched"]


def at_any_time_bound(bits, n, delta, known={}):  # noqa: B006
    if (bits, n) not in known:
        known[bits, n] = bounds.lower(
            np.array(bits, float), size=n, delta=delta, method="anytime", variance=0.2
        )
    return known[bits, n]


def test_peeking_at_a_fixed_size_bound_fails():
    rng = np.random.default_rng(4)
    n, delta, failed = 400, 0.1, 0
    for _ in range(300):
        seen = np.cumsum(rng.permutation(n) < 280)[9:200]
        sizes = np.arange(10, 201)
        failed += bool((bounds.hypergeometric_lower(seen, sizes, n, delta) > 280).any())
    assert failed / 300 > 2 * delta


def test_a_reshuffled_order_fails():
    """The labels so far in a new order each time: one may wait for a lucky one."""
    rng = np.random.default_rng(5)
    n, ones, delta = 300, 210, 0.05
    ours = reshuffled = 0
    for _ in range(300):
        values = (rng.permutation(n) < ones)[:100].astype(float)
        how = {"size": n, "delta": delta, "method": "anytime", "variance": 0.21}
        ours += bounds.lower(values, **how) > ones / n
        reshuffled += any(
            bounds.lower(rng.permutation(values[:end]), **how) > ones / n
            for end in range(20, 101, 2)
        )
    assert ours / 300 <= at_most(delta, 300)
    assert reshuffled / 300 > 2 * delta


# Which labels are read.

ANYTIME = Choices(bound="anytime")
UNTIL = Choices(until={"recall": 2}, one_to_one=True)


def labelled(*t, train=(), overlap=()):
    """A tally whose nodes have t true matches; None where there is no label."""
    nodes, trained = (
        tuple(Label.alone(1, x, None if x is None else min(x, 1)) for x in part)
        for part in (t, train)
    )
    return Tally(50, trained, nodes, overlap, (Cell(1, 1, 1, 40),))


@pytest.mark.parametrize(
    ("t", "unlabelled", "read"),
    [
        ((1, 0, 1, 1), "refuse", 4),
        ((1, 0, None, 1), "refuse", 2),
        ((1, 0, None, 1, None), "worst", 4),
        ((None, 1), "worst", 2),
    ],
)
def test_a_beginning_of_the_order_is_read(t, unlabelled, read):
    assert looked_at(labelled(*t), ANYTIME, unlabelled) == labelled(*t[:read])


def test_the_overlap_is_cut_too():
    tally = labelled(1, 0, None, 1, train=(0, 1), overlap=(1, 3))
    assert looked_at(tally, ANYTIME, "refuse") == labelled(1, 0, train=(0, 1), overlap=(1,))


@pytest.mark.parametrize(
    ("tally", "choices", "message"),
    [
        (
            labelled(None, 1),
            ANYTIME,
            "labels must begin with the first validation node of sample.csv, got none for it. "
            "Label in draw order.",
        ),
        (
            labelled(1, train=(None, 1)),
            ANYTIME,
            "labels must cover every node to train on; 1 of 2 have none. "
            "Label them, or record 'no match'.",
        ),
        (
            labelled(1, 0, None, 1),
            UNTIL,
            "labels must go on until 2 nodes outside the training nodes have a true match; 1 have, "
            "and the next node, 3 in column validation of sample.csv, has no label. "
            "Label on in draw order.",
        ),
    ],
)
def test_labels_that_stop_too_early_are_refused(tally, choices, message):
    with pytest.raises(InputError) as error:
        looked_at(tally, choices, "refuse")
    assert str(error.value) == message


def test_the_queue_ends_with_the_number_wanted():
    tally = labelled(1, 0, 1, None, 1, train=(1,), overlap=(0,))
    with pytest.raises(InputError, match="1 have, and the next node, 4 in column validation"):
        looked_at(tally, UNTIL, "worst")
    assert looked_at(labelled(1, 0, 1, None, 1), UNTIL, "refuse") == labelled(1, 0, 1)
    assert looked_at(labelled(1, 0, 0), UNTIL, "refuse") == labelled(1, 0, 0)
