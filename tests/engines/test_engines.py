"""Every engine gives the same: draws, certificates and refusals, on Spark as on DuckDB."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from threading import Timer
from types import SimpleNamespace
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import matchbound as mb
from matchbound.engines.connection import connect
from matchbound.tables import Pairs, digest_of_rows, open_source, rows_of_matches
from matchbound.tables.verdicts import MANY, doubtful_columns
from matchbound.theorems.metrics import METRICS
from support import engine_cases
from support.audits import make_audit, run
from support.forms import (
    as_csv_folder,
    as_csv_gz,
    as_jsonl,
    as_parquet_folder,
    as_parquet_pattern,
    in_sqlite,
)
from support.graphs import KINDS, check_thresholds
from support.random_tables import check_all_metrics, drawn_within, groups
from support.sparks import SMALL, UNPLANNED, needs_spark, spark
from support.unread import ROWS, UNREAD_VALUES, unread

pytestmark = [needs_spark, pytest.mark.xdist_group("spark")]
LOCAL_FORMS = (
    as_csv_gz,
    as_jsonl,
    as_parquet_folder,
    as_csv_folder,
    as_parquet_pattern,
    in_sqlite,
)
LOCAL, CLUSTER = "local[2]", "local-cluster[2,1,1024]"
SETTINGS = {LOCAL: UNPLANNED, CLUSTER: {}}  # executors of their own have Spark's own settings


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    engine_cases.write_inputs(folder)
    return folder


@pytest.fixture(scope="module")
def session(request, tmp_path_factory):
    with spark(request.param, tmp_path_factory.mktemp("w"), **SETTINGS[request.param]) as session:
        yield session


@pytest.fixture(autouse=True)
def _same_salts(monkeypatch):
    """Draws commit to their nodes with a random salt; here it is the same on both engines."""
    salts = SimpleNamespace(token_hex=lambda size: "0" * 2 * size)
    monkeypatch.setattr(sys.modules["matchbound.audits.draw"], "secrets", salts)


def as_values(result):
    return result.as_dict() if hasattr(result, "as_dict") else result


@pytest.mark.parametrize("session", [LOCAL], indirect=True)
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=pytest.mark.slow if case in engine_cases.SLOW else ())
        for case in engine_cases.CASES
    ],
)
def test_same_in_one_process(case, folder, session):
    assert as_values(case(folder, session)) == as_values(case(folder, "duckdb"))
    assert not session.sparkContext._jsc.getPersistentRDDs()


@pytest.mark.parametrize("session", [LOCAL], indirect=True)
@pytest.mark.slow
@pytest.mark.parametrize("kinds", [9])
def test_all_metrics_of_300_populations(kinds, session):
    """In all forms, of one table with itself and of two."""
    compared = Counter()
    with connect(session) as con:
        for cases, given in [*groups(random.Random(22), 300)][-kinds:]:
            compared += check_all_metrics(con, cases, given)
    assert min(compared[name] for name in METRICS) > 20 * kinds


@pytest.mark.parametrize("session", [LOCAL], indirect=True)
@pytest.mark.slow
def test_all_metrics_within_parts_of_populations(session):
    """Two tables, and one with itself: as pairs, in part, and as clusters."""
    rng, compared = random.Random(26), Counter()
    with connect(session) as con:
        for cases, given in [*groups(rng, 108)][::4]:
            parts = [drawn_within(rng, case) for case in cases]
            cases, nodes = zip(*parts, strict=True)
            compared += check_all_metrics(con, cases, given, nodes)
    assert min(compared[name] for name in METRICS) > 10


@pytest.mark.parametrize("session", [LOCAL], indirect=True)
def test_clusters_of_two_thresholds(session):
    rdds = session.sparkContext._jsc.getPersistentRDDs
    with connect(session) as con:
        assert check_thresholds(con, 4, "text", dedupe=True, levels=range(2))
        assert len(rdds()) == 2  # of all that was kept, the clusters of two thresholds
    assert not rdds()


@pytest.mark.parametrize("session", [LOCAL], indirect=True)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("ids", "dedupe"), [("whole", True), ("text", True), *((ids, False) for ids in KINDS)]
)
def test_clusters_of_300_random_graphs(ids, dedupe, session):
    with connect(session) as con:
        assert min(check_thresholds(con, 300, ids, dedupe)) > 300


@pytest.mark.parametrize("session", [LOCAL], indirect=True)
def test_same_refusals(folder, session):
    said = engine_cases.refused(folder, "duckdb")
    assert all(one.startswith(("InputError", "AssumptionError")) for one in said)
    assert engine_cases.refused(folder, session) == said


@pytest.mark.parametrize("session", [LOCAL], indirect=True)
def test_unread_columns_that_may_decide(session, tmp_path):
    """The same ones, with the same values; names, dates and a yes everywhere are none."""
    table = unread([f"Name {i}" for i in range(ROWS)], "fine name")
    fine = {"fine date": [f"{1900 + i}-01-02" for i in range(ROWS)], "fine yes": ["Yes"] * ROWS}
    for name, values in (UNREAD_VALUES | fine).items():
        table = table.append_column(name, unread(values, name)[name])
    pq.write_table(table, tmp_path / "found.parquet")
    found = []
    for engine, matches in (
        ("duckdb", tmp_path / "found.parquet"),
        (session, session.read.parquet(str(tmp_path / "found.parquet"))),
    ):
        with connect(engine) as con:
            source = open_source(con, "holdout", matches)
            found.append(doubtful_columns(con, source, Pairs("x", "y")))
    assert set(found[0]) == set(UNREAD_VALUES)
    few = [{n: v for n, v in one.items() if len(v) < MANY} for one in found]
    assert few[0] == few[1]
    assert set(found[0]) == set(found[1])


def test_rounds_find_what_the_compiled_matcher_finds(folder):
    found = engine_cases.rounds(folder, None)
    assert len(found) > 11  # eight of them are seeds
    assert engine_cases.rounds(folder, "duckdb") == found


def state(session):
    rdds = session.sparkContext._jsc.getPersistentRDDs()
    views = session.sql("show tables").collect()
    shared = session.sql("show views in global_temp").collect()
    return dict(session.sql("set").collect()), views, shared, len(rdds)


@pytest.mark.slow
@pytest.mark.parametrize("session", [LOCAL], indirect=True)
def test_tables_by_name(folder, session, tmp_path):
    """Names are those of the user's session, whose views may be called as ours are."""
    session.sql("create database staff")
    session.read.parquet(str(folder / "numbers.parquet")).write.saveAsTable("staff.people")
    for view, name in (("population", "holdout"), ("sample", "complete")):
        frame = session.read.parquet(str(folder / f"numbers_{name}.parquet"))
        frame.createOrReplaceTempView(view)
    before = state(session)
    draw = mb.draw("staff.people", labels=30, seed="a", engine=session)
    local = mb.draw(folder / "numbers.parquet", labels=30, seed="a")
    assert draw.sample == local.sample
    draw.save(tmp_path / "audit")
    labels = engine_cases.labels_of(draw, folder, "numbers")
    csv.write_csv(labels, tmp_path / "audit" / "labels.csv")
    there = mb.certify(
        tmp_path / "audit", holdout="population", complete=session.table("sample"), engine=session
    )
    names = [folder / f"numbers_{name}.parquet" for name in ("holdout", "complete")]
    here = mb.certify(local, labels=labels, holdout=names[0], complete=names[1])
    assert (there.tallies, there.guarantees) == (here.tallies, here.guarantees)
    assert there.inputs.outputs[0].path == "population"
    assert there.inputs.population.digest == draw.population.digest
    assert state(session) == before
    there.save(tmp_path / "audit" / "certificate.json")
    verified = mb.verify(tmp_path / "audit")
    assert verified.holds
    assert verified.missing == ("population", "holdout", "complete")
    session.sql("insert into staff.people values (-1)")
    with pytest.raises(mb.InputError, match=r"got 'staff\.people', which has changed since"):
        mb.certify(tmp_path / "audit", holdout="population", engine=session)
    with pytest.raises(mb.InputError) as error:
        mb.draw("staff.nobody", labels=1, engine=session)
    assert str(error.value).startswith(
        "population must be a file, a folder of Parquet or a table of the catalogue, "
        "got 'staff.nobody' ([TABLE_OR_VIEW_NOT_FOUND]"
    )
    with pytest.raises(mb.InputError, match=r"got 'staff.people' \(no such file\)"):
        mb.draw("staff.people", labels=1)


@pytest.mark.parametrize("session", [LOCAL], indirect=True)
def test_local_tables_of_other_forms(session, tmp_path):
    """Local text and databases are read as they are without Spark; Parquet by Spark itself."""
    header, rows = ["x", "y", "score"], [["a", "b", 0.5], ["c", "dé", 1.0], ["e", "007", 0.25]]
    with connect(session) as con, connect() as here:
        for form in LOCAL_FORMS:
            place = tmp_path / form.__name__
            place.mkdir()
            path = form(place, "found", header, rows)
            digests = []
            for engine in (con, here):
                source = open_source(engine, "holdout", path)
                known = rows_of_matches(source, Pairs(*header), unordered=False)
                digests.append((digest_of_rows(engine, source, known), source.bytes))
            if form is as_parquet_folder:  # whose bytes the cluster does not read
                digests = [one for one, _ in digests]
            assert digests[0] == digests[1], form
        uuids = [UUID(int=i) for i in range(3)]
        stored = pa.array([one.bytes for one in uuids], pa.binary(16))
        table = pa.table({"id": pa.ExtensionArray.from_storage(pa.uuid(), stored)})
        pq.write_table(table, tmp_path / "uuids.parquet")
        for engine in (con, here):
            source = open_source(engine, "population", table)
            texts = engine.rows(f"select {source.key('id')} from {source.scan}")
            assert sorted(texts) == [(str(one),) for one in uuids]
        with pytest.raises(mb.InputError, match=r"^population must be readable, .*UUID"):
            open_source(con, "population", tmp_path / "uuids.parquet")
        with pytest.raises(mb.InputError, match=r"must be a file, a folder of Parquet or a table"):
            open_source(con, "population", tmp_path / "none/*.csv")


@pytest.mark.parametrize("session", [LOCAL], indirect=True)
def test_digests_of_rows(session, tmp_path, monkeypatch):
    """A folder's and a frame's are those of the same rows anywhere, in any order."""
    texts = [*engine_cases.ODD, "\0", "a\0b", "\U0001f600", "\uffee", "", None]
    numbers = [0.0, -0.0, float("nan"), float("inf"), -1.5, 5e-324, None]
    rows = [(x, y, s) for x in texts for y in texts for s in numbers]
    x, y, score = zip(*rows, strict=True)
    tables = [pa.table({"x": x, "y": y, "score": score})]
    tables += [
        tables[0].slice(2),  # the first two are the same
        tables[0].set_column(2, "score", [pa.array(score, pa.float32())]),
    ]
    for module in ("chunks", "spark_digests"):
        monkeypatch.setattr(f"matchbound.engines.{module}.CHUNK", 300)
    digests = set()
    with connect(session) as con, connect() as here:
        for i, table in enumerate(tables):
            folder = tmp_path / f"odd [{i}] {{a,b}} 100%"
            folder.mkdir()
            for part, some in enumerate((table.slice(9), table.slice(0, 9))):
                pq.write_table(some, folder / f"part {part}.parquet")
            frame = session.createDataFrame(table).repartition(3)
            for dedupe in (False, True):
                local = digest(here, table, dedupe)
                assert digest(con, folder, dedupe) == local
                digests.add(local)
            if i == 0:
                assert digest(con, frame, True) == local
    assert len(digests) == 2 * len(tables)


def digest(con, given, dedupe):
    source = open_source(con, "holdout", given)
    form = Pairs("x", "y", "score")
    return digest_of_rows(con, source, rows_of_matches(source, form, unordered=dedupe))


@pytest.mark.slow
@pytest.mark.parametrize("session", [LOCAL], indirect=True)
def test_registered_as_a_file_it_is_on_record_as_a_frame(session, tmp_path):
    audit = make_audit(tmp_path)
    (audit / "labels.csv").rename(tmp_path / "labels.csv")
    mb.register(audit, holdout=tmp_path / "holdout.csv")
    (tmp_path / "labels.csv").rename(audit / "labels.csv")
    frame = session.createDataFrame(csv.read_csv(tmp_path / "holdout.csv")).repartition(3)
    certificate = mb.certify(audit, holdout=frame, engine=session)
    assert (certificate.ledger.registered, certificate.ledger.together) == (3, 0.95)
    other = mb.certify(audit, holdout=frame.where("x <> 'a1'"), engine=session)
    assert (other.ledger.registered, other.ledger.together) == (None, 0.9)


@pytest.mark.parametrize("session", [LOCAL], indirect=True)
@pytest.mark.parametrize(
    ("inside", "why"),
    [("_delta_log", "it is a Delta, Iceberg or Hudi table"), ("label=1", "folders name a column")],
)
def test_folders_that_are_not_the_table(session, tmp_path, inside, why):
    """Their files alone would be read as other matches than are meant."""
    folder = tmp_path / "a=b" / "matches"
    (folder / inside).mkdir(parents=True)
    pq.write_table(pa.table({"id": ["a"]}), folder / "one.parquet")
    pq.write_table(pa.table({"id": ["b"]}), folder / inside / "two.parquet")
    with pytest.raises(mb.InputError) as error:
        mb.draw(folder, labels=1, engine=session)
    assert f"got {str(folder)!r} ({why}" in str(error.value)
    shutil.rmtree(folder / inside)
    assert mb.draw(folder, labels=1, engine=session).population.size == 1


@pytest.mark.parametrize("session", [LOCAL], indirect=True)
def test_text_is_compared_by_its_bytes(session, tmp_path):
    cased = " union all ".join(f"select '{x}' collate utf8_lcase as id" for x in "aA")
    session.sql(cased).createTempView("cased")
    assert mb.draw("cased", labels=2, engine=session).population.size == 2
    session.sql("select cast(x'ff61' as string) as id").createTempView("no_text")
    with pytest.raises(mb.InputError, match="population must be readable, got 'no_text'"):
        mb.draw("no_text", labels=1, engine=session)


@pytest.mark.parametrize("session", [LOCAL], indirect=True)
def test_what_is_too_large_to_be_handed_over(folder, session, monkeypatch):
    monkeypatch.setattr("matchbound.engines.spark_frames.MEGABYTES", 0)
    for given in (folder / "people.csv", pa.table({"id": ["a"]})):
        with pytest.raises(mb.InputError, match="Spark is handed no more than 0 MB: write Parquet"):
            mb.draw(given, labels=1, engine=session)


@pytest.mark.slow
@pytest.mark.parametrize("session", [CLUSTER], indirect=True)
@pytest.mark.parametrize("case", engine_cases.COMMON)
def test_same_with_executors_of_their_own(case, folder, session):
    assert as_values(case(folder, session)) == as_values(case(folder, "duckdb"))


def executors(session):
    """The processes that work for a session."""
    application = session.sparkContext.applicationId
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = place.read_bytes().decode().split("\0")
            if application in words and any("ExecutorBackend" in word for word in words):
                yield int(place.parent.name)


@pytest.mark.slow
@pytest.mark.parametrize("session", [CLUSTER], indirect=True)
def test_killed_executors_change_nothing(folder, session):
    killed = []

    def kill():
        running = list(executors(session))
        killed.append(running[0])
        os.kill(running[0], signal.SIGKILL)

    def progress(stage):
        if stage == "reading complete":  # some of what was kept is lost
            kill()
        if stage == "counting all":  # and some while it is worked on
            Timer(0.3, kill).start()

    certificate = engine_cases.pairs(folder, session, progress=progress)
    assert len(set(killed)) == 2
    assert certificate.as_dict() == engine_cases.pairs(folder, "duckdb").as_dict()


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """Settings of Spark for commands that start it themselves."""
    conf, local = tmp_path / "conf", tmp_path / "local"
    conf.mkdir()
    settings = {**SMALL, **UNPLANNED, "spark.local.dir": str(local), "spark.master": "local[2]"}
    lines = [f"{name} {value}" for name, value in settings.items()]
    (conf / "spark-defaults.conf").write_text("\n".join(lines))
    monkeypatch.setenv("SPARK_CONF_DIR", str(conf))
    monkeypatch.chdir(tmp_path)
    return local


def command(*words):
    code = "import sys; from matchbound.commands.main import main; sys.exit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_a_killed_driver_leaves_the_audit_folder_as_it_was(machine, tmp_path, capfd):
    audit = make_audit(tmp_path / "data")
    before = {path.name: path.read_bytes() for path in audit.iterdir()}
    matches = ["--holdout", tmp_path / "data/holdout.csv"]
    words = ["certify", audit, *matches, "--engine", "spark"]
    running = command(*words)
    wait_until(lambda: any(machine.rglob("shuffle_*.data")))  # it works, and is not done
    running.kill()
    assert running.wait() == -signal.SIGKILL
    running.communicate()
    assert {path.name: path.read_bytes() for path in audit.iterdir()} == before
    done = command(*words)
    said, _ = done.communicate()
    assert done.returncode == 0
    assert not list(tmp_path.rglob("spark-warehouse"))
    capfd.readouterr()
    for name, content in before.items():
        (audit / name).write_bytes(content)
    assert run("certify", audit, *matches, "--force") == 0
    assert capfd.readouterr().out == said
