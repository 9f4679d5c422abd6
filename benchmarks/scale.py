"""The paper's population: certify against DuckDB's two anti-joins, draw against one keyed scan.

1.2, 12 and 120 million nodes, two match tables of two thirds as many pairs that disagree on one
pair in a thousand. All four are given the same memory and threads, each in a process of its own.
"""

import argparse
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

KEY = "0" * 64
"""As long as a draw's own key."""

MAKE = """
import duckdb
con = duckdb.connect(config={{"memory_limit": {memory!r}, "temp_directory": {spill!r}}})
con.execute("set enable_progress_bar = false; set preserve_insertion_order = false")
for name, select in {tables!r}.items():
    con.execute(f"copy ({{select}}) to '{folder}/{{name}}.parquet'").fetchall()
"""

TIMED = """
import duckdb, time
con = duckdb.connect(config={{"memory_limit": {memory!r}, "temp_directory": {spill!r}}})
con.execute("set enable_progress_bar = false").fetchall()
start = time.perf_counter()
for query in {queries!r}:
    con.execute(query).fetchall()
print(time.perf_counter() - start)
"""


def make(folder, nodes, memory):
    """People, and the matches of 2 in 3; `complete` has another match for one in a thousand."""
    pairs = nodes * 2 // 3
    rows = f"from range({pairs}) t(i) order by hash"
    changed = "case when hash(i) % 1000 = 0 then i * 7 + 2 else i * 7 end"
    tables = {
        "people": f"select i as id from range({nodes}) t(i)",
        "holdout": f"select i as x, i * 7 as y {rows}(i)",
        "complete": f"select i as x, {changed} as y {rows}(i + 1)",
    }
    spill = str(folder / "spill")
    python(MAKE.format(memory=memory, spill=spill, tables=tables, folder=folder))


def label(folder, nodes):
    """The drawn nodes' true matches: those that the holdout matcher found."""
    with open(folder / "audit" / "sample.csv", encoding="utf-8") as file:
        drawn = [int(row["id"]) for row in csv.DictReader(file)]
    lines = [f"{i},{i * 7 if i < nodes * 2 // 3 else ''}\n" for i in drawn]
    (folder / "audit" / "labels.csv").write_text("".join(["x,y\n", *lines]), encoding="utf-8")


def anti_joins(folder, memory):
    h, c = f"'{folder}/holdout.parquet'", f"'{folder}/complete.parquet'"
    joins = (
        f"select count(*) from {a} a anti join {b} b using (x, y)" for a, b in ((h, c), (c, h))
    )
    return timed(folder, memory, joins)


def keyed_scan(folder, memory):
    return timed(
        folder,
        memory,
        [f"select min(sha256(concat('{KEY}', id))) from '{folder}/people.parquet'"],
    )


def timed(folder, memory, queries):
    spill = str(folder / "spill")
    return float(python(TIMED.format(memory=memory, spill=spill, queries=list(queries))))


def certify(folder, memory):
    tables = ("--holdout", folder / "holdout.parquet", "--complete", folder / "complete.parquet")
    options = ("--gap-from", "census", "--force", "--memory", memory)
    return matchbound("certify", folder / "audit", *tables, *options)


def draw(folder, memory):
    shutil.rmtree(folder / "audit", ignore_errors=True)
    sizes = ("--labels", 1000, "--gap", 100_000, "--one-to-one", "--link")
    options = ("--out", folder / "audit", "--seed", "scale", "--memory", memory)
    return matchbound("draw", folder / "people.parquet", *sizes, *options)


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout


def matchbound(*arguments):
    """How long the command took, starting included, and its greatest resident memory in GB."""
    command = [sys.executable, "-m", "matchbound", *map(str, arguments)]
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(command)} ended with status {child.returncode}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024 / 1e9


def measure(folder, nodes, memory, times):
    """One after the other, and that several times: what else the machine does hits all alike."""
    rounds = []
    for _ in range(times):
        scan, drawn = keyed_scan(folder, memory), draw(folder, memory)
        label(folder, nodes)
        joins, certified = anti_joins(folder, memory), certify(folder, memory)
        rounds.append((joins, *certified, scan, *drawn))
    return [median(values) for values in zip(*rounds, strict=True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    sizes = [1_200_000, 12_000_000, 120_000_000]
    parser.add_argument("--nodes", type=int, nargs="+", default=sizes)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--memory", default="8GB")
    parser.add_argument("--folder", help="where the tables go; by default a temporary folder")
    options = parser.parse_args()
    columns = ("nodes", "anti-joins s", "certify s", "GB", "ratio")
    print("| " + " | ".join([*columns, "scan s", "draw s", "GB", "ratio"]) + " |")
    print("|" + " ---: |" * 9)
    for nodes in options.nodes:
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            folder = Path(name)
            make(folder, nodes, options.memory)
            joins, certified, held, scan, drawn, kept = measure(
                folder, nodes, options.memory, options.times
            )
        print(
            f"| {nodes:,} | {joins:.1f} | {certified:.1f} | {held:.1f} | {certified / joins:.2f} "
            f"| {scan:.1f} | {drawn:.1f} | {kept:.1f} | {drawn / scan:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
