"""Docs run as tests, in a folder that holds what they speak of; README by tests/test_readme.py.

`MATCHBOUND_NO_FCNTL=1` makes `fcntl` unimportable, as on Windows, here and in child processes.
"""

import os
import shutil
import sys
from functools import partial
from pathlib import Path

import pytest

collect_ignore = [
    "tests/support/no_fcntl",  # importing it takes `fcntl` away
    "tests/certificates/version1/make_folders.py",  # it runs with version 1 alone
]

if os.environ.get("MATCHBOUND_NO_FCNTL"):
    blocker = str(Path(__file__).parent / "tests" / "support" / "no_fcntl")
    if sys.modules.get("fcntl", sys) is not None:  # else pytest-xdist started this process so
        os.environ["PYTHONPATH"] = os.pathsep.join(
            [blocker, *filter(None, [os.environ.get("PYTHONPATH")])]
        )
        sys.path.insert(0, blocker)
        sys.modules.pop("sitecustomize", None)
        import sitecustomize  # noqa: F401
    assert sys.modules["fcntl"] is None


@pytest.fixture(scope="session")
def demo_files(tmp_path_factory):
    from matchbound.commands.demo import demo

    folder = tmp_path_factory.mktemp("demo")
    demo(folder)
    return folder


@pytest.fixture(scope="session")
def network_files(tmp_path_factory):
    """Two views of one network, its nodes, and who is who."""
    from support.audits import write_csv
    from support.networks import erdos_renyi, made

    folder = tmp_path_factory.mktemp("networks")
    pair = made(erdos_renyi, 3000, seed=2026, degree=14, keep=0.7)
    truth = [(f"u{x}", f"v{y}") for x, y in pair.truth]
    write_csv(folder / "left.csv", ["src", "dst"], [(f"u{a}", f"u{b}") for a, b in pair.left])
    write_csv(folder / "right.csv", ["src", "dst"], [(f"v{a}", f"v{b}") for a, b in pair.right])
    write_csv(folder / "nodes.csv", ["id"], [[x] for x, _ in truth])
    write_csv(folder / "truth.csv", ["x", "y"], truth)
    return folder


@pytest.fixture(scope="session")
def forks():
    """A process with everything imported, which runs jobs in forked children."""
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    from support.forks import Forks

    with Forks() as process:
        yield process


@pytest.fixture(scope="session")
def misfits():
    """What was made in this process that does not fit its schema."""
    from support.schemas import watch

    found = []
    watch(found.append)
    return found


@pytest.fixture(autouse=True)
def _what_is_made_fits_its_schema(misfits):
    """Every certificate, draw.json and entry of a ledger, in memory or on disk."""
    yield
    found = misfits.copy()
    misfits.clear()
    assert not found


@pytest.fixture
def tampering(misfits):
    """For a test that makes what does not fit on purpose."""
    yield
    misfits.clear()


@pytest.fixture(autouse=True)
def _documents_find_their_files(request, tmp_path, monkeypatch, doctest_namespace):
    if request.node.path.suffix != ".md":
        return
    files = request.getfixturevalue("demo_files")
    for name in ("people.csv", "holdout.csv", "complete.csv"):
        shutil.copy(files / name, tmp_path)
    monkeypatch.chdir(tmp_path)

    def verify_matches(audit):
        """Label every node drawn so far, as the demo knows the truth."""
        from support.audits import read_csv, write_csv

        drawn = {row[0] for row in read_csv(f"{audit}/sample.csv")}
        rows = [row for row in read_csv(files / "labels.csv") if row[0] in drawn]
        write_csv(f"{audit}/labels.csv", ["x", "y"], rows)

    doctest_namespace["verify_matches"] = verify_matches
    if request.node.path.name == "gate.md":  # its draw's seed is matchbound's, and always the same
        monkeypatch.setattr("secrets.token_hex", lambda size: "demo")
    if request.node.path.name == "match.md":
        from matchbound.examples import write_example

        write_example("people", tmp_path, force=True)
    if request.node.path.name == "reconcile.md":
        networks = request.getfixturevalue("network_files")
        for name in ("left.csv", "right.csv", "nodes.csv"):
            shutil.copy(networks / name, tmp_path)
        doctest_namespace["verify_nodes"] = partial(_label, networks / "truth.csv")


def _label(truth, audit):
    from support.audits import read_csv, write_csv

    partner = dict(read_csv(truth))
    drawn = [row[0] for row in read_csv(f"{audit}/sample.csv")]
    write_csv(f"{audit}/labels.csv", ["x", "y"], [(x, partner[x]) for x in drawn])
