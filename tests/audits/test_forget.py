"""A person's ids are erased for good, and whoever is erased counts as the worst case."""

import csv
import json
import re
import shutil
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path

import pytest

import matchbound as mb
from matchbound.audits.audit import Audit
from matchbound.audits.draw import Draw
from matchbound.audits.erased import erased_rows
from matchbound.audits.forget import UNDER_WAY
from matchbound.audits.journal import Opening, canonical, read_journal
from matchbound.audits.labels import labels_in_folder
from matchbound.audits.ledger import read_ledger, sound_ledger
from matchbound.audits.shown import salted_by_place
from matchbound.certificates import certification
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.contradictions import contradictions
from matchbound.certificates.record import Record
from matchbound.desk.desk import Desk
from matchbound.desk.inputs import Inputs, open_inputs
from matchbound.errors import AssumptionError, InputError, UnfinishedError
from matchbound.files import alone, csv_text
from matchbound.theorems import WHOLE
from support.audits import certify, contents, make_audit, read_csv, run, run_seeded, write_csv
from support.forgetting import (
    ENDED,
    files_of,
    holding,
    killed_at,
    label_on_desk,
    make_labelled,
    make_people,
    state_of,
)


def certified(audit, **more):
    return mb.certify(audit, holdout=audit.parent / "holdout.csv", **more)


def remark_of(certificate):
    (remark,) = [one for one in certificate.assumptions if one.code == "erased"]
    return remark.numbers[0]


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forget")
    audit, truth = make_labelled(folder / "data")
    certified(audit, out=audit / "certificate.json")
    mb.write_report(audit)
    return audit, truth


@pytest.fixture
def audit(labelled, tmp_path):
    """A copy of an audit that was labelled on the desk and certified, with tables of its own."""
    shutil.copytree(labelled[0].parent, tmp_path / "data")
    (tmp_path / "data" / "audit" / "paths.jsonl").unlink()
    return tmp_path / "data" / "audit"


def matched_node(audit, truth, which=0):
    """A drawn node that has a match."""
    return [row for row in Draw.load(audit).sample if truth[row[0]]][which]


def test_a_drawn_person_is_erased_from_every_file(audit, labelled):
    node, *places = matched_node(audit, labelled[1])
    assert holding(audit, node) == ["journal.jsonl", "labels.csv", "sample.csv"]
    before = Record.read(audit / "certificate.json")
    answer = mb.forget(audit, [node], reason="a request")
    assert str(answer) == (
        "1 id is erased from the audit; 1 drawn node counts as the worst case from now on. "
        "Certificates issued before stay valid and have the counts of these nodes' matches, "
        "without ids: docs/privacy.md says what they reveal."
    )
    assert holding(audit, node) == []
    assert [row for row in Draw.load(audit).sample if not row[0]] == [("", *places)]
    entry = sound_ledger(audit).entries[-1]
    draw = Draw.load(audit)
    place = [row[1:] for row in draw.in_order].index(tuple(places)) + 1
    facts = {name: entry[name] for name in ("kind", "places", "records", "count", "reason")}
    assert facts == {
        "kind": "forget",
        "places": [place],
        "records": 0,
        "count": 1,
        "reason": "a request",
    }
    assert not list(contradictions(before, Certificate.of(before)))
    assert run("verify", audit) == 3
    assert "labels as they were (1 node erased since)" in str(mb.verify(audit))
    again = certified(audit, out=audit / "again.json")
    assert remark_of(again) == 1
    assert "2 people looked for them, blind;" in str(again)
    labels = again.tallies[WHOLE]
    assert [label.t for label in (*labels.train, *labels.fresh)].count(None) == 1
    assert mb.verify(audit / "again.json", inputs=audit.parent).outcome == "verified"
    assert all(
        one.value <= other.value
        for one, other in zip(again.guarantees, Certificate.of(before).guarantees, strict=True)
    )


def test_who_is_only_a_match_is_erased_with_the_labels_that_name_them(audit, labelled):
    node = matched_node(audit, labelled[1])[0]
    (match,) = labelled[1][node]
    assert mb.forget(audit, [match]).nodes == 1
    assert holding(audit, match) == []
    assert node in (audit / "sample.csv").read_text()
    assert node not in (audit / "labels.csv").read_text()
    assert holding(audit, node) == ["sample.csv"]
    tally = certified(audit).tallies[WHOLE]
    # Their label is gone: they count as the worst case, never as a node without a match.
    (label,) = [label for label in (*tally.train, *tally.fresh) if not label.is_sure]
    assert (label.h, label.t) == (1, None)


def test_an_undone_verdict_and_a_note_count_too(tmp_path):
    audit, _ = make_labelled(tmp_path / "data", upto=0)
    desk = Desk(audit, Draw.load(audit))
    for i, (matches, note) in enumerate([(["q1"], ""), ([], "same as q2?"), (["q12"], "or q13")]):
        place = desk.next("Ana")
        desk.label("Ana", place, matches, note)
        if not i:
            desk.undo("Ana")
            desk.label("Ana", place, [], "")
    answer = mb.forget(audit, ["q1", "q2"])
    assert (answer.nodes, answer.noted) == (2, 1)
    assert "worst case from now on, 1 of them because of a note alone." in str(answer)
    assert erased_rows(Draw.load(audit), sound_ledger(audit).entries) == tuple(
        Draw.load(audit).in_order[:2]
    )
    assert "q12" in (audit / "labels.csv").read_text()
    assert holding(audit, "q1") == holding(audit, "q12")


def test_an_erased_node_is_the_worst_case_even_if_someone_writes_a_label_for_it(audit, labelled):
    node = matched_node(audit, labelled[1])[0]
    mb.forget(audit, [node])
    before = certified(audit)
    with open(audit / "labels.csv", "a", encoding="utf-8") as file:
        file.write(f"{node},\n")
    after = certified(audit)
    assert after.tallies == before.tallies
    assert after.guarantees == before.guarantees


def test_others_without_a_label_are_still_refused(audit, labelled):
    truth = labelled[1]
    mb.forget(audit, [matched_node(audit, truth)[0]])
    lines = (audit / "labels.csv").read_text().splitlines(keepends=True)
    (audit / "labels.csv").write_text("".join(lines[:-1]))
    with pytest.raises(InputError, match=r"^labels must cover every sampled node; 1 of"):
        certified(audit)
    both = certified(audit, unlabelled="worst")
    codes = {one.code: one.numbers for one in both.assumptions}
    assert codes["unlabelled"] == codes["erased"] == (1,)


def test_certify_needs_the_population_that_was_drawn_from(audit, labelled):
    node = matched_node(audit, labelled[1])[0]
    mb.forget(audit, [node])
    people = audit.parent / "people.csv"
    rows = [row for row in read_csv(people) if row[0] != node]
    write_csv(people, ["id", "name", "city"], rows)
    with pytest.raises(
        InputError, match="which has changed since: ids were erased from this audit"
    ):
        certified(audit, population=people)


@pytest.mark.parametrize("first", ["certify", "forget"])
def test_who_is_removed_from_the_population_contradicts_no_certificate(audit, labelled, first):
    """In either order that docs/privacy.md names."""
    node = matched_node(audit, labelled[1])[0]
    mb.forget(audit, [node])
    if first == "forget":
        certified(audit, out=audit / "certificate.json", force=True)
        assert mb.verify(audit).outcome == "verified"
    people = audit.parent / "people.csv"
    rows = [row for row in read_csv(people) if row[0] != node]
    write_csv(people, ["id", "name", "city"], rows)
    found = mb.verify(audit)
    assert found.outcome == "consistent in itself"
    assert "population (changed since ids were erased)" in found.missing


def test_a_population_that_was_changed_contradicts_where_nobody_was_erased(audit):
    people = audit.parent / "people.csv"
    write_csv(people, ["id", "name", "city"], read_csv(people)[1:])
    assert mb.verify(audit).outcome == "contradicted"


def test_a_sample_that_the_seed_does_not_draw_is_refused(audit, labelled):
    mb.forget(audit, [matched_node(audit, labelled[1])[0]])
    rows = read_csv(audit / "sample.csv")
    filled = next(i for i, row in enumerate(rows) if row[0])
    for changed in ("Zqxa399", ""):
        forged = [[changed, *row[1:]] if i == filled else row for i, row in enumerate(rows)]
        write_csv(audit / "sample.csv", ["id", "train", "validation"], forged)
        with pytest.raises(InputError, match="as the seed draws them, but for erased ids"):
            certified(audit)


def test_places_erased_from_an_earlier_draw_excuse_no_other_sample(tmp_path):
    truth, audit = make_people(tmp_path, 400), tmp_path / "audit"
    found = dict(read_csv(tmp_path / "holdout.csv"))
    mb.draw(tmp_path / "people.csv", labels=30, out=audit, link=True)
    mb.forget(audit, list(Draw.load(audit).validated))
    draw = mb.draw(tmp_path / "people.csv", labels=30, link=True)
    chosen = [x for x in found if found[x] in truth[x]][:30]
    rows = [(x, *row[1:]) for x, row in zip(chosen, draw.sample, strict=True)]
    replace(draw, sample=tuple(rows)).save(audit, force=True)
    write_csv(audit / "labels.csv", ["x", "y"], [[x, *truth[x]] for x in chosen])
    certified(audit, out=audit / "certificate.json")
    assert mb.verify(audit).differences == ("sample.csv is not what the seed draws",)


ODD = [
    "plain",
    "plain2",
    "a,b",
    'he said "x"',
    "two\nlines",
    "cr\rhere",
    "ünïcode ⭐",
    "'; --",
    "007",
    "7",
    "-5",
    "a\\b",
]


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """An audit of people with odd ids, labelled on the desk, and its nodes in their order."""
    folder = tmp_path_factory.mktemp("odd")
    (folder / "people.csv").write_bytes(csv_text(["id"], [[one] for one in ODD]).encode())
    mb.draw(folder / "people.csv", labels=len(ODD), seed="1", out=folder / "audit", link=True)
    label_on_desk(folder / "audit", {one: [f"y:{one}"] for one in ODD})
    return folder / "audit", [row[0] for row in Draw.load(folder / "audit").in_order]


@pytest.mark.parametrize("node", ODD)
@pytest.mark.parametrize("as_match", [False, True])
def test_odd_ids_are_erased_and_no_other_is(odd, tmp_path, node, as_match):
    audit, drawn = tmp_path / "audit", odd[1]
    shutil.copytree(odd[0], audit)
    wanted = f"y:{node}" if as_match else node
    assert mb.forget(audit, [wanted]).nodes == 1
    assert wanted not in [cell for row in read_csv(audit / "labels.csv") for cell in row]
    left = [row[0] for row in Draw.load(audit).in_order]
    assert left == [one if as_match or one != node else "" for one in drawn]
    named = {row[0] for row in read_csv(audit / "labels.csv")}
    assert named == {*drawn} - {node}
    openings = [one.value for one in read_journal(audit).openings.values() if one.name == "label"]
    assert {one["node"] for one in openings} == named
    Desk(audit, Draw.load(audit))  # labels.csv is as the page would write it


def test_erasing_7_does_not_erase_007_nor_17(tmp_path):
    people = ["7", "007", "17", "70", "x"]
    write_csv(tmp_path / "people.csv", ["id"], [[one] for one in people])
    mb.draw(tmp_path / "people.csv", labels=5, seed="1", out=tmp_path / "audit", link=True)
    rows = [[one, f"9{one}"] for one in people]
    write_csv(tmp_path / "audit" / "labels.csv", ["x", "y"], rows)
    mb.forget(tmp_path / "audit", ["7"])
    assert read_csv(tmp_path / "audit" / "labels.csv") == rows[1:]


@pytest.mark.parametrize("delimiter", [",", pytest.param(";", marks=pytest.mark.slow)])
def test_labels_in_clusters(tmp_path, delimiter):
    """Whoever is in a cluster with an erased person is erased too; the others count as before."""
    people = [f"p{i}" for i in range(120)]
    write_csv(tmp_path / "people.csv", ["id"], [[one] for one in people])
    holdout = [[f"p{i}", f"c{i // 3}"] for i in range(120)]
    write_csv(tmp_path / "holdout.csv", ["id", "cluster"], holdout)
    audit = tmp_path / "audit"
    mb.draw(tmp_path / "people.csv", labels=50, seed="1", out=audit, dedupe=True)
    with open(audit / "labels.csv", "w", newline="", encoding="utf-8") as file:
        rows = [["id", "cluster", "remark"], *([*row, f"of {row[0]}"] for row in holdout)]
        csv.writer(file, delimiter=delimiter).writerows(rows)
    drawn = {row[0] for row in Draw.load(audit).sample}
    clusters = [{f"p{i}", f"p{i + 1}", f"p{i + 2}"} for i in range(0, 120, 3)]
    together = next(one for one in clusters if len(one & drawn) == 2)
    (mate,) = together - drawn
    apart = next(one for one in clusters if not one & drawn)
    answer = mb.forget(audit, [mate])
    assert (answer.nodes, answer.noted) == (2, 0)
    lines = (audit / "labels.csv").read_text().splitlines()
    left = {row[0] for row in csv.reader(lines, delimiter=delimiter)}
    assert left == {"id", *people} - together
    certificate = certified(audit)
    tally = certificate.tallies[WHOLE]
    assert sum(not label.is_sure for label in tally.fresh) == 2
    assert all(label.t == 2 for label in tally.fresh if label.is_sure)
    assert remark_of(certificate) == 2
    assert mb.forget(audit, [min(apart)]).nodes == 0
    assert remark_of(certified(audit)) == 2
    mb.patch(audit, holdout=tmp_path / "holdout.csv", out=tmp_path / "patched.csv")
    clusters = dict(read_csv(tmp_path / "patched.csv"))
    one, other = sorted(together & drawn)
    assert clusters[one] == clusters[other]  # the matcher's: nobody said that it has none


@pytest.mark.parametrize("dedupe", [True, False])
def test_clusters_lack_no_more_records_than_were_erased(tmp_path, dedupe):
    """A drawn node's mate that is in no cluster would count as "no match"."""
    people, others = [f"p{i}" for i in range(120)], [f"q{i}" for i in range(0 if dedupe else 120)]
    write_csv(tmp_path / "people.csv", ["id"], [[one] for one in people])
    clusters = [[one, f"c{int(one[1:]) // 2}"] for one in (*people, *others)]
    write_csv(tmp_path / "holdout.csv", ["id", "cluster"], clusters)
    audit = tmp_path / "audit"
    mb.draw(tmp_path / "people.csv", labels=30, seed="1", out=audit, dedupe=dedupe, link=not dedupe)
    node = Draw.load(audit).validated[0]
    mb.forget(audit, [node])  # before there are labels, so that no row went
    side = 0 if dedupe else 120
    some = clusters[:side] + clusters[side + 2 :]
    write_csv(audit / "labels.csv", ["id", "cluster"], some)
    with pytest.raises(AssumptionError, match=r"^labels must put every record"):
        certified(audit)
    write_csv(audit / "labels.csv", ["id", "cluster"], clusters)
    certified(audit)
    mate = next(one for one in people if one not in Draw.load(audit).validated and one != node)
    mb.forget(audit, [mate])
    gone = 2 if dedupe else 4
    assert sound_ledger(audit).entries[-1]["records"] == gone
    left = read_csv(audit / "labels.csv")
    assert len(left) == len(clusters) - gone
    certified(audit, out=audit / "certificate.json")
    assert mb.verify(audit).outcome == "verified"
    mb.patch(audit, holdout=tmp_path / "holdout.csv", out=tmp_path / "patched.csv")
    drawn = {*Draw.load(audit).validated}
    lost = next(row for row in reversed(left) if row[0] not in drawn)
    write_csv(audit / "labels.csv", ["id", "cluster"], [row for row in left if row != lost])
    if dedupe:
        with pytest.raises(AssumptionError, match="of which `forget` removed 2"):
            certified(audit)


FORMS = [
    (["rec", "grp"], {"id": "rec", "cluster": "grp"}, False),
    (["id", "cluster", "grp"], {"id": "id", "cluster": "grp"}, True),
    (["x", "y", "rec", "grp"], {"id": "rec", "cluster": "grp"}, True),
]


@pytest.mark.parametrize(("header", "columns", "certifies"), FORMS)
def test_labels_whose_columns_a_user_must_name_are_refused(tmp_path, header, columns, certifies):
    """An erased mate in a cluster that is not read as one would count as "no match"."""
    people = [f"p{i}" for i in range(40)]
    write_csv(tmp_path / "people.csv", ["id"], [[one] for one in people])
    rows = [[f"p{i}", f"c{i // 2}"] for i in range(40)]
    write_csv(tmp_path / "holdout.csv", list(columns.values()), rows)
    audit = tmp_path / "audit"
    mb.draw(tmp_path / "people.csv", labels=20, seed="1", out=audit, dedupe=True)
    cells = dict(zip(columns.values(), range(2), strict=True))
    labels = [[row[cells[name]] if name in cells else "" for name in header] for row in rows]
    write_csv(audit / "labels.csv", header, labels)
    if certifies:
        certified(audit, columns=columns)
    before = contents(audit)
    with pytest.raises(InputError, match="by whose names alone every label of an erased") as error:
        mb.forget(audit, ["p1"])
    assert "Name them x and y, or id and cluster; where ids have sources" in str(error.value)
    assert contents(audit) == before


def test_labels_with_sources_in_columns_of_other_names_are_refused(tmp_path):
    """Ids without their sources are nobody's: what names a person would stay."""
    write_csv(tmp_path / "people.csv", ["id"], [[f"p{i}"] for i in range(40)])
    audit = tmp_path / "audit"
    draw = mb.draw(tmp_path / "people.csv", labels=9, seed="1", out=audit, source="A", link=True)
    node = draw.validated[0]
    rows = [[one.split("-__-")[1], "q1", "A", "B"] for one in draw.validated]
    for header in (["l_id", "r_id", "sd_l", "sd_r"], ["x", "y", "sd_l", "sd_r"]):
        write_csv(audit / "labels.csv", header, rows)
        with pytest.raises(InputError, match="source_dataset_l and source_dataset_r"):
            mb.forget(audit, [node])
    header = ["unique_id_l", "unique_id_r", "source_dataset_l", "source_dataset_r"]
    write_csv(audit / "labels.csv", header, rows)
    assert mb.forget(audit, [node]).nodes == 1
    assert len(read_csv(audit / "labels.csv")) == 8


def test_pairs_in_either_order_keep_other_nodes_labels(tmp_path):
    """A row of an erased node that labels another one too stays, if it names nobody erased."""
    people = [f"p{i}" for i in range(40)]
    write_csv(tmp_path / "people.csv", ["id"], [[one] for one in people])
    audit = tmp_path / "audit"
    mb.draw(tmp_path / "people.csv", labels=40, seed="1", out=audit, dedupe=True)
    header = ["unique_id_l", "unique_id_r", "clerical_match_score"]
    rows = [["p1", "p2", 1], ["p2", "p3", 1], ["p3", "p4", 0], ["p8", "p9", 1]]
    write_csv(audit / "labels.csv", header, rows)
    assert mb.forget(audit, ["p1"]).nodes == 2
    left = [[*map(str, row)] for row in rows[1:]]
    assert read_csv(audit / "labels.csv") == left


def test_a_gap_sample_is_drawn_again(tmp_path):
    audit = make_audit(tmp_path / "data", "--gap", 50)
    gap = read_csv(audit / "gap.csv")
    drawn = {row[0] for row in Draw.load(audit).sample}
    (node,) = next(row for row in gap if row[0] not in drawn)
    assert certify(audit) == 0
    assert mb.forget(audit, [node]).nodes == 0
    assert read_csv(audit / "gap.csv").count([""]) == 1
    assert holding(audit, f"{node},") == []
    assert certify(audit, "--force") == 0
    certificate = Certificate.load(audit / "certificate.json")
    assert not [one for one in certificate.assumptions if one.code == "erased"]
    assert mb.verify(audit).outcome == "verified"


def test_training_nodes_are_erased_in_train_csv_too(audit, labelled):
    node = Draw.load(audit).trained[0]
    mb.forget(audit, [node])
    assert read_csv(audit / "train.csv")[0] == [""]
    assert remark_of(certified(audit)) == 1


def test_anytime_an_erased_node_does_not_end_the_sample(tmp_path):
    audit, _ = make_labelled(tmp_path / "data", "--anytime", train=0, labels=80, upto=60)
    order = Draw.load(audit).validated
    before = certified(audit)
    assert len(before.tallies[WHOLE].validation) == 60
    mb.forget(audit, [order[10], order[70]])
    after = certified(audit, out=audit / "certificate.json")
    tally = after.tallies[WHOLE]
    assert [i for i, label in enumerate(tally.validation) if not label.is_sure] == [10]
    assert len(tally.validation) == 60
    assert remark_of(after) == 1
    assert mb.verify(audit).outcome == "verified"
    write_csv(audit / "labels.csv", ["x", "y"], [])
    with pytest.raises(InputError, match=r"^labels must begin with the first validation node"):
        certified(audit)


def live_of(audit):
    folder = audit.parent
    records, against = folder / "people.csv", folder / "right.csv"
    inputs = Inputs(records, against, holdout=folder / "holdout.csv")
    return open_inputs(Audit.open(audit), inputs).live


def test_live_bounds_count_erased_nodes_as_certify_does(tmp_path):
    audit, truth = make_labelled(tmp_path / "data", "--anytime", train=0, labels=60, upto=50)
    order = Draw.load(audit).validated
    (match,) = next(truth[node] for node in order[5:] if truth[node])
    mb.forget(audit, [match])
    live, certificate = live_of(audit), certified(audit)
    bounds = live.at(Desk(audit, Draw.load(audit)).labels())
    assert bounds.labels == 50
    assert {one.metric: one.value for one in bounds.bounds} == {
        one.metric: one.value for one in certificate.guarantees
    }
    mb.forget(audit, [order[1]])
    assert live_of(audit).startswith("No bounds are shown: ids were erased from this draw.")


def test_a_draw_that_grows_keeps_ids_erased(tmp_path):
    audit, _ = make_labelled(tmp_path / "data", "--anytime", train=5, labels=40, upto=30)
    order = [row[0] for row in Draw.load(audit).in_order]
    mb.forget(audit, [order[2], order[12]])
    people = audit.parent / "people.csv"
    assert run("draw", people, "--labels", 60, "--extend", "--out", audit) == 0
    grown = Draw.load(audit)
    assert [i for i, row in enumerate(grown.in_order) if not row[0]] == [2, 12]
    assert holding(audit, order[2], order[12]) == []
    assert len(grown.validated) == 60
    tally = certified(audit, out=audit / "certificate.json").tallies[WHOLE]
    assert sum(not one.is_sure for one in (*tally.train, *tally.fresh)) == 2
    assert mb.verify(audit).outcome == "verified"


def test_a_second_phase_keeps_ids_of_the_first_erased(tmp_path):
    truth = make_people(tmp_path, 400)
    audit = tmp_path / "audit"
    run_seeded("s", "draw", tmp_path / "people.csv", "--train", 20, "--link", "--out", audit)
    label_on_desk(audit, truth)
    trained = Draw.load(audit).trained
    mb.forget(audit, [trained[4]])
    given = ["--holdout", tmp_path / "holdout.csv", "--labels", 60]
    assert run_seeded("t", "draw", tmp_path / "people.csv", *given, "--out", audit) == 0
    assert [i for i, node in enumerate(Draw.load(audit).trained) if not node] == [4]
    assert holding(audit, f"{trained[4]}\n", f"{trained[4]},") == []
    label_on_desk(audit, truth, upto=60)
    certificate = certified(audit, out=audit / "certificate.json")
    assert remark_of(certificate) == 1
    assert mb.verify(audit).outcome == "verified"


def test_nodes_to_train_on_that_were_known_by_labels(tmp_path):
    truth = make_people(tmp_path, 400)
    rows = [[x, *(ys or [""])] for x, ys in truth.items()]
    write_csv(tmp_path / "known.csv", ["x", "y"], rows[:30])
    audit = tmp_path / "audit"
    given = {"trained_on": tmp_path / "known.csv", "holdout": tmp_path / "holdout.csv"}
    draw = mb.draw(tmp_path / "people.csv", labels=60, seed="1", link=True, out=audit, **given)
    drawn = {row[0] for row in draw.sample}
    write_csv(audit / "labels.csv", ["x", "y"], [row for row in rows if row[0] in drawn])
    mb.forget(audit, [draw.trained[2], draw.validated[3]])
    assert remark_of(certified(audit, out=audit / "certificate.json")) == 2
    assert mb.verify(audit).outcome == "verified"
    write_csv(tmp_path / "known.csv", ["x", "y"], [r for r in rows[:30] if r[0] != draw.trained[2]])
    with pytest.raises(InputError, match="or the labels trained on"):
        certified(audit)


def test_a_matcher_is_run_without_who_was_erased(audit, labelled):
    node = matched_node(audit, labelled[1])[0]
    mb.forget(audit, [node])
    seen = []

    def matcher(labels):
        seen.append({x for x, _ in labels})
        return read_csv(audit.parent / "holdout.csv")

    assert remark_of(mb.withhold(matcher, audit)) == 1
    assert node not in seen[1]
    assert "" not in seen[1]


def test_a_certificate_that_was_under_way_is_refused(audit, labelled, monkeypatch):
    node = matched_node(audit, labelled[1])[0]
    compute = certification.compute

    def slow(*arguments):
        certificate = compute(*arguments)
        mb.forget(audit, [node])
        return certificate

    monkeypatch.setattr(certification, "compute", slow)
    with pytest.raises(InputError, match=r"^audit must stay as it was opened"):
        certified(audit)
    assert len(read_ledger(audit).of_kind("certificate")) == 1


def test_a_page_that_is_open_is_not_pulled_away(audit, labelled):
    with alone(audit), pytest.raises(InputError, match="must not be open on a labelling page"):
        mb.forget(audit, [matched_node(audit, labelled[1])[0]])


def test_a_labeller_whose_name_was_erased_is_no_missing_input(audit, labelled):
    path = audit / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    kept = [line for line in lines if b'"content": {"name":' not in line]
    assert len(lines) - len(kept) == 2
    path.write_bytes(b"".join(kept))
    assert mb.verify(audit).outcome == "verified"
    mb.forget(audit, [matched_node(audit, labelled[1])[0]])
    certified(audit, out=audit / "again.json")
    assert mb.verify(audit / "again.json", inputs=audit.parent).outcome == "verified"


def test_a_draw_that_ends_by_its_true_matches_is_refused(tmp_path):
    audit, _ = make_labelled(tmp_path / "data", "--until", "recall=20", train=0, labels=60)
    mb.forget(audit, [Draw.load(audit).validated[3]])
    with pytest.raises(InputError, match=r"^labels must be whole where a draw goes on until 20"):
        certified(audit)


def test_the_page_never_hands_out_who_was_erased(audit, labelled):
    truth = labelled[1]
    node = matched_node(audit, truth, 3)[0]
    (match,) = truth[matched_node(audit, truth, 5)[0]]
    mb.forget(audit, [node, match])
    draw = Draw.load(audit)
    desk = Desk(audit, draw, twice=len(draw.sample))
    erased = {draw.in_order.index(row) + 1 for row in erased_rows(draw, desk._keeper.entries)}
    assert desk.book.erased == erased
    assert len(erased) == 2
    handed = set()
    while (place := desk.next("Cleo")) is not None:
        handed.add(place)
        desk.label("Cleo", place, [], "")
    assert handed == {*range(1, len(draw.sample) + 1)} - erased
    state = desk.state("Cleo")
    assert state.done == state.total == len(draw.sample) - 2
    for place in erased:
        with pytest.raises(InputError, match="whose label was not erased"):
            desk.label("Cleo", place, [], "")


def test_refusals(audit, labelled):
    node = matched_node(audit, labelled[1])[0]
    before = contents(audit)
    refused = [
        (
            (["nobody"],),
            {},
            "ids must be in the audit, as sample.csv or labels.csv write them, got "
            "'nobody', which is nowhere in it. Leave it out.",
        ),
        (([node, "nobody"],), {}, "'nobody', which is nowhere in it"),
        (([],), {}, "ids must be a list of texts, none of them empty, got []. Give some."),
        (([""],), {}, "ids must be a list"),
        ((node,), {}, "ids must be a list"),
        (([node],), {"reason": f"asked by {node}."}, "reason must not name an id"),
        (([node],), {"reason": "\udc80"}, "reason must be UTF-8 text"),
    ]
    for arguments, more, sentence in refused:
        with pytest.raises(InputError) as error:
            mb.forget(audit, *arguments, **more)
        assert sentence in str(error.value)
    assert run("forget", audit, "--id", "nobody") == 2
    assert run("forget", audit.parent, "--id", "nobody") == 2
    assert contents(audit) == before


def test_a_link_to_a_file_elsewhere_is_refused(audit, labelled, tmp_path):
    (audit / "labels.csv").rename(tmp_path / "labels.csv")
    (audit / "labels.csv").symlink_to(tmp_path / "labels.csv")
    with pytest.raises(InputError, match="got a link to a file elsewhere"):
        mb.forget(audit, [matched_node(audit, labelled[1])[0]])


def test_what_is_not_matchbound_s_is_named_and_what_it_left_is_removed(audit, labelled):
    node = matched_node(audit, labelled[1])[0]
    (audit / "deep").mkdir()
    (audit / "deep" / "mail.txt").write_text(f"about {node}.")
    (audit / "notes.json").write_text(json.dumps({"who": node}))
    (audit / "other.txt").write_text(f"about {node}9.")
    (audit / ".labels.csv.ab12_xyz").write_text(node)
    (audit / "ledger-1.jsonl").write_text(node)
    answer = mb.forget(audit, [node])
    assert answer.still_in == ("deep/mail.txt", "notes.json")
    assert str(answer).endswith("These files still hold them: deep/mail.txt, notes.json.")
    names = {path.name for path in files_of(audit)}
    assert not names & {".labels.csv.ab12_xyz", "ledger-1.jsonl", UNDER_WAY}


def test_forgetting_twice_is_refused_and_says_that_it_was_done(audit, labelled):
    truth = labelled[1]
    node, other = (matched_node(audit, truth, i)[0] for i in (0, 1))
    mb.forget(audit, [node])
    before = contents(audit)
    for ids in ([node], ["nobody"], [node, "nobody"], [node, other]):
        with pytest.raises(InputError, match="which is nowhere in it") as error:
            mb.forget(audit, ids)
        assert str(error.value).endswith(
            f"Entry {len(read_ledger(audit).entries)} of its ledger, the last, says that ids were "
            "erased."
        )
    assert run("forget", audit, "--id", "nobody") == 2
    assert contents(audit) == before
    certified(audit)
    with pytest.raises(InputError, match=r"which is nowhere in it\. Leave it out\.$"):
        mb.forget(audit, [node])


@pytest.mark.parametrize("full", [False, True], ids=["killed", "disk full"])
@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.slow)])
def test_stopped_anywhere_it_is_finished_by_the_same_command(audit, labelled, tmp_path, step, full):
    truth = labelled[1]
    node = matched_node(audit, truth, 1)[0]
    (match,) = truth[matched_node(audit, truth, 4)[0]]
    (audit / ".sample.csv.ab12_xyz").write_text(node)

    def forgotten(folder):
        mb.forget(folder, [node, match], reason="asked")

    whole, copy = tmp_path / "whole", tmp_path / "copy"
    shutil.copytree(audit, whole)
    forgotten(whole)
    for number in range(0, 1000, step):
        shutil.copytree(audit, copy)
        ended = killed_at(number, partial(forgotten, copy), full=full)
        Draw.load(copy)
        if len(sound_ledger(copy).entries) == len(sound_ledger(audit).entries):
            kept = {path.name: data for path, data in contents(copy).items()}
            assert all(kept[path.name] == data for path, data in contents(audit).items())
        is_done = sound_ledger(copy).entries[-1]["kind"] == "forget"
        is_done &= not (copy / UNDER_WAY).exists()
        with pytest.raises(InputError, match="the last, says that") if is_done else nullcontext():
            forgotten(copy)
        for name in (".ledger.lock", ".page.lock"):
            (copy / name).unlink(missing_ok=True)
        assert state_of(copy) == state_of(whole), number
        assert read_journal(copy).salt != read_journal(audit).salt
        (entry,) = read_ledger(copy).of_kind("forget")
        left = labels_in_folder(Audit.open(copy)).nodes
        if not (full and entry["by_place"] is None):  # labels.csv could not be read, and it says so
            assert entry["by_place"] == salted_by_place(read_journal(copy).salted, left)
        assert holding(copy, node, match) == []
        if ended == ENDED:
            break
        shutil.rmtree(copy)
    assert 40 < number < 1000


def test_a_folder_that_was_of_version_1(tmp_path):
    """Its old ledger and draw go, with ids and digests that have no salt."""
    made = Path(__file__).parents[1] / "certificates" / "version1" / "folders" / "certified"
    shutil.copytree(made, tmp_path / "data")
    audit = tmp_path / "data" / "audit"
    assert run("repair", audit, "--to", 2) == 0
    node = Draw.load(audit).validated[2]
    answer = mb.forget(audit, [node])
    assert not (audit / "ledger-1.jsonl").exists()
    assert not (audit / "draw-1.json").exists()
    assert {one.name for one in read_journal(audit).openings.values()} == {
        "label",
        "name",
        "seed",
    }
    words = re.compile(rf"\b{node}\b".encode())
    assert [path.name for path in files_of(audit) if words.search(path.read_bytes())] == []
    assert answer.version1 == ("certificate.json",)
    assert "By certificates of version 1 (certificate.json) an erased label can" in str(answer)
    verification = mb.verify(audit)
    assert (verification.differences, verification.missing) == ((), ("draw", "labels", "ledger"))
    assert remark_of(certified(audit, out=audit / "new.json")) == 1
    assert mb.verify(audit / "new.json", inputs=audit.parent).outcome == "verified"


def test_a_full_disk_after_the_entry_says_to_repeat_it(audit, labelled, monkeypatch):
    node = matched_node(audit, labelled[1])[0]
    from matchbound.audits import forget as module

    written = module.write_whole

    def full(files, *, force):
        if any(path.name == "labels.csv" for path in files):
            raise mb.EngineError("cannot write labels.csv: No space left on device. Free some.")
        written(files, force=force)

    monkeypatch.setattr(module, "write_whole", full)
    with pytest.raises(UnfinishedError, match=r"the erasure is on record, but cannot write"):
        mb.forget(audit, [node])
    monkeypatch.undo()
    assert mb.forget(audit, [node]).nodes == 1
    assert holding(audit, node) == []
    assert len(read_ledger(audit).of_kind("forget")) == 1


def test_labels_that_differ_in_anything_have_different_commitments():
    texts = ["", "a", "b", "a,b", '"', "\\", "\n", "\u00e9", "e\u0301", "null", "[]"]
    labels = [
        {"node": node, "matches": matches, "note": note}
        for node in texts
        for note in texts
        for matches in (None, [], ["a"], ["b"], ["a", "b"], ["b", "a"], ["a,b"], [""], ["null"])
    ]
    commitments = {Opening("0" * 32, "label", label).commitment for label in labels}
    assert len(commitments) == len(labels)
    assert len({canonical("label", label) for label in labels}) == len(labels)
    for one, other in combinations([Opening.new("label", labels[0]) for _ in range(20)], 2):
        assert one.commitment != other.commitment  # the same label twice, with two salts


def test_a_changed_label_with_an_old_commitment_is_named(audit, labelled):
    path = audit / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    number = next(i for i, line in enumerate(lines) if b'"label"' in line)
    record = json.loads(lines[number])
    (entry,) = [
        one["entry"]
        for one in map(json.loads, (audit / "ledger.jsonl").read_text().splitlines())
        if one.get("label") == {"sealed": record["sealed"]}
    ]
    for name, value in (("node", "Zqxa1"), ("matches", ["Zqxb1"]), ("note", "another")):
        changed = json.loads(lines[number])
        changed["content"]["label"][name] = value
        line = json.dumps(changed, ensure_ascii=False).encode() + b"\n"
        path.write_bytes(b"".join([*lines[:number], line, *lines[number + 1 :]]))
        named = f"the label of entry {entry} was changed in journal.jsonl"
        assert any(named in one for one in mb.verify(audit).differences)
        with pytest.raises(InputError, match=named):
            certified(audit)
        with pytest.raises(InputError, match=named):
            mb.forget(audit, ["Zqxa1"])
