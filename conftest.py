"""README and docs run as tests, in a folder that holds what they speak of."""

import shutil

import pytest


@pytest.fixture(scope="session")
def demo_files(tmp_path_factory):
    from matchbound.demo import demo

    folder = tmp_path_factory.mktemp("demo")
    demo(folder)
    return folder


@pytest.fixture(autouse=True)
def _documents_find_their_files(request, tmp_path, monkeypatch, doctest_namespace):
    if request.node.path.suffix != ".md":
        return
    files = request.getfixturevalue("demo_files")
    for name in ("people.csv", "holdout.csv", "complete.csv"):
        shutil.copy(files / name, tmp_path)
    monkeypatch.chdir(tmp_path)

    def verify_matches(audit):
        shutil.copy(files / "labels.csv", audit)

    doctest_namespace["verify_matches"] = verify_matches
