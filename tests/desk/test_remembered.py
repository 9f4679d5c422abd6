"""After `audit`, `draw` or `register` the page and `certify` find their tables by themselves."""

import json
import shutil
from dataclasses import replace

import pyarrow as pa
import pytest

import matchbound as mb
from matchbound.audits.audit import Audit
from matchbound.audits.remembered import Remembered, latest, remembered
from matchbound.desk.inputs import Inputs, open_inputs
from matchbound.errors import InputError
from support.audits import read_csv, run, run_seeded, write_csv
from support.desks import make_records

SPLINK = ["source_dataset_l", "unique_id_l", "source_dataset_r", "unique_id_r", "match_probability"]


@pytest.fixture
def folder(tmp_path):
    """Two tables of people, and matches between them with sources that neither table has."""
    truth = make_records(tmp_path, nodes=60)
    rows = [["left", x, "right", y, 0.9] for x, y in read_csv(tmp_path / "holdout.csv")]
    write_csv(tmp_path / "pairs.csv", SPLINK, rows)
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    return tmp_path


def audited(folder, *options, matches="pairs.csv", least=("--threshold", 0.5)):
    tables = ["--records", folder / "people.csv", "--against", folder / "right.csv"]
    how = [*least, "--pairs", "--labels", 12, "--out", folder / "audit", *options]
    assert run_seeded("s", "audit", folder / matches, *tables, *how) == 0
    return folder / "audit"


def label_all(audit, prefix=("left-__-", "right-__-")):
    truth = json.loads((audit.parent / "truth.json").read_text())
    rows = []
    for x, *_ in read_csv(audit / "sample.csv"):
        y = truth.get(x.removeprefix(prefix[0]))
        rows.append([x, f"{prefix[1]}{y}" if y else ""])
    write_csv(audit / "labels.csv", ["x", "y"], rows)


def test_the_page_and_certify_need_no_other_word(folder, monkeypatch):
    """Also from another working folder; the page's server is tested elsewhere."""
    audit = audited(folder)
    truth = json.loads((folder / "truth.json").read_text())

    def label_on_the_page(requests, *_):
        desk, material = requests.desk, requests.material
        while (place := desk.next("Ann")) is not None:
            x = desk.order[place - 1].removeprefix("left-__-")
            matches = [f"right-__-{truth[x]}"] if x in truth else []
            material.check_known(matches)
            desk.label("Ann", place, matches)

    monkeypatch.setattr("matchbound.desk.server._serve", label_on_the_page)
    monkeypatch.chdir(folder.parent)
    assert run("label", audit) == 0
    assert len(read_csv(audit / "labels.csv")) == 12
    assert run("certify", audit) == 0
    certificate = json.loads((audit / "certificate.json").read_text())
    assert certificate["inputs"]["holdout"]["threshold"] == 0.5
    assert certificate["ledger"]["seeded"] is not None
    assert run("verify", audit) == 0


def test_the_other_table_s_ids_and_source_are_remembered(folder):
    rows = read_csv(folder / "right.csv")
    write_csv(folder / "right.csv", ["number", "first_name", "surname", "city", "born"], rows)
    audit = Audit.open(audited(folder))
    against = Remembered("against", str(folder / "right.csv"), "number", "right")
    assert latest(audit.folder, "against") == against
    assert latest(audit.folder, "records") == Remembered("records", str(folder / "people.csv"))
    for inputs in (Inputs(), Inputs(against=folder / "right.csv")):
        opened = open_inputs(audit, inputs.with_remembered(audit))
        assert "right-__-b1" in opened.material.right.rows
        assert opened.search.candidates is None  # the matcher's own would make recall too kind


def test_in_one_table(folder):
    rows = [[f"a{i}", f"a{i + 1}"] for i in range(0, 60, 2)]
    write_csv(folder / "twins.csv", ["x", "y"], rows)
    for name, words in {
        "audit": ["audit", folder / "twins.csv", "--records", folder / "people.csv", "--pairs"],
        "draw": ["draw", folder / "people.csv", "--holdout", folder / "twins.csv", "--dedupe"],
    }.items():
        assert run_seeded("s", *words, "--labels", 20, "--out", folder / name) == 0
        audit = Audit.open(folder / name)
        opened = open_inputs(audit, Inputs().with_remembered(audit))
        assert len(opened.material.right.rows) == 60


def test_what_the_page_was_given_is_remembered(folder, monkeypatch):
    """A draw knows its population; the other table is said once."""
    audit = folder / "audit"
    given = ["--link", "--labels", 20, "--out", audit]
    assert run("draw", folder / "people.csv", *given) == 0
    opened = Audit.open(audit)
    inputs = Inputs().with_remembered(opened)
    assert inputs == Inputs(str(folder / "people.csv"))
    with pytest.raises(InputError, match=r"^against must be given unless the draw was made with"):
        open_inputs(opened, inputs)
    monkeypatch.setattr("matchbound.desk.server._serve", lambda *_: None)
    assert run("label", audit, "--against", folder / "right.csv", "--id", "id") == 0
    again = Inputs().with_remembered(opened)
    assert again == replace(inputs, against=str(folder / "right.csv"), id="id")


def test_a_population_of_ids_alone_shows_nothing(folder, capsys):
    write_csv(folder / "ids.csv", ["id"], [[f"a{i}"] for i in range(60)])
    audit = folder / "audit"
    assert run("draw", folder / "ids.csv", "--link", "--labels", 20, "--out", audit) == 0
    assert run("label", audit, "--against", folder / "right.csv") == 2
    assert (
        "records must be given, because this folder remembers no table with fields to show, "
        in (capsys.readouterr().err)
    )


def test_tables_that_were_moved(folder, capsys):
    audit = audited(folder)
    (folder / "elsewhere").mkdir()
    shutil.move(folder / "right.csv", folder / "elsewhere" / "right.csv")
    assert run("label", audit) == 2
    assert (
        f"against must be where it was, got {str(folder / 'right.csv')!r} (no such file). Say "
        in (capsys.readouterr().err)
    )
    label_all(audit)
    shutil.move(folder / "pairs.csv", folder / "elsewhere" / "pairs.csv")
    assert run("certify", audit) == 2
    assert "holdout must be where it was when it was put on record, got " in capsys.readouterr().err
    for name in ("pairs.csv", "right.csv"):
        shutil.move(folder / "elsewhere" / name, folder / name)
    shutil.move(folder, folder.with_name("moved"))
    audit = folder.with_name("moved") / "audit"
    inputs = Inputs().with_remembered(Audit.open(audit))
    assert inputs.records == str(audit.parent / "people.csv")
    assert run("certify", audit) == 0


def test_a_matcher_whose_file_changed(folder, capsys):
    audit = audited(folder)
    label_all(audit)
    header, *rows = (folder / "pairs.csv").read_text().splitlines()
    (folder / "pairs.csv").write_text("\n".join([header, *rows[::-1]]) + "\n")
    assert run("certify", audit, "--out", folder / "same.json") == 0  # the rows are the same
    (folder / "pairs.csv").write_text("\n".join([header, *rows[1:]]) + "\n")
    assert run("certify", audit) == 2
    error = capsys.readouterr().err
    assert f"holdout must be as it was put on record, got {str(folder / 'pairs.csv')!r}, " in error
    assert "or name the file to certify with --holdout: another matcher costs δ again." in error
    assert not (audit / "certificate.json").exists()


def test_a_threshold_alone(folder, capsys):
    audit = audited(folder)
    label_all(audit)
    assert run("certify", audit, "--threshold", 0.9) == 2
    assert "threshold must come with a holdout matcher, got it alone: " in capsys.readouterr().err


def test_several_matchers_or_none_on_record(folder, capsys):
    audit = folder / "audit"
    given = ["--link", "--labels", 20, "--out", audit]
    assert run_seeded("s", "draw", folder / "people.csv", *given) == 0
    assert run("certify", audit) == 2
    assert "holdout must be given, got neither matcher: " in capsys.readouterr().err
    pairs = [[x, y] for x, y in read_csv(folder / "holdout.csv")]
    write_csv(folder / "other.csv", ["x", "y"], pairs[1:])
    for name in ("holdout", "other"):
        assert run("register", audit, "--holdout", folder / f"{name}.csv") == 0
    assert run("certify", audit) == 2
    error = capsys.readouterr().err
    assert "holdout must be given where several matchers are on record, got None, and 2 " in error
    assert run("register", audit, "--withdraw") == 0
    assert run("register", audit, "--holdout", folder / "holdout.csv") == 0  # the same again
    label_all(audit, ("", ""))
    assert run("certify", audit) == 0
    certificate = json.loads((audit / "certificate.json").read_text())
    assert certificate["inputs"]["holdout"]["path"] == "holdout.csv"


def test_the_complete_matcher_alone_and_an_estimate(folder):
    audit = audited(folder, matches="holdout.csv", least=())
    label_all(audit, ("", ""))
    estimates = mb.estimate(audit)
    certificate = mb.certify(audit, complete=folder / "candidates.csv")
    assert estimates.value("precision") > 0.5
    assert certificate.has_complete


def test_a_choice_of_thresholds_fixes_the_threshold(folder):
    audit = folder / "audit"
    draw = ["draw", folder / "people.csv", "--source", "left", "--labels", 20, "--out", audit]
    choice = ["--choose-threshold", "precision=0.2", "--candidates", "0.9,0.5"]
    assert run_seeded("s", *draw, *choice, "--holdout", folder / "pairs.csv") == 0
    label_all(audit)
    assert run("certify", audit) == 0


def test_a_table_in_memory_is_asked_for_again(folder):
    people = pa.table({"id": [f"a{i}" for i in range(60)], "name": ["x"] * 60})
    pairs = pa.table({"x": ["a1", "a2"], "y": ["a3", "a4"]})
    mb.audit(pairs, records=people, labels=9, clusters=True, out=folder / "audit")
    assert remembered(folder / "audit") == []
    with pytest.raises(InputError, match=r"^holdout must be given again where the folder does not"):
        mb.certify(folder / "audit")


def test_lines_that_nobody_wrote_are_passed_over(folder):
    audit = audited(folder)
    known = remembered(audit)
    lines = ['{"role": "records"}', '{"role": "x", "path": "y"}', "[1]", "7", "{", '"a"', "\x00"]
    lines += ['{"role": "holdout", "path": "y", "digest": 5}', '{"role": "against", "path": 7}']
    with open(audit / "paths.jsonl", "a") as file:
        file.write("\n".join(lines) + "\n")
    assert remembered(audit) == known
    label_all(audit)
    assert run("certify", audit) == 0
