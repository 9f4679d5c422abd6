"""PATH equals its definition, and reaches the values published for it."""

from itertools import permutations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

import matchbound as mb
from matchbound import matchers
from matchbound.matchers._assignment import assignment
from matchbound.matchers.path import followed
from support import matcher_references as references

QAPLIB = Path(__file__).parents[1] / "support" / "qaplib"

PUBLISHED = {  # for PATH: Zaslavskiy, Bach and Vert (2009)
    "chr12c": 18048,
    "chr15a": 19086,
    "chr20b": 5560,
    "rou12": 256320,
    "tai15a": 419224,
    "tai20a": 753712,
}
BEST = {  # the least: QAPLIB, also in scipy's benchmarks
    "chr12c": 11156,
    "chr15a": 9896,
    "chr20b": 2298,
    "rou12": 235528,
    "tai15a": 388214,
    "tai20a": 703482,
}


def instance(name):
    size, *numbers = map(float, (QAPLIB / f"{name}.dat").read_text().split())
    return np.array(numbers).reshape(2, int(size), int(size))


def weighted(rng, nodes):
    weights = np.triu(rng.random((nodes, nodes)), 1)
    return weights + weights.T


def test_assignments_cost_the_least():
    rng = np.random.default_rng(1)
    for number in range(300):
        rows = int(rng.integers(1, 9))
        cost = rng.integers(-5, 6, (rows, rows + int(rng.integers(4)))) / (1 + number % 3)
        chosen = assignment(cost)
        assert len(set(chosen)) == rows
        least = cost[linear_sum_assignment(cost)].sum()
        assert cost[np.arange(rows), chosen].sum() == pytest.approx(least, abs=1e-9)


def test_path_is_as_defined():
    rng = np.random.default_rng(2)
    for number in range(6):
        a, b = weighted(rng, 4 + number % 2), weighted(rng, 4 + number % 2)
        assert followed(a, b).tolist() == list(references.path(a.tolist(), b.tolist())), number


@pytest.mark.parametrize("name", PUBLISHED)
def test_path_reaches_what_is_published(name):
    a, b = instance(name)
    places = matchers.path(a, b, minimise=True)
    assert sorted(places) == list(range(len(a)))
    value = (a * b[np.ix_(places, places)]).sum()
    assert BEST[name] <= value <= PUBLISHED[name]


def test_path_finds_a_graph_in_itself():
    graph = nx.gnp_random_graph(30, 0.3, seed=3)
    a = nx.to_numpy_array(graph)
    shuffle = np.random.default_rng(3).permutation(30)
    b = a[np.ix_(shuffle, shuffle)]
    assert matchers.path(sp.csr_array(a), b).tolist() == np.argsort(shuffle).tolist()
    left, right = matchers.graph(graph), matchers.graph(sp.coo_array(b))
    found = {
        left.ids[i].as_py(): right.ids[int(j)].as_py()
        for i, j in enumerate(matchers.path(left, right))
    }
    assert found == {str(i): str(j) for i, j in enumerate(np.argsort(shuffle))}


def test_graphs_of_other_sizes():
    small, large = nx.path_graph(3), nx.path_graph(4)
    a, b = nx.to_numpy_array(small), nx.to_numpy_array(large)
    places = matchers.path(a, b)
    assert (a * b[np.ix_(places, places)]).sum() == 4
    back = matchers.path(b, a)
    assert sorted(back) == [-1, 0, 1, 2]


def test_to_minimise_is_another_question():
    a, b = weighted(np.random.default_rng(4), 6), weighted(np.random.default_rng(5), 6)
    values = sorted((a * b[np.ix_(p, p)]).sum() for p in map(list, permutations(range(6))))
    low, high = (matchers.path(a, b, minimise=minimise) for minimise in (True, False))
    assert (a * b[np.ix_(low, low)]).sum() <= values[len(values) // 10]
    assert (a * b[np.ix_(high, high)]).sum() >= values[-len(values) // 10]


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ([[0, 1], [2, 0]], "a matrix of shape (2, 2) that is none"),
        ([[0, -1], [-1, 0]], "a matrix of shape (2, 2) that is none"),
        ([[0, float("nan")], [float("nan"), 0]], "a matrix of shape (2, 2) that is none"),
        ([[0, 1]], "a matrix of shape (1, 2) that is none"),
        ("left.csv", "str"),
        ([], "list"),
    ],
)
def test_bad_matrices(given, what):
    with pytest.raises(mb.InputError) as error:
        matchers.path([[0, 1], [1, 0]], given)
    assert str(error.value) == (
        "right must be a graph or a symmetric matrix of numbers from 0 on, got "
        f"{what}. Give for example a + a.T, or a matchers.graph."
    )
