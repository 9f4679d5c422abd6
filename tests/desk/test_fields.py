"""The fields that people chose, and their order: the audit folder remembers them."""

import json

import pytest

from matchbound.desk.arrangement import NAME, Arrangement, arrange, read_arrangement
from matchbound.errors import InputError
from support.browsers import needs_browser, person
from support.desks import make_desk, serving

NAMES = ["first_name", "surname", "city", "born"]


def test_an_arrangement_is_remembered_and_fits_other_tables(tmp_path):
    assert read_arrangement(tmp_path, NAMES) == Arrangement(NAMES, [])
    chosen = {"shown": ["born", "city", "surname"], "hidden": ["first_name"]}
    arrange(tmp_path, NAMES, chosen)
    assert read_arrangement(tmp_path, NAMES) == Arrangement(
        ["born", "city", "surname"], ["first_name"]
    )
    # A field that is new is shown, last; one that is gone is not.
    assert read_arrangement(tmp_path, ["first_name", "new", "born"]) == Arrangement(
        ["born", "new"], ["first_name"]
    )
    assert read_arrangement(tmp_path, ["first_name"]) == Arrangement(["first_name"], ())


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"shown": NAMES},
        {"shown": [], "hidden": NAMES},
        {"shown": NAMES[:3], "hidden": []},
        {"shown": NAMES, "hidden": ["born"]},
        {"shown": [*NAMES[:3], 4], "hidden": []},
        {"shown": [*NAMES[:3], "other"], "hidden": []},
        {"shown": "born", "hidden": None},
    ],
)
def test_other_fields_are_refused(tmp_path, chosen):
    with pytest.raises(InputError, match="must name each of the 4 fields once, and one that is"):
        arrange(tmp_path, NAMES, chosen)
    assert not (tmp_path / NAME).exists()


@pytest.mark.parametrize("content", [b"mine", b"[1]", b'{"shown": "a"}', b"\xff", b"[" * 5_000])
def test_another_s_file_is_left_alone(tmp_path, content):
    (tmp_path / NAME).write_bytes(content)
    assert read_arrangement(tmp_path, NAMES) == Arrangement(NAMES, [])
    with pytest.raises(InputError, match=r"fields.json must be the page's own, got another file"):
        arrange(tmp_path, NAMES, {"shown": NAMES, "hidden": []})
    assert (tmp_path / NAME).read_bytes() == content


def heads(page):
    return page.locator("thead th:visible").all_text_contents()


@needs_browser
@pytest.mark.slow
def test_fields_are_chosen_by_keys_for_everybody_and_for_the_next_time(chromium, tmp_path):
    audit, _ = make_desk(tmp_path / "data", labels=6, train=0)
    with serving(audit) as client, person(chromium, client) as page:
        assert heads(page) == ["id", *NAMES]
        page.keyboard.press("1")
        page.wait_for_function("() => !document.body.dataset.waiting")
        before = page.locator("tr.candidate").count()
        ticked = page.input_value("tr.candidate input:checked")
        page.keyboard.press("c")
        page.wait_for_selector("#arrange[open]")
        for key in ("Space", "ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown"):
            page.keyboard.press(key)
        with page.expect_response("**/api/arrange"):
            page.keyboard.press("Enter")
        page.wait_for_function("() => !document.body.matches('.busy')")
        order = ["city", "born", "surname"]
        assert heads(page) == ["id", *order]
        # The rows have them too, and what was ticked stays so.
        assert (
            page.locator("#record td").evaluate_all(
                "all => all.slice(2).map(one => one.dataset.head)"
            )
            == order
        )
        assert page.locator("tr.candidate").count() == before
        assert page.input_value("tr.candidate input:checked") == ticked
        assert "1 field is hidden by choice" in page.text_content("#hidden")
        # Nothing changes that is not saved; no field at all cannot be saved.
        page.keyboard.press("c")
        for _ in range(3):
            page.keyboard.press("Space")
            page.keyboard.press("ArrowDown")
        assert page.is_disabled("#arrange-save")
        page.keyboard.press("Escape")
        page.wait_for_selector("#arrange:not([open])", state="attached")
        assert heads(page) == ["id", *order]
        with person(chromium, client, "Ben") as ben:
            assert heads(ben) == ["id", *order]
    assert json.loads((audit / NAME).read_text()) == {"shown": order, "hidden": ["first_name"]}
    with serving(audit) as client, person(chromium, client) as page:
        assert heads(page) == ["id", *order]
        page.click("#fields")
        page.click("#arrange button[value=all]")
        page.wait_for_function("() => document.querySelectorAll('thead th').length === 5")
        assert heads(page) == ["id", *NAMES]
