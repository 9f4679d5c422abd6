"""Help: an ordinary audit's options on one screen, and every option in --help-all."""

import shlex
import subprocess
import sys

import pytest

from matchbound.commands.main import parser_of
from matchbound.commands.verbs import VERBS
from support.audits import run

NAMES = [verb.name for verb in VERBS]
SCREEN = 25


@pytest.fixture(autouse=True, params=[80, 200])
def columns(request, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(request.param))


def shown(capsys, *words):
    """What is printed by a command that ends with status 0."""
    if words[0] in NAMES:
        with pytest.raises(SystemExit, match=r"^0$"):
            run(*words)
    else:
        assert run(*words) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("verb", NAMES)
def test_a_verb_s_help_fits_a_screen(verb, capsys):
    lines = shown(capsys, verb, "--help").splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= 100
    assert lines[0].startswith(f"usage: matchbound {verb} ")


@pytest.mark.parametrize("verb", NAMES)
def test_every_option_is_in_help_all(verb, capsys):
    words = shown(capsys, verb, "--help-all").replace(",", " ").split()
    for action in parser_of(verb)._actions:
        assert set(action.option_strings or [action.metavar]) <= set(words)
        assert action.help


@pytest.mark.parametrize("verb", NAMES)
def test_what_must_be_given_is_on_the_first_screen(verb, capsys):
    words = shown(capsys, verb, "--help").split()
    needed = [action for action in parser_of(verb)._actions if action.required]
    assert all(set(action.option_strings or [action.metavar]) <= set(words) for action in needed)


@pytest.mark.parametrize("verb", NAMES)
def test_a_verb_s_example_can_be_parsed(verb, capsys):
    (line,) = [
        line
        for line in shown(capsys, verb, "--help").splitlines()
        if line.startswith("  matchbound")
    ]
    program, named, *words = shlex.split(line)
    assert (program, named) == ("matchbound", verb)
    parser_of(verb).parse_args(words)


def test_bare_matchbound_shows_the_verbs_of_an_ordinary_audit(capsys):
    assert run() == 2
    bare = capsys.readouterr().out
    assert bare == shown(capsys, "--help") == shown(capsys, "-h")
    verbs = [line.split()[0] for line in bare.splitlines() if line.startswith("  ")]
    assert verbs == [
        "demo",
        "example",
        "plan",
        "audit",
        "draw",
        "label",
        "certify",
        "verify",
        "report",
        "releases",
    ]
    assert len(bare.splitlines()) <= SCREEN


def test_all_verbs_are_in_help_all(capsys):
    lines = shown(capsys, "--help-all").splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ")] == NAMES


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("certfy", "matchbound: verb must be one of demo, example, plan, audit, "),
        ("--audit", "matchbound: verb must come first, got '--audit'. "),
    ],
)
def test_an_unknown_verb_is_refused(word, message, capsys):
    assert run(word) == 2
    assert capsys.readouterr().err.startswith(message)


def test_the_module_runs_as_the_program():
    command = [sys.executable, "-m", "matchbound", "--version"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert answer.stdout.startswith("matchbound ")
