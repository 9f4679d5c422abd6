"""Counts by SQL against counts by Python sets."""

import random
from collections import Counter

import pyarrow as pa
import pytest

from matchbound import AssumptionError, Choices, InputError, Tally
from matchbound.audits.draw import join_orders
from matchbound.engines.connection import connect
from matchbound.tables.forms import Clusters
from matchbound.tables.inputs import open_source
from matchbound.tables.population import read_population
from matchbound.tables.predictions import read_matches
from matchbound.tables.truth import read_labels
from matchbound.tallies.counts import count
from matchbound.tallies.loaded import Loaded
from matchbound.tallies.prefix import looked_at
from matchbound.tallies.within import count_others
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.tally import Cell, Label
from support.oracles import tally_by_sets
from support.random_tables import (
    FORMS,
    ONE_TABLE,
    ROLES,
    TWO_TABLES,
    by_sql,
    check_all_metrics,
    drawn_within,
    groups,
    load,
    one_table,
    pairs_of,
    random_case,
)

ANYTIME, UNTIL = Choices(bound="anytime"), Choices(until={"recall": 2}, one_to_one=True)


def test_150_random_populations():
    rng = random.Random(300)
    with connect() as con:
        for turn in range(150):
            case = random_case(rng)
            some = {x for x in case[0] if turn % 2 or rng.random() < 0.7}
            found = by_sql(con, *case, labelled=some)
            assert found == tally_by_sets(*case, labelled=some)
            assert found.drawn + len(found.labelled) == len(case[0])
            assert Tally.from_dict(found.as_dict()) == found


def numbered(rng, case):
    """The same case with whole numbers as nodes, around the ends of blocks of 32 among others."""
    numbers = [-(2**63), -33, -32, -1, 0, 1, 31, 32, 63, 2**40, 2**63 - 33, 2**63 - 1]
    rng.shuffle(numbers)
    name = {x: str(number) for x, number in zip(case[0], numbers, strict=False)}
    lists = [[name[x] for x in case[i]] for i in (0, 4, 5)]
    tables = [{name[x]: found for x, found in case[i].items()} for i in (1, 2, 3)]
    return lists[0], *tables, *lists[1:]


def test_100_random_populations_of_whole_numbers():
    rng = random.Random(301)
    with connect() as con:
        for _ in range(100):
            case = numbered(rng, random_case(rng))
            assert by_sql(con, *case, kind="bigint") == tally_by_sets(*case)


@pytest.mark.parametrize("kind", ["string", "bigint"])
def test_a_pair_that_complete_has_twice_is_refused_wherever_it_is(kind):
    rng = random.Random(17)
    refused = 0
    with connect() as con:
        for _ in range(25):
            case = numbered(rng, random_case(rng))
            pairs = pairs_of(case[3])
            if pairs:
                twice = rng.choice(pairs)
                with pytest.raises(InputError, match=r"^complete must hold each pair once") as told:
                    by_sql(con, *case, kind=kind, also=[twice])
                assert f"got {twice} 2 times" in str(told.value)
                refused += 1
    assert refused > 10


@pytest.mark.parametrize("kind", ["string", "bigint"])
@pytest.mark.parametrize("apart", [1, 3, 1000])
@pytest.mark.parametrize("strange", [-1, 31, 32, 10**15])
def test_a_node_that_is_not_in_the_population_is_refused(kind, apart, strange):
    xs = [str(apart * i + (i >= 10) * 40) for i in range(40)]
    matches = {x: {"y"} for x in xs}
    case = xs, matches, matches, matches, [], xs[:3]
    with connect() as con:
        assert by_sql(con, *case, kind=kind).gap == (Cell(1, 1, 1, 37),)
        for extra in ({str(strange): {"y"}},) if str(strange) not in xs else ():
            for found in ((matches | extra, matches | extra), (matches, matches | extra)):
                with pytest.raises(InputError, match=f"got x = '{strange}', which is not in it"):
                    by_sql(con, xs, matches, *found, [], xs[:3], kind=kind)


def test_without_a_complete_matcher_the_gap_is_the_holdout_s_own():
    rng = random.Random(3)
    with connect() as con:
        for _ in range(30):
            xs, truth, holdout, _, trained, validated = random_case(rng)
            tally = by_sql(con, xs, truth, holdout, None, trained, validated)
            assert tally == tally_by_sets(xs, truth, holdout, holdout, trained, validated)


# One table with itself: what labels tell of other nodes' pairs


@pytest.mark.parametrize("clusters", FORMS, ids=lambda some: "+".join(some) or "pairs")
def test_one_table_with_itself(clusters):
    """Whatever is pairs or clusters, labelled or not, with and without a complete matcher."""
    rng = random.Random(f"{clusters}")
    compared = touched = 0
    with connect() as con:
        for turn in range(16):
            case = one_table(rng, clusters)
            drawn = {*case[4], *case[5]}
            some = {x for x in drawn if "labels" in clusters or rng.random() < 0.8}
            if turn % 4 == 3:
                case = (*case[:3], None, *case[4:])
            kind = "bigint" if turn % 2 and not clusters else "string"
            given = {"how": ONE_TABLE, "clusters": clusters, "labelled": some}
            try:
                found = by_sql(con, *case, kind, **given)
            except AssumptionError:
                continue  # all true matches drawn: a matter of chance in so small a population
            second = case[2] if case[3] is None else case[3]
            told = (*case[:3], second, *case[4:])
            assert found == tally_by_sets(*told, dedupe=True, labelled=some)
            assert found.drawn + len(found.labelled) == len(case[0])
            assert Tally.from_dict(found.as_dict()) == found
            compared += 1
            touched += any(any(cell.known) for cell in found.gap)
    assert compared > 9
    assert touched > 5


@pytest.mark.parametrize("how", [TWO_TABLES, ONE_TABLE])
@pytest.mark.parametrize("choices", [ANYTIME, UNTIL], ids=["anytime", "until"])
def test_nodes_beyond_the_labels_that_are_read_belong_to_the_gap(how, choices):
    rng, cut, several = random.Random(5), 0, 0
    with connect() as con:
        for _ in range(25):
            case = one_table(rng, ()) if how.dedupe else random_case(rng)
            *tables, trained, validated = case
            unknown = set(validated[rng.randint(1, len(validated)) :][:1]) - set(trained)
            some = {*trained, *validated} - unknown

            def read(tally):
                return looked_at(tally, choices, "refuse")

            try:
                found = by_sql(con, *case, how=how, labelled=some, read=read)
            except (AssumptionError, InputError):
                continue  # drawn nodes alone; or a node without a label before there are enough
            kept = validated[: len(found.validation)]
            given = {"dedupe": how.dedupe, "labelled": some}
            assert found == tally_by_sets(*tables, trained, kept, **given)
            assert found.is_census
            cut += len(kept) < len(validated)
            several += 1
    assert several > 9
    assert cut > 3


@pytest.mark.parametrize("how", [TWO_TABLES, ONE_TABLE])
def test_a_sampled_gap_is_the_sample_s_cells(how):
    """Labelled or not; for guarantees about the future, of nodes that were not drawn."""
    rng = random.Random(6)
    with connect() as con:
        for _ in range(20):
            case = one_table(rng, ()) if how.dedupe else random_case(rng)
            drawn = {*case[4], *case[5]}
            given = {"dedupe": how.dedupe, "labelled": drawn}
            gap = rng.sample(case[0], rng.randint(1, len(case[0])))
            try:
                found = by_sql(con, *case, how=how, labelled=drawn, gap=gap)
            except AssumptionError:
                continue
            assert found == tally_by_sets(*case, gap=gap, **given)
            others = set(case[0]) - drawn
            if others and not how.dedupe:
                found = by_sql(con, *case, how=how, labelled=drawn, future=True)
                assert found == tally_by_sets(*case, gap=others, **given)


def test_large_clusters_are_counted_without_their_pairs():
    """One cluster of 100,000 records, clusters of ten, and a truth of two: 301 are labelled."""
    n = 100_000
    nodes = [str(i) for i in range(n)]
    given = {"holdout": [1] * n, "complete": [i // 10 for i in range(n)]}
    given["labels"] = [i % 2 for i in range(n)]
    form = Clusters("id", "cluster")
    with connect() as con:
        read_population(con, open_source(con, "population", pa.table({"id": nodes})), None)
        for name, clusters in given.items():
            source = open_source(con, name, pa.table({"id": nodes, "cluster": clusters}))
            if name == "labels":
                read_labels(con, source, form, ONE_TABLE)
            else:
                read_matches(con, source, name, form, ONE_TABLE, None)
        sample = join_orders([], [str(i) for i in range(0, n, 333)])
        loaded = Loaded(n, sample, clusters=frozenset(ROLES), complete=True, dedupe=True)
        tally = count(con, loaded, "refuse")
    cells = Counter()
    for i in range(n):
        if i % 333:
            near = [j for j in range(i // 10 * 10, i // 10 * 10 + 10) if j % 333 == 0]
            right = sum(j % 2 == i % 2 for j in near)
            others = 151 if i % 2 else 150  # labelled nodes in the other half of the truth
            cells[right, len(near) - right, others - (len(near) - right)] += 1
    expected = [
        Cell(n - 1, 9, 9, nodes, *key[:2], dropped_wrong=key[2]) for key, nodes in cells.items()
    ]
    assert sorted(tally.gap) == sorted(expected)
    assert set(tally.validation) == {Label(n - 1, n // 2 - 1, n // 2 - 1, 9, 4, 9)}


# Metrics of tallies


def test_all_metrics_of_300_populations():
    """Also of parts of them; tests/engines has Spark's."""
    compared = Counter()
    with connect() as con:
        for cases, given in groups(random.Random(22), 300):
            compared += check_all_metrics(con, cases, given)
    assert min(compared[name] for name in METRICS) > 200


# A part of the population


def test_all_metrics_within_parts_of_108_populations():
    """Y, the matchers and the truth stay whole; tests/engines has Spark's."""
    compared, rng = Counter(), random.Random(26)
    with connect() as con:
        for cases, given in groups(rng, 108):
            parts = [drawn_within(rng, case) for case in cases]
            cases, nodes = zip(*parts, strict=True)
            assert sum(map(len, nodes)) < sum(len(case[0]) for case in cases)
            compared += check_all_metrics(con, cases, given, nodes)
    assert min(compared[name] for name in METRICS) > 50


@pytest.mark.parametrize("clusters", [(), ROLES], ids=["pairs", "clusters"])
def test_known_pairs_give_cells_to_nodes_of_the_part_alone(clusters):
    """Some nodes are unlabelled, so that labels tell of pairs of nodes inside and outside."""
    rng, compared, told, cut = random.Random(f"within {clusters}"), 0, 0, 0
    with connect() as con:
        for turn in range(6):
            case, part = drawn_within(rng, one_table(rng, clusters))
            some = {x for x in part if "labels" in clusters or rng.random() < 0.8}
            kind = "bigint" if turn % 2 and not clusters else "string"
            given = {"how": ONE_TABLE, "clusters": clusters, "labelled": some, "within": part}
            try:
                found = by_sql(con, *case, kind, **given)
            except AssumptionError:
                continue  # all true matches drawn: a matter of chance in so small a population
            assert found == tally_by_sets(part, *case[1:], dedupe=True, labelled=some)
            assert found.drawn + len(found.labelled) == len(part)
            compared += 1
            told += any(any(cell.known) for cell in found.gap)
            cut += by_sql(con, *case, kind, **given, in_part=False) != found
    assert compared > 2
    assert told > 1
    assert cut > 1


@pytest.mark.parametrize("clusters", [None, *FORMS[:2]], ids=["two", "pairs", "clusters"])
def test_matches_of_other_nodes_are_counted(clusters):
    rng, how = random.Random(4), TWO_TABLES if clusters is None else ONE_TABLE
    is_clusters = "holdout" in (clusters or ())
    with connect() as con:
        for _ in range(8):
            case = random_case(rng) if clusters is None else one_table(rng, clusters)
            (nodes, _, holdout, *_), part = drawn_within(rng, case)
            source = open_source(con, "within", pa.table({"id": part}))
            population = open_source(con, "population", pa.table({"id": nodes}))
            read_population(con, population, None, within=source)
            load(con, "holdout", holdout, is_clusters, nodes, how)
            others = count_others(con, "holdout", is_clusters, how.dedupe)
            assert others == sum(len(holdout[x]) for x in {*nodes} - {*part})


@pytest.mark.parametrize("kind", ["string", "bigint"])
def test_matches_may_be_of_any_node_of_the_whole_population_and_of_no_other(kind):
    xs = [str(i) for i in range(40)]
    matches = {x: {"y"} for x in xs}
    given = {"kind": kind, "within": xs[:10]}
    with connect() as con:
        tally = by_sql(con, xs, matches, matches, matches, [], xs[:3], **given)
        assert tally.gap == (Cell(1, 1, 1, 7),)
        strange = matches | {"50": {"y"}}
        with pytest.raises(InputError, match="got x = '50', which is not in it"):
            by_sql(con, xs, matches, strange, strange, [], xs[:3], **given)


# Written and read back


GOOD = {
    "size": 5,
    "train": [],
    "validation": [[1, 1, 1, 1, 1, 1]],
    "overlap": [],
    "gap": [[1, 1, 1, 3], [2, 1, 1, 1, 1, 0, 1, 0, 2]],
}


@pytest.mark.parametrize(
    "change",
    [
        {"size": 3},
        {"gap": [[1, 1, 2, 4]]},
        {"gap": [[1, 1, 1, 0]]},
        {"gap": [[1, 1, 1, 4, 1, 1, 0, 0, 0]]},
        {"gap": [[1, 1, 1, 4, 0, 0, 1, 0, 0]]},
        {"gap": [[1, 1, 1, 4, 0, 0, 0, 1, 0]]},
        {"gap": [[1, 1, 1, 4, 0, 0, 0, 0, -1]]},
        {"validation": [[1, 1, 2, 1, 1, 1]]},
        {"validation": [[1, 1, 1, 1, 0, 1]]},
        {"validation": [[1, None, 1, 1, 1, 1]]},
        {"validation": [[1, 1, None, 1, 1, 1]]},
        {"validation": [[1, 1, 1]]},
        {"overlap": [0]},
        {"size": float("inf")},
        {"overlap": [7]},
        {"gap": "x"},
    ],
)
def test_impossible_tallies_are_refused(change):
    assert Tally.from_dict(GOOD).as_dict() == GOOD
    with pytest.raises(InputError, match=r"^tallies must"):
        Tally.from_dict(GOOD | change)
