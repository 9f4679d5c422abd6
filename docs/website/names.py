"""The reference of Python, made from the public names, their signatures and docstrings."""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import matchbound
from matchbound import bounds, errors, matchers, testing
from website.markdown import block, code, prose, table

WIDTH = 84
"""Signatures longer than this have a line for each parameter."""


def pages() -> dict[str, str]:
    """The pages of the functions, values, modules and errors, by path."""
    public = {name: getattr(matchbound, name) for name in matchbound.__all__}
    functions = {name: value for name, value in public.items() if inspect.isfunction(value)}
    classes = {name: value for name, value in public.items() if inspect.isclass(value)}
    values = {name: value for name, value in classes.items() if not _is_error(value)}
    return {
        "reference/python/functions.md": _page(
            "Functions", "`import matchbound as mb`, then `mb.certify(…)`.", functions
        ),
        "reference/python/values.md": _page(
            "Values", "What the functions take and return. All are frozen.", values
        ),
        "reference/python/bounds.md": _page("matchbound.bounds", *_of_module(bounds)),
        "reference/python/matchers.md": _page("matchbound.matchers", *_of_module(matchers)),
        "reference/python/testing.md": _page("matchbound.testing", *_of_module(testing)),
        "reference/python/errors.md": _page(
            "Errors",
            "Every message is one sentence that names what is wrong, and the way out. The command "
            "line prints it after `matchbound:` and ends with status 2 (1 for `UnfinishedError`).",
            {name: error for name, error in error_classes() if _is_error(error)},
        ),
    }


def error_classes() -> Iterator[tuple[str, type]]:
    """Every class of error that matchbound has: those of its module, then of others."""
    root = Path(matchbound.__file__).parent
    for path in [root / "errors.py", *sorted(root.rglob("*.py"))]:
        if found := re.findall(
            r"^class (\w+Error)\(\w*(?:Error|Exception)\b", path.read_text("utf-8"), re.M
        ):
            parts = path.relative_to(root.parent).with_suffix("").parts
            module = importlib.import_module(".".join(parts))
            yield from ((name, getattr(module, name)) for name in found)


def names_of(module: ModuleType) -> list[str]:
    """The public names of a module: as it lists them, or else what it defines itself."""
    if hasattr(module, "__all__"):
        return list(module.__all__)
    own = {name for name, value in vars(module).items() if _home(value) == module.__name__}
    return sorted(name for name in own if not name.startswith("_"))


def _home(value: Any) -> str:
    return str(getattr(value, "__module__", ""))


def _is_error(value: type) -> bool:
    return issubclass(value, errors.MatchboundError)


def _of_module(module: ModuleType) -> tuple[str, dict[str, Any]]:
    return inspect.getdoc(module) or "", {name: getattr(module, name) for name in names_of(module)}


def _page(title: str, line: str, members: dict[str, Any]) -> str:
    parts = [f"# {title}", line]
    for name, value in members.items():
        parts += [f"## {name}", *_entry(name, value)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _entry(name: str, value: Any) -> list[str]:
    if inspect.isfunction(value):
        return [block(_signature(value), "python"), prose(inspect.getdoc(value) or "")]
    if inspect.isclass(value):
        return _class(value)
    return [_table_of(value)]


def _class(value: type) -> list[str]:
    parents = ", ".join(base.__name__ for base in value.__bases__ if base is not object)
    head = f"class {value.__name__}({parents})" if parents else f"class {value.__name__}"
    parts = [block(head, "python"), prose(inspect.getdoc(value) or "")]
    if _is_error(value):
        return parts
    for title, rows in (("field", _fields(value)), ("property", _properties(value))):
        if rows:
            parts.append(table([title, "type" if title == "field" else "meaning"], rows))
    for name, method in _methods(value):
        parts += [f"### {value.__name__}.{name}", block(_signature(method), "python")]
        parts += filter(None, [prose(inspect.getdoc(method) or "")])
    return parts


def _fields(value: type) -> list[tuple[str, str]]:
    if not is_dataclass(value):
        return []
    return [(code(field.name), code(_type(field.type))) for field in fields(value)]


def _type(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b[a-z_]+\.(?:[a-z_]+\.)*(?=[A-Za-z])", "", text.strip("\"'"))


def _properties(value: type) -> list[tuple[str, str]]:
    return [
        (code(name), prose((inspect.getdoc(member) or "").split("\n\n")[0]))
        for name, member in vars(value).items()
        if isinstance(member, property | cached_property) and not name.startswith("_")
    ]


def _methods(value: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, member in vars(value).items():
        function = getattr(member, "__func__", member)
        if inspect.isfunction(function) and not name.startswith("_"):
            yield name, function


def _signature(function: Callable[..., Any]) -> str:
    """The signature as the source has it, without default functions' code."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    for node in ast.walk(tree.args):
        if isinstance(node, ast.arg) and isinstance(node.annotation, ast.Constant):
            node.annotation = ast.parse(str(node.annotation.value), mode="eval").body
    returned = f" -> {_type(ast.unparse(tree.returns))}" if tree.returns else ""
    text = f"{tree.name}({ast.unparse(tree.args)}){returned}"
    if len(text) <= WIDTH:
        return text
    return f"{tree.name}(\n{_lines(tree.args)}){returned}"


def _lines(arguments: ast.arguments) -> str:
    """A line for each parameter."""
    text = ""
    before = [None] * (len(arguments.args) - len(arguments.defaults)) + [*arguments.defaults]
    for parameter, default in zip(arguments.args, before, strict=True):
        text += f"    {_parameter(parameter, default)},\n"
    if arguments.vararg or arguments.kwonlyargs:
        text += f"    *{ast.unparse(arguments.vararg) if arguments.vararg else ''},\n"
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        text += f"    {_parameter(parameter, default)},\n"
    if arguments.kwarg:
        text += f"    **{ast.unparse(arguments.kwarg)},\n"
    return text


def _parameter(parameter: ast.arg, default: ast.expr | None) -> str:
    shown = ast.unparse(parameter)
    if default is None:
        return shown
    value = "…" if isinstance(default, ast.Lambda) else ast.unparse(default)
    return f"{shown} = {value}"


def _table_of(value: dict[str, Any]) -> str:
    """A table of rows by name, such as `BOUNDS`: each with the first sentence of its function."""
    rows = []
    for name, row in value.items():
        function = getattr(row, "bound", row)
        line = (inspect.getdoc(function) or "").split("\n\n")[0]
        rows.append((code(name), prose(line)))
    return table(["name", "meaning"], rows)
