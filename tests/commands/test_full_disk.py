"""A disk that fills up, and commands that are ended: what was there before stays as it was."""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress

import duckdb
import pytest

from matchbound.audits.draw import Draw
from matchbound.audits.ledger import append, read_ledger, sound_ledger
from matchbound.errors import EngineError
from support.audits import certify, contents, make_audit

NODES = 600_000


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 16 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"mounting a small disk is not permitted here ({error})")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Tables of about 10 MB each, and an audit of them."""
    folder = tmp_path_factory.mktemp("large")
    tables = {
        "people": f"select i as id from range({NODES}) t(i)",
        "named": f"select concat('person ', i) as id from range({NODES}) t(i)",
        "holdout": f"select i as x, i * 7 as y from range({NODES}) t(i)",
        "complete": f"select i as x, i * 7 + (i % 1000 = 0)::int as y from range({NODES}) t(i)",
    }
    for name, select in tables.items():
        duckdb.execute(f"copy ({select}) to '{folder}/{name}.parquet'").fetchall()
    assert run(*draw_of(folder), "--out", folder / "audit").returncode == 0
    nodes = [node for node, _, _ in Draw.load(folder / "audit").sample]
    lines = [f"{node},{int(node) * 7}\n" for node in nodes]
    (folder / "audit" / "labels.csv").write_text("".join(["x,y\n", *lines]))
    return folder


def draw_of(folder, people="people"):
    people = folder / f"{people}.parquet"
    return ["draw", people, "--labels", 50, "--train", 20, "--gap", 1000, "--link", "--seed", "s"]


def certify_of(folder):
    tables = ["--holdout", folder / "holdout.parquet", "--complete", folder / "complete.parquet"]
    return ["certify", folder / "audit", *tables, "--gap-from", "census"]


def command(arguments):
    return [sys.executable, "-m", "matchbound", *map(str, arguments)]


def run(*arguments, temp=None):
    env = os.environ | ({"TMPDIR": str(temp)} if temp else {})
    return subprocess.run(command(arguments), capture_output=True, text=True, env=env, check=False)


def assert_one_sentence(done):
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("matchbound: the disk is full where what exceeds memory is kept")
    assert done.stderr.endswith(" Free space there, or choose another folder with --temp.\n")
    assert done.stderr.count("\n") == 1


def test_certify_whose_spill_fills_the_disk_leaves_the_audit_as_it_was(large, small_disk):
    (small_disk / "ballast").write_bytes(bytes(10 << 20))
    before = contents(large)
    assert_one_sentence(run(*certify_of(large), "--memory", "30MB", temp=small_disk))
    assert contents(large) == before
    assert [path.name for path in small_disk.iterdir()] == ["ballast"]


def test_draw_whose_spill_fills_the_disk_leaves_nothing(large, small_disk, tmp_path):
    (small_disk / "ballast").write_bytes(bytes(14 << 20))
    out = tmp_path / "audit"
    command = [*draw_of(large, "named"), "--out", out, "--memory", "25MB"]
    assert_one_sentence(run(*command, temp=small_disk))
    assert not out.exists()
    assert [path.name for path in small_disk.iterdir()] == ["ballast"]


def fill(disk):
    with open(disk / "ballast", "wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 12))


def test_a_certificate_that_the_full_disk_cannot_hold_is_not_there(small_disk, capsys):
    audit = make_audit(small_disk / "folder")
    fill(small_disk)
    before = contents(audit)
    capsys.readouterr()
    assert certify(audit) == 2
    assert "No space left on device" in capsys.readouterr().err
    after = contents(audit)
    assert after.keys() == before.keys()
    changed = [path.name for path in after if after[path] != before[path]]
    assert set(changed) <= {"ledger.jsonl"}
    assert not read_ledger(audit).unfinished
    sound_ledger(audit)
    (small_disk / "ballast").unlink()
    assert certify(audit) == 0


@pytest.mark.usefixtures("tampering")
def test_an_entry_that_the_full_disk_cannot_hold_leaves_the_ledger_as_it_was(small_disk):
    audit = make_audit(small_disk / "folder")
    fill(small_disk)
    before = (audit / "ledger.jsonl").read_bytes()
    with pytest.raises(EngineError, match="No space left on device"):
        append(audit, "labels", labels="0" * 20_000, validation=0)
    assert (audit / "ledger.jsonl").read_bytes() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("verb", ["draw", "certify"])
def test_an_ended_command_leaves_nothing_half_written(large, tmp_path, verb, number):
    folder, temp = tmp_path / "copy", tmp_path / "temp"
    shutil.copytree(large, folder)
    temp.mkdir()
    before = contents(folder)
    arguments = certify_of(folder) if verb == "certify" else draw_of(folder)
    more = [] if verb == "certify" else ["--out", folder / "drawn"]
    env = os.environ | {"TMPDIR": str(temp)}
    child = subprocess.Popen(command([*arguments, *more]), env=env, stderr=subprocess.PIPE)
    while not list(temp.glob("matchbound-*")):
        assert child.poll() is None
        time.sleep(0.01)
    child.send_signal(number)
    _, said = child.communicate()
    assert child.returncode == 128 + number
    assert said == b""
    assert contents(folder) == before
    assert not list(temp.glob("matchbound-*"))
