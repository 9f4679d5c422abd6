"""Digest of a matcher's rows against DuckDB's sort of the same columns, in one run."""

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

from matchbound.engines import connect
from matchbound.tables import digest_of_rows, open_source, recognise, rows_of_matches

SETTINGS = {
    "text ids, scores": "'a' || i as x, 'b' || hash(i) % {n} as y, hash(i) % 1009 / 1e3 as score",
    "whole numbers": "i as x, i * 7 as y",
    "long ids": "md5(i::varchar) as x, md5((i * 7)::varchar) as y, 0.5 as score",
    "many pairs a node": "'a' || i % 1000 as x, 'b' || i as y, (i % 3)::double as score",
}


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def fetch(con, sql):
    for _ in con.batches(sql):
        pass


def measure(path, times, dedupe):
    """Seconds to sort the columns, the quicker of kept and fetched, and to digest the rows."""
    with connect() as con:
        source = open_source(con, "holdout", path, hashed=False)
        form = recognise(source, {})
        rows = rows_of_matches(source, form, unordered=dedupe)
        names = [name for name in (form.x, form.y) if name]
        columns = ", ".join([f"{name}::varchar as {name}" for name in names])
        columns += ", score" if form.score else ""
        order = ", ".join([*names, *(["score"] if form.score else [])])
        sort = f"select {columns} from {source.scan} order by {order}"
        rounds = [
            (
                min(seconds(lambda: con.keep("in_order", sort)), seconds(lambda: fetch(con, sort))),
                seconds(lambda: digest_of_rows(con, source, rows)),
            )
            for _ in range(times)
        ]
    return [median(values) for values in zip(*rounds, strict=True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=1)
    options = parser.parse_args()
    print("| pairs | columns | in either order | sort s | digest s | ratio |")
    print("| ---: | --- | --- | ---: | ---: | ---: |")
    for name, columns in SETTINGS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pairs.parquet"
            select = columns.format(n=options.pairs)
            with connect() as con:
                con.rows(
                    f"copy (select {select} from range({options.pairs}) t(i) order by hash(i)) "
                    f"to '{path}'"
                )
            for dedupe in (False, True):
                sort, digest = measure(path, options.times, dedupe)
                row = [f"{options.pairs:,}", name, "yes" if dedupe else "no"]
                row += [f"{sort:.2f}", f"{digest:.2f}", f"{digest / sort:.2f}"]
                print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
