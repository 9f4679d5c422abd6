"""Matchers on pairs of networks with known truth, against graspologic and scipy.sparse.

`benchmarks/matchers.py` runs all parts, or those named: large, graspologic, sparse, stuck, real.
graspologic needs numpy 1, so it gets an environment of its own in build/graspologic.
"""

import argparse
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import matchbound as mb
from matchbound import matchers
from matchbound.matchers.seeds import read_seeds
from support.networks import (
    SHARED,
    erdos_renyi,
    halves_of,
    made,
    precision_and_recall,
    preferential,
    real,
)

ROOT = Path(__file__).parents[1]
KINDS = {"Erdős–Rényi": erdos_renyi, "preferential": preferential}


def large(nodes=1_000_000):
    """The whole command on Parquet edge lists, in a process of its own."""
    print(f"\nwitness T=3, {nodes:,} nodes, 5% seeds, the command from Parquet to Parquet")
    print(f"{'parent':12} {'precision':>9} {'recall':>7} {'seconds':>8} {'peak MB':>8}")
    for name, kind in KINDS.items():
        pair = made(kind, nodes, seed=1)
        seeds = pair.seeds(nodes // 20, seed=1)
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            tables = dict(zip(("left", "right"), pair.tables(), strict=True))
            tables["seeds"] = pa.table({"x": seeds[:, 0], "y": seeds[:, 1]})
            for part, table in tables.items():
                pq.write_table(table, folder / f"{part}.parquet")
            seconds, peak = run_command(folder)
            matches = matchers.Matches(pq.read_table(folder / "matches.parquet"))
        precision, recall = precision_and_recall(pair, matches)
        print(f"{name:12} {precision:9.5f} {recall:7.4f} {seconds:8.1f} {peak:8.0f}", flush=True)


COMMAND = """
import sys
from matchbound.commands.main import main
status = main(sys.argv[1:])
print(*(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
sys.exit(status)
"""


def run_command(folder):
    """Seconds, and the most memory that it held: Linux tells."""
    names = [str(folder / f"{part}.parquet") for part in ("left", "right", "seeds", "matches")]
    arguments = ["reconcile", *names[:2], "--seeds", names[2], "--out", names[3]]
    command = [sys.executable, "-c", COMMAND, *arguments, "--threshold", "3"]
    start = time.perf_counter()
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return time.perf_counter() - start, int(answer.stdout.split()[-1]) / 1024


def matrices(pair, nodes):
    """Symmetric adjacency matrices, which both sides of a comparison start from."""
    for edges in (pair.left, pair.right):
        half = sp.coo_array((np.ones(len(edges), np.int32), edges.T), shape=(nodes, nodes))
        yield (half + half.T).tocsr()


def timed(function, *arguments, times=7, **options):
    """The quickest of several runs, after one that is not counted: others may share the machine."""
    result, seconds = function(*arguments, **options), []
    for _ in range(times):
        start = time.perf_counter()
        function(*arguments, **options)
        seconds.append(time.perf_counter() - start)
    return result, min(seconds)


GRASPOLOGIC = """
import sys, time
import numpy as np
from scipy.sparse import csr_array, load_npz
from graspologic.match import graph_match
folder = sys.argv[1]
left, right = (csr_array(load_npz(f"{folder}/{side}.npz")).astype(float) for side in "ab")
seeds = np.load(f"{folder}/seeds.npy")
start = time.perf_counter()
result = graph_match(left, right, partial_match=seeds, rng=0)
seconds = time.perf_counter() - start
np.save(f"{folder}/pairs.npy", np.stack([result.indices_A, result.indices_B], axis=1))
print(seconds)
"""


def graspologic(nodes=5_000):
    """Its seeded graph matching with its own defaults, once; all of `reconcile`."""
    python = graspologic_environment()
    print(f"\nwitness T=3 and graspologic's graph_match, {nodes:,} nodes, 5% seeds")
    print(f"{'parent':12} {'ours s':>8} {'theirs s':>9} {'ratio':>7} {'right':>7} {'theirs':>7}")
    for name, kind in KINDS.items():
        pair = made(kind, nodes, seed=2)
        seeds = pair.seeds(nodes // 20, seed=2)
        left, right = matrices(pair, nodes)
        matches, ours = timed(mb.reconcile, left, right, seeds, threshold=3)
        with tempfile.TemporaryDirectory() as place:
            for side, matrix in (("a", left), ("b", right)):
                sp.save_npz(f"{place}/{side}.npz", sp.csr_matrix(matrix))
            np.save(f"{place}/seeds.npy", seeds)
            command = [python, "-W", "ignore", "-c", GRASPOLOGIC, place]
            answer = subprocess.run(command, check=True, capture_output=True, text=True)
            found = np.load(f"{place}/pairs.npy")
        theirs = float(answer.stdout)
        new = {tuple(row) for row in found.tolist()} - {tuple(row) for row in seeds.tolist()}
        right_new = len(new & {tuple(row) for row in pair.truth.tolist()})
        right_ours, _, total = pair.quality(matches)
        print(
            f"{name:12} {ours:8.4f} {theirs:9.1f} {theirs / ours:7.0f} "
            f"{right_ours / total:7.4f} {right_new / total:7.4f}",
            flush=True,
        )


def graspologic_environment():
    """Made once; kept in build/."""
    place = ROOT / "build" / "graspologic"
    python = place / "bin" / "python"
    if not (place / "ready").exists():
        venv.create(place, with_pip=True, clear=True)
        install = [python, "-m", "pip", "install", "-qq", "graspologic==3.4.4"]
        subprocess.run(install, check=True)
        (place / "ready").touch()
    return python


def sparse(nodes=100_000):
    """The rounds alone: ours on graphs made ready, theirs on compressed sparse rows."""
    print(f"\nwitness T=3 and its rounds by scipy.sparse products, {nodes:,} nodes, 5% seeds")
    print(f"{'parent':12} {'ours s':>8} {'scipy s':>8} {'ratio':>6} {'all of reconcile s':>19}")
    for name, kind in KINDS.items():
        pair = made(kind, nodes, seed=3)
        seeds = pair.seeds(nodes // 20, seed=3)
        left, right = matrices(pair, nodes)
        matches, whole = timed(mb.reconcile, left, right, seeds, threshold=3)
        graphs = [matchers.graph(matrix) for matrix in (left, right)]
        places, _ = read_seeds(seeds, *graphs)
        _, ours = timed(matchers.witness, *graphs, places, threshold=3)
        found, theirs = timed(rounds_by_products, left, right, seeds, 3, 2)
        new = [(x, y, *parts) for x, y, _, *parts in matches if parts[0] > 0]
        if sorted(new) != sorted((str(x), str(y), *parts) for x, y, *parts in found):
            raise SystemExit("the two differ")
        print(f"{name:12} {ours:8.2f} {theirs:8.2f} {theirs / ours:6.1f} {whole:19.2f}", flush=True)


def rounds_by_products(left, right, seeds, threshold, repeat):
    """Rows of x, y, round, witnesses and margin."""
    left, right = ((matrix != 0).astype(np.int32) for matrix in (left, right))
    x_degrees, y_degrees = np.diff(left.indptr), np.diff(right.indptr)
    partner, taken = np.full(left.shape[0], -1), np.full(right.shape[0], -1)
    partner[seeds[:, 0]], taken[seeds[:, 1]] = seeds[:, 1], seeds[:, 0]
    highest, found = int(min(x_degrees.max(), y_degrees.max())), []
    degrees = [2**power for power in reversed(range(highest.bit_length()))]
    for number, degree in enumerate(degrees * repeat, start=1):
        x = np.flatnonzero((partner < 0) & (x_degrees >= degree))
        y = np.flatnonzero((taken < 0) & (y_degrees >= degree))
        if not (len(x) and len(y)):
            continue
        u = np.flatnonzero(partner >= 0)
        counts = (left[x][:, u] @ right[partner[u]][:, y]).tocsr()
        row_best, column_best = highest_counts(counts)
        rows = np.repeat(np.arange(len(x)), np.diff(counts.indptr))  # after max, which sorts
        columns, best = counts.indices, counts.data >= threshold
        for highest_of, places in ((row_best, rows), (column_best, columns)):
            is_highest = counts.data == highest_of[places]
            alone = np.bincount(places[is_highest], minlength=len(highest_of)) == 1
            best &= is_highest & alone[places]
        witnesses, rows, columns = counts.data[best], rows[best], columns[best]
        counts.data[best] = 0
        row_second, column_second = highest_counts(counts)
        margin = witnesses - np.maximum(row_second[rows], column_second[columns])
        partner[x[rows]], taken[y[columns]] = y[columns], x[rows]
        new = (x[rows], y[columns], np.full(len(rows), number), witnesses, margin)
        found += zip(*(part.tolist() for part in new), strict=True)
    return found


def highest_counts(counts):
    """Of each row, and of each column."""
    return (counts.max(axis=axis).toarray().ravel() for axis in (1, 0))


def stuck(nodes=20_000):
    print(f"\nfrom 10 seeds, {nodes:,} nodes, Erdős–Rényi, five pairs of graphs")
    print(f"{'method':12} {'precision':>9} {'recall':>7} {'seconds':>8}")
    for method, options in (("witness", {}), ("percolation", {"threshold": 2}), ("expand", {})):
        results = []
        for draw in range(5):
            pair = made(erdos_renyi, nodes, seed=draw)
            graphs = [matchers.graph(table) for table in pair.tables()]
            start = time.perf_counter()
            matches = mb.reconcile(*graphs, pair.seeds(10, seed=draw), method=method, **options)
            seconds = time.perf_counter() - start
            results.append((*precision_and_recall(pair, matches), seconds))
        precision, recall, seconds = np.median(results, axis=0)
        print(f"{method:12} {precision:9.4f} {recall:7.4f} {seconds:8.2f}")


REAL = [
    ("acm-dblp", "witness", {"threshold": 2}),
    ("acm-dblp", "expand", {}),
    ("yeast-magna-5", "expand", {}),
    ("douban", "witness", {"threshold": 2}),
]


def on_real_pairs():
    if not SHARED.exists():
        print(f"\nno real pairs: {SHARED} is not there")
        return
    print("\nreal pairs, mean of 5 draws; 20% seeds; of Enron's two halves 10%")
    print(f"{'pair':14} {'method':36} {'precision':>9} {'recall':>7} {'right':>7} {'wrong':>6}")
    for name, method, options in REAL:
        pair = real(name)
        said = method + "".join(f", {key} {value}" for key, value in options.items())
        show(name, said, [quality(pair, 0.2, draw, method=method, **options) for draw in range(5)])
    for repeat in (1, 2, 10):
        results = [
            quality(halves_of("email-enron", 0.5, draw), 0.1, draw, threshold=5, repeat=repeat)
            for draw in range(5)
        ]
        show("email-enron", f"witness, threshold 5, repeat {repeat}", results)
    for name in ("fb-pages-media", "email-enron"):
        show(name, "0.8 kept, hubs, witness, threshold 3", [from_hubs(name, d) for d in range(5)])


def from_hubs(name, draw):
    pair = halves_of(name, 0.8, draw)
    return pair.quality(mb.reconcile(*pair.tables(), "hubs", threshold=3))


def quality(pair, share, draw, **options):
    seeds = pair.seeds(round(share * len(pair.truth)), draw)
    return pair.quality(mb.reconcile(*pair.tables(), seeds, **options))


def show(name, said, results):
    shares = [(right / counted, right / total) for right, counted, total in results]
    precision, recall = np.mean(shares, axis=0)
    right, counted, _ = np.mean(results, axis=0)
    print(f"{name:14} {said:36} {precision:9.4f} {recall:7.4f} {right:7.0f} {counted - right:6.0f}")


PARTS = {
    "large": large,
    "graspologic": graspologic,
    "sparse": sparse,
    "stuck": stuck,
    "real": on_real_pairs,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parts = parser.parse_args().parts or list(PARTS)
    if not set(parts) <= set(PARTS):
        parser.error(f"PART must be among {', '.join(PARTS)}")
    for part in parts:
        PARTS[part]()


if __name__ == "__main__":
    main()
