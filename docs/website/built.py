"""What is wrong with a built site: dead links, missing anchors, anything from elsewhere."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
"""What a browser loads by itself: it must lie in the site."""


class Page(HTMLParser):
    """The anchors of a page, where it links to, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.unread: list[str] = []
        self._is_paragraph = False
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_paragraph |= tag == "p"
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given.get("id", ""), given.get("name", "")}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if given.get(LOADED.get(tag, "")) and given.get("rel") != "canonical":
            self.loaded.append(given[LOADED[tag]])

    def handle_endtag(self, tag: str) -> None:
        self._is_paragraph &= tag != "p"

    def handle_data(self, data: str) -> None:
        """Note Markdown in a paragraph: a list needs an empty line before it, GitHub or not."""
        if self._is_paragraph:
            self.unread += re.findall(r"^(?:- |\d+\. |\| |```).*", data, re.M)


def problems(site: Path) -> list[str]:
    """Return a sentence for each thing that is wrong."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    found: list[str] = []
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        found += (f"{name} loads {address}" for address in page.loaded if _is_elsewhere(address))
        found += (f"{name} shows Markdown as it is: {line}" for line in page.unread)
        found += (f"{name}: {link} leads nowhere" for link in _dead(site, path, page, pages))
    for sheet in site.rglob("*.css"):
        if "url(http" in sheet.read_text("utf-8"):
            found.append(f"{sheet.relative_to(site)} loads something from elsewhere")
    return found


def _is_elsewhere(address: str) -> bool:
    return bool(urlsplit(address).netloc)


def _dead(site: Path, path: Path, page: Page, pages: dict[Path, Page]) -> Iterator[str]:
    for link in [*page.links, *page.loaded]:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        start = site if parts.path.startswith("/") else path.parent
        target = (start / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
        target = target / "index.html" if target.is_dir() else target
        if not target.is_file() or (
            parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids
        ):
            yield link
