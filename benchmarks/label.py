"""Search among a million records, for queries with typos, beside one Jaro–Winkler scan in DuckDB.

The scan reads one column once; find() looks through six. `--rows` for other sizes. With `--page`,
the labelling page in Chromium instead: the time from a key that saves to the next node painted
(PYTHONPATH=tests).
"""

import argparse
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from matchbound.desk.search import Search

QUERIES = 200
LIMIT = 5  # times the scan
STREETS = ["street", "road", "avenue", "lane", "close", "drive", "court", "way"]
# The fields that a query takes words from; with one, it is also named.
KINDS = [
    ("given", "surname", "city"),
    ("given", "surname", "born"),
    ("surname", "street"),
    ("surname", "born", "city"),
    ("street",),
    ("id",),
]


def invented(rng, count, syllables):
    """Names of made syllables, all different."""
    heads = [*"bcdfghjklmnprstvw", "br", "ch", "dr", "gr", "kl", "sch", "st", "th", "tr"]
    parts = [h + v for h in heads for v in ("a", "e", "i", "o", "u", "ai", "ee", "ou")]
    tails = ["", "n", "r", "s", "son", "ley", "ton", "ck", "man"]
    names = set()
    while len(names) < count:
        size = rng.choice(syllables)
        names.add("".join(rng.choice(parts, size)) + rng.choice(tails))
    return np.array(sorted(names))


def picked(rng, names, rows):
    """Some names are common, most are rare, as 1/rank."""
    chances = 1 / np.arange(10, len(names) + 10)
    return rng.permutation(names)[rng.choice(len(names), rows, p=chances / chances.sum())]


def records(rng, rows):
    streets = picked(rng, invented(rng, 20_000, [1, 2, 3]), rows)
    houses = rng.integers(1, 300, rows).astype(str)
    kinds = rng.choice(STREETS, rows)
    days = np.datetime64("1930-01-01") + rng.integers(0, 28_000, rows)
    columns = {
        "given": picked(rng, invented(rng, 5_000, [1, 2]), rows),
        "surname": picked(rng, invented(rng, 100_000, [2, 3]), rows),
        "street": [f"{h} {s} {k}" for h, s, k in zip(houses, streets, kinds, strict=True)],
        "city": picked(rng, invented(rng, 2_000, [2, 3]), rows),
        "born": days.astype(str),
        "id": [f"R{i:08}" for i in rng.permutation(rows * 3)[:rows]],
    }
    return pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})


def typo(rng, word):
    """One edit: a letter left out, put in, changed, or swapped with the next."""
    i, letter = int(rng.integers(len(word))), chr(97 + int(rng.integers(26)))
    if word[0].isdigit():
        letter = str(rng.integers(10))
    swapped = word[:i] + word[i + 1 : i + 2] + word[i] + word[i + 2 :]
    edits = [word[:i] + word[i + 1 :], word[:i] + letter + word[i:], swapped]
    return str(rng.choice([*edits, word[:i] + letter + word[i + 1 :]]))


def mistyped(rng, word):
    """Two edits in a third of the longer words, one in another third."""
    if len(word) > 3:
        for _ in range(rng.integers(3)):
            word = typo(rng, word)
    return word


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
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    rows, rng = options.rows, np.random.default_rng(2024)
    table = records(rng, rows)
    if options.page:
        on_page(table)
        return
    Search({name: column[:10] for name, column in zip(table.column_names, table, strict=True)})
    before = megabytes("VmRSS")
    columns = dict(zip(table.column_names, table.columns, strict=True))
    search, seconds = timed(lambda: Search(columns))
    held, peak = (megabytes(kind) - before for kind in ("VmRSS", "VmHWM"))
    print(
        f"{rows:,} records: index {seconds:.1f} s, {held:.0f} MB, at most {peak:.0f} MB", end="\n\n"
    )
    report(search, [(kind, *query(rng, table, kind)) for kind in KINDS * 34][:QUERIES], table)


NODES, READING = 60, 2.0  # nodes to label, and seconds to look at each
CLOCK = """() => {
  window.times = [];
  let pressed = 0;
  document.addEventListener("keydown", () => { pressed = performance.now(); }, true);
  const painted = () => requestAnimationFrame(() => setTimeout(
    () => window.times.push(performance.now() - pressed)));
  new MutationObserver(painted).observe(document.getElementById("record"), {childList: true});
}"""


def on_page(table):
    """Label nodes in Chromium; print how long the next one takes to be painted."""
    from support.audits import run_seeded
    from support.desks import serving
    from support.labeller import open_page

    with tempfile.TemporaryDirectory() as name:
        people, audit = Path(name) / "people.parquet", Path(name) / "audit"
        pq.write_table(table, people)
        draw = ["draw", people, "--dedupe", "--labels", NODES, "--out", audit]
        assert run_seeded("s", *draw) == 0
        with (
            serving(audit, "--records", people, tables=False) as client,
            open_page(client) as page,
        ):
            page.evaluate(CLOCK)
            for done in range(1, NODES):
                page.wait_for_timeout(1000 * READING)
                page.keyboard.press("n")
                page.wait_for_function("done => window.times.length === done", arg=done)
            times = np.array(page.evaluate("window.times"))
            with open(f"/proc/{client.process.pid}/status", encoding="ascii") as file:
                peak = next(int(x.split()[1]) for x in file if x.startswith("VmHWM")) / 1e6
    middle, slow = np.quantile(times, [0.5, 0.95])
    print(
        f"{len(table):,} records, {len(times)} nodes: next node painted after {middle:.0f} ms "
        f"(median), {slow:.0f} ms (95%); the server took at most {peak:.2f} GB"
    )


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
