"""Search among a million records, for queries with typos, beside one Jaro–Winkler scan in DuckDB.

The scan reads one column once; find() looks through six. `--rows` for other sizes. With `--page`,
the labelling page in Chromium instead: the time from a key that saves to the next node painted
(see label_page.py; PYTHONPATH=tests).
"""

import argparse
import time
from collections import defaultdict

import duckdb
import numpy as np

from label_tables import mistyped, records
from matchbound.desk.search import Search

QUERIES = 200
LIMIT = 5  # times the scan
# The fields that a query takes words from; with one, it is also named.
KINDS = [
    ("given", "surname", "city"),
    ("given", "surname", "born"),
    ("surname", "street"),
    ("surname", "born", "city"),
    ("street",),
    ("id",),
]


def query(rng, table, kind):
    row = int(rng.integers(len(table)))
    words = " ".join(table[name][row].as_py() for name in kind).replace("-", " ").split()
    text = " ".join(mistyped(rng, words[i]) for i in rng.permutation(len(words)))
    return text, kind[0] if len(kind) == 1 else None, row


def scan(table):
    """Seconds for the best Jaro–Winkler similarity in one column: the median of a few."""
    database = duckdb.connect()
    database.register("source", table)
    database.execute("create table records as select surname from source")
    select = "select max(jaro_winkler_similarity(surname, ?)) from records"
    names = table["surname"][:7].to_pylist()
    runs = [timed(lambda name=name: database.execute(select, [name]).fetchall()) for name in names]
    return float(np.median([seconds for _, seconds in runs]))


def timed(function):
    start = time.perf_counter()
    result = function()
    return result, time.perf_counter() - start


def megabytes(kind):
    """Now (VmRSS) or at most so far (VmHWM): Linux tells."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(kind)) / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--page", nargs="*", metavar="SETTING", help="all, if none is named")
    parser.add_argument("--nodes", type=int, default=90)
    options = parser.parse_args()
    if options.page is not None:
        from label_page import report_all

        report_all(options.page, options.nodes, options.rows)
        return
    rows, rng = options.rows, np.random.default_rng(2024)
    table = records(rng, rows)
    Search({name: column[:10] for name, column in zip(table.column_names, table, strict=True)})
    before = megabytes("VmRSS")
    columns = dict(zip(table.column_names, table.columns, strict=True))
    search, seconds = timed(lambda: Search(columns))
    held, peak = (megabytes(kind) - before for kind in ("VmRSS", "VmHWM"))
    print(
        f"{rows:,} records: index {seconds:.1f} s, {held:.0f} MB, at most {peak:.0f} MB", end="\n\n"
    )
    report(search, [(kind, *query(rng, table, kind)) for kind in KINDS * 34][:QUERIES], table)


def report(search, queries, table):
    search.find("warm up")
    times, hits = defaultdict(list), defaultdict(list)
    for kind, text, field, row in queries:
        found, seconds = timed(lambda text=text, field=field: search.find(text, field))
        times[kind].append(seconds)
        hits[kind].append(row in found)
    print(f"{'query with typos':24} {'found':>6} {'median ms':>10} {'95% ms':>7}")
    for kind in KINDS:
        print_line(" ".join(kind), hits[kind], times[kind])
    every = np.concatenate(list(times.values()))
    print_line("all", np.concatenate(list(hits.values())), every)
    one, slow = scan(table), np.quantile(every, 0.95)
    print(f"\none scan {one * 1000:.0f} ms; 95% of finds within {slow / one:.1f} (limit {LIMIT})")


def print_line(name, hits, times):
    middle, slow = np.quantile(times, [0.5, 0.95]) * 1000
    print(f"{name:24} {np.mean(hits):6.1%} {middle:10.0f} {slow:7.0f}")


if __name__ == "__main__":
    main()
