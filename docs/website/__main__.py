"""Build the site: gather the pages in build/docs, let Zensical write build/docs/site, check it."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from website.built import problems
from website.parts import DOCS, inside, made, menu, outside

BUILD = DOCS.parent / "build"
HERE = Path(__file__).parent


def main() -> int:
    """Build the site, and return 1 if anything about it is wrong."""
    folder = BUILD / "docs"
    shutil.rmtree(folder, ignore_errors=True)
    gather(folder / "pages")
    settings = (HERE / "zensical.toml").read_text("utf-8")
    (folder / "zensical.toml").write_text(settings.replace("NAV", _toml(menu())), "utf-8")
    program = [Path(sys.executable).parent / "zensical", "build", "--clean", "--strict"]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True)
    printed = re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr)
    print(printed, end="")
    if done.returncode or "arning" in printed:
        return 1
    wrong = problems(folder / "site")
    print("\n".join([*wrong, f"{len(wrong)} problems in build/docs/site/index.html"]))
    return 1 if wrong else 0


def gather(folder: Path) -> None:
    """Copy the written pages, and write those that are made."""
    hidden = shutil.ignore_patterns("website", "__pycache__")
    shutil.copytree(DOCS, folder, ignore=hidden)
    for asset in ("style.css", "iframe-worker.js"):
        shutil.copy(HERE / asset, folder)
    for page in folder.rglob("*.md"):
        page.write_text(inside(page.read_text("utf-8")), "utf-8")
    for path, text in {**made(), **outside()}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")


def _toml(item: object) -> str:
    """A part of the menu as TOML."""
    if isinstance(item, dict):
        ((title, pages),) = item.items()
        return f"{{ {json.dumps(title)} = {_toml(pages)} }}"
    return f"[{', '.join(map(_toml, item))}]" if isinstance(item, list) else json.dumps(item)


if __name__ == "__main__":
    sys.exit(main())
