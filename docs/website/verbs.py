"""The reference of the command line, made from the parsers of its verbs."""

import argparse

import matchbound
from matchbound.commands.main import Parser, main, parser_of
from matchbound.commands.verbs import VERBS
from website.markdown import block, code, prose, table

GUIDES = {
    "audit": "audit.md",
    "certify": "certify.md#certify",
    "demo": "audit.md",
    "draw": "draws.md",
    "errors": "errors.md",
    "example": "audit.md",
    "export": "privacy.md",
    "figures": "plan.md",
    "forget": "privacy.md#how-to-erase-a-person",
    "label": "label.md",
    "patch": "certify.md#patch",
    "plan": "plan.md",
    "match": "match.md",
    "reconcile": "reconcile.md",
    "register": "ledger.md#register",
    "releases": "releases.md",
    "repair": "ledger.md#folders-of-version-01",
    "report": "report.md",
    "seal": "ledger.md#seal",
    "verify": "certify.md#verify",
    "withhold": "reconcile.md#withhold-and-gap",
}
"""The page that explains each verb; a verb that is not here has none."""
FUNCTIONS = {"errors": "list_errors", "report": "write_report"}
"""The functions whose names are not their verbs'."""


def pages() -> dict[str, str]:
    """A page for each verb, and one that lists them, by path."""
    rows = [
        (f"[{code(f'matchbound {verb.name}')}]({verb.name}.md)", f"{verb.line}.") for verb in VERBS
    ]
    index = [
        "# The command line",
        "Every verb, with every option. `matchbound VERB --help-all` prints the same.",
        table(["verb", "what it does"], rows),
        "## Exit status",
        prose((main.__doc__ or "").split("\n\n", 1)[1].strip().replace("\n    ", "\n")),
        "`matchbound verify` has [four answers](../../certify.md#verify), each with a status.",
    ]
    return {"reference/verbs/index.md": _joined(index)} | {
        f"reference/verbs/{verb.name}.md": _page(verb.name, verb.line) for verb in VERBS
    }


def _page(verb: str, line: str) -> str:
    parser = parser_of(verb)
    parts = [f"# matchbound {verb}", f"{line[0].upper()}{line[1:]}."]
    parts.append(block(parser.format_usage().removeprefix("usage: "), "text"))
    parts.append("For example:")
    parts.append(block(parser.example, "sh"))
    for group in parser._action_groups:
        if rows := [_row(parser, action) for action in group._group_actions]:
            title = (group.title or "").removeprefix("positional ")
            parts += [f"## {title[0].upper()}{title[1:]}", *filter(None, [group.description])]
            parts.append(table(["option" if title != "arguments" else "argument", "meaning"], rows))
    return _joined([*parts, *_beside(verb)])


def _row(parser: Parser, action: argparse.Action) -> tuple[str, str]:
    """An argument as one writes it, and its help."""
    value = action.metavar or ("" if action.nargs == 0 else action.dest.upper())
    if action.choices is not None and action.metavar is None:
        value = "|".join(map(str, action.choices))
    names = action.option_strings or [str(value)]
    shown = [f"{name} {value}".strip() if name.startswith("--") else name for name in names]
    help = parser._get_formatter()._expand_help(action) if action.help else ""
    required = "required: " if action.option_strings and action.required else ""
    return ", ".join(map(code, shown)), required + prose(help)


def _beside(verb: str) -> list[str]:
    """Where else the verb is described."""
    lines = []
    if verb in GUIDES:
        lines.append(f"- Explained in [{GUIDES[verb].split('#')[0]}](../../{GUIDES[verb]}).")
    name = FUNCTIONS.get(verb, verb)
    if name in matchbound.__all__:
        lines.append(f"- In Python: [{code(f'matchbound.{name}')}](../python/functions.md#{name}).")
    return ["## See also", "\n".join(lines)] if lines else []


def _joined(parts: list[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"
