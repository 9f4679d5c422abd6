"""The rules of the house (docs/code.md), read from the sources: what stands where it must not."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = ("__init__", "__main__", "compiled", "errors", "files", "reprs", "testing")
SHARED = ("compiled", "errors", "files", "reprs")
OUTSIDE = ("__init__", "__main__", "testing")
"""Modules of the root that users name, and that see the whole house: `testing` imports what the
door shows, as a user's test would."""
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
    "examples",
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
    "argparse": "commands",
    "duckdb": "engines",
    "fcntl": "files",
    "filelock": "files",
    "numba": "compiled",
    "pyspark": "engines",
    "starlette": "desk",
    "uvicorn": "desk",
}
"""Libraries that one room, or one module, imports."""
AT_USE = ("duckdb", "numba", "pandas", "pyarrow", "starlette", "uvicorn")
"""Libraries that take long to load, or are not always there: imported inside functions, or by
modules that are themselves imported inside functions."""
LOADED_AT_USE = (
    "desk.connections",
    "desk.requests",
    "desk.search",
    "engines.duckdb",
    "engines.spark",
    "engines.spark_frames",
    "engines.spark_session",
)
WRITING = ("write_text", "write_bytes", "unlink", "rename", "replace", "touch", "truncate", "fsync")
"""Methods and functions that change a file, which `files` alone calls."""
TERMINAL = ("print", "input", "sys.exit")

Texts = Mapping[str, str]
"""The sources of the package by dotted name, from the package on: `tables.outputs`."""


def read_package(package: Path) -> dict[str, str]:
    return {
        path.relative_to(package).with_suffix("").as_posix().replace("/", "."): path.read_text(
            "utf-8"
        )
        for path in sorted(package.rglob("*.py"))
    }


@dataclass(frozen=True)
class Import:
    """An import, lazy and type-only ones too; `target` is a module of ours or a library."""

    module: str
    target: str
    ours: bool
    at_top: bool
    line: int

    def __str__(self) -> str:
        return f"{self.module} line {self.line} imports {self.target}"


def problems(texts: Texts) -> list[str]:
    """Every line that is not at home where it stands."""
    imports = [one for name in texts for one in imports_of(name, texts)]
    return [
        *_strangers(texts),
        *_upwards(imports),
        *_past_doors(imports),
        *_cycles(imports, texts),
        *_doors_with_logic(texts),
        *_libraries(imports),
        *_deeds(texts),
    ]


@cache
def _nodes(text: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(text)))


def room_of(module: str) -> str:
    """The room, or of a module in the root its own name."""
    return module.partition(".")[0]


def imports_of(name: str, texts: Texts) -> Iterator[Import]:
    for node in _nodes(texts[name]):
        if isinstance(node, ast.Import):
            pairs = [(alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name} has a relative import"
            pairs = [(node.module or "", tuple(alias.name for alias in node.names))]
        else:
            continue
        for target, names in pairs:
            package, _, inner = target.partition(".")
            top = node.col_offset == 0
            if package != "matchbound":
                yield Import(name, package, False, top, node.lineno)
                continue
            for module in sorted(_modules(inner, names, texts)):
                yield Import(name, module, True, top, node.lineno)


def _modules(inner: str, names: tuple[str, ...], texts: Texts) -> Iterable[str]:
    """The modules that `from matchbound.<inner> import <names>` loads."""
    door = texts.get(f"{inner}.__init__")
    shown = _names_in(door) if door is not None else set()
    for name in names or ("",):
        longer = f"{inner}.{name}".strip(".")
        is_module = longer in texts or f"{longer}.__init__" in texts
        if is_module and name not in shown:  # a door's function may have a module's name
            yield longer
        else:
            yield inner or "__init__"


def _names_in(door: str) -> set[str]:
    lines = [node for node in _nodes(door) if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in lines for alias in node.names}


def _strangers(texts: Texts) -> Iterator[str]:
    for name in texts:
        if "." not in name and name not in ROOT:
            yield f"{name} is no module of the root"
        if "." in name and room_of(name) not in ORDER:
            yield f"{name} is in no room"
    for room in ORDER:
        if f"{room}.__init__" not in texts:
            yield f"{room} has no door"


def _upwards(imports: Iterable[Import]) -> Iterator[str]:
    for one in imports:
        here, there = room_of(one.module), room_of(one.target)
        if not one.ours or here == there or there in SHARED or here in OUTSIDE:
            continue
        if here not in ORDER or there not in SEES.get(here, ORDER[: ORDER.index(here)]):
            yield f"{one}, which it may not see"


def _past_doors(imports: Iterable[Import]) -> Iterator[str]:
    """From another room through its door; `commands` and the root's table name modules at use."""
    for one in imports:
        here, there = room_of(one.module), room_of(one.target)
        if not one.ours or here == there or "." not in one.target or here == "__init__":
            continue
        if here != "__main__" and (here != "commands" or one.at_top):
            yield f"{one}, past the door"


def _cycles(imports: Iterable[Import], texts: Texts) -> Iterator[str]:
    graph = defaultdict(set)
    for one in imports:
        if one.ours and one.module != "__init__":
            door = f"{one.target}.__init__"
            graph[one.module].add(door if door in texts else one.target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield f"modules import each other: {' → '.join(error.args[1])}"


def _doors_with_logic(texts: Texts) -> Iterator[str]:
    for name in texts:
        if not name.endswith(".__init__"):
            continue
        for node in ast.parse(texts[name]).body:
            is_list = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if not (is_list or is_docstring or isinstance(node, ast.Import | ast.ImportFrom)):
                yield f"{name} line {node.lineno} has logic"


def _libraries(imports: Iterable[Import]) -> Iterator[str]:
    for one in imports:
        if one.ours:
            continue
        if one.target in ONLY and room_of(one.module) != ONLY[one.target]:
            yield f"{one}, which is for {ONLY[one.target]} alone"
        if one.target in AT_USE and one.at_top and one.module not in (*LOADED_AT_USE, "compiled"):
            yield f"{one} at its top, not at use"


def _deeds(texts: Texts) -> Iterator[str]:
    """What only `files` does to files, and only `commands` with a terminal."""
    for name, text in texts.items():
        for node in _nodes(text):
            if not isinstance(node, ast.Call):
                continue
            where, called = f"{name} line {node.lineno}", ast.unparse(node.func)
            if called in TERMINAL and room_of(name) not in ("commands", "__main__"):
                yield f"{where} calls {called}, which is for commands alone"
            if name != "files" and _writes(node, called):
                yield f"{where} calls {called}, which is for files alone"


def _writes(node: ast.Call, called: str) -> bool:
    owner, _, method = called.rpartition(".")
    if method in ("open", "fdopen"):
        words = [*node.args, *(word.value for word in node.keywords if word.arg == "mode")]
        modes = [word.value for word in words if isinstance(word, ast.Constant)]
        return any(isinstance(mode, str) and _is_writing(mode) for mode in modes)
    if method == "replace":  # of a path: a text's takes two arguments, a date's keywords
        return owner in ("os", "shutil") or (len(node.args) == 1 and not node.keywords)
    return method in WRITING


def _is_writing(mode: str) -> bool:
    return bool(mode) and set(mode) <= set("rwaxbt+") and bool(set(mode) & set("wax+"))


LINES, PARAMETERS = 60, 10


def large_functions(texts: Texts, doors: Iterable[str]) -> Iterator[str]:
    """Functions of more lines or parameters than a reader holds; doors and kernels left out."""
    for name, text in texts.items():
        if name.rpartition(".")[2].startswith("_"):
            continue  # compiled kernels take arrays one by one
        for node in _nodes(text):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name in doors:
                continue
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            parameters = ast.unparse(node.args).count(":")  # all have a type but `self`
            if lines > LINES or parameters > PARAMETERS:
                yield f"{name}.{node.name} has {lines} lines and {parameters} parameters"
