"""What the page shows is complete: what joins the list, and entities joined by one key."""

import random

import pytest

from support.audits import read_csv, run_seeded, write_csv
from support.browsers import after, needs_browser, person, settle, shown
from support.desks import serving
from support.labeller import Tables, label, of_clusters

pytestmark = [needs_browser, pytest.mark.slow]

LETTERS = random.Random(2)
WORDS = ["".join(LETTERS.choices("abcdefghijklmnopqrstuvwxyz", k=9)) for _ in range(120)]


def chain(length, start):
    """Records of one entity, each like its neighbours and unlike all others."""
    words = WORDS[start : start + 2 * length + 2]
    return [[" ".join(words[2 * i : 2 * i + 4]), "1"] for i in range(length)]


@pytest.fixture
def tables(tmp_path):
    """A chain of seven, six records that are alike, four that are alone."""
    values = [*chain(7, 0), *[["alike in everything", "2"]] * 6]
    values += [[" ".join(WORDS[100 + 4 * i : 104 + 4 * i]), "3"] for i in range(4)]
    rows = [[f"r{i}", *value] for i, value in enumerate(values)]
    clusters = [(row[0], row[2] if row[2] != "3" else row[0]) for row in rows]
    write_csv(tmp_path / "people.csv", ["id", "name"], [row[:2] for row in rows])
    return Tables(tmp_path / "people.csv", of_clusters(clusters))


def test_a_scripted_labeller_finds_every_match_without_a_search(tables, tmp_path):
    outcome = label(tables, tmp_path, 12)
    assert (outcome.matches, outcome.complete, outcome.wrong) == (1.0, 1.0, 0)
    assert any(node.joined for node in outcome.nodes)
    assert max(node.keys for node in outcome.nodes) <= 12


def dedupe_desk(tables, folder, *options):
    audit = folder / "audit"
    draw = ["draw", tables.records, "--labels", 17, "--dedupe", "--out", audit, *options]
    assert run_seeded("s", *draw) == 0
    return audit


def ids(page):
    return page.evaluate(
        "[...document.querySelectorAll('tr.candidate')].map(row => JSON.parse(row.dataset.ids))"
    )


def go_to(page, wanted):
    """Be unsure of nodes until one of these is shown."""
    while shown(page) not in wanted:
        page.wait_for_timeout(310)
        page.keyboard.press("u")
        settle(page)
    return shown(page)


def test_what_is_near_a_tick_joins_the_list(chromium, tables, tmp_path):
    audit = dedupe_desk(tables, tmp_path)
    with (
        serving(audit, "--records", tables.records, tables=False) as client,
        person(chromium, client) as page,
    ):
        # The end of a chain: one neighbour is near, and each tick brings the next.
        node = go_to(page, {"r0", "r6"})
        step = 1 if node == "r0" else -1
        before = ids(page)
        assert [f"r{int(node[1:]) + step}"] in before
        assert [f"r{int(node[1:]) + 2 * step}"] not in before
        place = before.index([f"r{int(node[1:]) + step}"])
        page.keyboard.press(str(place + 1))
        settle(page)
        assert ids(page)[: len(before)] == before  # what is there stays where it is
        many = len(ids(page)) - len(before)
        assert page.text_content("#message").startswith(f"{many} more row")
        assert [f"r{int(node[1:]) + 2 * step}"] in ids(page)
        # All that are shown are ticked by one key, again and again; the page says when to go on.
        for _ in range(8):
            page.keyboard.press("a")
            settle(page)
        assert {f"r{i}" for i in range(7)} - {node} <= {y for row in ids(page) for y in row}
        assert page.is_visible("#suggestion")
        page.keyboard.press("x")
        settle(page)
        # What a search finds is shown where it is listed.
        page.fill("#text", f"r{int(node[1:]) + step}")
        page.wait_for_selector("tr.there")
        assert "listed already" in page.text_content("#found tr.heading")


def test_alike_records_are_one_row_and_a_range_is_one_click(chromium, tables, tmp_path):
    audit = dedupe_desk(tables, tmp_path)
    alike = {f"r{i}" for i in range(7, 13)}
    with (
        serving(audit, "--records", tables.records, tables=False) as client,
        person(chromium, client) as page,
    ):
        node = go_to(page, alike)
        assert set(ids(page)[0]) == alike - {node}
        assert page.text_content("tr.candidate .many") == "×5"
        page.keyboard.press("1")
        settle(page)
        after(page, lambda: page.keyboard.press("Enter"))
        assert {y for x, y in read_csv(audit / "labels.csv") if x == node} == alike - {node}
        # Another of them: what was said is offered, first, and joined by one key.
        other = go_to(page, alike - {node})
        assert "Said before" in page.text_content("#candidates tr.heading")
        assert node in ids(page)[0]
        assert f"The same as {node}" in page.text_content("#join")
        page.keyboard.press("e")
        settle(page)
        after(page, lambda: page.keyboard.press("Enter"))
        labels = read_csv(audit / "labels.csv")
        assert {y for x, y in labels if x == other} == alike - {other}
        # A row of several can be taken apart, and rows be ticked from the top by one click.
        third = go_to(page, alike - {node, other})
        page.click("tr.candidate .many")
        assert all(len(row) == 1 for row in ids(page)[:5])
        page.locator("tr.candidate td:nth-child(3)").nth(2).click(modifiers=["Shift"])
        settle(page)
        assert page.locator("tr.candidate input:checked").count() == 3
        # Fewer than before: the other labels would change, and nothing is saved unasked.
        page.wait_for_timeout(310)
        page.keyboard.press("Enter")
        page.wait_for_selector("#confirm[open]")
        assert "loses" in page.text_content("#changes")
        page.keyboard.press("Escape")
        page.wait_for_selector("#confirm:not([open])", state="attached")
        assert read_csv(audit / "labels.csv") == labels
        settle(page)
        page.keyboard.press("Enter")
        page.wait_for_selector("#confirm[open]")
        page.wait_for_timeout(420)
        after(page, lambda: page.keyboard.press("Enter"))
        assert sum(x == third for x, _ in read_csv(audit / "labels.csv")) == 3


def ticked(page):
    rows = "[...document.querySelectorAll('tr.candidate:has(input:checked)')]"
    return page.evaluate(f"{rows}.map(row => JSON.parse(row.dataset.ids))")


def few(start):
    return start | {"most": 2}


def test_a_row_taken_apart_stays_so(chromium, tables, tmp_path):
    """Of alike records one was ticked: no way back to them, and no entity, ticks the others."""
    audit = dedupe_desk(tables, tmp_path)
    alike = {f"r{i}" for i in range(7, 13)}
    with (
        serving(audit, "--records", tables.records, tables=False) as client,
        person(chromium, client) as page,
    ):
        node = go_to(page, alike)
        page.click("tr.candidate .many")
        page.keyboard.press("1")
        settle(page)
        (one,) = ticked(page)
        after(page, lambda: page.keyboard.press("Enter"))
        for key in ("b", "z"):
            after(page, lambda key=key: page.keyboard.press(key))
            assert shown(page) == node
            assert ticked(page) == [one]
            page.keyboard.press("x")  # nor do others join it
            settle(page)
            assert ticked(page) == [one]
            after(page, lambda: page.keyboard.press("Enter"))
            assert [y for x, y in read_csv(audit / "labels.csv") if x == node] == one
        go_to(page, alike - {node, *one})
        # More than can be saved are not called more than are true.
        page.route("**/api/start*", lambda route: route.fulfill(json=few(route.fetch().json())))
        page.reload()
        page.wait_for_selector("tr.candidate")
        page.keyboard.press("1")
        settle(page)
        page.wait_for_timeout(310)
        page.keyboard.press("Enter")
        page.wait_for_selector("#message.wrong")
        assert "At most 2 matches of a node can be saved" in page.text_content("#message")
        page.keyboard.press("1")
        assert len(ids(page)[0]) == 5  # one row, of which two are an entity
        page.keyboard.press("e")
        settle(page)
        assert sorted(ticked(page)) == sorted([[node], one])
