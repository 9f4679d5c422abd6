"""`matchbound certify` on two match tables of 10 million pairs, against DuckDB's two anti-joins.

The last column is the time with the pairwise metrics too, in units of the time without.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

import matchbound as mb

USUAL = ("precision", "recall")
PAIRWISE = (*USUAL, "pairwise-precision", "pairwise-recall", "pairwise-f1")
AUDITS = {"audit": USUAL, "pairwise": PAIRWISE}
KINDS = {"text": ("concat('u', i)", "concat('v', {})"), "whole": ("i", "{}")}


def make(folder, kind, pairs):
    """People, and two tables of matches that differ on one pair in a thousand."""
    x, y = KINDS[kind]
    changed = (
        f"case when hash(i) % 1000 = 0 then {y.format('i * 7 + 2')} else {y.format('i * 7')} end"
    )
    rows = f"from range({pairs}) t(i)"
    tables = {
        "people": f"select {x} as id from range({pairs * 3 // 2}) t(i)",
        "holdout": f"select {x} as x, {y.format('i * 7')} as y {rows} order by hash(i)",
        "complete": f"select {x} as x, {changed} as y {rows} order by hash(i + 1)",
    }
    for name, select in tables.items():
        duckdb.execute(f"copy ({select}) to '{folder / name}.parquet'").fetchall()
    how = {"labels": 1000, "train": 300, "seed": "census", "one_to_one": True, "link": True}
    for audit, metrics in AUDITS.items():
        draw = mb.draw(folder / "people.parquet", metrics=metrics, **how)
        draw.save(folder / audit)
        label(folder / audit, draw, kind, pairs)


def label(audit, draw, kind, pairs):
    rows = [node.lstrip("u") for node, _, _ in draw.sample]
    prefix = {"text": ("u", "v"), "whole": ("", "")}[kind]
    with open(audit / "labels.csv", "w", encoding="utf-8") as file:
        file.write("x,y\n")
        for i in rows:
            match = f"{prefix[1]}{int(i) * 7}" if int(i) < pairs else ""
            file.write(f"{prefix[0]}{i},{match}\n")


def anti_joins(folder):
    """In a process of its own, as certify is."""
    h, c = folder / "holdout.parquet", folder / "complete.parquet"
    code = f"""
import duckdb, time
duckdb.execute("set enable_progress_bar = false").fetchall()
start = time.perf_counter()
for a, b in (({str(h)!r}, {str(c)!r}), ({str(c)!r}, {str(h)!r})):
    duckdb.execute(f"select count(*) from '{{a}}' a anti join '{{b}}' b using (x, y)").fetchall()
print(time.perf_counter() - start)
"""
    return float(
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    )


def certify(folder, audit="audit"):
    command = [
        sys.executable,
        "-m",
        "matchbound",
        "certify",
        folder / audit,
        "--force",
    ]
    command += ["--holdout", folder / "holdout.parquet", "--complete", folder / "complete.parquet"]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=10_000_000)
    pairs = parser.parse_args().pairs
    print(
        f"{'ids':6} {'pairs':>11} {'certify s':>10} {'anti-joins s':>13} {'ratio':>6} "
        f"{'pairwise':>9}"
    )
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            make(folder, kind, pairs)
            runs = (certify, anti_joins, lambda where: certify(where, "pairwise"))
            times = [[run(folder) for run in runs] for _ in range(4)][1:]  # the first warms up
            certified, joined, pairwise = (sorted(each)[1] for each in zip(*times, strict=True))
            print(
                f"{kind:6} {pairs:11} {certified:10.1f} {joined:13.1f} {certified / joined:6.2f} "
                f"{pairwise / certified:9.2f}"
            )


if __name__ == "__main__":
    main()
