"""Candidates: what each method does with them, what is refused, and names with structure."""

import random

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import matchbound as mb
from matchbound import matchers
from support import matcher_references as references
from support.audits import read_csv, run, write_csv
from support.networks import candidates_table, made, precision_and_recall, preferential
from support.small_networks import by_definition, matrix, small_case

EDGES = [("a", "c"), ("b", "c"), ("a", "d"), ("b", "d"), ("c", "e")]
SEEDS = [("a", "a"), ("b", "b"), ("e", "e")]


def some_candidates(number, sizes):
    """About half of the pairs, each node with itself among them mostly; scores of 0 too."""
    rng = random.Random(number)
    scores = [0, 0, 0.25, 0.5, 1, 3]
    return {
        (str(x), str(y)): rng.choice(scores)
        for x in range(sizes[0])
        for y in range(sizes[1])
        if rng.random() < (0.9 if x == y else 0.4)
    } or {("0", "0"): 1}


def expected_of(method, case, candidates, number):
    given = by_definition(*case)
    if method == "witness":
        return references.witness(*given, 2, 2, candidates)
    if method == "percolation":
        return references.percolation(*given, 2, number, candidates)
    if method == "expand":
        return references.expand(*given, 2, number, 100_000_000, candidates)
    return [row for row, _ in references.soft(*given, 20, candidates)]


def options_of(method, number):
    if method == "soft":
        return {}
    return {"threshold": 2} | ({} if method == "witness" else {"seed": number})


@pytest.mark.parametrize("method", matchers.MATCHERS)
def test_candidates_are_as_defined(method):
    found, without = 0, 0
    for number in range(20 if method == "soft" else 40):
        case = sizes, edges, seeds = small_case(number)
        candidates = some_candidates(number, sizes)
        graphs = [matrix(n, some) for n, some in zip(sizes, edges, strict=True)]
        options = {"method": method, **options_of(method, number)}
        matches = mb.reconcile(*graphs, seeds, candidates=candidates_table(candidates), **options)
        rows = sorted((x, y, *parts) for x, y, _, *parts in matches if parts[0] > 0)
        assert rows == sorted(expected_of(method, case, candidates, number)), number
        assert {row[:2] for row in rows} <= candidates.keys()
        plain = mb.reconcile(*graphs, seeds, **options)
        found, without = found + len(rows), without + (list(plain) != list(matches))
    assert found > 10
    assert without > 2


def test_scores_of_soft_with_candidates_are_as_defined():
    for number in range(25):
        case = sizes, edges, seeds = small_case(number)
        candidates = some_candidates(number, sizes)
        graphs = [matrix(n, some) for n, some in zip(sizes, edges, strict=True)]
        table = candidates_table(candidates)
        matches = mb.reconcile(*graphs, seeds, candidates=table, method="soft")
        expected = references.soft(*by_definition(*case), 20, candidates)
        scores = {row[:2]: row[2] for row in matches if row[3] > 0}
        assert scores == pytest.approx({row[:2]: share for row, share in expected}, abs=1e-8)


def test_all_pairs_as_candidates_change_nothing_but_for_their_scores():
    for number in range(10):
        sizes, edges, seeds = small_case(number)
        graphs = [matrix(n, some) for n, some in zip(sizes, edges, strict=True)]
        every = candidates_table(
            {(str(x), str(y)): 0 for x in range(sizes[0]) for y in range(sizes[1])}
        )
        for method in matchers.MATCHERS:
            plain = mb.reconcile(*graphs, seeds, method=method)
            assert list(mb.reconcile(*graphs, seeds, method=method, candidates=every)) == list(
                plain
            )


def test_an_engine_takes_candidates():
    found = 0
    for number in range(12):
        sizes, edges, seeds = small_case(number)
        nodes = [{end for edge in some for end in edge} for some in edges]
        seeds = [(x, y) for x, y in seeds if x in nodes[0] and y in nodes[1]]
        if not seeds:
            continue
        tables = [pd.DataFrame(some, columns=["src", "dst"]) for some in edges]
        candidates = candidates_table(some_candidates(number, sizes))
        expected = mb.reconcile(*tables, seeds, candidates=candidates, threshold=1)
        by_sql = mb.reconcile(*tables, seeds, candidates=candidates, threshold=1, engine="duckdb")
        assert list(by_sql) == list(expected)
        found += len(expected) - len(seeds)
    assert found > 5


def test_a_guess_that_is_no_candidate_is_dropped():
    pair = made(preferential, 300, seed=4, keep=0.95)
    guessed = mb.reconcile(*pair.tables(), "bayes").table
    seeds = guessed.filter(pc.equal(guessed["round"], 0)).slice(0, 50).select(["x", "y"])
    matches = mb.reconcile(*pair.tables(), "bayes", candidates=seeds)
    assert sorted(matches.pairs()) == sorted(
        zip(seeds["x"].to_pylist(), seeds["y"].to_pylist(), strict=True)
    )
    wrong = pa.table(
        {"x": seeds["x"], "y": pa.concat_arrays([seeds["y"].chunk(0)[1:], seeds["y"].chunk(0)[:1]])}
    )
    with pytest.raises(mb.InputError, match=r"^seeds must be given where no guess is a candidate"):
        mb.reconcile(*pair.tables(), "bayes", candidates=wrong)


def named_pair(seed):
    """A made pair in which several nodes share a name: its pairs as candidates."""
    pair = made(preferential, 1000, seed=seed, degree=8, keep=0.5)
    name = np.random.default_rng(seed).integers(300, size=1000)
    partner = dict(pair.truth.tolist())
    names = pd.DataFrame({"x": list(partner), "y": partner.values(), "name": name[list(partner)]})
    both = names[["x", "name"]].merge(names[["y", "name"]], on="name")
    return pair, both[["x", "y"]].assign(score=1.0)


def test_names_and_structure_find_more_than_either():
    """Networks that differ much, and names that about three nodes share."""
    pair, candidates = named_pair(1)
    seeds = pair.seeds(50, seed=1)
    alone = precision_and_recall(pair, mb.reconcile(*pair.tables(), seeds, method="soft"))
    together = precision_and_recall(
        pair, mb.reconcile(*pair.tables(), seeds, method="soft", candidates=candidates)
    )
    unknown = len(pair.truth) - len(seeds)
    by_name = candidates.groupby("x").size()
    guessed = sum(1 / by_name[x] for x in pair.truth[:, 0]) / unknown  # one of the name's nodes
    assert together[1] > alone[1] + 0.2
    assert together[1] > guessed + 0.2
    assert together[0] > alone[0] + 0.2


# At the door


def edges():
    return pd.DataFrame(EDGES, columns=["src", "dst"])


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        (
            pa.table({"x": ["c", "c"], "y": ["c", "c"]}),
            "candidates must hold each pair once, got ('c', 'c') 2 times. Keep one of them.",
        ),
        (
            pa.table({"x": ["q"], "y": ["c"]}),
            "candidates must hold a pair of nodes of the two graphs, got none. "
            "Check that x is of left and y of right.",
        ),
        (
            pa.table({"x": ["c", None], "y": ["c", "d"]}),
            "candidates must have an id in every x and y, got 1 rows without. "
            "Fill or remove these.",
        ),
        (
            pa.table({"x": ["c"], "y": ["c "]}),
            "candidates must have ids without spaces around them, got 'c '. Trim them.",
        ),
        *(
            (
                pa.table({"x": ["c"], "y": ["c"], "score": pa.array([bad], pa.float64())}),
                "candidates must have scores from 0 to 1000, got another for ('c', 'c'). "
                "Scale them, so that 1 counts like one pair of neighbours that match for sure.",
            )
            for bad in (-0.1, 1001, float("nan"), float("inf"), None)
        ),
        (
            pa.table({"x": ["c"], "z": ["c"]}),
            "candidates must have a column 'y', got 'x', 'z'. Rename the column that holds it.",
        ),
    ],
)
@pytest.mark.parametrize("engine", [None, "duckdb"])
def test_bad_candidates(candidates, message, engine):
    with pytest.raises(mb.InputError) as error:
        mb.reconcile(edges(), edges(), SEEDS, candidates=candidates, engine=engine)
    assert str(error.value) == message


def test_a_function_that_takes_none_is_refused_candidates():
    def none(left, right, seeds):
        raise AssertionError

    with pytest.raises(
        mb.InputError, match=r"^candidates must be left out with method .*, got Table"
    ):
        mb.reconcile(edges(), edges(), SEEDS, method=none, candidates=pa.table({"x": ["c"]}))


def test_nodes_without_an_edge_are_left_out():
    candidates = pd.DataFrame([("c", "c"), ("c", "z"), ("z", "d")], columns=["x", "y"])
    for engine in (None, "duckdb"):
        matches = mb.reconcile(edges(), edges(), SEEDS, candidates=candidates, engine=engine)
        assert matches.pairs() == [*SEEDS, ("c", "c")]


@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"]])
def test_the_command_takes_candidates(tmp_path, engine):
    for name in ("left", "right"):
        write_csv(tmp_path / f"{name}.csv", ["src", "dst"], EDGES)
    write_csv(tmp_path / "seeds.csv", ["x", "y"], SEEDS)
    write_csv(tmp_path / "names.csv", ["x", "y", "score"], [("d", "d", "0.5")])
    command = ["reconcile", tmp_path / "left.csv", tmp_path / "right.csv"]
    command += ["--seeds", tmp_path / "seeds.csv", "--candidates", tmp_path / "names.csv"]
    assert run(*command, "--out", tmp_path / "m.csv", *engine) == 0
    assert [tuple(row[:2]) for row in read_csv(tmp_path / "m.csv")][3:] == [("d", "d")]
    assert run(*command, "--out", tmp_path / "names.csv", "--force") == 2
