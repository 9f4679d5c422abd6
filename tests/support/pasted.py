"""Pages as a reader pastes them: blocks of commands and of Python, and what they print.

`run_here` runs a page in this process, with a seed that is always the same, and compares every
character. `run_from_wheel` builds the wheel, and runs the page outside the repository in an empty
environment, in which only the page's own `pip install` puts something; numbers may differ there.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.audits import run_seeded

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
SHOWN = {"text", "yaml"}
"""Languages of blocks that nobody pastes into a shell."""


@dataclass(frozen=True)
class Block:
    """Lines to paste, and what the page shows that they print, if it shows it."""

    language: str
    text: str
    printed: str | None

    @property
    def commands(self):
        return self.text.replace("\\\n", " ").splitlines()

    def shows(self, printed, *, masked=False):
        """Whether this is what the page shows, or begins so if `…` follows there."""
        if self.printed is None:
            return True
        beginning = self.printed.removesuffix("…\n")
        if masked:
            beginning, printed = map(without_numbers, (beginning, printed))
            return beginning in printed
        return printed.startswith(beginning) if beginning != self.printed else printed == beginning


def without_numbers(text):
    return re.sub(r"\d[\d.]*", "#", text)


def blocks(page):
    """Every block of commands or of Python, in order; languages that are not known are refused."""
    found = re.findall(r"^```(.*?)\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    languages = {language for language, _ in found}
    assert {"sh"} <= languages <= {"sh", "python", *SHOWN}, languages
    following = [*found[1:], ("", "")]
    for (language, body), (after, printed) in zip(found, following, strict=True):
        if language not in SHOWN:
            yield Block(language, body, printed if after == "text" else None)


def run_here(page, capsys):
    """Run a page in this process and folder; pip and the labelling page are left out."""
    namespace = {}
    for block in blocks(page):
        capsys.readouterr()
        if block.language == "python":
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("secrets.token_hex", lambda size: "readme")
                exec(block.text, namespace)
            printed = capsys.readouterr().out
        else:
            for line in block.commands:
                printed = _command_here(line, capsys)
        assert block.shows(printed), printed


def _command_here(line, capsys):
    program, *words = shlex.split(line)
    if program == "pip" or words[0] == "label":
        return ""
    assert program == "matchbound"
    capsys.readouterr()
    assert run_seeded("readme", *words) == 0
    return capsys.readouterr().out


def run_from_wheel(page, folder):
    """Run a page with the wheel alone, in an environment and a folder of its own."""
    environment, elsewhere = empty_environment(folder), folder / "elsewhere"
    elsewhere.mkdir()
    given = {"cwd": elsewhere, "env": environment, "capture_output": True, "text": True}
    for block in blocks(page):
        if "matchbound label" in block.text:
            _open_page(shlex.split(block.text), elsewhere, environment)
            continue
        words = ["python", "-I", "-c"] if block.language == "python" else ["bash", "-euc"]
        done = subprocess.run([*words, block.text], **given, timeout=1800)
        assert done.returncode == 0, block.text + done.stdout + done.stderr
        assert block.shows(done.stdout, masked=True), done.stdout
    code = "import matchbound; print(matchbound.__file__)"
    home = subprocess.run(["python", "-c", code], **given)
    assert home.stdout.startswith(str(folder / "venv"))


def empty_environment(folder):
    """Variables of an environment with pip alone, to which our wheel is what `matchbound` is."""
    pytest.importorskip("hatchling.build", reason="hatchling, which builds the wheel, is missing")
    wheels, venv = folder / "wheels", folder / "venv"
    wheels.mkdir()
    code = f"from hatchling.build import build_wheel; build_wheel({str(wheels)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    places = filter(None, [os.environ.get("PIP_FIND_LINKS"), str(wheels)])
    kept = {name: text for name, text in os.environ.items() if name.startswith("PIP_")}
    return {
        **kept,
        "PIP_FIND_LINKS": " ".join(places),
        "PATH": os.pathsep.join([str(venv / "bin"), os.defpath]),
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "BROWSER": "true",  # the page is opened in none
    }


def _open_page(words, folder, environment):
    """Open the labelling page, wait until it has an address, and stop it as Ctrl-C does."""
    program = Path(environment["PATH"].split(os.pathsep)[0]) / words[0]
    with subprocess.Popen(
        [program, *words[1:]], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as page:
        printed = page.stdout.readline()
        while page.poll() is None:  # one that comes too early is lost where SIGINT was ignored
            page.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                page.wait(timeout=20)
        assert "http://127.0.0.1:" in printed + page.stdout.read()
    assert page.returncode in (0, 130)
