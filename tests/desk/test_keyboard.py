"""Everything on the page by keys alone: nothing here points or clicks."""

import pytest

from support.audits import read_csv, run, run_seeded, write_csv
from support.browsers import needs_browser, settle
from support.desks import serving

pytestmark = [needs_browser, pytest.mark.slow]
ENTITIES = [["r0", "r3"], ["r1", "r4"], ["r2", "r5"], ["s0", "s1", "s2", "s3"]]
SAME = {x: [y for y in entity if y != x] for entity in ENTITIES for x in entity}


@pytest.fixture
def audit(tmp_path):
    """Three people in two records each and one in four that are alike; guidelines beside them."""
    names = ["Mary Sue Barrow", "Bob Dylan Pike", "Carla Jane Moss"]
    rows = [[f"r{i}", f"{names[i % 3]}", f"Street {i}"] for i in range(6)]
    rows += [[f"s{i}", "Tom Alike", "Road"] for i in range(4)]
    people = write_csv(tmp_path / "people.csv", ["id", "name", "street"], rows)
    (tmp_path / "rules.md").write_text("# Rules\n\nSame person.\n")
    draw = ["draw", people, "--dedupe", "--labels", 8, "--train", 2, "--out", tmp_path / "audit"]
    assert run_seeded("s", *draw) == 0
    return tmp_path / "audit"


def tab_to(page, selector):
    """Press Tab until this has the focus, and see that the focus is shown and not covered."""
    for _ in range(150):
        page.keyboard.press("Tab")
        if page.evaluate("one => document.activeElement.matches(one)", selector):
            assert page.evaluate(FOCUS_IS_SEEN)
            return
    raise AssertionError(f"{selector} cannot be reached")


FOCUS_IS_SEEN = """() => {
  const one = document.activeElement;
  const { left, top, width, height } = one.getBoundingClientRect();
  const there = document.elementFromPoint(left + width / 2, top + height / 2);
  const isSeen = one.contains(there) || there.contains(one);
  return isSeen && getComputedStyle(one).outlineStyle !== "none";
}"""


def label(page, *keys):
    """Press keys of a node, of which the last saves, and confirm if others change too."""
    page.wait_for_timeout(320)
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_function("() => !document.body.dataset.waiting")
    page.wait_for_function(
        "() => document.querySelector('#confirm[open]') || !document.body.matches('.busy')"
    )
    if page.locator("#confirm[open]").count():
        page.wait_for_timeout(420)  # to read it
        page.keyboard.press("Enter")
    settle(page)


def test_an_audit_is_labelled_by_keys_alone(chromium, audit):
    options = ["--records", audit.parent / "people.csv", "--guidelines", audit.parent / "rules.md"]
    with serving(audit, *options, tables=False) as client:
        context = chromium.new_context()
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.goto(client.new_address())
        page.wait_for_selector("#start:not([hidden])")
        page.keyboard.type("Ann")  # the field has the focus
        page.keyboard.press("Enter")
        page.wait_for_selector("#work:not([hidden])", timeout=180_000)
        settle(page)
        for key, dialog in {"g": "#guide", "?": "#keys", "l": "#list", "c": "#arrange"}.items():
            page.keyboard.press(key)
            page.wait_for_selector(f"{dialog}[open]")
            page.keyboard.press("Escape")
            page.wait_for_selector(f"{dialog}:not([open])", state="attached")
        # Down the list, a tick, a search, a note, and later.
        page.keyboard.press("j")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Space")
        settle(page)
        assert page.locator("tr.candidate input:checked").count() == 1
        page.keyboard.press("Space")
        page.keyboard.press("/")
        page.keyboard.type("pike")
        page.keyboard.press("Enter")
        page.wait_for_selector("#found tr.heading")
        page.keyboard.press("Escape")
        page.keyboard.press("o")
        page.keyboard.type("by keys")
        page.keyboard.press("Escape")
        label(page, "u")
        # The training nodes are done: a key goes on, and none by a slip.
        while page.is_visible("#work"):
            label(page, "n")
        assert page.is_visible("#stop")
        page.keyboard.press("Enter")  # "It is on record", which it is not
        settle(page)
        assert page.is_visible("#stop")
        tab_to(page, "#proceed")
        page.keyboard.press("Enter")
        page.wait_for_selector("#work:not([hidden])")
        settle(page)
        # Rows that are alike are taken apart by Tab and Enter.
        apart = False
        while page.is_visible("#work"):
            if page.locator(".many").count() and not apart:
                tab_to(page, ".many")
                rows = page.locator("tr.candidate").count()
                page.keyboard.press("Enter")
                apart = page.locator("tr.candidate").count() > rows
            label(page, "a", "Enter") if page.is_visible("#join") else label(page, "1", "Enter")
        assert apart
        # The end: what is unsure, and the report.
        page.wait_for_selector("#end:not([hidden])")
        tab_to(page, "#end-text button")
        page.keyboard.press("Enter")
        page.wait_for_selector("#work:not([hidden])")
        assert page.input_value("#note") == "by keys"
        label(page, "n")
        page.wait_for_selector("#end:not([hidden])")
        tab_to(page, "#end-text a")
        with page.expect_popup() as popup:
            page.keyboard.press("Enter")
        popup.value.wait_for_load_state()
        assert "There is no report yet" in popup.value.text_content("body")
        context.close()
    assert len({x for x, _ in read_csv(audit / "labels.csv")}) == 8


def test_the_end_links_to_the_report(chromium, audit):
    holdout = write_csv(audit.parent / "holdout.csv", ["x", "y"], [["r0", "r3"], ["r1", "r4"]])
    with serving(audit, "--records", audit.parent / "people.csv", tables=False) as client:
        node = client.post("next")
        while node["state"]["stopped"] or node["place"] is not None:
            if node["place"] is not None:
                matches = SAME[node["record"]["id"]]
                client.post("label", place=node["place"], matches=matches)
            node = client.post("proceed" if node["place"] is None else "next")
        assert client.get("end")["commands"] == [
            f"matchbound certify {audit} --holdout MATCHES",
            f"matchbound report {audit}",
        ]
        assert run("register", audit, "--holdout", holdout) == 0
        commands = client.get("end")["commands"]
        assert commands == [f"matchbound certify {audit}", f"matchbound report {audit}"]
        assert [run(*command.split()[1:]) for command in commands] == [0, 0]
        context = chromium.new_context()
        page, said = context.new_page(), []
        page.goto(client.new_address())
        page.wait_for_url(f"{client.origin}/")
        page.fill("#name", "Ann")
        page.keyboard.press("Enter")
        page.wait_for_selector("#end:not([hidden])")
        context.on("console", lambda message: said.append(message.text))
        with page.expect_popup() as popup:
            page.click("#end-text a")
        popup.value.wait_for_selector("svg.bar")
        assert popup.value.text_content("h1") == "Matching certificate"
        width = popup.value.evaluate("getComputedStyle(document.querySelector('main')).maxWidth")
        assert width != "none"  # its styles are let through
        assert said == []
        context.close()
