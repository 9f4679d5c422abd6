"""Tables as they come: a row a form, read by `draw`, `certify` and `verify`, and found again.

The certificate is that of the same tables as CSV. recordlinkage is run; what zingg and dedupe write
is made here as their sources and examples have it.
"""

import os
from functools import cache
from uuid import UUID

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

import matchbound as mb
from support.audits import run, run_seeded
from support.forms import (
    FORMS,
    as_csv,
    as_csv_folder,
    as_csv_gz,
    as_csv_pattern,
    as_csv_zst,
    as_jsonl_gz,
    as_ndjson,
    as_parquet_folder,
    in_duckdb,
    in_sqlite,
)

PEOPLE = [[f"a{i:03d}", f"name {i}"] for i in range(120)]
FOUND = [
    [x, f"b{x[1:]}" if i % 9 else "b000", round(0.5 + i / 300, 6)]
    for i, (x, _) in enumerate(PEOPLE)
]
FOUND = [row for i, row in enumerate(FOUND) if i % 6]
TRUTH = {x: f"b{x[1:]}" for i, (x, _) in enumerate(PEOPLE) if i % 5}


LABELS = 60
SAME_PATHS = (as_csv_zst, as_ndjson, as_jsonl_gz, as_csv_folder, as_csv_pattern)
"""Forms that are found again as another is: by the path of a file, a folder or a pattern."""
MATCHER = ["--threshold", 0.6, "--holdout"]


def draw_and_certify(folder, form):
    """Draw, label and certify with every table in a form; return their paths."""
    folder.mkdir()
    people = form(folder, "people", ["id", "name"], PEOPLE)
    found = form(folder, "found", ["x", "y", "score"], FOUND)
    audit = folder / "audit"
    draw = ["draw", people, "--labels", LABELS, "--link", *MATCHER, found, "--out", audit]
    assert run_seeded("s", *draw) == 0
    rows = [[x, TRUTH.get(x, "")] for x, _, _ in mb.Draw.load(audit).sample]
    labels = form(folder, "labels", ["x", "y"], rows)
    assert run("certify", audit, *MATCHER, found, "--labels", labels) == 0
    return found, labels


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain") / "given"
    draw_and_certify(folder, as_csv)
    return mb.Certificate.load(folder / "audit/certificate.json")


@pytest.mark.parametrize("form", FORMS)
def test_tables_in_files_are_read_and_found_again(form, plain, tmp_path, capsys):
    given, moved = tmp_path / "given", tmp_path / "moved"
    found, labels = (
        str(path).replace(str(given), str(moved)) for path in draw_and_certify(given, form)
    )
    certificate = mb.Certificate.load(given / "audit/certificate.json")
    assert certificate.tallies == plain.tallies
    assert certificate.guarantees == plain.guarantees
    for name, table in certificate.inputs.tables.items():
        assert not os.path.isabs(table.path)
        if name not in ("draw", "labels"):  # whose digests have a salt
            assert table.digest.rows == plain.inputs.tables[name].digest.rows
            assert (table.digest.bytes is None) == (form in (in_duckdb, in_sqlite))
    given.rename(moved)
    capsys.readouterr()
    assert run("verify", moved / "audit") == 0
    assert "missing" not in capsys.readouterr().out
    if form in SAME_PATHS:
        return
    certify = ["certify", moved / "audit", *MATCHER, found, "--labels", labels, "--force"]
    assert run(*certify) == 0
    assert "not on record" not in capsys.readouterr().out
    form(moved, "found", ["x", "y", "score"], FOUND[1:])
    assert run("verify", moved / "audit") == 1
    assert "inputs.holdout" in capsys.readouterr().out


# Objects of other libraries, and what other tools write


def uuid_of(node):
    return UUID(int=int(node[1:]) + (1000 if node[0] == "b" else 0))


def by_uuid(table):
    return {column: [uuid_of(node) for node in table[column]] for column in ("x", "y")}


def pairs():
    x, y, score = zip(*FOUND, strict=True)
    return {"x": list(x), "y": list(y), "score": list(score)}


def arrow_dataset(folder):
    people = as_parquet_folder(folder, "people", ["id", "name"], PEOPLE)
    found = as_parquet_folder(folder, "found", ["x", "y", "score"], FOUND)
    return pyarrow.dataset.dataset(people), pyarrow.dataset.dataset(found)


def polars_lazy_frame(folder):
    people = as_csv(folder, "people", ["id", "name"], PEOPLE)
    return pl.scan_csv(people), pl.LazyFrame(pairs())


def pandas_index(folder):
    ids, names = zip(*PEOPLE, strict=True)
    people = pd.DataFrame({"name": names}, index=pd.Index(ids, name="id"))
    return people, pd.DataFrame(pairs()).set_index(["x", "y"])


def pandas_uuids(folder):
    people = pd.DataFrame({"name": "n"}, index=pd.Index([uuid_of(x) for x, _ in PEOPLE], name="id"))
    return people, pd.DataFrame(pairs() | by_uuid(pairs()))


def parquet_uuids(folder):
    for name, columns in (("people", {"id": [uuid_of(x) for x, _ in PEOPLE]}), ("found", pairs())):
        columns |= by_uuid(columns) if name == "found" else {}
        with duckdb.connect() as con:
            con.register("given", pd.DataFrame(columns).astype(object))
            casts = ", ".join(
                f"{c}::{'double' if c == 'score' else 'uuid'} as {c}" for c in columns
            )
            con.execute(f"copy (select {casts} from given) to '{folder}/{name}.parquet'").fetchall()
    return folder / "people.parquet", folder / "found.parquet"


def duckdb_uuids(folder):
    paths = parquet_uuids(folder)
    with duckdb.connect(str(folder / "all.duckdb")) as con:
        for path in paths:
            con.execute(f"create table {path.stem} as from '{path}'").fetchall()
    return tuple(f"{folder}/all.duckdb::{path.stem}" for path in paths)


def recordlinkage_scores(folder):
    """The scores that recordlinkage gives pairs: a Series whose index has two levels."""
    import recordlinkage

    x, y, score = zip(*FOUND, strict=True)
    left = pd.DataFrame({"likeness": dict(zip(x, score, strict=True))})
    left = left.reindex([node for node, _ in PEOPLE], fill_value=0.0)
    right = pd.DataFrame({"likeness": 0.0}, index=sorted({*y}))
    compare = recordlinkage.Compare()
    compare.numeric("likeness", "likeness", method="linear", offset=0.0, scale=0.5)
    links = pd.MultiIndex.from_arrays([x, y])
    scores = 1 - compare.compute(links, left, right).sum(axis=1)
    assert isinstance(scores, pd.Series)
    assert scores.index.nlevels == 2
    return left.rename_axis("id"), scores.round(6)


OBJECTS = [
    arrow_dataset,
    polars_lazy_frame,
    pandas_index,
    pandas_uuids,
    parquet_uuids,
    duckdb_uuids,
    recordlinkage_scores,
]


@pytest.mark.parametrize("form", OBJECTS)
def test_tables_of_other_libraries(form, tmp_path):
    uuids = "uuid" in form.__name__
    got, expected = certified(uuids, *form(tmp_path)), as_arrow(uuids)
    assert got.tallies == expected.tallies
    for one, other in zip(got.inputs.outputs, expected.inputs.outputs, strict=True):
        assert one.digest.rows == other.digest.rows
    assert got.inputs.population.digest.rows == expected.inputs.population.digest.rows


@cache
def as_arrow(uuids):
    name = named if uuids else str
    people = pa.table({"id": [name(x) for x, _ in PEOPLE]})
    x, y, score = zip(*FOUND, strict=True)
    found = pa.table({"x": map(name, x), "y": map(name, y), "score": score})
    return certified(uuids, people, found)


def named(node):
    return str(uuid_of(node))


def certified(uuids, people, found):
    draw = mb.draw(people, labels=LABELS, seed="s", link=True)
    truth = {named(x): named(y) for x, y in TRUTH.items()} if uuids else TRUTH
    nodes = [x for x, _, _ in draw.sample]
    labels = pa.table({"x": nodes, "y": pa.array(map(truth.get, nodes), pa.string())})
    given = {"population": people, "holdout": found, "labels": labels}
    return mb.certify(draw, **given, threshold=0.6)


def test_a_numbered_index_may_be_the_id():
    frame = pd.DataFrame({"name": ["n"] * 20}, index=pd.RangeIndex(20, name="id"))
    assert {x for x, _, _ in mb.draw(frame, labels=20, seed="s").sample} == {*map(str, range(20))}
    with pytest.raises(mb.InputError, match=r"^population must .*[Dd]uplicate column names"):
        mb.draw(frame.assign(id=range(20)), labels=2)


RECORDS = [f"r{i}" for i in range(60)]
ENTITIES = {x: i // 2 for i, x in enumerate(RECORDS)}


def zingg_folder(folder):
    """Part-files of Spark with zingg's columns beside the record's."""
    rows = [[ENTITIES[x], 0.9, 0.99, x, "n"] for x in RECORDS]
    header = ["z_cluster", "z_minScore", "z_maxScore", "id", "name"]
    return as_csv_folder(folder, "zingg", header, rows)


def zingg_parquet(folder):
    rows = [[ENTITIES[x], 0.9, 0.99, x, "n"] for x in RECORDS]
    header = ["Z_CLUSTER", "Z_MINSCORE", "Z_MAXSCORE", "id", "name"]
    return as_parquet_folder(folder, "zingg", header, rows)


def dedupe_csv(folder):
    """The output of dedupe's csv_example."""
    rows = [[ENTITIES[x], 0.97, x, "site", "canon"] for x in RECORDS]
    header = ["Cluster ID", "confidence_score", "Id", "Site name", "canonical_Site name"]
    return as_csv(folder, "csv_example_output", header, rows)


def dedupe_entity_map(folder):
    """The table of dedupe's pgsql_big_dedupe_example: the first record stands for its cluster."""
    rows = [[x, RECORDS[2 * ENTITIES[x]], 0.9] for x in RECORDS]
    return as_csv(folder, "entity_map", ["donor_id", "canon_id", "cluster_score"], rows)


@pytest.mark.parametrize("form", [zingg_folder, zingg_parquet, dedupe_csv, dedupe_entity_map])
def test_clusters_of_other_tools(form, tmp_path):
    people = as_csv_gz(tmp_path, "records", ["id"], [[x] for x in RECORDS])
    draw = mb.draw(people, labels=30, seed="s", dedupe=True)
    nodes = [x for x, _, _ in draw.sample]
    labels = pa.table({"x": nodes, "y": [f"r{int(x[1:]) ^ 1}" for x in nodes]})
    given = {"population": people, "holdout": form(tmp_path), "labels": labels}
    tally = mb.certify(draw, **given).tallies["all"]
    assert {(label.h, label.t, label.ht) for label in tally.validation} == {(1, 1, 1)}
