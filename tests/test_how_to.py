"""Commands of the how-to pages: their options exist, and on the example's tables they run."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from matchbound.commands.main import parser_of
from support.audits import read_csv, run, run_seeded, write_csv
from support.pasted import ROOT

PAGES = sorted((ROOT / "docs" / "how-to").glob("*.md"))
RUN = ["auditor", "each-release", "rare-matches", "threshold"]
"""Pages whose commands are about tables that the example has; another one listens on a port."""


def commands(page):
    found = re.findall(r"^```sh\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    for block in found:
        for line in block.splitlines():
            program, verb, *words = shlex.split(line)
            assert program == "matchbound"
            yield verb, words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_they_have_such_options(page):
    assert [parser_of(verb).parse_args(words) for verb, words in commands(page)]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The example's tables, a table as it is later, and ids of records that have a match."""
    monkeypatch.chdir(tmp_path)
    assert run("example", "people") == 0
    head, *records = Path("crm.csv").read_text("utf-8").splitlines()
    Path("crm-now.csv").write_text("\n".join([head, *records, "C9999,,,,,,"]), "utf-8")
    matched = [row[0] for row in read_csv("checked.csv") if row[1]]
    write_csv("billed.csv", ["id"], [[x] for x in matched])
    return tmp_path


def label(audit="audit"):
    assert run("example", "people", "--answer", audit) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_they_run_on_the_example(name, here):
    if name in ("auditor", "each-release"):
        words = "audit matches.csv --records crm.csv --against billing.csv --labels 300 --threshold"
        assert run_seeded("how-to", *words.split(), 0.9, "--pairs", "--out", "audit") == 0
        label()
        assert run("certify", "audit") == 0
    for verb, words in commands(ROOT / "docs" / "how-to" / f"{name}.md"):
        expected = 3 if verb == "verify" else 0  # the auditor has no tables
        words = ["100" if word == "300" else word for word in words]  # billed.csv is short
        words = [
            "3" if word == "41" else word for word in words
        ]  # here the draw: labels are no entries
        assert run_seeded("how-to", verb, *words) == expected, (verb, words)
        if verb == "draw" and name == "threshold":
            label()
        elif verb == "draw":
            shutil.rmtree("audit")
