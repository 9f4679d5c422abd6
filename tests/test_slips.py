"""Slips: each is refused at the first command, with a sentence that names the way out."""

import re

import pytest

from matchbound.audits.ledger import read_ledger
from support.audits import run, write_csv

SIZE = 60
SPLINK = ["source_dataset_l", "unique_id_l", "source_dataset_r", "unique_id_r", "match_probability"]
OTHER_SIDE = "Draw from the records of one source, with --source if no column 'source_dataset'"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Two tables, their matches as Splink has them, and those of two other tables."""
    monkeypatch.chdir(tmp_path)
    for left, right, pairs in (("a", "b", "pairs.csv"), ("p", "q", "others.csv")):
        names = "left" if left == "a" else "persons", "right" if left == "a" else "register"
        for letter, name in zip((left, right), names, strict=True):
            rows = [[f"{letter}{i}", f"name {i}"] for i in range(SIZE)]
            write_csv(tmp_path / f"{name}.csv", ["id", "name"], rows)
        rows = [
            [names[0], f"{left}{i}", names[1], f"{right}{i}", (i % 10) / 10] for i in range(SIZE)
        ]
        write_csv(tmp_path / pairs, SPLINK, rows)
    write_csv(tmp_path / "plain.csv", ["x", "y"], [[f"a{i}", f"b{i}"] for i in range(SIZE)])
    return tmp_path


GOOD = {
    "matches": "pairs.csv",
    "population": "left.csv",
    "against": "right.csv",
    "source": "left",
    "threshold": "0.5",
}
SLIPS = {
    "no source": (
        {"source": None},
        f"source must say which of 'left', 'right' is the population, .* got None. {OTHER_SIDE}",
        None,  # `audit` finds it
    ),
    "a misspelt source": (
        {"source": "lefft"},
        f"source must say which of 'left', 'right' .* got 'lefft'. {OTHER_SIDE}",
        r"source must be one of 'left', 'right', which matches name, got 'lefft'\. Leave it out",
    ),
    "the other side's source": (
        {"source": "right"},
        r"must match nodes of the population, got x = 'right-__-b15', which is not in it\. Give",
        r"records must hold every id that matches have of them, got none for 'right-__-b0' .*--id",
    ),
    "no threshold": (
        {"threshold": None},
        "threshold must be given, because holdout has scores in column 'match_probability'. Say",
        "threshold must be given, because matches has scores in column 'match_probability'. Say",
    ),
    "a threshold in percent": (
        {"threshold": "50"},
        f"holdout must match some node, got 0 of {SIZE}. .* or a lower threshold.",
        f"matches must match some node, got 0 of {SIZE}. .* or a lower threshold.",
    ),
    "a threshold without scores": (
        {"matches": "plain.csv", "source": None},
        "threshold must be left out where no matcher has a column 'score', got 0.5. Drop it",
        "threshold must be left out where no matcher has a column 'score', got 0.5. Drop it",
    ),
    "another data set's matches": (
        {"matches": "others.csv"},
        "source must say which of 'persons', 'register' is the population",
        "source must be one of 'persons', 'register', which matches name, got 'left'. Leave it out",
    ),
    "another data set's matches, no source": (
        {"matches": "others.csv", "source": None},
        "source must say which of 'persons', 'register' is the population",
        r"records must hold every id that matches have of them, got none for 'persons-__-p0' in "
        r"its column 'id'. Give the tables that were matched",
    ),
    "another population": (
        {"population": "persons.csv"},
        "must match nodes of the population, got x = 'left-__-a15', which is not in it. Give the",
        r"records must hold every id that matches have of them, got none for 'left-__-a0' in its "
        r"column 'id'. Give the tables that were matched",
    ),
}


def options(case, *names):
    return [word for name in names if case[name] for word in (f"--{name}", case[name])]


def refused(capsys, words, sentence):
    assert run(*words) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "Traceback" not in error
    assert re.search(sentence, error), error


@pytest.mark.parametrize("slip", SLIPS)
def test_draw(files, capsys, slip):
    case = GOOD | SLIPS[slip][0]
    given = ["--holdout", case["matches"], *options(case, "source", "threshold")]
    refused(
        capsys,
        ["draw", case["population"], "--labels", 9, *given, "--out", "audit"],
        SLIPS[slip][1],
    )
    assert not (files / "audit").exists()


@pytest.mark.parametrize("slip", SLIPS)
def test_register(files, capsys, slip):
    """The draw has no matcher yet, so nothing of it is refused but at `register`."""
    case = GOOD | SLIPS[slip][0]
    given = options(case, "source")
    assert run("draw", case["population"], "--labels", 9, *given, "--out", "audit") == 0
    before = len(read_ledger(files / "audit").entries)
    capsys.readouterr()
    given = ["--holdout", case["matches"], *options(case, "threshold")]
    refused(capsys, ["register", "audit", *given], SLIPS[slip][1])
    assert len(read_ledger(files / "audit").entries) == before


@pytest.mark.parametrize("slip", SLIPS)
def test_audit(files, capsys, slip):
    changed, _, sentence = SLIPS[slip]
    case = GOOD | changed
    given = ["--records", case["population"], *options(case, "against", "source", "threshold")]
    words = ["audit", case["matches"], *given, "--labels", 9, "--pairs", "--out", "audit"]
    if sentence is None:
        assert run(*words) == 0
        return
    refused(capsys, words, sentence)
    assert not (files / "audit").exists()
