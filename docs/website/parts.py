"""The four parts of the site, and the pages of each."""

import re
from functools import cache
from pathlib import Path

from website import formats, names, verbs

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
}
"""Pages that are not in docs/, and what they are called in the site."""
GUIDES = {
    "Tutorials": {
        "": [
            "tutorials/splink.md",
            "tutorials/dedupe.md",
            "tutorials/networks.md",
            "tutorials/labels.md",
        ],
    },
    "How-to": {
        "Questions": [
            "how-to/rare-matches.md",
            "how-to/several-labellers.md",
            "how-to/many-records.md",
            "how-to/threshold.md",
            "how-to/each-release.md",
            "how-to/auditor.md",
        ],
        "The steps of an audit": [
            "audit.md",
            "tables.md",
            "plan.md",
            "draws.md",
            "label.md",
            "certify.md",
            "errors.md",
            "report.md",
        ],
        "Afterwards": ["releases.md", "growth.md", "gate.md", "privacy.md"],
        "Tools and machines": [
            "splink.md",
            "match.md",
            "reconcile.md",
            "engines.md",
            "scale.md",
        ],
    },
    "Explanation": {
        "": [
            "explanation/records.md",
            "explanation/two-matchers.md",
            "metrics.md",
            "rivals.md",
            "ledger.md",
            "theorems.md",
            "explanation/paper.md",
            "reliability.md",
        ],
    },
}
"""The written pages by part and group; a group without a name has none in the menu."""
WORDS = ["glossary.md", "bounds.md", "code.md"]
"""The written pages of the reference."""

Nav = list[object]


@cache
def made() -> dict[str, str]:
    """The pages that are made from the code, by path."""
    return verbs.pages() | names.pages() | formats.pages()


def written() -> list[str]:
    """The written pages that the menu has, by path."""
    grouped = [page for part in GUIDES.values() for group in part.values() for page in group]
    return [*grouped, *WORDS]


def menu() -> Nav:
    """The site's menu: the home page and the four parts."""
    parts: Nav = [{"Home": "index.md"}]
    for title, groups in GUIDES.items():
        inside: Nav = []
        for group, pages in groups.items():
            inside += [{group: pages}] if group else pages
        parts.append({title: inside})
    of = {path.rpartition("/")[0]: [] for path in made()}
    for path in made():
        of[path.rpartition("/")[0]].append(path)
    reference: Nav = [
        {"Command line": [_short(path) for path in of["reference/verbs"]]},
        {"Python": of["reference/python"]},
        {"Files": of["reference/files"]},
        *of["reference"],
        *WORDS,
        *(path for path in OUTSIDE.values() if path != "index.md"),
    ]
    return [*parts, {"Reference": reference}]


def _short(path: str) -> object:
    """A verb's page under its name alone; the page that lists them under its own title."""
    name = Path(path).stem
    return path if name == "index" else {name: path}


def outside() -> dict[str, str]:
    """The pages that are not in docs/, with links as in the site, by path."""
    return {path: _moved((ROOT / name).read_text("utf-8")) for name, path in OUTSIDE.items()}


def inside(text: str) -> str:
    """A page of docs/ with links to the pages outside as in the site."""
    for name, path in OUTSIDE.items():
        text = text.replace(f"../{name})", f"{path})")
    return text


def _moved(text: str) -> str:
    """A page with links as from docs/, and named by their pages' titles."""
    text = re.sub(r"\[docs/([\w-]+\.md)\]", _title, text).replace("](docs/", "](")
    for name, path in OUTSIDE.items():
        text = text.replace(f"]({name}", f"]({path}")
    return text


def _title(link: re.Match[str]) -> str:
    heading, _, _ = (DOCS / link[1]).read_text("utf-8").partition("\n")
    return f"[{heading.removeprefix('# ')}]"
