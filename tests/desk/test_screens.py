"""The page on screens of several sizes: what is in sight, whole words, and axe-core's findings."""

import os
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.audits import run_seeded, write_csv
from support.browsers import needs_browser
from support.desks import serving
from support.labeller import Tables, of_shared
from support.replicates import SHARED

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = [
    needs_browser,
    pytest.mark.skipif(
        not AXE.is_file() and "axe" not in os.environ.get("MATCHBOUND_NEEDS", ""),
        reason="needs axe-core: npm install --no-save --no-package-lock axe-core@4",
    ),
]
NAMES = ["Ann Mary O'Neill", "محمد بن سلمان", "山田 太郎", "יוסף כהן", "किरण देसाई"]


@contextmanager
def labelling(tables, folder):
    """A client of a page with these tables."""
    audit, kind = folder / "audit", "--dedupe" if tables.against is None else "--link"
    draw = ["draw", tables.records, kind, "--labels", 30, "--out", audit]
    assert run_seeded("s", *draw) == 0
    given = ["--records", tables.records]
    given += [] if tables.against is None else ["--against", tables.against]
    with serving(audit, *given, tables=False) as client:
        yield client


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Records with 31 fields, most of them empty, long words, links, and other scripts."""
    folder = tmp_path_factory.mktemp("wide")
    header = ["id", "name", "address", "file", "website", *(f"field {i}" for i in range(27))]
    rows = []
    for i in range(40):
        name, file = NAMES[i % 5], f"chapin_dfss_providers_2011_0702{i % 3}.csv"
        rows.append([f"r{i}", f"{name} {i // 20}", f"{i} N. Wolcott Avenue", file])
        rows[-1] += ["see https://example.org/a/b.", *([""] * 25), "x" * (i % 2), "word " * 90]
    people = write_csv(folder / "people.csv", header, rows)
    with labelling(Tables(people, {}), folder) as client:
        yield client


@contextmanager
def screen(chromium, client, width, height, scheme):
    """Somebody at a screen of this size, with axe-core at hand, before the first question."""
    view = {"width": width, "height": height}
    context = chromium.new_context(viewport=view, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(client.new_address())
    page.wait_for_url(f"{client.origin}/")
    page.wait_for_selector("#start:not([hidden])")
    page.evaluate(AXE.read_text("utf-8"))
    yield page
    context.close()


def enter(page, name):
    page.fill("#name", name)
    page.keyboard.press("Enter")
    page.wait_for_selector("#work:not([hidden])", timeout=180_000)
    page.wait_for_function("() => !document.body.matches('.busy')")


def findings(page):
    """What axe-core calls moderate, serious or critical."""
    found = page.evaluate("axe.run().then(result => result.violations)")
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] != "minor"]


def check(page, width):
    """Nothing is broken or cut without a sign, and the record stays beside the tenth candidate."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(BROKEN) == []
    assert page.evaluate(CUT) == []
    assert page.evaluate(IN_SIGHT) == [True] * 4
    assert page.evaluate(CUT) == []  # scrolled
    assert page.evaluate(BELOW_HEADER)
    assert page.evaluate(FOOTER_ON_TOP)


WIDE, PHONE = (1440, 900), (400, 800)


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")])
def test_everything_can_be_read_and_nothing_is_found_by_axe(chromium, wide, size, scheme):
    with screen(chromium, wide, *size, scheme) as page:
        assert findings(page) == []
        enter(page, f"Person {size}")
        check(page, size[0])
        assert "25 fields are empty" in page.text_content("#folded")
        if size == PHONE:
            assert page.evaluate(DIFFERENT_FIRST)
        assert findings(page) == []
        for key, dialog in {"?": "#keys", "c": "#arrange", "l": "#list"}.items():
            page.keyboard.press(key)
            page.wait_for_selector(f"{dialog}[open]")
            assert findings(page) == []
            page.keyboard.press("Escape")
        check_scripts(page)
        check_links(page)
        check_lacking(page)
        check_message(page)


def check_lacking(page):
    """A value that the record or the candidate has alone is marked, and no other."""
    record = page.text_content("#record td[data-head='field 25']")
    found = page.locator("tr.candidate td[data-head='field 25']").evaluate_all(
        "all => all.map(one => [one.textContent, one.matches('.differs'), "
        "one.querySelector('mark, .empty.differs') !== null])"
    )
    assert {text for text, _, _ in found} == {"x", "—"}
    for text, differs, is_marked in found:
        assert differs == is_marked == (text != record)


def check_message(page):
    """What the page says is in sight, wherever people have scrolled to."""
    page.keyboard.press("1")
    page.wait_for_function("() => !document.body.dataset.waiting")
    page.wait_for_timeout(310)
    page.keyboard.press("n")
    assert "Something is ticked" in page.text_content("#message")
    for place in (10_000, 0):
        page.evaluate("y => window.scrollTo(0, y)", place)
        assert page.evaluate(SAID_IN_SIGHT)
    assert findings(page) == []


def check_scripts(page):
    """Each value has the direction of its own script, and differences are of whole letters."""
    values = page.locator(".value").evaluate_all(
        "all => all.map(one => [one.textContent, getComputedStyle(one).direction])"
    )
    for text, direction in values:
        assert (direction == "rtl") == any("\u0590" <= letter <= "\u06ff" for letter in text)
    for (first, second), expected in DIFFERENCES.items():
        pieces = page.evaluate(
            "([a, b]) => import('/differences.js').then(one => one.pieces(a, b))", [first, second]
        )
        assert [(one["is"], one["text"]) for one in pieces if one["is"] != "same"] == expected


DIFFERENCES = {
    ("Smith, John", "john SMITH"): [],  # in any order
    ("José Núñez", "Jose Nunez"): [],
    ("Anderson", "Andersen"): [("other", "e")],  # nearly equal: the letter
    ("Baker", "Cook"): [("other", "Cook")],
    ("a long text about maps", "a long text about graphs"): [("other", "graphs")],
    ("2011-07-02", "2011-08-02"): [("other", "08")],
    ("http://a.org/x/y", "http://a.org/x/z"): [("other", "z")],
    ("Ann Mary", "Ann"): [("lack", "Mary")],
    ("कि", "का"): [("other", "का")],  # vowel signs are letters, and stay with theirs
    ("東京都千代田区", "東京都中央区"): [("other", "中央")],
    ("محمد", "محمود"): [("other", "و")],
    ("5 €", "5 £"): [("other", "£")],
    # The parts of one value have their order, whatever stands between them, and their signs.
    ("1978-07-08", "1978-08-07"): [("other", "08"), ("other", "07")],
    ("1978-07-08", "1978/07/08"): [],
    ("555-312-1234", "312-555-1234"): [("other", "312"), ("other", "555")],
    ("555 312 1234", "312 555 1234"): [("other", "312 555")],
    ("(773) 235-4073", "773-235-4073"): [],
    ("12.5", "5.12"): [("other", "5"), ("other", "12")],
    ("1.5", "1/5"): [("lack", ".")],
    (".5", "5"): [("lack", ".")],
    ("192.168.0.1", "192.0.168.1"): [("other", "0"), ("other", "168")],
    ("http://a.com/b", "http://b.com/a"): [("other", "b"), ("other", "a")],
    ("a.b@c.org", "a@b.c.org"): [("other", "@b")],
    ("/a/b/c", "/new/a/b/c"): [("other", "new")],
    ("-5", "5"): [("lack", "-")],
    ("5", "-5"): [("other", "-")],
    ("C++", "C"): [("lack", "++")],
    ("C", "C++"): [("other", "++")],
    ("AB+", "AB-"): [("other", "-")],
    ("Smith-Jones", "Smith Jones"): [],
    ("Smith Jones", "Jones-Smith"): [("other", "Jones"), ("other", "Smith")],
    ("12 Main Street", "Main Street 12"): [],
    ("7 Aug 1978", "Aug 7, 1978"): [],
    ("大阪東京", "東京大阪"): [("other", "東京大阪")],
}


def check_links(page):
    """What a link leads to is not told where it came from, and a click on it ticks nothing."""
    link = page.locator("tr.candidate a").first
    assert link.get_attribute("href") == "https://example.org/a/b"
    assert link.get_attribute("rel") == "noopener noreferrer"
    assert link.get_attribute("target") == "_blank"
    with page.expect_popup() as popup:
        link.click()
    popup.value.close()
    assert not page.locator("tr.candidate input:checked").count()


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """Clients of pages with real data, one at a time."""
    opened = {}

    def client(name):
        if name not in opened:
            for other in opened.values():
                other.__exit__(None, None, None)
            opened.clear()
            opened[name] = labelling(of_shared(SHARED / name), tmp_path_factory.mktemp(name))
            client.now = opened[name].__enter__()
        return client.now

    yield client
    for other in opened.values():
        other.__exit__(None, None, None)


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, (1024, 768), PHONE])
@pytest.mark.parametrize("name", ["chicago_childcare", "dblp_acm"])
def test_real_records_on_every_screen(chromium, real, name, size, scheme):
    with screen(chromium, real(name), *size, scheme) as page:
        enter(page, f"{size} {scheme}")
        for _ in range(3):
            check(page, size[0])
            page.wait_for_timeout(310)
            title = page.text_content("#title")
            page.keyboard.press("u")
            page.wait_for_function(
                "title => document.getElementById('title').textContent !== title", arg=title
            )
        page.keyboard.press("1")
        page.wait_for_function("() => !document.body.dataset.waiting")
        assert findings(page) == []


# Words of a field, also where marks lie within them, and the lines that they are on.
BROKEN = r"""() => {
  const broken = [];
  for (const box of document.querySelectorAll("td .value, thead th")) {
    const [nodes, walker] = [[], document.createTreeWalker(box, NodeFilter.SHOW_TEXT)];
    for (let text = walker.nextNode(); text; text = walker.nextNode()) nodes.push(text);
    const at = (letter) => {
      const node = nodes.find((one) => letter < one.length || ((letter -= one.length), false));
      return [node, letter];
    };
    for (const word of nodes.map((node) => node.data).join("").matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
      if (/\p{Script=Han}/u.test(word[0])) continue; // written without spaces, broken anywhere
      const range = document.createRange();
      range.setStart(...at(word.index));
      const [last, letter] = at(word.index + word[0].length - 1);
      range.setEnd(last, letter + 1);
      const rects = [...range.getClientRects()].filter((one) => one.width > 0);
      const middles = rects.map((one) => (one.top + one.bottom) / 2);
      if (Math.max(...middles) - Math.min(...middles) > 8) broken.push(word[0]);
    }
  }
  return broken;
}"""
# Whatever scrolls has a sign where something is out of sight.
CUT = """() => {
  const cut = [];
  const sign = (element, part) => getComputedStyle(element, part).content !== "none";
  for (const box of document.querySelectorAll(".value")) {
    const isCut = box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
    if (isCut && !sign(box, "::after")) cut.push(box.textContent);
  }
  const [region, record] = [document.querySelector(".scroll"), document.getElementById("record")];
  const right = region.scrollWidth - region.clientWidth - region.scrollLeft;
  if (right > 1 && !sign(region.parentNode, "::before")) cut.push("right");
  const hides = (one) => getComputedStyle(one).overflowY !== "visible"
    && one.scrollHeight - one.clientHeight - one.scrollTop > 1;
  if (hides(region) && !sign(region.parentNode, "::after")) cut.push("below");
  if (hides(record) && !sign(record, "::after")) cut.push("record");
  return cut;
}"""
# The focus goes down to the tenth row, and up to one that the record covers.
IN_SIGHT = """async () => {
  const record = document.querySelector("#record .value");
  const rows = document.querySelectorAll("tr.candidate");
  const region = document.querySelector(".scroll");
  const top = (element) => element.getBoundingClientRect().top;
  const seen = (element, part) => {
    const { left, top, height } = element.getBoundingClientRect();
    return part.contains(document.elementFromPoint(left + 4, top + height / 2));
  };
  const found = [];
  for (const [row, isCovered] of [[rows[9], false], [rows[1], true]]) {
    const tick = row.querySelector("input");
    const scroller = getComputedStyle(region).overflowY === "visible" ? window : region;
    if (isCovered) scroller.scrollBy(0, top(tick) - top(record));
    tick.focus();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    found.push(seen(record, record.closest("tbody")), seen(tick, row));
  }
  return found;
}"""
# All corners of what is said lie on the screen, and nothing covers them.
SAID_IN_SIGHT = """() => {
  const message = document.getElementById("message");
  const range = document.createRange();
  range.selectNodeContents(message);
  return [...range.getClientRects()].every(({ left, right, top, bottom }) =>
    [[left + 1, top + 1], [right - 1, bottom - 1]].every(
      ([x, y]) => document.elementFromPoint(x, y) === message));
}"""
# On a card what differs comes before what agrees, and that before what is empty.
DIFFERENT_FIRST = """() => [...document.querySelectorAll("tr.candidate")].every((row) => {
  const ranks = [...row.cells].slice(2).filter((cell) => cell.offsetHeight).map((cell) => {
    const isEmpty = cell.querySelector(".empty") !== null;
    return [cell.getBoundingClientRect().top, isEmpty ? 2 : cell.matches(".differs") ? 0 : 1];
  }).sort((a, b) => a[0] - b[0]).map(([, rank]) => rank);
  return ranks.length > 3 && ranks.every((rank, i) => i === 0 || ranks[i - 1] <= rank);
})"""
FOOTER_ON_TOP = """() => {
  const [footer, frame] = ["footer", ".frame"].map((one) => document.querySelector(one));
  const sign = Number(getComputedStyle(frame, "::after").zIndex) || 0;
  return Number(getComputedStyle(footer).zIndex) > sign;
}"""
BELOW_HEADER = """() => {
  const head = document.querySelector("thead");
  if (!head.offsetHeight) return true; // cards have none
  const [above, below] = [head.rows[0].cells[1], document.querySelector("#record td:nth-child(2)")];
  return above.getBoundingClientRect().bottom <= below.getBoundingClientRect().top + 1;
}"""
