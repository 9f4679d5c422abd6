"""The GitHub Action: its shape, and its steps run in a shell as a runner runs them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from jsonschema_rs import Draft202012Validator

import matchbound as mb
from support.audits import certify, make_audit

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "action.yml").read_text("utf-8")
ACTION = yaml.safe_load(TEXT)
STEPS = {step["id"]: step for step in ACTION["runs"]["steps"]}
EXPRESSION = re.compile(r"\$\{\{ (.+?) \}\}")
NAMED = {"type": "object", "propertyNames": {"pattern": "^[a-z][a-z-]*$"}, "minProperties": 1}
SHAPE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "description", "inputs", "outputs", "runs"],
    "properties": {
        "name": {"type": "string"},
        "description": {"type": "string", "maxLength": 125},
        "inputs": NAMED
        | {
            "additionalProperties": {
                "required": ["description"],
                "additionalProperties": False,
                "oneOf": [{"required": ["required"]}, {"required": ["default"]}],
                "properties": {
                    "description": {"type": "string"},
                    "required": {"const": True},
                    "default": {"type": "string"},
                },
            }
        },
        "outputs": NAMED
        | {
            "additionalProperties": {
                "required": ["description", "value"],
                "additionalProperties": False,
                "properties": {"description": {"type": "string"}, "value": {"type": "string"}},
            }
        },
        "runs": {
            "required": ["using", "steps"],
            "additionalProperties": False,
            "properties": {
                "using": {"const": "composite"},
                "steps": {
                    "items": {
                        "required": ["name", "id", "shell", "env", "run"],
                        "additionalProperties": False,
                        "properties": {
                            "name": {"type": "string"},
                            "id": {"type": "string"},
                            "shell": {"const": "bash"},
                            "env": {"additionalProperties": {"type": "string"}},
                            "run": {"type": "string", "not": {"pattern": r"\$\{\{"}},
                        },
                    }
                },
            },
        },
    },
}
"""What GitHub takes as a composite action. An input reaches a script through `env` alone."""


class Runner:
    """The part of GitHub's runner that these steps need."""

    def __init__(self, folder, inputs):
        self.folder, self.outputs = folder, {}
        given = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | inputs
        self.values = {f"inputs.{name}": value for name, value in given.items()}
        (folder / "temp").mkdir()

    def run(self, step, **more):
        """Run a step, and return how it ended; its outputs are there for later ones."""
        files = {name: self.folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.touch()
        env = os.environ | {name: str(path) for name, path in files.items()} | more
        env |= {"RUNNER_TEMP": str(self.folder / "temp"), "GITHUB_ACTION_PATH": str(ROOT)}
        env |= {name: self.value(text) for name, text in STEPS[step]["env"].items()}
        script = self.folder / "script.sh"
        script.write_text(STEPS[step]["run"], "utf-8")
        bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", script]
        ended = subprocess.run(bash, env=env, cwd=self.folder, capture_output=True, text=True)
        for line in files["GITHUB_OUTPUT"].read_text().splitlines():
            name, _, value = line.partition("=")
            self.outputs[name] = self.values[f"steps.{step}.outputs.{name}"] = value
        return ended

    def value(self, text):
        return EXPRESSION.sub(lambda match: self.values[match[1]], text)

    @property
    def summary(self):
        return (self.folder / "GITHUB_STEP_SUMMARY").read_text()


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    audit = make_audit(tmp_path_factory.mktemp("action") / "base", "--one-to-one")
    assert certify(audit, "--out", audit / "certificate.json") == 0
    return audit


def verified(folder, audit, require="", **inputs):
    runner = Runner(folder, {"audit": str(audit), "require": require, **inputs})
    runner.values["steps.install.outputs.python"] = sys.executable
    return runner, runner.run("verify")


def test_its_shape():
    assert [error.message for error in Draft202012Validator(SHAPE).iter_errors(ACTION)] == []
    known = {f"inputs.{name}" for name in ACTION["inputs"]}
    known |= {"steps.install.outputs.python"}
    known |= {f"steps.verify.outputs.{name}" for name in ACTION["outputs"]}
    assert set(EXPRESSION.findall(TEXT)) == known
    for step in STEPS.values():
        written = set(re.findall(r'echo "(\w+)=\$\w+" >> "\$GITHUB_OUTPUT"', step["run"]))
        assert {f"steps.{step['id']}.outputs.{name}" for name in written} <= known


def test_met(certified, tmp_path):
    runner, ended = verified(tmp_path, certified, "  precision=0.5\n\nrecall=0.5  \n")
    assert ended.returncode == 0, ended.stderr
    assert runner.outputs["outcome"] == "verified"
    certificate = mb.Certificate.load(certified / "certificate.json")
    assert json.loads(runner.outputs["metrics"]) == certificate.as_metrics()
    heading, _, *lines = runner.summary.splitlines()
    assert heading == "### matchbound: verified"
    assert all(line.startswith("    ") for line in lines)
    assert f"    {certificate.heading[0]}" in lines
    stop, *said, go_on = ended.stdout.splitlines()
    assert stop == f"::stop-commands::{go_on.strip(':')}"
    assert said[0].startswith("Verified: its digests")


def test_a_folder_of_releases(tmp_path):
    """The newest one counts; if its file is missing, that is said, and no number is."""
    audit = make_audit(tmp_path / "base", "--one-to-one")
    for name in ("one", "two"):
        assert certify(audit, "--release", name) == 0
        folder = tmp_path / name
        folder.mkdir()
        runner, ended = verified(folder, audit, "precision=0.5")
        assert (ended.returncode, ended.stderr) == (0, "")
        newest = mb.Certificate.load(audit / "releases" / f"{name}.json")
        assert json.loads(runner.outputs["metrics"]) == newest.as_metrics()
        assert f"    Release: {name}." in runner.summary
    (audit / "releases" / "two.json").unlink()
    folder = tmp_path / "missing"
    folder.mkdir()
    runner, ended = verified(folder, audit, "precision=0.5")
    assert (ended.returncode, ended.stderr) == (3, "")
    assert runner.outputs == {"outcome": "missing", "metrics": "{}"}
    assert "Missing: " in ended.stdout


def test_unmet(certified, tmp_path):
    runner, ended = verified(tmp_path, certified, "precision=0.5\nrecall=0.999")
    assert ended.returncode == 1
    assert runner.outputs["outcome"] == "requirement not met"
    assert "Requirement not met: recall 0.999 (certified is " in ended.stdout
    assert "    Requirement not met: recall 0.999" in runner.summary


def test_contradicted(certified, tmp_path):
    path = tmp_path / "certificate.json"
    text = (certified / "certificate.json").read_text()
    path.write_text(text.replace('"delta": 0.05', '"delta": 0.01'))
    runner, ended = verified(tmp_path, path, "precision=0.5")
    assert ended.returncode == 1
    assert runner.outputs == {"outcome": "contradicted", "metrics": "{}"}
    assert "With probability" not in runner.summary


@pytest.mark.slow
def test_a_certificate_without_its_inputs(certified, tmp_path):
    (tmp_path / "certificate.json").write_bytes((certified / "certificate.json").read_bytes())
    runner, ended = verified(tmp_path, "certificate.json", "precision=0.5")
    assert (ended.returncode, runner.outputs["outcome"]) == (3, "consistent in itself")


def test_inputs_are_words_and_are_not_run(tmp_path):
    audit, require = '"; touch broken; echo "\noutcome=verified', "$(touch broken)\n`touch broken`"
    runner, ended = verified(tmp_path, audit, require, inputs="-h")
    assert ended.returncode == 2
    assert runner.outputs == {"outcome": "could not check", "metrics": "{}"}
    assert not (tmp_path / "broken").exists()


def test_what_is_installed(tmp_path):
    """By a Python that only says what it is asked for."""
    log, folder = tmp_path / "log", tmp_path / "bin"
    folder.mkdir()
    fake = folder / "python3"
    fake.write_text(
        f'#!/bin/sh\necho "$@" >> "{log}"\n'
        'if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; fi\n'
    )
    fake.chmod(0o755)
    for version, package in (("", str(ROOT)), ("1.2", "matchbound==1.2")):
        place = tmp_path / f"for {version}"
        place.mkdir()
        runner = Runner(place, {"audit": "audit", "version": version})
        ended = runner.run("install", PATH=f"{folder}:{os.environ['PATH']}")
        assert ended.returncode == 0, ended.stderr
        python = place / "temp" / "matchbound" / "bin" / "python"
        assert runner.outputs == {"python": str(python)}
        assert log.read_text().splitlines()[-2:] == [
            f"-m venv {place}/temp/matchbound",
            f"-m pip install --quiet --disable-pip-version-check {package}",
        ]


@pytest.mark.slow
def test_installed_from_this_checkout(certified, tmp_path):
    """Both steps, with pip; what matchbound needs is taken from here, so it works offline."""
    (tmp_path / "certificate.json").write_bytes((certified / "certificate.json").read_bytes())
    given = {"audit": "certificate.json", "inputs": str(certified.parent)}
    runner = Runner(tmp_path, given | {"require": "precision=0.5"})
    packages = os.pathsep.join(path for path in sys.path if path.endswith("site-packages"))
    offline = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0"}
    ended = runner.run("install", PYTHONPATH=packages, **offline)
    assert ended.returncode == 0, ended.stderr
    (installed,) = (tmp_path / "temp" / "matchbound").glob("lib/python*/site-packages/matchbound")
    assert (installed / "schemas" / "certificate.json").is_file()
    others = os.pathsep.join([str(installed.parent), packages])
    assert runner.run("verify", PYTHONPATH=others).returncode == 0
    assert runner.outputs["outcome"] == "verified"
