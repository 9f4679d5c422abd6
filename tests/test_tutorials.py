"""Every command and Python line of the tutorials runs as pasted, in order."""

import pytest

from support.pasted import TUTORIALS, run_from_wheel, run_here

QUICK = ("labels", "networks")
"""Tutorials that need matchbound alone; the others install a tool, and are run from the wheel."""


@pytest.mark.parametrize("page", [page for page in TUTORIALS if page.stem in QUICK], ids=QUICK)
def test_it_prints_what_it_shows(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run_here(page, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("page", TUTORIALS, ids=[page.stem for page in TUTORIALS])
def test_it_runs_from_the_wheel_alone_in_an_empty_environment(page, tmp_path):
    run_from_wheel(page, tmp_path)


def test_all_four_are_there():
    assert [page.stem for page in TUTORIALS] == ["dedupe", "labels", "networks", "splink"]
