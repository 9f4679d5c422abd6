"""The desk behind the labelling page: nodes in turn, labels on disk, several people."""

import json

import pytest

from matchbound.audits.book import Book
from matchbound.audits.draw import Draw
from matchbound.audits.ledger import read_ledger
from matchbound.desk.desk import Desk
from matchbound.errors import InputError
from matchbound.files import alone, digest_of_file
from matchbound.tables import Digest, Reading, Recorded
from support.audits import contents, read_csv, run, write_csv
from support.desks import make_desk, make_records


@pytest.fixture
def audit(tmp_path):
    return make_desk(tmp_path / "data")[0]


def desk_of(audit, **options):
    return Desk(audit, Draw.load(audit), **options)


def rows(audit):
    return [tuple(row) for row in read_csv(audit / "labels.csv")]


def test_nodes_come_in_draw_order_training_nodes_first(audit):
    desk, draw = desk_of(audit), Draw.load(audit)
    fresh = [node for node in draw.validated if node not in set(draw.trained)]
    assert desk.order == draw.trained + fresh
    for place in range(1, len(desk.order) + 1):
        assert desk.next("Ann") == place
        desk.label("Ann", place, [])
    assert desk.next("Ann") is None
    assert [x for x, _ in rows(audit)] == desk.order


def test_a_node_out_of_turn_is_refused(audit):
    desk = desk_of(audit)
    desk.next("Ann")
    with pytest.raises(InputError, match="nodes come in draw order"):
        desk.label("Ann", 2, [])
    with pytest.raises(InputError, match="nodes come in draw order"):
        desk.label("Ben", 1, [])
    for place in (0, -1, 10**9):
        with pytest.raises(InputError, match="place must be from 1 to"):
            desk.label("Ann", place, [])
    assert not (audit / "labels.csv").exists()


def test_labels_notes_and_undo(audit):
    desk = desk_of(audit)
    a, b, c = desk.order[:3]
    for matches in (["b1", "b2"], [], None):
        desk.label("Ann", desk.next("Ann"), matches, "seen twice")
    assert rows(audit) == [(a, "b1"), (a, "b2"), (b, "")]
    assert desk.state("Ann").unsure == [3]
    assert desk.undo("Ann") == 3
    assert desk.undo("Ann") == 2
    assert rows(audit) == [(a, "b1"), (a, "b2")]
    assert desk.next("Ann") == 2
    desk.label("Ann", 1, ["b9"])  # back, and another word on it
    assert rows(audit) == [(a, "b9")]
    assert desk.undo("Ann") == 1
    assert rows(audit) == [(a, "b1"), (a, "b2")]
    with pytest.raises(InputError, match="must have labelled something"):
        desk.undo("Ben")
    kinds = [entry["kind"] for entry in read_ledger(audit).entries]
    assert kinds[:2] == ["choices", "draw"]
    assert kinds[2:] == ["labeller", "label", "label", "label", "undo", "undo", "label", "undo"]
    assert read_ledger(audit).entries[2]["name"] == "Ann"
    assert read_ledger(audit).entries[3]["label"]["note"] == "seen twice"
    assert c == read_ledger(audit).entries[5]["label"]["node"]


def test_the_labels_can_be_made_again_from_the_ledger_alone(audit):
    desk = desk_of(audit)
    for place in range(1, 9):
        desk.label("Ann", desk.next("Ann"), [f"b{place}"] if place % 3 else [])
    desk.undo("Ann")
    written = (audit / "labels.csv").read_bytes()
    assert Book.of(read_ledger(audit).entries).to_csv().encode() == written
    (audit / "labels.csv").unlink()
    again = desk_of(audit)
    assert (audit / "labels.csv").read_bytes() == written
    assert again.next("Ann") == 8


def test_a_crash_between_the_ledger_and_the_labels_is_mended(audit):
    desk = desk_of(audit)
    desk.label("Ann", desk.next("Ann"), ["b1"])
    before = (audit / "labels.csv").read_bytes()
    desk.label("Ann", desk.next("Ann"), ["b2"])
    after = (audit / "labels.csv").read_bytes()
    (audit / "labels.csv").write_bytes(before)
    with (audit / "ledger.jsonl").open("ab") as file:
        file.write(b'{"entry": 4, "ti')  # and another action was never finished
    desk_of(audit)
    assert (audit / "labels.csv").read_bytes() == after


def test_labels_made_by_hand_are_left_alone(audit):
    write_csv(audit / "labels.csv", ["x", "y"], [["a1", "b1"]])
    before = contents(audit)
    with pytest.raises(InputError, match=r"labels\.csv must be as the labelling page wrote it"):
        desk_of(audit)
    assert contents(audit) == before


def test_two_people_get_different_nodes(audit):
    desk = desk_of(audit)
    assert [desk.next("Ann"), desk.next("Ben"), desk.next("Ann"), desk.next("Ben")] == [1, 2, 1, 2]
    desk.label("Ann", 1, [])
    assert desk.next("Ann") == 3
    assert desk.next("Cat") == 4
    for place in range(4, len(desk.order) + 1):
        assert desk.next("Cat") == place
        desk.label("Cat", place, [])
    assert desk.next("Cat") is None
    assert desk.next("Cat", take=True) == 2  # Ben went home


def test_a_node_labelled_twice_differently_waits_for_a_decision(audit):
    desk = desk_of(audit, twice=3)
    a, b, c, *_ = desk.order
    said = {"Ann": (["b1"], [], ["b3", "b4"]), "Ben": (["b1"], ["b2"], ["b4", "b3"])}
    for labeller, verdicts in said.items():
        for matches in verdicts:
            desk.label(labeller, desk.next(labeller), matches)
    assert desk.next("Ann") == 4
    assert desk.next("Cat") == 5  # two have seen each of the first three
    state = desk.state("Ann")
    assert (state.agreed, state.twice, state.conflicts) == (2, 3, [2])
    assert rows(audit) == [(a, "b1"), (c, "b4"), (c, "b3")]
    with pytest.raises(InputError, match="somebody labelled it differently"):
        desk.label("Ann", 2, ["b2"])
    desk.label("Ann", 2, ["b2"], decides=True)
    state = desk.state("Ann")
    assert (state.agreed, state.twice, state.conflicts) == (2, 3, [])
    assert rows(audit) == [(a, "b1"), (b, "b2"), (c, "b4"), (c, "b3")]
    desk.undo("Ann")
    assert desk.state("Ann").conflicts == [2]


def test_whoever_is_sure_settles_what_another_is_not(audit):
    desk = desk_of(audit)
    desk.label("Ann", desk.next("Ann"), None)
    desk.label("Ben", 1, ["b1"])
    assert rows(audit) == [(desk.order[0], "b1")]
    assert desk.state("Ann").twice == 0


def test_one_to_one_draws_have_one_match_a_node(tmp_path):
    audit, _ = make_desk(tmp_path / "data", "--one-to-one")
    desk = desk_of(audit)
    with pytest.raises(InputError, match="matches must be at most one"):
        desk.label("Ann", desk.next("Ann"), ["b1", "b2"])


def test_one_page_for_an_audit(audit):
    refusal = pytest.raises(InputError, match="must not be open on a labelling page")
    with alone(audit), refusal, alone(audit):
        pass
    with alone(audit):
        pass


def test_a_draw_over_labels_that_the_ledger_knows_costs_again(audit, capsys):
    desk = desk_of(audit)
    for _ in range(6):
        desk.label("Ann", desk.next("Ann"), [])
    people = audit.parent / "people.csv"
    assert run("draw", people, "--labels", 20, "--out", audit, "--force") == 2
    assert "must not hold labels yet" in capsys.readouterr().err
    (audit / "labels.csv").unlink()
    assert run("draw", people, "--labels", 20, "--out", audit, "--force") == 0
    assert "This draw costs δ = 0.05, and other draws" in capsys.readouterr().out


def test_a_matcher_registered_after_the_training_nodes_was_on_record(audit, capsys):
    desk, data = desk_of(audit), audit.parent
    while (place := desk.next("Ann")) <= 5:
        desk.label("Ann", place, [])
    assert run("register", audit, "--holdout", data / "holdout.csv") == 0
    assert "no label is in yet" in capsys.readouterr().out
    desk.label("Ann", place, [])
    assert run("register", audit, "--holdout", data / "candidates.csv") == 0
    assert "1 validation nodes have labels already" in capsys.readouterr().out
    while (place := desk.next("Ann")) is not None:
        desk.label("Ann", place, ["b1"])
    assert run("certify", audit, "--holdout", data / "holdout.csv", "--json") == 0
    certificate = json.loads(capsys.readouterr().out)
    place = certificate["ledger"]["registered"]
    assert read_ledger(audit).entries[place - 1]["kind"] == "register"
    assert certificate["ledger"]["labelled"]["nodes"] == len(desk.order)
    assert run("verify", audit) == 0


def test_labels_changed_by_hand_are_not_the_page_s(audit, capsys):
    desk, data = desk_of(audit), audit.parent
    while (place := desk.next("Ann")) is not None:
        desk.label("Ann", place, ["b1"])
    text = (audit / "labels.csv").read_text()
    (audit / "labels.csv").write_text(text.replace(",b1\n", ",b2\n", 1))
    assert run("certify", audit, "--holdout", data / "holdout.csv", "--json") == 0
    assert "labelled" not in json.loads(capsys.readouterr().out)["ledger"]


def test_a_fresh_draw_begins_afresh(audit):
    """Training labels alone do not forbid another draw, but they are not its labels."""
    desk = desk_of(audit)
    desk.label("Ann", desk.next("Ann"), ["b1"])
    (audit / "labels.csv").unlink()
    people = audit.parent / "people.csv"
    options = ["--labels", 20, "--train", 5, "--link", "--seed", "t", "--force"]
    assert run("draw", people, *options, "--out", audit) == 0
    again = desk_of(audit)
    assert again.order != desk.order
    assert (again.next("Ann"), again.state("Ann").done) == (1, 0)


def test_a_draw_may_grow_and_keeps_its_labels(tmp_path):
    audit, _ = make_desk(tmp_path / "data", "--anytime")
    desk = desk_of(audit)
    for _ in range(8):
        desk.label("Ann", desk.next("Ann"), ["b1"])
    before = rows(audit)
    people = audit.parent / "people.csv"
    with alone(audit):
        assert run("draw", people, "--labels", 40, "--extend", "--out", audit) == 2
    assert run("draw", people, "--labels", 40, "--extend", "--out", audit) == 0
    grown = desk_of(audit)
    assert grown.order[: len(desk.order)] == desk.order
    assert len(grown.order) > len(desk.order)
    assert grown.next("Ann") == 9
    assert rows(audit) == before


def test_an_answer_that_was_shown_stays_shown(audit, capsys):
    desk, data = desk_of(audit), audit.parent
    desk.show_answer("Ann", desk.next("Ann"))
    again = desk_of(audit)  # after a restart
    while (place := again.next("Ann")) is not None:
        again.label("Ann", place, ["b1"])
    again.undo("Ann")
    again.label("Ann", len(again.order), ["b2"])
    assert run("certify", audit, "--holdout", data / "holdout.csv") == 0
    said = capsys.readouterr().out
    assert "a matcher's answer was shown for 1 nodes; 1 labels were changed." in said
    assert "blind" not in said


def test_matchers_whose_bounds_were_watched_count(tmp_path, capsys):
    audit, _ = make_desk(tmp_path / "data", "--anytime")
    desk, data = desk_of(audit), audit.parent
    while (place := desk.next("Ann")) is not None:
        desk.label("Ann", place, ["b1"])
    for name in ("holdout", "candidates", "holdout"):
        path = data / f"{name}.csv"
        digest = Digest(None, digest_of_file(path))
        desk.watch(Recorded("", digest, Reading(clusters=False)))
    assert len(read_ledger(audit).of_kind("watch")) == 2
    capsys.readouterr()
    assert run("certify", audit, "--holdout", data / "holdout.csv", "--json") == 0
    ledger = json.loads(capsys.readouterr().out)["ledger"]
    assert (ledger["matchers"], ledger["together"]) == (2, 0.9)


def test_a_draw_until_enough_ends_there(tmp_path):
    audit, truth = make_desk(tmp_path / "data", "--until", "recall=5", labels=60)
    desk = desk_of(audit)
    while (place := desk.next("Ann")) is not None:
        node = desk.order[place - 1]
        desk.label("Ann", place, [truth[node]] if node in truth else [])
    labelled = [(x, y) for x, y in rows(audit) if x not in set(desk.order[:5])]
    assert sum(y != "" for _, y in labelled) == 5
    assert labelled[-1][1] != ""
    assert desk.state("Ann").enough
    assert run("certify", audit, "--holdout", audit.parent / "holdout.csv") == 0


def test_one_table_s_labels_cannot_contradict_each_other(tmp_path):
    make_records(tmp_path / "data")
    audit = tmp_path / "data" / "audit"
    people = tmp_path / "data" / "people.csv"
    assert run("draw", people, "--labels", 9, "--dedupe", "--seed", "s", "--out", audit) == 0
    desk = desk_of(audit)
    a, b, c = desk.order[:3]
    with pytest.raises(InputError, match="matches must be other records"):
        desk.label("Ann", desk.next("Ann"), [a])
    desk.label("Ann", desk.next("Ann"), [b])
    with pytest.raises(InputError, match=f"matches must agree with {a!r}, which was labelled oth"):
        desk.label("Ann", desk.next("Ann"), [])
    desk.label("Ann", 2, [a])
    with pytest.raises(InputError, match="2 other labels would change too"):
        desk.label("Ann", desk.next("Ann"), [a])
    desk.label("Ann", 1, None)
    desk.label("Ann", 2, [])
    desk.label("Ann", 1, [])
    assert rows(audit) == [(a, ""), (b, "")]
    assert c == desk.order[2]


def test_labels_that_somebody_changes_meanwhile_are_left_alone(audit):
    desk = desk_of(audit)
    desk.label("Ann", desk.next("Ann"), ["b1"])
    write_csv(audit / "labels.csv", ["x", "y"], [["a1", "b1"]])
    before = contents(audit)
    with pytest.raises(InputError, match=r"labels\.csv must be as the labelling page wrote it"):
        desk.label("Ann", desk.next("Ann"), ["b1"])
    assert contents(audit) == before


def test_labels_from_before_several_failures_are_mended(audit):
    desk = desk_of(audit)
    for _ in range(4):
        desk.label("Ann", desk.next("Ann"), ["b1"])
        if desk.state("Ann").done == 1:
            early = (audit / "labels.csv").read_bytes()
    late = (audit / "labels.csv").read_bytes()
    (audit / "labels.csv").write_bytes(early)
    desk_of(audit)
    assert (audit / "labels.csv").read_bytes() == late


def test_a_ledger_that_is_gone_is_not_begun_anew(audit):
    desk = desk_of(audit)
    desk.label("Ann", desk.next("Ann"), ["b1"])
    (audit / "ledger.jsonl").rename(audit / "elsewhere")
    with pytest.raises(InputError, match=r"audit must hold ledger\.jsonl"):
        desk.label("Ann", desk.next("Ann"), ["b1"])
    assert not (audit / "ledger.jsonl").exists()
    (audit / "elsewhere").rename(audit / "ledger.jsonl")
    desk.label("Ann", desk.next("Ann"), ["b1"])
    assert len(rows(audit)) == 2


def test_a_skipped_node_comes_again_before_the_validation_nodes(audit):
    desk = desk_of(audit)  # five training nodes
    assert desk.next("Ann") == 1
    desk.skip("Ann", 1)
    for place in (2, 3, 4, 5, 1):
        assert desk.next("Ann") == place
        desk.label("Ann", place, [])
    assert desk.next("Ann") == 6
    desk.skip("Ann", 6)
    assert desk.next("Ann") == 7
    assert desk.next("Ben") == 6 or desk.next("Ben", take=True) == 6


def test_validation_waits_until_the_matcher_is_on_record(audit):
    desk = desk_of(audit)
    assert not desk.stops_before(5)
    assert desk.stops_before(6)
    assert not desk.state("Ann").stopped  # training nodes are left
    for _ in range(5):
        desk.label("Ann", desk.next("Ann"), [])
    assert desk.state("Ann").stopped
    desk.proceed("Ann")
    desk.proceed("Ann")  # once is enough
    assert not desk.stops_before(6)
    assert not desk_of(audit).stops_before(6)
    kinds = [entry["kind"] for entry in read_ledger(audit).entries]
    assert kinds.count("proceed") == 1


def test_a_matcher_that_is_registered_meanwhile_ends_the_wait(audit):
    desk = desk_of(audit)
    assert desk.stops_before(6)
    assert run("register", audit, "--holdout", audit.parent / "holdout.csv") == 0
    assert not desk.stops_before(6)
    assert run("register", audit, "--withdraw") == 0
    assert desk.stops_before(6)


def test_names_are_compared_without_case(audit):
    desk = desk_of(audit)
    desk.label("Ann Élan", desk.next("Ann Élan"), [])
    assert desk.named("ANN éLAN") == "Ann Élan"
    assert desk.named("Anna") == "Anna"
