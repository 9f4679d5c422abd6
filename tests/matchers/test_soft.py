"""Soft assignment equals its definition, also where numbers are large, and tells its memory."""

import random
import sys
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

import matchbound as mb
from matchbound import matchers
from matchbound.matchers import soft_memory
from matchbound.matchers.candidates import read_candidates
from matchbound.matchers.seeds import read_seeds
from support import matcher_references as references
from support.audits import Terminal, run, write_csv
from support.networks import candidates_table, made, preferential, reconcile_command
from support.small_networks import by_definition, matrix, small_case

SOFT = sys.modules["matchbound.matchers.soft"]  # the module; the package has the function


def compared(case, width=20, candidates=None):
    """The scores by pair, and those of the definition, after all other columns were compared."""
    sizes, edges, seeds = case
    graphs = [matrix(n, some) for n, some in zip(sizes, edges, strict=True)]
    table = None if candidates is None else candidates_table(candidates)
    matches = mb.reconcile(*graphs, seeds, method="soft", candidates=table)
    found = [row for row in matches if row[3] > 0]
    expected = references.soft(*by_definition(*case), width, candidates)
    assert sorted((x, y, *w) for x, y, _, *w in found) == sorted(row for row, _ in expected)
    return {row[:2]: row[2] for row in found}, {row[:2]: share for row, share in expected}


@pytest.mark.parametrize("width", [3, 20])
def test_soft_is_as_defined(width, monkeypatch):
    monkeypatch.setattr(SOFT, "WIDTH", width)
    found, lowest = 0, 1.0
    for number in range(30 if width == 20 else 60):
        case = small_case(number, most=(26,) if width == 20 else (12,))
        scores, expected = compared(case, width)
        assert scores == pytest.approx(expected, abs=1e-8)
        found, lowest = found + len(scores), min(lowest, *scores.values(), 1.0)
    assert found > 100
    assert lowest < 0.1


def test_large_scores_of_candidates_are_as_defined():
    """β · support is up to 4,000, and e to that is no number."""
    found = 0
    for number in range(25):
        case = small_case(number)
        rng = random.Random(number)
        every = [(str(x), str(y)) for x in range(case[0][0]) for y in range(case[0][1])]
        scores, expected = compared(
            case, candidates={pair: rng.choice([0, 100, 300, 1000]) for pair in every}
        )
        assert scores == pytest.approx(expected, abs=2e-6)
        found += len(scores)
    assert found > 50


def test_low_potentials_and_large_gains_are_fitted_as_defined():
    """As of columns that thousands of rows want."""
    star = matchers.graph(matrix(6, [(0, leaf) for leaf in range(1, 6)]))
    seeds, _ = read_seeds([(0, 0)], star, star)
    rng = random.Random(1)
    every = {(str(x), str(y)): rng.choice([400, 900]) for x in range(1, 6) for y in range(1, 6)}
    (starts, columns, scores) = read_candidates(candidates_table(every), star, star).of_x
    assignment = SOFT.Assignment(star, star, seeds, (starts, columns, scores))
    gains, potential = {}, {}
    for x in range(1, 6):
        row = range(starts[x], starts[x + 1])
        gains[x] = {int(columns[c]): 1.5 * (1 + float(scores[c])) for c in row}
        potential[x] = -1500.0 + 10 * x
    assignment._potentials[1][1:] = list(potential.values())
    assignment.update(1.5)
    fitted, after = references.fit(gains, potential)
    for x in range(1, 6):
        kept = {y: share / 2 for y, share in fitted[x].items() if share / 2 >= 0.01}
        row = slice(x * SOFT.WIDTH, x * SOFT.WIDTH + len(kept))
        found = zip(assignment.columns[row].tolist(), assignment.share[row], strict=True)
        assert dict(found) == pytest.approx(kept, abs=2e-6)
    assert assignment._potentials[1][1:] == pytest.approx(list(after.values()), abs=2e-6)
    assert min(after.values()) < -700


def test_threads_change_nothing_for_soft(monkeypatch):
    pair = made(preferential, 600, seed=5)
    graphs = [matchers.graph(table) for table in pair.tables()]
    seeds = pair.seeds(60, seed=5)
    expected = list(mb.reconcile(*graphs, seeds, method="soft"))
    monkeypatch.setattr(SOFT, "MANY", 1)
    monkeypatch.setattr("numba.config.NUMBA_NUM_THREADS", 3)
    assert list(mb.reconcile(*graphs, seeds, method="soft")) == expected


@pytest.mark.parametrize(("threads", "given"), [(1, 0), (16, 0), (1, 400_000)])
def test_soft_tells_its_memory(threads, given, monkeypatch):
    monkeypatch.setattr(SOFT, "MANY", 1)
    monkeypatch.setattr("numba.config.NUMBA_NUM_THREADS", threads)
    pair = made(preferential, 3000, seed=6)
    graphs = [matchers.graph(table) for table in pair.tables()]
    seeds, _ = read_seeds(pair.seeds(300, seed=6), *graphs)
    candidates = None
    if given:
        drawn = np.random.default_rng(1).choice(3000**2, given, replace=False)
        x, y = (pa.array(numbers).cast(pa.string()) for numbers in np.divmod(drawn, 3000))
        candidates = read_candidates(pa.table({"x": x, "y": y}), *graphs)
    matchers.soft(*graphs, seeds, candidates=candidates)  # compiled now
    tracemalloc.start()
    matchers.soft(*graphs, seeds, candidates=candidates)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    told = soft_memory(*graphs, 0 if candidates is None else len(candidates))
    assert told / 3 < peak < told


def test_the_command_says_how_much_memory_soft_takes(tmp_path, monkeypatch):
    pair = made(preferential, 600, seed=5)
    command = reconcile_command(tmp_path, *pair.tables(), pair.seeds(60, seed=5).tolist())
    least = soft_memory(*(matchers.graph(table) for table in pair.tables()))
    write_csv(tmp_path / "pairs.csv", ["x", "y"], pair.truth.tolist())
    more = {"": (), ", and 24 bytes a candidate": ("--candidates", tmp_path / "pairs.csv")}
    for words, options in more.items():
        monkeypatch.setattr("sys.stderr", shown := Terminal())
        assert run(*command, "--method", "soft", *options) == 0
        told = f"matchbound: soft takes at most {least / 1e6:.0f} MB beside the networks{words} …"
        assert told in shown.getvalue().splitlines()
