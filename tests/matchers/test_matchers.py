"""Matchers equal their definitions, and do on networks what they are for."""

import random

import numpy as np
import pyarrow as pa
import pytest

import matchbound as mb
from matchbound import matchers
from matchbound.matchers import program
from matchbound.matchers.board import Board
from matchbound.matchers.seeds import read_seeds
from support import matcher_references as references
from support.networks import (
    SHARED,
    erdos_renyi,
    halves_of,
    made,
    precision_and_recall,
    preferential,
    real,
)
from support.small_networks import by_definition, matrix, small_case

METHODS = tuple(matchers.MATCHERS)
needs_data = pytest.mark.skipif(not SHARED.exists(), reason="needs the real data in ../shared")


def found_by(method, case, **options):
    sizes, edges, seeds = case
    graphs = [matrix(n, some) for n, some in zip(sizes, edges, strict=True)]
    matches = mb.reconcile(*graphs, seeds, method=method, **options)
    return sorted((x, y, *parts) for x, y, _, *parts in matches if parts[0] > 0)


@pytest.mark.parametrize("threshold", [1, 2, 3])
def test_witness_is_as_defined(threshold):
    adopted = 0
    for number in range(300):
        case, repeat = small_case(number), 1 + number % 3
        expected = references.witness(*by_definition(*case), threshold, repeat)
        found = found_by("witness", case, threshold=threshold, repeat=repeat)
        assert found == sorted(expected), number
        adopted += len(found)
    assert adopted > 12


@pytest.mark.parametrize("threshold", [4, 5])
def test_witness_is_as_defined_on_larger_graphs(threshold):
    adopted = 0
    for number in range(60):
        case = small_case(number, most=(26,))
        expected = references.witness(*by_definition(*case), threshold, 2)
        found = found_by("witness", case, threshold=threshold)
        assert found == sorted(expected), number
        adopted += len(found)
    assert adopted > 10


@pytest.mark.parametrize(
    "threshold", [*(pytest.param(other, marks=pytest.mark.slow) for other in (1, 2)), 3]
)
def test_percolation_is_as_defined(threshold):
    adopted = 0
    for number in range(120):
        case = small_case(number)
        expected = references.percolation(*by_definition(*case), threshold, seed=number)
        found = found_by("percolation", case, threshold=threshold, seed=number)
        assert found == sorted(expected), number
        adopted += len(found)
    assert adopted > 30


@pytest.mark.parametrize(
    "threshold", [*(pytest.param(other, marks=pytest.mark.slow) for other in (1, 2)), 3]
)
def test_expand_is_as_defined(threshold):
    rounds = set()
    for number in range(120):
        case = small_case(number)
        given = by_definition(*case)
        degrees = [sorted(map(len, graph.values()), reverse=True) for graph in given[:2]]
        most = sum(a * b for a, b in zip(*degrees, strict=False)) + (number % 5) ** 4
        expected = references.expand(*given, threshold, number, most)
        found = found_by("expand", case, threshold=threshold, seed=number, marks=most)
        assert found == sorted(expected), number
        rounds |= {row[2] for row in found}
    assert rounds == {1} if threshold == 1 else rounds >= {1, 2}  # nothing is left to guess from


def test_hubs_are_as_defined():
    found = 0
    for number in range(300):
        sizes, edges, _ = case = small_case(number)
        left, right, _ = by_definition(*case)
        graphs = [matchers.graph(matrix(n, some)) for n, some in zip(sizes, edges, strict=True)]
        for most in (3, 6, 400):
            pairs, alike = matchers.hubs(*graphs, most=most)
            x, y = (
                g.ids.take(pa.array(p)).to_pylist() for g, p in zip(graphs, pairs.T, strict=True)
            )
            expected = references.hubs(left, right, most)
            assert dict(zip(zip(x, y, strict=True), alike.tolist(), strict=True)) == {
                pair: float(value) for pair, value in expected.items()
            }
            found += len(pairs)
    assert found > 100


# What holds for every matcher


def case_as_tables(rng, case, name):
    """The same edges in another order, turned, repeated and with loops; nodes renamed."""
    tables = []
    for side, edges in enumerate(case[1]):
        ends = [(a, b) if rng.random() < 0.5 else (b, a) for a, b in edges]
        ends += [*rng.choices(ends, k=3), (ends[0][0],) * 2]
        rng.shuffle(ends)
        a, b = ([name(side, node) for node in column] for column in zip(*ends, strict=True))
        tables.append(pa.table({"src": a, "dst": b}))
    return *tables, [(name(0, x), name(1, y)) for x, y in rng.sample(case[2], len(case[2]))]


def connected_cases(count):
    """Those whose seeds all have an edge, so that an edge list knows them."""
    for number in range(count):
        sizes, edges, seeds = small_case(number)
        nodes = [{end for edge in some for end in edge} for some in edges]
        seeds = [(x, y) for x, y in seeds if x in nodes[0] and y in nodes[1]]
        if seeds:
            yield number, (sizes, edges, seeds)


@pytest.mark.parametrize("method", METHODS)
def test_order_of_the_file_changes_nothing(method):
    for number, case in connected_cases(25):
        rng = random.Random(number)
        once, again = (
            mb.reconcile(*case_as_tables(rng, case, lambda _, i: f"n{i}"), method=method)
            for _ in range(2)
        )
        assert list(once) == list(again)


@pytest.mark.parametrize("seeds", ["given", "hubs"])
def test_names_change_nothing_for_witness(seeds):
    for number, case in connected_cases(25):
        rng = random.Random(number)
        names = [rng.sample(range(100, 200), 20) for _ in range(2)]
        renamed = case_as_tables(rng, case, lambda side, i, names=names: names[side][i])
        plain = case_as_tables(rng, case, lambda _, i: i)
        if seeds == "hubs":
            given, expected = (guessed(tables) for tables in (renamed, plain))
        else:
            given, expected = (list(mb.reconcile(*tables)) for tables in (renamed, plain))
        expected = [(str(names[0][int(x)]), str(names[1][int(y)]), *w) for x, y, *w in expected]
        assert sorted(given) == sorted(expected)


def guessed(tables):
    graphs = [matchers.graph(table) for table in tables[:2]]
    pairs, alike = matchers.hubs(*graphs)
    return [
        (graphs[0].ids[x].as_py(), graphs[1].ids[y].as_py(), float(likeness))
        for (x, y), likeness in zip(pairs.tolist(), alike, strict=True)
    ]


def test_sides_change_nothing_for_witness():
    for _, (sizes, edges, seeds) in connected_cases(100):
        there = found_by("witness", (sizes, edges, seeds))
        turned = (sizes[::-1], edges[::-1], [(y, x) for x, y in seeds])
        assert there == sorted((x, y, *parts) for y, x, *parts in found_by("witness", turned))


@pytest.mark.parametrize("method", ["percolation", "expand"])
def test_ties_are_broken_at_random_by_the_seed(method):
    """A square of which one corner is known: its two neighbours may go either way."""
    square = matrix(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    runs = [
        dict(mb.reconcile(square, square, [(0, 0)], method=method, threshold=1, seed=i).pairs())
        for i in range(200)
    ]
    assert 70 <= sum(run["1"] == "1" for run in runs) <= 130
    again = mb.reconcile(square, square, [(0, 0)], method=method, threshold=1, seed="7")
    assert dict(again.pairs()) == runs[7]


def test_witness_leaves_ties():
    square = matrix(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    matches = mb.reconcile(square, square, [(0, 0)], threshold=1)
    assert matches.pairs() == [("0", "0")]


@pytest.mark.parametrize("method", METHODS)
def test_contract(method):
    pair = made(erdos_renyi, 500, seed=3)
    left, right = pair.tables()
    seeds = pair.seeds(50, seed=3)
    options = {} if method == "soft" else {"threshold": 3}
    matches = mb.reconcile(left, right, seeds, method=method, **options)
    x, y, score, rounds, witnesses, margin = (column.to_numpy() for column in matches.table.columns)
    assert len(set(x)) == len(x) == len(set(y)) > 100
    given = rounds == 0
    assert sorted(zip(x[given], y[given], strict=True)) == sorted(map(tuple, seeds.astype(str)))
    assert (score[given] == 1).all()
    assert ((score[~given] > 0) & (score[~given] < 1)).all()
    if method != "soft":  # which has scores of its own
        assert (witnesses[~given] >= 3).all()
        assert np.allclose(score, np.where(given, 1, witnesses / (2 * witnesses - margin + 1)))
    assert list(matches) == sorted(matches, key=lambda row: (row[3], row[0]))
    again = mb.reconcile(*map(matchers.graph, (left, right)), seeds, method=method, **options)
    assert list(again) == list(matches)


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing(threads, monkeypatch):
    pair = made(preferential, 2000, seed=5)
    graphs = [matchers.graph(table) for table in pair.tables()]
    seeds, _ = read_seeds(pair.seeds(100, seed=5), *graphs)
    expected = Board(*graphs, seeds).best(4, threshold=2)
    monkeypatch.setattr("numba.config.NUMBA_NUM_THREADS", threads)
    found = Board(*graphs, seeds).best(4, threshold=2)
    assert len(found) > 10
    for field in ("x", "y", "witnesses", "margin"):
        assert (getattr(found, field) == getattr(expected, field)).all()


def test_nodes_are_ranked_by_falling_degree():
    graph = matchers.graph(pa.table({"a": ["q", "r", "s", "q"], "b": ["r", "r", "q", "t"]}))
    assert repr(graph) == "Graph(4 nodes, 3 edges)"
    assert graph.ids[0].as_py() == "q"
    assert graph.degrees.tolist() == [3, 1, 1, 1]
    assert graph.neighbours.tolist() == [1, 2, 3, 0, 0, 0]
    assert graph.neighbours.dtype == np.int32


# What they are for


def test_from_ten_seeds_only_expand_gets_anywhere():
    pair = made(erdos_renyi, 20_000, seed=1)
    graphs = [matchers.graph(table) for table in pair.tables()]
    seeds = pair.seeds(10, seed=1)
    precision, recall = precision_and_recall(pair, mb.reconcile(*graphs, seeds, method="expand"))
    assert precision >= 0.97
    assert recall >= 0.97
    for method in ("witness", "percolation"):
        assert len(mb.reconcile(*graphs, seeds, method=method, threshold=2)) < 100


@pytest.mark.parametrize("kind", [erdos_renyi, preferential])
def test_witness_finds_almost_all_from_a_twentieth(kind):
    pair = made(kind, 20_000, seed=2)
    matches = mb.reconcile(*pair.tables(), pair.seeds(1000, seed=2), threshold=3)
    precision, recall = precision_and_recall(pair, matches)
    assert precision >= 0.999
    assert recall >= 0.995


def mean_over_draws(name, share, **options):
    pair = real(name)
    graphs = [matchers.graph(table) for table in pair.tables()]
    results = [
        precision_and_recall(
            pair, mb.reconcile(*graphs, pair.seeds(round(share * len(pair.truth)), draw), **options)
        )
        for draw in range(5)
    ]
    return np.mean(results, axis=0)


@needs_data
@pytest.mark.parametrize(
    ("name", "method", "precision", "recall"),
    [
        ("acm-dblp", "witness", 0.95, 0.42),
        ("acm-dblp", "expand", 0, 0.54),
        ("yeast-magna-5", "expand", 0, 0.64),
        ("douban", "witness", 0.99, 0.27),
    ],
)
def test_real_pairs_from_a_fifth(name, method, precision, recall):
    means = mean_over_draws(name, 0.2, method=method)
    assert means[0] >= precision
    assert means[1] >= recall


@needs_data
def test_enron_from_a_tenth():
    results = []
    for draw in range(5):
        pair = halves_of("email-enron", 0.5, seed=draw)
        seeds = pair.seeds(len(pair.truth) // 10, draw)
        results.append(pair.quality(mb.reconcile(*pair.tables(), seeds, threshold=5, repeat=1)))
    right, counted, _ = np.mean(results, axis=0)
    assert right >= 2000
    assert right / counted >= 0.96


@needs_data
def test_hubs_serve_as_seeds():
    pair = halves_of("fb-pages-media", 0.8, seed=1)
    matches = mb.reconcile(*pair.tables(), "hubs", threshold=3)
    precision, recall = precision_and_recall(pair, matches)
    assert precision >= 0.95
    assert recall >= 0.5


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "precision", "recall"),
    [
        ("yeast-magna-25", 0.95, 0.67),
        ("acm-dblp", 0.91, 0.47),
        ("yeast-magna-5", 0.95, 0.75),
    ],
)
def test_soft_on_real_pairs_from_a_fifth(name, precision, recall):
    pair = real(name)
    graphs = [matchers.graph(table) for table in pair.tables()]
    results = []
    for draw in range(5):
        seeds = pair.seeds(round(0.2 * len(pair.truth)), draw)
        table = mb.reconcile(*graphs, seeds, method="soft").table
        likely = matchers.Matches(table.filter(pa.compute.field("score") >= 0.5))
        results.append(precision_and_recall(pair, likely))
    means = np.mean(results, axis=0)
    assert means[0] >= precision
    assert means[1] >= recall


def test_several_matches_of_a_node_are_no_seeds():
    """Labels may say so; whoever removed one of them would certify another recall."""
    left = right = pa.table({"x": ["a", "b", "c"], "y": ["b", "c", "d"]})
    graphs = [matchers.graph(left), matchers.graph(right)]
    labels = [("a", "a"), ("a", "a"), ("b", "b"), ("b", "c"), ("d", "a"), ("c", None), ("c", "x")]
    assert matchers.in_both(*graphs, labels) == []
    assert matchers.in_both(*graphs, [*labels[:4], ("d", "d")]) == [("a", "a"), ("d", "d")]
    program.network(left, right)([("b", "b"), ("c", "c"), ("d", "d"), ("d", "a")])
