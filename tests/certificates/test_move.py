"""Audit folders of version 1, moved to version 2.

version1/make_folders.py made them, at commit 27645bb.

Each was left at another stage: drawn (`fresh`), half labelled on the page, certified, certified at
any time with labels after it, and made larger after some labels.
"""

import errno
import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

import matchbound as mb
from matchbound.audits import Book, append, read_ledger, sound_ledger
from matchbound.desk.desk import Desk
from matchbound.files import digest_of_text
from support.audits import contents, read_csv, run

HERE = Path(__file__).parent / "version1"
STAGES = ["fresh", "half", "certified", "anytime", "extended"]
SAYS = "Run `matchbound repair AUDIT --to 2`"
SECRETS = ("Quillfeather", "Oxbarrow", "Zanzibar", '"a89"', '"b89"', '"b999"')
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def copy(tmp_path, kind):
    folder = HERE / "folders" / kind
    shutil.copytree(folder if folder.is_dir() else HERE / kind, tmp_path / kind)
    return tmp_path / kind / "audit"


def moved(tmp_path, kind):
    audit = copy(tmp_path, kind)
    assert run("repair", audit, "--to", 2) == 0
    return audit


def refused(capsys, *arguments):
    assert run(*arguments) == 2
    return capsys.readouterr().err


def label_rest(audit, most=99):
    desk = Desk(audit, mb.Draw.load(audit))
    while most and (place := desk.next("Cleo")) is not None:
        node = desk.order[place - 1]
        desk.label("Cleo", place, true_matches(node))
        most -= 1
    for place in [*desk.book.with_status("unsure")]:
        desk.label("Ana Quillfeather", place, true_matches(desk.order[place - 1]))


def true_matches(node):
    return [f"b{node[1:]}"] if int(node[1:]) % 5 else []


def certify(audit, name="new.json", **options):
    matchers = {role: audit.parent / f"{role}.csv" for role in ("holdout", "complete")}
    certificate = mb.certify(audit, **matchers, **options)
    certificate.save(audit / name)
    return certificate


def assert_as_from_a_draw_made_today(audit, certificate):
    """The same seed, choices and labels in a folder that was never of version 1."""
    before, people = mb.Draw.load(audit), audit.parent / "people.csv"
    drawn = mb.draw(people, labels=24, train=8, seed=before.seed, one_to_one=True)
    assert (drawn.sample, drawn.choices) == (before.sample, before.choices)
    other = audit.parent / "today"
    drawn.save(other)
    shutil.copy(audit / "labels.csv", other)
    matchers = {role: audit.parent / f"{role}.csv" for role in ("holdout", "complete")}
    today = mb.certify(other, **matchers, population=people)
    assert certificate.tallies == today.tallies
    assert certificate.guarantees == today.guarantees


def paths_of(audit):
    return [json.loads(line) for line in (audit / "paths.jsonl").read_text().splitlines()]


def old_entries(kind):
    lines = (HERE / "folders" / kind / "audit/ledger.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def rechain(audit, change):
    """Write version 1's ledger anew, each entry as `change` returns it."""
    before, lines = "", []
    for entry in map(json.loads, (audit / "ledger.jsonl").read_text().splitlines()):
        body = change(entry) | {"before": before}
        body.pop("digest")
        before = digest_of_text(json.dumps(body, sort_keys=True, ensure_ascii=False))
        lines.append(json.dumps(body | {"digest": before}, ensure_ascii=False) + "\n")
    (audit / "ledger.jsonl").write_text("".join(lines))


def redraw(audit, **changes):
    """Write version 1's draw.json anew with changes, and its entry in the ledger."""
    record = json.loads((audit / "draw.json").read_text())
    known_as = record.pop("digest")
    record |= changes
    record["digest"] = digest_of_text(json.dumps(record, sort_keys=True))
    (audit / "draw.json").write_text(json.dumps(record, indent=2) + "\n")
    rechain(audit, lambda e: e | {"draw": record["digest"]} if e.get("draw") == known_as else e)


@pytest.mark.parametrize("kind", ["fresh", "certified"])
def test_every_other_verb_refuses_a_folder_of_version_1(tmp_path, capsys, kind):
    audit = copy(tmp_path, kind)
    people, holdout = audit.parent / "people.csv", audit.parent / "holdout.csv"
    (audit / "labels.csv").touch()
    before = contents(audit)
    for arguments in (
        ("draw", people, "--labels", 30, "--out", audit, "--extend"),
        ("register", audit, "--holdout", holdout),
        ("certify", audit, "--holdout", holdout, "--force"),
        ("certify", audit, "--holdout", holdout, "--force", "--require", "precision=0.9"),
        ("label", audit, "--records", people, "--against", people, "--no-browser"),
        ("patch", audit, "--holdout", holdout, "--out", tmp_path / "patched.csv"),
        ("withhold", audit, "--command", "true {labels} {out}", "--force"),
        ("seal", audit),
        ("report", audit),
        ("repair", audit),
    ):
        said = refused(capsys, *arguments)
        assert said.count(SAYS) == 1, arguments
        assert said.count(". ") == 1, said
    assert contents(audit) == before
    (audit / "labels.csv").unlink()
    arguments = ("draw", people, "--labels", 30, "--out", audit, "--force")
    assert SAYS in refused(capsys, *arguments)
    del before[audit / "labels.csv"]
    assert contents(audit) == before


@pytest.mark.parametrize("kind", STAGES)
def test_the_entries_are_moved_in_their_order(tmp_path, capsys, kind):
    audit = moved(tmp_path, kind)
    old, ledger = old_entries(kind), sound_ledger(audit)
    assert f"{len(old)} entries were moved" in capsys.readouterr().out
    first, *entries = ledger.entries
    digest = hashlib.sha256((audit / "ledger-1.jsonl").read_bytes()).hexdigest()
    assert (first["kind"], first["ledger"], first["entries"]) == ("moved", digest, len(old))
    rest = [entry for entry in entries if entry["kind"] != "labeller"]
    assert [(e["kind"], e["time"]) for e in rest] == [(e["kind"], e["time"]) for e in old]
    assert "choices" not in {entry["kind"] for entry in entries}
    assert not any("choices" in entry for entry in entries)  # so no seed is said to come later
    assert ledger.unopened == 0
    names = {e["labeller"]: e["name"] for e in entries if e["kind"] == "labeller"}
    labels = [e for e in old if e["kind"] == "label"]
    for label, now in zip(labels, ledger.of_kind("label"), strict=True):
        assert now["label"] == {name: label[name] for name in ("node", "matches", "note")}
        assert names[now["labeller"]] == label["labeller"]
        assert now["sure"] == (label["matches"] is not None)
    for name in ("ledger", "draw"):
        suffix = ".jsonl" if name == "ledger" else ".json"
        kept = (audit / f"{name}-1{suffix}").read_bytes()
        assert kept == (HERE / "folders" / kind / f"audit/{name}{suffix}").read_bytes()


@pytest.mark.parametrize("kind", STAGES)
def test_a_moved_folder_is_moved_once(tmp_path, capsys, kind):
    audit = moved(tmp_path, kind)
    before = contents(audit)
    capsys.readouterr()
    assert run("repair", audit, "--to", 2) == 0
    assert capsys.readouterr().out == "Nothing to move: the folder is of version 2.\n"
    assert contents(audit) == before


@pytest.mark.parametrize("kind", STAGES)
def test_the_moved_ledger_shows_nobody(tmp_path, kind):
    """Nor a digest of version 1, by which ids could be tried out."""
    audit = moved(tmp_path, kind)
    ledger, draw = (
        (audit / "ledger.jsonl").read_text(),
        json.loads((audit / "draw-1.json").read_text()),
    )
    nodes = [f'"{node}"' for node, _, _ in mb.Draw.load(audit).sample]
    digests = [draw["digest"], draw["sample_digest"]]
    digests += [
        e[k] for e in old_entries(kind) for k in ("digest", "draw", "certificate") if k in e
    ]
    digests += [e["labels"] for e in old_entries(kind) if e["kind"] in ("labels", "certificate")]
    digests.append(hashlib.sha256((audit / "ledger-1.jsonl").read_bytes()).hexdigest())
    for secret in (*SECRETS, *nodes, *digests, draw["seed"], str(tmp_path)):
        assert secret not in ledger
    assert str(tmp_path) not in (audit / "draw.json").read_text()
    assert str(audit.parent / "people.csv") in paths_of(audit)


def test_a_fresh_folder_is_labelled_certified_and_verified(tmp_path):
    audit = moved(tmp_path, "fresh")
    label_rest(audit)
    certificate = certify(audit, "certificate.json")
    place = certificate.ledger
    assert (place.registered, place.seeded) == (3, None)
    assert (place.draws, place.certificates, place.matchers, place.together) == (1, 1, 1, 0.95)
    assert not certificate.inputs.draw.seed_given
    assert_as_from_a_draw_made_today(audit, certificate)
    assert run("verify", audit) == 0
    assert mb.verify(audit).missing == ()


def test_a_half_labelled_folder_goes_on(tmp_path):
    before = (HERE / "folders/half/audit/labels.csv").read_bytes()
    audit = moved(tmp_path, "half")
    desk = Desk(audit, mb.Draw.load(audit), twice=2)
    assert (audit / "labels.csv").read_bytes() == before
    assert desk.book.agreement() == (1, 2)
    assert desk.book.with_status("unsure") == [12]
    assert desk.book.last_of("Ben Oxbarrow").place == 11  # the twelfth was undone
    label_rest(audit)
    assert (audit / "labels.csv").read_bytes().startswith(before)
    certificate = certify(audit, "certificate.json")
    place = certificate.ledger
    assert (place.registered, place.draws, place.together) == (4, 2, 0.9)  # a draw was drawn over
    assert (place.labelled.labellers, place.labelled.answers) == (3, 1)
    assert_as_from_a_draw_made_today(audit, certificate)
    assert run("verify", audit) == 0


def test_a_certified_folder_keeps_its_certificate_and_counts_it(tmp_path, capsys):
    audit = moved(tmp_path, "certified")
    verification = mb.verify(audit)
    assert verification.holds
    assert verification.missing == ()
    assert verification.checked[-2:] == (
        "its choices, from its draw",
        "its place in the ledger, by today's rules",
    )
    certificate = certify(audit)
    place = certificate.ledger
    assert (place.registered, place.certificates, place.other_labels) == (3, 3, 0)
    # Two bounds by different rules: they do not fail together. The exploratory one promised none.
    assert (place.matchers, place.together) == (1, 0.9)
    assert mb.verify(audit / "new.json").holds
    again = certify(audit, "again.json").ledger
    assert (again.certificates, again.matchers, again.together) == (4, 1, 0.9)
    assert mb.verify(audit).holds


def test_a_draw_that_was_made_larger_is_one_draw(tmp_path):
    audit = moved(tmp_path, "extended")
    small, large = sound_ledger(audit).of_kind("draw")
    assert large["extends"] == small["draw"]
    assert small["seed"] == large["seed"]
    assert len(Book.of(sound_ledger(audit).entries).pages) == 10
    certificate = certify(audit, unlabelled="worst")
    assert (certificate.ledger.draws, certificate.ledger.together) == (1, 0.95)
    verification = mb.verify(audit / "new.json", inputs=audit.parent)
    assert (verification.differences, verification.missing) == ((), ())


def test_an_anytime_folder_grows(tmp_path):
    audit = moved(tmp_path, "anytime")
    assert mb.verify(audit).holds  # labels came after it
    assert len(read_csv(audit / "labels.csv")) == 26
    first = certify(audit, "first.json")
    assert first.ledger.labelled.watched
    label_rest(audit, 3)
    second = certify(audit, "second.json")
    assert len(second.tallies["all"].validation) > len(first.tallies["all"].validation)
    people = audit.parent / "people.csv"
    assert run("draw", people, "--labels", 40, "--out", audit, "--extend") == 0
    label_rest(audit)
    certify(audit, "third.json")
    assert mb.verify(audit / "third.json").holds
    verification = mb.verify(audit)
    assert verification.differences == ()
    assert verification.missing == ()


def test_after_something_was_erased_its_inputs_are_missing(tmp_path):
    audit = moved(tmp_path, "certified")
    append(audit, "forget", places=[3], records=0, count=1, reason="asked")
    for name in ("ledger-1.jsonl", "draw-1.json"):
        (audit / name).unlink()
    for name in ("labels.csv", "sample.csv"):
        lines = (audit / name).read_text().splitlines(keepends=True)
        (audit / name).write_text("".join(lines[:-1]))
    verification = mb.verify(audit)
    assert (verification.differences, verification.missing) == ((), ("draw", "labels", "ledger"))


def test_without_the_old_ledger_the_certificate_is_consistent_in_itself(tmp_path):
    audit = moved(tmp_path, "certified")
    (audit / "ledger-1.jsonl").unlink()
    verification = mb.verify(audit)
    assert (verification.differences, verification.missing) == ((), ("ledger",))
    (audit / "draw-1.json").unlink()
    verification = mb.verify(audit)
    assert (verification.differences, verification.missing) == ((), ("draw", "ledger"))


@pytest.mark.parametrize("kind", ["certified", "anytime"])
def test_an_old_ledger_that_was_replaced_is_named(tmp_path, kind):
    audit = moved(tmp_path, kind)
    shutil.move(audit / "ledger-1.jsonl", audit / "kept")
    shutil.move(audit / "ledger.jsonl", audit / "new")
    shutil.copy(audit / "kept", audit / "ledger.jsonl")
    rechain(audit, lambda e: e | {"time": "2020-01-01T00:00:00+00:00"})
    shutil.move(audit / "ledger.jsonl", audit / "ledger-1.jsonl")
    shutil.move(audit / "new", audit / "ledger.jsonl")
    assert "ledger-1.jsonl is not the ledger that was moved" in mb.verify(audit).differences


def test_a_label_that_nobody_gave_is_named(tmp_path):
    """Labels may have grown since the certificate, but by the page alone."""
    audit = moved(tmp_path, "anytime")
    with (audit / "labels.csv").open("a") as file:
        file.write("a1,b1\n")
    (difference,) = mb.verify(audit).differences
    assert difference.startswith("inputs.labels: ")


SLOW = ("anytime", "bands", "explored", "gap", "threshold")


@pytest.mark.parametrize(
    "kind", ["drawn", *(pytest.param(kind, marks=pytest.mark.slow) for kind in SLOW)]
)
def test_every_kind_of_draw_is_moved(tmp_path, kind):
    shutil.copytree(HERE / kind, tmp_path / kind)
    audit = tmp_path / kind / "audit"
    held = mb.verify(audit).differences
    assert run("repair", audit, "--to", 2) == 0
    assert mb.verify(audit).differences == held  # what version 1 claimed too much is still named
    certificate = certify(audit)
    assert certificate.inputs.draw.seed_given  # "s" was given
    assert mb.verify(audit / "new.json").differences == ()


def test_absolute_paths_are_kept_where_nobody_is_sent_them(tmp_path):
    audit = copy(tmp_path, "half")
    population = json.loads((audit / "draw.json").read_text())["population"]
    elsewhere = tmp_path / "elsewhere" / "people.csv"
    elsewhere.parent.mkdir()
    shutil.move(audit.parent / "people.csv", elsewhere)
    redraw(audit, population=population | {"path": str(elsewhere)})
    assert run("repair", audit, "--to", 2) == 0
    assert json.loads((audit / "draw.json").read_text())["population"]["path"] == "people.csv"
    assert str(elsewhere) in paths_of(audit)
    assert str(tmp_path) not in (audit / "ledger.jsonl").read_text()
    certify(audit, unlabelled="worst")
    verification = mb.verify(audit / "new.json", inputs=tmp_path)
    assert (verification.differences, verification.missing) == ((), ())


def with_choice(audit, **choices):
    record = json.loads((audit / "draw.json").read_text())["choices"]
    redraw(audit, choices=record | choices)


def from_memory(audit):
    record = json.loads((audit / "draw.json").read_text())["population"]
    redraw(audit, population=record | {"path": None, "digest": "rows:" + "0" * 64})


def other_kind(audit):
    rechain(audit, lambda e: e | {"kind": "stamp"} if e["kind"] == "register" else e)


def without_kind(audit):
    rechain(audit, lambda e: {k: v for k, v in e.items() if k != "kind" or e["entry"] != 4})


def without_place(audit):
    rechain(audit, lambda e: {k: v for k, v in e.items() if k != "place"})


def edited(name, old, new):
    def edit(audit):
        path = audit / name
        path.write_text(path.read_text().replace(old, new))

    return edit


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda audit: with_choice(audit, bound="betting"), "choices that version 2 has"),
        (lambda audit: with_choice(audit, metrics=["recall", "precision"]), "mean the same"),
        (from_memory, "drawn from files to be moved"),
        (other_kind, "got 'stamp'"),
        (without_kind, "what it did not write (KeyError('kind'))"),
        (without_place, "what it did not write (KeyError('place'))"),
        (edited("ledger.jsonl", "Oxbarrow", "Newbarrow"), "entry 7 was changed"),
        (edited("sample.csv", "\na", "\nz"), "sample.csv and gap.csv as drawn"),
        (edited("draw.json", '"train": 8', '"train": 9'), "draw.json as version 1 wrote it"),
        (lambda audit: (audit / "ledger-1.jsonl").write_text("mine"), "no other ledger-1.jsonl"),
        (lambda audit: (audit / "draw-1.json").write_text("mine"), "no other draw-1.json"),
        (lambda audit: (audit / "ledger.jsonl").unlink(), "audit must hold ledger.jsonl"),
    ],
)
def test_what_cannot_be_moved_is_refused(tmp_path, capsys, damage, said):
    audit = copy(tmp_path, "half")
    damage(audit)
    before = contents(audit)
    shown = refused(capsys, "repair", audit, "--to", 2)
    assert said in shown
    assert contents(audit) == before


def test_a_draw_that_is_not_the_last_is_refused(tmp_path, capsys):
    audit = copy(tmp_path, "half")
    rechain(audit, lambda e: e | {"draw": "another"} if e["entry"] == 2 else e)
    assert "the draw that is last in its ledger" in refused(capsys, "repair", audit, "--to", 2)


def test_the_entry_of_a_certificate_that_a_crash_cut_is_made_again(tmp_path):
    audit = copy(tmp_path, "certified")
    data = (audit / "ledger.jsonl").read_bytes()
    (audit / "ledger.jsonl").write_bytes(data[:-20])
    assert run("repair", audit, "--to", 2) == 0
    assert len(sound_ledger(audit).of_kind("certificate")) == 2
    assert mb.verify(audit).differences == ()


def test_a_label_that_a_crash_cut_is_left_out(tmp_path):
    audit = copy(tmp_path, "half")
    data = (audit / "ledger.jsonl").read_bytes()
    (audit / "ledger.jsonl").write_bytes(data[:-20])
    assert run("repair", audit, "--to", 2) == 0
    assert (audit / "ledger-1.jsonl").read_bytes() == data[: data[:-1].rindex(b"\n") + 1]
    assert Book.of(sound_ledger(audit).entries).with_status("unsure") == []
    label_rest(audit)


OPERATIONS = (
    "os.replace",
    "os.fsync",
    "os.chmod",
    "os.open",
    "tempfile.mkstemp",
    "Path.write_bytes",
)
KILLS = (*OPERATIONS, "Path.unlink")


def failing(patch, number, fail, names):
    """Let the file operation with this number, counted from 0, `fail`; return the counter."""
    count = [0]

    def counted(real):
        def operation(*arguments, **options):
            count[0] += 1
            if count[0] == number + 1:
                fail()
            return real(*arguments, **options)

        return operation

    for name in names:
        owner, _, function = name.partition(".")
        owner = {"os": os, "tempfile": tempfile, "Path": Path}[owner]
        patch.setattr(owner, function, counted(getattr(owner, function)))
    return count


def full():
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def kill_at(number, audit):
    """Kill `repair --to 2` before a file operation; return whether it came so far."""
    child = os.fork()
    if not child:
        with pytest.MonkeyPatch.context() as patch:
            failing(patch, number, lambda: os._exit(9), KILLS)
            os._exit(run("repair", audit, "--to", 2))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def state(audit):
    """What a folder says, whatever its salts are."""
    ledger = sound_ledger(audit)
    private = ("before", "digest", "draw", "extends", "labels", "certificate", "time")
    entries = [{k: v for k, v in e.items() if k not in private} for e in ledger.entries]
    draw = mb.Draw.load(audit)
    known = {"ledger.jsonl", "journal.jsonl", "draw.json"}
    files = {p.name: p.read_bytes() for p in audit.iterdir() if p.name not in known}
    visible = {name: data for name, data in files.items() if not name.startswith(".")}
    return entries, ledger.unopened, draw, visible


@posix
def test_while_the_page_of_version_1_is_open_nothing_is_moved(tmp_path, capsys):
    """It locked the folder itself."""
    import fcntl

    audit = copy(tmp_path, "half")
    before, handle = contents(audit), os.open(audit, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    assert "Stop that page first" in refused(capsys, "repair", audit, "--to", 2)
    assert contents(audit) == before
    os.close(handle)
    assert run("repair", audit, "--to", 2) == 0


@posix
@pytest.mark.parametrize(
    ("kind", "points"),
    [
        ("half", (5, 29, 31, 32, 33, 42, 45, 46)),  # where files get their names, and before
        *(pytest.param(kind, range(99), marks=pytest.mark.slow) for kind in STAGES[:4]),
    ],
)
def test_killed_at_a_file_operation_it_is_finished_by_the_next(tmp_path, capsys, kind, points):
    expected = state(moved(tmp_path / "whole", kind))
    (tmp_path / "whole").rename(tmp_path / "done")
    kills = 0
    for number in points:
        audit = copy(tmp_path / "whole", kind)
        if not kill_at(number, audit):
            break
        kills += 1
        if read_ledger(audit).is_version1:
            arguments = ("register", audit, "--holdout", audit / "../holdout.csv")
            assert SAYS in refused(capsys, *arguments)
        if (audit / "certificate.json").exists():
            assert mb.verify(audit).differences == ()
        assert run("repair", audit, "--to", 2) == 0
        assert state(audit) == expected, number
        shutil.rmtree(tmp_path / "whole")
    assert kills == len(points) or kills > 40


@pytest.mark.slow
def test_on_a_full_disk_nothing_is_changed(tmp_path):
    number, failed = 0, True
    while failed:
        audit = copy(tmp_path / str(number), "fresh")
        before = contents(audit)
        with pytest.MonkeyPatch.context() as patch:
            count = failing(patch, number, full, OPERATIONS)
            status = run("repair", audit, "--to", 2)
        failed = count[0] > number
        if status:
            assert status == 2
            assert contents(audit) == before, number
            assert run("repair", audit, "--to", 2) == 0
        number += 1
    assert number > 30
