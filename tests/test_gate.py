"""The gate: a pytest helper and a GitHub Action that fail where `verify --require` does."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

import matchbound
from matchbound.commands.main import parser_of
from matchbound.commands.options import by_metric
from matchbound.errors import InputError
from matchbound.testing import assert_certified
from support.audits import certify, make_audit, run

SUITE = """
from matchbound.testing import assert_certified

def test_passes():
    assert_certified("audit", precision=0.5, recall=0.5)

def test_fails():
    assert_certified("audit", precision=0.5, recall=0.99)
"""


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """A folder with an audit whose certificate has bounds on precision, recall and error rate."""
    folder = tmp_path_factory.mktemp("gate")
    metrics = [
        word for name in ("precision", "recall", "error-rate") for word in ("--metric", name)
    ]
    audit = make_audit(folder / "base", "--one-to-one", *metrics)
    assert certify(audit, "--out", audit / "certificate.json") == 0
    return audit.parent


@pytest.fixture
def audit(certified, tmp_path):
    """A copy of that folder, to break; it does not know where the first one is."""
    audit = Path(shutil.copytree(certified, tmp_path / "base")) / "audit"
    (audit / "paths.jsonl").unlink()
    return audit


def test_a_test_of_a_test(audit):
    """The helper in a test suite of a user: one test passes, one fails with the sentence."""
    suite = audit.parent / "test_matcher.py"
    suite.write_text(SUITE)
    words = ["-q", "-p", "no:cacheprovider", "--rootdir", str(audit.parent), suite.name]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=audit.parent,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "1 failed, 1 passed" in ended.stdout
    assert "E       AssertionError: audit is not certified. Requirement not met: recall 0.99 " in (
        ended.stdout
    )
    assert "testing.py" not in ended.stdout.partition("short test summary")[0]  # nor its lines


def test_met_by_a_folder_a_file_and_a_value(audit, monkeypatch):
    monkeypatch.chdir(audit)
    certificate = matchbound.Certificate.load(audit / "certificate.json")
    for given in (audit, str(audit), audit / "certificate.json", certificate):
        inputs = None if given in (audit, str(audit)) else audit.parent
        assert_certified(given, inputs=inputs, precision=0.5, error_rate=0.9)


def test_unmet(audit):
    with pytest.raises(AssertionError) as failure:
        assert_certified(audit, precision=0.999, error_rate=0.001)
    value = matchbound.Certificate.load(audit / "certificate.json").value
    lines = str(failure.value).splitlines()
    assert lines[:4] == [
        f"{audit} is not certified. Requirement not met: 2 reasons.",
        f"Certificate: {audit / 'certificate.json'}",
        f"  - precision 0.999 (certified is {value('precision'):g})",
        f"  - error-rate 0.001 (certified is {value('error-rate'):g})",
    ]


def test_contradicted(audit):
    path = audit / "certificate.json"
    path.write_text(path.read_text().replace('"delta": 0.05', '"delta": 0.01'))
    with pytest.raises(AssertionError, match=r"is not certified\. Contradicted: "):
        assert_certified(audit, precision=0.5)


def test_exploratory(audit):
    assert certify(audit, "--delta", 0.2, "--out", audit / "exploratory.json") == 0
    with pytest.raises(AssertionError, match=r"Requirement not met: precision 0.5 \(exploratory\)"):
        assert_certified(audit / "exploratory.json", inputs=audit.parent, precision=0.5)


def test_missing_inputs(audit):
    (audit.parent / "complete.csv").unlink()
    with pytest.raises(AssertionError, match="Consistent in itself, inputs missing: complete"):
        assert_certified(audit, precision=0.5)


def test_no_requirement_or_none_that_is_one(audit):
    for require, problem in (
        ({}, "precision, recall or another metric must be given, got none"),
        ({"precison": 0.5}, "metric must be one that was certified, got 'precison'"),
        (
            {"precision": "high"},
            "require must be a metric and a number from 0 to 1, got precision=",
        ),
        ({"precision": 95}, "require must be a metric and a number from 0 to 1, got precision=95"),
        ({"precision": float("nan")}, "require must be a metric and a number from 0 to 1"),
    ):
        with pytest.raises(InputError, match=problem):
            assert_certified(audit, **require)


def test_what_cannot_be_checked(tmp_path):
    with pytest.raises(InputError, match="certificate must be readable"):
        assert_certified(tmp_path, precision=0.5)


GATE = (Path(__file__).parents[1] / "docs" / "gate.md").read_text("utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", GATE, re.M | re.S)


def test_the_recipes_are_what_they_speak_of():
    """Those that do not run as doctests: every command parses, and the rest is of its language."""
    commands = re.findall(r"matchbound (certify|verify) ([^`\n]+)", "".join(blocks("")))
    commands += re.findall(r'bash_command="matchbound (verify) ([^"]+)"', GATE)
    assert len(commands) == 4
    for verb, words in commands:
        options = parser_of(verb).parse_args(shlex.split(words))
        assert by_metric(options.require, "require")
    (airflow,) = (block for block in blocks("python") if "airflow" in block)
    compile(airflow, "gate.md", "exec")
    (workflow,) = map(yaml.safe_load, blocks("yaml"))
    _, gate = workflow["jobs"]["quality"]["steps"]
    action = yaml.safe_load((Path(__file__).parents[1] / "action.yml").read_text("utf-8"))
    assert gate["with"].keys() <= action["inputs"].keys()
    for name in (*action["inputs"], *(f"outputs.{name}" for name in action["outputs"])):
        assert name in GATE


def test_the_commands_run_every_time(tmp_path, monkeypatch, capsys):
    """Each of the recipes' own lines in turn, and all of them again an hour later."""
    audit = make_audit(tmp_path, "--holdout", tmp_path / "holdout.csv", "--one-to-one", train=0)
    assert audit == tmp_path / "audit"
    complete = pd.read_csv(tmp_path / "complete.csv", dtype=str)
    (tmp_path / "target").mkdir()
    for name in ("new", "target/links"):
        complete.to_parquet(tmp_path / f"{name}.parquet")
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks("") for line in block.splitlines()]
    lines = [line for line in lines if line.startswith("matchbound ")]
    assert len(lines) == 3
    for i, line in enumerate(lines * 2):
        now = re.sub(r"\$\(date \+[%A-Za-z]+\)", f"20270101T00000{i}", line)
        words = shlex.split(re.sub(r"=0\.9\d*", "=0.5", now))[1:]
        assert run(*words) == 0, (line, capsys.readouterr().err)
    assert (
        run("certify", "audit", "--complete", "new.parquet", "--require", "precision=0.9999") == 1
    )
    assert run("certify", "audit", "--complete", "new.parquet", "--require", "precision=0.5") == 2
    assert "with --release NAME" in capsys.readouterr().err


def test_the_gate_in_airflow(audit):
    """The function of the recipe, with another folder."""
    (source,) = re.findall(r"^def is_certified.*?\n\n\n", GATE, re.M | re.S)
    names = {}
    exec(source.replace("/data/audit", str(audit)).replace("0.95", "0.5"), names)
    assert names["is_certified"]()
    exec(source.replace("/data/audit", str(audit)), names)
    assert not names["is_certified"]()
