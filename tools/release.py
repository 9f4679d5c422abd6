"""Build the sdist and the wheel of the commit that is checked out, and check them.

With a version, make that commit first: set the version in pyproject.toml, date the changelog's
unreleased section, commit, and tag the commit if what was built is sound. Publish nothing.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

CHANGELOG, PROJECT, DIST = Path("CHANGELOG.md"), Path("pyproject.toml"), Path("dist")
README = Path("README.md")
RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:(a|b|rc)(\d+))?")
UNRELEASED = re.compile(r"^## .*\(unreleased\)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
VERSION = re.compile(r'^version = ".*"$', re.MULTILINE)


def build() -> None:
    """Fill dist/ with the same bytes, whenever and wherever this commit is built."""
    shutil.rmtree(DIST, ignore_errors=True)
    # Every file in the archives is as old as the commit.
    epoch = {"SOURCE_DATE_EPOCH": git("log", "-1", "--format=%ct")}
    command = [sys.executable, "-m", "hatchling", "build"]
    subprocess.run(command, check=True, env=os.environ | epoch)
    paths = sorted(DIST.iterdir())
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *paths], check=True)
    for path in paths:
        print(hashlib.sha256(path.read_bytes()).hexdigest(), path, sep="  ")


def release(version: str) -> None:
    if not RELEASE.fullmatch(version):
        sys.exit(f"VERSION must be like 1.2.3 or 1.2.3rc1, got {version!r}.")
    if git("status", "--porcelain"):
        sys.exit("The working tree must be clean. Commit what is new, or put it away.")
    if git("tag", "--list", f"v{version}"):
        sys.exit(f"The tag v{version} must not exist yet. Choose a later version.")
    tagged = [tag.removeprefix("v") for tag in git("tag", "--list", "v*").split()]
    last = max(filter(RELEASE.fullmatch, tagged), key=order, default=None)
    if last and order(version) < order(last):
        sys.exit(f"VERSION must be later than {last}, the last release, got {version!r}.")
    if "not on PyPI yet" in README.read_text("utf-8"):
        sys.exit(f"{README} must not say 'not on PyPI yet'. CONTRIBUTING.md has what comes first.")
    changelog = CHANGELOG.read_text("utf-8")
    section = UNRELEASED.search(changelog)
    if not section or not section[1].strip():
        sys.exit(f"{CHANGELOG} must have a section '## NAME (unreleased)' that says what is new.")
    before = git("rev-parse", "HEAD")
    try:
        heading = f"## {version} ({datetime.now(UTC):%Y-%m-%d})\n"
        CHANGELOG.write_text(
            changelog[: section.start()] + heading + changelog[section.start(1) :], "utf-8"
        )
        PROJECT.write_text(
            VERSION.sub(f'version = "{version}"', PROJECT.read_text("utf-8"), count=1), "utf-8"
        )
        git("commit", "--all", "--message", f"Release {version}")
        build()
        git("tag", "--annotate", f"v{version}", "--message", f"matchbound {version}")
    except BaseException:
        git("reset", "--hard", before)
        raise
    print(f"Tagged v{version}; nothing is published. To publish: git push origin HEAD v{version}")


def order(version: str) -> tuple[int, int, int, str, int]:
    """A key that sorts versions: 1.2.3a1, 1.2.3b1, 1.2.3rc1, 1.2.3, 1.2.4."""
    parts = RELEASE.fullmatch(version)
    assert parts is not None
    major, minor, patch = map(int, parts.group(1, 2, 3))
    return major, minor, patch, parts[4] or "release", int(parts[5] or 0)


def git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()


if __name__ == "__main__":
    os.chdir(Path(__file__).parents[1])
    if sys.argv[1:]:
        release(sys.argv[1])
    else:
        build()
