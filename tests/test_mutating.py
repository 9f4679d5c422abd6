"""The mutants that `make mutants` tries are small faults, and all of them."""

import ast

from support.mutants import PACKAGE, equivalent, modules
from support.mutating import mutants_of

SOURCE = '''
"""A text."""

__all__ = ["share"]
LIMIT = 0.5


def share(k: int, n: int = 1 | 2, flag: bool = True) -> float:
    """Not 2 + 2."""
    assert k >= 0
    if flag and not k < n:  # a note
        raise ValueError(f"{k + 1} is too much" + "!")
    check(k)
    return max(0.0, -k / (n + 12))
'''


def faults(text=SOURCE):
    return {mutant.after for mutant in mutants_of("m.py", text)}


def test_each_place_is_changed_and_no_text():
    assert faults() == {
        "LIMIT = 1.0",
        "def share(k: int, n: int = 1 & 2, flag: bool = True) -> float:",
        "def share(k: int, n: int = 0 | 2, flag: bool = True) -> float:",
        "def share(k: int, n: int = 2 | 2, flag: bool = True) -> float:",
        "def share(k: int, n: int = 1 | 1, flag: bool = True) -> float:",
        "def share(k: int, n: int = 1 | 3, flag: bool = True) -> float:",
        "def share(k: int, n: int = 1 | 2, flag: bool = False) -> float:",
        "if flag or not k < n:",
        "if flag and k < n:",
        "if flag and not k <= n:",
        "pass",
        "return min(0.0, -k / (n + 12))",
        "return (-k / (n + 12))",
        "return max(1.0, -k / (n + 12))",
        "return max(0.0, k / (n + 12))",
        "return max(0.0, -k * (n + 12))",
        "return max(0.0, -k / (n - 12))",
        "return max(0.0, -k / (n + 24))",
    }


def test_brackets_comments_and_greek_letters():
    assert faults("δ = -(a + b)  # μ\n") == {"δ = (a + b)", "δ = -(a - b)"}
    text = "x = 'ε' if not (a) else f(\n    1.0,\n)\n"
    assert faults(text) == {"x = 'ε' if (a) else f(", "2.0,"}


def test_every_mutant_of_the_package_is_another_program():
    for path in modules([]):
        text = (PACKAGE / path).read_text("utf-8")
        original = ast.dump(ast.parse(text))
        for mutant in mutants_of(path, text)[::40]:
            assert ast.dump(ast.parse(mutant.text)) != original, mutant.key


def test_equivalent_mutants_are_mutants():
    """One that a change made impossible is taken off the list, with its reason."""
    made = {m.key for p in modules([]) for m in mutants_of(p, (PACKAGE / p).read_text("utf-8"))}
    assert equivalent() <= made
