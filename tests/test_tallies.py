"""Counts by SQL against counts by Python sets."""

import random

import pyarrow as pa
import pytest

from matchbound import InputError, Tally
from matchbound.counting import count
from matchbound.draws import join_orders
from matchbound.engines import connect
from matchbound.forms import Pairs
from matchbound.matching import Matching
from matchbound.sources import open_source
from matchbound.tables import read_ids, read_matches
from matchbound.truths import read_labels

PLAIN = Pairs("x", "y")


def table(pairs):
    xs, ys = zip(*pairs, strict=True) if pairs else ((), ())
    return pa.table({"x": pa.array(xs, pa.string()), "y": pa.array(ys, pa.string())})


def random_case(rng):
    xs, ys = [f"x{i}" for i in range(rng.randint(1, 12))], [f"y{i}" for i in range(6)]

    def matcher(chance):
        return {x: {y for y in ys if rng.random() < chance} for x in xs}

    truth, holdout = matcher(rng.choice([0.0, 0.1, 0.3])), matcher(rng.choice([0.1, 0.4]))
    complete = {x: set(found) for x, found in holdout.items()}
    for x in xs:
        for y in ys:
            if rng.random() < 0.2:
                complete[x] ^= {y}
    trained = rng.sample(xs, rng.randint(0, len(xs)))
    validated = rng.sample(xs, rng.randint(1, len(xs)))
    return xs, truth, holdout, complete, trained, validated


def pairs_of(matches, nodes=None):
    return [(x, y) for x in (nodes or matches) for y in sorted(matches[x])]


def by_sets(xs, truth, holdout, complete, trained, validated):
    def triple(x):
        return len(holdout[x]), len(truth[x]), len(holdout[x] & truth[x])

    cells = {}
    for x in xs:
        cell = len(holdout[x]), len(complete[x]), len(holdout[x] & complete[x])
        cells[cell] = cells.get(cell, 0) + 1
    return Tally(
        len(xs),
        tuple(triple(x) for x in trained),
        tuple(triple(x) for x in validated),
        tuple(i for i, x in enumerate(validated) if x in set(trained)),
        tuple((*cell, n) for cell, n in sorted(cells.items())),
    )


def by_sql(con, xs, truth, holdout, complete, trained, validated, kind="string", also=()):
    sample = join_orders(trained, validated)
    labelled = [x for x, _, _ in sample]
    labels = pairs_of(truth, labelled) + [(x, None) for x in labelled if not truth[x]]
    population = open_source(con, "population", pa.table({"id": xs}))
    size = read_ids(con, population, "population", "id", kind)
    for name, matches in (("holdout", holdout), ("complete", complete)):
        if matches is not None:
            pairs = pairs_of(matches) + (list(also) if name == "complete" else [])
            source = open_source(con, name, table(pairs))
            read_matches(con, source, name, PLAIN, Matching(), None, (kind, "string"))
    read_labels(con, open_source(con, "labels", table(labels)), PLAIN, Matching())
    return count(
        con,
        size=size,
        sample=sample,
        complete=complete is not None,
        one_to_one=False,
        unlabelled="refuse",
        kinds=(kind, "string"),
    )


def test_300_random_populations():
    rng = random.Random(300)
    with connect() as con:
        for _ in range(300):
            case = random_case(rng)
            assert by_sql(con, *case) == by_sets(*case)


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
            assert by_sql(con, *case, kind="bigint") == by_sets(*case)


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
        assert by_sql(con, *case, kind=kind).gap == ((1, 1, 1, 40),)
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
            assert tally == by_sets(xs, truth, holdout, holdout, trained, validated)


@pytest.mark.parametrize(
    "change",
    [
        {"size": 3},
        {"gap": [[1, 1, 2, 5]]},
        {"gap": [[1, 1, 1, 0]]},
        {"validation": [[1, 1, 2]]},
        {"validation": [[1, None, 1]]},
        {"validation": [[1, 1, None]]},
        {"overlap": [0]},
        {"size": float("inf")},
        {"overlap": [7]},
        {"gap": "x"},
    ],
)
def test_impossible_tallies_are_refused(change):
    good = {"size": 5, "train": [], "validation": [[1, 1, 1]], "overlap": [], "gap": [[1, 1, 1, 5]]}
    assert Tally.from_dict(good).as_dict() == good
    with pytest.raises(InputError, match=r"^tallies must"):
        Tally.from_dict(good | change)
