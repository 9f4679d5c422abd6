"""The next node is prepared while the present one is read; what labels say of it is never old."""

import threading
from concurrent.futures import wait

import pytest

from matchbound.audits import Audit
from matchbound.desk.ahead import KEPT, Ahead
from matchbound.desk.desk import Desk
from matchbound.desk.inputs import Inputs, open_inputs
from matchbound.desk.requests import OWN_NAME, Requests
from matchbound.errors import InputError
from support.audits import run_seeded, write_csv
from support.browsers import after, needs_browser, person, shown
from support.desks import serving

NAMES = ["Ann Smith", "Ann Smyth", "Ann Jones", "Ann Jonas", "Ann Kaya", "Ann Kay"]


@pytest.fixture
def folder(tmp_path):
    rows = [[f"r{i}", name] for i, name in enumerate(NAMES)]
    write_csv(tmp_path / "people.csv", ["id", "name"], rows)
    return tmp_path


def drawn(folder, *options):
    draw = ["draw", folder / "people.csv", "--dedupe", *options, "--out", folder / "audit"]
    assert run_seeded("s", *draw) == 0
    return Audit.open(folder / "audit")


def opened(folder, *options, twice=0):
    audit = drawn(folder, *(options or ("--labels", 6)))
    inputs = open_inputs(audit, Inputs(records=folder / "people.csv"))
    desk = Desk(folder / "audit", audit.drawn, twice=twice)
    return Requests(desk, inputs.material, inputs.live, "")


def asked(requests, name, labeller="Ann", **facts):
    return getattr(requests, name)({"labeller": labeller, OWN_NAME: None, **facts})


def test_what_is_prepared_is_what_comes(folder):
    requests = opened(folder)
    now = asked(requests, "next")
    for _ in range(5):
        ahead = asked(requests, "ahead", place=now["place"])
        saved = asked(requests, "label", place=now["place"], matches=[], go_on=True)
        now = saved["next"]
        assert {name: now[name] for name in ahead} == ahead
    assert asked(requests, "ahead", place=now["place"])["record"] is None


def test_a_label_says_of_the_prepared_node_that_it_is_the_same(folder):
    """The reciprocal match and the entity come first, though the node was prepared before."""
    requests = opened(folder)
    now = asked(requests, "next")
    ahead = asked(requests, "ahead", place=now["place"])
    first, second = now["record"]["id"], ahead["record"]["id"]
    assert first in [one["id"] for one in ahead["candidates"]]
    matches = [second, next(one for one in ("r0", "r1", "r2") if one not in (first, second))]
    label = asked(requests, "label", place=now["place"], matches=matches, go_on=True)
    then = label["next"]
    assert then["record"]["id"] == second
    assert [one["id"] for one in then["before"]] == [first]
    assert first not in [one["id"] for one in then["candidates"]]
    assert [set(one) for one in then["entities"]] == [{first, *matches} - {second}]
    # Undone, and said otherwise: nothing of it is left.
    asked(requests, "undo")
    label = asked(requests, "label", place=now["place"], matches=[], go_on=True)
    assert label["next"]["before"] == label["next"]["entities"] == []


def test_a_prepared_node_is_handed_out_to_whoever_comes_first(folder):
    requests = opened(folder)
    now = asked(requests, "next")
    ahead = asked(requests, "ahead", place=now["place"])
    bens = asked(requests, "next", "Ben")
    assert bens["record"] == ahead["record"]
    saved = asked(requests, "label", place=now["place"], matches=[], go_on=True)
    assert saved["next"]["place"] not in (now["place"], bens["place"])
    assert asked(requests, "ahead", place=saved["next"]["place"])["record"] is not None


def test_what_others_say_of_a_node_to_be_labelled_twice_is_not_told(folder):
    requests = opened(folder, twice=6)
    bens = asked(requests, "next", "Ben")
    asked(requests, "label", "Ben", place=bens["place"], matches=["r5"] if bens else [])
    asked(requests, "next", "Ben")
    now = asked(requests, "next")
    assert now["place"] == bens["place"]
    ahead = asked(requests, "ahead", place=now["place"])
    assert ahead.keys() == {"record", "candidates"}


def test_no_validation_node_is_given_before_the_matcher_is_on_record(folder):
    requests = opened(folder, "--labels", 3, "--train", 1)
    now = asked(requests, "next")
    assert asked(requests, "ahead", place=now["place"])["record"] is None
    saved = asked(requests, "label", place=now["place"], matches=[], go_on=True)
    assert saved["next"]["place"] is None
    assert asked(requests, "proceed")["place"] == 2


def test_the_nodes_that_others_have_open_are_counted_alone(folder):
    """Not the validation nodes, which wait for the matcher."""
    requests = opened(folder, "--labels", 6, "--train", 2)
    anns, bens = asked(requests, "next"), asked(requests, "next", "Ben")
    then = asked(requests, "label", place=anns["place"], matches=[], go_on=True)["next"]
    assert (then["place"], then["elsewhere"]) == (None, 1)
    assert asked(requests, "next", take=True)["place"] == bens["place"]
    asked(requests, "label", "Ben", place=bens["place"], matches=[])
    then = asked(requests, "next")
    assert (then["place"], then["elsewhere"], then["state"]["stopped"]) == (None, 0, True)


def test_skipped_nodes_come_last_in_their_part(folder):
    desk = opened(folder, "--labels", 4, "--train", 2).desk
    for labels in ([], [1], [2, 1], [1, 2], [3], [4, 3, 1]):
        desk._skipped["Ann"] = labels
        by_hand = [
            *(place for place in (1, 2) if place not in labels),
            *(place for place in labels if place in (1, 2)),
            *(place for place in (3, 4) if place not in labels),
            *(place for place in labels if place in (3, 4)),
        ]
        assert desk.first("Ann") == by_hand[0]
        assert desk.following("Ann", by_hand[0], 9) == by_hand[1:]


def test_a_label_is_acknowledged_though_the_next_node_cannot_be_shown(folder, monkeypatch):
    requests = opened(folder)
    now = asked(requests, "next")

    def refuse(request):
        raise InputError("audit must hold ledger.jsonl whole. Restore it.")

    monkeypatch.setattr(requests, "next", refuse)
    saved = asked(requests, "label", place=now["place"], matches=[], go_on=True)
    assert saved["saved"] == now["place"]
    assert "next" not in saved
    assert requests.desk.labels() == {now["record"]["id"]: ()}


def test_each_node_is_looked_up_once_whoever_asks():
    asks, gate = [], threading.Event()

    def slow(node):
        asks.append(node)
        gate.wait(10)
        return node * 2

    ahead = Ahead(slow)
    wanted = "abcabccbaabc"
    for node in "abc":
        ahead.begin(node)
    got = []
    people = [threading.Thread(target=lambda n=n: got.append(ahead.get(n))) for n in wanted]
    for one in people:
        one.start()
    gate.set()
    for one in people:
        one.join()
    assert sorted(got) == sorted(node * 2 for node in wanted)
    assert sorted(asks) == ["a", "b", "c"]
    for i in range(2 * KEPT):
        ahead.get(str(i))
    assert len(ahead._begun) == KEPT


@pytest.mark.parametrize("is_begun", [True, False])
def test_an_error_is_not_kept(is_begun):
    answers = iter([ZeroDivisionError(), "found"])

    def look_up(node):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    ahead = Ahead(look_up)
    if is_begun:
        ahead.begin("a")
        wait([ahead._begun["a"]], 10)
    else:
        with pytest.raises(ZeroDivisionError):
            ahead.get("a")
    assert ahead.get("a") == "found"
    assert ahead.get("a") == "found"  # kept


@pytest.mark.slow
@needs_browser
def test_the_page_shows_the_label_just_saved_in_the_node_it_prepared(folder, chromium):
    first, second = [node for node, _, _ in drawn(folder, "--labels", 6).drawn.in_order][:2]
    options = ["--records", folder / "people.csv"]
    with (
        serving(folder / "audit", *options, tables=False) as client,
        person(chromium, client) as page,
    ):
        page.wait_for_load_state("networkidle")  # the next node is prepared
        assert shown(page) == first
        page.locator(f"tr.candidate input[value={second}]").click()
        after(page, lambda: page.keyboard.press("Enter"))
        assert shown(page) == second
        assert "Said before" in page.text_content("#candidates tr.heading")
        assert page.locator("tr.candidate input").first.get_attribute("value") == first
