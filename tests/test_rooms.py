"""The house of docs/code.md, read from the sources: one order of rooms, and what one alone does."""

import ast
import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import matchbound

PACKAGE = Path(matchbound.__file__).parent
ROOT = ("__init__", "__main__", "compiled", "errors", "files")
SHARED = ("compiled", "errors", "files")
ORDER = (
    "bounds",
    "theorems",
    "charts",
    "engines",
    "tables",
    "matchers",
    "tallies",
    "audits",
    "certificates",
    "plans",
    "reports",
    "desk",
    "commands",
)
SEES = {
    "bounds": (),
    "charts": (),
    "engines": (),
    "theorems": ("bounds",),
    "tables": ("engines",),
    "matchers": ("engines", "tables"),
}
"""The rooms that see less than all earlier ones."""
ONLY = {
    "duckdb": "engines",
    "pyspark": "engines",
    "starlette": "desk",
    "uvicorn": "desk",
    "numba": "compiled",
    "filelock": "files",
    "argparse": "commands",
}
"""Libraries that one room, or one module, imports."""
AT_USE = ("duckdb", "pyarrow", "numba", "starlette", "uvicorn")
"""Libraries that take long to load, or are not always there: imported inside functions, but by the
modules that a room itself loads at use."""
LOADED_AT_USE = (
    "desk.requests",
    "desk.search",
    "engines.duckdb",
    "engines.spark",
    "engines.spark_frames",
    "engines.spark_session",
)
WRITING = ("write_text", "write_bytes", "unlink", "rename", "replace", "touch", "truncate", "fsync")
"""Methods and functions that change a file, and which `files` alone calls."""


@dataclass(frozen=True)
class Import:
    module: str
    """Dotted, from the package on: `tables.outputs`."""
    target: str
    """What is imported: a dotted module of ours, or another package's name."""
    ours: bool
    at_top: bool
    line: int

    def __str__(self) -> str:
        return f"{self.module} line {self.line} imports {self.target}"


@pytest.fixture
def copy(tmp_path):
    package = tmp_path / "matchbound"
    for path in _files(PACKAGE):
        place = package / path.relative_to(PACKAGE)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    return package


def test_every_line_is_at_home():
    assert problems(PACKAGE) == []


@pytest.mark.parametrize(
    ("module", "elsewhere"),
    [
        ("bounds/star.py", "theorems/star.py"),
        ("theorems/nodes.py", "bounds/nodes.py"),
        ("tables/truth.py", "engines/truth.py"),
        ("tallies/counts.py", "tables/counts.py"),
        ("audits/ledger.py", "certificates/ledger.py"),
        ("certificates/words.py", "audits/words.py"),
        ("reports/page.py", "plans/page.py"),
        ("desk/server.py", "certificates/server.py"),
        ("audits/draw.py", "draw.py"),
        ("tables/ids.py", "lists/ids.py"),
    ],
)
def test_a_module_in_the_wrong_room_is_named(copy, module, elsewhere):
    (copy / elsewhere).parent.mkdir(exist_ok=True)
    (copy / module).rename(copy / elsewhere)
    before, after = (name[:-3].replace("/", ".") for name in (module, elsewhere))
    for path in copy.rglob("*.py"):  # as whoever moves it would
        text = path.read_text("utf-8")
        path.write_text(text.replace(f"matchbound.{before} ", f"matchbound.{after} "), "utf-8")
    assert set(problems(copy)) - set(problems(PACKAGE))


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("bounds/star.py", "from matchbound.theorems import Tally"),
        ("theorems/nodes.py", "def late():\n    from matchbound.plans import plan"),
        ("theorems/nodes.py", "from matchbound.bounds.star import star_rejects"),
        ("tables/ids.py", "if TYPE_CHECKING:\n    from matchbound.audits import Draw"),
        ("tables/forms.py", "import matchbound.tables.truth"),
        ("tables/__init__.py", "VALUE = 1"),
        ("audits/draw.py", "import duckdb"),
        ("audits/draw.py", "print('drawn')"),
        ("audits/draw.py", "Path('x').write_text('y')"),
        ("audits/draw.py", "open('x', mode='w')"),
        ("certificates/words.py", "from numba import njit"),
    ],
)
def test_a_line_that_is_not_at_home_is_named(copy, module, line):
    path = copy / module
    path.write_text(path.read_text("utf-8") + f"\n{line}\n", "utf-8")
    assert set(problems(copy)) - set(problems(PACKAGE))


def problems(package: Path) -> list[str]:
    """Every line that is not at home where it stands."""
    trees = {_name(path, package): _parsed(path.read_text("utf-8")) for path in _files(package)}
    imports = [one for name, tree in trees.items() for one in imports_of(name, tree, trees)]
    return [
        *_strangers(package),
        *_upwards(imports),
        *_past_doors(imports, trees),
        *_cycles(imports, trees),
        *_doors_with_logic(trees),
        *_libraries(imports),
        *_own_deeds(trees),
    ]


@cache
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


def _files(package: Path) -> list[Path]:
    return sorted(package.rglob("*.py"))


def _name(path: Path, package: Path) -> str:
    return path.relative_to(package).with_suffix("").as_posix().replace("/", ".")


def room_of(module: str) -> str:
    """The room, or of a module in the root its own name."""
    return module.partition(".")[0]


def imports_of(name: str, tree: ast.Module, modules: dict[str, ast.Module]) -> Iterator[Import]:
    """All imports, lazy and type-only ones too; names of our modules are resolved."""
    top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            pairs = [(alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} has a relative import"
            pairs = [(node.module or "", tuple(alias.name for alias in node.names))]
        else:
            continue
        for target, names in pairs:
            package, _, inner = target.partition(".")
            if package != "matchbound":
                yield Import(name, package, False, id(node) in top, node.lineno)
                continue
            for wanted in _resolved(inner, names, modules):
                yield Import(name, wanted, True, id(node) in top, node.lineno)


def _resolved(inner: str, names: tuple[str, ...], modules: dict[str, ast.Module]) -> set[str]:
    found = set()
    door = modules.get(f"{inner}.__init__")
    shown = _names_imported(door) if door is not None else set()
    for name in names or ("",):
        longer = f"{inner}.{name}".strip(".")
        is_module = longer in modules or f"{longer}.__init__" in modules
        is_module = is_module and name not in shown  # a door's function may have a module's name
        found.add(longer if is_module else inner or "__init__")
    return found


def _names_imported(door: ast.Module) -> set[str]:
    lines = [node for node in door.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in lines for alias in node.names}


def _strangers(package: Path) -> Iterator[str]:
    for path in _files(package):
        room, *rest = path.relative_to(package).parts
        if not rest and path.stem not in ROOT:
            yield f"{room} is no module of the root"
        if rest and room not in ORDER:
            yield f"{room} is no room"
    for room in ORDER:
        if not (package / room / "__init__.py").exists():
            yield f"{room} has no door"


def _upwards(imports: list[Import]) -> Iterator[str]:
    for one in imports:
        here, there = room_of(one.module), room_of(one.target)
        if not one.ours or here == there or there in SHARED or here in ("__init__", "__main__"):
            continue
        if there == "__init__" or here not in ORDER:
            yield f"{one}, which is later"
        elif there not in SEES.get(here, ORDER[: ORDER.index(here)]):
            yield f"{one}, which it may not see"


def _past_doors(imports: list[Import], trees: dict[str, ast.Module]) -> Iterator[str]:
    """From another room through its door; `commands` and the root's table name modules at use."""
    for one in imports:
        here, there = room_of(one.module), room_of(one.target)
        inside = "." in one.target and not one.target.endswith("__init__")
        if not one.ours or here == there or not inside or here == "__init__":
            continue
        if here in ("commands", "__main__") and not one.at_top:
            continue
        yield f"{one}, past the door"


def _cycles(imports: list[Import], trees: dict[str, ast.Module]) -> Iterator[str]:
    graph = defaultdict(set)
    for one in imports:
        if one.ours and one.module != "__init__":
            door = f"{one.target}.__init__"
            graph[one.module].add(door if door in trees else one.target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield f"modules import each other: {' → '.join(error.args[1])}"


def _doors_with_logic(trees: dict[str, ast.Module]) -> Iterator[str]:
    for name, tree in trees.items():
        if not name.endswith(".__init__"):
            continue
        for node in tree.body:
            is_list = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            is_doc = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if not (is_list or is_doc or isinstance(node, ast.Import | ast.ImportFrom)):
                yield f"{name} line {node.lineno} has logic"


def _libraries(imports: list[Import]) -> Iterator[str]:
    for one in imports:
        if one.ours:
            continue
        if one.target in ONLY and room_of(one.module) != ONLY[one.target]:
            yield f"{one}, which is for {ONLY[one.target]} alone"
        slow = one.target in AT_USE and one.at_top
        if slow and room_of(one.module) != "compiled" and one.module not in LOADED_AT_USE:
            yield f"{one} at its top, not at use"


def _own_deeds(trees: dict[str, ast.Module]) -> Iterator[str]:
    """What only `files` does to files, and only `commands` with a terminal."""
    for name, tree in trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            where, called = f"{name} line {node.lineno}", ast.unparse(node.func)
            if called in ("print", "sys.exit", "input") and room_of(name) != "commands":
                yield f"{where} calls {called}, which is for commands alone"
            if name != "files" and _writes(node, called):
                yield f"{where} calls {called}, which is for files alone"


def _writes(node: ast.Call, called: str) -> bool:
    owner, _, method = called.rpartition(".")
    if method in ("open", "fdopen") or called == "open":
        given = [*node.args, *(word.value for word in node.keywords if word.arg == "mode")]
        modes = [value.value for value in given if isinstance(value, ast.Constant)]
        return any(
            isinstance(mode, str) and set(mode) & set("wax+") == set(mode) - set("bt") and mode
            for mode in modes
        )
    if method == "replace":
        return owner in ("os", "shutil") or (len(node.args) == 1 and not node.keywords)
    return method in WRITING
