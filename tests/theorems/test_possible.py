"""No bound is outside what the labels leave possible; brought labels have no order to choose."""

import hashlib
import importlib
import itertools
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from matchbound import AssumptionError, Choices, Tally, bounds
from matchbound.bounds import orderfree
from matchbound.bounds.orderfree import choose_stakes, weighted_lower
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.tally import Cell, Label

EVERY_METRIC = ("precision", "recall", "error-rate")
KINDS = [
    {},
    {"one_to_one": True},
    {"theorem": "paper"},
    {"theorem": "paper", "one_to_one": True},
    {"theorem": "paper", "brought": True},
    {"brought": True},
    {"bound": "anytime"},
    {"bound": "hoeffding"},
    {"bound": "bernstein"},
    {"gap": 1},
    {"gap": 1, "one_to_one": True, "at_most_one_match": True},
    {"theorem": "paper", "gap": 1, "one_to_one": True, "at_most_one_match": True},
]


def a_label(rng, most, one_to_one):
    """A node's sets H, C and T among a few items, counted."""
    h, c, t = (set(np.flatnonzero(rng.random(4) < 0.5).tolist()[:most]) for _ in range(3))
    t = set(sorted(t)[:1]) if one_to_one else t
    return Label(len(h), len(t), len(h & t), len(c), len(c & t), len(h & c))


def a_population(rng, kind):
    one_to_one = kind.get("one_to_one", False)
    most = 1 if kind.get("at_most_one_match") else 3
    return [a_label(rng, most, one_to_one) for _ in range(int(rng.integers(4, 12)))]


def a_tally(rng, nodes, labelled, sure, gap):
    """The first nodes are drawn, some of them trained on; the gap is a census or a sample."""
    trained = int(rng.integers(0, labelled))
    seen = [x if i in sure else x._replace(t=None, ht=None, ct=None) for i, x in enumerate(nodes)]
    others = [x for i, x in enumerate(nodes) if gap or i not in sure]
    rest = tuple(Cell(x.h, x.c, x.hc, 1) for x in others)
    return Tally(len(nodes), tuple(seen[:trained]), tuple(seen[trained:labelled]), (), rest)


def sums(metric, nodes):
    """Of the complete matcher's values, and how many count."""
    if metric == "precision":
        values = [Fraction(x.ct, x.c) for x in nodes if x.c]
    elif metric == "recall":
        values = [Fraction(x.ct, x.t) for x in nodes if x.t]
    else:
        values = [Fraction(not x.c == x.t == x.ct) for x in nodes]
    return sum(values, Fraction(0)), len(values)


def ends(metric, nodes, sure, gap):
    """The least and the most that is possible, the other nodes being all wrong or all right."""
    seen, count = sums(metric, [nodes[i] for i in sure])
    others = [x for i, x in enumerate(nodes) if i not in sure]
    rest = len(others)
    if metric == "precision" and not gap:
        rest = sum(x.c > 0 for x in others)
    return seen / (count + rest), (seen + rest) / (count + rest)


def outside(kind, share, runs=60):
    """How many certificates are outside what is possible; some nodes are unsure, if not all are
    labelled."""
    rng = np.random.default_rng(4)
    unsure = 0.15 if share < 1 and kind.get("bound") != "bernstein" else 0.0
    out = given = 0
    for _ in range(runs):
        nodes = a_population(rng, kind)
        labelled = max(1, round(share * len(nodes)))
        sure = {i for i in range(labelled) if rng.random() >= unsure}
        tally = a_tally(rng, nodes, labelled, sure, "gap" in kind)
        gap = {"gap": len(nodes)} if "gap" in kind else {}
        for metric in EVERY_METRIC:
            try:
                choices = Choices(0.2, (metric,), **(kind | gap))
                (found,) = guarantees({"all": tally}, choices, complete=True)
            except AssumptionError:
                continue
            low, high = ends(metric, nodes, sure, gap)
            given += 1
            out += not low - Fraction(2, 10**6) <= found.value <= high + Fraction(2, 10**6)
    assert given > runs
    return out


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_with_everything_labelled_a_certificate_is_the_truth(kind):
    """Both ends are then the truth itself."""
    assert outside(kind, 1.0) == 0


@pytest.mark.parametrize("share", [0.3, 0.7, 0.9])
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_no_bound_is_outside_what_the_labels_leave(kind, share):
    assert outside(kind, share) == 0


def test_without_the_clip_the_tallies_refute_certificates(monkeypatch):
    module = importlib.import_module("matchbound.theorems.guarantees")
    monkeypatch.setattr(module, "possible", lambda *_: (0.0, 1.0))
    for kind in KINDS:
        refuted = sum(outside(kind, share, 30) for share in (0.7, 1.0))
        # Sharp with a census stays inside by its own arithmetic.
        assert (refuted > 10) == (kind.get("theorem") == "paper" or "gap" in kind)


def test_nodes_to_come_are_never_all_labelled():
    """Everything seen is labelled and right: that is no truth about nodes to come."""
    tally = Tally(40, (), (Label.alone(1, 1, 1),) * 30, (), (Cell(1, 1, 1, 10),))
    (found,) = guarantees({"all": tally}, Choices(0.2, ("error-rate",), future=True), complete=True)
    assert found.value > 0.05


# Brought labels: ids "1" to "12", 6 labels, all samples, all matchers with 2 to 10 right.

IDS, DRAWN, DELTA = 12, 6, 0.2
SAMPLES = list(itertools.combinations(range(IDS), DRAWN))


def brought(ones):
    """The order-free bound, as theorems ask for it where labels were brought along."""
    right, wrong = Label.alone(2, 2, 2), Label.alone(2, 2, 0)
    validation = (right,) * ones + (wrong,) * (DRAWN - ones)
    tally = Tally(IDS, (), validation, (), (Cell(2, 2, 2, IDS - DRAWN),))
    choices = Choices(DELTA, ("precision",), brought=True)
    (found,) = guarantees({"all": tally}, choices, complete=False)
    assert found.bound == "orderfree"
    return found.value


def public_order():
    """Ids in the order of a hash under a published key."""
    return sorted(range(IDS), key=lambda i: hashlib.sha256(f"order:{i + 1}".encode()).digest())


def in_public_order(values, known={}):  # noqa: B006
    """The bound of bets on the sample's values in the public order."""
    if values not in known:
        known[values] = bounds.lower(
            np.array(values, float), size=IDS, delta=DELTA, method="star", variance=0.2
        )
    return known[values]


def test_brought_labels_hold_for_every_matcher():
    """A matcher's chance depends on how many of its nodes are right alone."""
    bound = [brought(k) for k in range(DRAWN + 1)]
    worst = 0.0
    for right in range(2, 11):
        ways = [comb(right, k) * comb(IDS - right, DRAWN - k) for k in range(DRAWN + 1)]
        failed = sum(w for w, b in zip(ways, bound, strict=True) if b > right / IDS + 1e-9)
        worst = max(worst, failed / len(SAMPLES))
    assert 0.05 < worst <= DELTA


def test_a_public_order_can_be_matched_to():
    """Of 4,070 matchers those fail that are right where the public order begins."""
    order = public_order()
    places = [[i for i in order if i in sample] for sample in SAMPLES]
    worst, broken, matchers = 0.0, 0, 0
    for right in itertools.product((0, 1), repeat=IDS):
        if not 2 <= sum(right) <= 10:
            continue
        truth = sum(right) / IDS + 1e-9
        failed = sum(in_public_order(tuple(right[i] for i in p)) > truth for p in places)
        worst, matchers = max(worst, failed / len(SAMPLES)), matchers + 1
        broken += failed / len(SAMPLES) > DELTA
    assert matchers == 4070
    assert broken > 50
    assert worst > 2 * DELTA


# The paper's theorem with brought labels: which of them form S is averaged over.


def weights(n, t, s):
    return [s / n] * t + [1 - t / n] * s


def mean_of_evidence(values, t, s, stake):
    """The mean of Π g^w over all L and D, at the true mean: an e-value if at most 1."""
    n, truth = len(values), sum(values) / len(values)
    gain = 1 - stake + stake * np.array(values) / truth
    powers = np.array(weights(n, t, s))
    drawn = [
        gain[[*d, *rest]]
        for d in itertools.combinations(range(n), t)
        for rest in itertools.combinations(sorted(set(range(n)) - set(d)), s)
    ]
    return float(np.exp((np.log(np.array(drawn)) * powers).sum(axis=1)).mean())


@pytest.mark.parametrize(
    "values", [(0, 0.5, 1, 1, 1, 1), (0, 0, 0, 1, 1, 0.5, 1), (0, 0, 1, 1, 1, 1)]
)
def test_the_evidence_of_brought_labels_has_mean_at_most_one(values):
    for (t, s), stake in itertools.product([(1, 3), (2, 2), (2, 3)], (0.1, 0.4, 0.75)):
        assert mean_of_evidence(values, t, s, stake) <= 1 + 1e-12


def paper_failures(n, t, s, rule):
    """Over all L and D, for a holdout matcher that D decides: as theorems do it, and with every
    label in S for certain. The labels' term alone, at δ = ¼."""
    failed, total = np.zeros(2), 0
    choices = Choices(0.99999, ("precision",), "paper", brought=True)
    for d in itertools.combinations(range(n), t):
        right = [rule(d, i) for i in range(n)]
        for rest in itertools.combinations(sorted(set(range(n)) - set(d)), s):
            train, fresh = ([Label.alone(2, 2, 2 * right[i]) for i in part] for part in (d, rest))
            tally = Tally(n, tuple(train), tuple(fresh), (), (Cell(2, 2, 2, n - t - s),))
            (found,) = guarantees({"all": tally}, choices, complete=False)
            values = [float(right[i]) for i in (*d, *rest)]
            certain = weighted_lower(values, [1.0] * (t + s), delta=0.25)
            failed += np.array([found.value, certain]) > sum(right) / n + 2e-6
            total += 1
    return failed / total


def test_the_paper_s_theorem_with_brought_labels():
    fixed, _ = paper_failures(12, 1, 3, lambda d, i: i < 6)
    assert 0.01 < fixed <= 0.25
    ours, certain = paper_failures(11, 5, 1, lambda d, i: i in d)  # right where it was trained
    assert ours <= 0.25 < certain


def test_weights_are_the_chances_to_be_in_the_sample():
    """D uniform in L, i ~ hypergeometric, S: i from D and s − i from L − D; summed by hand."""
    n, t, s = 9, 3, 4
    chance = [comb(t, i) * comb(n - t, s - i) / comb(n, s) for i in range(t + 1)]
    of_d = sum(p * i / t for i, p in enumerate(chance))
    of_rest = sum(p * (s - i) / s for i, p in enumerate(chance))
    assert weights(n, t, s)[0] == pytest.approx(of_d)
    assert weights(n, t, s)[-1] == pytest.approx(of_rest)


def mean_over_members(stake_of):
    """The mean of the evidence at the true recall, over all L and D, for a matcher that is right
    at the training nodes and nearly so elsewhere; half of the nodes have a true match."""
    n, t, s, members = 8, 2, 3, range(4)
    every = []
    for d in itertools.combinations(range(n), t):
        truth = np.mean([1.0 if i in d else 0.9 for i in members])
        for rest in itertools.combinations(sorted(set(range(n)) - set(d)), s):
            drawn = zip((*d, *rest), weights(n, t, s), strict=True)
            among = {i: w for i, w in drawn if i in members}
            c = stake_of(sum(among.values()))
            gains = [(1 - c + c * (1.0 if i in d else 0.9) / truth) ** w for i, w in among.items()]
            every.append(np.prod(gains))
    return np.mean(every)


def test_a_stake_that_knows_how_many_have_a_true_match_is_no_stake():
    (fixed,) = choose_stakes(sum(weights(8, 2, 3)), 0.2, 3.0)
    assert mean_over_members(lambda _: fixed) <= 1
    known = mean_over_members(lambda w: choose_stakes(w, 0.2, 3.0)[0] if w else 0.0)
    assert known > 1.0005


@pytest.mark.parametrize("metric", ["precision", "recall"])
def test_the_stake_is_the_same_whatever_the_labels(metric, monkeypatch):
    used = set()

    def recorded(drawn, delta, variance):
        used.add((drawn, delta, variance))
        return choose_stakes(drawn, delta, variance)

    monkeypatch.setattr(orderfree, "choose_stakes", recorded)
    choices = Choices(0.2, (metric,), "paper", brought=True, variances={metric: 0.1})
    for right, wrong in itertools.product(range(1, 4), range(4)):
        labels = [Label.alone(1, 1, 1)] * right + [Label.alone(1, 1, 0)] * wrong
        labels += [Label.alone(1, 0, 0)] * (8 - right - wrong)
        train, fresh = labels[::3], [labels[i] for i in range(8) if i % 3]
        tally = Tally(20, tuple(train), tuple(fresh), (), (Cell(1, 1, 1, 12),))
        guarantees({"all": tally}, choices, complete=True)
    assert len(used) == 1
