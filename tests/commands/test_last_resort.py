"""Whatever happens, a verb ends with one sentence and exit status 2, and does not hang."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import matchbound
from matchbound.commands import verify
from matchbound.errors import InputError
from matchbound.files import LIMIT, LONG_LIMIT, digest_of_text, read_json
from support.audits import certify, contents, make_audit, run

ROOT = Path(matchbound.__file__).parents[1]


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    audit = make_audit(tmp_path_factory.mktemp("good") / "good")
    assert certify(audit) == 0
    return audit.parent


@pytest.fixture
def folder(certified, tmp_path):
    shutil.copytree(certified, tmp_path / "case")
    return tmp_path / "case"


def sparse(path, size):
    with path.open("wb") as file:
        file.truncate(size)


KINDS = {
    "pipe": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": Path.mkdir,
    "circle": lambda path: path.symlink_to(path.name),
    "huge": lambda path: sparse(path, 6 << 30),
    "deep": lambda path: path.write_text("[" * 100_000),
}
VERBS = {
    "people.csv": "certify",
    "holdout.csv": "certify",
    "audit/labels.csv": "certify",
    "audit/draw.json": "certify",
    "audit/sample.csv": "certify",
    "audit/ledger.jsonl": "register",
    "audit/certificate.json": "verify",
}


def words_of(verb, folder):
    outputs = ["--holdout", folder / "holdout.csv"]
    return {
        "certify": [*outputs, "--population", folder / "people.csv", "--out", folder / "c.json"],
        "register": outputs,
        "verify": [],
    }[verb]


def refused(capsys, *words):
    """The one sentence with which the command is refused."""
    capsys.readouterr()
    assert run(*words) == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith("matchbound: ")
    assert "fault of matchbound" not in sentence
    return sentence


@pytest.fixture
def alarm():
    """Let a hang fail: reading a pipe would wait for ever."""

    def ring(*_):
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", VERBS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_ordinary_file_is_refused(folder, capsys, alarm, kind, name):
    (folder / name).unlink()
    KINDS[kind](folder / name)
    refused(capsys, VERBS[name], folder / "audit", *words_of(VERBS[name], folder))


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "circle"])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_out_that_is_no_file_stays_what_it_is(folder, capsys, kind, force):
    out = folder / "out.json"
    KINDS[kind](out)
    before = out.lstat().st_mode
    words = [*words_of("certify", folder)[:-1], out, *force]
    assert "out must be a file" in refused(capsys, "certify", folder / "audit", *words)
    assert out.lstat().st_mode == before


@pytest.mark.parametrize("length", [240, 255, 256, 5000])
def test_long_names(folder, capsys, length):
    """255 bytes are a name; more are none."""
    out = folder / ("x" * (length - 5) + ".json")
    words = [*words_of("certify", folder)[:-1], out]
    if length <= 255:
        assert run("certify", folder / "audit", *words) == 0
        assert out.is_file()
        return
    assert "File name too long" in refused(capsys, "certify", folder / "audit", *words)
    refused(capsys, "certify", out, "--holdout", out)
    refused(capsys, "certify", folder / "audit", "--holdout", out)
    refused(capsys, "draw", out, "--labels", 5, "--out", folder / "drawn")
    refused(capsys, "draw", folder / "people.csv", "--labels", 5, "--out", out)
    refused(capsys, "verify", out)
    refused(capsys, "report", folder / "audit", "--out", out.with_suffix(".html"))
    refused(capsys, "register", out, "--holdout", folder / "holdout.csv")


def test_sizes_are_limited_before_anything_is_read(folder, capsys):
    sparse(folder / "audit" / "certificate.json", LIMIT + 1)
    sentence = refused(capsys, "verify", folder / "audit")
    assert "certificate.json' (it has more than 256 MiB)." in sentence
    sparse(folder / "audit" / "ledger.jsonl", LONG_LIMIT + 1)
    sentence = refused(capsys, "register", folder / "audit", "--holdout", folder / "holdout.csv")
    assert "(it has more than 2048 MiB)." in sentence


@pytest.mark.parametrize("depth", [99, 101, 150, 500, *range(960, 1000, 3), 100_000])
def test_json_that_is_nested_too_deeply_is_refused(depth):
    text = '{"a":' * depth + "1" + "}" * depth
    if depth <= 100:
        assert json.dumps(read_json(text), separators=(",", ":")) == text
        return
    with pytest.raises(ValueError, match="it is nested more than 100 deep"):
        read_json(text)


def failing(error):
    def run(_):
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "the machine has too little memory for this."),
        (RecursionError("a1 too deep"), "this is a fault of matchbound (RecursionError in c"),
        (KeyError("a1"), "this is a fault of matchbound (KeyError in commands/"),
        (OSError(5, "Input/output error", "/a"), "the system refused '/a': Input/output error."),
        (InputError("x must be y."), "x must be y."),
    ],
)
def test_any_error_is_one_sentence(monkeypatch, capsys, error, sentence):
    monkeypatch.setattr(verify, "run", failing(error))
    assert run("verify", "a") == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"matchbound: {sentence}")
    assert said.err.count("\n") == 1
    assert "a1" not in said.err, "a report of the fault must hold no id"


def test_a_developer_sees_the_traceback(monkeypatch, capsys):
    monkeypatch.setenv("MATCHBOUND_TRACEBACK", "1")
    monkeypatch.setattr(verify, "run", failing(KeyError("a1")))
    assert run("verify", "a") == 2
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def matchbound_command(*words, **options):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "matchbound", *map(str, words)]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.parametrize("words", [["--help-all"], ["verify", "--help"], ["draw", "--help-all"]])
def test_a_full_disk_behind_stdout(words):
    with open("/dev/full", "w") as full:
        child = matchbound_command(*words, stdout=full)
        _, said = child.communicate()
    assert child.returncode == 1
    assert said == (
        "matchbound: cannot print the result: No space left on device. What was done stays done.\n"
    )


def test_stdout_and_stderr_that_are_closed():
    words = f"{sys.executable} -m matchbound"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    for command, status in ((f"{words} --help >&-", 0), (f"{words} nothing 2>&-", 2)):
        done = subprocess.run(command, shell=True, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (status, "")


def test_memory_that_is_not_there(folder):
    """More is needed than the process may have."""
    sparse(folder / "audit" / "sample.csv", 1 << 30)
    child = matchbound_command(
        "certify",
        folder / "audit",
        *words_of("certify", folder),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)),
    )
    _, said = child.communicate()
    assert (child.returncode, said.count("\n")) == (2, 1)
    assert said.startswith("matchbound: the machine has too little memory")


def test_a_closed_terminal_ends_a_command_as_sigterm_does(folder):
    program = folder / "program.py"
    program.write_text(f"import time; open({str(folder / 'on')!r}, 'w'); time.sleep(60)")
    before = contents(folder)
    words = ["withhold", folder / "audit", "--force"]
    words += ["--command", f"{sys.executable} {program} {{labels}} {{out}}"]
    usual = partial(signal.signal, signal.SIGHUP, signal.SIG_DFL)  # `nohup` would have it ignored
    child = matchbound_command(*words, preexec_fn=usual)
    while not (folder / "on").exists():
        assert child.poll() is None, child.communicate()
        time.sleep(0.01)
    child.send_signal(signal.SIGHUP)
    _, said = child.communicate()
    assert (child.returncode, said) == (129, "")
    (folder / "on").unlink()
    assert contents(folder) == before


def test_nohup_is_heeded():
    """Who ignores SIGHUP goes on."""
    code = (
        "import os, signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from matchbound.commands.terminal import interrupted_by_signals\n"
        "with interrupted_by_signals() as received:\n"
        "    os.kill(os.getpid(), signal.SIGHUP)\n"
        "print(received)"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    assert subprocess.check_output([sys.executable, "-c", code], env=environment) == b"[]\n"


def made_anew(entries):
    """A chain of entries with digests that fit whatever they say."""
    before = ""
    for entry in entries:
        entry = {name: value for name, value in entry.items() if name != "digest"}
        entry["before"] = before
        before = digest_of_text(json.dumps(entry, sort_keys=True, ensure_ascii=False))
        yield json.dumps(entry | {"digest": before}, ensure_ascii=False) + "\n"


HOSTILE = [
    (1, "kind", None),
    (2, "kind", 5),
    (2, "draw", None),
    (2, "seed", []),
    (2, "labels", "x"),
    (2, "delta", "x"),
    (2, "several", None),
    (3, "labels", {}),
    (3, "labels", {"rows": 5, "bytes": None}),
    (3, "validation", None),
    (4, "holdout", None),
    (4, "holdout", [{"name": ""}]),
    (4, "is_sampled", ...),
    (4, "exploratory", ...),
]


@pytest.mark.parametrize("verb", ["certify", "register"])
@pytest.mark.parametrize(("number", "fact", "value"), HOSTILE)
def test_hostile_entries_whose_digests_fit_are_named(folder, capsys, verb, number, fact, value):
    ledger = folder / "audit" / "ledger.jsonl"
    entries = [json.loads(line) for line in ledger.read_text().splitlines()]
    assert [entry["kind"] for entry in entries] == ["choices", "draw", "labels", "certificate"]
    entries[number - 1][fact] = value
    if value is ...:
        del entries[number - 1][fact]
    ledger.write_text("".join(made_anew(entries)))
    before = contents(folder)
    sentence = refused(capsys, verb, folder / "audit", *words_of(verb, folder))
    assert f"entry {number} has no {fact} as matchbound writes it" in sentence
    assert contents(folder) == before
