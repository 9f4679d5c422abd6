"""Which engine, where it spills to, and what is said where there is none."""

import os
import subprocess
import sys

import pyarrow as pa
import pytest

import matchbound as mb
from support.audits import run, write_csv
from support.sparks import needs_spark

PEOPLE = pa.table({"id": ["a", "b"]})


@pytest.mark.parametrize("engine", ["sql", 7, None])
def test_no_such_engine(engine):
    with pytest.raises(mb.InputError, match=r"^engine must be duckdb, spark or a SparkSession"):
        mb.draw(PEOPLE, labels=1, engine=engine)


def test_without_pyspark(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(mb.EngineError) as error:
        mb.draw(PEOPLE, labels=1, engine="spark")
    assert str(error.value) == (
        "the engine spark needs pyspark, which is not installed. "
        "Run `pip install matchbound[spark]`."
    )


@needs_spark
def test_without_java(tmp_path):
    people = write_csv(tmp_path / "people.csv", ["id"], [["a"], ["b"]])
    code = "import sys; from matchbound.commands.main import main; sys.exit(main())"
    words = ["draw", people, "--labels", "1", "--engine", "spark", "--out", tmp_path / "audit"]
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        capture_output=True,
        text=True,
        env=os.environ | {"JAVA_HOME": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1] == (
        "matchbound: the engine spark needs Java 17 or newer, and none could be started "
        "(JAVA_GATEWAY_EXITED). Install it, or say where it is in JAVA_HOME."
    )
    assert not (tmp_path / "audit").exists()


@pytest.mark.parametrize(("name", "value"), [("memory", "8GB"), ("temp", "spill")])
def test_spark_has_its_own_memory(name, value):
    with pytest.raises(mb.InputError, match=f"^{name} must be left out with Spark, got '{value}'"):
        mb.draw(PEOPLE, labels=1, engine="spark", **{name: value})


def test_temp_is_where_it_spills(tmp_path, monkeypatch, capsys):
    people = write_csv(tmp_path / "people.csv", ["id"], [["a"], ["b"]])
    seen = []
    monkeypatch.setattr(
        "matchbound.audits.order.key_of", lambda *_: seen.extend(spill.iterdir()) or ""
    )
    spill = tmp_path / "spill"
    words = ["draw", people, "--labels", 1, "--out", tmp_path / "audit", "--temp", spill]
    assert run(*words) == 2
    assert capsys.readouterr().err == (
        f"matchbound: temp must be a folder that can be written to, got {str(spill)!r}. "
        "Make it first.\n"
    )
    spill.mkdir()
    assert run(*words) == 0
    assert seen
    assert not list(spill.iterdir())


def test_tables_in_memory_of_several_matchers_are_kept_apart():
    ids = [f"x{i}" for i in range(60)]
    people = pa.table({"id": ids})
    draw = mb.draw(people, labels=40, seed="a", algorithms=("right", "wrong"))
    labels = pa.table(
        {"x": [x for x, _, _ in draw.sample], "y": [f"y{x}" for x, _, _ in draw.sample]}
    )
    found = {
        "right": pa.table({"x": ids, "y": [f"y{x}" for x in ids]}),
        "wrong": pa.table({"x": ids, "y": [f"y{x}" for x in ids[1:] + ids[:1]]}),
    }
    certificate = mb.certify(draw, population=people, labels=labels, holdout=found)
    assert all(label.ht == 1 for label in certificate.tallies["right"].validation)
    assert all(label.ht == 0 for label in certificate.tallies["wrong"].validation)


@pytest.mark.parametrize("temp", ["", 5, "nowhere", "/proc"])
def test_a_folder_that_cannot_be_written_to(tmp_path, temp, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(mb.InputError, match="temp must be a folder that can be written to"):
        mb.draw(pa.table({"id": ["a"]}), labels=1, temp=temp)


@pytest.mark.parametrize("memory", ["0GB", "1KB", "1B", "80%", "8", "-1GB"])
def test_too_little_memory(memory):
    with pytest.raises(mb.InputError, match="memory must be a size with its unit, of at least"):
        mb.draw(pa.table({"id": ["a"]}), labels=1, memory=memory)
