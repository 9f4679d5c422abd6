"""Take the pictures of the documents from the real thing: `make pictures` → docs/pictures.

The README's audit of the example runs, with a fixed seed. Chromium, as the system has it,
shows the labelling page before anything is labelled, the report, the report of two releases, and
the chart of a plan.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.audits import run_seeded
from support.browsers import CHROMIUM
from support.pasted import README, blocks

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
PLAN = (
    "plan --size 100000 --matched 0.67 --guess precision=0.95 --guess recall=0.9 "
    "--labels 1000 --one-to-one --plot plan.html"
)
"""As in docs/plan.md."""


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, browsing() as page:
        os.chdir(folder)
        for line in commands_to_the_report():
            if line == "label audit":
                take_labelling_page(page)
            else:
                matchbound(line)
        page.goto(Path("audit/report.html").absolute().as_uri())
        page.screenshot(path=PICTURES / "report.png")
        matchbound("certify audit --release 1")
        matchbound("certify audit --complete matches-2.csv --release 2")
        matchbound("report audit --target precision=0.9 --force")
        page.goto(Path("audit/report.html").absolute().as_uri())
        section = page.locator("section", has=page.locator("h2", has_text="Releases"))
        section.screenshot(path=PICTURES / "releases.png")
        matchbound(PLAN)
        page.goto(Path("plan.html").absolute().as_uri())
        page.locator("svg").screenshot(path=PICTURES / "plan.png")
        os.chdir(PICTURES)


def commands_to_the_report() -> Iterator[str]:
    """The README's first commands, without the program's name."""
    for block in blocks(README):
        for line in block.commands if block.language == "sh" else []:
            program, _, words = line.partition(" ")
            if program == "matchbound":
                yield words
            if words.startswith("report "):
                return


def matchbound(line: str) -> None:
    """Run a command with a seed that is always the same."""
    assert run_seeded("readme", *line.split()) == 0


@contextmanager
def browsing() -> Iterator[Any]:
    """A page of a browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser.new_page(viewport={"width": 900, "height": 530})
        browser.close()


def take_labelling_page(page: Any) -> None:
    """Open the labelling page as a person would, and stop it."""
    command = [sys.executable, "-m", "matchbound", "label", "audit", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        page.goto(process.stdout.readline().split()[-1])
        page.fill("#name", "Ann")
        page.click("#who button")
        page.wait_for_selector("#work:not([hidden])", timeout=180_000)
        page.screenshot(path=PICTURES / "page.png")
        process.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
