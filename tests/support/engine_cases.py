"""What every engine must do alike: draws and certificates of small tables with awkward ids."""

import itertools
import random
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import matchbound as mb
from support.audits import write_csv

ODD = [
    "007",
    "7",
    "a'b",
    'q"q',
    "c,d",
    "n\nl",
    "é",
    "日本",
    "\\b",
    "${x}",
    "{y}",
    "null",
    "%_",
    "-1",
]
NODES = [*ODD, *(f"n{i}" for i in range(66))]
NUMBERS = [i * 1_000_000_007 - 5 for i in range(80)]


def parquet(path, **columns):
    pq.write_table(pa.table(columns), path)


def columns(rows, *names):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def write_inputs(folder: Path):
    rng = random.Random(9)
    write_csv(folder / "people.csv", ["id", "name"], [[x, f"{x}!"] for x in NODES])
    parquet(folder / "numbers.parquet", id=NUMBERS)
    for name, nodes in (("words", NODES), ("numbers", NUMBERS)):
        match = (lambda x: x + 1) if name == "numbers" else (lambda x: f"y{x}")
        true = [(x, match(x)) for x in nodes if rng.random() < 0.9]
        holdout = [(x, y if rng.random() < 0.9 else match(y)) for x, y in true]
        complete = [(x, y if rng.random() < 0.9 else match(y)) for x, y in holdout]
        write_csv(folder / f"{name}_true.csv", ["x", "y"], true)
        parquet(folder / f"{name}_holdout.parquet", **columns(holdout, "x", "y"))
        parquet(folder / f"{name}_complete.parquet", **columns(complete, "x", "y"))
        write_csv(folder / f"{name}_holdout.csv", ["x", "y"], holdout)
        scored = [(x, y, round(rng.random(), 2)) for x, y in holdout]
        write_csv(folder / f"{name}_scored.csv", ["x", "y", "score"], scored)
    _write_clusters(folder, rng)


def _write_clusters(folder, rng):
    """One table with itself: its records, who belongs together, and two matchers' views of it."""
    cluster = {x: f"c{i // 3}" for i, x in enumerate(NODES)}
    pairs = [(a, b) for a in NODES for b in NODES if a < b and cluster[a] == cluster[b]]
    kept = [pair for pair in pairs if rng.random() < 0.8]
    rows = [(a, b, rng.random()) if rng.random() < 0.5 else (b, a, rng.random()) for a, b in kept]
    table = columns(rows, "unique_id_l", "unique_id_r", "match_probability")
    table["match_probability"] = pa.array(table["match_probability"], pa.float32())
    parquet(folder / "pairs.parquet", **table)
    found = {x: c if rng.random() < 0.9 else "c0" for x, c in cluster.items()}
    parquet(
        folder / "clusters.parquet",
        unique_id=list(found),
        cluster_id=list(found.values()),
        seen=pa.array([0] * len(found), pa.timestamp("ns")),  # as pandas writes it
    )
    write_csv(folder / "cluster_truth.csv", ["id", "cluster"], cluster.items())
    sources = ["left" if i % 3 else "right" for i in range(len(NODES))]
    parquet(
        folder / "sources.parquet",
        unique_id=NODES,
        cluster_id=[found[x] for x in NODES],
        source_dataset=sources,
    )
    left = [x for x, source in zip(NODES, sources, strict=True) if source == "left"]
    write_csv(folder / "left.csv", ["id"], [[x] for x in left])
    rows = [[x, "left"] for x in left]
    write_csv(folder / "left_named.csv", ["id", "source_dataset"], rows)


def labels_of(draw, folder, name="words"):
    """The truth of the drawn nodes, as a table in memory."""
    from support.audits import read_csv

    true = dict(read_csv(folder / f"{name}_true.csv"))
    nodes = [x for x, _, _ in draw.sample]
    return pa.table({"x": nodes, "y": pa.array([true.get(x) for x in nodes], pa.string())})


def draws(folder, engine):
    people, holdout = folder / "people.csv", folder / "words_holdout.csv"
    plain = mb.draw(people, labels=30, train=20, gap=25, seed="a", engine=engine)
    among = mb.draw(people, labels=12, seed="b", holdout=holdout, among=True, engine=engine)
    until = {"precision": 15}
    counted = mb.draw(people, train=9, seed="c", holdout=holdout, until=until, engine=engine)
    return [(drawn.written.as_dict(), drawn.sample, drawn.gap) for drawn in (plain, among, counted)]


def weighed(folder, engine):
    """A draw by weight, from nodes of which some were labelled before."""
    drawn = mb.draw(
        folder / "people.csv",
        labels=30,
        seed="a",
        holdout=folder / "clusters.parquet",
        dedupe=True,
        weigh="pairwise-f1",
        most_true_matches=3,
        trained_on=pa.table({"x": NODES[:20:2], "y": pa.array([None] * 10, pa.string())}),
        engine=engine,
    )
    return drawn.written.as_dict(), drawn.sample


def pairs(folder, engine, **how):
    draw = mb.draw(folder / "people.csv", labels=30, train=20, gap=25, seed="a")
    return mb.certify(
        draw,
        labels=labels_of(draw, folder),
        holdout=folder / "words_holdout.csv",
        complete=folder / "words_complete.parquet",
        engine=engine,
        **how,
    )


def whole_numbers(folder, engine):
    """Ids as numbers, labels as text; of which some are written as no number is."""
    draw = mb.draw(folder / "numbers.parquet", labels=30, seed="a", future=True)
    labels = labels_of(draw, folder, "numbers").to_pydict()
    labels["y"][3] = f"0{labels['y'][3]}"
    return mb.certify(
        draw,
        labels=pa.table(labels),
        holdout=folder / "numbers_holdout.parquet",
        complete=folder / "numbers_complete.parquet",
        engine=engine,
    )


def scores(folder, engine):
    """Text that is numbers, in bands."""
    draw = mb.draw(folder / "people.csv", labels=40, seed="a", bands=(0.5,))
    given = {"labels": labels_of(draw, folder), "holdout": folder / "words_scored.csv"}
    return mb.certify(draw, **given, engine=engine)


def one_table(folder, engine):
    """Pairs in either order, with numbers of half the precision; labels as clusters."""
    draw = mb.draw(folder / "people.csv", labels=40, seed="a", dedupe=True)
    return mb.certify(
        draw,
        labels=folder / "cluster_truth.csv",
        holdout=folder / "pairs.parquet",
        complete=folder / "clusters.parquet",
        threshold=0.1,
        engine=engine,
    )


def within_a_part(folder, engine):
    """The same in a part of the table, drawn by the same engine; and a part of two tables."""
    people, part = folder / "people.csv", pa.table({"id": NODES[::2]})
    given = {"within": part, "seed": "a", "engine": engine}
    drawn = mb.draw(people, labels=25, dedupe=True, **given)
    certified = mb.certify(
        drawn,
        within=part,
        labels=folder / "cluster_truth.csv",
        holdout=folder / "pairs.parquet",
        complete=folder / "clusters.parquet",
        threshold=0.1,
        engine=engine,
    )
    holdout = folder / "words_holdout.csv"
    among = mb.draw(people, labels=9, holdout=holdout, among=True, **given)
    until = mb.draw(people, holdout=holdout, until={"precision": 7}, **given)
    draws = [(draw.written.as_dict(), draw.sample, draw.gap) for draw in (drawn, among, until)]
    return certified.as_dict(), draws


def known_pairs(folder, engine):
    """Whole numbers, one table with itself: what labels, not of all drawn nodes, tell of others."""
    rng = random.Random(6)
    draw = mb.draw(folder / "numbers.parquet", labels=30, train=10, seed="a", dedupe=True)
    true = [(a, b) for a, b in itertools.combinations(NUMBERS, 2) if (b - a) % 20 == 0]
    other = [tuple(rng.sample(NUMBERS, 2)) for _ in range(30)]
    found = [sorted({*rng.sample(true, 2 * len(true) // 3), *other[:n]}) for n in (15, 30)]
    drawn = [x for x, _, _ in draw.sample][3:]
    of = {x: [str(b) for p in true for a, b in (p, p[::-1]) if str(a) == x] for x in drawn}
    rows = [(x, y) for x in drawn for y in of[x] or [None]]
    return mb.certify(
        draw,
        labels=pa.table({"x": [x for x, _ in rows], "y": pa.array([y for _, y in rows])}),
        holdout=pa.table(columns(found[0], "x", "y")),
        complete=pa.table(columns(found[1], "x", "y")),
        unlabelled="worst",
        engine=engine,
    )


def two_sources(folder, engine):
    """The population's source is in a column of its own, or said: both draw the same nodes."""
    said = mb.draw(folder / "left.csv", labels=20, seed="a", source="left", engine=engine)
    draw = mb.draw(folder / "left_named.csv", labels=20, seed="a", engine=engine)
    assert (draw.sample, draw.matching) == (said.sample, said.matching)
    nodes = [x for x, _, _ in draw.sample]
    labels = pa.table({"x": nodes, "y": pa.array(["right-__-007"] * len(nodes))})
    found = folder / "sources.parquet"
    return mb.certify(draw, labels=labels, holdout=found, complete=found, engine=engine)


def brought(folder, engine):
    """Labels without a draw, by the theorem that leaves some of them out."""
    true = labels_of(mb.draw(folder / "people.csv", labels=40, seed="a"), folder)
    return mb.certify(
        population=folder / "people.csv",
        labels=true,
        trained_on=pa.table({"id": true["x"][:15]}),
        holdout=folder / "words_holdout.parquet",
        assume_uniform=True,
        theorem="paper",
        engine=engine,
    )


def own_rows(folder, engine):
    """Labels whose matches are all rows, of pairs and clusters; and labels of whole clusters."""
    nodes = [str(i) for i in range(1500)]
    twins = [(str(i + 1), str(i), 0.1 + i % 3) for i in range(0, 1500, 2)]
    both = [row for x, y, _ in twins for row in ((x, y), (y, x))]
    linked = [(x, f"y{int(x) // 6}") for x in nodes]
    forms = {
        "dedupe": (pa.table(columns(twins, "x", "y", "score")), both, {"threshold": 0.5}),
        "link": (pa.table(columns(linked, "x", "y")), linked, {}),
    }
    clusters = [(x, str(int(x) // 6)) for x in nodes] + [(f"y{i}", str(i)) for i in range(250)]
    said = []
    for labelled in (set(nodes[:60]), set(nodes[::7])):
        for matching, (found, true, how) in forms.items():
            rows = [row for row in true if row[0] in labelled]
            tables = [(found, how)]
            if matching == "link":
                tables.append((pa.table(columns(clusters, "id", "cluster")), {}))
            for holdout, given in tables:
                given = {**given, matching: True, "holdout": holdout}
                given["labels"] = pa.table(columns(rows, "x", "y"))
                given["population"] = pa.table({"id": nodes})
                attempt = partial(mb.certify, assume_uniform=True, engine=engine, **given)
                said.append(_said(lambda attempt=attempt: str(attempt())))
    assert sum("own table" in one for one in said) == 3
    assert sum("one by one" in one for one in said) == 3
    return said


def rounds(folder, engine):
    """Witnesses: two views of one network, matched from a few pairs; `None` is the compiled one."""
    rng = random.Random(4)
    edges = [(a, (a + step) % 30) for a in range(30) for step in (1, 2, 9)]
    left, right = ([e for e in edges if rng.random() < 0.9 and sum(e) % 5] for _ in range(2))
    tables = [
        pa.table({"src": [f"{name}{a}" for a, _ in kept], "dst": [f"{name}{b}" for _, b in kept]})
        for name, kept in (("u", left), ("v", right))
    ]
    seeds = [(f"u{i}", f"v{i}") for i in range(8)]
    return list(mb.reconcile(*tables, seeds, threshold=2, repeat=1, engine=engine))


def errors(folder, engine):
    """One table as clusters against clusters, with the records' fields."""
    draw = mb.draw(folder / "people.csv", labels=40, seed="a", dedupe=True)
    given = {"labels": folder / "cluster_truth.csv", "records": folder / "people.csv"}
    listed = mb.list_errors(draw, holdout=folder / "clusters.parquet", **given, engine=engine)
    assert listed.wrong
    assert listed.missed
    return listed.to_csv()


def errors_of_pairs(folder, engine):
    """Scores in a table of pairs, against pairs; and whole numbers; and pairs against clusters."""
    draw = mb.draw(folder / "people.csv", labels=40, seed="a")
    given = {"labels": labels_of(draw, folder), "holdout": folder / "words_scored.csv"}
    lists = [mb.list_errors(draw, **given, threshold=0.4, engine=engine)]
    draw = mb.draw(folder / "numbers.parquet", labels=30, seed="a")
    given = {"labels": labels_of(draw, folder, "numbers")}
    given["holdout"] = folder / "numbers_holdout.parquet"
    lists.append(mb.list_errors(draw, **given, engine=engine))
    draw = mb.draw(folder / "people.csv", labels=40, seed="a", dedupe=True)
    given = {"labels": folder / "cluster_truth.csv", "holdout": folder / "pairs.parquet"}
    lists.append(mb.list_errors(draw, **given, threshold=0.1, engine=engine))
    assert all(listed.nodes for listed in lists)
    return [listed.to_csv() for listed in lists]


COMMON = (draws, one_table, rounds)  # pairs, too, while executors are killed
CASES = (
    *COMMON,
    weighed,
    weighed,
    within_a_part,
    known_pairs,
    pairs,
    two_sources,
    whole_numbers,
    scores,
    brought,
    own_rows,
    errors,
    errors_of_pairs,
)
SLOW = (
    draws,
    scores,
    known_pairs,
    rounds,
    weighed,
    errors,
    errors_of_pairs,
    brought,
    own_rows,
    whole_numbers,
    within_a_part,
)  # left to `make check-slow`


def refused(folder, engine):
    """What each of these says; small changes to tables that are good."""
    people = folder / "people.csv"
    draw = mb.draw(people, labels=30, seed="a")
    labels = labels_of(draw, folder)
    good = {"labels": labels, "holdout": folder / "words_holdout.csv"}
    x = pa.array(NODES[:3])
    changes = [
        {"holdout": pa.table({"x": [*NODES[:3], "stranger"], "y": ["1", "2", "3", "4"]})},
        {"holdout": pa.table({"x": [*NODES[:3], NODES[0]], "y": ["1", "2", "3", "1"]})},
        {"holdout": pa.table({"x": x, "y": ["1", None, "3"]})},
        {"holdout": pa.table({"x": x, "y": [1.5, 2.5, 3.5]})},
        {"holdout": pa.table({"x": x, "y": ["1", "2", "3"], "score": ["0x1", "1d", "1"]})},
        {"holdout": pa.table({"x": x, "y": ["1", "2", "3"], "score": [0.1, 0.2, 0.35]})},
        {"holdout": pa.table({"x": x, "y": ["1", "2", NODES[5]]})},
        {"holdout": pa.table({"x": x, "z": ["1", "2", "3"]})},
        {"labels": labels.slice(1)},
        {"labels": pa.concat_tables([labels, labels.slice(2, 1)])},
        {"labels": pa.table({"x": ["stranger"], "y": ["1"]})},
        {"labels": pa.table({"x": [" a"], "y": ["1"]})},
        {"population": pa.table({"id": NODES[1:]})},
    ]
    tries = [
        lambda change=change: mb.certify(draw, **good | change, engine=engine) for change in changes
    ]
    for ids in (["a", "b", "a", "b"], ["a", None], ["a ", "b"], ["a", ""], []):
        table = pa.table({"id": pa.array(ids, pa.string())})
        tries.append(lambda table=table: mb.draw(table, labels=1, engine=engine))
    for name, text in (("ragged", "id\na,b\n"), ("latin", "id\n\xe9\n"), ("empty", "")):
        path = folder / f"{name}.csv"
        path.write_bytes(text.encode("latin-1"))
        tries.append(lambda path=path: mb.draw(path, labels=1, engine=engine))
    return [_said(attempt) for attempt in tries]


def _said(attempt):
    try:
        return repr(attempt())
    except mb.MatchboundError as error:
        return f"{type(error).__name__}: {error}"
