"""The trace counts what runs, and no more."""

import importlib
import sys

import pytest

from support.trace import Journey, joined, traced

FILES = {
    "__init__.py": "",
    "root.py": "def helper(): pass\n",
    "near/__init__.py": "",
    "near/own.py": """
from house import root
from house.far import one, two, unused
from house.near import beside

def run():
    one.work(); two.work(); root.helper(); one.work(); beside.work()
    late()

def late():
    from house.far import loaded
    beside.work()
""",
    "near/beside.py": "from house.other import place\ndef work(): place.work()\n",
    "far/__init__.py": "",
    "far/one.py": "from house.other import place\ndef work(): place.work()\n",
    "far/two.py": "def work(): pass\n",
    "far/unused.py": "def work(): pass\n",
    "far/loaded.py": "def decorate(function): return function\n@decorate\ndef work(): pass\n",
    "other/__init__.py": "",
    "other/place.py": "def work(): return [x for x in [1]]\n",
}


@pytest.fixture
def house(tmp_path, monkeypatch):
    for name, text in FILES.items():
        path = tmp_path / "house" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "house"
    for name in [name for name in sys.modules if name.partition(".")[0] == "house"]:
        del sys.modules[name]


def test_modules_count_if_a_function_of_theirs_runs(house):
    own = importlib.import_module("house.near.own")
    journey = traced("near.own", own.run, house)
    assert journey.modules == (
        "near.own",
        "far.one",
        "other.place",
        "far.two",
        "root",
        "near.beside",
    )
    assert journey.rooms == ("near", "far", "other")
    assert journey.visits == ("far",)  # what a module beside it calls is that module's visit
    assert journey.returns == 0


def test_neighbours_are_joined_and_what_all_may_use_is_left_out():
    rooms = ["audits", "audits", "", "engines", "audits", "own", "tables", "commands", "audits"]
    assert joined(rooms, "own") == ("audits", "tables", "audits")
    assert Journey((), ("audits", "tables", "audits", "tallies", "audits")).returns == 2


def test_the_profiler_is_taken_away_after_an_error(house):
    with pytest.raises(ZeroDivisionError):
        traced("near.own", lambda: 1 / 0, house)
    assert sys.getprofile() is None
