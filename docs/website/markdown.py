"""Pieces of Markdown."""

import html
from collections.abc import Iterable, Sequence


def code(text: str) -> str:
    """Text as code; where a bar would end the cell of a table, as HTML."""
    return f"`{text}`" if "|" not in text else f"<code>{_cell(html.escape(text))}</code>"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; line ends and bars in cells are replaced."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "&#124;")


def block(text: str, language: str) -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```\n"


def prose(docstring: str) -> str:
    """A docstring as Markdown: examples become blocks of code, the rest stays as it is."""
    parts = []
    for paragraph in docstring.split("\n\n"):
        is_example = paragraph.startswith(">>> ")
        parts.append(block(paragraph, "pycon") if is_example else _escaped(paragraph) + "\n")
    return "\n".join(parts)


def _escaped(text: str) -> str:
    """Keep signs of mathematics outside of code from being read as Markdown or HTML."""
    pieces = text.split("`")
    for place in range(0, len(pieces), 2):
        for sign in ("\\", "*", "_", "<", "["):
            pieces[place] = pieces[place].replace(sign, f"\\{sign}")
    return "`".join(pieces)
