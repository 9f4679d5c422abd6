"""Entities: labels of one table that follow from each other."""

import json
import random

import pytest

from matchbound.audits import Draw, sound_ledger
from matchbound.desk.desk import Desk, UnconfirmedError
from matchbound.desk.entities import changes, entities, signature
from support.audits import read_csv, run, run_seeded, write_csv


def saved(labels, node, matches):
    """The labels after this one, and after all that follow from it."""
    after = {x: set(ys) for x, ys in labels.items()} | {node: set(matches)}
    return after | {one.node: set(one.matches) for one in changes(labels, node, matches)}


def test_labels_stay_those_of_entities_whatever_is_said():
    """By brute force: no two labels contradict each other, and same entities have same records."""
    rng = random.Random(3)
    for _ in range(300):
        labels = {}
        for _ in range(12):
            node = rng.choice("abcdefgh")
            others = [y for y in "abcdefgh" if y != node]
            matches = rng.sample(others, rng.choice([0, 1, 2, 3]))
            told = changes(labels, node, matches)
            for one in told:
                before = set(labels[one.node])
                assert set(one.matches) == (before | set(one.gains)) - set(one.loses)
                assert before.isdisjoint(one.gains)
                assert before >= set(one.loses)
                assert one.gains or one.loses
            labels = saved(labels, node, matches)
            assert labels[node] == set(matches)
            for x, ys in labels.items():
                assert x not in ys
                for y in labels.keys() - {x}:
                    assert (y in ys) == (x in labels[y])
                    if y in ys:
                        assert ys | {x} == labels[y] | {y}
                    else:
                        assert (ys | {x}).isdisjoint(labels[y] | {y})


def test_entities_are_what_labels_connect():
    labels = {"a": ("b", "c"), "d": (), "c": ("a", "e"), "f": ("g",)}
    assert [set(one) for one in entities(labels)] == [set("abce"), set("fg")]
    assert entities(labels)[0][:2] == ["a", "c"]  # labelled nodes first


@pytest.fixture
def audit(tmp_path):
    """Ten records, all drawn, to be matched with each other."""
    write_csv(tmp_path / "people.csv", ["id", "name"], [[f"r{i}", "Ann"] for i in range(10)])
    draw = [
        "draw",
        tmp_path / "people.csv",
        "--dedupe",
        "--labels",
        10,
        "--out",
        tmp_path / "audit",
    ]
    assert run_seeded("s", *draw) == 0
    return tmp_path / "audit"


def labelled(audit):
    rows = {}
    for x, y in read_csv(audit / "labels.csv"):
        rows.setdefault(x, set()).update([y] if y else [])
    return rows


def confirm(desk, place, matches, labeller="Ann"):
    with pytest.raises(UnconfirmedError) as asked:
        desk.label(labeller, place, matches)
    desk.label(labeller, place, matches, confirmed=signature(asked.value.changes))
    return asked.value.changes


def test_a_correction_changes_both_sides(audit):
    desk = Desk(audit, Draw.load(audit))
    a, b, c = desk.order[:3]
    desk.label("Ann", desk.next("Ann"), [b])
    desk.label("Ann", desk.next("Ann"), [a])
    (change,) = confirm(desk, 1, [])
    assert (change.node, change.gains, change.loses) == (b, (), (a,))
    assert labelled(audit) == {a: set(), b: set()}
    desk.undo("Ann")  # both sides come back
    assert labelled(audit) == {a: {b}, b: {a}}
    desk.next("Ann")
    confirm(desk, 3, [a, b])
    assert labelled(audit) == {a: {b, c}, b: {a, c}, c: {a, b}}
    again = Desk(audit, Draw.load(audit))  # the same from the ledger
    assert again.labels() == desk.labels()
    assert sound_ledger(audit).entries[-1]["joint"] == [3, 3]


def test_half_of_what_was_saved_as_one_does_not_count(audit):
    """A crash may leave the first lines: nobody was told that they were saved."""
    desk = Desk(audit, Draw.load(audit))
    a, b, _ = desk.order[:3]
    for matches in ([b], [a]):
        desk.label("Ann", desk.next("Ann"), matches)
    before = labelled(audit)
    desk.next("Ann")
    confirm(desk, 3, [a, b])
    lines = (audit / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    for cut in (1, 2):
        (audit / "ledger.jsonl").write_bytes(b"".join(lines[:-cut]))
        write_csv(audit / "labels.csv", ["x", "y"], [[x, y] for x in before for y in before[x]])
        again = Desk(audit, Draw.load(audit))
        assert {x: set(ys) for x, ys in again.labels().items()} == before
    confirm(again, again.next("Ann"), [a, b])
    assert again.labels() == desk.labels()


def test_other_changes_than_those_confirmed_save_nothing(audit):
    desk = Desk(audit, Draw.load(audit))
    a, b, c, d = desk.order[:4]
    desk.label("Ann", desk.next("Ann"), [b])
    place = desk.next("Ann")
    with pytest.raises(UnconfirmedError) as asked:
        desk.label("Ann", place, [a, c])
    desk.label("Ben", desk.next("Ben"), [d])  # c, meanwhile
    with pytest.raises(UnconfirmedError, match="2 other labels would change too"):
        desk.label("Ann", place, [a, c], confirmed=signature(asked.value.changes))
    assert labelled(audit) == {a: {b}, c: {d}}


@pytest.mark.parametrize("adds", [True, False])
def test_records_that_an_entity_gained_do_not_count_as_changed(audit, adds):
    """Labels that lose records after results were shown do, and then meet no requirement."""
    desk = Desk(audit, Draw.load(audit))
    order, matches = desk.order, []
    write_csv(audit.parent / "holdout.csv", ["x", "y"], [order[:2]])
    for _ in range(9):
        place = desk.next("Ann")
        matches = {1: [order[1]], 2: [order[0]]}.get(place, [])
        desk.label("Ann", place, matches)
    certify = ["certify", audit, "--holdout", audit.parent / "holdout.csv"]
    assert run(*certify, "--unlabelled", "worst") == 0
    desk = Desk(audit, Draw.load(audit))
    confirm(desk, desk.next("Ann"), order[:2])  # the tenth joins them
    if not adds:
        confirm(desk, 2, [])
    assert run(*certify, "--force") == 0
    certificate = json.loads((audit / "certificate.json").read_text())
    assert certificate["ledger"]["changed"] == (0 if adds else 2)
    assert run("verify", audit) == 0
