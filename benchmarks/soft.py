"""Soft assignment: quality on real pairs, against expand on Enron, and against graspologic.

`benchmarks/soft.py` runs all parts, or those named: real, candidates, expand, graspologic. Times
and memory are ratios in one run; processor time, as others may share the machine.
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

from matchers import GRASPOLOGIC, graspologic_environment, matrices

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import matchbound as mb
from matchbound import matchers
from support.networks import (
    SHARED,
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


def quality(pair, share, draw, method, least, candidates=None):
    seeds = pair.seeds(round(share * len(pair.truth)), draw)
    matches = mb.reconcile(*pair.tables(), seeds, method=method, candidates=candidates)
    kept = matches.table.filter(pc.field("score") >= least)
    return precision_and_recall(pair, matchers.Matches(kept))


def with_candidates(draws=5):
    """Nodes alike by attributes, of acm-dblp; by names that three share, of a made pair."""
    print(f"\nprecision / recall without and with candidates, mean of {draws} draws")
    pair, alike = real("acm-dblp"), nearest_of("acm-dblp")
    thin = made(preferential, 3_000, 1, degree=8, keep=0.5)
    cases = {
        "acm-dblp, attributes, 20%": (pair, alike, 0.2),
        "acm-dblp, attributes, 5%": (pair, alike, 0.05),
        "preferential, 0.5 kept, 5%": (thin, shared_names(thin), 0.05),
    }
    for name, (pair, alike, share) in cases.items():
        alone = [by_score(pair, alike, share, draw) for draw in range(draws)]
        print(f"{name:28} candidates alone     {np.mean(alone):.3f} (recall)", flush=True)
        for method, least in (("soft", 0.5), ("soft", 0), ("witness", 0)):
            for given in (None, alike):
                found = [quality(pair, share, d, method, least, given) for d in range(draws)]
                precision, recall = np.mean(found, axis=0)
                said = f"{method} ≥ {least}, {'structure' if given is None else 'both'}"
                print(f"{name:28} {said:20} {precision:.3f} / {recall:.3f}", flush=True)


def nearest_of(name, count=20):
    """The pairs of each node, on either side, with the nodes nearest by their attributes."""
    a, b = (unit_vectors(SHARED / name / f"{side}_attrs.csv") for side in "ab")
    cosine = a @ b.T
    of_a = np.argpartition(-cosine, count, axis=1)[:, :count]
    of_b = np.argpartition(-cosine.T, count, axis=1)[:, :count]
    x = np.concatenate([np.repeat(np.arange(len(a)), count), of_b.ravel()])
    y = np.concatenate([of_a.ravel(), np.repeat(np.arange(len(b)), count)])
    x, y = np.unique(np.stack([x, y]), axis=1)
    return pa.table({"x": x, "y": y, "score": cosine[x, y].clip(0, 1)})


def unit_vectors(path):
    node, attribute, value = np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.int64).T
    vectors = np.zeros((node.max() + 1, attribute.max() + 1))
    vectors[node, attribute] = value
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def shared_names(pair, nodes_a_name=3):
    x, y = pair.truth.T
    name = np.random.default_rng(1).integers(len(x) // nodes_a_name, size=len(x))
    sides = (pa.table({"name": name, key: ids}) for key, ids in (("x", x), ("y", y)))
    both = next(sides).join(next(sides), "name", join_type="inner")
    return both.append_column("score", pa.array(np.ones(len(both)))).select(["x", "y", "score"])


def by_score(pair, candidates, share, draw):
    """The recall of candidates taken by their scores alone, equals in random order."""
    seeds = pair.seeds(round(share * len(pair.truth)), draw)
    order = np.argsort(
        -candidates["score"].to_numpy() + 1e-9 * np.random.default_rng(draw).random(len(candidates))
    )
    taken, partner = (
        (set(seeds[:, 0].tolist()), set(seeds[:, 1].tolist())),
        dict(pair.truth.tolist()),
    )
    right = 0
    for x, y in zip(*(candidates[k].to_numpy()[order].tolist() for k in "xy"), strict=True):
        if x not in taken[0] and y not in taken[1]:
            taken[0].add(x)
            taken[1].add(y)
            right += partner.get(x) == y
    return right / (len(pair.truth) - len(seeds))


RUN = """
import sys, time
import matchbound as mb
from matchbound import matchers
folder, method = sys.argv[1:]
left, right = (matchers.graph(f"{folder}/{side}.parquet") for side in ("left", "right"))
def peak():  # of this process alone; getrusage begins with the parent's
    lines = open("/proc/self/status")
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
small = [(i, j) for i in range(20) for j in range(i)]
import networkx as nx
mb.reconcile(nx.Graph(small), nx.Graph(small), [(0, 0), (1, 1)], method=method)  # compiled now
before = peak()
start = time.perf_counter(), time.process_time()
mb.reconcile(left, right, f"{folder}/seeds.parquet", method=method)
print(time.perf_counter() - start[0], time.process_time() - start[1], peak() - before)
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
    print(f"\nsoft and graspologic's graph_match of sparse matrices and of arrays, {nodes:,} nodes")
    print(f"{'pair':36} {'of':8} {'ours s':>8} {'theirs s':>9} {'ratio':>6} {'recall':>7} theirs")
    cases = {
        "yeast-magna-25, 20% seeds": (real("yeast-magna-25"), 0.2),
        "Erdős–Rényi, 0.8 kept, 5% seeds": (made(erdos_renyi, nodes, 2), 0.05),
        "preferential, 0.8 kept, 5% seeds": (made(preferential, nodes, 2), 0.05),
        "preferential, 0.6 kept, 10% seeds": (made(preferential, nodes, 2, keep=0.6), 0.1),
        "yeast-magna-5, 20% seeds": (real("yeast-magna-5"), 0.2),
        "preferential of degree 10, 0.7, 10%": (made(preferential, nodes, 3, 10, 0.7), 0.1),
    }
    for name, (pair, share) in cases.items():
        seeds = pair.seeds(round(share * len(pair.truth)), seed=2)
        left, right = matrices(pair, 1 + max(pair.left.max(), pair.right.max()))
        matches, ours = processor_time(mb.reconcile, left, right, seeds, method="soft")
        right_ours, _, total = pair.quality(matches)
        for form in ("sparse", "array"):
            theirs, found = run_graspologic(python, left, right, seeds, form)
            new = {tuple(row) for row in found.tolist()} - {tuple(row) for row in seeds.tolist()}
            recall = len(new & {tuple(row) for row in pair.truth.tolist()}) / total
            print(
                f"{name:36} {form:8} {ours:8.4f} {theirs:9.2f} {theirs / ours:6.0f} "
                f"{right_ours / total:7.4f} {recall:.4f}",
                flush=True,
            )


def run_graspologic(python, left, right, seeds, form):
    """The seconds of processor time that graph_match takes, and the pairs that it finds."""
    program = GRASPOLOGIC.replace("perf_counter", "process_time")
    if form == "array":
        program = program.replace(".astype(float)", ".astype(float).toarray()")
    with tempfile.TemporaryDirectory() as place:
        for side, matrix in (("a", left), ("b", right)):
            sp.save_npz(f"{place}/{side}.npz", sp.csr_matrix(matrix))
        np.save(f"{place}/seeds.npy", seeds)
        command = [python, "-W", "ignore", "-c", program, place]
        answer = subprocess.run(command, check=True, capture_output=True, text=True)
        return float(answer.stdout), np.load(f"{place}/pairs.npy")


def processor_time(function, *arguments, **options):
    """The result, and the least seconds of five runs after one that compiles."""
    result, seconds = function(*arguments, **options), []
    for _ in range(5):
        start = time.process_time()
        function(*arguments, **options)
        seconds.append(time.process_time() - start)
    return result, min(seconds)


PARTS = {
    "real": on_real_pairs,
    "candidates": with_candidates,
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
