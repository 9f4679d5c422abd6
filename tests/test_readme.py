"""Every command and Python line of the README runs as pasted, in order, and prints what it shows.

The quick test runs them here, with a seed that is always the same. The slow one builds the wheel,
installs it in an empty environment, as the README says, and runs them outside the repository.
"""

import re

import pytest

from matchbound.examples import EXAMPLES
from support.pasted import README, ROOT, run_from_wheel, run_here


def test_it_runs_as_pasted_and_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run_here(README, capsys)


def test_the_truth_it_names_is_the_example_s():
    example = EXAMPLES["people"]()
    rows = [row.split(",") for row in example.files["matches.csv"].splitlines()[1:]]
    found = {}
    for score, x, y in rows:
        if float(score) >= 0.9:
            found.setdefault(x, set()).add(y)
    truth = {x: set(ys) for x, ys in example.truth.items() if x.startswith("C")}
    precision = [len(ys & truth.get(x, set())) / len(ys) for x, ys in found.items()]
    recall = [len(found.get(x, set()) & ys) / len(ys) for x, ys in truth.items()]
    means = [sum(shares) / len(shares) for shares in (precision, recall)]
    named = re.search(r"The truth is (0\.\d{4}) and (0\.\d{4})\.", README.read_text("utf-8"))
    assert [f"{mean:.4f}" for mean in means] == list(named.groups())


def test_every_page_is_linked_to():
    text = README.read_text("utf-8")
    pages = [page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert not [page for page in pages if f"({page})" not in text]


@pytest.mark.slow
def test_it_runs_from_the_wheel_alone_in_an_empty_environment(tmp_path):
    run_from_wheel(README, tmp_path)
