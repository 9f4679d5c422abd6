"""The file that is hashed is the file that is read, whatever its name and whoever writes to it."""

import hashlib
import os
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import matchbound as mb
from matchbound.engines import connect
from matchbound.files import read_at_once
from matchbound.tables import (
    Matching,
    form_of_labels,
    listed,
    open_source,
    read_labels,
    recognise,
    refuse_unread_columns,
)
from matchbound.tables.formats import HEADER, SMALL
from matchbound.tables.sources import scan


def rows_of(con, source):
    return [row[0] for row in scan(con, source, "select id")]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    "name",
    [
        "~/x",
        "file:/x",
        "file:/tmp/x",
        "s3:/x",
        "[x]",
        "a*",
        "a?",
        "a[!b]",
        "a\\b",
        "{a,b}",
        "a'b",
    ],
)
def test_the_file_that_is_hashed_is_the_file_that_is_read(tmp_path, monkeypatch, name, suffix):
    """DuckDB takes some names for a home folder, an address or a pattern."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for place in ("home/x", "x", "a1", "ab", "a", name):
        path = Path(f"{place}.{suffix}")
        path.parent.mkdir(exist_ok=True, parents=True)
        if suffix == "csv":
            path.write_text(f'id\n"{place}"\n')
        else:
            with path.open("wb") as file:
                pq.write_table(pa.table({"id": [place]}), file)
    with connect() as con:
        source = open_source(con, "population", f"{name}.{suffix}")
        assert rows_of(con, source) == [name]
    assert source.bytes == hashlib.sha256(Path(f"{name}.{suffix}").read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "path", ["s3://b/x.csv", "http://h/x.csv", "hf://d/x.csv", "file:///x.csv"]
)
def test_an_address_is_refused(path):
    refusal = (
        rf"^population must be the path of a local file, got '{path}', an address\. .* spark\.$"
    )
    with connect() as con, pytest.raises(mb.InputError, match=refusal):
        open_source(con, "population", path)


def large(path, first):
    """A CSV that is too large to be read at once."""
    path.write_text("id\n" + f"{first}00000\n" * (SMALL // 7 + 1))


def replaced(path):
    large(path.with_name("new.csv"), "b")
    os.replace(path.with_name("new.csv"), path)


@pytest.mark.parametrize("change", [replaced, lambda path: large(path, "c"), Path.unlink])
def test_a_large_file_that_is_changed_after_it_was_hashed_is_refused(tmp_path, change):
    path = tmp_path / "people.csv"
    large(path, "a")
    with connect() as con:
        source = open_source(con, "population", path)
        assert scan(con, source, "select distinct id") == [("a00000",)]
        change(path)
        with pytest.raises(mb.MatchboundError, match=r"^(cannot read .*replaced|.*No files found)"):
            scan(con, source, "select distinct id")


def test_a_small_csv_is_read_once(tmp_path, monkeypatch):
    """Labels may be written meanwhile: what is read is what was hashed, before or after."""
    path, read = tmp_path / "labels.csv", mb.tables.formats.content_of_file
    path.write_text("id\nold\n")

    def written_meanwhile(place):
        content = read(place)
        if path.read_text() == "id\nold\n":
            path.with_name("new").write_text("id\nnew\n")
            os.replace(path.with_name("new"), path)
        return content

    monkeypatch.setattr("matchbound.tables.formats.content_of_file", written_meanwhile)
    with connect() as con:
        source = open_source(con, "labels", path)
        path.write_text("id\nnewer\n")
        assert rows_of(con, source) == ["new"]
    assert source.bytes == hashlib.sha256(b"id\nnew\n").hexdigest()


def test_a_small_csv_that_is_replaced_all_the_time_is_read_as_it_is_now(tmp_path, monkeypatch):
    """Four people who label replace labels.csv faster than it is hashed and read."""
    path, read = tmp_path / "labels.csv", mb.tables.formats.content_of_file
    path.write_text("id\n0\n")

    def replaced_meanwhile(place):
        content = read(place)
        path.with_name("new").write_text(f"id\n{int(path.read_text()[3:]) + 1}\n")
        os.replace(path.with_name("new"), path)
        return content

    monkeypatch.setattr("matchbound.tables.formats.content_of_file", replaced_meanwhile)
    with connect() as con:
        source = open_source(con, "labels", path)
        (row,) = rows_of(con, source)
    assert source.bytes == hashlib.sha256(f"id\n{row}\n".encode()).hexdigest()
    assert (source.path, source.files) == (str(path), ())
    assert 0 < int(row) < int(path.read_text()[3:])


def test_what_is_written_to_is_not_read_at_once(tmp_path, monkeypatch):
    path, fstat = tmp_path / "labels.csv", os.fstat
    path.write_text("id\na\n")
    assert read_at_once(path, 100) == b"id\na\n"
    with pytest.raises(mb.MatchboundError, match="changed or replaced while"):
        read_at_once(path, 3)

    def written_before(handle):
        with path.open("a") as file:
            file.write("b\n")
        return fstat(handle)

    monkeypatch.setattr("os.fstat", written_before)
    with pytest.raises(mb.MatchboundError, match="changed or replaced while"):
        read_at_once(path, 100)


@pytest.mark.parametrize("rows", [5, 1_000_000])
@pytest.mark.parametrize("tail", [b"\0" * 4096, b"\0" * 4096 + b"\n", b"\0\0\nb\n"])
def test_nul_bytes_are_refused_at_every_size(tmp_path, rows, tail):
    path = tmp_path / "people.csv"
    path.write_bytes(b"id\n" + b"a000000\n" * rows + tail)
    with connect() as con, pytest.raises(mb.InputError, match=r"^population must be text, got NUL"):
        open_source(con, "population", path)


def test_a_long_header_is_read_whole_or_refused(tmp_path):
    path = tmp_path / "people.csv"
    names = [str(i) * 60_000 for i in range(10, 30)]
    path.write_text(",".join([*names, "id"]) + "\n" + "x," * 20 + "y\n")
    assert path.stat().st_size > 2 << 20
    with connect() as con:
        assert rows_of(con, open_source(con, "population", path)) == ["y"]
        path.write_text("a" * HEADER + ",id\nx,y\n")
        with pytest.raises(mb.InputError, match="must have a header line of at most 10,000,000 b"):
            open_source(con, "population", path)


def test_many_columns_take_linear_time(tmp_path):
    """20,000 names took 29 s, most of it to look for repeated ones."""
    names = [f"column {i}" for i in range(20_000)]
    start = time.process_time()
    mb.tables.formats.refuse_repeated_names("population", names)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("others", [3, 300])
def test_an_unread_column_of_verdicts_is_found_among_many(tmp_path, others):
    names = [f"c{i}_{side}" for i in range(others) for side in "lr"]
    for verdicts in (["yes", "no"], ["maybe", "no"], ["", "N"], ["", ""], ["yes", "Y"]):
        rows = [f"a{i},b{i},{'v,' * len(names)}{said}\n" for i, said in enumerate(verdicts)]
        path = tmp_path / "labels.csv"
        path.write_text(",".join(["x", "y", *names, "seen"]) + "\n" + "".join(rows))
        with connect() as con:
            source = open_source(con, "labels", path)
            form = form_of_labels(source, {})
            if verdicts != ["yes", "Y"]:
                with pytest.raises(mb.InputError, match=r"that is not read .* got 'seen' \(values"):
                    read_labels(con, source, form, Matching())
            else:
                read_labels(con, source, form, Matching())


def test_of_many_unread_columns_the_first_are_named(tmp_path):
    path = tmp_path / "found.csv"
    path.write_text(",".join(["x", "y", *(f"c{i}" for i in range(300))]) + "\na,b" + ",0" * 300)
    with connect() as con:
        source = open_source(con, "holdout", path)
        form = recognise(source, {})
        with pytest.raises(mb.InputError) as error:
            refuse_unread_columns(con, source, form, {})
    assert "'c3' (values '0'), 'c4' (values '0'), 295 others. Read the one" in str(error.value)
    assert str(error.value).endswith("ignore=c3,ignore=c4,…).")


def test_a_sentence_names_the_first_columns_only():
    assert listed(["a", "b"]) == "'a', 'b'"
    assert listed([str(i) for i in range(25)]).endswith("'18', '19', 5 others")
    assert len(listed(["x" * 10_000])) < 70
