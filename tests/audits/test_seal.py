"""A seal is kept by others: it shows that a ledger was rewritten, digests and all."""

import json
import re
import shutil
import subprocess
import sys

import pytest

import matchbound as mb
from matchbound.audits import Seal, append, read_ledger, signer_of
from matchbound.audits.ledger import _digest
from matchbound.audits.seal import sealed_up_to
from support.audits import certify, contents, make_audit, run

needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")


@pytest.fixture
def audit(tmp_path):
    return make_audit(tmp_path)


@pytest.fixture
def key(tmp_path):
    """An SSH key, and the file of allowed signers that names its owner."""
    path = tmp_path / "id"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
    kind, text = (tmp_path / "id.pub").read_text().split()[:2]
    (tmp_path / "signers").write_text(f'ana@example.org namespaces="matchbound" {kind} {text}\n')
    return path


def rewrite(audit):
    """Forge the first entry, and make every digest after it anew."""
    lines = [json.loads(line) for line in (audit / "ledger.jsonl").read_text().splitlines()]
    lines[0]["labels"] = 121
    before = ""
    for entry in lines:
        entry["before"] = before
        before = _digest({name: value for name, value in entry.items() if name != "digest"})
        entry["digest"] = before
    (audit / "ledger.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert not read_ledger(audit).problems


def test_a_seal_holds_the_head_and_nothing_else(audit, capsys):
    before = read_ledger(audit)
    assert run("seal", audit) == 0
    (path,) = audit.glob("*.seal")
    seal = Seal.read(path)
    assert (seal.entries, seal.head) == (len(before.entries), before.head)
    assert len(path.read_text()) < 200
    assert read_ledger(audit).entries[-1]["kind"] == "seal"
    assert str(path) in capsys.readouterr().out


def test_a_rewritten_ledger_breaks_the_seal(audit):
    seal = Seal.read(mb.seal(audit))
    assert seal.broken_by(read_ledger(audit).entries) == ""
    assert "entries, and 2 were sealed" in seal.broken_by(read_ledger(audit).entries[:1])
    rewrite(audit)
    assert "is not what was sealed" in seal.broken_by(read_ledger(audit).entries)


def test_a_certificate_says_up_to_which_entry_it_was_sealed(audit, capsys):
    assert certify(audit) == 0
    assert "Sealed up to" not in capsys.readouterr().out
    mb.seal(audit)
    assert certify(audit, "--force") == 0
    assert "Sealed up to entry 4, by the ledger's word." in capsys.readouterr().out
    assert run("verify", audit) == 0


@needs_ssh
def test_a_signature_is_by_one_of_the_signers(audit, key, tmp_path):
    path, signers = mb.seal(audit, key=key, out=tmp_path / "kept.seal"), tmp_path / "signers"
    assert signer_of(path, signers) == "ana@example.org"
    assert signer_of(mb.seal(audit), signers) is None
    path.write_text(path.read_text().replace('"entries": 2', '"entries": 1'))
    assert signer_of(path, signers) is None


@needs_ssh
def test_a_signature_for_something_else_does_not_count(audit, key, tmp_path):
    path = mb.seal(audit)
    signed = ["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", "file", path]
    subprocess.run(signed, check=True, capture_output=True)
    assert signer_of(path, tmp_path / "signers") is None


def test_a_seal_that_cannot_be_signed_or_written_changes_nothing(audit, tmp_path, capsys):
    before = contents(audit)
    (tmp_path / "no key").write_text("nothing")
    for more in (["--key", tmp_path / "none"], ["--key", tmp_path / "no key"]):
        assert run("seal", audit, *more) == 2
    assert run("seal", audit, "--out", tmp_path / "no key") == 2
    err = capsys.readouterr().err
    assert f"key must be a file, got {str(tmp_path / 'none')!r} (no such file). Give" in err
    assert "out must not exist yet" in err
    assert contents(audit) == before


@pytest.mark.usefixtures("tampering")
def test_nobody_waits_while_a_seal_is_being_signed(audit, tmp_path, monkeypatch):
    """A passphrase takes time to type; a seal of the entries before it is as true."""
    before = read_ledger(audit)

    def sign(text, key):
        append(audit, "watch", labeller="ana")
        return b"signed"

    monkeypatch.setattr("matchbound.files.PATIENCE", 0.1)
    monkeypatch.setattr("matchbound.audits.seal._signed", sign)
    seal = Seal.read(mb.seal(audit, key=tmp_path / "key"))
    assert (seal.entries, seal.head) == (len(before.entries), before.head)
    entries = read_ledger(audit).entries
    assert [entry["kind"] for entry in entries[len(before.entries) :]] == ["watch", "seal"]
    assert sealed_up_to(entries) == len(before.entries)
    assert seal.broken_by(entries) == ""


def test_a_ledger_that_is_replaced_meanwhile_is_not_sealed(audit, tmp_path, monkeypatch):
    monkeypatch.setattr("matchbound.audits.seal._signed", lambda *_: rewrite(audit) or b"signed")
    with pytest.raises(mb.InputError, match="must keep its ledger while it is sealed"):
        mb.seal(audit, key=tmp_path / "key")
    assert not list(audit.glob("*.seal*"))
    assert read_ledger(audit).entries[-1]["kind"] == "draw"


def test_an_empty_ledger_is_not_sealed(audit):
    (audit / "ledger.jsonl").write_bytes(b"")
    with pytest.raises(mb.InputError, match="must hold a ledger with an entry"):
        mb.seal(audit)


@needs_ssh
def test_a_wrong_passphrase_is_said_without_the_question_for_it(audit, key):
    subprocess.run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "words", "-f", key], check=True)
    child = [sys.executable, "-m", "matchbound", "seal", audit, "--key", key]
    alone = {"start_new_session": True, "stdin": subprocess.DEVNULL}  # no terminal to ask at
    ended = subprocess.run(child, capture_output=True, text=True, check=False, **alone)
    assert ended.returncode == 2
    assert "Load key" in ended.stderr
    assert "passphrase:" not in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert "\r" not in ended.stderr


@needs_ssh
def test_no_seal_is_written_over_evidence_even_if_forced(audit, key, capsys):
    assert certify(audit) == 0
    (audit / "certificate.json").rename(audit / "first.json")
    before = contents(audit.parent)
    named = ["ledger.jsonl", "journal.jsonl", "draw.json", "labels.csv", "first.json"]
    beside = ["people.csv", "holdout.csv", "id"]
    for out in [*(audit / name for name in named), *(audit.parent / name for name in beside)]:
        assert run("seal", audit, "--out", out, "--key", key, "--force") == 2
        assert f"out must not be an input, got {str(out)!r}." in capsys.readouterr().err
    assert contents(audit.parent) == before


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"entries": 2, "head": "a", "time": "b"}'])
def test_what_is_no_seal_is_refused(tmp_path, text):
    (tmp_path / "a.seal").write_text(text)
    with pytest.raises(mb.InputError, match="seal must be as `matchbound seal` wrote it"):
        Seal.read(tmp_path / "a.seal")


TIMES = ["", "now", "2020-01-01", "2020-01-01T00:00:00", "2020-01-01T00:00:00+01:00"]


@pytest.mark.parametrize("time", [*TIMES, "2020-01-01\x1b[2J signed by the Queen"])
def test_a_seal_with_another_time_than_seal_writes_is_refused(audit, tmp_path, time):
    """It would be printed, and could say who signed."""
    path = mb.seal(audit, out=tmp_path / "kept.seal")
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"time": time}) + "\n")
    with pytest.raises(
        mb.InputError, match="seal must be as `matchbound seal` wrote it"
    ) as refusal:
        Seal.read(path)
    assert str(refusal.value).isprintable()


def test_verify_names_a_ledger_that_was_made_anew(audit, tmp_path, capsys):
    """A seal beside the ledger shows it too, but whoever forges the ledger can remove that one."""
    assert certify(audit) == 0
    kept = mb.seal(audit, out=tmp_path / "kept.seal")
    assert run("verify", audit, "--seal", kept) == 0
    assert "Sealed up to entry 4 (kept.seal, " in capsys.readouterr().out
    rewrite(audit)
    assert not any("seal" in one for one in mb.verify(audit).differences)
    assert run("verify", audit, "--seal", kept) == 1
    assert "kept.seal shows that the ledger was changed: entry 4" in capsys.readouterr().out


def test_verify_refuses_what_is_no_seal(audit, tmp_path, capsys):
    assert certify(audit) == 0
    (tmp_path / "no.seal").write_text("{}")
    assert run("verify", audit, "--seal", tmp_path / "no.seal") == 2
    mb.seal(audit).write_text("{}")
    assert run("verify", audit) == 1
    assert "entry-4.seal is not as `matchbound seal` wrote it" in capsys.readouterr().out


@needs_ssh
def test_verify_says_who_signed(audit, key, tmp_path, capsys):
    assert certify(audit) == 0
    signers = ["--signers", tmp_path / "signers"]
    mb.seal(audit)
    assert run("verify", audit, *signers) == 1
    out = capsys.readouterr().out
    assert "Requirement not met: no seal of this ledger is signed by one of the signers" in out
    mb.seal(audit, key=key)
    assert run("verify", audit, *signers) == 0
    assert "signed by ana@example.org" in capsys.readouterr().out
    assert run("verify", audit, "--signers", tmp_path / "nobody") == 2


def test_no_seal_shows_more_than_its_ledger(audit, tmp_path):
    """Far from the ledger, a seal says nothing of the certificate."""
    assert certify(audit) == 0
    kept = mb.seal(audit, out=tmp_path / "kept.seal")
    shutil.copy(audit / "certificate.json", tmp_path / "certificate.json")
    alone = mb.verify(tmp_path / "certificate.json", seals=[kept])
    assert alone.outcome == "consistent in itself"
    assert alone.sealed == "No seal was compared: the ledger is not at hand."


@needs_ssh
def test_a_seal_that_the_ledger_does_not_have_is_named(audit, key, tmp_path):
    """As one with another time, which nothing else in the folder contradicts."""
    assert certify(audit) == 0
    path = mb.seal(audit)
    path.write_text(re.sub('"time": "20..', '"time": "1999', path.read_text()))
    assert "no entry says that this seal was made" in mb.verify(audit).differences[0]


def test_seals_out_of_reach_are_not_opened(audit, tmp_path):
    assert certify(audit) == 0
    kept = mb.seal(audit, out=tmp_path / "elsewhere.seal")
    (audit / "linked.seal").symlink_to(kept)
    assert mb.verify(audit, untrusted=True, inputs=tmp_path / "audit").sealed == ""


def test_signers_must_be_a_file_whatever_is_sealed(audit, tmp_path):
    assert certify(audit) == 0
    assert run("verify", audit, "--signers", tmp_path / "nobody") == 2
