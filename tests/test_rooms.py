"""Every line of the package is at home in its room, and whatever is not is named."""

import re
from pathlib import Path

import pytest

import matchbound
from support.rooms import large_functions, problems, read_package

TEXTS = read_package(Path(matchbound.__file__).parent)
DOORS = {*matchbound.__all__, "dry_run", "write_reconciled"}
UNTYPED = 25


def test_every_line_is_at_home():
    assert problems(TEXTS) == []


@pytest.mark.parametrize(
    ("module", "elsewhere"),
    [
        ("bounds.star", "theorems.star"),
        ("theorems.nodes", "bounds.nodes"),
        ("tables.truth", "engines.truth"),
        ("tallies.counts", "tables.counts"),
        ("audits.ledger", "certificates.ledger"),
        ("certificates.words", "audits.words"),
        ("reports.page", "plans.page"),
        ("desk.server", "certificates.server"),
        ("audits.draw", "draw"),
        ("tables.ids", "lists.ids"),
    ],
)
def test_a_module_in_the_wrong_room_is_named(module, elsewhere):
    moved = {
        elsewhere if name == module else name: text.replace(
            f"matchbound.{module} ", f"matchbound.{elsewhere} "
        )
        for name, text in TEXTS.items()
    }
    assert len(moved) == len(TEXTS)
    assert problems(moved)


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("bounds.star", "from matchbound.theorems import Tally"),
        ("theorems.nodes", "def late():\n    from matchbound.plans import plan"),
        ("theorems.nodes", "from matchbound.bounds.star import star_rejects"),
        ("tables.ids", "if TYPE_CHECKING:\n    from matchbound.audits import Draw"),
        ("tables.forms", "import matchbound.tables.truth"),
        ("tables.__init__", "VALUE = 1"),
        ("audits.draw", "import duckdb"),
        ("audits.draw", "import pyarrow"),
        ("audits.draw", "print('drawn')"),
        ("audits.draw", "Path('x').write_text('y')"),
        ("audits.draw", "open('x', mode='w')"),
        ("audits.draw", "Path('x').replace('y')"),
        ("certificates.words", "def late():\n    from numba import njit"),
    ],
)
def test_a_line_that_is_not_at_home_is_named(module, line):
    assert problems({**TEXTS, module: f"{TEXTS[module]}\n{line}\n"})


def test_functions_are_small():
    assert list(large_functions(TEXTS, DOORS)) == []
    many = "def many(" + ", ".join(f"a{i}: int" for i in range(11)) + "): ..."
    long = "def long():\n" + "    pass\n" * 60
    for text in (many, long):
        assert list(large_functions({"audits.draw": text}, DOORS))


def test_untyped_values_stand_at_the_edges():
    found = {
        name: len(re.findall(r"(?:dict|Mapping)\[str, Any\]", text)) for name, text in TEXTS.items()
    }
    assert sum(found.values()) <= UNTYPED, {name: n for name, n in found.items() if n}
