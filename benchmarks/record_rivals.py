"""`match`, recordlinkage and dedupe on DBLP–ACM with the same labels, in one run (needs ../shared).

In an environment of its own:
    pip install -e ".[match]" "dedupe>=3,<4" "BTrees<6.5" recordlinkage mpmath
What is not installed is left out. The labels are those of 400 left records, drawn at random.
"""

import io
import random
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import matchbound as mb
from support.record_audits import RecordSet

FIELDS = ("title", "authors", "venue", "year")


def match(data, labels):
    return mb.match(*data.files, labels=labels, one_to_one=True).pairs()


def frames(data):
    """The two tables as pandas frames by id, texts in lower case."""
    tables = [pq.read_table(path).to_pandas().set_index("id") for path in data.files]
    return [table[list(FIELDS)].fillna("").apply(lambda one: one.str.lower()) for table in tables]


def recordlinkage(data, labels):
    """Pairs of the same year, Jaro–Winkler and cosine similarities, logistic regression."""
    import recordlinkage as rl

    left, right = frames(data)
    pairs = rl.Index().block("year").index(left, right)
    compare = rl.Compare()
    for field in FIELDS[:3]:
        compare.string(field, field, method="jarowinkler", label=f"{field} w")
        compare.string(field, field, method="cosine", label=f"{field} c")
    similar = compare.compute(pairs, left, right).fillna(0)
    known = similar[similar.index.get_level_values(0).isin({x for x, _ in labels})]
    classifier = rl.LogisticRegressionClassifier()
    classifier.fit(known, known.index.intersection([pair for pair in labels if pair[1]]))
    return list(classifier.predict(similar))


def dedupe(data, labels):
    """Strings and texts, trained by the matches of labelled records and three others of each."""
    import dedupe as library

    rng = random.Random(0)
    tables = [
        {id: {name: text or None for name, text in row.items()} for id, row in rows.items()}
        for rows in (frame.to_dict("index") for frame in frames(data))
    ]
    kinds = library.variables
    fields = [
        kinds.String("title"),
        kinds.Text("title", name="title text"),
        kinds.String("authors", has_missing=True),
        kinds.Text("authors", name="authors text", has_missing=True),
        kinds.ShortString("venue"),
        kinds.Exact("year"),
    ]
    linker = library.RecordLink(fields, num_cores=1)
    known, right = {pair for pair in labels if pair[1]}, sorted(tables[1])
    others = {(x, rng.choice(right)) for x, _ in labels for _ in range(3)} - known
    examples = {
        answer: [(tables[0][x], tables[1][y]) for x, y in sorted(pairs)]
        for answer, pairs in (("match", known), ("distinct", others))
    }
    training = io.StringIO()
    library.write_training(examples, training)
    training.seek(0)
    linker.prepare_training(*tables, training_file=training, sample_size=1500)
    linker.train()
    return [pair for pair, _ in linker.join(*tables, threshold=0.5, constraint="one-to-one")]


if __name__ == "__main__":
    data = RecordSet("dblp_acm")
    nodes = data.drawn()
    mb.match(*data.files, labels=data.labels(nodes))  # compile
    for tool in (match, recordlinkage, dedupe):
        if tool is not match and find_spec(tool.__name__) is None:
            print(f"{tool.__name__} is not installed")
            continue
        began, wall = time.process_time(), time.time()
        pairs = tool(data, data.labels(nodes))
        took = time.process_time() - began, time.time() - wall
        values = " / ".join(f"{value:.4f}" for value in data.without(nodes, pairs))
        print(f"{tool.__name__:14} {values}  {took[0]:7.1f} s of a processor, {took[1]:.1f} s")
