"""Every command and Python line of the README runs as pasted, in order, and prints what it shows.

The quick test runs them here, with a seed that is always the same. The slow one builds the wheel,
installs it in an empty environment, as the README says, and runs them outside the repository.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from matchbound.examples import EXAMPLES
from support.audits import run_seeded
from support.readme import README, blocks

ROOT = Path(__file__).parents[1]


def test_it_runs_as_pasted_and_prints_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for block in blocks():
        capsys.readouterr()
        if block.language == "python":
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("secrets.token_hex", lambda size: "readme")
                exec(block.text, namespace)
            printed = capsys.readouterr().out
        else:
            for line in block.commands:
                printed = run_here(line, capsys)
        assert block.printed is None or printed == block.printed


def run_here(line, capsys):
    """Run a command in this process, and return what it printed; pip and the page are left out."""
    program, *words = shlex.split(line)
    if program == "pip" or words[0] == "label":
        return ""
    assert program == "matchbound"
    capsys.readouterr()
    assert run_seeded("readme", *words) == 0
    return capsys.readouterr().out


def test_the_truth_it_names_is_the_example_s():
    example = EXAMPLES["people"]()
    rows = [row.split(",") for row in example.files["matches.csv"].splitlines()[1:]]
    found = {}
    for score, x, y in rows:
        if float(score) >= 0.9:
            found.setdefault(x, set()).add(y)
    truth = {x: set(ys) for x, ys in example.truth.items() if x.startswith("C")}
    precision = [len(ys & truth.get(x, set())) / len(ys) for x, ys in found.items()]
    recall = [len(found.get(x, set()) & ys) / len(ys) for x, ys in truth.items()]
    means = [sum(shares) / len(shares) for shares in (precision, recall)]
    named = re.search(r"The truth is (0\.\d{4}) and (0\.\d{4})\.", README.read_text("utf-8"))
    assert [f"{mean:.4f}" for mean in means] == list(named.groups())


@pytest.mark.parametrize("name", re.findall(r"\]\(([^)#]+)", README.read_text("utf-8")))
def test_what_it_links_to_is_there(name):
    assert (ROOT / name).is_file()


def test_every_page_is_linked_to():
    text = README.read_text("utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"splink.md"}
    assert not [page for page in pages if f"(docs/{page})" not in text]


@pytest.mark.slow
def test_it_runs_from_the_wheel_alone_in_an_empty_environment(tmp_path):
    environment = empty_environment(tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for block in blocks():
        if block.language == "python":
            words = ["python", "-I", "-c", block.text]
        elif "matchbound label" in block.text:
            open_page(shlex.split(block.text), elsewhere, environment)
            continue
        else:
            words = ["bash", "-euc", block.text]
        done = subprocess.run(
            words, cwd=elsewhere, env=environment, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr
        if block.printed and block.language == "sh":
            assert "With probability at least 95%, all together:" in done.stdout
    code = "import matchbound; print(matchbound.__file__)"
    home = subprocess.run(
        ["python", "-c", code], cwd=elsewhere, env=environment, capture_output=True, text=True
    )
    assert home.stdout.startswith(str(tmp_path / "venv"))


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


def open_page(words, folder, environment):
    """Open the labelling page, wait until it has an address, and stop it as Ctrl-C does."""
    program = Path(environment["PATH"].split(os.pathsep)[0]) / words[0]
    with subprocess.Popen(
        [program, *words[1:]], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as page:
        printed = page.stdout.readline()
        page.send_signal(signal.SIGINT)
        assert "http://127.0.0.1:" in printed + page.stdout.read()
    assert page.returncode in (0, 130)
