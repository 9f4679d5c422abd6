"""What stands: a label that is opened again, listed, taken back or decided is never an old one."""

import random

import pytest

from matchbound.audits import Audit, sound_ledger
from matchbound.desk.desk import Desk
from matchbound.desk.entities import changes
from matchbound.desk.inputs import Inputs, open_inputs
from matchbound.desk.requests import OWN_NAME, Requests
from matchbound.errors import InputError
from support.audits import read_csv, run_seeded, write_csv

NAMES = ["Ann Smith", "Ann Smyth", "Ann Jones", "Ann Jonas", "Ann Kaya", "Ann Kay"]


@pytest.fixture
def opened(tmp_path):
    """The requests of a page where six records are matched with each other, all of them drawn."""
    rows = [[f"r{i}", name] for i, name in enumerate(NAMES)]
    write_csv(tmp_path / "people.csv", ["id", "name"], rows)
    draw = ["draw", tmp_path / "people.csv", "--dedupe", "--labels", 6]
    assert run_seeded("s", *draw, "--out", tmp_path / "audit") == 0
    audit = Audit.open(tmp_path / "audit")
    inputs = open_inputs(audit, Inputs(records=tmp_path / "people.csv"))

    def at_desk(twice=0):
        desk = Desk(tmp_path / "audit", audit.drawn, twice=twice)
        return Requests(desk, inputs.material, inputs.live, "")

    return at_desk


def asked(requests, name, labeller="Ann", **facts):
    return getattr(requests, name)({"labeller": labeller, OWN_NAME: None, **facts})


def saved(requests, place, matches, labeller="Ann", **facts):
    """Label a place, which is handed out if it must be, and confirm what follows."""
    while place not in requests.desk.book.pages and asked(requests, "next", labeller)["place"]:
        if labeller in requests.desk._handed_out.get(place, ()):
            break
    facts = {"place": place, "matches": matches, **facts}
    answer = asked(requests, "label", labeller, **facts)
    if "confirm" in answer:
        answer = asked(requests, "label", labeller, **facts, confirmed=answer["signature"])
    assert answer["saved"] == place


def in_file(requests):
    labels = {}
    for x, y in read_csv(requests.desk.folder / "labels.csv"):
        labels.setdefault(x, set()).update([y] if y else [])
    return labels


def listed(requests, labeller):
    rows = asked(requests, "labels", labeller)["labels"]
    return {row["node"]: None if row["matches"] is None else set(row["matches"]) for row in rows}


def test_a_label_that_gained_records_is_opened_and_listed_with_them(opened):
    page = opened()
    a, b, c = page.desk.order[:3]
    saved(page, 1, [b])
    saved(page, 2, [a, c])
    assert in_file(page) == {a: {b, c}, b: {a, c}}
    assert set(asked(page, "node", place=1)["mine"]["matches"]) == {b, c}
    assert listed(page, "Ann") == listed(page, "Ben") == in_file(page)


def test_a_decision_is_opened_and_listed_for_everybody(opened):
    page = opened(twice=6)
    a, b, c = page.desk.order[:3]
    saved(page, 1, [b], "Ann")
    assert listed(page, "Ben") == {}
    saved(page, 1, [], "Ben")
    assert listed(page, "Ann") == listed(page, "Ben") == {a: None}
    saved(page, 1, [c], "Eve", decides=True)
    for labeller in ("Ann", "Ben", "Eve"):
        node = asked(page, "node", labeller, place=1)
        assert (node["mine"]["matches"], node["mine"]["decides"]) == ([c], True)
        said = [(one["labeller"], one["matches"]) for one in node["said"]]
        assert said == [("Ann", [b]), ("Ben", []), ("Eve", [c])]
        assert listed(page, labeller) == in_file(page) == {a: {c}}


def test_nothing_is_taken_back_that_later_labels_contradict(opened):
    page = opened()
    a, b, c = page.desk.order[:3]
    saved(page, 1, [b])
    saved(page, 2, [a])
    saved(page, 1, [])  # both sides
    saved(page, 2, [c], "Ben")
    before = in_file(page)
    assert before == {a: set(), b: {c}}
    with pytest.raises(InputError, match="would contradict each other") as refused:
        asked(page, "undo")
    assert f"Open '{a}' (l)" in str(refused.value)
    assert f"'{b}'" not in str(refused.value)  # others' labels are not told
    assert in_file(page) == before
    asked(page, "undo", "Ben")
    asked(page, "undo")  # now nothing contradicts it
    assert in_file(page) == {a: {b}, b: {a}}


def test_a_single_label_is_not_taken_back_to_one_that_others_contradict(opened):
    page = opened()
    a, b, c = page.desk.order[:3]
    saved(page, 1, [b])
    saved(page, 1, [])
    saved(page, 2, [c], "Ben")
    with pytest.raises(InputError, match="would contradict each other"):
        asked(page, "undo")
    assert in_file(page) == {a: set(), b: {c}}


def test_whoever_decides_is_not_offered_their_own_tick_as_an_entity(opened):
    page = opened(twice=6)
    a, b = page.desk.order[:2]
    saved(page, 1, [b], "Ann")
    saved(page, 2, [a], "Ann")
    assert asked(page, "node", place=2)["entities"] == [[a]]
    saved(page, 1, [], "Ben")
    saved(page, 2, [], "Ben")
    for place, other in ((1, b), (2, a)):
        node = asked(page, "node", place=place)
        assert node["conflict"]
        assert node["mine"] is None
        assert node["entities"] == node["before"] == []
        assert asked(page, "join", place=place, member=other)["found"] == []


def test_a_label_that_gains_records_keeps_its_note(opened):
    page = opened()
    a, b, c = page.desk.order[:3]
    saved(page, 1, [b], note="a twin?")
    saved(page, 2, [a, c], note="sure")
    notes = {row["node"]: row["note"] for row in asked(page, "labels")["labels"]}
    assert notes == {a: "a twin?", b: "sure"}
    assert asked(page, "node", place=1)["mine"]["note"] == "a twin?"


@pytest.mark.parametrize("said", [[], ["b"], ["c"], None])
@pytest.mark.parametrize("ticks", [[], ["a"], ["c"]])
def test_a_refusal_does_not_depend_on_what_is_to_be_labelled_unseen(opened, said, ticks):
    page = opened(twice=1)
    ids = dict(zip("abc", page.desk.order, strict=False))
    assert asked(page, "next", "Ben")["place"] == 1
    assert asked(page, "skip", "Ben", place=1)["place"] == 2
    saved(page, 1, None if said is None else [ids[y] for y in said], "Ann")
    assert asked(page, "node", "Ben", place=2)["state"]["unsure"] == []
    with pytest.raises(InputError) as refused:
        asked(page, "label", "Ben", place=2, matches=[ids[y] for y in ticks])
    assert str(refused.value) == (
        "place 2 must wait: you are still to label a node unseen that another person labelled "
        "(--twice). Leave this one for later (w): that one comes first."
    )
    assert asked(page, "skip", "Ben", place=2)["place"] == 1
    saved(page, 1, [], "Ben")
    assert asked(page, "next", "Ben")["place"] == 3


def test_no_label_cancels_the_second_look_at_another_node(opened):
    page = opened(twice=6)
    a, b = page.desk.order[:2]
    assert asked(page, "next", "Ben")["place"] == 1
    assert asked(page, "skip", "Ben", place=1)["place"] == 2
    saved(page, 1, [], "Ann")
    with pytest.raises(InputError, match="place 2 must wait"):
        asked(page, "label", "Ben", place=2, matches=[a])
    assert in_file(page) == {a: set()}
    assert asked(page, "skip", "Ben", place=2)["place"] == 1
    saved(page, 1, [b], "Ben")
    assert page.desk.book.agreement() == (0, 1)
    saved(page, 2, [a], "Ben")
    assert in_file(page) == {b: {a}}  # the other waits for a decision
    saved(page, 2, [a], "Ann")
    saved(page, 1, [], "Eve", decides=True)
    assert in_file(page) == {a: set(), b: set()}


def test_whoever_corrects_their_own_label_leaves_the_second_look(opened):
    page = opened(twice=6)
    a, b = page.desk.order[:2]
    saved(page, 1, [], "Ann")
    saved(page, 2, [a], "Ann")
    assert in_file(page) == {a: {b}, b: {a}}
    assert asked(page, "node", place=1)["mine"]["decides"] is False
    assert asked(page, "next", "Ben")["place"] == 1
    saved(page, 1, [b], "Ben")
    assert page.desk.book.agreement() == (1, 1)


@pytest.mark.parametrize("twice", [0, 3, 6])
def test_labels_agree_whoever_labels_decides_and_takes_back(opened, twice):
    """By chance: three people, in any order."""
    page, rng, refused = opened(twice), random.Random(twice), 0
    desk = page.desk
    for _ in range(120):
        labeller, place = rng.choice(["Ann", "Ben", "Eve"]), rng.randint(1, 6)
        others = [y for y in desk.order if y != desk.order[place - 1]]
        matches = rng.choice([None, *(rng.sample(others, size) for size in (0, 0, 1, 1, 2, 3))])
        desk._handed_out.setdefault(place, set()).add(labeller)
        try:
            if rng.random() < 0.3:
                asked(page, "undo", labeller)
            else:
                saved(page, place, matches, labeller, decides=rng.random() < 0.5)
        except InputError:
            refused += 1
        labels = desk.labels()
        assert not any(changes(labels, node, labels[node]) for node in labels)
        assert {x: set(ys) for x, ys in labels.items()} == in_file(page)
    assert 0 < refused < 90


def test_a_stale_page_replaces_no_decision(opened):
    page = opened(twice=6)
    a, b, c = page.desk.order[:3]
    saved(page, 1, [b], "Ann")
    saved(page, 1, [], "Ben")
    stale = asked(page, "node", "Ann", place=1)
    saved(page, 1, [c], "Eve", decides=True)
    facts = {"place": 1, "matches": [b], "decides": stale["conflict"], "seen": stale["seen"]}
    with pytest.raises(InputError) as refused:
        asked(page, "label", **facts)
    assert str(refused.value) == (
        "place 1 must be looked at again, got a label for it as it was before Eve changed its "
        "label. Nothing was saved. Open it from the list of labels (l), and look."
    )
    assert in_file(page) == {a: {c}}
    now = asked(page, "node", place=1)
    saved(page, 1, [b], seen=now["seen"])
    assert in_file(page) == {a: {b}}
    saved(page, 1, [c], seen=now["seen"])  # their own decision, from another window
    assert in_file(page) == {a: {c}}


def test_a_stale_page_replaces_no_label_that_another_one_changed(opened):
    page = opened()
    a, b, c = page.desk.order[:3]
    saved(page, 1, [b])
    stale = asked(page, "node", place=1)
    saved(page, 2, [a, c], "Ben")
    with pytest.raises(InputError, match="before Ben changed its label"):
        asked(page, "label", place=1, matches=[], seen=stale["seen"])
    assert in_file(page) == {a: {b, c}, b: {a, c}}


def test_nobody_decides_what_was_taken_back_meanwhile(opened):
    page = opened(twice=6)
    a, b, c = page.desk.order[:3]
    saved(page, 1, [b], "Ann")
    saved(page, 1, [], "Ben")
    asked(page, "undo", "Ben")
    with pytest.raises(InputError, match="a label was taken back, so that nothing is left to"):
        asked(page, "label", "Eve", place=1, matches=[c], decides=True, seen=0)
    assert in_file(page) == {a: {b}}


def test_an_opened_label_says_who_gave_it_and_when(opened):
    page = opened(twice=1)
    b = page.desk.order[1]
    saved(page, 1, [b], "Ann")
    assert asked(page, "node", "Ben", place=1)["said"] == []  # Ben labels it unseen
    saved(page, 1, [b], "Ben")
    saved(page, 2, None, "Ben")
    for labeller in ("Ann", "Ben", "Eve"):
        (said,) = asked(page, "node", labeller, place=2)["said"]
        assert (said["labeller"], said["matches"]) == ("Ben", None)
        entry = page.desk.book.pages[2].final.entry
        assert said["time"] == sound_ledger(page.desk.folder).entries[entry - 1]["time"]
