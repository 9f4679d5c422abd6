"""Labels that were changed after results had been shown: counted, printed, and no target is met."""

import hashlib
import json
import shutil

import pytest

import matchbound as mb
from matchbound.audits.draw import Draw
from matchbound.audits.ledger import read_ledger
from matchbound.audits.shown import changed_labels
from matchbound.certificates import Record
from matchbound.desk.desk import Desk
from support.audits import certify, make_audit, make_inputs, read_csv, run, run_seeded, write_csv
from support.desks import make_desk


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_audit(tmp_path_factory.mktemp("changed") / "made")


@pytest.fixture
def audit(made, tmp_path):
    shutil.copytree(made.parent, tmp_path / "copy")
    return tmp_path / "copy" / "audit"


def show(audit, what):
    holdout = audit.parent / "holdout.csv"
    if what == "certificate":
        mb.certify(audit, holdout=holdout)
    elif what == "estimate":
        mb.estimate(audit, holdout=holdout)
    else:
        mb.list_errors(audit, holdout=holdout)


def changed(audit, **how):
    """Look at the labels as they are now; how many were changed since earlier looks."""
    mb.estimate(audit, holdout=audit.parent / "holdout.csv", **how)
    return changed_labels(read_ledger(audit).entries)


def edit(audit, count, name="labels.csv"):
    """Give the first nodes other labels than they had."""
    rows = read_csv(audit / "labels.csv")
    write_csv(
        audit / name, ["x", "y"], [[x, "b399" if i < count else y] for i, (x, y) in enumerate(rows)]
    )


SAID = "labels of 3 nodes were changed after results had been shown"


@pytest.mark.parametrize("what", ["certificate", "estimate", "errors"])
def test_labels_that_were_changed_after_results_were_shown(audit, what):
    show(audit, what)
    edit(audit, 3)
    certificate = mb.certify(audit, holdout=audit.parent / "holdout.csv")
    assert certificate.ledger.changed == 3
    assert certificate.shortfall == f"the {SAID}"
    assert not certificate.meets("precision", 0.01)


@pytest.mark.slow
def test_a_changed_label_keeps_from_every_target(audit, capsys):
    show(audit, "errors")
    edit(audit, 3)
    capsys.readouterr()
    assert certify(audit, "--require", "precision=0.01") == 1
    shown = capsys.readouterr()
    assert f" The {SAID}, so nothing is certified by --require." in shown.out
    assert f"Required precision 0.01: not certified (the {SAID})." in shown.err
    assert run("verify", audit) == 0
    assert run("verify", audit, "--require", "precision=0.01") == 1
    mb.write_report(audit)
    assert SAID in (audit / "report.html").read_text("utf-8")


def test_a_certificate_cannot_leave_it_out(audit, capsys):
    """`verify` counts the changed labels again from the ledger."""
    show(audit, "errors")
    edit(audit, 3)
    assert certify(audit) == 0
    record = json.loads((audit / "certificate.json").read_text())
    record["ledger"]["changed"] = 0
    made = ("digest", "digests", "matchbound")
    forged = Record.sealed({name: value for name, value in record.items() if name not in made})
    (audit / "certificate.json").write_text(forged.text)
    *lines, last = (audit / "ledger.jsonl").read_text().splitlines(keepends=True)
    last = line_of({**json.loads(last), "certificate": forged.content["digest"]})
    (audit / "ledger.jsonl").write_text("".join([*lines, last]))
    capsys.readouterr()
    assert run("verify", audit) == 1
    shown = capsys.readouterr().out
    assert "ledger is not what the entries before this certificate give" in shown


def line_of(entry):
    """An entry as whoever forges a ledger writes it."""
    body = {name: value for name, value in entry.items() if name != "digest"}
    text = json.dumps(body, sort_keys=True, ensure_ascii=False)
    body["digest"] = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps(body, ensure_ascii=False) + "\n"


def test_labels_that_were_changed_before_anything_was_shown(audit):
    run("register", audit, "--holdout", audit.parent / "holdout.csv")
    edit(audit, 5)
    assert changed(audit) == 0
    assert [e["kind"] for e in read_ledger(audit).entries].count("labels") == 2


def test_the_same_labels_in_another_file(audit):
    show(audit, "certificate")
    rows = read_csv(audit / "labels.csv")
    write_csv(audit / "labels.csv", ["y", "note", "x"], [[y, "checked", x] for x, y in rows[::-1]])
    assert changed(audit) == 0


def test_back_and_forth_is_a_change(audit):
    """What was shown meanwhile was of the changed labels."""
    before = (audit / "labels.csv").read_bytes()
    show(audit, "certificate")
    edit(audit, 2)
    assert changed(audit) == 2
    (audit / "labels.csv").write_bytes(before)
    assert changed(audit) == 2
    edit(audit, 4)
    assert changed(audit) == 4


def test_a_change_that_was_taken_back_unseen_is_none(audit):
    before = (audit / "labels.csv").read_bytes()
    show(audit, "errors")
    edit(audit, 2)
    (audit / "labels.csv").write_bytes(before)
    assert changed(audit) == 0


def test_labels_given_elsewhere_count_too(audit):
    show(audit, "certificate")
    edit(audit, 2, "others.csv")
    assert changed(audit, labels=audit / "others.csv") == 2


def anytime(folder, labelled):
    truth, audit = make_inputs(folder), folder / "audit"
    draw = ["draw", folder / "people.csv", "--labels", 120, "--anytime", "--out", audit]
    assert run_seeded("s", *draw) == 0
    label(audit, truth, labelled)
    return audit, truth


def label(audit, truth, count):
    nodes = Draw.load(audit).validated[:count]
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth.get(x, "")] for x in sorted(nodes)])


def test_labels_that_were_added_are_no_change(tmp_path):
    """Whatever the order of the rows: nodes without a label before do not count."""
    audit, truth = anytime(tmp_path, 40)
    assert changed(audit) == 0
    label(audit, truth, 80)
    assert changed(audit) == 0
    label(audit, truth, 60)  # a label that is gone helps nobody
    assert changed(audit) == 0
    label(audit, dict.fromkeys(truth, "b1"), 100)
    assert changed(audit) > 40


def test_a_fresh_draw_has_fresh_labels(audit):
    show(audit, "certificate")
    edit(audit, 2)
    assert changed(audit) == 2
    rows = dict(read_csv(audit / "labels.csv"))
    (audit / "labels.csv").rename(audit / "before.csv")
    draw = ["draw", audit.parent / "people.csv", "--labels", 50, "--out", audit, "--force"]
    assert run_seeded("t", *draw) == 0
    drawn = [[x, rows.get(x, "")] for x, _, _ in Draw.load(audit).sample]
    write_csv(audit / "labels.csv", ["x", "y"], drawn)
    assert changed(audit) == 0


def test_clusters_as_labels(tmp_path):
    """A record that is moved changes the labels of every drawn record that it leaves or joins."""
    true = {f"r{i}": i // 4 for i in range(40)}
    write_csv(tmp_path / "people.csv", ["id"], [[x] for x in true])
    write_csv(tmp_path / "holdout.csv", ["id", "cluster"], true.items())
    audit = tmp_path / "audit"
    draw = ["draw", tmp_path / "people.csv", "--labels", 30, "--dedupe", "--out", audit]
    assert run_seeded("s", *draw) == 0
    write_csv(audit / "labels.csv", ["id", "cluster"], true.items())
    show(audit, "estimate")
    renamed = [(x, f"c{cluster}") for x, cluster in sorted(true.items())]
    write_csv(audit / "labels.csv", ["id", "cluster"], renamed)
    assert changed(audit) == 0
    write_csv(audit / "labels.csv", ["id", "cluster"], {**true, "r0": 5}.items())
    drawn = {x for x, _, _ in Draw.load(audit).sample}
    assert changed(audit) == len(drawn & {"r0", "r1", "r2", "r3", "r20", "r21", "r22", "r23"})


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """Labelled on the page by two people; a node is unsure, and two people differ on another."""
    audit, truth = make_desk(tmp_path_factory.mktemp("page") / "made", labels=20, train=5, nodes=60)
    desk = Desk(audit, Draw.load(audit), twice=2)
    for place, node in enumerate(desk.order, start=1):
        assert desk.next("Ann") == place
        matches = [truth[node]] if node in truth else []
        desk.label("Ann", place, None if place == 8 else matches)
    assert desk.next("Ben") == 1
    desk.label("Ben", 1, ["b1"])
    return audit


@pytest.fixture
def page(labelled, tmp_path):
    """A copy, and a desk over it, after results were shown."""
    shutil.copytree(labelled.parent, tmp_path / "copy")
    audit = tmp_path / "copy" / "audit"
    mb.certify(audit, holdout=audit.parent / "holdout.csv", unlabelled="worst")
    return audit, Desk(audit, Draw.load(audit), twice=2)


def test_conflicts_and_unsure_nodes_may_be_decided(page):
    """Neither had a label when results were shown."""
    audit, desk = page
    desk.label("Ann", 8, ["b6"])
    desk.label("Ben", 1, ["b1"], decides=True)
    certificate = mb.certify(audit, holdout=audit.parent / "holdout.csv")
    assert certificate.ledger.changed == 0
    assert certificate.ledger.labelled.changed == 2  # printed, as all that was labelled anew
    assert (certificate.ledger.labelled.twice, certificate.ledger.labelled.agreed) == (1, 0)


def test_a_label_that_is_changed_on_the_page(page):
    audit, desk = page
    desk.label("Ann", 10, ["b1"])
    desk.label("Ann", 11, None)  # unsure, and then another: it was decided when it was shown
    desk.label("Ann", 11, ["b1"])
    desk.label("Ben", 12, ["b1"])  # nobody asked for a second opinion before
    desk.label("Ben", 12, ["b1"], decides=True)
    assert changed(audit, unlabelled="worst") == 3


def test_a_label_that_is_undone_and_given_again(page):
    audit, desk = page
    last = len(desk.order)
    before = desk.book.pages[last].final.matches
    assert desk.undo("Ann") == last
    assert changed(audit, unlabelled="worst") == 0
    desk.label("Ann", last, list(before))
    assert changed(audit, unlabelled="worst") == 0
    desk.undo("Ann")
    desk.label("Ann", last, ["b2"])
    assert changed(audit, unlabelled="worst") == 1


def test_what_was_erased_is_compared_as_the_rest(page):
    """Digests have another salt since; what was counted before stays counted."""
    audit, desk = page
    desk.label("Ann", 10, ["b1"])
    assert changed(audit, unlabelled="worst") == 1
    mb.forget(audit, [desk.order[14]])
    assert changed(audit, unlabelled="worst") == 1
    desk = Desk(audit, Draw.load(audit))
    desk.label("Ann", 11, ["b2"])
    assert changed(audit, unlabelled="worst") == 2


def erase(audit, which=-1):
    """Erase a node that has a label and was not edited."""
    mb.forget(audit, [read_csv(audit / "labels.csv")[which][0]])


REQUIRED = ("--require", "precision=0.01")


@pytest.mark.parametrize("first", ["edit", "forget"])
def test_forgetting_hides_no_change(audit, capsys, first):
    show(audit, "errors")
    if first == "forget":
        erase(audit)
    edit(audit, 3)
    if first == "edit":
        erase(audit)
    capsys.readouterr()
    assert certify(audit, *REQUIRED) == 1
    assert f"not certified (the {SAID})" in capsys.readouterr().err
    assert run("verify", audit) == 0
    assert run("verify", audit, *REQUIRED) == 1


def test_forgetting_is_no_change(audit):
    """Nor are labels that were saved in another order, or two people who were erased."""
    assert certify(audit, *REQUIRED) == 0
    erase(audit)
    assert certify(audit, *REQUIRED, "--force") == 0
    erase(audit)
    rows = read_csv(audit / "labels.csv")
    write_csv(audit / "labels.csv", ["x", "y"], rows[::-1])
    erase(audit)
    assert certify(audit, *REQUIRED, "--force") == 0
    assert run("verify", audit, *REQUIRED) == 0
    edit(audit, 2)
    assert changed(audit) == 2


def test_labels_may_be_changed_around_an_erasure_before_anything_was_shown(audit):
    run("register", audit, "--holdout", audit.parent / "holdout.csv")
    edit(audit, 3)
    erase(audit)
    edit(audit, 5)
    assert changed(audit) == 0
    assert "by_place" not in read_ledger(audit).of_kind("forget")[0]


def test_labels_that_were_taken_away_while_somebody_was_erased(audit):
    """What they were cannot be told any more, so whatever they are later is a change."""
    show(audit, "certificate")
    rows = read_csv(audit / "labels.csv")
    write_csv(audit / "labels.csv", ["x", "y"], rows[4:])
    mb.forget(audit, [rows[-1][0]])
    write_csv(audit / "labels.csv", ["x", "y"], rows[:-1])
    assert changed(audit) == 4


def test_labels_that_were_added_around_an_erasure_are_no_change(tmp_path):
    audit, truth = anytime(tmp_path, 40)
    assert changed(audit) == 0
    label(audit, truth, 60)
    mb.forget(audit, [Draw.load(audit).validated[0]])
    rows = read_csv(audit / "labels.csv")
    more = [[x, truth.get(x, "")] for x in Draw.load(audit).validated[60:80]]
    write_csv(audit / "labels.csv", ["x", "y"], [*rows, *more])
    assert changed(audit) == 0


def test_labels_that_cannot_be_read_when_somebody_is_erased(audit, capsys):
    """No digest of them is there to compare later ones with, and the certificate says so."""
    show(audit, "certificate")
    good = read_csv(audit / "labels.csv")
    write_csv(audit / "labels.csv", ["x", "y"], [*good, ["", ""]])
    answer = mb.forget(audit, [good[-1][0]])
    said = f"labels could not be compared around an erasure (entry {answer.uncompared})"
    assert f" The {said}, after results had been shown: new certificates" in str(answer)
    write_csv(audit / "labels.csv", ["x", "y"], good[:-1])
    capsys.readouterr()
    assert certify(audit, *REQUIRED) == 1
    assert f"not certified (the {said} after results had been shown" in capsys.readouterr().err
    assert run("verify", audit) == 0
    assert run("verify", audit, *REQUIRED) == 1


def test_who_is_in_no_label_of_the_folder_is_erased_without_a_new_salt(audit):
    """Labels that are elsewhere are compared as before."""
    show(audit, "certificate")
    elsewhere = audit.parent / "elsewhere.csv"
    edit(audit, 3, elsewhere)
    last = read_csv(audit / "labels.csv")[-1][0]
    (audit / "labels.csv").unlink()
    mb.forget(audit, [last])
    assert changed(audit, labels=elsewhere) == 3


def test_an_erasure_that_was_interrupted_is_followed_by_another(audit, monkeypatch):
    """Its entry has digests with a salt that is not in the journal yet."""
    show(audit, "certificate")
    edit(audit, 2)
    rows = read_csv(audit / "labels.csv")
    with monkeypatch.context() as patch:
        patch.setattr("matchbound.audits.forget._carry_out", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            mb.forget(audit, [rows[-1][0]])
    mb.forget(audit, [rows[-2][0]])
    assert changed(audit) == 2


def test_the_ledger_tells_no_labels(page):
    """Two nodes with the same label have different digests, and so has one with another salt."""
    audit, desk = page
    (entry,) = read_ledger(audit).of_kind("labels")
    digests = [one for one in entry["by_place"] if one]
    assert len(digests) == len(set(digests)) == len(desk.order) - 2
    assert [place for place, one in enumerate(entry["by_place"], 1) if not one] == [1, 8]
