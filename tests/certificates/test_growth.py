"""A certificate issued before labels were added, or the draw was made larger, still verifies."""

import json
import os
import shutil
from unittest import mock

import pytest

import matchbound as mb
from matchbound.audits import Draw
from matchbound.desk.desk import Desk
from support.audits import contents, make_inputs, read_csv, run, run_seeded, write_csv
from support.desks import make_desk

GROWN = "Verified, as of entry {} of the ledger; {} grown since: its digests; "


def verified(capsys, audit, name):
    """The exit status of verify, and its first line; it must not have written anything."""
    capsys.readouterr()
    before = contents(audit.parent)
    status = run("verify", audit / name, "--inputs", audit.parent)
    assert contents(audit.parent) == before
    return status, capsys.readouterr().out.splitlines()[0]


def certify(audit, name):
    given = ["--holdout", audit.parent / "holdout.csv", "--out", audit / name]
    assert run("certify", audit, *given) == 0
    return json.loads((audit / name).read_text())["ledger"]["entries"] + 1


def label(audit, truth, count, end="\n"):
    """Labels kept by hand of the first nodes, in the order of labelling."""
    draw = Draw.load(audit)
    nodes = list(dict.fromkeys([*draw.trained, *draw.validated]))[:count]
    text = "".join(f"{x},{truth.get(x, '')}\n" for x in nodes)
    (audit / "labels.csv").write_text(f"x,y\n{text}".removesuffix("\n") + end)


@pytest.fixture(scope="module")
def anytime(tmp_path_factory):
    """An anytime draw, half labelled by hand and certified."""
    folder = tmp_path_factory.mktemp("anytime")
    truth, audit = make_inputs(folder), folder / "audit"
    drawn = ["draw", folder / "people.csv", "--labels", 100, "--train", 20, "--anytime"]
    assert run_seeded("s", *drawn, "--out", audit) == 0
    label(audit, truth, 80)
    certify(audit, "first.json")
    return audit, truth


@pytest.fixture
def audit(anytime, tmp_path):
    shutil.copytree(anytime[0].parent, tmp_path / "copy")
    return tmp_path / "copy/audit"


def page(audit, truth, count):
    """Label that many more nodes on the page."""
    desk = Desk(audit, Draw.load(audit))
    for _ in range(count):
        place = desk.next("Ann")
        match = truth.get(desk.order[place - 1])
        desk.label("Ann", place, [match] if match else [])
    return desk


@pytest.fixture(scope="module")
def on_the_page(tmp_path_factory):
    """An anytime draw, half labelled on the page and certified; then labelled further."""
    folder = tmp_path_factory.mktemp("page")
    audit, truth = make_desk(folder, "--anytime", labels=24, train=2)
    page(audit, truth, 14)
    entry = certify(audit, "first.json")
    page(audit, truth, 4)
    certify(audit, "second.json")
    return audit, truth, entry


def test_labels_made_on_the_page_may_grow(on_the_page, capsys):
    audit, _, entry = on_the_page
    status, line = verified(capsys, audit, "first.json")
    assert (status, line.startswith(GROWN.format(entry, "labels have"))) == (0, True)
    assert line.endswith("its tallies, from its inputs; its draw, from the seed.")
    status, line = verified(capsys, audit, "second.json")
    assert (status, line.startswith("Verified: ")) == (0, True)


@pytest.mark.parametrize("change", ["relabelled", "by hand", "removed"])
def test_labels_that_were_changed_contradict(on_the_page, tmp_path, capsys, change):
    shutil.copytree(on_the_page[0].parent, tmp_path / "copy")
    audit, truth = tmp_path / "copy/audit", on_the_page[1]
    rows = (audit / "labels.csv").read_text().splitlines(keepends=True)
    if change == "relabelled":
        desk = page(audit, truth, 1)
        desk.label("Ann", 7, ["b1", "b2"])
    elif change == "by hand":
        (audit / "labels.csv").write_text("".join([*rows, "a1,b1\n"]))
    else:
        (audit / "labels.csv").write_text("".join(rows[:9]))
    status, line = verified(capsys, audit, "first.json")
    assert (status, line.startswith("Contradicted: inputs.labels: ")) == (1, True)


@pytest.mark.parametrize("end", ["\n", ""])
def test_labels_kept_by_hand_may_grow(audit, anytime, capsys, end):
    truth = anytime[1]
    label(audit, truth, 70, end)
    entry = certify(audit, "second.json")
    label(audit, truth, 90)
    status, line = verified(capsys, audit, "second.json")
    assert (status, line.startswith(GROWN.format(entry, "labels have"))) == (0, True)


def test_labels_kept_by_hand_that_were_changed_contradict(audit, anytime, capsys):
    label(audit, anytime[1], 90)
    rows = read_csv(audit / "labels.csv")
    rows[5] = [rows[5][0], "b0"]
    write_csv(audit / "labels.csv", ["x", "y"], rows)
    status, line = verified(capsys, audit, "first.json")
    assert (status, line.startswith("Contradicted: inputs.labels: ")) == (1, True)


def test_no_tally_of_grown_labels_can_be_forged(audit, anytime, capsys):
    """The beginning of the file is counted, not the file."""
    label(audit, anytime[1], 90)
    certificate = mb.Certificate.load(audit / "first.json")
    entry = certify(audit, "second.json")
    assert entry == certificate.ledger.entries + 3  # its labels and itself
    second = mb.Certificate.load(audit / "second.json")
    assert second.tallies != certificate.tallies
    from dataclasses import replace

    tallies, guarantees = second.tallies, second.guarantees
    replace(certificate, tallies=tallies, guarantees=guarantees, advice=second.advice).save(
        audit / "forged.json"
    )
    capsys.readouterr()
    assert run("verify", audit / "forged.json", "--inputs", audit.parent) == 1
    assert "tallies.all.validation is not what the inputs give" in capsys.readouterr().out


def extend(audit, labels):
    drawn = ["draw", audit.parent / "people.csv", "--extend", "--out", audit]
    return run(*drawn, "--labels", labels)


def test_the_draw_may_be_made_larger(audit, anytime, capsys):
    truth, entry = anytime[1], 4
    assert extend(audit, 150) == 0
    status, line = verified(capsys, audit, "first.json")
    assert (status, line.startswith(GROWN.format(entry, "the draw has"))) == (0, True)
    label(audit, truth, 140)
    second = certify(audit, "second.json")
    status, line = verified(capsys, audit, "first.json")
    assert line.startswith(GROWN.format(entry, "labels and the draw have"))
    assert status == 0
    assert verified(capsys, audit, "second.json")[1].startswith("Verified: ")
    assert extend(audit, 200) == 0
    status, line = verified(capsys, audit, "second.json")
    assert (status, line.startswith(GROWN.format(second, "the draw has"))) == (0, True)


def test_the_draw_may_be_made_larger_after_nodes_were_erased(audit, anytime, capsys):
    """Erased nodes have no ids, and are told apart by their places."""
    rows = Draw.load(audit).in_order
    mb.forget(audit, [row[0] for row in (*rows[:20:3], *rows[30:60:7]) if None in row[1:]])
    entry = certify(audit, "second.json")
    assert extend(audit, 160) == 0
    status, line = verified(capsys, audit, "second.json")
    assert status == 0, line
    assert line.startswith(GROWN.format(entry, "the draw has"))


def test_a_population_that_was_written_again_and_moved(audit, capsys):
    """draw.json named another file, with other bytes and the same rows."""
    people = audit.parent / "people.csv"
    rows = read_csv(people)
    people.unlink()
    write_csv(audit.parent / "persons.csv", ["id"], rows[::-1])
    drawn = ["draw", audit.parent / "persons.csv", "--extend", "--out", audit, "--labels", 150]
    assert run(*drawn) == 0
    write_csv(people, ["id"], rows)
    assert verified(capsys, audit, "first.json")[0] == 0


def test_a_smaller_sample_that_was_not_drawn_contradicts(audit, capsys):
    assert extend(audit, 150) == 0
    record = json.loads((audit / "draw.json").read_text())
    (audit / "draw.json").write_text(json.dumps(record | {"seed": "other"}))
    status, line = verified(capsys, audit, "first.json")
    assert (status, line.partition(":")[0]) == (1, "Contradicted")


def test_a_fresh_draw_leaves_the_old_certificate_without_its_inputs(audit, capsys):
    (audit / "labels.csv").unlink()
    drawn = ["draw", audit.parent / "people.csv", "--labels", 50, "--out", audit, "--force"]
    assert run(*drawn) == 0
    status, line = verified(capsys, audit, "first.json")
    assert (status, line) == (
        3,
        "Consistent in itself, inputs missing: draw (another was made since, entry 6), labels.",
    )


class Killed(BaseException):
    """As if the process had ended."""


@pytest.mark.parametrize(
    "replaced", [*(pytest.param(n, marks=pytest.mark.slow) for n in (0, 1)), 2]
)
def test_an_extension_that_was_killed_is_repeated(audit, anytime, capsys, replaced):
    """Its entry is on disk, and so are some of its files: draw.json comes last."""
    left, replace = [replaced], os.replace

    def replace_or_die(source, target):
        if not left[0]:
            raise Killed
        left[0] -= 1
        replace(source, target)

    with mock.patch("os.replace", replace_or_die), pytest.raises(Killed):
        extend(audit, 150)
    capsys.readouterr()
    status = run("verify", audit / "first.json", "--inputs", audit.parent)
    assert status == (2 if replaced == 2 else 0)  # draw.json does not fit sample.csv
    assert status == 0 or "repeat it with the same arguments" in capsys.readouterr().err
    assert extend(audit, 150) == 0
    assert Draw.load(audit).labels == 150
    assert verified(capsys, audit, "first.json")[0] == 0
    label(audit, anytime[1], 140)
    certify(audit, "second.json")
    assert verified(capsys, audit, "second.json")[0] == 0


@pytest.mark.parametrize("more", ["{labelled},bZZ\n", "nonsense,rubbish,more\n", "\0\0\0\0"])
def test_rows_that_change_a_label_are_no_growth(tmp_path, capsys, more):
    truth = make_inputs(tmp_path)
    drawn = ["draw", tmp_path / "people.csv", "--anytime", "--labels", 60]
    assert run(*drawn, "--out", tmp_path / "audit") == 0
    audit = tmp_path / "audit"
    label(audit, truth, 40)
    certify(audit, "certificate.json")
    first = (audit / "labels.csv").read_text().splitlines()[1].split(",")[0]
    with (audit / "labels.csv").open("a") as file:
        file.write(more.format(labelled=first))
    status, line = verified(capsys, audit, "")
    assert (status, "labels.csv' is not the file that was certified" in line) == (1, True)
