"""Releases: one set of labels certifies every version of a matcher, and all hold together."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from fractions import Fraction

import pytest

import matchbound as mb
from matchbound.audits.ledger import append, read_ledger
from matchbound.testing import assert_certified
from support.audits import contents, make_audit, make_inputs, read_csv, run, run_seeded, write_csv
from support.damage import chained


def make(folder):
    """An audit of a holdout on record before the seed, labelled."""
    return make_audit(folder, "--holdout", folder / "holdout.csv", train=0)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make(tmp_path_factory.mktemp("made"))


@pytest.fixture
def audit(made, tmp_path):
    """A copy to work in."""
    return shutil.copytree(made.parent, tmp_path / "copy") / made.name


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """The holdout is the first release; then two complete matchers; nobody writes to it."""
    folder = tmp_path_factory.mktemp("released")
    place = make(folder)
    assert release(place, "2026-09") == 0
    assert release(place, "2026-12", "complete.csv") == 0
    changed(folder, "third.csv", drop=3)
    assert release(place, "2027-03", "third.csv") == 0
    return place


def release(audit, name, complete=None, *options):
    """Certify a version of the matcher as a release."""
    folder = audit.parent
    given = [] if complete is None else ["--complete", folder / complete]
    return run(
        "certify", audit, "--holdout", folder / "holdout.csv", *given, "--release", name, *options
    )


def changed(folder, name, drop=0, add=0):
    """Write the holdout's pairs with the first dropped, and wrong ones added."""
    rows = read_csv(folder / "holdout.csv")[drop:]
    write_csv(folder / name, ["x", "y"], [*rows, *([f"a{5 * i}", "b399"] for i in range(add))])


def entries(audit):
    return read_ledger(audit).entries


# A release is a certificate with a name, in the folder and in the ledger.


def test_a_release_is_written_into_its_folder_and_named_in_the_ledger(audit, capsys):
    assert release(audit, "2026-12", "complete.csv") == 0
    assert "Release: 2026-12." in capsys.readouterr().out
    path = audit / "releases" / "2026-12.json"
    record = json.loads(path.read_text())
    assert record["release"] == "2026-12"
    assert mb.Certificate.load(path).release == "2026-12"
    assert (entries(audit)[-1]["kind"], entries(audit)[-1]["release"]) == ("certificate", "2026-12")
    assert not (audit / "certificate.json").exists()
    assert run("verify", path) == 0
    assert capsys.readouterr().out.startswith("Verified: ")


def test_the_matcher_on_record_need_not_be_named(audit, capsys):
    words = ["--complete", audit.parent / "complete.csv", "--release", "2026-12"]
    assert run("certify", audit, *words) == 0
    assert run("certify", audit, "--release", "2026-09") == 0
    listed = mb.releases(audit)
    assert [row.certificate.has_complete for row in listed.rows] == [True, False]
    assert listed.together == 0.95


def test_in_python_too(audit):
    cert = mb.certify(audit, holdout=audit.parent / "holdout.csv", release="first")
    assert cert.release == "first"
    assert mb.Certificate.load(audit / "releases" / "first.json").as_dict() == cert.as_dict()
    elsewhere = audit.parent / "second.json"
    mb.certify(audit, holdout=audit.parent / "holdout.csv", release="second", out=elsewhere)
    assert elsewhere.exists()
    assert not (audit / "releases" / "second.json").exists()


def test_a_certificate_that_is_no_release_says_nothing_of_one(audit, capsys):
    assert run("certify", audit, "--holdout", audit.parent / "holdout.csv") == 0
    assert "Release:" not in capsys.readouterr().out
    assert json.loads((audit / "certificate.json").read_text())["release"] is None
    assert entries(audit)[-1]["release"] is None


NAMES = "letters, digits, '.', '_' and '-', at most 64 of them, beginning with a letter or a digit"


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "a b", "a/b", "a\\b", "..", ".hidden", "-x", "ü", "２", "a\n", "a:b", "a" * 65),
        *("con", "NUL", "com1.2026", "Lpt9", "aux.2026", "ends.", 7, True),
    ],
)
def test_a_name_that_no_file_may_have_is_refused(released, name):
    before = contents(released)
    with pytest.raises(mb.InputError) as refused:
        mb.certify(released, holdout=released.parent / "nothing.csv", release=name)
    assert str(refused.value).startswith(f"release must be {NAMES}")
    assert str(refused.value).endswith(" Choose another name.")
    assert contents(released) == before


@pytest.mark.parametrize("name", ["2026-12", "v1.2_rc-3", "7", "a" * 64, "console", "x.con"])
def test_names_that_are_good(name):
    from matchbound.audits import checked_release

    assert checked_release(name) == name


def test_a_name_is_not_that_of_its_file():
    from matchbound.audits import checked_release

    for name in ("2026-12.json", "x.JSON"):
        with pytest.raises(mb.InputError) as refused:
            checked_release(name)
        assert str(refused.value) == (
            f"release must be a name without '.json', which its file gets, got {name!r}. Drop the "
            "ending."
        )


def test_a_name_is_used_once(released, capsys):
    before = contents(released)
    other = ["--out", released.parent / "other.json"]
    for options in ([], ["--force"], other, [*other, "--force"]):
        assert release(released, "2026-12", "nothing.csv", *options) == 2
        assert capsys.readouterr().err == (
            "matchbound: release must be a name that this folder does not have yet, got '2026-12', "
            "which is entry 6 of its ledger. Choose another name.\n"
        )
    assert contents(released) == before


def test_capitals_make_no_other_name(audit, capsys):
    """On some systems both would be one file."""
    assert release(audit, "Spring") == 0
    capsys.readouterr()
    assert release(audit, "sPRING", "complete.csv") == 2
    assert "got 'sPRING', which is entry 5 of its ledger" in capsys.readouterr().err


def test_a_release_whose_file_is_gone_is_made_again_by_the_same_command(audit, capsys):
    """So a command that was killed before it wrote the file can be repeated."""
    assert release(audit, "one", "complete.csv") == 0
    assert release(audit, "two") == 0
    path = audit / "releases" / "one.json"
    before, ledger = path.read_bytes(), (audit / "ledger.jsonl").read_bytes()
    path.unlink()
    capsys.readouterr()
    changed(audit.parent, "other.csv", drop=1)
    assert release(audit, "one", "other.csv") == 2  # another certificate needs another name
    assert "got 'one', which is entry 5 of its ledger" in capsys.readouterr().err
    assert not path.exists()
    assert release(audit, "one", "complete.csv") == 0
    assert (path.read_bytes(), (audit / "ledger.jsonl").read_bytes()) == (before, ledger)
    assert run("verify", path) == 0


def test_the_ledger_decides_under_its_lock(audit, monkeypatch):
    """A release that was entered while this one was computed has the name."""
    from matchbound.certificates import certification

    holdout, compute = audit.parent / "holdout.csv", certification.compute

    def meanwhile(*given):
        certificate = compute(*given)
        monkeypatch.setattr(certification, "compute", compute)
        mb.certify(audit, holdout=holdout, release="r", out=audit.parent / "first.json")
        return certificate

    monkeypatch.setattr(certification, "compute", meanwhile)
    with pytest.raises(mb.InputError, match="a name that this folder does not have yet, got 'R'"):
        mb.certify(audit, holdout=holdout, release="R")
    assert [entry.get("release") for entry in entries(audit)].count("r") == 1
    assert not (audit / "releases").exists() or not list((audit / "releases").iterdir())


def test_a_release_needs_a_folder(tmp_path, capsys):
    make_inputs(tmp_path)
    labels = write_csv(tmp_path / "labels.csv", ["x", "y"], read_csv(tmp_path / "holdout.csv")[:50])
    given = ["--population", tmp_path / "people.csv", "--labels", labels, "--assume-uniform"]
    words = ["certify", *given, "--holdout", tmp_path / "holdout.csv", "--release", "r"]
    assert run(*words, "--out", tmp_path / "c.json") == 2
    assert capsys.readouterr().err == (
        "matchbound: release must come with an audit folder, got 'r' without one: releases are in "
        "its ledger. Draw into a folder, or leave the name out.\n"
    )
    assert not (tmp_path / "c.json").exists()
    drawn = mb.draw(tmp_path / "people.csv", labels=50)
    with pytest.raises(mb.InputError, match="release must come with an audit folder"):
        mb.certify(drawn, holdout=tmp_path / "holdout.csv", labels=labels, release="r")


def test_an_estimate_is_no_release(released, capsys):
    assert release(released, "r", None, "--estimate") == 2
    assert "estimate must come without release" in capsys.readouterr().err


def test_a_file_in_the_way_is_not_overwritten_unasked(audit, capsys):
    path = audit / "releases" / "r.json"
    path.parent.mkdir()
    path.write_text("mine")
    assert release(audit, "r") == 2
    assert "out must not exist yet" in capsys.readouterr().err
    with pytest.raises(mb.InputError, match="out must not exist yet"):
        mb.certify(audit, holdout=audit.parent / "holdout.csv", release="r")
    assert path.read_text() == "mine"
    assert [e for e in entries(audit) if e["kind"] == "certificate"] == []
    assert release(audit, "r", None, "--force") == 0


def test_a_release_is_not_written_over(released, capsys):
    """Not even if forced: other commands write elsewhere."""
    before = contents(released)
    words = ["--holdout", released.parent / "holdout.csv", "--force"]
    taken = released / "releases" / "2026-09.json"
    assert run("certify", released, *words, "--out", taken) == 2
    assert "out must not be an input" in capsys.readouterr().err
    assert run("certify", released, *words, "--release", "r", "--out", taken) == 2
    assert run("report", released, "--out", taken, "--force") == 2
    assert contents(released) == before


# What several cost.


def test_versions_of_a_matcher_cost_nothing(released, capsys):
    for number, name in enumerate(["2026-09", "2026-12", "2027-03"], start=1):
        standing = mb.Certificate.load(released / "releases" / f"{name}.json").ledger
        assert (standing.certificates, standing.together, standing.matchers) == (number, 0.95, 1)


def test_old_releases_verify_after_new_ones(released, capsys):
    for path in sorted((released / "releases").iterdir()):
        assert run("verify", path, "--require", "precision=0.5") == 0
        assert capsys.readouterr().out.startswith("Verified: ")


def test_a_folder_stands_for_its_newest_certificate(audit, capsys):
    """Release or not, and never for an older one where the newest is missing."""
    holdout = ["--holdout", audit.parent / "holdout.csv"]
    own, first, later = (
        audit / name for name in ("certificate.json", "releases/one.json", "releases/later.json")
    )

    def taken(status=0, *words):
        assert run("verify", audit, *words) == status
        return capsys.readouterr().out.splitlines()

    assert run("certify", audit, *holdout) == 0
    assert release(audit, "one") == 0
    capsys.readouterr()
    assert taken()[1:3] == [f"Certificate: {first}", "Release: one"]
    assert release(audit, "later", "complete.csv") == 0
    capsys.readouterr()
    value = mb.Certificate.load(later).value("precision")
    assert value < mb.Certificate.load(own).value("precision")
    lines = taken(1, "--require", "precision=1")
    assert lines[0].endswith(f"(certified is {value:g})")
    assert lines[1:3] == [f"Certificate: {later}", "Release: later"]
    with pytest.raises(AssertionError, match=f"certified is {value:g}"):
        assert_certified(audit, precision=1)
    text = later.read_text()
    later.unlink()
    entry = entries(audit)[-1]["entry"]
    missing = f"{later}, the newest certificate on record (entry {entry}, release later)"
    for words in ([], ["--require", "precision=0.5"]):
        assert taken(3, *words) == [f"Missing: {missing}. Put the file back, or certify again."]
    with pytest.raises(AssertionError, match="Missing: "):
        assert_certified(audit, precision=0.5)
    assert run("report", audit) == 2
    assert capsys.readouterr().err.startswith(
        "matchbound: audit must hold the newest certificate on "
    )
    later.write_text("{}")
    assert run("verify", audit) == 2
    later.write_text(text)
    assert run("report", audit) == 0
    assert run("certify", audit, *holdout, "--force") == 0
    capsys.readouterr()
    assert taken()[1:2] == [f"Certificate: {own}"]
    own.unlink()
    assert taken(3)[0].startswith(f"Missing: {own}, the newest certificate on record (entry ")


def test_a_folder_without_any_certificate(audit, capsys):
    assert run("verify", audit) == 2
    assert "certificate.json' (No such file" in capsys.readouterr().err


def test_a_release_elsewhere_is_checked_as_any_certificate_alone(released, tmp_path, capsys):
    path = shutil.copy(released / "releases" / "2026-12.json", tmp_path)
    assert run("verify", path) == 3
    assert run("verify", path, "--inputs", released.parent) == 0
    alone = tmp_path / "releases" / "2026-12.json"
    alone.parent.mkdir()
    shutil.copy(path, alone)
    assert run("verify", alone) == 3
    assert run("verify", released / "releases" / "2026-12.json", "--untrusted") == 3
    assert "inputs missing: population, holdout, complete." in capsys.readouterr().out


def test_another_name_on_it_contradicts_the_ledger(released, tmp_path, capsys):
    copy = shutil.copytree(released.parent, tmp_path / "copy") / released.name
    path = copy / "releases" / "2026-12.json"
    cert = mb.Certificate.load(path)
    for forged in (replace(cert, release="2028-01"), replace(cert, release=None)):
        forged.save(path, force=True)
        assert run("verify", path) == 1
    ledger = copy / "ledger.jsonl"
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    number = next(i for i, line in enumerate(lines) if line.get("release") == "2026-12")
    lines[number]["release"] = "2028-01"
    ledger.write_text("".join(json.dumps(line) + "\n" for line in chained(lines)))
    cert.save(path, force=True)
    capsys.readouterr()
    assert run("verify", path) == 1
    assert "entry 6 is not as this certificate has it" in capsys.readouterr().out


@pytest.mark.usefixtures("tampering")
def test_a_ledger_with_a_name_that_leads_elsewhere_is_refused(audit, capsys):
    facts = ("certificate", "holdout", "complete", "labels", "delta", "is_sampled", "exploratory")
    assert release(audit, "r") == 0
    entry = entries(audit)[-1]
    append(audit, "certificate", **{name: entry[name] for name in facts}, release="../../r")
    assert read_ledger(audit).problems == ("entry 6 has no release as matchbound writes it",)
    assert run("verify", audit) == 1
    assert "entry 6 has no release" in capsys.readouterr().out


@pytest.mark.parametrize("deployed", ["deployed.csv", "deployed.sqlite::matches"])
def test_a_complete_matcher_in_the_place_of_an_earlier_one(audit, capsys, deployed):
    """Who deploys by overwriting one table has lost the earlier version, not forged it."""

    def deploy(drop):
        changed(audit.parent, "deployed.csv", drop)
        if "::" in deployed:
            with closing(sqlite3.connect(audit.parent / "deployed.sqlite")) as con:
                con.execute("create table if not exists matches (x text, y text)")
                con.execute("delete from matches")
                rows = read_csv(audit.parent / "deployed.csv")
                con.executemany("insert into matches values (?, ?)", rows)
                con.commit()
            (audit.parent / "deployed.csv").unlink()

    deploy(drop=2)
    assert release(audit, "one", deployed) == 0
    deploy(drop=4)
    assert release(audit, "two", deployed) == 0
    capsys.readouterr()
    assert run("verify", audit / "releases" / "two.json") == 0
    assert run("verify", audit / "releases" / "one.json") == 3
    assert "inputs missing: complete (another is in its place, entry 6)." in capsys.readouterr().out
    deploy(drop=5)
    assert run("verify", audit / "releases" / "one.json") == 1


def test_another_holdout_costs_and_another_reading_of_the_complete_one_does_not(tmp_path, capsys):
    truth = make_inputs(tmp_path)
    scored = [
        [x, y, 0.4 + 0.1 * (i % 6)] for i, (x, y) in enumerate(read_csv(tmp_path / "holdout.csv"))
    ]
    holdout = write_csv(tmp_path / "scored.csv", ["x", "y", "score"], scored)
    arguments = ["draw", tmp_path / "people.csv", "--labels", 120, "--out", tmp_path / "audit"]
    audit, at = tmp_path / "audit", ["--threshold", 0.5]
    assert run_seeded("s", *arguments, "--holdout", holdout, *at) == 0
    rows = [[x, truth.get(x, "")] for x, _, _ in mb.Draw.load(audit).sample]
    write_csv(audit / "labels.csv", ["x", "y"], rows)

    def together(name, complete, threshold=0.5):
        words = ["--holdout", holdout, "--complete", complete, "--threshold", threshold]
        assert run("certify", audit, *words, "--release", name) == 0
        return mb.Certificate.load(audit / "releases" / f"{name}.json").ledger.together

    assert together("scored", holdout) == 0.95
    pairs = [row[:2] for row in scored if row[2] > 0.75]  # another threshold of the complete one
    assert together("stricter", write_csv(tmp_path / "stricter.csv", ["x", "y"], pairs)) == 0.95
    assert together("other-holdout", holdout, 0.7) == 0.9  # the holdout's own threshold is another
    assert run("verify", audit) == 0


def test_clusters_of_the_complete_matcher_cost_nothing(tmp_path):
    nodes = [f"r{i}" for i in range(300)]
    population = write_csv(tmp_path / "people.csv", ["id"], [[x] for x in nodes])
    pairs = [[f"r{i}", f"r{i + 1}"] for i in range(0, 300, 3)]
    holdout = write_csv(tmp_path / "holdout.csv", ["x", "y"], pairs)
    clusters = [[x, i // 3 if i % 3 < 2 or i > 30 else 1000 + i] for i, x in enumerate(nodes)]
    complete = write_csv(tmp_path / "clusters.csv", ["id", "cluster"], clusters)
    audit = tmp_path / "audit"
    mb.draw(population, labels=60, holdout=holdout, dedupe=True, seed="s").save(audit)
    sample = [x for x, _, _ in mb.Draw.load(audit).sample]
    match = dict(pairs) | {y: x for x, y in pairs}
    write_csv(audit / "labels.csv", ["x", "y"], [[x, match.get(x, "")] for x in sample])
    for name, given in (("pairs", None), ("clusters", complete)):
        cert = mb.certify(audit, holdout=holdout, complete=given, release=name)
        assert (cert.ledger.together, cert.is_clusters) == (0.95, name == "clusters")
    assert mb.verify(audit / "releases" / "clusters.json").outcome == "verified"
    words = str(mb.releases(audit, targets={"precision": 0.5})).splitlines()[-1]
    assert words.endswith(
        "Of clusters, the pairs are all those of two records in the same cluster."
    )


def test_where_the_gap_was_sampled_each_release_costs(tmp_path):
    audit = make_audit(tmp_path, "--gap", 100, "--one-to-one", "--at-most-one-match")
    holdout = tmp_path / "holdout.csv"
    for name, complete, together in (("a", "complete.csv", 0.95), ("b", "holdout.csv", 0.9)):
        cert = mb.certify(audit, holdout=holdout, complete=tmp_path / complete, release=name)
        assert cert.ledger.together == together


# Their list.


def test_releases_are_listed(released, capsys):
    assert run("releases", released) == 0
    heading, columns, *rows = capsys.readouterr().out.splitlines()
    assert heading == (
        "3 releases; all certificates of this folder that have a guarantee hold together with "
        "probability at least 95%."
    )
    assert columns.split() == ["release", "date", "precision", "recall", *DIFFERS]
    listed = mb.releases(released)
    dates = [entry["time"][:10] for entry in entries(released) if entry.get("release")]
    assert [(row.name, row.date) for row in listed.rows] == list(
        zip(["2026-09", "2026-12", "2027-03"], dates, strict=True)
    )
    for row, line in zip(listed.rows, rows, strict=True):
        cert = mb.Certificate.load(released / "releases" / f"{row.name}.json")
        assert row.certificate == cert
        texts = [g.text for g in cert.guarantees]
        assert line.split()[:6] == [row.name, row.date, *texts[0].split(), *texts[1].split()]
    assert rows[0].endswith("  it is the holdout")
    holdout = len(read_csv(released.parent / "holdout.csv"))
    assert listed.rows[2].gap == (Fraction(3, holdout), Fraction(3, 400))
    assert rows[2].endswith("  0.97% of pairs, 0.75% of nodes")


DIFFERS = ["differs", "from", "the", "holdout"]


def test_releases_with_targets(released, capsys):
    assert run("releases", released, "--target", "precision=0.8", "--target", "recall=0.85") == 0
    _, columns, *rows, last = capsys.readouterr().out.splitlines()
    assert columns.endswith("  precision 0.8    recall 0.85")
    listed = mb.releases(released, targets={"precision": 0.8, "recall": 0.85})
    (share,) = {row.verdicts["precision"].room for row in listed.rows}
    assert 0.01 < share < 0.1
    for row, line in zip(listed.rows, rows, strict=True):
        is_met = row.certificate.meets("precision", 0.8)
        assert row.verdicts["precision"].is_met == is_met
        verdict = f"{'met' if is_met else 'not met'}, room {int(share * 10_000) / 100:.2f}%"
        assert line.endswith(f"  {verdict}  not met, room none")
    assert last.startswith("Room: every matcher that differs from the holdout matcher in at most")


def test_a_version_within_the_room_has_the_target(audit):
    """By real certificates: as many changes as there is room for, made where they cost most."""
    folder, target = audit.parent, {"precision": 0.8}
    mb.certify(audit, holdout=folder / "holdout.csv", release="holdout")
    pairs = read_csv(folder / "holdout.csv")
    most = int(mb.releases(audit, targets=target).rows[0].verdicts["precision"].room * len(pairs))
    sampled, found = {x for x, _, _ in mb.Draw.load(audit).sample}, {x for x, _ in pairs}
    free = [x for i in range(400) if (x := f"a{i}") not in sampled | found]
    for changes in (most, most + 1):
        rows = [*pairs, *((x, "b1") for x in free[:changes])]
        version = write_csv(folder / f"{changes}.csv", ["x", "y"], rows)
        name = f"changed-{changes}"
        cert = mb.certify(audit, holdout=folder / "holdout.csv", complete=version, release=name)
        assert cert.meets("precision", 0.8) == (changes == most)
    kept, lost = mb.releases(audit, targets=target).rows[1:]
    assert kept.verdicts["precision"].text.startswith("met, room ")
    assert lost.verdicts["precision"].text.startswith("not met, room ")


def test_no_release_yet(audit, capsys):
    assert run("releases", audit, "--target", "precision=0.9") == 0
    assert capsys.readouterr().out == (
        "No release yet. `matchbound certify AUDIT … --release NAME` adds one.\n"
    )


def test_a_file_that_is_gone_changed_or_elsewhere(released, tmp_path, capsys):
    copy = shutil.copytree(released.parent, tmp_path / "copy") / released.name
    names = [copy / "releases" / f"{row.name}.json" for row in mb.releases(copy).rows]
    names[0].unlink()
    names[1].write_text(names[1].read_text().replace("0.8", "0.9"))
    names[2].rename(copy / "certificate.json")
    assert run("releases", copy, "--target", "recall=0.5") == 0
    first, second, third = capsys.readouterr().out.splitlines()[2:5]
    assert first.split()[2:] == ["–", "–", "file", "missing", "–"]
    assert second.split()[2:] == ["–", "–", "file", "changed", "–"]
    assert "met, room" in third


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--target", "f1=0.9"], "target must be for a metric that there is, got 'f1'. Choose"),
        (["--target", "recall=7"], "target must be a metric and a number from 0 to 1"),
    ],
)
def test_targets_that_are_none(released, capsys, words, sentence):
    assert run("releases", released, *words) == 2
    assert capsys.readouterr().err.startswith(f"matchbound: {sentence}")


def test_what_is_no_audit_has_no_releases(tmp_path, capsys):
    assert run("releases", tmp_path) == 2
    assert "audit must hold ledger.jsonl" in capsys.readouterr().err


def test_an_exploratory_release_has_no_bound_and_no_room(audit, capsys):
    assert release(audit, "tried", "complete.csv", "--delta", 0.3) == 0
    capsys.readouterr()
    assert run("releases", audit, "--target", "precision=0.5") == 0
    row = capsys.readouterr().out.splitlines()[2]
    assert row.split()[2:4] == ["exploratory", "exploratory"]
    assert row.endswith("  not met (exploratory)")


def test_another_holdout_lowers_what_holds_together(audit, capsys):
    assert release(audit, "one") == 0
    folder = audit.parent
    words = ["--holdout", folder / "complete.csv", "--release", "two"]
    assert run("certify", audit, *words) == 0
    listed = mb.releases(audit, targets={"precision": 0.5})
    assert listed.together == 0.9
    assert [row.verdicts["precision"].is_met for row in listed.rows] == [True, False]


@pytest.mark.parametrize(
    ("options", "metric"),
    [
        (["--gap", 100, "--at-most-one-match"], "precision"),
        (["--theorem", "paper"], "precision"),
        (["--metric", "pairwise-precision"], "pairwise-precision"),
    ],
)
def test_room_is_told_only_where_it_is_proved(tmp_path, options, metric):
    audit = make_audit(tmp_path, *options)
    complete = tmp_path / "complete.csv"
    mb.certify(audit, holdout=tmp_path / "holdout.csv", complete=complete, release="r")
    (row,) = mb.releases(audit, targets={metric: 0.5}).rows
    assert row.verdicts[metric].text.endswith("met, room –")
    assert (row.gap is None) == ("--gap" in options)


def test_in_a_part_of_one_table_no_share_of_pairs_is_told(tmp_path):
    """A pair inside the part counts at both of its records, one that leads out of it at one."""
    ids = [f"r{i}" for i in range(200)]
    people = write_csv(tmp_path / "people.csv", ["id"], [[x] for x in ids])
    part = write_csv(tmp_path / "part.csv", ["id"], [[x] for x in ids[:100]])
    pairs = [[ids[i], ids[i + 1]] for i in range(0, 98, 2)]
    pairs += [[ids[i], ids[i + 100]] for i in range(1, 20, 2)]
    holdout = write_csv(tmp_path / "holdout.csv", ["x", "y"], pairs)
    complete = write_csv(tmp_path / "complete.csv", ["x", "y"], pairs[1:])
    audit = tmp_path / "audit"
    given = ["--dedupe", "--within", part, "--labels", 60, "--holdout", holdout, "--out", audit]
    assert run("draw", people, *given) == 0
    both = [*pairs, *(pair[::-1] for pair in pairs)]
    drawn = [x for x, _, _ in mb.Draw.load(audit).sample]
    rows = [[x, y] for x in drawn for y in [b for a, b in both if a == x] or [""]]
    write_csv(audit / "labels.csv", ["x", "y"], rows)
    mb.certify(audit, complete=complete, release="r")
    (row,) = mb.releases(audit, targets={"precision": 0.5}).rows
    assert (row.gap, row.gap_text) == (None, "–")
    assert row.verdicts["precision"].text == "met, room –"


def test_a_release_for_a_population_that_has_changed(audit, capsys):
    folder = audit.parent
    nodes = [row for row in read_csv(folder / "people.csv") if row != ["a7"]]
    now = write_csv(folder / "now.csv", ["id"], [*nodes, ["new"]])
    pairs = [row for row in read_csv(folder / "complete.csv") if row[0] != "a7"]
    write_csv(folder / "of-now.csv", ["x", "y"], [*pairs, ["new", "b7"]])
    assert release(audit, "grown", "of-now.csv", "--population", now) == 0
    (row,) = mb.releases(audit, targets={"precision": 0.5}).rows
    assert (row.gap, row.gap_text) == (None, "the population has changed")
    assert row.verdicts["precision"].text == "met, room –"
    assert run("verify", audit) == 0


# What else reads an audit folder.


def test_a_crash_in_the_ledger_s_last_line_is_repaired(audit, capsys):
    assert release(audit, "r", "complete.csv") == 0
    before = entries(audit)[-1]
    ledger = audit / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes()[:-20])
    assert run("repair", audit) == 0
    assert "the entry of r.json was made again" in capsys.readouterr().out
    assert entries(audit)[-1]["release"] == "r"
    assert entries(audit)[-1]["certificate"] == before["certificate"]
    assert run("verify", audit) == 0


def test_releases_are_exported(released, tmp_path, capsys):
    assert run("export", released, "--redacted", "--out", tmp_path / "sent") == 0
    assert "Left out" not in capsys.readouterr().out
    sent = tmp_path / "sent" / "releases"
    names = ["2026-09", "2026-12", "2027-03"]
    assert sorted(p.name for p in sent.iterdir()) == sorted(
        [f"{name}{end}" for name in names for end in (".html", ".json")]
    )
    assert run("export", released, "--redacted", "--out", tmp_path / "sent") == 0  # the same
    for name in names:
        assert run("verify", sent / f"{name}.json") == 3
    assert run("verify", tmp_path / "sent") == 3


def test_forget_knows_releases_as_its_own(audit, capsys):
    assert release(audit, "r") == 0
    capsys.readouterr()
    assert run("forget", audit, "--id", "a37") == 0
    assert "releases" not in capsys.readouterr().out
