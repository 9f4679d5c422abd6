"""The site's parts: every page is in its menu, every link leads somewhere, nothing is left out.

`make docs` builds it, and checks the built pages with `website.built`, which is tested here on
other pages; the site itself is not built here, because that needs the extra `docs`.
"""

import inspect
import os
import re
import subprocess
import sys

import pytest

import matchbound
from matchbound import bounds, errors, matchers, testing
from matchbound.commands.main import parser_of
from matchbound.commands.verbs import VERBS
from matchbound.theorems.metrics import METRICS
from support.pasted import ROOT
from website import built, links, names, parts, verbs
from website.markdown import table

DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), *sorted(ROOT.glob("*.md"))]
MADE = parts.made()


def headings(path):
    return set(re.findall(r"^## (.+)$", MADE[path], re.M))


def test_every_page_is_in_the_menu_once():
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert sorted(parts.written()) == sorted(pages)
    listed = re.findall(r"'([\w/-]+\.md)'", str(parts.menu()))
    assert sorted(listed) == sorted([*pages, *MADE, *parts.OUTSIDE.values()])


def test_no_link_is_dead():
    assert not links.dead_links(ROOT, PAGES)


def test_links_lead_to_pages_of_the_site():
    """A file beside docs/ that is not in the site can be read on GitHub alone."""
    texts = {page: parts.inside(page.read_text("utf-8")) for page in DOCS.rglob("*.md")}
    texts |= {DOCS / path: text for path, text in parts.outside().items()}
    for page, text in texts.items():
        for link in links.LINK.findall(links.CODE.sub("", links.FENCE.sub("", text))):
            target = (page.parent / link.partition("#")[0]).resolve()
            is_there = target in texts or (target.exists() and target.is_relative_to(DOCS))
            assert "://" in link or link.startswith("#") or is_there, (page, link)


def test_no_link_of_the_reference_is_dead(tmp_path):
    for path, text in MADE.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    for page in parts.written():
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / page).write_text((DOCS / page).read_text("utf-8"), "utf-8")
    made = [tmp_path / path for path in MADE]
    assert len(made) > 25
    assert not links.dead_links(tmp_path, made)


def test_a_dead_link_would_be_noticed(tmp_path):
    (tmp_path / "b.md").write_text(
        "# Pairs, `--clusters`\n\n```\n# no heading\n```\n\n# Two\n# Two\n"
    )
    text = "[x](b.md#pairs---clusters) [x](b.md#two-1) [x](c.md) [x](b.md#no-heading) ![x](p.png)"
    (tmp_path / "a.md").write_text(text + " [x](#none) [x](https://example.org) `[x](code.md)`\n")
    dead = links.dead_links(tmp_path, [tmp_path / "a.md"])
    assert [line.split()[1] for line in dead] == ["c.md", "b.md#no-heading", "p.png", "#none"]


@pytest.mark.parametrize("verb", [verb.name for verb in VERBS])
def test_every_option_has_an_entry(verb):
    page = MADE[f"reference/verbs/{verb}.md"]
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", page, re.M)
    entries = " ".join(row[0].replace("<code>", "`") for row in rows)
    for action in parser_of(verb)._actions:
        names_of_action = action.option_strings or [action.metavar or action.dest]
        assert all(re.search(rf"`{re.escape(name)}[ `]", entries) for name in names_of_action)
    assert all(meaning.strip() for _, meaning in rows)
    assert f"[`matchbound {verb}`]({verb}.md)" in MADE["reference/verbs/index.md"]
    assert verbs.GUIDES[verb]


def test_every_public_name_has_an_entry():
    functions = headings("reference/python/functions.md")
    values = headings("reference/python/values.md")
    failures = headings("reference/python/errors.md")
    modules = {"bounds", "matchers"}
    assert functions | values | failures | modules >= set(matchbound.__all__)
    assert headings("reference/python/bounds.md") == set(bounds.__all__)
    assert headings("reference/python/matchers.md") == set(matchers.__all__)
    assert headings("reference/python/testing.md") == {"assert_certified"}
    assert names.names_of(testing) == ["assert_certified"]


def test_every_entry_says_something():
    """After its heading and its signature: a sentence, or a table of rows."""
    for path in (path for path in MADE if path.startswith("reference/python/")):
        entries = re.split(r"^##+ (.+)$", MADE[path], flags=re.M)[1:]
        for name, entry in zip(entries[::2], entries[1::2], strict=True):
            said = re.sub(r"^```python\n.*?^```$", "", entry, count=1, flags=re.M | re.S).strip()
            assert re.match(r"\w|`|\|", said), (path, name)


def test_every_error_has_an_entry():
    def below(error):
        return {error, *(one for child in error.__subclasses__() for one in below(child))}

    ours = {error.__name__ for error in below(errors.MatchboundError)}
    assert {"InputError", "SeveralReadingsError"} <= ours
    assert headings("reference/python/errors.md") == ours


def test_every_metric_and_file_has_an_entry():
    assert all(f"| `{name}` |" in MADE["reference/metrics.md"] for name in METRICS)
    certificate = MADE["reference/files/certificate.md"]
    assert "| `guarantees` | list of [guarantee](#guarantee) |" in certificate
    kinds = re.findall(r"^## (\w+)_entry$", MADE["reference/files/ledger.md"], re.M)
    assert {"draw", "register", "certificate", "forget"} <= set(kinds)


def test_an_entry_says_what_the_code_says():
    page = MADE["reference/python/functions.md"]
    certify = page.split("\n## certify\n")[1].split("\n## ")[0]
    for name in inspect.signature(matchbound.certify).parameters:
        assert re.search(rf"^    {name}: ", certify, re.M), name
    assert inspect.getdoc(matchbound.certify).splitlines()[0] in certify
    assert "`--require METRIC=VALUE` | exit with 1 unless" in MADE["reference/verbs/certify.md"]


def test_cells_hold_one_line():
    assert table(["a", "b"], [("x|y", "two\nlines")]).splitlines()[2] == "| x&#124;y | two lines |"


SITE = {
    "index.html": '<a href="b.html#here">b</a><a href="https://example.org">elsewhere</a>'
    '<img src="p.png"><a href="/b.html">b</a>',
    "b.html": '<h1 id="here">b</h1><script src="s.js"></script>',
    "p.png": "",
    "s.js": "",
    "style.css": "a { background: url(p.png) }",
}


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("index.html", SITE["index.html"], None),
        ("b.html", '<a href="c.html">c</a><h1 id="here">b</h1>', "b.html: c.html leads nowhere"),
        ("b.html", "<h1>b</h1>", "index.html: b.html#here leads nowhere"),
        ("index.html", '<script src="//cdn.example/s.js"></script>', "index.html loads //cdn"),
        ("index.html", '<link rel="stylesheet" href="https://x.example/f">', "index.html loads h"),
        ("b.html", '<p id="here">Of\n- one</p>', "b.html shows Markdown as it is: - one"),
        ("style.css", "@font-face { src: url(https://x.example/f) }", "style.css loads something"),
    ],
)
def test_what_is_wrong_with_a_built_site_is_named(name, text, problem, tmp_path):
    for file, content in {**SITE, name: text}.items():
        (tmp_path / file).write_text(content)
    found = built.problems(tmp_path)
    assert found == [] if problem is None else found[0].startswith(problem)


@pytest.mark.slow
def test_the_site_is_built_without_a_warning():
    pytest.importorskip("zensical", reason="Zensical, which builds the site, is missing")
    environment = {**os.environ, "PYTHONPATH": str(DOCS)}
    done = subprocess.run(
        [sys.executable, "-m", "website"], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 problems" in done.stdout
