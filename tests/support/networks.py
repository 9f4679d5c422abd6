"""Pairs of networks whose truth is known: made from a parent, or real ones of ../shared."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numba import njit

from support.audits import write_csv

SHARED = Path(__file__).parents[3] / "shared" / "data" / "networks"


@dataclass(frozen=True)
class Pair:
    """Two edge lists, and the pairs of nodes that are the same and have an edge on both sides."""

    left: np.ndarray
    right: np.ndarray
    truth: np.ndarray

    def tables(self):
        return tuple(
            pa.table({"src": edges[:, 0], "dst": edges[:, 1]}) for edges in (self.left, self.right)
        )

    def seeds(self, count, seed):
        return self.truth[np.random.default_rng(seed).permutation(len(self.truth))[:count]]

    def quality(self, matches):
        """Right and counted ones among the new pairs that touch the truth, and recall's total."""
        table = matches.table.filter(pa.compute.field("round") > 0)
        x, y = (table[name].cast(pa.int64()).to_numpy() for name in ("x", "y"))
        known_x, known_y = np.isin(x, self.truth[:, 0]), np.isin(y, self.truth[:, 1])
        partner = dict(self.truth.tolist())
        right = sum(partner.get(a) == b for a, b in zip(x.tolist(), y.tolist(), strict=True))
        seeds = len(matches) - len(table)
        return right, int((known_x | known_y).sum()), len(self.truth) - seeds


def precision_and_recall(pair, matches):
    right, counted, total = pair.quality(matches)
    return right / max(counted, 1), right / total


def erdos_renyi(rng, nodes, degree):
    """As many distinct edges as the degree asks for, uniformly."""
    count = nodes * degree // 2
    edges = _distinct(rng.integers(nodes, size=(count + count // 50 + 100, 2)), nodes)
    return edges[rng.permutation(len(edges))[:count]]


def preferential(rng, nodes, degree):
    """Every node brings half the degree in edges, to nodes chosen by their degree so far."""
    ends = _attach(nodes, degree // 2, int(rng.integers(2**31)))
    return _distinct(ends.reshape(-1, 2), nodes)


def _distinct(ends, nodes):
    low, high = ends.min(axis=1), ends.max(axis=1)
    edges = np.unique((low * nodes + high)[low != high])
    return np.stack(np.divmod(edges, nodes), axis=1)


@njit
def _attach(nodes, new, seed):
    np.random.seed(seed)
    ends = np.empty(2 * nodes * new, np.int64)
    for place in range(0, ends.size, 2):
        ends[place] = place // (2 * new)
        ends[place + 1] = ends[np.random.randint(0, place + 1)]
    return ends


def views(rng, edges, keep):
    """Each edge kept with this probability on each side, and the right side's ids shuffled."""
    nodes = int(edges.max()) + 1
    name = rng.permutation(nodes)
    left = edges[rng.random(len(edges)) < keep]
    right = name[edges[rng.random(len(edges)) < keep]]
    both = np.isin(np.arange(nodes), left) & np.isin(name, right)
    return Pair(left, rng.permutation(right), np.stack([np.arange(nodes), name], axis=1)[both])


def made(kind, nodes, seed, degree=20, keep=0.8):
    rng = np.random.default_rng(seed)
    return views(rng, kind(rng, nodes, degree), keep)


def real(name):
    return Pair(*(_read(SHARED / name / f"{part}.csv") for part in ("a_edges", "b_edges", "truth")))


def halves_of(name, keep, seed):
    """Two views of one real network."""
    return views(np.random.default_rng(seed), _read(SHARED / "base" / f"{name}.csv"), keep)


def _read(path):
    return np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.int64)


def candidates_table(candidates):
    """Scores by pairs of ids, as a table."""
    x, y = zip(*candidates, strict=True)
    return pa.table({"x": x, "y": y, "score": pa.array(candidates.values(), pa.float64())})


def reconcile_command(folder, left, right, seeds):
    """Write the tables, and return the words of the command that matches them."""
    for name, part in (("left", left), ("right", right)):
        pq.write_table(part, folder / f"{name}.parquet")
    write_csv(folder / "seeds.csv", ["x", "y"], seeds)
    paths = [folder / "left.parquet", folder / "right.parquet"]
    return [
        "reconcile",
        *paths,
        "--seeds",
        folder / "seeds.csv",
        "--out",
        folder / "m.csv",
        "--force",
    ]
