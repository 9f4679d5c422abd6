"""Soft assignment: quality on real pairs, against expand on Enron, and against graspologic.

`benchmarks/soft.py` runs all parts, or those named: real, expand, graspologic. Times and memory are
ratios in one run.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import scipy.sparse as sp

from matchers import GRASPOLOGIC, graspologic_environment, matrices, timed

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import matchbound as mb
from matchbound import matchers
from support.networks import (
    erdos_renyi,
    halves_of,
    made,
    precision_and_recall,
    preferential,
    real,
)

PAIRS = {
    "yeast-magna-25": (lambda _: real("yeast-magna-25"), 0.2),
    "acm-dblp": (lambda _: real("acm-dblp"), 0.2),
    "yeast-magna-5": (lambda _: real("yeast-magna-5"), 0.2),
    "douban": (lambda _: real("douban"), 0.2),
    "ego-facebook, 0.7 kept": (lambda draw: halves_of("ego-facebook", 0.7, draw), 0.05),
    "acm-dblp, fewer seeds": (lambda _: real("acm-dblp"), 0.1),
}


def on_real_pairs(draws=5):
    print(f"\nprecision / recall, mean of {draws} draws, seeds left out")
    for name, (pair_of, share) in PAIRS.items():
        for method, least in (("soft", 0.5), ("soft", 0), ("expand", 0), ("witness", 0)):
            results = [quality(pair_of(draw), share, draw, method, least) for draw in range(draws)]
            precision, recall = np.mean(results, axis=0)
            said = f"{method}, score ≥ {least}" if least else method
            print(f"{name:24} {share:5.0%} {said:20} {precision:.3f} / {recall:.3f}", flush=True)


def quality(pair, share, draw, method, least):
    seeds = pair.seeds(round(share * len(pair.truth)), draw)
    matches = mb.reconcile(*pair.tables(), seeds, method=method)
    kept = matches.table.filter(pc.field("score") >= least)
    return precision_and_recall(pair, matchers.Matches(kept))


RUN = """
import resource, sys, time
import matchbound as mb
from matchbound import matchers
folder, method = sys.argv[1:]
left, right = (matchers.graph(f"{folder}/{side}.parquet") for side in ("left", "right"))
peaks = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
small = [(i, j) for i in range(20) for j in range(i)]
import networkx as nx
mb.reconcile(nx.Graph(small), nx.Graph(small), [(0, 0), (1, 1)], method=method)  # compiled now
before = peaks()
start = time.perf_counter(), time.process_time()
mb.reconcile(left, right, f"{folder}/seeds.parquet", method=method)
print(time.perf_counter() - start[0], time.process_time() - start[1], peaks() - before)
"""


def against_expand():
    print("\nsoft and expand in processes of their own; MB beyond what held the networks")
    print(f"{'pair':28} {'method':7} {'seconds':>8} {'of processor':>13} {'MB':>6}")
    cases = {
        "email-enron, 0.8, 5% seeds": (halves_of("email-enron", 0.8, 1), 0.05),
        "fb-pages-media, 0.6, 5% seeds": (halves_of("fb-pages-media", 0.6, 1), 0.05),
        "Erdős–Rényi 20,000, 5% seeds": (made(erdos_renyi, 20_000, 1), 0.05),
        "preferential 20,000, 5% seeds": (made(preferential, 20_000, 1), 0.05),
    }
    for name, (pair, share) in cases.items():
        seeds = pair.seeds(round(share * len(pair.truth)), 1)
        tables = dict(zip(("left", "right"), pair.tables(), strict=True))
        tables["seeds"] = pa.table({"x": seeds[:, 0], "y": seeds[:, 1]})
        with tempfile.TemporaryDirectory() as folder:
            for part, table in tables.items():
                pq.write_table(table, f"{folder}/{part}.parquet")
            for method in ("soft", "expand"):
                command = [sys.executable, "-c", RUN, folder, method]
                answer = subprocess.run(command, check=True, capture_output=True, text=True)
                wall, processor, peak = map(float, answer.stdout.split())
                print(f"{name:28} {method:7} {wall:8.1f} {processor:13.1f} {peak:6.0f}", flush=True)


def against_graspologic(nodes=1_000):
    python = graspologic_environment()
    print(f"\nsoft and graspologic's graph_match, {nodes:,} nodes")
    print(f"{'pair':36} {'ours s':>8} {'theirs s':>9} {'ratio':>6} {'recall':>7} {'theirs':>7}")
    cases = {
        "yeast-magna-25, 20% seeds": (real("yeast-magna-25"), 0.2),
        "Erdős–Rényi, 0.8 kept, 5% seeds": (made(erdos_renyi, nodes, 2), 0.05),
        "preferential, 0.8 kept, 5% seeds": (made(preferential, nodes, 2), 0.05),
        "preferential, 0.6 kept, 10% seeds": (made(preferential, nodes, 2, keep=0.6), 0.1),
    }
    for name, (pair, share) in cases.items():
        seeds = pair.seeds(round(share * len(pair.truth)), seed=2)
        left, right = matrices(pair, 1 + max(pair.left.max(), pair.right.max()))
        matches, ours = timed(mb.reconcile, left, right, seeds, method="soft")
        with tempfile.TemporaryDirectory() as place:
            for side, matrix in (("a", left), ("b", right)):
                sp.save_npz(f"{place}/{side}.npz", sp.csr_matrix(matrix))
            np.save(f"{place}/seeds.npy", seeds)
            command = [python, "-W", "ignore", "-c", GRASPOLOGIC, place]
            answer = subprocess.run(command, check=True, capture_output=True, text=True)
            found = np.load(f"{place}/pairs.npy")
        theirs = float(answer.stdout)
        new = {tuple(row) for row in found.tolist()} - {tuple(row) for row in seeds.tolist()}
        right_ours, _, total = pair.quality(matches)
        recall = len(new & {tuple(row) for row in pair.truth.tolist()}) / total
        print(
            f"{name:36} {ours:8.4f} {theirs:9.2f} {theirs / ours:6.0f} "
            f"{right_ours / total:7.4f} {recall:7.4f}",
            flush=True,
        )


PARTS = {
    "real": on_real_pairs,
    "expand": against_expand,
    "graspologic": against_graspologic,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    started = time.perf_counter()
    for part in parser.parse_args().parts or PARTS:
        PARTS[part]()
    print(f"\n{time.perf_counter() - started:.0f} s in all")
