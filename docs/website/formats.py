"""The reference of the files that matchbound writes and reads, made from schemas and tables."""

import json
from importlib.resources import files
from typing import Any

from matchbound.audits.draw import PARTS
from matchbound.tables.formats import COMPRESSIONS, FORMATS
from matchbound.tables.forms import CLUSTERS, COLUMN_ROLES, PERSON, SCORES
from matchbound.theorems.metrics import METRICS
from website.markdown import code, prose, table

SCHEMAS = {"certificate": "certificate.json", "draw": "draw.json", "ledger": "ledger.jsonl"}
TEXT = {"string": "text", "integer": "whole number", "boolean": "true or false", "object": "object"}
SIDES = {"lower": "at least", "upper": "at most"}
Schema = dict[str, Any]


def pages() -> dict[str, str]:
    """A page for each file with a schema, one for tables, and one for metrics, by path."""
    written = {f"reference/files/{name}.md": _page(name) for name in SCHEMAS}
    return {
        "reference/files/index.md": _index(),
        **written,
        "reference/metrics.md": _metrics(),
    }


def _index() -> str:
    links = {file: f"[{code(file)}]({name}.md)" for name, file in SCHEMAS.items()}
    folder = [(links.get(file, code(file)),) for file in [*PARTS, "certificate.json"]]
    endings = [*FORMATS, *COMPRESSIONS]
    rows = [
        ("files", f"{', '.join(map(code, endings))}; the last two after another ending"),
        ("roles in `--columns`", ", ".join(map(code, COLUMN_ROLES))),
        ("columns read as scores", ", ".join(map(code, SCORES))),
        ("columns read as clusters", ", ".join(map(code, CLUSTERS))),
        ("columns of a person's verdicts", ", ".join(map(code, PERSON))),
    ]
    return _joined(
        [
            "# Files",
            "## In an audit folder",
            "[The audit folder](../../certify.md#the-audit-folder) says who writes the main ones, "
            "and [personal data](../../privacy.md#what-each-file-holds) what each holds. Those "
            "with a link have a JSON Schema, which comes with the package.",
            table(["file"], folder),
            "## Tables that are read",
            "[Tables](../../tables.md) says which tools' tables are read as they are.",
            table(["what", "names"], rows),
        ]
    )


def _metrics() -> str:
    rows = [
        (code(metric.name), metric.words, SIDES[metric.side], "yes" if metric.is_default else "")
        for metric in METRICS.values()
    ]
    return _joined(
        [
            "# Metrics",
            "What `--metric` and `--require` name. [Which metric](../metrics.md) helps to choose.",
            table(["metric", "what is bounded", "bound", "by default"], rows),
        ]
    )


def _page(name: str) -> str:
    schema = json.loads((files("matchbound") / "schemas" / f"{name}.json").read_text("utf-8"))
    parts = [f"# {SCHEMAS[name]}", prose(schema["description"]), "## Fields", _fields(schema)]
    for word, part in schema["$defs"].items():
        parts += [f"## {word}", prose(part.get("description", ""))]
        parts.append(_fields(part) if "properties" in part else _described(part))
    return _joined(parts)


def _fields(schema: Schema) -> str:
    required = schema.get("required", [])
    rows = []
    for name, part in schema["properties"].items():
        holds = _described(part) if name in required else f"{_described(part)}; may be missing"
        rows.append((code(name), holds, prose(part.get("description", ""))))
    return table(["field", "holds", "meaning"], rows)


def _described(schema: Schema) -> str:
    """What a value is, in words."""
    if "$ref" in schema:
        word = schema["$ref"].rpartition("/")[2]
        return f"[{word}](#{word})"
    if "const" in schema:
        return code(json.dumps(schema["const"]))
    if "enum" in schema:
        return ", ".join(code(json.dumps(value)) for value in schema["enum"])
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(map(_described, schema[several])))
    kinds = schema.get("type", "any value")
    return " or ".join(
        _kind(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds)
    )


def _kind(kind: str, schema: Schema) -> str:
    if kind == "array":
        rows = schema.get("prefixItems")
        if rows:
            return f"list of {len(rows)} values"
        return f"list of {_described(schema['items'])}" if schema.get("items") else "list"
    if kind == "object" and "properties" in schema:
        return f"object of {', '.join(map(code, schema['properties']))}"
    if kind == "string" and "pattern" in schema:
        return f"text like {code(schema['pattern'])}"
    return TEXT.get(kind, kind)


def _joined(parts: list[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
