"""What leaves the house: nothing about a person is in what is sent, nor left of who is erased."""

import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest

import matchbound as mb
from matchbound.audits.draw import Draw
from matchbound.audits.journal import NAME, canonical, read_journal
from matchbound.audits.ledger import read_ledger
from matchbound.audits.order import hash_of, key_of
from matchbound.engines import connect
from matchbound.errors import InputError
from matchbound.files import csv_text
from matchbound.tables import digest_of, open_source, recognise, rows_of_labels
from support.audits import contents, make_audit, read_csv, run
from support.forgetting import MARK, digests_in, files_of, holding, make_labelled

NODES = 10_000


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """An audit of 10,000 people, labelled on the desk, certified, reported, and its export."""
    folder = tmp_path_factory.mktemp(f"{MARK}folder")
    options = ["--holdout", folder / "data" / "holdout.csv"]
    audit, truth = make_labelled(folder / "data", *options, nodes=NODES, labels=40, train=10)
    mb.certify(audit, holdout=folder / "data" / "holdout.csv", out=audit / "certificate.json")
    mb.write_report(audit)
    mb.export(audit, folder / "export", redacted=True)
    return audit, truth, folder / "export"


def test_what_is_sent_names_nobody(made):
    audit, _, export = made
    names = sorted(path.name for path in files_of(export))
    assert names == ["certificate.json", "ledger.jsonl", "report.html"]
    # Every id, field, name and note has the mark; so has the absolute path of every file.
    assert holding(export, MARK, Draw.load(audit).seed, str(audit.parent)) == []
    assert set(holding(audit, MARK)) == {
        "journal.jsonl",
        "labels.csv",
        "paths.jsonl",
        "sample.csv",
        "train.csv",
    }
    tokens = {t for path in files_of(export) for t in re.findall(rb"\w+", path.read_bytes())}
    people = {cell for row in read_csv(audit.parent / "people.csv") for cell in row}
    assert len(people) > 2 * NODES
    assert not tokens & {one.encode() for one in people}
    assert run("verify", export) == 3  # consistent in itself, inputs missing


def test_an_export_is_written_whole_or_refused(made, tmp_path):
    audit, _, export = made
    with pytest.raises(InputError, match="redacted must be said, got an export without it"):
        mb.export(audit, tmp_path / "new")
    (tmp_path / "empty").mkdir()
    for _ in range(2):  # the second time it is there already
        assert run("export", audit, "--redacted", "--out", tmp_path / "empty") == 0
    assert [p.name for p in tmp_path.iterdir()] == ["empty"]
    assert digests_in(tmp_path / "empty") == digests_in(export)
    (tmp_path / "empty" / "mine.txt").touch()
    with pytest.raises(InputError, match="out must be a folder that is empty or not there yet"):
        mb.export(audit, tmp_path / "empty", redacted=True)
    assert run("export", tmp_path, "--redacted", "--out", tmp_path / "none") == 2


def test_an_export_says_what_was_left_out(made, tmp_path, capsys):
    audit = tmp_path / "audit"
    shutil.copytree(made[0], audit)
    (entry,) = read_ledger(audit).of_kind("certificate")
    old = Path(__file__).parent / "certificates" / "version1" / "folders" / "certified" / "audit"
    shutil.copy(old / "certificate.json", audit / "old.json")
    answer = mb.export(audit, tmp_path / "one", redacted=True)
    assert (answer.folder, answer.certificates) == (tmp_path / "one", 1)
    assert str(answer) == (
        f"The export is in {tmp_path / 'one'}. Left out: old.json (of version 1, with paths of "
        "this machine)."
    )
    record = json.loads((audit / "certificate.json").read_text())
    (audit / "certificate.json").write_text(json.dumps(record | {"digest": "0" * 64}))
    assert run("export", audit, "--redacted", "--out", tmp_path / "none") == 0
    said = capsys.readouterr().out
    assert "It has no certificate, because none of this audit's could be copied. Left out: " in said
    assert "certificate.json (not on record here); old.json (of version 1" in said
    assert f"; certificates of entries {entry['entry']} (no such file here)." in said


def test_openings_and_a_redacted_export_are_two_things(made, tmp_path, capsys):
    audit = made[0]
    (entry, *_) = read_ledger(audit).of_kind("label")
    words = ["export", audit, "--openings", entry["entry"], "--out", tmp_path / "file"]
    assert run(*words, "--redacted") == 2
    assert "openings must come without --redacted, got both" in capsys.readouterr().err
    assert run(*words) == 0
    assert run(*words) == 2
    assert capsys.readouterr().err.endswith(
        f"got {str(tmp_path / 'file')!r}. Choose another place.\n"
    )


def test_an_auditor_can_open_one_label_alone(made, tmp_path):
    audit, _, export = made
    shutil.copytree(export, tmp_path / "export")
    (entry, *_) = read_ledger(audit).of_kind("label")
    before = read_ledger(export).unopened
    out = tmp_path / "export" / "journal.jsonl"
    assert run("export", audit, "--openings", entry["entry"], "--out", out) == 0
    opened = read_ledger(tmp_path / "export")
    assert opened.entries[entry["entry"] - 1]["label"] == entry["label"]
    assert (opened.unopened, opened.problems) == (before - 1, ())
    assert run("export", audit, "--openings", 1, "--out", tmp_path / "x") == 2  # a `register`
    out.write_bytes(out.read_bytes().replace(entry["label"]["node"].encode(), b"other"))
    named = f"the label of entry {entry['entry']} was changed in journal.jsonl"
    assert read_ledger(tmp_path / "export").problems == (named,)


# The attackers.

SALTS = ("", "0" * 32, "salt", "matchbound")
SEEDS = ("", "0", "1", "42", "seed", "s")


def sha(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()


def guesses(node, matches):
    """Whatever somebody might have hashed, of a node and of its label, without knowing a salt."""
    rows = [f"{node},{y}" for y in matches or [""]]
    label = {"node": node, "matches": matches, "note": ""}
    texts = [node, f'"{node}"', f"{node}\n", f"id\n{node}\n", *rows, *(f"x,y\n{r}\n" for r in rows)]
    texts += [csv_text(["id", "train", "validation"], [(node, t, v)]) for t, v in PLACES]
    contents = [text.encode() for text in texts]
    contents += [canonical(name, node) for name in ("id", "node", "label")]
    contents += [canonical("label", label), canonical("matches", matches)]
    for content in contents:
        for salt in SALTS:
            yield sha(salt.encode() + content)
        yield sha(sha(content))
    for seed in SEEDS:
        for role in ("train", "validation", "gap"):
            yield hash_of(key_of(role, seed), node)


PLACES = ((None, 1), (1, None), (1, 1))


def told(digests, candidates):
    """The candidates, of those with their hashes, one of whose hashes stands among the digests."""
    short = {digest[:16] for digest in digests}
    return [name for name, hashes in candidates if any(one[:16] in short for one in hashes)]


def test_whoever_has_all_ids_and_the_export_cannot_tell_who_was_drawn(made):
    _, truth, export = made
    digests = digests_in(export)
    assert len(digests) > 100
    everyone = ((node, guesses(node, matches)) for node, matches in truth.items())
    assert told(digests, everyone) == []
    # The attack would tell, if one thing were hashed without a salt.
    node = next(iter(truth))
    for unsalted in (sha(node), sha(canonical("label", {"node": node, "matches": [], "note": ""}))):
        candidates = ((one, guesses(one, truth[one])) for one in list(truth)[:50])
        assert told({unsalted}, candidates) == [node]


def salts_in(folder):
    """Every salt that a folder holds, and none."""
    found = {
        m.decode()
        for p in files_of(folder)
        for m in re.findall(rb"\b[0-9a-f]{32}\b", p.read_bytes())
    }
    return {"", *found}


def rebuilt_labels(audit, place_in_file, node, candidate):
    """labels.csv with a label put back: its bytes."""
    rows = read_csv(audit / "labels.csv")
    return csv_text(["x", "y"], [*rows[:place_in_file], [node, candidate], *rows[place_in_file:]])


def attack(folder, after, place_in_file, node, candidates, notes):
    """The labels of a node that the digests and salts of a folder confirm."""
    digests, salts = digests_in(folder), salts_in(folder)
    confirmed = set()
    for y in candidates:
        labels = [canonical("label", {"node": node, "matches": [y], "note": n}) for n in notes]
        file = sha(rebuilt_labels(after, place_in_file, node, y))
        for salt in salts:
            hashes = [sha(salt.encode() + label) for label in labels]
            if digests.intersection([*hashes, sha(salt + file)]):
                confirmed.add(y)
    return confirmed


def test_whoever_has_the_folder_and_all_ids_cannot_tell_a_forgotten_label(made, tmp_path):
    audit, truth, _ = made
    after = tmp_path / "after"
    shutil.copytree(audit, after)
    order = [row[0] for row in Draw.load(audit).in_order]
    place = next(i for i, node in enumerate(order, start=1) if truth[node] and i > 12)
    node, (match,) = order[place - 1], truth[order[place - 1]]
    rows = read_csv(audit / "labels.csv")
    in_file = next(i for i, row in enumerate(rows) if row[0] == node)
    notes = ["", f"{MARK}note{place}"]
    mb.forget(after, [node])
    assert holding(after, node, match) == []
    everyone = [y for ys in truth.values() for y in ys]
    few = [*everyone[:200], match]
    # The same attack tells the label as long as its salts are there: before `forget`, and from a
    # folder whose labels.csv and label were erased while the salts stayed.
    assert attack(audit, after, in_file, node, few, notes) == {match}
    half = tmp_path / "half"
    shutil.copytree(after, half)
    kept = read_journal(audit)
    lines = [line for line in kept.lines() if node.encode() not in line]
    (half / NAME).write_bytes(b"".join(lines))
    assert attack(half, after, in_file, node, few, notes) == {match}
    assert attack(after, after, in_file, node, everyone, notes) == set()
    # Nor do digests of rows, whose order does not matter.
    with connect() as con:
        path = tmp_path / "labels.csv"
        path.write_text(rebuilt_labels(after, in_file, node, match))
        source = open_source(con, "labels", path)
        digest = digest_of(con, source, rows_of_labels(source, recognise(source, {})), always=True)
    salted = {sha(salt + digest.rows) for salt in salts_in(audit)}
    assert salted & digests_in(audit)
    again = {sha(salt + digest.rows) for salt in salts_in(after)}
    assert not again & digests_in(after)


def test_whoever_has_the_folder_cannot_tell_who_stood_in_the_sample(made, tmp_path):
    """By its files' digests; the seed, which is in draw.json, tells it with the same population."""
    audit, truth, _ = made
    after = tmp_path / "after"
    shutil.copytree(audit, after)
    node = Draw.load(audit).validated[3]
    mb.forget(after, [node])

    def confirmed(folder, nodes):
        digests, salts = digests_in(folder), salts_in(folder)
        text = (after / "sample.csv").read_text()
        gap = sha(csv_text(["id"], []))
        found = set()
        for one in nodes:
            sample = sha(re.sub(r"^(?=,)", one, text, count=1, flags=re.M))
            content = canonical("nodes", {"sample": sample, "gap": gap})
            if any(sha(salt.encode() + content) in digests for salt in salts):
                found.add(one)
        return found

    assert confirmed(audit, [*list(truth)[:100], node]) == {node}
    assert confirmed(after, truth) == set()


def test_a_report_and_a_certificate_have_no_id_where_there_are_few_nodes(tmp_path):
    audit = make_audit(tmp_path / "data", labels=12, train=4)
    arguments = ["--holdout", audit.parent / "holdout.csv"]
    assert run("certify", audit, *arguments) == 0
    mb.write_report(audit)
    before = contents(audit)
    ids = {row[0] for row in read_csv(audit / "sample.csv")}
    for path in (audit / "report.html", audit / "certificate.json", audit / "ledger.jsonl"):
        words = set(re.findall(r"\b[ab]\d+\b", before[path].decode()))
        assert not words & ids
