"""The documents say what is so."""

import ast
import re
from pathlib import Path

import pytest

from matchbound.commands.main import parser_of
from matchbound.commands.verbs import VERBS
from support.audits import run

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def test_the_demo_certifies_and_tells_the_truth(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run("demo") == 0
    printed = capsys.readouterr().out
    assert "With probability at least 95%, all together:\n  precision  of the complete" in printed
    assert "The truth, which only this demo knows: precision 0.9" in printed
    assert run("verify", "demo-audit") == 0
    assert run("demo") == 2  # nothing is overwritten


@pytest.mark.parametrize("verb", [verb.name for verb in VERBS])
def test_every_command_and_option_is_documented(verb):
    documents = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    text = "".join(path.read_text() for path in documents)
    assert f"matchbound {verb}" in text or f"make {verb}" in text
    for action in parser_of(verb)._actions:
        for option in action.option_strings:
            assert option in ("-h", "--help") or option in text, option


def test_the_readme_s_numbers_for_splink_are_the_tutorial_s():
    tutorial = (ROOT / "docs" / "splink.md").read_text("utf-8")
    numbers = set(re.findall(r"≥ (0\.\d{4})", tutorial))
    readme = (ROOT / "README.md").read_text("utf-8")
    assert len(numbers) == 2
    assert all(number in readme for number in numbers)


def test_pictures_are_small_and_shown():
    text = "".join(path.read_text("utf-8") for path in [ROOT / "README.md", *DOCS.glob("*.md")])
    pictures = list((DOCS / "pictures").iterdir())
    assert {picture.name for picture in pictures} == set(re.findall(r"pictures/([\w.-]+)\)", text))
    assert max(picture.stat().st_size for picture in pictures) < 150_000


def test_the_plan_s_picture_is_of_the_command_above_it():
    source = (ROOT / "benchmarks" / "pictures.py").read_text("utf-8")
    (written,) = re.findall(r"^PLAN = (\(.*?^\))", source, re.M | re.S)
    page = (DOCS / "plan.md").read_text("utf-8")
    above = page.partition("](pictures/plan.png)")[0].rpartition("```\nmatchbound ")[2]
    assert above.partition("\n```")[0].split() == ast.literal_eval(written).split()
