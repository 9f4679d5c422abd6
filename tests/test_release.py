"""What users install, and `make release`, run in a repository of its own."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
UNPUBLISHED = "not on PyPI yet"
WORKFLOWS = ROOT / ".github" / "workflows"
KEPT = [
    "src",
    "docs",
    "tools",
    "pyproject.toml",
    ".gitignore",
    *(p.name for p in ROOT.glob("*.md")),
]


def git(folder, *words):
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def run_tool(folder, *words, **environment):
    """Run tools/release.py, and return how it ended and what dist/ holds, by name and digest."""
    done = subprocess.run(
        [sys.executable, "tools/release.py", *words],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    files = sorted((folder / "dist").glob("*"))
    return done, {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def repository(tmp_path):
    """What is built, as it is in the working tree, in one commit."""
    folder = tmp_path / "repository"
    folder.mkdir()
    for name in [*KEPT, "LICENSE"]:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.nb?")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder)
    readme = folder / "README.md"
    readme.write_text(readme.read_text("utf-8").replace(UNPUBLISHED, "on PyPI"), "utf-8")
    (folder / "CHANGELOG.md").write_text("# Changelog\n\n## Next (unreleased)\n\n- News.\n")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "config", "user.name", "matchbound contributors")
    git(folder, "config", "user.email", "contributors@example.org")
    git(folder, "config", "commit.gpgsign", "false")
    commit(folder)
    return folder


def commit(folder):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "Change")


def test_a_release_and_that_it_can_be_built_again(repository, tmp_path):
    done, built = run_tool(repository, "9.8.7rc1", SOURCE_DATE_EPOCH="1")
    assert done.returncode == 0, done.stderr
    assert list(built) == ["matchbound-9.8.7rc1-py3-none-any.whl", "matchbound-9.8.7rc1.tar.gz"]
    assert done.stdout.count("PASSED") == 2  # twine
    assert all(digest in done.stdout for digest in built.values())
    assert git(repository, "log", "-1", "--format=%s") == "Release 9.8.7rc1"
    assert git(repository, "rev-parse", "v9.8.7rc1^{commit}") == git(
        repository, "rev-parse", "HEAD"
    )
    assert git(repository, "status", "--porcelain") == ""
    changelog = (repository / "CHANGELOG.md").read_text()
    assert re.fullmatch(
        r"# Changelog\n\n## 9\.8\.7rc1 \(\d{4}-\d\d-\d\d\)\n\n- News\.\n", changelog
    )
    changed = git(repository, "diff", "--stat", "HEAD~1", "--", "pyproject.toml")
    assert "1 insertion(+), 1 deletion(-)" in changed

    # From a clone of the tag: another path, time, owner's rights, language and order of hashes.
    clone = tmp_path / "a clone elsewhere"
    git(tmp_path, "clone", "--quiet", "--branch=v9.8.7rc1", repository, clone)
    for path in clone.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            os.utime(path, (10**9, 10**9))
            path.chmod(0o600)
    elsewhere = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    assert run_tool(clone, **elsewhere)[1] == built

    # The wheel of the sdist is the same wheel.
    with tarfile.open(clone / "dist" / "matchbound-9.8.7rc1.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    epoch = {"SOURCE_DATE_EPOCH": git(repository, "log", "-1", "--format=%ct")}
    (folder,) = tmp_path.glob("matchbound-*")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel"],
        cwd=folder,
        env=os.environ | epoch,
        check=True,
    )
    (wheel,) = (folder / "dist").iterdir()
    assert hashlib.sha256(wheel.read_bytes()).hexdigest() == built[wheel.name]
    check_wheel(wheel)


def check_wheel(path):
    """The package, its metadata, and nothing else."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        metadata = Parser().parsestr(
            archive.read("matchbound-9.8.7rc1.dist-info/METADATA").decode()
        )
    assert {name.split("/")[0] for name in names} == {"matchbound", "matchbound-9.8.7rc1.dist-info"}
    package = ROOT / "src"
    sources = {p.relative_to(package).as_posix() for p in package.rglob("*") if p.is_file()}
    ours = {name for name in sources if not re.search(r"__pycache__|\.nb[ic]$", name)}
    assert {name for name in names if name.startswith("matchbound/")} == ours
    assert not [name for name in names if "test" in name and name != "matchbound/testing.py"]
    assert metadata["Author"] == "matchbound contributors"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"


def refuse(repository, version, why):
    head = git(repository, "rev-parse", "HEAD")
    before = git(repository, "status", "--porcelain"), git(repository, "tag")
    done, built = run_tool(repository, version)
    assert (done.returncode, done.stderr.strip(), built) == (1, why, {})
    assert git(repository, "rev-parse", "HEAD") == head
    assert (git(repository, "status", "--porcelain"), git(repository, "tag")) == before


def test_what_is_no_release(repository):
    for version in ("", "v1.2.3", "1.2", "1.2.3; ls"):
        refuse(repository, version, f"VERSION must be like 1.2.3 or 1.2.3rc1, got {version!r}.")
    git(repository, "tag", "v1.2.3")
    exists = "The tag v1.2.3 must not exist yet. Choose a later version."
    refuse(repository, "1.2.3", exists)
    git(repository, "tag", "v1.2.10rc2")
    git(repository, "tag", "version-9")
    for version in ("1.2.4", "1.2.9", "1.2.10rc1", "1.2.10b3", "0.9.0"):
        late = f"VERSION must be later than 1.2.10rc2, the last release, got {version!r}."
        refuse(repository, version, late)
    readme = repository / "README.md"
    text = readme.read_text("utf-8")
    readme.write_text(f"{text}It is {UNPUBLISHED}.\n", "utf-8")
    commit(repository)
    first = f"README.md must not say '{UNPUBLISHED}'. CONTRIBUTING.md has what comes first."
    refuse(repository, "1.2.10", first)
    readme.write_text(text, "utf-8")
    commit(repository)
    dirty = "The working tree must be clean. Commit what is new, or put it away."
    (repository / "new.txt").write_text("new")
    refuse(repository, "1.2.10", dirty)
    commit(repository)
    empty = "CHANGELOG.md must have a section '## NAME (unreleased)' that says what is new."
    for text in (
        "## Next (unreleased)\n\n## 1.2.3 (2026-01-01)\n\n- Old.\n",
        "## 1.2.3\n\n- Old.\n",
    ):
        (repository / "CHANGELOG.md").write_text(text)
        commit(repository)
        refuse(repository, "1.2.10", empty)


def test_a_release_that_cannot_be_built_leaves_nothing(repository):
    project = repository / "pyproject.toml"
    project.write_text(project.read_text("utf-8").replace('">=3.11"', '"none"'), "utf-8")
    commit(repository)
    head = git(repository, "rev-parse", "HEAD")
    done, _ = run_tool(repository, "1.2.3")
    assert done.returncode != 0
    assert "requires-python" in done.stderr
    assert git(repository, "rev-parse", "HEAD") == head
    assert (git(repository, "status", "--porcelain"), git(repository, "tag")) == ("", "")


def test_the_version_is_in_one_place():
    """So that `make release` changes it everywhere."""
    for path in [*(ROOT / "src").rglob("*.py"), ROOT / "CITATION.cff", ROOT / "action.yml"]:
        assert not re.search(
            r"^(__)?version(__)? *[=:] *[\"\d]", path.read_text("utf-8"), re.MULTILINE
        )


def test_pythons():
    """Those that are promised are those that are tested, from the oldest on."""
    jobs = yaml.safe_load((WORKFLOWS / "check.yml").read_text("utf-8"))["jobs"]
    tested = jobs["test"]["strategy"]["matrix"]["python"]
    prefix = "Programming Language :: Python :: "
    promised = [name.removeprefix(prefix) for name in PROJECT["classifiers"] if prefix in name]
    assert promised == ["3", *tested]
    assert PROJECT["requires-python"] == f">={tested[0]}"
    assert jobs["test"]["strategy"]["matrix"]["os"] == [
        f"{system}-latest" for system in ("ubuntu", "macos", "windows")
    ]


@pytest.mark.parametrize("path", sorted(WORKFLOWS.iterdir()), ids=lambda path: path.name)
def test_workflows_ask_for_what_is_there(path):
    """Each target of make exists; a job may write nothing but what PyPI asks for."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert job.get("permissions", {}) == ({"id-token": "write"} if name == "publish" else {})
        runs = [step["run"] for step in job["steps"] if "run" in step]
        asked = {word for run in runs if run.startswith("make ") for word in run.split()[1:]}
        assert asked <= targets
