"""Every command and Python line of the README runs as pasted, in order, and prints what it shows.

The quick test runs them here, with a seed that is always the same. The slow one builds the wheel,
installs it in an empty environment, as the README says, and runs them outside the repository.
"""

import re

import pytest

from matchbound.examples import EXAMPLES
from support.pasted import README, ROOT, blocks, run_from_wheel, run_here


def test_it_runs_as_pasted_and_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run_here(README, capsys)


def test_the_truth_it_names_is_the_example_s():
    text = README.read_text("utf-8")
    named = re.search(r"The truth is (0\.\d{4}) and (0\.\d{4})\.", text)
    assert true_means("matches.csv") == list(named.groups())
    assert f"release 2's true precision is {true_means('matches-2.csv')[0]}." in text


def true_means(file):
    """Precision and recall of a table of the example's, from 0.9 on, with four digits."""
    example = EXAMPLES["people"]()
    rows = [row.split(",") for row in example.files[file].splitlines()[1:]]
    found = {}
    for score, x, y in rows:
        if float(score) >= 0.9:
            found.setdefault(x, set()).add(y)
    truth = {x: set(ys) for x, ys in example.truth.items() if x.startswith("C")}
    precision = [len(ys & truth.get(x, set())) / len(ys) for x, ys in found.items()]
    recall = [len(found.get(x, set()) & ys) / len(ys) for x, ys in truth.items()]
    return [f"{sum(shares) / len(shares):.4f}" for shares in (precision, recall)]


def test_its_picture_is_taken_of_its_own_commands():
    """benchmarks/pictures.py runs them up to the report, which is the certificate's alone."""
    lines = [line for block in blocks(README) if block.language == "sh" for line in block.commands]
    verbs = [line.split()[1] for line in lines if line.startswith("matchbound ")]
    assert verbs[:6] == ["example", "audit", "label", "example", "certify", "report"]


def test_its_bounds_on_real_data_are_those_of_the_measured_table():
    measured = (ROOT / "docs" / "certify.md").read_text("utf-8")
    text = README.read_text("utf-8")
    names = {"dblp_acm": "DBLP–ACM", "febrl4": "FEBRL 4", "chicago_childcare": "Chicago childcare"}
    found = re.findall(r"^\| (\w+) \| (?:precision|recall) \| (0\..+) \|$", measured, re.M)
    cells = {}
    for name, row in found:
        *_, drawn, _, truth = row.split(" | ")
        cells.setdefault(names.get(name, name), []).extend([drawn, truth])
    assert len(cells) == 4
    for name, values in cells.items():
        assert re.search(rf"^\| {name} \| .* \| {re.escape(' | '.join(values))} \|$", text, re.M)


def test_every_page_is_linked_to():
    text = README.read_text("utf-8")
    pages = [page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert not [page for page in pages if f"({page})" not in text]


@pytest.mark.slow
def test_it_runs_from_the_wheel_alone_in_an_empty_environment(tmp_path):
    run_from_wheel(README, tmp_path)
