"""The ledger: what is on record, what a certificate says of it, and what verify makes of edits."""

import json
import os
import shutil

import pytest

import matchbound as mb
from matchbound.audits.ledger import append, read_ledger, transaction
from support.audits import certify, contents, make_audit, make_inputs, run, run_seeded, write_csv
from support.damage import chained


def entries(audit):
    return [json.loads(line) for line in (audit / "ledger.jsonl").read_text().splitlines()]


def label(audit, truth, role=None):
    draw = mb.Draw.load(audit)
    places = {"train": 1, "validation": 2}
    nodes = [row[0] for row in draw.sample if role is None or row[places[role]] is not None]
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth.get(x, "")] for x in nodes])


def draw(folder, *options):
    arguments = ["draw", folder / "people.csv", "--labels", 120, "--train", 60]
    return run_seeded("s", *arguments, "--out", folder / "audit", *options)


@pytest.fixture
def audit(tmp_path):
    """Drawn; D labelled; H registered; S labelled; certified."""
    truth = make_inputs(tmp_path)
    assert draw(tmp_path) == 0
    place = tmp_path / "audit"
    label(place, truth, "train")
    assert run("register", place, "--holdout", tmp_path / "holdout.csv") == 0
    label(place, truth)
    assert certify(place) == 0
    return place


def test_what_was_done_is_on_record_in_order(audit, capsys):
    kinds = [entry["kind"] for entry in entries(audit)]
    assert kinds == ["choices", "draw", "labels", "register", "labels", "certificate"]
    certificate = json.loads((audit / "certificate.json").read_text())
    assert certificate["ledger"]["registered"] == 4
    assert certificate["ledger"]["seeded"] is None
    assert certificate["ledger"]["certificates"] == 1
    assert certificate["ledger"]["together"] == 0.95
    assert entries(audit)[5]["certificate"] == certificate["digest"]
    fresh = sum(train is None for _, train, place in mb.Draw.load(audit).sample if place)
    assert [entry["validation"] for entry in entries(audit)[2:5]] == [0, 0, fresh]
    assert run("verify", audit) == 0
    assert "its place in the ledger" in capsys.readouterr().out


def test_a_matcher_registered_at_the_draw(tmp_path, capsys):
    truth = make_inputs(tmp_path)
    assert draw(tmp_path, "--holdout", tmp_path / "holdout.csv") == 0
    label(tmp_path / "audit", truth)
    assert certify(tmp_path / "audit") == 0
    shown = capsys.readouterr().out
    assert "the holdout matcher was on record before the seed was made; 1 certificate" in shown
    assert (
        "\nChecked: the seed was made after the holdout matcher was on record (entries 1 and 3 of "
        "the ledger).\nAssumed:\n"
    ) in shown
    assert "Not checked: whoever developed the holdout matcher" not in shown
    assert "Not checked: no other draw of this population was made elsewhere" in shown
    kinds = [entry["kind"] for entry in entries(tmp_path / "audit")]
    assert kinds == ["register", "choices", "draw", "labels", "certificate"]
    assert run("verify", tmp_path / "audit") == 0


@pytest.mark.parametrize("registered", ["never", "too late", "another", "another threshold"])
def test_a_matcher_that_was_not_on_record(tmp_path, capsys, registered):
    truth = make_inputs(tmp_path)
    holdout, threshold = tmp_path / "holdout.csv", []
    if registered == "another threshold":
        scored = [[*line.split(","), 0.7] for line in holdout.read_text().split("\n")[1:-1]]
        for name in ("holdout", "complete"):
            write_csv(tmp_path / f"{name}.csv", ["x", "y", "score"], scored)
        threshold = ["--threshold", 0.6]
    before = {"another": ["--holdout", tmp_path / "complete.csv"]}.get(registered, [])
    if threshold:
        before = ["--holdout", holdout, "--threshold", 0.5]
    assert draw(tmp_path, *before) == 0
    label(tmp_path / "audit", truth)
    if registered == "too late":
        assert run("register", tmp_path / "audit", "--holdout", holdout) == 0
        assert " validation nodes have labels already," in capsys.readouterr().out
    assert certify(tmp_path / "audit", *threshold) == 0
    shown = capsys.readouterr().out
    assert "Ledger: the holdout matcher was not on record before the validation labels" in shown
    assert "Not checked: the choices, the holdout matcher and its threshold were fixed" in shown
    assert (
        "Not checked: whoever developed the holdout matcher did not know which nodes are in the "
        "validation sample, nor their labels."
    ) in shown
    assert run("verify", tmp_path / "audit") == 0


def test_several_certificates(audit, capsys):
    """About one holdout matcher they hold together; another costs δ again."""
    folder = audit.parent
    capsys.readouterr()
    other = ["--complete", folder / "holdout.csv", "--out", audit / "second.json"]
    assert run("certify", audit, "--holdout", folder / "holdout.csv", *other) == 0
    assert "2 certificates from this draw" in (shown := capsys.readouterr().out)
    assert "with probability at least 95%." in shown
    third = ["--holdout", folder / "complete.csv", "--out", audit / "third.json"]
    assert run("certify", audit, *third) == 0
    shown = capsys.readouterr().out
    assert "3 certificates from this draw" in shown
    assert "together with probability at least 90%." in shown
    alone = ["--holdout", folder / "holdout.csv", "--out", audit / "alone.json"]
    assert run("certify", audit, *alone) == 0  # of the holdout matcher alone: the same event
    assert "together with probability at least 90%." in capsys.readouterr().out
    for name in ("certificate.json", "second.json", "third.json", "alone.json"):
        assert run("verify", audit / name, "--inputs", folder) == 0


def test_the_best_of_several_on_record_costs_each_of_them(tmp_path, capsys):
    truth = make_inputs(tmp_path)
    assert draw(tmp_path) == 0
    audit = tmp_path / "audit"
    for name in ("holdout", "complete", "holdout"):  # one of them twice: that is one matcher
        assert run("register", audit, "--holdout", tmp_path / f"{name}.csv") == 0
    label(audit, truth)
    assert certify(audit) == 0
    shown = capsys.readouterr().out
    assert (
        "1 certificate from this draw; all that have a guarantee hold together with probability "
        "at least 90%. 1 other matcher is on record and could have been certified as well.\n"
    ) in shown
    assert (
        shown.count("With probability at least 90%, all together (for 2 matchers on record or") == 1
    )
    assert not mb.Certificate.load(audit / "certificate.json").meets("precision", 0.1)
    assert run("verify", audit) == 0


@pytest.mark.parametrize(
    ("versions", "least", "others"),
    [
        ([], "95%, all together:", 0),
        (["second complete"], "92.5%, all together (for 2 matchers on record or looked at):", 1),
        (["second third"], "90%, all together (for 2 matchers on record or looked at):", 1),
    ],
)
def test_of_several_algorithms_each_version_on_record_counts(
    versions, least, others, tmp_path, capsys
):
    """Two algorithms share δ; another version of one costs half of it, and of both the whole."""
    truth = make_inputs(tmp_path)
    rows = (tmp_path / "holdout.csv").read_text().splitlines()
    for number, name in enumerate(("second", "third"), 1):
        (tmp_path / f"{name}.csv").write_text("\n".join(rows[:-number]) + "\n")
    assert draw(tmp_path, "--algorithm", "a", "--algorithm", "b") == 0
    audit = tmp_path / "audit"
    first, *later = (
        [
            f"--holdout={name}={tmp_path / file}.csv"
            for name, file in zip("ab", pair.split(), strict=True)
        ]
        for pair in ["holdout complete", *versions]
    )
    for given in (first, *later):
        assert run("register", audit, *given) == 0
    label(audit, truth)
    capsys.readouterr()
    assert run("certify", audit, *first) == 0
    shown = capsys.readouterr().out
    assert f"With probability at least {least}" in shown
    assert shown.count("1 other matcher is on record and could have been certified") == others
    assert shown.count("other matcher") == others


@pytest.mark.parametrize("where", ["in the folder", "elsewhere"])
def test_no_draw_is_made_again_after_labels_were_seen(tmp_path, capsys, where):
    truth = make_inputs(tmp_path)
    assert draw(tmp_path) == 0
    audit = tmp_path / "audit"
    label(audit, truth)
    labels = []
    if where == "elsewhere":
        (audit / "labels.csv").rename(tmp_path / "labels.csv")
        labels = ["--labels", tmp_path / "labels.csv"]
    assert certify(audit, *labels) == 0
    if where == "in the folder":
        before = contents(tmp_path)
        assert draw(tmp_path, "--force") == 2
        assert "out must not hold labels yet" in capsys.readouterr().err
        assert contents(tmp_path) == before
    assert run("register", audit, "--holdout", tmp_path / "complete.csv") == 0
    assert " validation nodes have labels already," in capsys.readouterr().out


def test_a_draw_onto_a_broken_ledger_changes_nothing(audit, capsys):
    for name in ("labels.csv", "certificate.json"):
        (audit / name).unlink()
    lines = lines_of(audit)
    (audit / "ledger.jsonl").write_text("".join(lines[1:]))
    before = contents(audit)
    assert draw(audit.parent, "--force") == 2
    assert "got one in which entry 1 is missing" in capsys.readouterr().err
    assert contents(audit) == before


def test_a_certificate_that_cannot_be_written_is_not_entered(audit, tmp_path):
    (tmp_path / "file").write_text("")
    before = contents(audit)
    assert certify(audit, "--out", tmp_path / "file" / "certificate.json") == 2
    assert contents(audit) == before


def test_choices_other_than_the_draw_s_are_exploratory(audit, capsys):
    capsys.readouterr()
    out = ["--out", audit / "other.json"]
    assert certify(audit, "--delta", 0.2, "--require", "precision=0.1", *out) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("Exploratory: no guarantee. Not as fixed at the draw: delta.\n")
    assert "Required precision 0.1: not certified (exploratory)." in shown.err
    certificate = mb.Certificate.load(audit / "other.json")
    assert certificate.exploratory == ("delta",)
    assert not certificate.meets("precision", 0.1)
    assert certificate.ledger.together == 0.95
    assert run("verify", audit / "other.json", "--inputs", audit.parent) == 0
    assert certify(audit, "--bands", "0.5,0.9", "--out", audit / "third.json") == 2


def test_an_exploratory_certificate_that_hides_it_does_not_verify(audit, capsys):
    from dataclasses import replace

    assert certify(audit, "--delta", 0.2, "--out", audit / "other.json") == 0
    hidden = replace(mb.Certificate.load(audit / "other.json"), exploratory=())
    hidden.save(audit / "other.json", force=True)
    capsys.readouterr()
    assert run("verify", audit / "other.json") == 1
    assert "choices are not those of the draw (delta)" in capsys.readouterr().out


def lines_of(audit):
    return (audit / "ledger.jsonl").read_text().splitlines(keepends=True)


def verify_after(audit, lines, capsys):
    (audit / "ledger.jsonl").write_text("".join(lines))
    capsys.readouterr()
    assert run("verify", audit) == 1
    return capsys.readouterr().out


@pytest.mark.parametrize("place", range(6))
def test_an_edited_entry_is_named(audit, place, capsys):
    for change in (("2026", "2025"), ('"kind"', '"kinds"'), ("{", "{ "), ("}", "")):
        lines = lines_of(audit)
        if change[0] not in lines[place]:
            continue
        lines[place] = lines[place].replace(*change, 1)
        if json_of(lines[place]) == json_of(lines_of(audit)[place]):
            continue  # spaces between values change nothing
        original = (audit / "ledger.jsonl").read_text()
        shown = verify_after(audit, lines, capsys)
        assert f"ledger.jsonl: entry {place + 1} was changed" in shown
        (audit / "ledger.jsonl").write_text(original)


def json_of(line):
    try:
        return json.loads(line)
    except ValueError:
        return None


@pytest.mark.parametrize("place", range(6))
def test_a_resealed_entry_is_named(audit, place, capsys):
    """Its own digest fits again; the next entry, or the certificate, still knows the old one."""
    from matchbound.audits.ledger import _digest

    lines = lines_of(audit)
    entry = json.loads(lines[place])
    entry["time"] = "2020-01-01T00:00:00+00:00"
    entry |= {"digest": _digest({k: v for k, v in entry.items() if k != "digest"})}
    lines[place] = json.dumps(entry) + "\n"
    if place == 5:  # nothing follows: the time of the last entry is not told by anything
        return
    assert f"entry {place + 2} does not follow entry {place + 1}" in verify_after(
        audit, lines, capsys
    )


@pytest.mark.parametrize("place", range(6))
def test_a_dropped_entry_is_named(audit, place, capsys):
    lines = lines_of(audit)
    del lines[place]
    assert f"entry {place + 1}" in verify_after(audit, lines, capsys)


@pytest.mark.parametrize("place", range(5))
def test_a_moved_entry_is_named(audit, place, capsys):
    lines = lines_of(audit)
    lines[place], lines[place + 1] = lines[place + 1], lines[place]
    assert f"entry {place + 1} stands elsewhere" in verify_after(audit, lines, capsys)


def test_a_lost_ledger_is_named(audit, capsys):
    (audit / "ledger.jsonl").unlink()
    capsys.readouterr()
    assert run("verify", audit) == 3
    shown = capsys.readouterr().out
    missing = "labels (the salt of their digest), ledger"
    assert shown.startswith(f"Consistent in itself, inputs missing: {missing}.\n")
    assert certify(audit, "--force") == 2


def test_a_broken_ledger_takes_no_more_entries(audit, capsys):
    lines = lines_of(audit)
    del lines[1]
    (audit / "ledger.jsonl").write_text("".join(lines))
    before = contents(audit)
    assert certify(audit, "--force") == 2
    assert "got one in which entry 2 is missing" in capsys.readouterr().err
    assert contents(audit) == before


def state(folder):
    """All that a write would change: bytes, times and names, of the folder itself too."""
    paths = [folder, *sorted(folder.rglob("*"))]
    data = [path.read_bytes() if path.is_file() else b"" for path in paths]
    return [(path, one, path.stat().st_mtime_ns) for path, one in zip(paths, data, strict=True)]


def verified(audit):
    """The exit status of verify, which must not have written anything."""
    before = state(audit)
    status = run("verify", audit)
    assert state(audit) == before
    return status


def test_verify_writes_nothing_and_says_to_repair_an_unfinished_line(audit, capsys):
    good = (audit / "ledger.jsonl").read_text()
    assert verified(audit) == 0
    (audit / "ledger.jsonl").write_text(good + '{"entry": 7, "time": "2026-')
    capsys.readouterr()
    assert verified(audit) == 0
    advice = f"The ledger's last line is unfinished (a crash). Run: matchbound repair {audit}"
    assert advice in capsys.readouterr().out
    assert run("repair", audit) == 0
    said = "The ledger's last line was unfinished (a crash): it was cut off.\n"
    assert capsys.readouterr().out == said
    assert (audit / "ledger.jsonl").read_text() == good
    before = state(audit)
    assert run("repair", audit) == 0
    assert state(audit) == before
    assert capsys.readouterr().out == "Nothing to repair: every line of the ledger is finished.\n"


@pytest.mark.parametrize("place", ["audit", "elsewhere"])
def test_a_crash_while_the_certificate_was_entered_is_repaired(audit, capsys, tmp_path, place):
    good = (audit / "ledger.jsonl").read_text()
    (audit / "ledger.jsonl").write_text(good[:-40])
    capsys.readouterr()
    assert verified(audit) == 1
    shown = capsys.readouterr().out
    assert "ledger.jsonl: entry 6, this certificate's, is missing" in shown
    assert f"Run: matchbound repair {audit}" in shown
    given = []
    if place == "elsewhere":
        given = ["--certificate", (audit / "certificate.json").rename(tmp_path / "moved.json")]
    assert run("repair", audit, *given) == 0
    assert "the entry of " in (shown := capsys.readouterr().out)
    assert shown.endswith("was made again.\n")
    assert [entry["kind"] for entry in entries(audit)][-1] == "certificate"
    assert run("verify", *(given[1:] or [audit]), "--inputs", audit.parent) == 0
    assert "unfinished" not in capsys.readouterr().out


def test_a_certificate_that_is_not_on_record_is_named_and_not_entered(audit, capsys):
    """A whole line that is missing was dropped, not lost in a crash."""
    lines = lines_of(audit)
    (audit / "ledger.jsonl").write_text("".join(lines[:-1]))
    assert verified(audit) == 1
    assert "entry 6, this certificate's, is missing" in capsys.readouterr().out
    before = state(audit)
    assert run("repair", audit) == 0
    assert state(audit) == before


def test_an_edited_certificate_gets_no_entry(audit):
    good = (audit / "ledger.jsonl").read_text()
    (audit / "ledger.jsonl").write_text(good[:-40])
    text = (audit / "certificate.json").read_text()
    (audit / "certificate.json").write_text(text.replace('"delta": 0.05', '"delta": 0.01', 1))
    assert run("repair", audit) == 0
    assert [entry["kind"] for entry in entries(audit)][-1] == "labels"


def test_a_broken_ledger_is_not_repaired(audit, capsys):
    lines = lines_of(audit)
    del lines[1]
    (audit / "ledger.jsonl").write_text("".join(lines)[:-40])
    before = state(audit)
    assert run("repair", audit) == 2
    assert "got one in which entry 2 is missing" in capsys.readouterr().err
    assert state(audit) == before


@pytest.mark.usefixtures("tampering")
def test_an_unfinished_line_is_cut_off_by_the_next_entry(audit):
    with (audit / "ledger.jsonl").open("a") as file:
        file.write('{"entry": 7')
    append(audit, "search", records=None)
    assert not read_ledger(audit).problems
    assert [entry["entry"] for entry in entries(audit)] == [1, 2, 3, 4, 5, 6, 7]


def test_a_forged_place_in_the_ledger_is_named(audit, capsys):
    from dataclasses import replace

    certificate = mb.Certificate.load(audit / "certificate.json")
    better = replace(certificate.ledger, certificates=7)
    replace(certificate, ledger=better).save(audit / "certificate.json", force=True)
    assert run("verify", audit) == 1
    assert "ledger.jsonl: entry 6, this certificate's, is missing" in capsys.readouterr().out


def test_a_draw_made_again_is_on_record(tmp_path):
    make_inputs(tmp_path)
    for seed in ("a", "b"):
        assert draw(tmp_path, "--force", "--seed", seed) == 0
    drawn = read_ledger(tmp_path / "audit").of_kind("draw")
    assert [(one["seed"], one["seed_given"]) for one in drawn] == [("a", True), ("b", True)]


def test_a_draw_without_a_folder_has_no_ledger(tmp_path):
    truth = make_inputs(tmp_path)
    drawn = mb.draw(tmp_path / "people.csv", labels=50, seed="s")
    drawn.save(tmp_path / "audit")
    label(tmp_path / "audit", truth)
    labels = tmp_path / "audit/labels.csv"
    certificate = mb.certify(drawn, holdout=tmp_path / "holdout.csv", labels=labels)
    assert certificate.ledger is None
    assert mb.verify(certificate).holds


def test_registering_what_is_no_matcher_is_refused(tmp_path, capsys):
    truth = make_inputs(tmp_path)
    assert draw(tmp_path) == 0
    label(tmp_path / "audit", truth)
    before = contents(tmp_path)
    assert run("register", tmp_path / "audit") == 2
    assert "holdout must be given, got None. " in capsys.readouterr().err
    assert run("register", tmp_path / "audit", "--holdout", tmp_path / "people.csv") == 2
    assert run("register", tmp_path / "audit", "--holdout", tmp_path / "gone.csv") == 2
    assert contents(tmp_path) == before


def test_an_audit_copied_elsewhere_verifies(audit, tmp_path):
    shutil.copytree(tmp_path, tmp_path / "copy")
    assert run("verify", tmp_path / "copy/audit") == 0


def test_a_whole_audit_made_by_hand(tmp_path):
    """The usual way, without registering: everything else is there."""
    audit = make_audit(tmp_path)
    assert certify(audit) == 0
    kinds = [entry["kind"] for entry in entries(audit)]
    assert kinds == ["choices", "draw", "labels", "certificate"]


def test_several_matchers_are_registered_together_or_not_at_all(tmp_path, capsys):
    make_inputs(tmp_path)
    assert draw(tmp_path, "--algorithm", "a", "--algorithm", "b") == 0
    before = contents(tmp_path)
    two = ["--holdout", f"a={tmp_path / 'holdout.csv'}", "--holdout", f"b={tmp_path / 'gone.csv'}"]
    assert run("register", tmp_path / "audit", *two) == 2
    assert contents(tmp_path) == before


def test_a_matcher_with_scores_is_registered_at_a_threshold(tmp_path, capsys):
    make_inputs(tmp_path)
    write_csv(tmp_path / "scored.csv", ["x", "y", "score"], [["a1", "b1", 0.9]])
    assert draw(tmp_path, "--holdout", tmp_path / "scored.csv") == 2
    assert draw(tmp_path, "--threshold", 0.5) == 2
    assert "threshold must come with a holdout matcher" in capsys.readouterr().err
    assert draw(tmp_path) == 0
    assert run("register", tmp_path / "audit", "--holdout", tmp_path / "scored.csv") == 2
    assert "threshold must be given, because holdout has scores in column 'score'. " in (
        capsys.readouterr().err
    )


@pytest.mark.usefixtures("tampering")
def test_a_certificate_put_elsewhere_in_the_ledger_is_named(audit, capsys):
    """As if nothing had been certified before it."""
    from matchbound.audits.standing import standing
    from matchbound.certificates.assumptions import on_record

    certificate = mb.Certificate.load(audit / "certificate.json")
    issued = certificate.issued()
    facts, known = issued.as_dict(), read_ledger(audit).entries
    first = on_record(certificate, standing(known[:5], issued))
    append(audit, "certificate", certificate=first.as_dict()["digest"] + "x", **facts)
    late = on_record(certificate, standing(known[:4], issued))
    append(audit, "certificate", certificate=late.as_dict()["digest"], **facts)
    late.save(audit / "late.json")
    capsys.readouterr()
    assert run("verify", audit / "late.json") == 1
    assert "ledger.jsonl: entry 8 is not as this certificate has it" in capsys.readouterr().out


def test_labels_that_were_changed_since_are_told(audit, capsys):
    rows = [line.split(",") for line in (audit / "labels.csv").read_text().splitlines()[1:]]
    rows[0][1] = "b399" if rows[0][1] != "b399" else ""
    write_csv(audit / "labels.csv", ["x", "y"], rows)
    capsys.readouterr()
    assert certify(audit, "--force") == 0
    assert "2 certificates (1 of them when the labels were others) from this draw" in (
        capsys.readouterr().out
    )
    assert run("verify", audit) == 0


def refused_in(folder):
    with transaction(folder, begins=True) as ledger:
        ledger.add("draw")
        raise mb.InputError("refused")


@pytest.mark.usefixtures("tampering")
def test_what_is_refused_leaves_no_folder_that_was_not_there(tmp_path):
    (tmp_path / "there").mkdir()
    for name in ("there", "new"):
        with pytest.raises(mb.InputError):
            refused_in(tmp_path / name)
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]


@pytest.mark.parametrize("line", ["no entry", '{"kind": "labels"}'])
def test_a_ledger_that_is_not_as_written_is_named(tmp_path, line):
    audit = make_audit(tmp_path)
    mb.certify(audit, holdout=tmp_path / "holdout.csv", out=audit / "certificate.json")
    lines = (audit / "ledger.jsonl").read_text().splitlines()
    (audit / "ledger.jsonl").write_text("\n".join([lines[0], line, *lines[2:]]) + "\n")
    with pytest.raises(mb.InputError, match="entry 2 was changed"):
        mb.certify(audit, holdout=tmp_path / "holdout.csv")
    assert mb.verify(audit).differences == ("ledger.jsonl: entry 2 was changed",)


def test_what_is_refused_is_undone_where_a_folder_is_in_the_way(audit, capsys):
    (audit / "paths.jsonl").unlink()
    (audit / "paths.jsonl").mkdir()
    before = contents(audit)
    assert certify(audit, "--force") == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert contents(audit) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("name", ["ledger.jsonl", "journal.jsonl", "paths.jsonl"])
def test_a_pipe_in_place_of_a_file_is_refused_at_once(tmp_path, name):
    make_inputs(tmp_path)
    (tmp_path / "audit").mkdir()
    os.mkfifo(tmp_path / "audit" / name)
    assert draw(tmp_path, "--force") == 2
    assert contents(tmp_path / "audit") == {}


@pytest.mark.parametrize(("place", "fact"), [(0, "size"), (1, "delta")])
def test_nothing_is_certified_from_a_draw_that_its_entry_contradicts(audit, capsys, place, fact):
    changed = entries(audit)
    changed[place][fact] = 0.01 if fact == "delta" else 300
    text = "".join(f"{json.dumps(entry)}\n" for entry in chained(changed))
    (audit / "ledger.jsonl").write_text(text)
    assert certify(audit, "--force") == 2
    assert f"entry {place + 1} is not" in capsys.readouterr().err


def test_an_empty_salt_of_labels_is_as_good_as_erased(audit):
    journal = audit / "journal.jsonl"
    lines = [line for line in journal.read_text().splitlines() if "salt of labels" not in line]
    journal.write_text("\n".join([*lines, '{"salt of labels": ""}']) + "\n")
    assert certify(audit, "--force") == 0
    assert run("verify", audit) == 0
