"""Clusters of pairs against DuckDB's sort of the same pairs, with 8 GB of memory.

10 million records: chains, stars, cliques and one component of 100,000 in 30 million pairs; and
clusters of three, one path in the order of its ids, and random graphs. Each setting has a process
of its own, which sorts and closes the same pairs one after the other.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from matchbound.engines import connect
from matchbound.tables import close_pairs

RECORDS = 10_000_000
PRIME = 10_000_019  # more than there are records, so that i * FACTOR % PRIME gives each another id
FACTOR = 7_368_787
RANDOM = (
    "select cast(hash(i, 1) % {n} as bigint) as x, cast(hash(i, 2) % {n} as bigint) as y "
    "from range({pairs}) t(i)"
)
MIXED = f"""
select i as x, i + 1 as y from range(2200000) t(i) where i % 11 < 10
union all
select i - i % 11, i from range(2200000, 4400000) t(i) where i % 11 > 0
union all
select i, i + k from range(4400000, 9900000) t(i), range(1, 10) u(k) where i % 10 + k < 10
union all
select 9900000 + cast(hash(i) % (i - 9900000) as bigint), i from range(9900001, 10000000) t(i)
union all
select x + 9900000, y + 9900000 from ({RANDOM.format(n=100_000, pairs=1_150_013)}) r
"""
THREES = "select i + j as x, i + (j + 1) % 3 as y from range(0, 9999999, 3) t(i), range(3) u(j)"
PATH = f"select i as x, i + 1 as y from range({RECORDS - 1}) t(i)"
SETTINGS = {  # the pairs, and whether their ids are numbers without an order
    "mixed": (MIXED, True),
    "threes": (THREES, True),
    "path": (PATH, False),
    "random, degree 2": (RANDOM.format(n=RECORDS, pairs=RECORDS), True),
    "random, degree 6": (RANDOM.format(n=RECORDS, pairs=3 * RECORDS), True),
}


def make(file, pairs, is_mixed_up, is_text):
    """Write the pairs in a random order of rows."""
    ids = {name: name for name in "xy"}
    if is_mixed_up:
        ids = {name: f"{name} * {FACTOR} % {PRIME}" for name in ids}
    if is_text:
        ids = {name: f"'rec-' || ({sql}) || '-org'" for name, sql in ids.items()}
    columns = ", ".join(f"{sql} as {name}" for name, sql in ids.items())
    query = f"select {columns} from ({pairs}) p where x <> y order by hash(x, y)"
    with connect(memory="8GB") as con:
        con.rows(f"copy ({query}) to '{file}'")


def measure(file, dedupe):
    """Print the seconds that the sort and the clusters take, the clusters, and the peak memory."""
    with connect(memory="8GB") as con:
        con.keep("pairs", f"select * from read_parquet('{file}')")
        start = time.perf_counter()
        con.keep("in_order", "select * from pairs order by x, y")
        sort = time.perf_counter() - start
        con.drop("in_order")
        start = time.perf_counter()
        close_pairs(con, "clusters", "pairs", dedupe=dedupe)
        close = time.perf_counter() - start
        ((clusters,),) = con.rows("select count(distinct cluster) from clusters")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(sort, close, clusters, peak)


def measured(file, matching, times):
    command = [sys.executable, __file__, "--measure", file, matching]
    runs = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(times)]
    return [median(values) for values in zip(*(map(float, r.split()) for r in runs), strict=True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", nargs="+", choices=SETTINGS, default=[*SETTINGS])
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--folder", help="where the tables go; by default a temporary folder")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        file, matching = options.measure
        return measure(file, matching == "one table")
    print("| pairs | ids | matched | sort s | clusters s | ratio | clusters | GB |")
    print("| --- | --- | --- |" + " ---: |" * 5)
    for name in options.settings:
        for ids in ("whole", "text"):
            with tempfile.TemporaryDirectory(dir=options.folder) as folder:
                file = str(Path(folder) / "pairs.parquet")
                make(file, *SETTINGS[name], ids == "text")
                for matching in ("one table", "two tables"):
                    sort, close, clusters, peak = measured(file, matching, options.times)
                    print(
                        f"| {name} | {ids} | {matching} | {sort:.1f} | {close:.1f} | "
                        f"{close / sort:.2f} | {clusters:,.0f} | {peak:.1f} |",
                        flush=True,
                    )
    return None


if __name__ == "__main__":
    main()
