"""The page does the right thing where people err, differ, pause, or come back."""

import json

import pytest

from matchbound.audits import sound_ledger
from matchbound.audits.book import Book
from support.audits import read_csv, run, run_seeded, write_csv
from support.browsers import after, needs_browser, person, settle, shown
from support.desks import make_desk, serving

pytestmark = [needs_browser, pytest.mark.slow]


def kinds(audit):
    return [entry["kind"] for entry in sound_ledger(audit).entries]


def ticked(page):
    return sorted(
        page.locator("tr.candidate input:checked").evaluate_all("all => all.map(one => one.value)")
    )


def say(page, key):
    """Press a key that saves, when the page takes it."""
    after(page, lambda: page.keyboard.press(key))
    settle(page)


def test_a_correction_changes_both_sides_after_one_confirmation(chromium, tmp_path):
    rows = [[f"r{i}", f"{name} {i}"] for i, name in enumerate(["Mary Sue", "Mary Sue", "Bob"])]
    people = write_csv(tmp_path / "people.csv", ["id", "name"], rows)
    audit = tmp_path / "audit"
    assert run_seeded("s", "draw", people, "--labels", 3, "--dedupe", "--out", audit) == 0
    with (
        serving(audit, "--records", people, tables=False) as client,
        person(chromium, client) as page,
    ):
        first = shown(page)
        page.keyboard.press("1")
        settle(page)
        other = page.input_value("tr.candidate input:checked")
        say(page, "Enter")
        while shown(page) != other:
            say(page, "u")
        page.keyboard.press("e")
        settle(page)
        say(page, "Enter")
        assert {tuple(row) for row in read_csv(audit / "labels.csv")} == {
            (first, other),
            (other, first),
        }
        page.keyboard.press("l")
        page.click(f"#list-rows button:has-text('{first}:')")
        page.wait_for_function(
            "x => document.querySelector('#record .value').textContent === x", arg=first
        )
        page.click("tr.candidate.ticked td:nth-child(3)")  # a click anywhere in the row
        page.wait_for_timeout(320)
        page.keyboard.press("n")
        page.wait_for_selector("#confirm[open]")
        page.keyboard.press("Enter")  # at once: nobody has read what would change
        page.wait_for_timeout(420)
        assert page.is_visible("#confirm")
        assert page.text_content("#changes") == f"{other} loses {first}"
        assert page.text_content("#changes strong.loses") == "loses"
        after(page, lambda: page.keyboard.press("Enter"))
        rows = {tuple(row) for row in read_csv(audit / "labels.csv")}
        assert {(first, ""), (other, "")} <= rows


def test_the_page_stops_between_training_and_validation(chromium, tmp_path):
    audit, _ = make_desk(tmp_path / "data", labels=6, train=3)
    guidelines = tmp_path / "rules.md"
    guidelines.write_text("# Rules\n\nSame **person**, any address.\n\n- <b>no</b> twins\n")
    options = ["--guidelines", guidelines]
    with serving(audit, *options) as client, person(chromium, client) as page:
        # The guidelines are at hand, as text.
        page.keyboard.press("g")
        assert page.text_content("#guide-text h3") == "Rules"
        assert page.text_content("#guide-text strong") == "person"
        assert page.text_content("#guide-text li") == "<b>no</b> twins"
        page.keyboard.press("Escape")
        # Skipped nodes come again, last.
        skipped = shown(page)
        say(page, "w")
        assert shown(page) != skipped
        say(page, "n")
        page.keyboard.press("o")
        page.keyboard.type("a note")
        page.keyboard.press("Escape")
        page.keyboard.press("1")
        settle(page)
        tick = page.input_value("tr.candidate input:checked")
        say(page, "Enter")
        assert shown(page) == skipped
        # Undo keeps the ticks and the note.
        say(page, "z")
        assert page.input_value("tr.candidate input:checked") == tick
        assert page.input_value("#note") == "a note"
        say(page, "Enter")
        # So does undo of “unsure”, and the node when it was left for another, or the last one.
        page.keyboard.press("o")
        page.keyboard.type("one of these?")
        page.keyboard.press("Escape")
        page.keyboard.press("2")
        settle(page)
        page.fill("#text", "smith")
        page.wait_for_selector("#found tr.candidate")
        page.keyboard.press("Escape")
        page.locator("#found input").last.check()
        settle(page)
        ticks = ticked(page)
        assert len(ticks) == 2
        for key in ("u", "w", "z"):
            page.wait_for_timeout(320)
            page.keyboard.press(key)
            if key == "u":
                page.wait_for_selector("#stop:not([hidden])")
                page.wait_for_timeout(320)
                page.click("#undo")
                page.wait_for_selector("#work:not([hidden])")
                assert ticked(page) == ticks
            settle(page)
            assert (shown(page) == skipped) == (key != "z")
        # The label before was taken back.
        assert page.input_value("tr.candidate input:checked") == tick
        say(page, "Enter")
        assert shown(page) == skipped
        assert ticked(page) == ticks
        assert page.input_value("#note") == "one of these?"
        page.fill("#note", "")
        page.keyboard.press("Escape")
        page.wait_for_timeout(320)
        page.keyboard.press("u")
        page.wait_for_selector("#stop:not([hidden])")
        assert page.text_content("#stop-title") == "3 of 3 training nodes done"
        assert "Put the holdout matcher on record now" in page.text_content("#stop")
        command = page.text_content("#stop-command")
        assert command == f"matchbound register {audit} --holdout MATCHES"
        page.click("#again")  # it is not
        settle(page)
        assert page.is_visible("#stop")
        page.click("#proceed")
        page.wait_for_selector("#work:not([hidden])")
        assert kinds(audit).count("proceed") == 1
        # All labels, by kind, and a way to each.
        page.keyboard.press("l")
        page.wait_for_selector("#list[open]")
        assert page.text_content("#list-count") == "3 of 3 labels"
        for kind, count in {"match": 1, "none": 1, "unsure": 1, "note": 1, "conflict": 0}.items():
            page.select_option("#filter", kind)
            assert page.locator("#list-rows li").count() == count
        page.select_option("#filter", "unsure")
        page.click("#list-rows button")
        page.wait_for_function(
            "x => document.querySelector('#record .value').textContent === x", arg=skipped
        )
        page.keyboard.press("f")
        settle(page)
        while page.is_visible("#work"):
            page.wait_for_timeout(320)
            page.keyboard.press("n")
            settle(page)
        # The end: a tally, what is unsure, and the next commands in full.
        end = page.text_content("#end-text")
        assert "1 with a match, " in end
        assert f"matchbound certify {audit}" in end
        assert f"matchbound report {audit}" in end
        assert page.locator("#end-text button").count() == 1  # the unsure one
    (search,) = [e["search"] for e in sound_ledger(audit).entries if e["kind"] == "search"]
    assert search["guidelines"]["path"] == "rules.md"
    assert json.dumps(search["guidelines"]["digest"]).isascii()


def test_a_matcher_on_record_needs_no_click(chromium, tmp_path):
    audit, _ = make_desk(tmp_path / "data", labels=6, train=1)
    with serving(audit) as client, person(chromium, client) as page:
        page.wait_for_timeout(320)
        page.keyboard.press("n")
        page.wait_for_selector("#stop:not([hidden])")
        assert run("register", audit, "--holdout", audit.parent / "holdout.csv") == 0
        page.click("#again")
        page.wait_for_selector("#work:not([hidden])")
        assert "proceed" not in kinds(audit)


def test_names_are_offered_and_an_old_address_says_what_to_do(chromium, tmp_path):
    audit, _ = make_desk(tmp_path / "data", labels=6, train=0)
    with serving(audit) as client:
        address = client.new_address()
        context = chromium.new_context()
        page = context.new_page()
        page.goto(address)
        page.wait_for_url(f"{client.origin}/")
        assert page.text_content("#names") == ""
        context.close()
        old = chromium.new_page()
        old.goto(address)
        assert "start it again: matchbound label AUDIT" in old.text_content("body")
        old.close()
        with person(chromium, client, "Ann") as ann:
            say(ann, "n")
        with person(chromium, client, "ANN") as ann:  # the same person
            say(ann, "n")
        context = chromium.new_context()
        page = context.new_page()
        page.goto(client.new_address())
        page.wait_for_url(f"{client.origin}/")
        page.click("#names button:has-text('Ann')")
        page.wait_for_selector("#work:not([hidden])")
        assert page.text_content("#progress").startswith("2 of 6 done")
        context.close()
        with person(chromium, client, "Ben") as ben:  # the progress is everybody's
            assert ben.text_content("#progress").startswith("2 of 6 done")
    assert list(Book.of(sound_ledger(audit).entries).names.values()) == ["Ann"]


def test_bounds_say_what_they_wait_for_and_the_target_stops(chromium, tmp_path):
    audit, truth = make_desk(tmp_path / "data", "--anytime", labels=60, train=0)
    options = ["--holdout", audit.parent / "holdout.csv", "--target", "precision=0.3"]
    with (
        serving(audit, "--twice", 2, *options) as client,
        person(chromium, client, "Ann") as ann,
        person(chromium, client, "Ben") as ben,
    ):
        ann.keyboard.press("p")  # before the first label
        ann.wait_for_selector("#bounds-text p")
        for page, key in ((ann, "n"), (ben, "1")):
            if key != "n":
                page.keyboard.press(key)
                settle(page)
            say(page, "n" if key == "n" else "Enter")
        for _ in range(4):
            _true(ann, truth)
        ann.wait_for_function(
            "() => document.getElementById('bounds-text').textContent.includes("
            "'Only labels before node 1 count: it waits for a decision (d).')"
        )
        after(ann, lambda: ann.keyboard.press("d"))
        assert "Ann" not in ann.text_content("#said")
        _true(ann, truth)
        while not ann.locator("#stop-here").count():
            with ann.expect_response("**/api/bounds"):
                _true(ann, truth)
            settle(ann)
            ann.wait_for_timeout(50)
        ann.click("#stop-here")
        ann.wait_for_selector("#end:not([hidden])")
        assert ann.text_content("#end-title") == "Stopped: the target is reached"
        assert ann.is_visible("#bounds")  # also here
        assert "matchbound certify" in ann.text_content("#end-text")


def from_the_list(page, place):
    page.wait_for_timeout(320)
    page.keyboard.press("l")
    page.click(f"#list-rows button:has-text('{place} · ')")
    page.wait_for_selector("#list:not([open])", state="attached")
    settle(page)


def test_an_opened_label_says_who_gave_it(chromium, tmp_path):
    audit, _ = make_desk(tmp_path / "data", labels=6, train=0)
    with (
        serving(audit, "--twice", 1) as client,
        person(chromium, client, "Ann") as ann,
        person(chromium, client, "Ben") as ben,
    ):
        say(ann, "n")
        assert ben.is_hidden("#said")  # the second look is blind
        say(ann, "n")
        from_the_list(ben, 2)
        text = ben.text_content("#said")
        assert text.startswith("This node was labelled before.Ann (")
        assert text.endswith("): no match")
        assert not ben.locator("#said.conflict").count()  # nothing is wrong
        assert ben.evaluate("new Date().getFullYear().toString()") in text
        assert not ben.locator("#list-rows button:has-text('1 · ')").count()


def test_a_stale_page_replaces_no_decision(chromium, tmp_path):
    audit, _ = make_desk(tmp_path / "data", labels=6, train=0)
    with (
        serving(audit, "--twice", 1) as client,
        person(chromium, client, "Ann", refusals=1) as ann,
        person(chromium, client, "Ben") as ben,
    ):
        say(ann, "n")
        ben.keyboard.press("1")
        settle(ben)
        decided = ticked(ben)
        say(ben, "Enter")
        for page in (ann, ben):
            from_the_list(page, 1)
            assert "What you save now decides" in page.text_content("#said.conflict")
        ann.keyboard.press("2")
        settle(ann)
        ben.locator(f"input[value='{decided[0]}']").check()
        settle(ben)
        say(ben, "Enter")
        before, ticks = read_csv(audit / "labels.csv"), ticked(ann)
        assert [y for _, y in before] == decided
        say(ann, "Enter")
        assert "before Ben changed its label. Nothing was saved." in ann.text_content("#message")
        assert read_csv(audit / "labels.csv") == before
        assert ticked(ann) == ticks  # they are kept
        from_the_list(ann, 1)
        assert "Ben decided (" in ann.text_content("#said")
        assert ticked(ann) == decided


def _true(page, truth):
    """Label the node by the truth, by search if it must be."""
    y = truth.get(shown(page))
    if y is None:
        return say(page, "n")
    tick = page.locator(f"input[value='{y}']")
    if not tick.count():
        page.fill("#text", y)
        page.wait_for_selector(f"input[value='{y}']")
        page.keyboard.press("Escape")
    tick.check()
    settle(page)
    return say(page, "Enter")


def test_kappa_is_cohen_s():
    """Against the definition, with labels of one node each as categories."""
    entries = [{"kind": "labeller", "entry": 1, "labeller": 1, "name": "Ann"}]
    entries.append({"kind": "labeller", "entry": 2, "labeller": 2, "name": "Ben"})
    said = [([], []), (["b"], ["b"]), ([], ["c"]), (["d"], []), ([], [])]
    for place, pair in enumerate(said, start=1):
        for labeller, matches in enumerate(pair, start=1):
            label = {"node": f"a{place}", "matches": matches, "note": ""}
            facts = {"place": place, "labeller": labeller, "decides": False, "label": label}
            entries.append({"kind": "label", "entry": len(entries) + 1, **facts})
    agreed = 3 / 5
    chance = (3 / 5) * (3 / 5) + (1 / 5) * (1 / 5)  # none; {b}
    assert Book.of(entries).kappa() == pytest.approx((agreed - chance) / (1 - chance))
    assert Book().kappa() is None
