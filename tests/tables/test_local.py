"""Files, folders, patterns and databases: what is read as one table, and what is refused."""

import gzip
import hashlib
import json
import os
import sqlite3

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import matchbound as mb
from matchbound.audits.places import recorded
from matchbound.engines import connect
from matchbound.files import digest_of_table, files_at
from matchbound.tables.inputs import open_source
from matchbound.tables.sources import scan
from support.audits import make_audit, make_inputs, read_csv, run, write_csv


def read(path, columns="id"):
    with connect() as con:
        source = open_source(con, "population", path)
        return sorted(scan(con, source, f"select {columns}"), key=str)


def refused(path):
    with pytest.raises(mb.InputError) as error:
        read(path)
    assert str(error.value).startswith("population must ")
    return str(error.value)


def parts(folder, **texts):
    """A folder with files; an underscore in a name stands for a dot."""
    folder.mkdir()
    for name, text in texts.items():
        (folder / name.replace("_", ".", 1)).write_text(text)
    return folder


# What is read


def test_json_is_read_as_text(tmp_path):
    """An id is the same as in CSV: 7 is not '007', and nothing is rounded."""
    ids = [7, "007", 12345678901234567890123, None, True, "é\u0000"]
    lines = [json.dumps({"id": one, "more": [1]}) for one in ids] + [json.dumps({"name": "x"})]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n\n")
    expected = ["7", "007", "12345678901234567890123", None, "true", "é\0", None]
    assert {row[0] for row in read(tmp_path / "a.jsonl")} == {*expected}
    assert len(read(tmp_path / "a.jsonl", "id, name, more")) == len(expected)


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "jsonl", "folder"])
def test_large_and_small_files_are_read_alike(tmp_path, monkeypatch, suffix):
    """Small ones are read once and kept; large ones are read by every query."""
    monkeypatch.setattr("matchbound.tables.formats.SMALL", 1000)
    for name, size in (("small", 10), ("large", 2000)):
        ids = [f"a{i}" for i in range(size)]
        path = tmp_path / f"{name}.{suffix}"
        text = "id\n" + "\n".join(ids) + "\n"
        if suffix == "jsonl":
            text = "".join(f'{{"id": "{one}"}}\n' for one in ids)
        if suffix == "folder":
            path = parts(path, a_csv=text, b_csv="id\nlast\n")
        else:
            write = gzip.compress if suffix.endswith("gz") else bytes
            path.write_bytes(write(text.encode()))
        more = 1 if suffix == "folder" else 0
        with connect() as con:
            source = open_source(con, "population", path)
            counted = scan(con, source, "select count(distinct id)")
            assert counted == [(size + more,)]
            assert bool(source.files) == (name == "large")
            assert source.is_small == (name == "small")


PACKED = {"gz": gzip.compress, "zst": lambda data: pa.compress(data, "zstd", asbytes=True)}


def test_several_members_are_one_file(tmp_path):
    """As `cat a.gz b.gz` makes them, and compressors that use all cores."""
    for suffix, pack in PACKED.items():
        path = tmp_path / f"a.csv.{suffix}"
        path.write_bytes(pack(b"id\na\n") + pack(b"b\nc\n"))
        assert read(path) == [("a",), ("b",), ("c",)]


def test_a_folder_is_known_by_its_files_and_their_order(tmp_path):
    """Bytes put together could be split otherwise: 'id' is a row of the first, and no other."""
    one = parts(tmp_path / "one", a_csv="id\n1\nid\n2\n")
    two = parts(tmp_path / "two", a_csv="id\n1\n", b_csv="id\n2\n")
    other = parts(tmp_path / "other", a_csv="id\n2\n", b_csv="id\n1\n")
    assert (len(read(one)), len(read(two))) == (3, 2)
    digests = {digest_of_table(path) for path in (one, two, other, one / "a.csv")}
    assert len(digests) == 4
    same = parts(tmp_path / "same", x_csv="id\n1\n", y_csv="id\n2\n")
    assert digest_of_table(same) == digest_of_table(two) == digest_of_table(two / "*.csv")
    with connect() as con:
        assert open_source(con, "population", two).bytes == digest_of_table(two)
        assert open_source(con, "population", two / "?.csv").bytes == digest_of_table(two)
    first, second = (hashlib.sha256(f"id\n{i}\n".encode()).hexdigest() for i in (1, 2))
    hashed = hashlib.sha256(f"\0files\0{first}\0{second}".encode())
    assert digest_of_table(two) == hashed.hexdigest()


def test_a_file_s_name_goes_before_a_pattern(tmp_path):
    for name in ("a1.csv", "a[1].csv"):
        (tmp_path / name).write_text(f"id\n{name}\n")
    assert read(tmp_path / "a[1].csv") == [("a[1].csv",)]
    assert read(tmp_path / "a[12].csv") == [("a1.csv",)]


def test_patterns_reach_into_folders(tmp_path):
    for year in ("2024", "2025"):
        parts(tmp_path / year, a_csv=f"id\n{year}\n")
    assert read(tmp_path / "*/a.csv") == read(tmp_path / "**/*.csv") == [("2024",), ("2025",)]


def test_sqlite_s_values_of_several_types(tmp_path):
    """A column of whole numbers is one; beside text, numbers are text; 1.0 is no whole number."""
    with sqlite3.connect(tmp_path / "a.sqlite") as con:
        con.execute('create table t (id, whole, mixed, real, "a b", bytes, none)')
        rows = [("x", 1, 7, 0.5, "q", b"\xff", None), ("y", 2**62, "007", 1, None, "t", None)]
        con.executemany("insert into t values (?, ?, ?, ?, ?, ?, ?)", rows)
        con.execute("create view v as select id from t where whole = 1")
    con.close()
    with connect() as con:
        source = open_source(con, "population", f"{tmp_path}/a.sqlite::T")
        assert list(source.columns.values()) == [
            *["VARCHAR", "BIGINT", "VARCHAR", "DOUBLE", "VARCHAR", "BLOB", "VARCHAR"]
        ]
        rows = scan(con, source, 'select id, whole, mixed, real, "a b"')
        assert sorted(rows) == [("x", 1, "7", 0.5, "q"), ("y", 2**62, "007", 1.0, None)]
    assert read(f"{tmp_path}/a.sqlite::v") == [("x",)]


def test_duckdb_s_types_and_names(tmp_path):
    """Ids of types that Arrow lacks keep every digit; a schema is said unless it is main."""
    with duckdb.connect(str(tmp_path / "a.duckdb")) as con:
        con.execute(
            "create schema s; create table s.t as select 12345678901234567890123::hugeint as id, "
            "'00000000-0000-0000-0000-00000000000a'::uuid as u, 1.5::decimal(4, 2) as d, "
            "'b'::enum('a', 'b') as e, 7::utinyint as w; create table \"x.y\" as select 'z' as id; "
            "create view v as select id::varchar as id from s.t"
        ).fetchall()
    row = ("12345678901234567890123", "00000000-0000-0000-0000-00000000000a", "1.50", "b", "7")
    assert read(f"{tmp_path}/a.duckdb::s.t", "id, u, d, e, w") == [row]
    assert read(f"{tmp_path}/a.duckdb::x.y") == [("z",)]
    assert read(f"{tmp_path}/a.duckdb::main.V") == [(row[0],)]
    before = (tmp_path / "a.duckdb").read_bytes()
    assert [*files_at(tmp_path / "a.duckdb::s.t")] == [tmp_path / "a.duckdb"]
    assert (tmp_path / "a.duckdb").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"a.duckdb"}


# What is refused


def test_what_is_no_table_in_files(tmp_path):
    csv, table = "id\n1\n", pa.table({"id": ["a"]})
    cases = {
        "empty": "must have files, got '{}', a folder without files",
        "both": "must have files of one kind, got 'a.csv' and 'b.parquet'",
        "zipped": "must have files of one kind, got 'a.csv' and 'b.csv.gz'",
        "columns": "must have files with the same columns, got 'key' in 'b.csv', other than",
        "more": "must have files with the same columns, got 'name' in 'b.csv', other than",
        "fewer": "must have files with the same columns, got 1 columns in 'b.csv', other than",
        "order": "must have files with the same columns, got 'name' in 'b.csv', other than",
        "types": "must have files with the same columns, got 'id' (int64) in 'b.parquet'",
        "inside": "must be files of one table, got '{}' with the folder 'x=1'",
        "delta": "must be files of one table, got '{}' with the folder '_delta_log'",
        "unknown": "must be a .csv, .jsonl or .parquet file (text also as .gz or .zst), got",
    }
    made = {name: tmp_path / name for name in cases}
    parts(made["empty"], _SUCCESS="")
    parts(made["both"], a_csv=csv)
    pq.write_table(table, made["both"] / "b.parquet")
    parts(made["zipped"], a_csv=csv)
    (made["zipped"] / "b.csv.gz").write_bytes(gzip.compress(csv.encode()))
    parts(made["columns"], a_csv=csv, b_csv="key\n1\n")
    parts(made["more"], a_csv=csv, b_csv="id,name\n1,2\n")
    parts(made["fewer"], a_csv="id,name\n1,2\n", b_csv=csv)
    parts(made["order"], a_csv="id,name\n1,2\n", b_csv="name,id\n1,2\n")
    parts(made["types"])
    pq.write_table(table, made["types"] / "a.parquet")
    pq.write_table(pa.table({"id": [7]}), made["types"] / "b.parquet")
    parts(parts(made["inside"], a_csv=csv) / "x=1", b_csv=csv)
    parts(parts(made["delta"], a_csv=csv) / "_delta_log")
    parts(made["unknown"], a_csv=csv, read_me="hello")
    for name, message in cases.items():
        assert message.format(made[name]) in refused(made[name]), name


def test_patterns_that_are_no_table(tmp_path):
    for year in ("2024", "2025"):
        parts(tmp_path / f"year={year}", a_csv=f"id\n{year}\n")
    parts(parts(tmp_path / "table", a_csv="id\n1\n") / "_delta_log")
    assert "a pattern that matches no file" in refused(tmp_path / "*.csv")
    assert "with the folder 'year=2024'" in refused(tmp_path / "y*/a.csv")
    assert "with the folder 'year=2024'" in refused(tmp_path / "year=*/a.csv")
    assert read(tmp_path / "year=2024/*.csv") == [("2024",)]
    assert "with the folder '_delta_log'" in refused(tmp_path / "table/*.csv")
    assert "with the folder 'table'" in refused(tmp_path / "*able")


def test_a_path_of_nothing_is_not_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(parts(tmp_path / "here", a_csv="id\n1\n"))
    assert refused("") == "population must be a path, got ''. Say which table."
    with connect() as con:
        for path, name in ((".", "here"), ("*.csv", "here/*.csv"), ("../here", "../here")):
            source = open_source(con, "population", path)
            assert source.path.endswith(name)
            assert recorded(source.path, None) == name.removeprefix("../")
    os.symlink(tmp_path / "gone", tmp_path / "here/b.csv")
    assert "got 'b.csv' in '.', a pipe, a device or a link to nothing" in refused(".")


@pytest.mark.parametrize("path", ["s3://b/*.csv", "https://h/a.duckdb::t", "md:/a::t", "gs://b/x/"])
def test_addresses_stay_refused(path):
    assert "must be the path of a local file, got" in refused(path)


def test_text_that_is_not_what_it_is_named(tmp_path):
    """The same bytes are never two tables, whatever they are named."""
    lines, both = b'{"id": 1}\n', b'{"a,id,b": 0, "id": 5}\n6,7,8\n'
    for name, data, message in (
        ("a.csv", lines, "must be CSV if it is named so, got JSON in"),
        ("b.csv", both, "must be CSV if it is named so, got JSON in"),
        ("c.csv", b"\xef\xbb\xbf " + lines, "must be CSV if it is named so, got JSON in"),
        ("a.jsonl", b"id\n1\n", "must have a JSON object in every line, got"),
        ("b.jsonl", b'[{"id": 1}]\n', "must have a JSON object in every line, got"),
        ("c.jsonl", b"", "must have a JSON object in every line, got"),
        ("d.jsonl", lines + b"[1]\n", "(a line is no JSON object)"),
        ("e.jsonl", lines + b"5\n", "(a line is no JSON object)"),
        ("f.jsonl", lines + b'{"ID": 2}\n', "that differ by case alone"),
        ("g.jsonl", lines + b'{"id": 2', "(Invalid Input Error: Malformed JSON"),
        ("h.jsonl", b'{"id": 1, "id": 2}\n', "(a line has a name twice)"),
        ("i.jsonl", b"{}\n", "its lines have no names"),
        ("a.csv.gz", b"id\n1\n", "which is cut off or damaged"),
        ("b.csv", gzip.compress(b"id\n1\n"), "must be UTF-8 text"),
        ("c.csv.gz", gzip.compress(b"id\n1\0\n2\n"), "must be text, got NUL bytes"),
        ("d.csv.gz", gzip.compress(lines), "must be CSV if it is named so, got JSON in"),
        ("e.parquet.gz", gzip.compress(lines), "must be a .csv, .jsonl or .parquet file"),
    ):
        (tmp_path / name).write_bytes(data)
        assert message in refused(tmp_path / name), name
    for suffix, packed in PACKED.items():
        whole = packed(b"id\n" + b"".join(b"%d\n" % i for i in range(2000)))
        path = tmp_path / f"cut.csv.{suffix}"
        for cut in (1, 4, 8, 20, len(whole) // 2, len(whole) - 3):
            path.write_bytes(whole[:-cut])
            with connect() as con, pytest.raises(mb.InputError, match="which is cut off or damag"):
                open_source(con, "population", path, hashed=False)
    flipped = bytearray(gzip.compress(b"id\n1\n"))
    flipped[-6] ^= 1
    (tmp_path / "sum.csv.gz").write_bytes(flipped)
    assert "which is cut off or damaged (CRC check failed" in refused(tmp_path / "sum.csv.gz")


def test_tables_that_are_in_no_database(tmp_path):
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute("create table t as select 1 as id; create schema s").fetchall()
        con.execute('create table s.u as from t; create table "s.u" as from t').fetchall()
    (tmp_path / "b.csv").write_text("id\n1\n")
    (tmp_path / "empty.duckdb").write_bytes(b"")
    known = "Choose among 's.u', 't', 's.u'."
    assert refused(path) == (
        f"population must name a table of a database, got '{path}' alone. Give a.duckdb::TABLE."
    )
    assert refused(f"{path}::w").endswith(f"got 'w', which none has. {known}")
    assert refused(f"{path}::s.u").endswith(f"got 's.u', which two have. {known}")
    assert "must be in a database of DuckDB or SQLite" in refused(f"{tmp_path}/b.csv::t")
    assert "must be in a database of DuckDB or SQLite" in refused(f"{tmp_path}/empty.duckdb::t")
    assert "(no such file)" in refused(f"{tmp_path}/none.duckdb::t")


def test_a_view_reads_no_other_file(tmp_path):
    (tmp_path / "b.csv").write_text("id\n1\n")
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(f"create view v as select * from read_csv('{tmp_path}/b.csv')").fetchall()
    assert "file system operations are disabled" in refused(f"{path}::v")


def test_a_database_that_somebody_writes_to(tmp_path):
    """Rows that are not in the file yet would be missing, without a sign."""
    con = sqlite3.connect(tmp_path / "a.sqlite")
    con.execute("pragma journal_mode = wal").fetchall()
    con.execute("create table t (id)")
    con.execute("insert into t values ('x')")
    con.commit()
    assert "somebody writes to it, or was interrupted: a.sqlite-wal" in refused(
        f"{tmp_path}/a.sqlite::t"
    )
    con.close()
    assert read(f"{tmp_path}/a.sqlite::t") == [("x",)]
    assert {path.name for path in tmp_path.iterdir()} == {"a.sqlite"}
    with duckdb.connect(str(tmp_path / "a.duckdb")) as writer:
        writer.execute("create table t as select 'y' as id").fetchall()
        assert "must be readable, got" in refused(f"{tmp_path}/a.duckdb::t")
    assert read(f"{tmp_path}/a.duckdb::t") == [("y",)]


def test_a_file_of_several_that_is_changed_meanwhile_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("matchbound.tables.formats.SMALL", 3)
    folder = parts(tmp_path / "parts", a_csv="id\nx\n", b_csv="id\ny\n")
    with connect() as con:
        source = open_source(con, "population", folder)
        assert scan(con, source, "select count(*)") == [(2,)]
        (folder / "b.csv").write_text("id\nz\n")
        with pytest.raises(mb.MatchboundError, match="was changed or replaced while"):
            scan(con, source, "select count(*)")


# Where results may be written, and where inputs are looked for


def test_no_result_is_written_into_a_table(tmp_path, capsys):
    audit = make_audit(tmp_path / "given")
    folder = parts(tmp_path / "parts", a_csv=(tmp_path / "given/holdout.csv").read_text())
    for holdout in (folder, folder / "*.csv"):
        patch = ["patch", audit, "--holdout", holdout, "--out"]
        assert run(*patch, folder / "new.csv") == 2
        assert "out must not be an input" in capsys.readouterr().err
        assert run(*patch, tmp_path / "patched.csv", "--force") == 0


def test_verify_finds_inputs_of_every_form_in_another_folder(tmp_path, capsys):
    """The audit folder goes to somebody else, and the tables to another folder there."""
    given, tables = tmp_path / "given", tmp_path / "tables"
    make_inputs(given)
    tables.mkdir()
    people = parts(tables / "people", a_csv=(given / "people.csv").read_text())
    found = parts(tables / "found", a_csv=(given / "holdout.csv").read_text()) / "*.csv"
    with sqlite3.connect(tables / "m.db") as con:
        con.execute("create table found (x, y)")
        con.executemany("insert into found values (?, ?)", read_csv(given / "complete.csv"))
    con.close()
    audit = tmp_path / "audit"
    assert run("draw", people, "--labels", 120, "--out", audit, "--holdout", found) == 0
    nodes = [x for x, _, _ in mb.Draw.load(audit).sample]
    write_csv(audit / "labels.csv", ["x", "y"], [[x, f"b{x[1:]}"] for x in nodes])
    complete = f"{tables / 'm.db'}::found"
    assert run("certify", audit, "--holdout", found, "--complete", complete) == 0
    (tmp_path / "sent").mkdir()
    tables.rename(tmp_path / "sent/deep")
    capsys.readouterr()
    assert run("verify", audit) == 3
    assert "population, holdout, complete" in capsys.readouterr().out
    assert run("verify", audit, "--inputs", tmp_path / "sent") == 0


def test_a_recorded_pattern_reaches_no_file_elsewhere(tmp_path):
    """Nor is anything listed outside: a pattern in somebody's certificate may span the disk."""
    from matchbound.certificates.reach import Reach

    inside, outside = (parts(tmp_path / name, a_csv="id\n1\n") for name in ("in", "out"))
    os.symlink(outside / "a.csv", inside / "link.csv")
    reach = Reach(inside)
    assert reach.find("a*.csv") == [inside / "a*.csv"]
    for path in ("*.csv", "../out/*.csv", f"{outside}/*.csv", "../out", "link.csv", "/**/*.csv"):
        assert reach.find(path) == []
