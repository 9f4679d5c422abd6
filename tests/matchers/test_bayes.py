"""Seeds guessed by degrees and distances: as defined, and good where degrees differ."""

import sys

import numpy as np
import pyarrow as pa
import pytest

import matchbound as mb
from matchbound import matchers
from matchbound.matchers._assignment import assignment
from support import matcher_references as references
from support.audits import run
from support.networks import erdos_renyi, made, preferential


def as_dicts(pair):
    nodes = [np.unique(edges) for edges in (pair.left, pair.right)]
    return [
        references.graph_of(map(str, some), [(str(a), str(b)) for a, b in edges.tolist()])
        for some, edges in zip(nodes, (pair.left, pair.right), strict=True)
    ]


@pytest.mark.parametrize("first", [4, 16])
def test_bayes_is_as_defined(first, monkeypatch):
    monkeypatch.setattr(sys.modules["matchbound.matchers.bayes"], "FIRST", first)
    found = 0
    for number in range(10):
        pair = made((erdos_renyi, preferential)[number % 2], 14 + 3 * number, number, degree=6)
        graphs = [matchers.graph(table) for table in pair.tables()]
        pairs, posteriors = matchers.bayes(*graphs)
        x, y = (g.ids.take(pa.array(p)).to_pylist() for g, p in zip(graphs, pairs.T, strict=True))
        expected = references.bayes(
            *as_dicts(pair), lambda cost: assignment(np.array(cost)).tolist(), first=first
        )
        assert dict(zip(zip(x, y, strict=True), posteriors, strict=True)) == pytest.approx(expected)
        found += len(pairs)
    assert found > 50


@pytest.mark.parametrize(
    "draw", [0, *(pytest.param(d, marks=pytest.mark.slow) for d in range(1, 10))]
)
def test_bayes_finds_almost_all_where_degrees_differ(draw):
    pair = made(preferential, 1000, seed=draw, keep=0.9)
    matches = mb.reconcile(*pair.tables(), "bayes")
    truth = set(map(tuple, pair.truth.astype(str).tolist()))
    right = len(truth & set(matches.pairs()))
    assert right / len(matches) >= 0.98
    assert right / len(truth) >= 0.95


def write(pair, folder):
    import pyarrow.parquet as pq

    for name, table in zip(("left", "right"), pair.tables(), strict=True):
        pq.write_table(table, folder / f"{name}.parquet")


def reconciled(folder, *options):
    names = [folder / f"{name}.parquet" for name in ("left", "right", "out")]
    return run("reconcile", *names[:2], "--seeds", "bayes", "--out", names[2], *options)


def test_the_self_check_agrees(tmp_path, capsys):
    write(made(preferential, 300, seed=1, keep=0.9), tmp_path)
    assert reconciled(tmp_path) == 0
    check = capsys.readouterr().out.splitlines()[1]
    assert check.startswith("Self-check: ")
    assert check.endswith(" agree.")


def test_all_or_nothing_is_told(tmp_path, capsys):
    """Degrees of Erdős and Rényi's graphs are much alike: seeds are nearly all right, or wrong."""
    told = {}
    for draw in range(6):
        pair = made(erdos_renyi, 200, seed=draw, keep=0.9 if draw % 2 else 0.99)
        truth = set(map(tuple, pair.truth.astype(str).tolist()))
        write(pair, tmp_path)
        status = reconciled(tmp_path, "--force")
        said = capsys.readouterr()
        pairs = [tuple(row[:2]) for row in seeds_of(tmp_path / "out.parquet")] if not status else []
        right = len(truth & set(pairs))
        wrong_told = status == 2 or "Doubtful: right seeds" in said.out
        assert wrong_told == (right < len(pairs) / 2 or not pairs), (draw, right, said)
        told[draw] = wrong_told
    assert set(told.values()) == {True, False}


def seeds_of(path):
    import pyarrow.parquet as pq

    rows = pq.read_table(path).to_pylist()
    return [(row["x"], row["y"]) for row in rows if row["round"] == 0]


def test_many_nodes_are_refused():
    pair = made(erdos_renyi, 4100, seed=1)
    with pytest.raises(mb.InputError) as error:
        mb.reconcile(*pair.tables(), "bayes")
    assert str(error.value) == (
        "seeds must be given for graphs of more than 4000 nodes, got 'bayes' for 4100. "
        "Give some pairs, or 'hubs'."
    )
