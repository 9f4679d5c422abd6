"""Seeds guessed by the convex relaxation: as defined, and right where networks differ little."""

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest

import matchbound as mb
from matchbound import matchers
from matchbound.matchers._assignment import assignment
from support import matcher_references as references
from support.audits import run, write_csv
from support.networks import erdos_renyi, made
from support.small_networks import by_definition, matrix, small_case


def test_convex_is_as_defined():
    found = 0
    for number in range(30):
        case = sizes, edges, _ = small_case(number, most=(6, 9))
        left, right, _ = by_definition(*case)
        graphs = [matchers.graph(matrix(n, some)) for n, some in zip(sizes, edges, strict=True)]
        pairs, shares = matchers.convex(*graphs)
        x, y = (g.ids.take(pa.array(p)).to_pylist() for g, p in zip(graphs, pairs.T, strict=True))
        expected = references.convex(left, right, lambda c: assignment(np.array(c)).tolist())
        assert dict(zip(zip(x, y, strict=True), shares, strict=True)) == pytest.approx(expected)
        found += len(pairs)
    assert found > 30


@pytest.mark.parametrize("keep", [0.97, 0.6])
def test_the_self_check_tells_right_from_wrong(keep, tmp_path, capsys):
    """Degrees are alike, so that bayes finds nothing; nearly all edges are common, or few."""
    pair = made(erdos_renyi, 150, seed=1, keep=keep)
    for name, edges in (("left", pair.left), ("right", pair.right)):
        write_csv(tmp_path / f"{name}.csv", ["src", "dst"], edges.tolist())
    sides = tmp_path / "left.csv", tmp_path / "right.csv"
    assert run("reconcile", *sides, "--seeds", "convex", "--out", tmp_path / "m.csv") == 0
    said = capsys.readouterr().out
    seeds = [row[:2] for row in mb.reconcile(*sides, "convex") if row[3] == 0]
    right = sum(pair in seeds for pair in map(tuple, pair.truth.astype(str).tolist()))
    assert "Self-check: " in said
    if keep == 0.6:
        assert right < len(seeds) / 2
        assert "Doubtful: right seeds" in said
    else:
        assert right > 0.95 * len(seeds)
        assert len(seeds) > 75
        assert "Doubtful" not in said


def test_what_is_refused():
    circle = nx.cycle_graph(5)
    with pytest.raises(mb.InputError) as error:
        mb.reconcile(circle, circle, "convex")
    assert str(error.value) == (
        "seeds must be given where no pair of nodes has the highest share of both alone, "
        "got 'convex'. Give some pairs."
    )
    with pytest.raises(mb.InputError) as error:
        mb.reconcile(nx.cycle_graph(1501), circle, "convex")
    assert str(error.value) == (
        "seeds must be given for graphs of more than 1500 nodes, got 'convex' for 1501. "
        "Give some pairs, or 'bayes' (up to 4000), or 'hubs'."
    )
