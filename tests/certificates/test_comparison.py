"""What else the same labels certify: true of the matchers that it names."""

import re

import matchbound as mb
from matchbound.theorems.others import holdout_alone, patched_holdout
from matchbound.theorems.tally import Cell, Label, Tally
from support.audits import make_audit, run, write_csv

LINE = re.compile(r"The same labels certify more (.*)\.\n")


def certified(audit, complete, *options):
    holdout = audit.parent / "holdout.csv"
    given = ["certify", audit, "--holdout", holdout, "--complete", complete, "--force"]
    assert run(*given, *options) == 0
    return mb.Certificate.load(audit / "certificate.json")


def test_what_is_said_of_the_patched_holdout_is_what_it_gets(tmp_path):
    audit = make_audit(tmp_path, "--one-to-one")
    shown = str(certified(audit, tmp_path / "complete.csv"))
    said = LINE.search(shown)[1]
    patched = tmp_path / "patched.csv"
    assert run("patch", audit, "--holdout", tmp_path / "holdout.csv", "--out", patched) == 0
    own = certified(audit, patched)
    for metric in ("precision", "recall"):
        value = re.search(rf"`matchbound patch`\).*{metric} ≥ (\d\.\d+)", said)[1]
        assert float(value) <= own.value(metric) < float(value) + 1e-4
    assert "matchbound patch" not in str(own)  # nothing is better


def test_the_holdout_alone_is_what_it_gets(tmp_path):
    audit = make_audit(tmp_path, "--one-to-one")
    worse = tmp_path / "worse.csv"
    write_csv(worse, ["x", "y"], _worse(tmp_path))
    said = LINE.search(str(certified(audit, worse)))[1]
    assert run("certify", audit, "--holdout", tmp_path / "holdout.csv", "--force") == 0
    alone = mb.Certificate.load(audit / "certificate.json")
    value = float(re.search(r"of the holdout matcher, precision ≥ (\d\.\d+)", said)[1])
    assert value <= alone.value("precision") < value + 1e-4


def _worse(folder):
    """The holdout's matches, every tenth another."""
    rows = [line.split(",") for line in (folder / "holdout.csv").read_text().split()[1:]]
    return [[x, f"other{i}" if i % 10 == 0 else y] for i, (x, y) in enumerate(rows)]


def test_bands_say_nothing_of_the_patched_holdout():
    """In which band a match that was missed would be, no tally tells."""
    from matchbound.certificates.words import _patched
    from matchbound.theorems.choices import Choices

    tally = Tally(9, (), (Label(1, 1, 0, 1, 0, 1),) * 3, (), (Cell(1, 1, 1, 6),))
    choices = Choices(bands=(0.5, 0.9), metrics=("precision",))
    tallies = dict.fromkeys(("all", "[0.5, 0.9)", "[0.9, ∞)"), tally)
    assert _patched(tallies, choices) == ()


def test_tallies_of_other_matchers_where_a_table_is_matched_with_itself():
    cell = Cell(5, 4, 3, 7, right=1, wrong=1, dropped_wrong=1, added_right=1, missed=2)
    label = Label(2, 3, 1, 1, 1, 1)
    tally = Tally(9, (label,), (label,), (), (cell,))
    alone, patched = holdout_alone(tally), patched_holdout(tally)
    assert alone.gap == (Cell(5, 5, 5, 7, right=1, wrong=1, missed=3),)
    assert alone.train == (Label(2, 3, 1, 2, 1, 2),)
    assert patched.gap == (Cell(5, 6, 3, 7, right=1, dropped_wrong=2, added_right=3),)
    assert patched.train == (Label(2, 3, 1, 3, 3, 1),)
