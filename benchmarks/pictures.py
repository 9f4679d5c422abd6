"""Take the pictures of the documents from the real thing: `make pictures` → docs/pictures.

An audit of the example runs with a fixed seed, as in the README. Chromium, as the system has it,
shows the report.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.audits import run_seeded
from support.browsers import opened

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
TOP = {"x": 0, "y": 0, "width": 900, "height": 530}
COMMANDS = (
    "example people",
    "audit matches.csv --records crm.csv --against billing.csv --labels 300 --threshold 0.9 "
    "--pairs --out audit",
    "example people --answer audit",
    "certify audit",
    "report audit --target precision=0.9 --target recall=0.9",
)


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for command in COMMANDS:
            assert run_seeded("readme", *command.split()) == 0
        with opened(Path("audit/report.html").absolute().as_uri(), width=900) as (page, _):
            page.screenshot(path=PICTURES / "report.png", clip=TOP)
        os.chdir(ROOT)


if __name__ == "__main__":
    main()
