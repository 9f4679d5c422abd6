"""`match` from ten thousand to a million records a side: time, memory, and how they grow.

`benchmarks/match.py` runs all settings and sizes; `--settings usual --sizes 10000 100000` some.
Records are made up: six fields with errors, half of them with a match; 1,000 labelled nodes. Each
run is a process of its own. Growth is the exponent of processor time between two sizes. `found` is
the share of true pairs among the candidates; precision and recall are of the matches. `--part
candidates` ends there; `--part real` has the share on real data, by the exact and by the limited
search.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from matchbound.matchers.records import candidates
from support.people import SETTINGS, people

SIZES = (10_000, 100_000, 1_000_000)
LABELLED = 1_000
DEDUPE = "one table"

RUN = """
import json, os, resource, sys, time
import numpy as np, pyarrow.parquet as pq
from matchbound.matchers.records import match as module
folder, only_candidates = sys.argv[1], sys.argv[2] == "candidates"
truth = pq.read_table(f"{folder}/truth.parquet").to_pandas().to_numpy()
tables = [f"{folder}/{name}.parquet" for name in ("left", "right")]
tables = [path for path in tables if os.path.exists(path)]
seconds = {}
find = module.nearest
def timed(*texts, **words):
    start = time.process_time()
    found = find(*texts, **words)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    keys = found.x.astype(np.int64) * 2**32 + found.y
    share = np.isin(truth[:, 0] * 2**32 + truth[:, 1], keys).mean()
    seconds.update(candidates=time.process_time() - start, found=share, pairs=len(found), half=peak)
    if only_candidates:
        raise KeyboardInterrupt
    return found
find(["ab cd"], ["ab ce"])  # compiled now
module.nearest = timed
start = time.perf_counter(), time.process_time()
try:
    matches = module.match(*tables, labels=f"{folder}/labels.parquet").table
    x, y = (matches[name].to_numpy().astype(np.int64) for name in ("x", "y"))
    keys = np.minimum(x, y) * 2**32 + np.maximum(x, y) if len(tables) == 1 else x * 2**32 + y
    right = np.isin(keys, truth[:, 0] * 2**32 + truth[:, 1]).sum()
    seconds.update(precision=right / len(keys), recall=right / len(truth))
except KeyboardInterrupt:
    pass
seconds.update(wall=time.perf_counter() - start[0], processor=time.process_time() - start[1])
seconds["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(json.dumps(seconds))
"""


def write(folder, size, setting):
    """The tables, the truth by position, and labels of 1,000 nodes; a record's id is its place."""
    made = people(size, "usual" if setting == DEDUPE else setting, dedupe=setting == DEDUPE)
    for name, side in (("left", made.left), ("right", made.right)):
        if side is not None:
            ids = pa.array([f"{i:07d}" for i in range(size)])
            pq.write_table(pa.table({"id": ids, **side}), f"{folder}/{name}.parquet")
    pq.write_table(
        pa.table({"x": made.truth[:, 0], "y": made.truth[:, 1]}), f"{folder}/truth.parquet"
    )
    pairs = np.concatenate([made.truth, made.truth[:, ::-1]]) if made.right is None else made.truth
    partner = np.full(size, -1)
    partner[pairs[:, 0]] = pairs[:, 1]
    chosen = np.random.default_rng(0).choice(size, LABELLED, replace=False)
    y = [None if partner[i] < 0 else f"{partner[i]:07d}" for i in chosen]
    labels = pa.table({"x": [f"{i:07d}" for i in chosen], "y": pa.array(y, pa.string())})
    pq.write_table(labels, f"{folder}/labels.parquet")


def measure(size, setting, part):
    with tempfile.TemporaryDirectory() as folder:
        write(folder, size, setting)
        command = [sys.executable, "-c", RUN, folder, part]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def on_real_data():
    """The share of true pairs among the candidates of the exact and of the limited search."""
    for folder in sorted((Path(__file__).parents[2] / "shared/data/er").glob("*/")):
        sides, truth = read_real(folder)
        for name, exact in (("exact", math.inf), ("limited", 0)):
            candidates.EXACT = exact
            found = candidates.nearest(*sides)
            pairs = set(zip(found.x.tolist(), found.y.tolist(), strict=True))
            share = sum(pair in pairs for pair in truth) / len(truth)
            each = len(pairs) / len(sides[0])
            print(f"{folder.name:20} {name:8} found {share:.4f}, {each:.1f} a record", flush=True)


def read_real(folder):
    """The texts of one or two tables, and the positions of true pairs."""
    paths = [folder / f"{name}.parquet" for name in ("left", "right", "records")]
    tables = [pq.read_table(path).to_pydict() for path in paths if path.exists()]
    places = [{id: i for i, id in enumerate(table.pop("id"))} for table in tables]
    texts = [[" ".join(filter(None, row)) for row in zip(*t.values(), strict=True)] for t in tables]
    name = "truth" if len(tables) == 2 else "truth_pairs"
    rows = pq.read_table(folder / f"{name}.parquet").to_pylist()
    pairs = [(places[0][row["id_l"]], places[-1][row["id_r"]]) for row in rows]
    return texts, pairs if len(tables) == 2 else [tuple(sorted(pair)) for pair in pairs]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--settings", nargs="+", default=[*SETTINGS, DEDUPE])
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--part", choices=["all", "candidates", "real"], default="all")
    options = parser.parse_args()
    if options.part == "real":
        on_real_data()
        return
    for setting in options.settings:
        before = None
        for size in options.sizes:
            result = measure(size, setting, options.part)
            print(f"{setting:14} {size:9,} {words(result)}", end="", flush=True)
            if before:
                print(f"; growth {growth(before, (size, result)):.2f}", end="")
            print(flush=True)
            before = size, result


def words(result):
    quality = ""
    if "precision" in result:
        quality = f", precision {result['precision']:.4f}, recall {result['recall']:.4f}"
    return (
        f"{result['processor']:7.0f} s of processor ({result['candidates']:.0f} s candidates), "
        f"{result['wall']:7.0f} s, peak {result['peak']:.2f} GB ({result['half']:.2f} GB), "
        f"{result['pairs']:,} pairs, found {result['found']:.4f}{quality}"
    )


def growth(before, after):
    (size, result), (larger, other) = before, after
    return math.log(other["processor"] / result["processor"]) / math.log(larger / size)


if __name__ == "__main__":
    main()
