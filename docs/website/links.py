"""Links between Markdown pages that lead nowhere, by the rules of GitHub's anchors."""

import re
from pathlib import Path

FENCE = re.compile(r"^( *)(```|~~~).*?^\1\2\s*$", re.M | re.S)
CODE = re.compile(r"`[^`\n]*\]\([^`\n]*`")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.M)


def dead_links(root: Path, pages: list[Path]) -> list[str]:
    """Return a sentence for each link of these pages to a missing page, picture or heading."""
    return [
        f"{page.relative_to(root)}: {link} leads nowhere"
        for page in pages
        for link in LINK.findall(CODE.sub("", FENCE.sub("", page.read_text("utf-8"))))
        if "://" not in link and not _leads(page, link)
    ]


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings; equal ones are numbered."""
    made: set[str] = set()
    for title in HEADING.findall(FENCE.sub("", text)):
        slug = anchor(title)
        number = 1
        while slug in made:
            slug = f"{anchor(title)}-{number}"
            number += 1
        made.add(slug)
    return made


def anchor(title: str) -> str:
    """A heading's anchor: small letters, digits, `-` and `_`, and `-` for each space."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def _leads(page: Path, link: str) -> bool:
    path, _, fragment = link.partition("#")
    target = page.parent / path if path else page
    if not target.exists():
        return False
    return not fragment or fragment in anchors(target.read_text("utf-8"))
