"""A part of the population: exact sums over all samples of it, and forms of it that are not valid.

What is summed are guarantees from tallies of sets; tests/tallies/test_counts.py shows that the
package counts the same, and check-slow counts every one of these by SQL.
"""

import itertools
from contextlib import suppress
from dataclasses import replace
from functools import cache
from math import comb

import pytest

from matchbound import AssumptionError, Choices, InputError
from matchbound.audits.choices import fit_choices
from matchbound.bounds.hypergeometric import hypergeometric_lower
from matchbound.engines.connection import connect
from matchbound.tables.sides import Matching
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.limits import provable_limit
from support.oracles import tally_by_sets
from support.random_tables import ONE_TABLE, TWO_TABLES, by_sql, metrics_by_sets

PART, OTHERS = [f"p{i}" for i in range(6)], [f"o{i}" for i in range(50)]
DRAWN, DELTA = 4, 0.4
TOLERANCE = 1e-6  # guarantees are rounded to six decimals


def two_tables(right, extra=()):
    """The first `right` nodes of the part are matched rightly, all others wrongly.

    `extra` are right matches that come with a wrong one. Nodes outside the part are all right.
    """
    xs = [*PART, *OTHERS]
    truth = {x: {f"y{x}"} for x in xs}
    holdout = {x: {f"y{x}"} for x in xs}
    for i, x in enumerate(PART):
        holdout[x] = {f"y{x}"} if i < right else {"wrong"}
        holdout[x] |= {"wrong"} if x in extra else set()
    return xs, truth, holdout


def fractions(right):
    return two_tables(right, PART[::2])


def one_table(right):
    """A record of the part and its double outside; if not `right`, it is linked to another's.

    The last two are each other's doubles. Other records outside are linked among themselves.
    """
    xs = [*PART, *OTHERS]
    far = [{f"o{i}", f"o{i + 1}"} for i in range(10, 50, 2)]
    entities = [{f"p{i}", f"o{i}"} for i in range(4)] + [{"p4", "p5"}, *far]
    truth = {x: next((e - {x} for e in entities if x in e), set()) for x in xs}
    links = [{f"p{i}", f"o{i}" if i < right else f"o{i + 4}"} for i in range(4)]
    links += [{"p4", "p5"}] if right > 4 else [{"p4", "o8"}, {"p5", "o9"}]
    links += far
    return xs, truth, {x: set().union(*(e - {x} for e in links if x in e)) for x in xs}


def clusters(right):
    """The same, closed: a wrong link joins its records' clusters."""
    xs, truth, holdout = one_table(right)
    closed = {x: {x} | holdout[x] for x in xs}
    for _ in xs:
        closed = {x: set().union(*(closed[y] for y in closed[x])) for x in xs}
    return xs, truth, {x: closed[x] - {x} for x in xs}


def entities(right):
    """The same, where one entity has a record in the part and two outside."""
    xs, truth, holdout = clusters(right)
    large = {"p0", "o0", "o9"}
    return xs, truth | {x: large - {x} for x in large}, holdout


CASES = {  # populations, how they are matched, which tables are clusters, metrics, promises
    "two tables": (two_tables, TWO_TABLES, (), ("precision", "recall"), {"one_to_one": True}),
    "fractions": (fractions, TWO_TABLES, (), ("precision", "error-rate"), {}),
    "one table": (
        *(one_table, ONE_TABLE, (), ("precision", "recall", "pairwise-recall")),
        {"most_true_matches": 1},
    ),
    "clusters": (
        *(clusters, ONE_TABLE, ("holdout", "labels"), ("pairwise-precision", "b3-precision")),
        {},
    ),
    "few true matches": (
        *(entities, ONE_TABLE, ("holdout", "labels"), ("pairwise-recall",)),
        {"among_records_with_at_most": 1},
    ),
}


def adversaries(case, drawn, dedupe):
    """Complete matchers that know the sample: right at drawn nodes, wrong at others.

    One is wrong inside the part and as the holdout matcher outside, one the other way round, one
    wrong at all of them, one finds nothing inside. Wrong is a match with o8, which has no double.
    """
    xs, truth, holdout = case
    inside, outside = set(PART) - drawn, set(OTHERS)
    for bad, wrong in (
        (inside, {"o8"}),
        (outside, {"o8"}),
        (inside | outside, {"o8"}),
        (inside, set()),
    ):
        found = {x: truth[x] if x in drawn else wrong if x in bad else holdout[x] for x in xs}
        if dedupe:  # a drawn record's pairs are the true ones; others are both their records'
            pairs = {frozenset((x, y)) for x in xs for y in found[x] if y != x}
            gone = {frozenset((x, y)) for x in bad for y in holdout[x] if y not in drawn}
            kept = [p for p in pairs - gone if not p & drawn or max(p) in truth[min(p)]]
            found = {x: {y for p in kept if x in p for y in p - {x}} for x in xs}
        yield found


def by_sets(case, part, complete, sample, how):
    tables = case[1], case[2], complete or case[2]
    return tally_by_sets(part, *tables, [], sample, dedupe=how.dedupe)


def share_of_failures(name, right, metric, tally_of=by_sets, part=PART):
    """The share of the part's samples in which a bound on it is false, and the highest bound.

    Some bounds depend on the order of a sample. `part` are the nodes that are counted.
    """
    make, how, given_clusters, _, promises = CASES[name]
    case, choices = make(right), Choices(DELTA, (metric,), **promises)
    about = _among(PART, case, promises)

    @cache
    def bound(tally, complete):
        with suppress(AssumptionError):  # a matcher finds nothing
            return guarantees({"all": tally}, choices, complete=complete)[0]

    orders = list(itertools.permutations(range(DRAWN)))
    samples = list(itertools.combinations(PART, DRAWN))
    wrong, highest = 0, 0.0
    for sample in samples:
        others = () if given_clusters else adversaries(case, {*sample}, how.dedupe)
        matchers = []
        for complete in (None, *others):
            true = metrics_by_sets(about, case[1], complete or case[2], True)[metric]
            if true is not None:
                matchers.append(
                    (complete, float(true), tally_of(case, part, complete, sample, how))
                )
        for order in orders:
            is_wrong = False
            for complete, true, tally in matchers:
                labels = tuple(tally.validation[i] for i in order)
                g = bound(replace(tally, validation=labels), complete is not None)
                if g is not None:
                    is_wrong |= _is_false(g, true)
                    highest = max(highest, g.value)
            wrong += is_wrong
    return wrong / len(samples) / len(orders), highest


def _among(part, case, promises):
    """The nodes that a metric is about: those with few true matches, if it is about these."""
    most = promises.get("among_records_with_at_most", len(case[0]))
    return [x for x in part if len(case[1][x]) <= most]


def _is_false(g, true):
    return (g.value - true if g.side == "lower" else true - g.value) > TOLERANCE


METRICS = [(name, metric) for name, case in CASES.items() for metric in case[3]]


@pytest.mark.parametrize(("name", "metric"), METRICS)
def test_a_bound_on_a_part_is_false_with_at_most_delta(name, metric):
    """Together with the bounds of complete matchers that know the sample."""
    sums = [share_of_failures(name, right, metric) for right in (2, 4, 5)]
    assert all(share <= DELTA for share, _ in sums)
    assert any(highest > 0.7 for _, highest in sums)


def test_such_sums_come_near_delta():
    assert share_of_failures("two tables", 5, "precision")[0] == pytest.approx(1 / 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_same_counted_by_sql(name):
    _, _, given_clusters, metrics, _ = CASES[name]
    with connect() as con:

        def counted(case, part, complete, sample, how):
            given = {"how": how, "clusters": given_clusters, "within": part}
            tally = by_sql(con, *case, complete, [], list(sample), **given)
            assert tally == by_sets(case, part, complete, sample, how)
            return tally

        share, _ = share_of_failures(name, 5, metrics[0], counted)
    assert share <= DELTA


# Not valid


@pytest.mark.parametrize(("name", "metric"), [METRICS[0], METRICS[1], METRICS[4]])
def test_cut_the_matches_of_other_nodes_are_counted_in(name, metric):
    """So many others are right that a matcher which is wrong at every node left looks good."""
    assert share_of_failures(name, len(PART), metric)[0] == 0
    assert share_of_failures(name, len(PART), metric, part=[*PART, *OTHERS])[0] > 2 * DELTA


def test_cut_a_part_that_is_picked_by_the_labels():
    """12 nodes, 8 of them right, 8 drawn: a bound on a part of 9 that is fixed, or picked then."""
    delta, nodes, right, size = 0.1, range(12), set(range(8)), 9

    lower = cache(lambda k, s: hypergeometric_lower(k, s, size, delta))

    def is_false(drawn, part):
        labelled = drawn & part
        return lower(len(labelled & right), len(labelled)) > len(right & part)

    draws = [set(drawn) for drawn in itertools.combinations(nodes, 8)]
    parts = [set(part) for part in itertools.combinations(nodes, size)]
    fixed = [sum(is_false(drawn, part) for drawn in draws) for part in parts[::20]]
    picked = sum(any(is_false(drawn, part) for part in parts) for drawn in draws)
    assert max(fixed) / len(draws) == pytest.approx(0.048, abs=0.001)
    assert picked / len(draws) == pytest.approx(0.41, abs=0.005)


def test_cut_the_limit_that_a_sample_proves():
    """60 nodes, 20 drawn: of an entity with 7 records one is in the part, and is missed often."""
    limit = provable_limit([(1.0, 60)], 20, 0.05)
    assert limit == 5
    whole, one = (comb(60 - e, 20) / comb(60, 20) for e in (limit + 2, 1))
    assert whole <= 0.05
    assert one == pytest.approx(0.67, abs=0.005)
    dedupe = Matching(dedupe=True)
    asked = Choices(metrics=("precision", "pairwise-recall"))
    assert fit_choices(asked, dedupe).limit_by_sample
    for choices in (asked, replace(asked, limit_by_sample=True)):
        with pytest.raises(InputError, match=r"^most_true_matches must be given for pairwise-reca"):
            fit_choices(choices, dedupe, in_part=True)
    for limited in ({"most_true_matches": 3}, {"among_records_with_at_most": 3}):
        choices = replace(asked, **limited)
        assert fit_choices(choices, dedupe, in_part=True) == choices


def test_guided_matchers_are_refused_in_a_part():
    choices = Choices(rounds=2, options=(2, 3), metrics=("precision",))
    with pytest.raises(InputError, match=r"^rounds must be left out within a part"):
        fit_choices(choices, Matching(link=True), in_part=True)
