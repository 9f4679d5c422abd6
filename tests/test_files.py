"""Replace, sync, cut and lock, with `fcntl` and without it, as on Windows."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import matchbound
from matchbound import files
from matchbound.errors import EngineError, InputError

NO_FCNTL = Path(__file__).parent / "support" / "no_fcntl"
SOURCES = Path(matchbound.__file__).parents[1]


def python(code, *arguments, fcntl=True):
    """A Python process that runs the code, and has `fcntl` or not."""
    paths = [*([] if fcntl else [NO_FCNTL]), SOURCES]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, text=True)


CHECKS = """
    import sys
    from pathlib import Path
    from matchbound import files
    from matchbound.audits.ledger import read_ledger, transaction
    from matchbound.errors import InputError

    folder, files.STALE = Path(sys.argv[1]), 0.1
    files.write_whole({folder / "a": "old"}, force=False)
    files.write_whole({folder / "a": "new", folder / "b": b"b"}, force=True)
    assert (folder / "a").read_text() == "new"
    files.append_whole(folder / "a", b" line")
    files.cut(folder / "a", 3)
    assert (folder / "a").read_text() == "new"
    files.remove(folder / "b")
    with files.alone(folder):
        try:
            with files.alone(folder):
                raise AssertionError("two are alone")
        except InputError:
            pass
    with files.alone(folder):
        pass
    for _ in range(2):
        with transaction(folder, begins=True) as ledger:
            ledger.add("test")
    try:
        with transaction(folder) as ledger:
            ledger.add("test")
            ledger.commit()
            raise InputError("refused")
    except InputError:
        pass
    assert len(read_ledger(folder).entries) == 2
    assert sorted(path.name for path in folder.iterdir()) == ["a", "ledger.jsonl"]
    print(sys.modules.get("fcntl") is None, "fcntl" in vars(sys.modules["filelock._unix"]))
"""


@pytest.mark.parametrize("fcntl", [True, False])
def test_files_and_locks(tmp_path, fcntl):
    said, _ = (child := python(CHECKS, tmp_path, fcntl=fcntl)).communicate()
    assert child.returncode == 0
    if not fcntl:
        assert said == "True False\n"


HOLD = """
    import sys, time
    from pathlib import Path
    from matchbound.files import alone, one_writer

    with alone(Path(sys.argv[1])), one_writer(Path(sys.argv[1])):
        print("held", flush=True)
        time.sleep(60)
"""
WRITE = """
    import sys, time
    from pathlib import Path
    from matchbound import files
    from matchbound.errors import EngineError

    files.PATIENCE = files.STALE = float(sys.argv[2])
    try:
        with files.one_writer(Path(sys.argv[1])), files.alone(Path(sys.argv[1])):
            print("written")
    except EngineError as error:
        print(error)
"""


@pytest.mark.parametrize("fcntl", [True, False])
def test_a_lock_is_held_until_its_process_ends_and_not_longer(tmp_path, fcntl):
    holder = python(HOLD, tmp_path, fcntl=fcntl)
    assert holder.stdout.readline() == "held\n"
    try:
        said, _ = python(WRITE, tmp_path, 0.3, fcntl=fcntl).communicate()
        assert said == (
            f"cannot write to {tmp_path}: another process has been writing there for 0.3 seconds. "
            f"Wait until it ends; if none is running, delete {tmp_path / '.ledger.lock'}.\n"
        )
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
    assert (tmp_path / ".ledger.lock").exists()  # nobody could remove it
    said, _ = python(WRITE, tmp_path, 20, fcntl=fcntl).communicate()
    assert said == "written\n"
    assert list(tmp_path.iterdir()) == []


def test_a_lock_of_another_machine_is_never_taken_over(tmp_path):
    """Without locks of the system: whether its process still runs cannot be told from here."""
    (tmp_path / ".ledger.lock").write_text("1\nanother-machine\n")
    said, _ = python(WRITE, tmp_path, 0.5, fcntl=False).communicate()
    assert said.startswith(f"cannot write to {tmp_path}: another process")
    assert (tmp_path / ".ledger.lock").exists()


COUNT = """
    import sys
    from pathlib import Path
    from matchbound.audits.ledger import transaction

    for _ in range(10):
        with transaction(Path(sys.argv[1]), begins=True) as ledger:
            ledger.add("test", number=len(ledger.entries))
"""


@pytest.mark.parametrize("fcntl", [True, False])
def test_writers_at_the_same_time_lose_nothing(tmp_path, fcntl):
    from matchbound.audits.ledger import read_ledger

    folder = tmp_path / "audit"
    writers = [python(COUNT, folder, fcntl=fcntl) for _ in range(3)]
    assert [(one.communicate(), one.returncode)[1] for one in writers] == [0, 0, 0]
    ledger = read_ledger(folder)
    assert (ledger.problems, ledger.unfinished) == ((), False)
    assert [entry["number"] for entry in ledger.entries] == list(range(30))
    assert [path.name for path in folder.iterdir()] == ["ledger.jsonl"]


def test_a_folder_that_cannot_be_locked_is_said_in_one_sentence(tmp_path):
    (tmp_path / ".ledger.lock").mkdir()
    refusal = pytest.raises(EngineError, match=r"^cannot write to .*: .*\. Make it writable\.$")
    with refusal, files.one_writer(tmp_path):
        pass


def test_an_open_page_is_seen_without_writing(tmp_path):
    before = tmp_path.stat().st_mtime_ns
    time.sleep(0.01)
    files.refuse_open_page(tmp_path)
    assert tmp_path.stat().st_mtime_ns == before
    with files.alone(tmp_path), pytest.raises(InputError, match="open on a labelling page"):
        files.refuse_open_page(tmp_path)


def test_an_append_that_fails_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"before")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        files.append_whole(path, b" after")
    assert path.read_bytes() == b"before"


WAIT = """
    import sys, time
    from pathlib import Path
    from matchbound import files

    out = Path(sys.argv[1]) / "a"
    with files.temporary_folder(out.parent), files.written_whole(out, force=True) as path:
        path.write_text("a")
        print(path.name, flush=True)
        sys.stdin.readline()
"""


def temporary(folder):
    names = [path.name for path in folder.rglob("*")]
    return sorted(name for name in names if name.startswith((".matchbound-", "matchbound-")))


def test_what_a_killed_command_left_is_removed_and_nothing_of_a_running_one(tmp_path, monkeypatch):
    pytest.importorskip("fcntl")
    running, killed = python(WAIT, tmp_path), python(WAIT, tmp_path)
    names = [running.stdout.readline().strip(), killed.stdout.readline().strip()]
    before = temporary(tmp_path)
    assert len(before) == 6  # two files, two folders, two marks in them
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert temporary(tmp_path) == before
    monkeypatch.setattr(files, "SETTLED", 0.0)
    files.write_whole({tmp_path / "b": "b"}, force=False)
    assert names[0] in temporary(tmp_path)
    assert names[1] not in temporary(tmp_path)
    with files.temporary_folder(tmp_path):
        pass
    assert len(temporary(tmp_path)) == 3
    running.communicate("\n")
    assert running.returncode == 0
    assert (tmp_path / "a").read_text() == "a"
    assert temporary(tmp_path) == []


PRIVATE = """
    import sys, tempfile
    from matchbound import files

    tempfile.tempdir = sys.argv[1]
    with files.scratch("labels.csv", b"x,y"), files.private_file("label.html", "a token"):
        print("written", flush=True)
        sys.stdin.readline()
"""


def test_what_is_private_does_not_outlive_the_next_command_after_a_kill(tmp_path, monkeypatch):
    pytest.importorskip("fcntl")
    running, killed = python(PRIVATE, tmp_path), python(PRIVATE, tmp_path)
    for process in (running, killed):
        assert process.stdout.readline().strip() == "written"
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert len(list(tmp_path.glob("matchbound-*/label*"))) == 4
    monkeypatch.setattr(files, "SETTLED", 0.0)
    with files.temporary_folder(tmp_path):
        left = sorted(path.name for path in tmp_path.glob("matchbound-*/label*"))
    assert left == ["label.html", "labels.csv"]
    running.communicate("\n")
    assert running.returncode == 0
    assert temporary(tmp_path) == []


def test_a_link_does_not_lead_to_what_is_removed(tmp_path, monkeypatch):
    """Where others can write, one of them could let a link lead to a folder of the user's."""
    mine, place = tmp_path / "mine", tmp_path / "temporary"
    for folder in (mine, place):
        folder.mkdir()
    for name in (".matchbound-left", "labels.csv"):
        (mine / name).write_text("mine")
    (place / "matchbound-12345678").symlink_to(mine)
    monkeypatch.setattr(files, "SETTLED", -1.0)
    with files.temporary_folder(place):
        pass
    assert (mine / "labels.csv").exists()


def test_a_mark_goes_last(tmp_path, monkeypatch):
    """A kill while a folder is being removed leaves nothing without a mark."""
    removed, unlink = [], Path.unlink

    def noted(path, missing_ok=False):
        removed.append(path.name)
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(files.shutil, "rmtree", lambda path, **_: removed.append("the rest"))
    monkeypatch.setattr(Path, "unlink", noted)
    with files.scratch("labels.csv", b"x,y\n", tmp_path):
        pass
    assert removed[:2] == ["labels.csv", "the rest"]


def test_a_file_of_a_user_is_not_taken_for_a_temporary_one(tmp_path):
    for name in (".b.12345678", ".matchbound", "matchbound-notes"):
        (tmp_path / name).write_text("mine")
    files.write_whole({tmp_path / "b": "b"}, force=False)
    with files.temporary_folder(tmp_path):
        pass
    assert len(list(tmp_path.iterdir())) == 4


def test_a_file_that_changes_while_it_is_hashed_is_hashed_again_or_refused(tmp_path, monkeypatch):
    path, through, times = tmp_path / "file", files._read_through, []
    path.write_bytes(b"before")

    def changed(times_at_most):
        def read(real):
            content = through(real)
            if len(times) < times_at_most:
                times.append(path.write_bytes(b"x" * (len(times) + 1)))
            return content

        return read

    monkeypatch.setattr(files, "_read_through", changed(1))
    assert files.digest_of_file(path) == files.digest_of_text("x")
    monkeypatch.setattr(files, "_read_through", changed(99))
    with pytest.raises(EngineError, match="it was changed or replaced while it was being read"):
        files.digest_of_file(path)


def test_this_process_has_fcntl_unless_it_is_taken_away():
    """Collecting the tests must not import what takes it away."""
    assert (sys.modules.get("fcntl", sys) is None) == bool(os.environ.get("MATCHBOUND_NO_FCNTL"))
