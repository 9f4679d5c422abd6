"""verify says one of four things, each with its exit status, and opens no file out of its reach."""

import json
import os
import shutil
from dataclasses import replace

import pytest

import matchbound as mb
from matchbound.audits import Draw, Journal, read_ledger, transaction
from matchbound.audits.journal import NAME as JOURNAL
from matchbound.certificates.record import leaves
from matchbound.desk.desk import Desk
from matchbound.errors import EngineError
from matchbound.files import digest_of_json
from support.audits import certify, contents, make_audit, make_inputs, run, write_csv
from support.desks import make_desk


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """An audit whose labels were made by hand, certified."""
    audit = make_audit(tmp_path_factory.mktemp("outcomes"))
    assert certify(audit) == 0
    return audit


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    """An audit that was labelled on the page, certified."""
    audit, truth = make_desk(tmp_path_factory.mktemp("page"), labels=20, train=5)
    desk = Desk(audit, Draw.load(audit))
    while (place := desk.next("Ann")) is not None:
        match = truth.get(desk.order[place - 1])
        desk.label("Ann", place, [match] if match else [])
    assert run("certify", audit, "--holdout", audit.parent / "holdout.csv") == 0
    assert run("verify", audit) == 0
    return audit


@pytest.fixture
def copy(certified, tmp_path):
    return copied(certified, tmp_path)


def copied(audit, tmp_path):
    """The audit's folder and all that lies beside it, with the paths of the copy."""
    shutil.copytree(audit.parent, tmp_path / "copy")
    (tmp_path / "copy/audit/paths.jsonl").unlink()
    return tmp_path / "copy/audit"


def reseal(record):
    body = {name: value for name, value in record.items() if name not in ("digest", "digests")}
    body["digests"] = {place: digest_of_json(leaf)[:16] for place, leaf in leaves(body)}
    return body | {"digest": digest_of_json(body)}


def verify(capsys, *words):
    """The exit status, and the lines that are printed, but the one that names a folder's file."""
    capsys.readouterr()
    status = run("verify", *words)
    shown = capsys.readouterr()
    lines = (shown.out + shown.err).splitlines()
    return status, [line for line in lines if not line.startswith("Certificate: ")]


def as_version1(tmp_path, kind="drawn"):
    from test_version1 import HERE

    shutil.copytree(HERE / kind, tmp_path / kind)
    return tmp_path / kind / "audit"


# A certificate that names no ledger


@pytest.mark.parametrize("place", ["folder", "bare", "elsewhere"])
def test_a_ledger_cannot_be_left_out(copy, tmp_path, capsys, place):
    """Beside the ledger, or naming a draw beside which it is; digests are made anew."""
    record = json.loads((copy / "certificate.json").read_text()) | {"ledger": None}
    path = copy / ("certificate.json" if place == "folder" else "forged.json")
    path = tmp_path / "forged.json" if place == "elsewhere" else path
    path.write_text(json.dumps(reseal(record)))
    target = [copy] if place == "folder" else [path, "--inputs", copy.parent]
    status, lines = verify(capsys, *target)
    assert status == 1
    assert any("ledger is null, but there is one" in line for line in lines)


def test_a_ledger_cannot_be_left_out_by_python(copy, capsys):
    certificate = mb.Certificate.load(copy / "certificate.json")
    replace(certificate, ledger=None).save(copy / "certificate.json", force=True)
    status, lines = verify(capsys, copy)
    assert (status, lines[0][:14]) == (1, "Contradicted: ")


def test_nor_out_of_a_certificate_of_version_1(tmp_path, capsys):
    audit = as_version1(tmp_path)
    record = json.loads((audit / "certificate.json").read_text()) | {"ledger": None}
    (audit / "certificate.json").write_text(json.dumps(reseal(record)))
    status, lines = verify(capsys, audit)
    assert (status, "ledger is null" in lines[0]) == (1, True)


def test_labels_brought_along_stand_elsewhere(copy, tmp_path, capsys, monkeypatch):
    """They have no ledger, and verify with the files that they name."""
    shutil.copy(copy / "labels.csv", tmp_path / "labels.csv")
    given = ["--population", copy.parent / "people.csv", "--labels", tmp_path / "labels.csv"]
    given += ["--assume-uniform", "--holdout", copy.parent / "holdout.csv"]
    (tmp_path / "out").mkdir()
    out = tmp_path / "out/certificate.json"
    assert run("certify", *given, "--out", out) == 0
    assert verify(capsys, out)[0] == 3
    status, lines = verify(capsys, out, "--inputs", tmp_path)
    assert (status, lines[0][:10]) == (0, "Verified: ")
    monkeypatch.chdir(copy)
    certificate = mb.Certificate.load(out)
    assert mb.verify(certificate).holds  # in memory it stands beside no ledger


# Four outcomes


def test_verified_with_all_inputs(copy, capsys):
    assert verify(capsys, copy) == (
        0,
        [
            "Verified: its digests; its guarantees, from its tallies; its place in the ledger; "
            "its tallies, from its inputs; its draw, from the seed."
        ],
    )
    assert mb.verify(copy).outcome == "verified"


def test_consistent_in_itself(copy, capsys):
    (copy.parent / "holdout.csv").unlink()
    assert verify(capsys, copy) == (
        3,
        [
            "Consistent in itself, inputs missing: holdout.",
            "Checked: its digests; its guarantees, from its tallies; its place in the ledger; its "
            "draw, from the seed.",
        ],
    )
    assert mb.verify(copy).outcome == "consistent in itself"


def test_contradicted(copy, capsys):
    write_csv(copy.parent / "holdout.csv", ["x", "y"], [["a1", "b1"]])
    status, lines = verify(capsys, copy)
    assert status == 1
    assert lines[0].startswith("Contradicted: inputs.holdout: ")
    assert lines[0].endswith("holdout.csv' is not the file that was certified")
    assert mb.verify(copy).outcome == "contradicted"


def test_a_requirement_that_is_not_met(copy, capsys):
    value = mb.Certificate.load(copy / "certificate.json").value("precision")
    assert verify(capsys, copy, "--require", "precision=0.5")[0] == 0
    status, lines = verify(capsys, copy, "--require", "precision=0.99")
    assert (status, lines[0]) == (
        1,
        f"Requirement not met: precision 0.99 (certified is {value:g})",
    )
    both = ["--require", "precision=0.99", "--require", "recall=0.999"]
    assert verify(capsys, copy, *both)[1][0] == "Requirement not met: 2 reasons."
    assert mb.verify(copy, require={"precision": 0.99}).outcome == "requirement not met"
    (copy.parent / "holdout.csv").unlink()
    assert verify(capsys, copy, "--require", "precision=0.5")[0] == 3
    assert verify(capsys, copy, "--require", "precision=0.99")[0] == 1
    (copy / "labels.csv").write_text("x,y\na1,b1\n")
    status, lines = verify(capsys, copy, "--require", "precision=0.99")
    assert (status, lines[0].partition(":")[0]) == (1, "Contradicted")


def test_a_requirement_has_the_rule_of_certify(tmp_path, capsys):
    """A seed that the user gave meets none, however large the bound."""
    audit = make_audit(tmp_path, "--seed", "mine")
    assert certify(audit, "--require", "precision=0.1") == 1
    status, lines = verify(capsys, audit, "--require", "precision=0.1")
    assert (status, lines[0]) == (
        1,
        "Requirement not met: precision 0.1 (the seed was given by the user)",
    )


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--require", "precision"], "require must be"),
        (["--require", "error-rate=0.1"], "metric must be one that was certified"),
        (["--inputs", "nowhere"], "inputs must be a folder"),
        (["--memory", "much"], "memory must be"),
        (["--temp", "nowhere"], "temp must be"),
    ],
)
def test_a_bad_option_is_no_contradiction(certified, capsys, words, problem):
    status, lines = verify(capsys, certified, *words)
    assert (status, len(lines)) == (2, 1)
    assert lines[0].startswith(f"matchbound: {problem}")


@pytest.mark.parametrize(
    "function", ["recount.compute", "redrawing.draw_again", "rows.digest_of_rows"]
)
def test_an_engine_that_gives_up_is_no_contradiction(copy, capsys, monkeypatch, function):
    if function.startswith("rows"):  # other bytes, so that rows are compared
        text = (copy.parent / "holdout.csv").read_text().replace("\n", "\r\n")
        (copy.parent / "holdout.csv").write_text(text)

    def give_up(*_, **__):
        raise EngineError("the engine gave up: out of memory.")

    monkeypatch.setattr(f"matchbound.certificates.{function}", give_up)
    assert verify(capsys, copy) == (2, ["matchbound: the engine gave up: out of memory."])


@pytest.mark.parametrize("error", [MemoryError(), PermissionError(13, "Permission denied")])
def test_what_the_machine_refuses_is_no_contradiction(copy, capsys, monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("matchbound.certificates.recount.compute", fail)
    status, lines = verify(capsys, copy)
    assert (status, lines[0][:35]) == (2, "matchbound: cannot check the certif")


@pytest.mark.parametrize("made", ["folder", "file", "text"])
def test_what_is_no_certificate_cannot_be_checked(tmp_path, capsys, made):
    target = tmp_path / "some"
    if made == "folder":
        target.mkdir()
    elif made == "text":
        target.write_text("hello")
    assert verify(capsys, target)[0] == 2


def test_version_1_has_the_same_outcomes(tmp_path, capsys):
    audit = as_version1(tmp_path)
    status, lines = verify(capsys, audit)
    assert (status, lines[0][:10]) == (0, "Verified b")
    (audit / "labels.csv").rename(tmp_path / "labels.csv")
    status, lines = verify(capsys, audit)
    assert (status, lines[0]) == (3, "Consistent in itself, inputs missing: labels.")
    assert verify(capsys, audit, "--inputs", tmp_path)[0] == 0
    (audit / "labels.csv").write_text("x,y\na,b\n")
    status, lines = verify(capsys, audit)
    assert (status, lines[0][:28]) == (1, "Contradicted: inputs.labels:")
    assert verify(capsys, audit, "--require", "precision=0.1")[0] == 2


def test_help_says_the_codes(capsys):
    with pytest.raises(SystemExit):
        run("verify", "--help")
    shown = " ".join(capsys.readouterr().out.split())
    assert (
        "Exit status: 0 verified with all inputs; 3 consistent in itself, inputs missing, or the "
        "folder's newest certificate is; 1 contradicted, or --require not met; 2 could not check."
    ) in shown


# What is opened


def test_a_certificate_alone_opens_what_is_beside_it(copy, capsys):
    (copy / "certificate.json").rename(copy / "alone.json")
    status, lines = verify(capsys, copy / "alone.json")
    assert status == 3
    assert lines[0].endswith("inputs missing: population, holdout, complete.")
    assert verify(capsys, copy / "alone.json", "--inputs", copy.parent)[0] == 0


def test_an_untrusted_folder_opens_nothing_else(certified, copy, tmp_path, capsys):
    """Neither what lies beside it, nor what its paths.jsonl names."""
    shutil.copy(certified / "paths.jsonl", copy)
    status, lines = verify(capsys, copy, "--untrusted")
    assert (status, lines[0].partition(": ")[2]) == (3, "population, holdout, complete.")
    assert verify(capsys, copy, "--untrusted", "--inputs", copy.parent)[0] == 0
    for name in ("people", "holdout", "complete"):
        (copy.parent / f"{name}.csv").unlink()
    assert verify(capsys, copy)[0] == 0  # at its whole paths


@pytest.mark.parametrize("path", ["../../../{}", "{}"])
def test_a_path_on_record_leads_nowhere_else(copy, tmp_path, capsys, path):
    """Whoever writes a certificate does not say which files of a reader are opened."""
    secret = tmp_path / "secret.csv"
    shutil.copy(copy.parent / "holdout.csv", secret)
    record = json.loads((copy / "certificate.json").read_text())
    record["inputs"]["holdout"]["path"] = path.format(secret if path == "{}" else secret.name)
    (copy / "certificate.json").write_text(json.dumps(reseal(record)))
    for words in ([copy], [copy, "--untrusted"], [copy / "certificate.json"]):
        found = mb.verify(words[0], untrusted=len(words) > 1)
        assert "holdout" in found.missing


def test_inputs_are_found_in_folders_below_but_not_through_links(copy, tmp_path, capsys):
    below, outside = tmp_path / "inputs/deep/er", tmp_path / "outside"
    below.mkdir(parents=True)
    outside.mkdir()
    (copy.parent / "holdout.csv").rename(below / "holdout.csv")
    (copy.parent / "complete.csv").rename(outside / "complete.csv")
    (tmp_path / "inputs/complete.csv").symlink_to(outside / "complete.csv")
    (tmp_path / "inputs/linked").symlink_to(outside)
    status, lines = verify(capsys, copy, "--inputs", tmp_path / "inputs")
    assert (status, lines[0]) == (3, "Consistent in itself, inputs missing: complete.")
    (tmp_path / "inputs/complete.csv").unlink()
    (tmp_path / "inputs/complete.csv").symlink_to(below / "complete.csv")
    (outside / "complete.csv").rename(below / "complete.csv")
    assert verify(capsys, copy, "--inputs", tmp_path / "inputs")[0] == 0


FILES = ("certificate.json", "ledger.jsonl", "journal.jsonl", "sample.csv", "paths.jsonl")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", [*FILES, "draw.json", "labels.csv", "../holdout.csv"])
def test_no_pipe_is_opened(copy, capsys, name):
    (copy / name).unlink(missing_ok=True)
    os.mkfifo(copy / name)
    status, lines = verify(capsys, copy)
    assert status == (3 if name == "../holdout.csv" else 2)
    assert status == 3 or "must " in lines[0]
    if name in FILES[1:]:
        what = "a folder, a pipe or a device. Move it away; restore the file, if it was there."
        assert lines[0].endswith(f"got {str(copy / name)!r}, {what}")


def test_what_is_no_folder_is_called_so(copy, capsys):
    status, lines = verify(capsys, copy, "--inputs", copy / "draw.json")
    assert (status, "which is no folder. Give the folder" in lines[0]) == (2, True)


@pytest.mark.parametrize("name", [*FILES[:4], "labels.csv"])
def test_no_link_leads_out_of_an_untrusted_folder(copy, tmp_path, capsys, name):
    shutil.move(copy / name, tmp_path / "elsewhere")
    (copy / name).symlink_to(tmp_path / "elsewhere")
    status, lines = verify(capsys, copy, "--untrusted")
    assert (status, "a link that leads elsewhere" in lines[0]) == (2, True)


def test_nothing_is_written(copy, capsys):
    before = contents(copy.parent)
    for words in ([], ["--untrusted"], ["--inputs", copy.parent]):
        verify(capsys, copy, *words)
    assert contents(copy.parent) == before


# What was not given, or was erased


def exported(audit, folder):
    """What an auditor gets: the certificate and the ledger."""
    folder.mkdir()
    for name in ("certificate.json", "ledger.jsonl"):
        shutil.copy(audit / name, folder / name)
    return folder


def test_an_export_is_consistent_in_itself(labelled, tmp_path, capsys):
    folder = exported(labelled, tmp_path / "export")
    status, lines = verify(capsys, folder)
    commitments = "openings of 27 of the ledger's commitments"
    assert (status, lines) == (
        3,
        [
            f"Consistent in itself, inputs missing: population, draw, labels, holdout, "
            f"{commitments}.",
            "Checked: its digests; its guarantees, from its tallies; its place in the ledger.",
        ],
    )


@pytest.mark.parametrize("change", ["entry", "dropped", "standing", "guarantee"])
def test_an_export_that_was_changed_is_contradicted(labelled, tmp_path, capsys, change):
    folder = exported(labelled, tmp_path / "export")
    ledger = (folder / "ledger.jsonl").read_text()
    record = json.loads((folder / "certificate.json").read_text())
    if change == "entry":
        ledger = ledger.replace('"sure": true', '"sure": false', 1)
        assert ledger != (folder / "ledger.jsonl").read_text()
    elif change == "dropped":
        ledger = "".join(ledger.splitlines(keepends=True)[:-1])
    elif change == "standing":
        record["ledger"]["matchers"] += 1
    else:
        record["guarantees"][0]["value"] = 0.999
    (folder / "ledger.jsonl").write_text(ledger)
    (folder / "certificate.json").write_text(json.dumps(reseal(record)))
    status, lines = verify(capsys, folder)
    assert (status, lines[0].partition(":")[0]) == (1, "Contradicted")


def lines_with(audit, word):
    lines = (audit / JOURNAL).read_bytes().splitlines(keepends=True)
    return [line for line in lines if json.loads(line).get("content", {}).get(word)]


def test_an_auditor_with_a_line_of_the_journal_opens_it(labelled, tmp_path, capsys):
    folder = exported(labelled, tmp_path / "export")
    (folder / JOURNAL).write_bytes(lines_with(labelled, "label")[0])
    assert "openings of 26 of the ledger's" in verify(capsys, folder)[1][0]
    changed = lines_with(labelled, "label")[0].replace(b'"node": "a', b'"node": "z')
    (folder / JOURNAL).write_bytes(changed)
    status, lines = verify(capsys, folder)
    assert status == 1
    assert "was changed in journal.jsonl" in lines[0]


@pytest.mark.parametrize("with_nodes", [False, True])
def test_an_auditor_with_the_seed_draws_again(labelled, tmp_path, capsys, with_nodes):
    folder = exported(labelled, tmp_path / "export")
    opened = [*lines_with(labelled, "seed"), lines_with(labelled, "label")[7]]
    opened += lines_with(labelled, "nodes") if with_nodes else []
    (folder / JOURNAL).write_bytes(b"".join(opened))
    data = labelled.parent / "people.csv"
    assert "from the seed" not in verify(capsys, folder)[1][1]  # no population
    (tmp_path / "given").mkdir()
    shutil.copy(data, tmp_path / "given")
    status, lines = verify(capsys, folder, "--inputs", tmp_path / "given")
    assert status == 3
    assert lines[1].endswith("its place in the ledger; its draw, from the seed.")


def test_the_seed_alone_shows_nothing_of_the_draw(labelled, tmp_path, capsys):
    """Whatever it draws, there is nothing to compare it with."""
    folder = exported(labelled, tmp_path / "export")
    (folder / JOURNAL).write_bytes(b"".join(lines_with(labelled, "seed")))
    shutil.copy(labelled.parent / "people.csv", folder)
    status, lines = verify(capsys, folder)
    assert (status, "from the seed" in lines[1]) == (3, False)


@pytest.mark.parametrize("given", ["draw.json", JOURNAL])
def test_an_auditor_with_the_list_of_nodes_draws_again(labelled, tmp_path, capsys, given):
    folder = exported(labelled, tmp_path / "export")
    for path in (labelled.parent / "people.csv", labelled / "sample.csv", labelled / "draw.json"):
        if path.name != "draw.json" or given == "draw.json":
            shutil.copy(path, folder)
    if given == JOURNAL:
        (folder / JOURNAL).write_bytes(b"".join(lines_with(labelled, "seed")))
    status, lines = verify(capsys, folder)
    assert status == 3
    assert lines[1].endswith("its place in the ledger; its draw, from the seed.")
    text = (folder / "sample.csv").read_text().splitlines(keepends=True)
    other = next(f"a{i}" for i in range(400) if not any(row.startswith(f"a{i},") for row in text))
    forged = [text[0], f"{other},{text[1].partition(',')[2]}", *text[2:]]
    (folder / "sample.csv").write_text("".join(forged))
    status, lines = verify(capsys, folder)
    assert (status, lines[0]) == (1, "Contradicted: sample.csv is not what the seed draws")


@pytest.mark.parametrize("forged", ["label", "nodes"])
def test_a_label_of_a_node_that_was_not_drawn_is_named(labelled, tmp_path, capsys, forged):
    """The draw's owner entered it so: the chain is sound, and the seed tells."""
    audit = copied(labelled, tmp_path)
    ledger = [json.loads(line) for line in (audit / "ledger.jsonl").read_text().splitlines()]
    journal = read_ledger(audit).journal
    kind = "label" if forged == "label" else "draw"
    entry = next(one for one in ledger if one["kind"] == kind)
    opening = journal.get(entry[forged]["sealed"])
    value = {**opening.value, "node" if forged == "label" else "sample": "a0"}
    assert value != opening.value
    other = replace(opening, value=value)
    entry[forged] = {"sealed": other.commitment}
    record = json.loads((audit / "certificate.json").read_text())
    chain_anew(ledger, record)
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "ledger.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ledger))
    (folder / "certificate.json").write_text(json.dumps(record))
    shutil.copy(audit.parent / "people.csv", folder)
    (folder / JOURNAL).write_bytes(b"".join([*lines_with(audit, "seed"), other.line]))
    status, lines = verify(capsys, folder)
    assert status == 1
    said = {"label": "is not of the node that the seed draws at place 1"}
    assert said.get(forged, "are not what the seed draws") in lines[0]


def chain_anew(ledger, record):
    """Make every digest fit again, that of the certificate too."""
    from matchbound.audits.ledger import _digest

    before = ""
    for entry in ledger:
        if entry["kind"] == "certificate":
            record["ledger"]["head"] = before
            record.update(reseal(record))
            entry["certificate"] = record["digest"]
        entry["before"] = before
        del entry["digest"]
        entry["digest"] = before = _digest(entry)


def forget(audit, places, *, erases=True):
    """What `matchbound forget` leaves of the journal, with its entry."""
    entries, journal = read_ledger(audit).entries, read_ledger(audit).journal
    with transaction(audit) as ledger:
        ledger.add("forget", places=places, records=0, count=len(places), reason="asked")
    if not erases:
        return
    raw = [json.loads(line) for line in (audit / "ledger.jsonl").read_text().splitlines()]
    gone = {
        one["label"]["sealed"]
        for one, opened in zip(raw, entries, strict=False)
        if one["kind"] == "label" and opened["place"] in places
    }
    rest: Journal = journal.without(gone, salt="0" * 32)
    (audit / JOURNAL).write_bytes(b"".join(rest.lines()))


def test_a_certificate_from_before_labels_were_erased(labelled, tmp_path, capsys):
    audit = copied(labelled, tmp_path)
    forget(audit, [3, 8])
    gone = {one.split(b",")[0] for one in (audit / "labels.csv").read_bytes().splitlines()[3:4]}
    rows = (audit / "labels.csv").read_bytes().splitlines(keepends=True)
    (audit / "labels.csv").write_bytes(b"".join(r for r in rows if r.split(b",")[0] not in gone))
    status, lines = verify(capsys, audit)
    assert status == 3
    assert lines[0] == (
        "Consistent in itself, inputs missing: labels as they were (2 nodes erased since), "
        "openings of 2 of the ledger's commitments."
    )


def test_labels_erased_without_a_word_are_missing(labelled, tmp_path, capsys):
    """A line of the journal is gone; labels.csv and the salt are there."""
    audit = copied(labelled, tmp_path)
    lines = (audit / JOURNAL).read_bytes().splitlines(keepends=True)
    lines.remove(lines_with(audit, "label")[2])
    (audit / JOURNAL).write_bytes(b"".join(lines))
    status, shown = verify(capsys, audit)
    assert (status, shown[0].partition(": ")[2]) == (
        3,
        "openings of 1 of the ledger's commitments.",
    )


def test_without_a_journal_labels_cannot_be_compared(labelled, tmp_path, capsys):
    audit = copied(labelled, tmp_path)
    (audit / JOURNAL).unlink()
    status, shown = verify(capsys, audit)
    assert status == 3
    assert "labels (the salt of their digest), openings of 27 of" in shown[0]


@pytest.mark.parametrize("after", [False, True])
def test_other_labels_contradict_where_nothing_was_erased_since(labelled, tmp_path, capsys, after):
    """Neither a salt that is there nor something forgotten before excuses another file."""
    audit = copied(labelled, tmp_path)
    if after:
        forget(audit, [3], erases=False)
    (audit / "labels.csv").write_text("x,y\na1,b1\n")
    status, lines = verify(capsys, audit)
    assert status == (3 if after else 1)
    assert lines[0].startswith(
        "Consistent in itself, inputs missing: labels as they were (1 node erased since)"
        if after
        else "Contradicted: inputs.labels: "
    )


@pytest.mark.parametrize(
    "options",
    [
        ["--until", "precision=40", "--holdout", "holdout.csv"],
        *(
            pytest.param(options, marks=pytest.mark.slow)
            for options in (
                ["--labels", "60", "--among", "holdout.csv"],
                ["--labels", "60", "--weigh", "pairwise-precision", "--holdout", "holdout.csv"],
                ["--labels", "60", "--gap", "50"],
                ["--labels", "60", "--trained-on", "trained.csv"],
            )
        ),
    ],
)
def test_every_kind_of_draw_is_drawn_again_without_its_files(tmp_path, capsys, options):
    truth, audit = make_inputs(tmp_path), tmp_path / "audit"
    write_csv(tmp_path / "trained.csv", ["x", "y"], [["a1", "b1"], ["a5", ""]])
    words = [tmp_path / word if word.endswith(".csv") else word for word in options]
    assert run("draw", tmp_path / "people.csv", *words, "--out", audit) == 0
    nodes = [node for node, _, _ in Draw.load(audit).sample]
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth.get(x, "")] for x in nodes])
    assert run("certify", audit, "--holdout", tmp_path / "holdout.csv") == 0
    folder = exported(audit, tmp_path / "export")
    shutil.copy(audit / JOURNAL, folder)
    for path in tmp_path.glob("*.csv"):
        shutil.copy(path, folder)
    status, lines = verify(capsys, folder, "--untrusted")
    assert (status, lines[0]) == (3, "Consistent in itself, inputs missing: draw, labels.")
    assert lines[1].endswith("its draw, from the seed.")


def test_the_folder_s_own_labels_are_checked(copy, capsys):
    """The labels as they were, under the same name elsewhere, do not stand in for edited ones."""
    shutil.copy(copy / "labels.csv", copy.parent / "labels.csv")
    lines = (copy / "labels.csv").read_text().splitlines()
    lines[2] = lines[2].split(",")[0] + ",bZZ"
    (copy / "labels.csv").write_text("\n".join(lines) + "\n")
    for more in ([], ["--inputs", copy.parent], ["--untrusted", "--inputs", copy.parent]):
        status, lines = verify(capsys, copy, *more)
        assert (status, "labels.csv' is not the file that was certified" in lines[0]) == (1, True)


def test_a_copy_of_the_draw_does_not_excuse_a_missing_ledger(copy, tmp_path, capsys):
    (tmp_path / "forged").mkdir()
    for name in ("draw.json", "sample.csv", "labels.csv", "journal.jsonl"):
        shutil.copy(copy / name, tmp_path / "forged")
    record = json.loads((copy / "certificate.json").read_text()) | {"ledger": None}
    (tmp_path / "forged/certificate.json").write_text(json.dumps(reseal(record)))
    status, lines = verify(capsys, tmp_path / "forged", "--inputs", copy.parent)
    assert (status, "ledger is null" in "\n".join(lines)) == (1, True)


@pytest.mark.parametrize("lines", [1, 2])
def test_a_ledger_that_ends_too_early_is_named(copy, capsys, lines):
    kept = (copy / "ledger.jsonl").read_text().splitlines()[:lines]
    (copy / "ledger.jsonl").write_text("\n".join(kept) + "\n")
    status, said = verify(capsys, copy)
    assert status == 1
    assert f"ledger.jsonl has {lines} entries, and this certificate is entry 4" in "\n".join(said)
    assert "Error(" not in "\n".join(said)


def test_what_would_not_verify_is_not_certified(copy, capsys):
    """A ledger whose choices are not the draw's, with every digest made anew."""
    from matchbound.audits.ledger import _digest

    entries = [json.loads(line) for line in (copy / "ledger.jsonl").read_text().splitlines()]
    entries[0]["matching"]["dedupe"] = True
    before = ""
    for entry in entries:
        entry["before"] = before
        entry["digest"] = before = _digest({n: v for n, v in entry.items() if n != "digest"})
    (copy / "ledger.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    assert certify(copy, "--force") == 2
    assert "a ledger and a draw.json that fit each other" in capsys.readouterr().err


def test_without_its_journal_nothing_is_certified(copy, capsys):
    (copy / "journal.jsonl").unlink()
    assert certify(copy, "--force") == 2
    assert "audit must hold journal.jsonl as it was written" in capsys.readouterr().err
