"""The page on screens of several sizes: what is in sight, whole words, and axe-core's findings."""

from pathlib import Path

import pytest

from support.audits import run_seeded, write_csv
from support.browsers import needs_browser
from support.desks import serving

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = [
    pytest.mark.slow,
    needs_browser,
    pytest.mark.skipif(not AXE.is_file(), reason="needs axe-core: npm install --no-save axe-core"),
]
NAMES = ["Ann Mary O'Neill", "محمد بن سلمان", "山田 太郎", "יוסף כהן", "Jean-Luc d'Hôpital"]


@pytest.fixture
def wide(tmp_path):
    """Records with 31 fields, most of them empty, long words, links, and other scripts."""
    header = ["id", "name", "address", "file", "website", *(f"field {i}" for i in range(27))]
    rows = []
    for i in range(40):
        name, file = NAMES[i % 5], f"chapin_dfss_providers_2011_0702{i % 3}.csv"
        rows.append([f"r{i}", f"{name} {i // 20}", f"{i} N. Wolcott Avenue", file])
        rows[-1] += ["https://example.org/a/b", *([""] * 25), "x", "word " * 60 if i % 7 else "y"]
    people = write_csv(tmp_path / "people.csv", header, rows)
    audit = tmp_path / "audit"
    assert run_seeded("s", "draw", people, "--dedupe", "--labels", 9, "--out", audit) == 0
    return audit, people


SIZES = [(1440, 900, "light"), (1024, 768, "dark"), (400, 800, "light"), (400, 800, "dark")]


def test_everything_can_be_read_and_nothing_is_found_by_axe(chromium, wide):
    audit, people = wide
    with serving(audit, "--records", people, tables=False) as client:
        for i, (width, height, scheme) in enumerate(SIZES):
            view = {"width": width, "height": height}
            context = chromium.new_context(viewport=view, color_scheme=scheme, bypass_csp=True)
            page = context.new_page()
            page.goto(client.new_address())
            page.wait_for_url(f"{client.origin}/")
            page.wait_for_selector("#start:not([hidden])")
            page.evaluate(AXE.read_text())
            assert findings(page) == []
            page.fill("#name", f"Person {i}")
            page.click("#who button")
            page.wait_for_selector("#work:not([hidden])", timeout=180_000)
            page.keyboard.press("1")
            page.wait_for_timeout(300)
            check(page, width)
            assert findings(page) == []
            page.keyboard.press("?")
            assert findings(page) == []
            context.close()


def findings(page):
    found = page.evaluate("axe.run().then(result => result.violations)")
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] != "minor"]


def check(page, width):
    """The record is in sight beside the tenth candidate; no word is broken; empty fields fold."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("tr.candidate").nth(9).scroll_into_view_if_needed()
    inside = (
        "e => { const b = e.getBoundingClientRect(); return b.bottom > 0 && b.top < innerHeight; }"
    )
    assert page.locator("#record td").nth(1).evaluate(inside)
    assert page.locator("tr.candidate").nth(9).evaluate(inside)
    assert "25 fields are empty" in page.text_content("#folded")
    assert page.evaluate(BROKEN) == []
    link = page.locator("tr.candidate a").first
    assert link.get_attribute("rel") == "noopener noreferrer"
    assert link.get_attribute("target") == "_blank"


BROKEN = r"""() => {
  const broken = [];
  for (const box of document.querySelectorAll("td .value, thead th")) {
    const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      for (const word of text.data.matchAll(/[\p{L}\p{N}]+/gu)) {
        if (/\p{Script=Han}/u.test(word[0])) continue; // written without spaces, broken anywhere
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        const tops = new Set([...range.getClientRects()].map((one) => Math.round(one.top)));
        if (tops.size > 1) broken.push(word[0]);
      }
    }
  }
  return broken;
}"""
