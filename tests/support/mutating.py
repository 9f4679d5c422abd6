"""Small faults in source text: each mutant changes one place of one file.

What cannot change a number or a verdict is left alone: docstrings and other texts, annotations,
decorators, assertions, what an error says, and `__all__`.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

SWAPPED = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}
Change = tuple[int, int, str]  # from, to, what stands there instead


@dataclass(frozen=True)
class Mutant:
    """`before` and `after` are the lines it touches, as one line; `path` begins below src."""

    path: str
    function: str
    line: int
    before: str
    after: str
    text: str  # of the whole file
    occurrence: int = 0  # among mutants that read the same

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.path, self.function, self.before, self.after

    def lot(self, seed: int) -> str:
        """Its place in a random order that changes elsewhere leave alone."""
        return hashlib.sha256(repr((seed, *self.key, self.occurrence)).encode()).hexdigest()


def mutants_of(path: str, text: str) -> list[Mutant]:
    found, seen = [], Counter()
    visitor = _Places(text)
    visitor.visit(ast.parse(text))
    for function, (start, end, new) in visitor.changes:
        mutated = text[:start] + new + text[end:]
        line = text.count("\n", 0, start) + 1
        rest = len(text) - end
        shown = _lines(text, start, end), _lines(mutated, start, len(mutated) - rest)
        key = path, function, *shown
        found.append(Mutant(path, function, line, *shown, mutated, seen[key]))
        seen[key] += 1
    return found


def _lines(text: str, start: int, end: int) -> str:
    """The lines from start to end as one, without comments."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    lines = text[first : last if last >= 0 else None].splitlines()
    return " ".join(" ".join(line.split("  # ")[0] for line in lines).split())


class _Places(ast.NodeVisitor):
    def __init__(self, text: str) -> None:
        self.text = text
        self.changes: list[tuple[str, Change]] = []
        self._within: list[str] = []
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._lines = text.splitlines(keepends=True)

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            self._within.append(node.name)
            for part in (*node.body, *_defaults(node)):
                self.visit(part)
            self._within.pop()
            return
        function = ".".join(self._within) or "module"
        self.changes += [(function, change) for change in self._changes(node)]
        for part in _parts(node):
            self.visit(part)

    def _span(self, node: ast.AST) -> tuple[int, int]:
        return (
            self._at(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            self._at(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def _at(self, line: int, column: int) -> int:
        before = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(before)

    def _between(self, left: ast.AST, operator: ast.AST, right: ast.AST) -> Iterator[Change]:
        if type(operator) in SWAPPED:
            old, new = SWAPPED[type(operator)]
            start = self.text.index(old, self._span(left)[1], self._span(right)[0])
            yield start, start + len(old), new

    def _changes(self, node: ast.AST) -> Iterator[Change]:
        match node:
            case ast.Compare():
                sides = [node.left, *node.comparators]
                for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
                    yield from self._between(left, operator, right)
            case ast.BoolOp():
                for left, right in zip(node.values, node.values[1:], strict=False):
                    yield from self._between(left, node.op, right)
            case ast.BinOp():
                yield from self._between(node.left, node.op, node.right)
            case ast.AugAssign():
                yield from self._between(node.target, node.op, node.value)
            case ast.UnaryOp():
                yield self._span(node)[0], self._span(node.operand)[0], "("[: self._wrapped(node)]
            case ast.Constant():
                yield from ((*self._span(node), new) for new in _constants(node.value))
            case ast.Call(func=ast.Name(id=name)) if name in CALLS:
                yield (*self._span(node.func), CALLS[name])
                yield from self._unclamped(node)
            case ast.Raise() | ast.Expr(value=ast.Call()) | ast.Continue() | ast.Break():
                yield (*self._span(node), "pass")
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
                    yield (*self._span(test), f"(not {ast.get_source_segment(self.text, test)})")

    def _wrapped(self, node: ast.UnaryOp) -> bool:
        """Whether the operand stands in brackets, of which the span knows nothing."""
        return "(" in self.text[self._span(node)[0] : self._span(node.operand)[0]]

    def _unclamped(self, call: ast.Call) -> Iterator[Change]:
        """min and max of a number and something else, without the number."""
        rest = [part for part in call.args if not isinstance(part, ast.Constant)]
        if len(call.args) == 2 and len(rest) == 1 and not call.keywords:
            start, end = self._span(rest[0])
            yield (*self._span(call), f"({self.text[start:end]})")


def _constants(value: object) -> list[str]:
    if isinstance(value, bool):
        return [repr(not value)]
    if isinstance(value, int):
        near = [str(value + 1), str(value - 1)]
        return near[: 1 + (value > 0)] if value < 10 else [str(value * 2)]
    if isinstance(value, float):
        return [repr(value * 2 or 1.0)]
    return []


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below that decide anything."""
    match node:
        case ast.Raise() | ast.Assert() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return
        case ast.AnnAssign(value=value):
            yield from [value] if value else []
        case ast.Lambda(body=body):
            yield body
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return
        case _:
            yield from ast.iter_child_nodes(node)


def _defaults(node: ast.FunctionDef | ast.ClassDef) -> list[ast.AST]:
    if isinstance(node, ast.ClassDef):
        return []
    return [*node.args.defaults, *(default for default in node.args.kw_defaults if default)]
