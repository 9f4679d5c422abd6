"""Which table it is, by its rows: the same in every form, another if one value is."""

import json
import math
import random
import struct
from hashlib import sha256

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import matchbound as mb
from matchbound import files
from matchbound.audits.ledger import append, read_ledger
from matchbound.audits.standing import standing
from matchbound.certificates.assumptions import on_record
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.record import Record
from matchbound.engines import connect
from matchbound.tables import (
    Clusters,
    Digest,
    Pairs,
    digest_of_rows,
    open_source,
    rows_of_ids,
    rows_of_labels,
    rows_of_matches,
)
from support.audits import certify, make_audit, make_inputs, read_csv, run, write_csv

SCORED = Pairs("x", "y", "score")
NASTY = [
    "a",
    "b",
    "ab",
    "a,b",
    "a\0b",
    "\0",
    '"',
    "é",
    "日本",
    "\U0001f600",
    "a-__-b",
    "1",
    "01",
    "12",
]


def digest(table, form=SCORED, *, dedupe=False, engine="duckdb", of=rows_of_matches):
    with connect(engine) as con:
        source = open_source(con, "holdout", table, hashed=False)
        more = {"unordered": dedupe} if of is rows_of_matches else {}
        return digest_of_rows(con, source, of(source, form, **more))


def reference(rows, kind, roles, size=65_536):
    """The same in plain Python, from tuples of text, numbers and None."""
    bits = [tuple(_bits(value) for value in row) for row in rows]
    # A number's order is its own, not that of its bits; NaN is the greatest.
    order = {
        bit: _rank(value)
        for row, made in zip(rows, bits, strict=True)
        for value, bit in zip(row, made, strict=True)
    }
    every = sorted(set(bits), key=lambda row: [order[bit] for bit in row])
    digests = []
    for start in range(0, len(every), size):
        chunk = every[start : start + size]
        data = struct.pack(">Q", len(chunk))
        for column in zip(*chunk, strict=True):
            data += bytes(value is None for value in column)
            if any(isinstance(value, int) for value in column):
                data += b"".join(struct.pack(">q", value or 0) for value in column)
            else:
                texts = [value or b"" for value in column]
                data += b"".join(struct.pack(">Q", len(text)) for text in texts)
                data += b"".join(texts)
        digests.append(sha256(data).digest())
    head = json.dumps(["matchbound rows 1", kind, roles, len(every)]).encode()
    return sha256(b"\0".join([head, *digests])).hexdigest()


def _bits(value):
    if isinstance(value, float):
        value = math.nan if math.isnan(value) else value + 0.0
        return struct.unpack("<q", struct.pack("<d", value))[0]
    return value.encode() if value else None


def _rank(value):
    if value is None or value == "":
        return (0,)
    if isinstance(value, float):
        return (2,) if math.isnan(value) else (1, value + 0.0)
    return (1, value.encode())


def table(rows, **more):
    x, y, score = zip(*rows, strict=True)
    return pa.table({"x": x, "y": y, "score": pa.array(score, pa.float64())} | more)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 250])
def test_digest_is_that_of_plain_python(count, monkeypatch):
    monkeypatch.setattr("matchbound.engines.chunks.CHUNK", 16)
    rng = random.Random(count)
    texts = [*NASTY, *(f"n{i}" for i in range(count))]
    numbers = [0.0, -0.0, math.nan, math.inf, -math.inf, 5e-324, -1.5, 0.1, None]
    rows = [
        (rng.choice(texts), rng.choice(texts), rng.choice([*numbers, rng.random()]))
        for _ in range(count)
    ]
    rows += rows[: count // 10]
    roles = ["x", "y", "score"]
    assert digest(table(rows)) == reference(rows, "matches", roles, 16)
    either = [(min(x, y, key=str.encode), max(x, y, key=str.encode), s) for x, y, s in rows]
    there = reference(either, "matches in either order", roles, 16)
    assert digest(table(rows), dedupe=True) == there
    turned = [(y, x, s) if rng.random() < 0.5 else (x, y, s) for x, y, s in rows]
    assert digest(table(turned), dedupe=True) == there


def test_chunks_of_many_rows():
    rows = [(f"x{i}", "y", 1.0) for i in range(65_540)]
    assert digest(table(rows)) == reference(rows, "matches", ["x", "y", "score"])


def test_no_rows():
    empty = table([("a", "b", 0.5)]).slice(0, 0)
    assert digest(empty) == reference([], "matches", ["x", "y", "score"])


AMBIGUOUS = [
    [("ab", "c", 1.0)],
    [("a", "bc", 1.0)],
    [("abc", "", 1.0)],
    [("a\0b", "c", 1.0)],
    [("a", "b\0c", 1.0)],
    [("ab", "c", 0.0)],
    [("ab", "c", math.nan)],
    [("ab", "c", None)],
    [("c", "ab", 1.0)],
    [("ab", "c", 1.0), ("ab", "c", 2.0)],
    [("a", "b", 1.0), ("c", "d", 1.0)],
    [("a", "d", 1.0), ("c", "b", 1.0)],
    [("a", "b", 1.0), ("c", "d", 2.0)],
    [("a", "b", 2.0), ("c", "d", 1.0)],
    [("1", "23", 1.0)],
    [("12", "3", 1.0)],
    [("01", "23", 1.0)],
    [("é", "c", 1.0)],
    [("e\u0301", "c", 1.0)],
]


def test_tables_that_differ_have_different_digests():
    assert len({digest(table(rows)) for rows in AMBIGUOUS}) == len(AMBIGUOUS)


def test_what_a_column_is_counts():
    """The same values in other roles are another table."""
    pairs = pa.table({"x": ["a"], "y": ["b"], "other": ["a"], "score": [1.0]})
    single = pa.table({"x": ["a"], "y": ["b"], "score": pa.array([1.0], pa.float32())})
    with_sources = Pairs("x", "y", "score", "other", "other")
    digests = [
        digest(pairs),
        digest(pairs, dedupe=True),
        digest(pairs, Pairs("x", "y")),
        digest(pairs, Pairs("x", "y", positive="score")),
        digest(pairs, with_sources),
        digest(pairs, Clusters("x", "y")),
        digest(pairs, Clusters("x", "y", "other")),
        digest(pairs, Pairs("x", "y"), of=rows_of_labels),
        digest(pairs, Pairs("x", "y", either_way=True), of=rows_of_labels),
        digest(pairs, "x", of=lambda source, column: rows_of_ids(source, column, None)),
        digest(single),  # a threshold is rounded as its scores are
    ]
    assert len(set(digests)) == len(digests)


def test_sources_and_ids_that_make_one_text_differ():
    form = Pairs("x", "y", None, "s", "t")
    one = pa.table({"s": ["a"], "x": ["b-__-c"], "t": ["z"], "y": ["1"]})
    two = pa.table({"s": ["a-__-b"], "x": ["c"], "t": ["z"], "y": ["1"]})
    for dedupe in (False, True):
        assert digest(one, form, dedupe=dedupe) != digest(two, form, dedupe=dedupe)
    turned = pa.table({"s": ["z"], "x": ["1"], "t": ["a"], "y": ["b-__-c"]})
    assert digest(one, form, dedupe=True) == digest(turned, form, dedupe=True)
    assert digest(one, form) != digest(turned, form)


def test_other_columns_and_arrow_s_own_ways_do_not_count():
    rows = [(f"x{i}", f"y{i % 7}", i / 3) for i in range(1000)]
    plain = digest(table(rows))
    offset = table([("?", "?", 9.0), *rows, ("?", "?", 9.0)]).slice(1, 1000)
    pieces = pa.concat_tables([table(rows[i : i + 10]) for i in range(0, 1000, 10)])
    kinds = [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
    tables = [offset, pieces, table(rows, who=["me"] * 1000)]
    tables += [
        table(rows).cast(pa.schema([("x", kind), ("y", kind), ("score", pa.float64())]))
        for kind in kinds
    ]
    assert {digest(one) for one in tables} == {plain}
    nulls = pa.array(["garbage"], pa.string()).buffers()
    hidden = pa.StringArray.from_buffers(1, nulls[1], nulls[2], pa.py_buffer(b"\0"), 1)
    empty = {"y": ["b"], "score": [1.0]}
    texts = [digest(pa.table({"x": x} | empty)) for x in (hidden, pa.array([None], pa.string()))]
    assert texts[0] == texts[1]


# --- one matcher's output in every form -------------------------------------------------------


def outputs(folder, change=lambda rows: rows):
    """An output's rows by form, each as one reads or makes it there."""
    rng = random.Random(5)
    rows = [
        (x, y, rng.choice([0.1, 0.25, 1 / 3, 0.9])) for x, y in read_csv(folder / "holdout.csv")
    ]
    rows = change(rows)
    shuffled = rng.sample(rows, len(rows))
    made = table(rows)
    csv.write_csv(made, folder / "output.csv")
    pq.write_table(made, folder / "snappy.parquet", compression="snappy")
    pq.write_table(table(shuffled), folder / "zstd.parquet", compression="zstd", row_group_size=50)
    return {
        "CSV": folder / "output.csv",
        "Parquet, snappy": folder / "snappy.parquet",
        "Parquet, zstd, shuffled": folder / "zstd.parquet",
        "pandas": pd.DataFrame(shuffled, columns=["x", "y", "score"]),
        "Polars": pl.from_arrow(made),
        "Arrow": made,
        "DuckDB": duckdb.sql("select * from made order by hash(x)"),
    }


def splink_frame(made):
    """As Splink predicts: under its own names for the columns."""
    from splink import DuckDBAPI

    names = ["unique_id_l", "unique_id_r", "match_probability"]
    return DuckDBAPI().register(made.rename_columns(names))


def changed(name):
    def change(rows):
        x, y, score = rows[3]
        others = {
            "score": [*rows[:3], (x, y, math.nextafter(score, 2)), *rows[4:]],
            "id": [*rows[:3], (x, y + " ", score), *rows[4:]],
            "row": [*rows[:3], *rows[4:]],
            "more": [*rows, ("a0", "b999", 0.5)],
        }
        return others[name]

    return change


@pytest.fixture
def audit(tmp_path):
    audit = make_audit(tmp_path / "data")
    (audit / "labels.csv").rename(tmp_path / "labels.csv")
    return audit


def put_labels(audit):
    (audit.parents[1] / "labels.csv").rename(audit / "labels.csv")


@pytest.mark.parametrize("first", ["CSV", "Parquet, snappy", "pandas"])
def test_registered_as_one_form_it_is_on_record_as_any_other(audit, first):
    forms = outputs(audit.parent)
    forms["Splink"] = splink_frame(forms["Arrow"])
    mb.register(audit, holdout=forms[first], threshold=0.2)
    put_labels(audit)
    for name, output in forms.items():
        certificate = mb.certify(audit, holdout=output, threshold=0.2)
        assert certificate.ledger.registered == 3, name
        assert (certificate.ledger.matchers, certificate.ledger.together) == (1, 0.95)
    other = mb.certify(audit, holdout=forms["CSV"], threshold=0.3)
    assert (other.ledger.registered, other.ledger.matchers) == (None, 2)


@pytest.mark.parametrize("name", ["score", "id", "row", "more"])
def test_one_changed_value_is_another_matcher(audit, name):
    mb.register(audit, holdout=outputs(audit.parent)["CSV"], threshold=0.05)
    put_labels(audit)
    for form, output in outputs(audit.parent, changed(name)).items():
        certificate = mb.certify(audit, holdout=output, threshold=0.05)
        assert certificate.ledger.registered is None, form
        # What was registered, and what all these forms have in common: two matchers.
        assert (certificate.ledger.matchers, certificate.ledger.together) == (2, 0.9), form


def test_columns_named_otherwise_are_settled_by_rows(audit):
    """The same file by other columns is another matcher; the same rows elsewhere are not."""
    pairs = read_csv(audit.parent / "holdout.csv")
    others = [y for _, y in pairs[1:] + pairs[:1]]
    rows = [(x, y, other, 0.5) for (x, y), other in zip(pairs, others, strict=True)]
    both = write_csv(audit.parent / "both.csv", ["left", "right", "wrong", "likeness"], rows)
    plain = write_csv(
        audit.parent / "plain.csv", ["x", "y", "score"], [(*r[:2], r[3]) for r in rows]
    )
    names = {"x": "left", "y": "right", "score": "likeness"}
    mb.register(audit, holdout=both, columns=names, threshold=0.2)
    put_labels(audit)
    certificate = mb.certify(audit, holdout=plain, threshold=0.2)
    assert certificate.ledger.registered == 3
    certificate = mb.certify(audit, holdout=both, columns=names | {"y": "wrong"}, threshold=0.2)
    assert (certificate.ledger.registered, certificate.ledger.matchers) == (None, 2)


def test_bytes_that_agree_are_enough(audit, monkeypatch):
    """A large file's rows are digested when it is registered, and not again."""
    monkeypatch.setattr("matchbound.tables.formats.SMALL", 0)
    forms, calls = outputs(audit.parent), []
    module = "matchbound.tables.digests.digest_of_rows"
    original = digest_of_rows

    def counted(con, source, rows):
        calls.append(source.argument)
        return original(con, source, rows)

    monkeypatch.setattr(module, counted)
    mb.register(audit, holdout=forms["CSV"], threshold=0.2)
    assert calls == ["holdout"]
    put_labels(audit)
    certificate = mb.certify(audit, holdout=forms["CSV"], threshold=0.2)
    assert calls == ["holdout"]
    assert certificate.ledger.registered == 3
    again = mb.certify(audit, holdout=forms["Parquet, snappy"], threshold=0.2)
    assert calls == ["holdout", "holdout"]
    assert again.ledger.registered == 3
    later = mb.certify(audit, holdout=forms["Parquet, snappy"], threshold=0.2)
    assert len(calls) == 2  # its bytes are on record by now
    assert later.inputs.outputs[0].digest == again.inputs.outputs[0].digest


def test_large_files_that_nobody_registered_are_known_by_their_bytes(audit, monkeypatch):
    monkeypatch.setattr("matchbound.tables.formats.SMALL", 0)
    put_labels(audit)
    forms = outputs(audit.parent)
    for name, matchers in (("CSV", 1), ("CSV", 1), ("Parquet, snappy", 2)):
        certificate = mb.certify(audit, holdout=forms[name], threshold=0.2)
        assert certificate.inputs.outputs[0].digest.rows is None
        assert certificate.ledger.matchers == matchers


# --- populations, labels, drawing again, verifying --------------------------------------------


def rewritten(path, **options):
    """A CSV as Parquet, in another order."""
    rows = csv.read_csv(path, convert_options=csv.ConvertOptions(strings_can_be_null=True))
    pq.write_table(rows.take(list(range(len(rows)))[::-1]), path.with_suffix(".parquet"), **options)
    return path.with_suffix(".parquet")


def test_a_population_and_labels_in_another_format(audit, capsys):
    put_labels(audit)
    population = rewritten(audit.parent / "people.csv")
    assert certify(audit) == 0
    labels = rewritten(audit / "labels.csv")
    assert certify(audit, "--population", population, "--labels", labels, "--force") == 0
    entries = read_ledger(audit).of_kind("labels")
    assert len(entries) == 1
    rows = read_csv(audit.parent / "people.csv")
    other = write_csv(audit.parent / "others.csv", ["id"], [["a0_"], *rows[1:]])
    capsys.readouterr()
    assert certify(audit, "--population", other, "--force") == 0
    assert (
        "The population has changed since the draw: 399 nodes are kept" in capsys.readouterr().out
    )


def test_a_draw_repeated_with_another_format_keeps_its_seed(tmp_path, capsys):
    make_inputs(tmp_path)
    options = ["--labels", 20, "--out", tmp_path / "audit"]
    known = ["--holdout", tmp_path / "holdout.csv", *options]
    assert run("draw", tmp_path / "people.csv", *known) == 0
    population, holdout = (rewritten(tmp_path / f"{name}.csv") for name in ("people", "holdout"))
    capsys.readouterr()
    assert run("draw", population, "--holdout", holdout, *options, "--force") == 0
    assert "Nothing has changed since that draw" in capsys.readouterr().out
    rows = read_csv(tmp_path / "holdout.csv")
    write_csv(tmp_path / "holdout.csv", ["x", "y"], rows[1:])
    assert run("draw", population, *known, "--force") == 0
    assert "costs δ" in capsys.readouterr().out


def test_verify_takes_the_same_rows_and_no_others(audit, capsys):
    put_labels(audit)
    folder = audit.parent
    assert certify(audit, "--out", audit / "certificate.json") == 0
    for name in ("holdout", "complete", "people"):
        text = (folder / f"{name}.csv").read_text()
        header, *lines = text.splitlines()
        (folder / f"{name}.csv").write_text("\n".join([header, *lines[::-1]]) + "\n")
        assert mb.verify(audit).differences == ()
        (folder / f"{name}.csv").write_text("\n".join([header, *lines[1:]]) + "\n")
        where = "population" if name == "people" else name
        assert mb.verify(audit).differences == (
            f"inputs.{where}: '{folder / name}.csv' is not the file that was certified",
        )
        (folder / f"{name}.csv").write_text(text)
    assert mb.verify(audit).differences == ()


@pytest.mark.parametrize("claimed", ["rows", "bytes"])
@pytest.mark.parametrize("is_watched", [False, True])
def test_what_a_certificate_claims_is_digested_again(audit, is_watched, claimed):
    """Whoever writes the ledger's end anew cannot claim a registered matcher's rows or bytes."""
    mb.register(audit, holdout=audit.parent / "complete.csv")
    put_labels(audit)
    mb.certify(audit, holdout=audit.parent / "holdout.csv", out=audit / "certificate.json")
    registered = read_ledger(audit).of_kind("register")[0]["holdout"]["digest"][claimed]
    record = json.loads((audit / "certificate.json").read_text())
    record["inputs"]["holdout"]["digest"][claimed] = registered
    forged = Certificate.of(Record(record))
    issued = forged.issued()
    lines = (audit / "ledger.jsonl").read_text().splitlines()[:-1]
    (audit / "ledger.jsonl").write_text("\n".join(lines) + "\n")
    if is_watched:
        append(audit, "watch", holdout=issued.holdout[0].as_dict())
    placed = on_record(forged, standing(read_ledger(audit).entries, issued))
    assert (placed.ledger.registered, placed.ledger.matchers) == (3, 1)
    append(audit, "certificate", certificate=placed.as_dict()["digest"], **issued.as_dict())
    placed.save(audit / "certificate.json", force=True)
    differences = ["ledger is not what the entries and the inputs at hand give"]
    if claimed == "rows":
        differences.append("inputs.holdout.digest.rows is not what the inputs give")
    assert list(mb.verify(audit).differences) == differences


def test_a_threshold_is_no_part_of_an_output_without_scores(audit):
    folder = audit.parent
    mb.register(audit, holdout=folder / "complete.csv")
    put_labels(audit)
    header, *lines = (folder / "complete.csv").read_text().splitlines()
    scored = [f"{header},score", *(f"{line},0.9" for line in lines)]
    (folder / "scored.csv").write_text("\n".join(scored) + "\n")
    certificate = mb.certify(
        audit,
        holdout=folder / "complete.csv",
        complete=folder / "scored.csv",
        threshold=0.5,
        out=audit / "certificate.json",
    )
    assert certificate.ledger.registered is not None
    assert certificate.ledger.together == 0.95
    assert mb.verify(audit).differences == ()


def test_every_file_is_hashed_once_a_command(audit, monkeypatch):
    put_labels(audit)
    folder, hashed = audit.parent, []
    original = files._read_through

    def counted(path):
        hashed.append(path.resolve())
        return original(path)

    monkeypatch.setattr(files, "_read_through", counted)
    matchers = {name: folder / f"{name}.csv" for name in ("holdout", "complete")}
    mb.certify(audit, **matchers, out=audit / "certificate.json")
    read = {*matchers.values(), folder / "people.csv", audit / "labels.csv", audit / "draw.json"}
    assert sorted(hashed) == sorted(path.resolve() for path in read)
    hashed.clear()
    assert mb.verify(audit).holds
    assert sorted(hashed) == sorted(path.resolve() for path in read)
    hashed.clear()
    mb.register(audit, holdout=matchers["holdout"])
    assert len(hashed) == len(set(hashed))


def test_a_file_is_csv_or_parquet(tmp_path):
    """By its name alone one file could be two tables, with the same bytes."""
    path = tmp_path / "both.csv"
    pq.write_table(pa.table({"x": ["a"]}), tmp_path / "table.parquet")
    path.write_bytes(b"x,y\na,b\n" + (tmp_path / "table.parquet").read_bytes())
    with connect() as con:
        with pytest.raises(mb.InputError, match=r"^holdout must be CSV if it is named so"):
            open_source(con, "holdout", path)
        path.write_bytes(b"x,y\na,PAR1")
        assert open_source(con, "holdout", path).column("y") == "y"


def test_same_digests():
    one, other = Digest("r", "b"), Digest(None, "b")
    assert one.is_same(other, read_alike=True)
    assert not one.is_same(other, read_alike=False)
    assert one.is_same(Digest("r", "c"), read_alike=False)
    assert not Digest(None, None).is_same(Digest(None, None), read_alike=True)
    assert Digest.of(one.as_dict()) == one
    others = [{"rows": 1, "bytes": None}, {"rows": "r", "bytes": "b", "more": "m"}]
    for record in (*others, {"rows": None, "bytes": None}, "b"):
        with pytest.raises(TypeError):
            Digest.of(record)
