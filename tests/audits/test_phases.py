"""The seed comes after the matcher: the order of entries, two phases, and draws cut short."""

import hashlib
import itertools
import json
import os
import pathlib
import re
import sys
import threading
from dataclasses import replace
from functools import cache
from unittest import mock

import pytest

import matchbound as mb
from matchbound.audits import Seeded
from matchbound.audits.folder import is_written
from matchbound.audits.ledger import _digest, read_ledger, sound_ledger
from matchbound.certificates.history import History
from matchbound.certificates.inputs import Evidence, Found
from matchbound.certificates.redrawing import Resources, seed_differences
from matchbound.certificates.remark import Remark
from matchbound.desk.desk import Desk
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.tally import Cell, Label, Tally
from support.audits import certify, contents, make_inputs, read_csv, run, write_csv
from support.desks import make_desk


def kinds(audit):
    return [entry["kind"] for entry in read_ledger(audit).entries]


def draw(folder, *options):
    return run("draw", folder / "people.csv", "--out", folder / "audit", *options)


def label(audit, truth, nodes):
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth.get(x, "")] for x in nodes])


def holdout(folder):
    return ["--holdout", folder / "holdout.csv"]


@pytest.fixture
def two_phases(tmp_path):
    """D drawn and labelled, then S drawn with the matcher on record, labelled and certified."""
    truth, audit = make_inputs(tmp_path), tmp_path / "audit"
    assert draw(tmp_path, "--train", 60) == 0
    label(audit, truth, [x for (x,) in read_csv(audit / "train.csv")])
    assert draw(tmp_path, "--labels", 120, *holdout(tmp_path)) == 0
    label(audit, truth, [x for x, _, _ in mb.Draw.load(audit).sample])
    assert certify(audit, "--require", "precision=0.5") == 0
    return audit


def test_two_phases(two_phases, capsys):
    audit = two_phases
    assert kinds(audit)[:5] == ["choices", "draw", "register", "choices", "draw"]
    drawn = mb.Draw.load(audit)
    assert not set(drawn.trained) & set(drawn.validated)
    assert [x for (x,) in read_csv(audit / "train.csv")] == drawn.trained
    assert (drawn.train, drawn.labels, len(drawn.sample)) == (60, 120, 180)
    first, second = (entry for entry in read_ledger(audit).entries if entry["kind"] == "draw")
    assert (first["labels"], second["labels"]) == (0, 120)
    assert (drawn.train_seed, drawn.seed) == (first["seed"], second["seed"])
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert certificate.ledger.seeded == Seeded(3, 4, 5)
    assert certificate.ledger.together == 0.95
    assert Remark("seed_after_matcher", (3, 5)) in certificate.assumptions
    assert len(certificate.tallies["all"].train) == 60
    assert run("verify", audit) == 0
    assert "its draw, from the seed" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["seed", "train_seed"])
def test_verify_draws_from_both_seeds(two_phases, name, capsys):
    record = json.loads((two_phases / "draw.json").read_text())
    record = {n: value for n, value in record.items() if n != "digest"} | {name: "another"}
    text = json.dumps(record, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    (two_phases / "draw.json").write_text(json.dumps(record | {"digest": digest}))
    certificate = mb.Certificate.load(two_phases / "certificate.json")
    found = {"population": Found(two_phases.parent / "people.csv")}
    draw = mb.Draw.load(two_phases)
    evidence = Evidence(certificate, History(), found, draw, ())
    said = seed_differences(evidence, draw, Resources())
    assert list(said) == ["sample.csv is not what the seed draws"]
    assert run("verify", two_phases) == 1


def test_only_the_training_nodes_labels_may_be_there(tmp_path, capsys):
    truth, audit = make_inputs(tmp_path), tmp_path / "audit"
    assert draw(tmp_path, "--train", 20) == 0
    trained = [x for (x,) in read_csv(audit / "train.csv")]
    other = next(x for x in truth if x not in trained)
    label(audit, truth, [*trained, other])
    before = contents(tmp_path)
    assert draw(tmp_path, "--labels", 50) == 2
    assert f"got {other!r}, which is not one of them" in capsys.readouterr().err
    for options, said in (
        (["--theorem", "paper"], "theorem paper must be left out"),
        (["--future"], "future must be left out"),
        (["--dedupe"], "dedupe must be as it was when the training nodes were drawn"),
        (["--id", "other"], "id must be as it was"),
    ):
        label(audit, truth, trained[:5])
        assert draw(tmp_path, "--labels", 50, *options) == 2
        assert said in capsys.readouterr().err
    label(audit, truth, [*trained, other])
    assert contents(tmp_path) == before


def test_training_nodes_alone_fix_no_choice_and_certify_nothing(tmp_path, capsys):
    make_inputs(tmp_path)
    for options in (["--delta", 0.1], holdout(tmp_path), ["--anytime"], ["--gap", 10]):
        assert draw(tmp_path, "--train", 20, *options) == 2
        assert "must be left out where training nodes are drawn alone" in capsys.readouterr().err
    assert draw(tmp_path, "--train", 20) == 0
    assert "Nodes to train on cost no probability." in capsys.readouterr().out
    assert certify(tmp_path / "audit") == 2
    assert "got training nodes alone" in capsys.readouterr().err


def test_another_population_in_the_second_phase_is_refused(tmp_path, capsys):
    make_inputs(tmp_path)
    assert draw(tmp_path, "--train", 20) == 0
    with (tmp_path / "people.csv").open("a") as file:
        file.write("one more\n")
    assert draw(tmp_path, "--labels", 20) == 2
    assert "population must be what the training nodes were drawn from" in capsys.readouterr().err


def test_labels_that_were_there_before_serve_as_training_nodes(tmp_path, capsys):
    truth, audit = make_inputs(tmp_path), tmp_path / "audit"
    nodes = [f"a{i}" for i in range(0, 80, 2)]  # no random sample, and none is needed
    write_csv(tmp_path / "had.csv", ["x", "y"], [[x, truth.get(x, "")] for x in nodes])
    trained_on = ["--trained-on", tmp_path / "had.csv"]
    assert draw(tmp_path, "--labels", 100, *trained_on, *holdout(tmp_path)) == 0
    drawn = mb.Draw.load(audit)
    assert sorted(drawn.trained) == sorted(nodes)
    assert not set(drawn.validated) & set(nodes)
    label(audit, truth, [x for x, _, _ in drawn.sample])
    assert certify(audit) == 0
    assert run("verify", audit) == 0
    assert "its draw, from the seed" in capsys.readouterr().out
    rows = read_csv(tmp_path / "had.csv")
    write_csv(tmp_path / "had.csv", ["x", "y"], rows[1:])
    assert run("verify", audit) == 1
    assert "inputs.trained_on" in capsys.readouterr().out


def test_the_page_goes_on_with_the_training_nodes_labels(tmp_path):
    audit, _ = make_desk(tmp_path / "data", labels=20, train=5)
    for name in ("draw.json", "sample.csv", "train.csv", "ledger.jsonl"):
        (audit / name).unlink()
    people = audit.parent / "people.csv"
    assert run("draw", people, "--train", 5, "--link", "--out", audit) == 0
    desk = Desk(audit, mb.Draw.load(audit))
    while (place := desk.next("Ann")) is not None:
        desk.label("Ann", place, [f"b{place}"])
    labels = (audit / "labels.csv").read_text()
    assert run("draw", people, "--labels", 20, "--out", audit) == 0
    second = Desk(audit, mb.Draw.load(audit))
    assert second.order[:5] == desk.order
    assert second.next("Ann") == 6
    assert (audit / "labels.csv").read_text() == labels
    second.label("Ann", 6, ["b6"])
    (audit / "labels.csv").write_text(labels)  # S's labels moved away, D's kept
    assert run("draw", people, "--labels", 21, "--out", audit, "--force") == 0
    third = Desk(audit, mb.Draw.load(audit))
    assert (third.next("Ann"), (audit / "labels.csv").read_text()) == (6, labels)


def reordered(audit):
    """The ledger with its draw in the first place, and every digest made anew."""
    entries = [dict(entry) for entry in read_ledger(audit).entries]
    entries[2]["choices"] = 3
    resealed(audit, [entries[2], *entries[:2], *entries[3:]])


def resealed(audit, entries):
    """Write entries as a ledger, with numbers and digests made anew."""
    before, lines = "", []
    for number, entry in enumerate(entries, start=1):
        body = {k: v for k, v in entry.items() if k != "digest"} | {"entry": number}
        body["before"] = before
        before = _digest(body)
        lines.append(json.dumps(body | {"digest": before}) + "\n")
    (audit / "ledger.jsonl").write_text("".join(lines))


def test_verify_contradicts_a_ledger_in_another_order(tmp_path, capsys):
    truth, audit = make_inputs(tmp_path), tmp_path / "audit"
    assert draw(tmp_path, "--labels", 60, *holdout(tmp_path)) == 0
    assert kinds(audit) == ["register", "choices", "draw"]
    label(audit, truth, [x for x, _, _ in mb.Draw.load(audit).sample])
    assert certify(audit) == 0
    assert run("verify", audit) == 0
    reordered(audit)
    assert not read_ledger(audit).problems
    capsys.readouterr()
    assert run("verify", audit) == 1
    shown = capsys.readouterr().out
    for number, kind in ((1, "register"), (2, "choices"), (3, "draw")):
        assert f"entry {number} is not the {kind} that this certificate names" in shown


@pytest.mark.parametrize(
    ("number", "facts", "said"),
    [
        (2, {"size": 401}, "entry 2 is not the choices that draw.json has"),
        (3, {"seed_given": True}, "entry 3 is not as draw.json has it"),
        (3, {"delta": 0.01}, "entry 3 is not as draw.json has it"),
    ],
)
def test_verify_compares_the_entries_with_the_draw(
    tmp_path, capsys, monkeypatch, number, facts, said
):
    """Even if every digest was made anew, those in the certificate included."""
    truth, audit = make_inputs(tmp_path), tmp_path / "audit"
    assert draw(tmp_path, "--labels", 60, *holdout(tmp_path)) == 0
    entries = [dict(entry) for entry in read_ledger(audit).entries]
    entries[number - 1] |= facts
    resealed(audit, entries)
    label(audit, truth, [x for x, _, _ in mb.Draw.load(audit).sample])
    assert certify(audit) == 2
    assert said in capsys.readouterr().err
    monkeypatch.setattr("matchbound.certificates.certification._check_draw", lambda *_: None)
    assert certify(audit) == 0
    assert run("verify", audit) == 1
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    "options",
    [
        ["--labels", 80, "--gap", 100, "--at-most-one-match"],
        ["--labels", 80, "--anytime"],
        ["--until", "precision=30"],
        ["--labels", 200, "--until", "recall=30"],
        ["--labels", 50, "--among"],
    ],
    ids=lambda options: options[-1] if isinstance(options[-1], str) else options[2],
)
def test_every_kind_of_draw_has_a_second_phase(tmp_path, options):
    truth, audit = make_inputs(tmp_path), tmp_path / "audit"
    assert draw(tmp_path, "--train", 40) == 0
    trained = mb.Draw.load(audit).trained
    among = options[-1] == "--among"
    given = [*options, tmp_path / "holdout.csv"] if among else [*options, *holdout(tmp_path)]
    assert draw(tmp_path, *given) == 0
    drawn = mb.Draw.load(audit)
    assert drawn.trained == trained
    assert not set(drawn.validated) & set(trained)
    if among:
        assert set(drawn.validated) <= {x for x, _ in read_csv(tmp_path / "holdout.csv")}
    label(audit, truth, [x for x, _, _ in drawn.sample])
    assert certify(audit) == 0
    assert mb.Certificate.load(audit / "certificate.json").ledger.seeded.draw == 5
    assert run("verify", audit) == 0


def test_a_second_phase_may_grow(tmp_path):
    truth, audit = make_inputs(tmp_path), tmp_path / "audit"
    assert draw(tmp_path, "--train", 40) == 0
    assert draw(tmp_path, "--labels", 50, "--anytime", *holdout(tmp_path)) == 0
    before = mb.Draw.load(audit)
    assert draw(tmp_path, "--labels", 90, "--extend") == 0
    drawn = mb.Draw.load(audit)
    assert (drawn.validated[:50], drawn.trained) == (before.validated, before.trained)
    label(audit, truth, [x for x, _, _ in drawn.sample])
    assert certify(audit) == 0
    assert run("verify", audit) == 0


def test_a_matcher_registered_between_the_phases_was_there_before_the_seed(tmp_path):
    truth, audit = make_inputs(tmp_path), tmp_path / "audit"
    assert draw(tmp_path, "--train", 40) == 0
    assert run("register", audit, *holdout(tmp_path)) == 0
    assert draw(tmp_path, "--labels", 50) == 0
    label(audit, truth, [x for x, _, _ in mb.Draw.load(audit).sample])
    assert certify(audit) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert certificate.ledger.seeded == Seeded(3, 4, 5)


def test_a_draw_from_python(tmp_path):
    make_inputs(tmp_path)
    people, said = tmp_path / "people.csv", []
    alone = mb.draw(people, train=30, out=tmp_path / "audit")
    assert (alone.labels, alone.train, len(alone.sample)) == (0, 30, 30)
    drawn = mb.draw(
        people, labels=40, holdout=tmp_path / "holdout.csv", out=tmp_path / "audit", say=said.append
    )
    assert drawn == replace(mb.Draw.load(tmp_path / "audit"), registered=drawn.registered)
    assert said[-1].startswith("This draw costs δ = 0.05")
    assert mb.draw(people, labels=40, trained_on=labels_of(drawn.trained)).trained == sorted(
        drawn.trained
    )


def labels_of(nodes):
    import pyarrow as pa

    return pa.table({"x": nodes, "y": [None] * len(nodes)})


class Dead(BaseException):
    """The process was killed."""


class Kill:
    """Kills the process before its n-th operation on a file; a dead one does nothing more."""

    def __init__(self, after):
        self.left, self.dead = after, False

    def hooked(self, operation):
        def run(*arguments, **options):
            if threading.current_thread() is not threading.main_thread():
                return operation(*arguments, **options)  # the test runner's own
            if self.left == 0:
                self.dead = True
                if operation is BYTES:  # in the middle of it
                    path, content = arguments
                    operation(path, content[: len(content) // 2])
                self.left -= 1
                raise Dead
            if self.dead:
                return len(arguments[1]) if operation is WRITE else None
            self.left -= 1
            return operation(*arguments, **options)

        return run

    def __enter__(self):
        names = ("replace", "fsync", "write", "ftruncate", "truncate", "unlink", "chmod", "mkdir")
        self.patches = [mock.patch.object(os, n, self.hooked(getattr(os, n))) for n in names]
        hooked = self.hooked(BYTES)
        self.patches.append(
            mock.patch.object(pathlib.Path, "write_bytes", lambda path, data: hooked(path, data))
        )
        for patch in self.patches:
            patch.start()
        return self

    def __exit__(self, kind, *_):
        for patch in self.patches:
            patch.stop()
        return kind is Dead


BYTES = pathlib.Path.write_bytes
WRITE = os.write


@pytest.mark.skipif(
    sys.modules.get("fcntl", sys) is None,
    reason="a lock file of a living process stays: this kill is simulated (tests/test_files.py)",
)
@pytest.mark.parametrize("phase", ["at once", "second"])
@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 5])
def test_a_draw_that_is_killed_shows_no_node_without_an_entry(tmp_path, capsys, phase, every):
    truth, audit = make_inputs(tmp_path), tmp_path / "audit"
    options = ["--labels", 40, "--gap", 30, *holdout(tmp_path)]
    given = [*options, *([] if phase == "second" else ["--train", 20])]
    seen = set()
    for after in itertools.count(0, every):
        for path in audit.glob("*") if audit.exists() else ():
            path.unlink()
        if phase == "second":
            assert draw(tmp_path, "--train", 20) == 0
        early = len(read_ledger(audit).entries) if phase == "second" else 0
        known = {x for (x,) in read_csv(audit / "train.csv")} if early else set()
        with Kill(after) as kill:
            assert draw(tmp_path, *given) == 0
        entries = read_ledger(audit).entries[early:] if (audit / "ledger.jsonl").exists() else ()
        drawn = [entry for entry in entries if entry["kind"] == "draw"]
        files = [path for path in audit.glob("*") if path.suffix != ".jsonl"]
        shown = {x for path in files for x in truth.keys() - known if x in words(path)}
        assert not shown or drawn
        assert [e["kind"] for e in entries] == ["register", "choices", "draw"][: len(entries)]
        state = (len(entries), bool(shown), (audit / "draw.json").exists())
        if drawn and kill.dead:
            seen.add(state)
            finishes_with_the_same_seed(tmp_path, given, drawn, capsys)
        elif kill.dead:
            assert draw(tmp_path, *given) == 0  # nothing was drawn: another seed is the first
        assert not sound_ledger(audit).unfinished
        assert mb.Draw.load(audit).labels == 40
        if not kill.dead:
            break
    assert after > 20
    assert {shown for _, shown, _ in seen} >= ({True, False} if every == 1 else {True})


def words(path):
    return set(path.read_text().replace(",", " ").split())


def finishes_with_the_same_seed(folder, given, drawn, capsys):
    audit = folder / "audit"
    capsys.readouterr()
    finished = is_written(audit, drawn[0])
    if not finished:
        assert certify(audit) == 2
        assert "repeat it with the same arguments, which finishes it" in capsys.readouterr().err
    assert draw(folder, *given, *(["--force"] if finished else [])) == 0
    entries = read_ledger(audit).entries
    assert [e["seed"] for e in entries if e["kind"] == "draw" and e["labels"]] == [drawn[0]["seed"]]
    assert mb.Draw.load(audit).seed == drawn[0]["seed"]
    assert mb.Draw.load(audit).digest == drawn[0]["draw"]


def test_an_interrupted_draw_is_not_drawn_anew_by_other_arguments(tmp_path, capsys):
    make_inputs(tmp_path)
    assert draw(tmp_path, "--labels", 40) == 0
    for name in ("draw.json", "sample.csv"):
        (tmp_path / "audit" / name).unlink()
    before = contents(tmp_path)
    for verb in (["register", *holdout(tmp_path)], ["certify", *holdout(tmp_path)]):
        assert run(verb[0], tmp_path / "audit", *verb[1:]) == 2
        assert "audit must hold the draw that is last in its ledger (entry 2)" in (
            capsys.readouterr().err
        )
    assert draw(tmp_path, "--labels", 30) == 2
    assert "out must not hold a draw that was interrupted" in capsys.readouterr().err
    assert contents(tmp_path) == before
    assert draw(tmp_path, "--labels", 40) == 0
    assert kinds(tmp_path / "audit") == ["choices", "draw"]


def test_a_repeated_draw_keeps_its_seed_and_another_does_not(tmp_path, capsys):
    truth, audit = make_inputs(tmp_path), tmp_path / "audit"
    seeds = []
    for options in (
        ["--labels", 40],
        ["--labels", 40],
        ["--labels", 50],  # larger
        ["--labels", 45],  # smaller
        ["--labels", 45, "--delta", 0.04],
        ["--labels", 45, "--delta", 0.04, *holdout(tmp_path)],
        ["--labels", 45, "--delta", 0.04, *holdout(tmp_path)],
        ["--labels", 45, "--delta", 0.04, "--holdout", tmp_path / "complete.csv"],
    ):
        assert draw(tmp_path, *options, "--force") == 0
        seeds.append(mb.Draw.load(tmp_path / "audit").seed)
    assert [seeds.index(seed) for seed in seeds] == [0, 0, 0, 3, 4, 5, 5, 7]
    shown = capsys.readouterr().out
    assert "the seed stays, and this costs nothing" in shown
    assert shown.count("and other draws or matchers are on record in this folder") == 4
    last = shown.split("This draw costs")[-1]
    assert "δ = 0.04, and other draws" in last
    nodes = [x for x, _, _ in mb.Draw.load(audit).sample]
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth.get(x, "")] for x in nodes])
    assert run("certify", audit, "--holdout", tmp_path / "complete.csv") == 0
    said = re.search(r"With probability at least ([\d.]+%)", capsys.readouterr().out)[1]
    assert f"together hold with probability at least {said}" in last  # the price was told before


def test_a_larger_draw_prints_what_it_assumes(tmp_path, capsys):
    truth, audit = make_inputs(tmp_path), tmp_path / "audit"
    assert draw(tmp_path, "--labels", 40, *holdout(tmp_path)) == 0
    small = mb.Draw.load(audit).validated
    assert draw(tmp_path, "--labels", 60, *holdout(tmp_path), "--force") == 0
    assert mb.Draw.load(audit).validated[:40] == small
    assert kinds(audit) == ["register", "choices", "draw", "choices", "draw"]
    label(audit, truth, [x for x, _, _ in mb.Draw.load(audit).sample])
    assert certify(audit) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert certificate.ledger.together == 0.95
    assert Remark("grown") in certificate.assumptions
    assert certificate.ledger.seeded == Seeded(1, 2, 3)
    assert run("verify", audit) == 0


@pytest.mark.parametrize("phase", ["at once", "train alone", "second"])
def test_a_dry_run_prints_what_the_draw_prints(tmp_path, capsys, phase):
    make_inputs(tmp_path)
    given = ["--labels", 40, "--delta", 0.1, *holdout(tmp_path)]
    if phase == "train alone":
        given = ["--train", 20]
    if phase == "second":
        assert draw(tmp_path, "--train", 20) == 0
    before = contents(tmp_path)
    capsys.readouterr()
    with mock.patch("secrets.token_hex", side_effect=AssertionError("a seed was made")):
        assert draw(tmp_path, *given, "--dry-run") == 0
    dry = capsys.readouterr().out.splitlines()
    assert contents(tmp_path) == before
    assert (tmp_path / "audit").exists() == (phase == "second")
    assert dry.pop() == "Dry run: no seed was made, and nothing was written."
    assert draw(tmp_path, *given) == 0
    real = capsys.readouterr().out.splitlines()
    drawn = str(mb.Draw.load(tmp_path / "audit"))
    assert [line for line in real if line != drawn] == dry
    assert dry[0] == f"Population: {tmp_path / 'people.csv'}, 400 nodes with ids in 'id'."
    if phase != "train alone":
        assert "Holdout matcher: holdout.csv, 3" in dry[1]
        assert "Choices: precision and recall at δ = 0.1." in dry
        assert (
            "This draw costs δ = 0.1: its certificates hold with probability at least 90%." in dry
        )


def test_a_dry_run_refuses_what_the_draw_refuses(tmp_path, capsys):
    make_inputs(tmp_path)
    write_csv(tmp_path / "strange.csv", ["x", "y"], [["a1", "b1"], ["nobody", "b2"]])
    for more in ([], ["--dry-run"]):
        assert draw(tmp_path, "--labels", 40, "--holdout", tmp_path / "strange.csv", *more) == 2
        assert "got x = 'nobody', which is not in it" in capsys.readouterr().err
    write_csv(tmp_path / "twice.csv", ["x", "y"], [["a1", "b1"], ["a1", "b1"]])
    assert draw(tmp_path, "--labels", 40, "--holdout", tmp_path / "twice.csv") == 2
    write_csv(tmp_path / "itself.csv", ["x", "y"], [["a1", "a2"]])
    assert draw(tmp_path, "--labels", 40, "--holdout", tmp_path / "itself.csv") == 2
    assert "dedupe or link must be said" in capsys.readouterr().err
    assert not (tmp_path / "audit").exists()


NODES, TRAIN, VALIDATE, DELTA = 9, 2, 4, 0.3
LEFT = NODES - TRAIN
CHOICES = mb.Choices(DELTA, ("precision",), one_to_one=True)


@cache
def bound(trained, validated):
    """What is certified of a matcher that is right at so many nodes of D, and of S."""
    right, wrong = Label.alone(1, 1, 1), Label.alone(1, 1, 0)
    nodes = [
        (right,) * number + (wrong,) * (size - number)
        for number, size in ((trained, TRAIN), (validated, VALIDATE))
    ]
    tally = Tally(NODES, *nodes, (), (Cell(1, 1, 1, NODES - TRAIN - VALIDATE),))
    return guarantees({"all": tally}, CHOICES, complete=False)[0].value


def is_broken(right, trained, validated):
    """Whether the precision that is certified is above the true one."""
    return bound(len(right & trained), len(right & validated)) > len(right) / NODES


def subsets(nodes, *sizes):
    nodes = sorted(nodes)
    return [set(some) for size in sizes for some in itertools.combinations(nodes, size)]


def test_a_matcher_that_knows_all_but_the_seed_fails_with_at_most_delta():
    """Exact sums over all D and S, for the worst matcher after each D.

    It may use D's labels, all ids and even the truth: it chooses where to be right.
    """
    worst = []
    for trained in subsets(range(NODES), TRAIN):
        rest = set(range(NODES)) - trained
        samples = subsets(rest, VALIDATE)
        shares = [
            sum(is_broken(right, trained, validated) for validated in samples) / len(samples)
            for right in subsets(rest, *range(LEFT + 1))
        ]
        worst.append(max(shares))
    assert 0.5 * DELTA < sum(worst) / len(worst) <= DELTA


def test_the_same_matcher_with_the_ids_of_the_sample_fails_always():
    """As in a draw of D and S at once, if its developer saw sample.csv."""
    for trained in subsets(range(NODES), TRAIN):
        for validated in subsets(set(range(NODES)) - trained, VALIDATE):
            assert is_broken(validated, trained, validated)
