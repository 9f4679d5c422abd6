import numpy as np
import pytest

import matchbound as mb
from matchbound import matchers
from matchbound.matchers.agreement import seed_doubt
from support.audits import run
from support.networks import erdos_renyi, made, preferential, reconcile_command

DOUBT = (
    "Doubtful: of the {} edges between seeds in left and {} in right, {} agree, fewer than a "
    "fifth. Check that each seed is the same node in both networks."
)


def misplaced(kind, draw):
    """Two networks that belong together, and seeds that do not."""
    pair = made(kind, 600, draw)
    seeds = pair.seeds(100, draw)
    seeds[:, 1] = np.random.default_rng(draw).permutation(seeds[:, 1])
    return *pair.tables(), seeds.tolist()


def edge_counts(left, right, seeds):
    """By definition: the edges between seeds in left, in right, and in both."""
    sides = []
    for table, column in ((left, 0), (right, 1)):
        place = {str(row[column]): k for k, row in enumerate(seeds)}
        ends = ([place.get(str(id)) for id in table[k].to_pylist()] for k in (0, 1))
        rows = [{a, b} for a, b in zip(*ends, strict=True) if a is not None and b is not None]
        sides.append({frozenset(row) for row in rows if len(row) == 2})
    return len(sides[0]), len(sides[1]), len(sides[0] & sides[1])


@pytest.mark.parametrize("kind", [erdos_renyi, preferential])
@pytest.mark.parametrize("method", matchers.MATCHERS)
def test_misplaced_seeds_are_doubted(kind, method):
    network = misplaced(kind, 3)
    doubt = DOUBT.format(*edge_counts(*network))
    assert mb.reconcile(*network, method=method).doubt == doubt


def test_an_engine_doubts_them_too(tmp_path, capsys):
    left, right, seeds = misplaced(erdos_renyi, 4)
    doubt = DOUBT.format(*edge_counts(left, right, seeds))
    assert mb.reconcile(left, right, seeds, engine="duckdb").doubt == doubt
    command = reconcile_command(tmp_path, left, right, seeds)
    for engine in ([], ["--engine", "duckdb"]):
        assert run(*command, *engine) == 0
        assert f"\n{doubt}\n" in capsys.readouterr().out


@pytest.mark.parametrize("keep", [0.3, 0.5, 0.9])
@pytest.mark.parametrize("kind", [erdos_renyi, preferential])
def test_right_seeds_are_not_doubted(kind, keep):
    pair = made(kind, 1500, 5, keep=keep)
    for engine in (None, "duckdb"):
        matches = mb.reconcile(*pair.tables(), pair.seeds(300, 5), engine=engine)
        assert matches.seed_doubt == ""


def test_when_seeds_are_doubted():
    assert seed_doubt(10, 12, 1) == DOUBT.format(10, 12, 1)
    assert seed_doubt(12, 10, 2) == seed_doubt(9, 40, 0) == seed_doubt(0, 0, 0) == ""
