"""`--every-node-matched`, from the draw to `verify`: what is said, and what refutes it."""

import json

import pytest

from matchbound.audits.draw import Draw
from support.audits import run, run_seeded, write_csv

SIZE, MISSED = 240, 4  # of the nodes, every fourth has no match by the holdout matcher
PROMISE = "--every-node-matched"
STATEMENT = "(recall: if every node has a true match):"
ASSUMED = (
    "The user promised that every node has a true match. No label shows one without, which does "
    "not prove it; if it is false, a node without a true match counts as missed, and the bound on "
    "recall still holds."
)

REFUTED = (
    "every_node_matched must allow what labels show, got 2 of 80 labelled nodes without a true "
    "match. Draw again without the promise; it costs δ again."
)


@pytest.fixture
def folder(tmp_path):
    write_csv(tmp_path / "people.csv", ["id"], [[f"a{i}"] for i in range(SIZE)])
    found = [[f"a{i}", f"b{i + i % 30 // 29}"] for i in range(SIZE) if i % MISSED]
    write_csv(tmp_path / "holdout.csv", ["x", "y"], found)
    return tmp_path


def labels(path, nodes, without=()):
    rows = [[x, "" if x in without else f"b{x[1:]}"] for x in nodes]
    write_csv(path, ["x", "y"], rows)


def audited(folder, *options, out="audit"):
    audit, people = folder / out, folder / "people.csv"
    arguments = ["--labels", 80, "--holdout", folder / "holdout.csv", "--out", audit]
    assert run_seeded("s", "draw", people, *arguments, *options) == 0
    labels(audit / "labels.csv", [x for x, _, _ in Draw.load(audit).sample])
    return audit


def certify(audit, *options):
    return run("certify", audit, "--holdout", audit.parent / "holdout.csv", *options)


def recall_in(path):
    guarantees = json.loads(path.read_text())["guarantees"]
    return next(g["value"] for g in guarantees if g["metric"] == "recall")


def test_from_the_draw_to_the_report(folder, capsys):
    plain, audit = audited(folder, out="plain"), audited(folder, PROMISE)
    assert certify(plain) == 0
    assert STATEMENT not in capsys.readouterr().out
    assert certify(audit) == 0
    said = capsys.readouterr().out
    assert STATEMENT in said
    assert ASSUMED in said
    certificate = json.loads((audit / "certificate.json").read_text())
    assert certificate["choices"]["every_node_matched"] is True
    assert {"code": "every_node_matched"} in certificate["assumptions"]
    assert recall_in(audit / "certificate.json") > recall_in(plain / "certificate.json") + 0.03
    assert run("verify", audit) == 0
    assert run("report", audit, "--out", folder / "report.html") == 0
    page = (folder / "report.html").read_text()
    assert STATEMENT in page
    assert ASSUMED in page


def test_a_label_refutes_it(folder, capsys):
    audit = audited(folder, PROMISE)
    drawn = [x for x, _, _ in Draw.load(audit).sample]
    labels(audit / "labels.csv", drawn, without=drawn[:2])
    assert certify(audit) == 2
    assert capsys.readouterr().err.strip().endswith(REFUTED)
    assert not (audit / "certificate.json").exists()


def test_a_promise_after_the_draw_is_exploratory(folder, capsys):
    audit = audited(folder)
    assert certify(audit, PROMISE) == 0
    said = capsys.readouterr().out
    assert "Exploratory: no guarantee. Not as fixed at the draw: every_node_matched." in said
    assert STATEMENT in said


def test_labels_brought_along(folder, capsys):
    nodes = [f"a{i}" for i in range(0, SIZE, 3)]
    labels(folder / "labels.csv", nodes)
    given = ["--population", folder / "people.csv", "--labels", folder / "labels.csv"]
    given += ["--holdout", folder / "holdout.csv", "--assume-uniform", "--force"]
    out = folder / "certificate.json"
    values = []
    for promise in ([], [PROMISE]):
        assert run("certify", *given, *promise, "--out", out) == 0
        values.append(recall_in(out))
    assert values[1] > values[0]
    assert run("verify", out) == 0
    labels(folder / "labels.csv", nodes, without=nodes[5:6])
    capsys.readouterr()
    assert run("certify", *given, PROMISE, "--out", out) == 2
    assert "got 1 of 80 labelled nodes without a true match" in capsys.readouterr().err
