"""The labelling page in a real browser, used as a person would."""

import pytest

from matchbound.audits.book import Book
from matchbound.audits.draw import Draw
from matchbound.audits.ledger import read_ledger
from matchbound.desk.desk import in_order
from matchbound.desk.invitations import leading_to
from support.audits import read_csv, run, write_csv
from support.browsers import after, needs_browser, person, shown
from support.desks import make_desk, next_address, running, serving

pytestmark = needs_browser


def find(page, node, y):
    """Search for the match by the record's own words, as a person would read them off."""
    words = page.locator("#record .value").all_text_contents()[1:]
    page.keyboard.press("/")
    page.keyboard.type(" ".join(words))
    page.wait_for_selector("#found tr.heading")
    page.keyboard.press("Enter")
    page.wait_for_selector(f"input[value='{y}']")
    page.keyboard.press("Escape")


def go_on(page):
    """Between the training and the validation nodes the page stops."""
    if page.is_visible("#stop"):
        page.click("#proceed")
        page.wait_for_selector("#work:not([hidden])")


def by_mouse(page, truth):
    go_on(page)
    node = shown(page)
    y = truth.get(node)
    if y is None:
        after(page, lambda: page.click("#none"))
        return
    if not page.locator(f"input[value='{y}']").count():
        find(page, node, y)
    page.check(f"input[value='{y}']")
    after(page, lambda: page.click("#save"))


def by_keyboard(page, truth):
    go_on(page)
    node = shown(page)
    y = truth.get(node)
    if y is None:
        after(page, lambda: page.keyboard.press("n"))
        return
    if not page.locator(f"input[value='{y}']").count():
        find(page, node, y)
    rows = page.locator("tr.candidate input").evaluate_all("all => all.map(one => one.value)")
    place = rows.index(y) + 1
    if place <= 9:
        page.keyboard.press(str(place))
    else:
        for _ in range(place):
            page.keyboard.press("j")
        page.keyboard.press("Space")
    after(page, lambda: page.keyboard.press("Enter"))


def test_a_person_labels_by_mouse_and_by_keyboard(chromium, tmp_path, capsys):
    audit, truth = make_desk(tmp_path / "data", labels=30, train=6)
    data, order = audit.parent, in_order(Draw.load(audit))
    with (
        serving(audit, "--candidates", data / "candidates.csv") as client,
        person(chromium, client) as page,
    ):
        assert "stopping when they look good would break them" in page.text_content("#why")
        assert page.is_hidden("#panel")
        for _ in range(10):
            by_mouse(page, truth)
        for _ in range(10):
            by_keyboard(page, truth)
        assert [x for x, _ in read_csv(audit / "labels.csv")] == order[:20]

        # A match that is neither a candidate nor among the nearest is found by search.
        while shown(page) not in truth:
            by_mouse(page, truth)
        y = truth[shown(page)]
        gone = "y => document.querySelector(`input[value='${y}']`).closest('tr').remove()"
        page.evaluate(gone, y)
        assert not page.locator(f"input[value='{y}']").count()
        by_mouse(page, truth)

        # A wrong label, taken back; an unsure one, with a note; a look back, and a reload.
        wrong = shown(page)
        after(page, lambda: page.keyboard.press("n"))
        after(page, lambda: page.keyboard.press("z"))
        assert shown(page) == wrong
        page.keyboard.press("o")
        page.keyboard.type("which of two?")
        page.keyboard.press("Enter")
        after(page, lambda: page.keyboard.press("u"))
        assert wrong not in {x for x, _ in read_csv(audit / "labels.csv")}
        assert page.text_content("#todo") == "0 to decide, 1 unsure"
        after(page, lambda: page.keyboard.press("b"))
        assert shown(page) == wrong
        assert page.input_value("#note") == "which of two?"
        by_keyboard(page, truth)
        here = shown(page)
        page.reload()
        page.wait_for_selector("#work:not([hidden])")
        assert shown(page) == here
        while page.is_visible("#work"):
            by_keyboard(page, truth)
        page.wait_for_selector("#end:not([hidden])")
        assert page.text_content("#end-title") == "All nodes are labelled"
    assert read_csv(audit / "labels.csv") == [[x, truth.get(x, "")] for x in order]
    assert run("certify", audit, "--holdout", data / "holdout.csv") == 0
    said = capsys.readouterr().out
    assert (
        "On the labelling page one person looked for them among the 320 records of right.csv"
        in said
    )
    assert "with candidates from candidates.csv, blind; 2 labels were changed." in said
    assert run("verify", audit) == 0


def test_the_answer_is_hidden_until_asked_for(chromium, tmp_path, capsys):
    audit, truth = make_desk(tmp_path / "data", labels=12, train=0)
    data = audit.parent
    with (
        serving(audit, "--holdout", data / "holdout.csv") as client,
        person(chromium, client) as page,
    ):
        answers = dict(read_csv(data / "holdout.csv"))
        first = shown(page)
        assert page.is_hidden("#answered")
        page.keyboard.press("m")  # beside n: a slip shows nothing
        assert "Press y" in page.text_content("#message")
        page.keyboard.press("j")
        page.keyboard.press("y")
        page.wait_for_timeout(200)
        assert page.is_hidden("#answered")
        page.keyboard.press("m")
        page.keyboard.press("y")
        page.wait_for_selector("#answered:not([hidden])")
        answer = answers.get(first, "none")
        assert page.text_content("#answered") == f"The matcher’s answer: {answer}."
        by_mouse(page, truth)
        assert page.is_hidden("#answered")
        for _ in range(11):
            by_mouse(page, truth)
    assert run("certify", audit, "--holdout", data / "holdout.csv") == 0
    assert "; a matcher's answer was shown for 1 nodes." in capsys.readouterr().out


def test_bounds_may_be_watched_in_an_anytime_draw(chromium, tmp_path, capsys):
    audit, truth = make_desk(tmp_path / "data", "--anytime", labels=60, train=2)
    data = audit.parent
    options = ["--holdout", data / "holdout.csv", "--target", "precision=0.5"]
    with serving(audit, *options) as client, person(chromium, client) as page:
        assert page.is_hidden("#bounds")
        page.keyboard.press("p")
        page.wait_for_selector("#bounds-text p")
        assert "labels must cover every node to train on" in page.text_content("#bounds-text")
        while "you may stop here" not in page.text_content("#bounds-text"):
            with page.expect_response("**/api/bounds"):
                by_keyboard(page, truth)
        page.wait_for_function("() => document.querySelectorAll('.bound').length === 2")
        bounds = page.locator(".bound b").all_text_contents()
        assert "target 0.5, reached" in page.text_content("#bounds-text")
    assert len({x for x, _ in read_csv(audit / "labels.csv")}) < 62
    assert (
        run("certify", audit, "--holdout", data / "holdout.csv", "--require", "precision=0.5") == 0
    )
    certificate = " ".join(capsys.readouterr().out.split())
    assert "; bounds were watched meanwhile." in certificate
    for bound in bounds:
        metric, sign, value = bound.split()
        assert f"{metric} of the holdout matcher {sign} {value}" in certificate


def test_two_people_and_a_decision(chromium, tmp_path):
    audit, truth = make_desk(tmp_path / "data", labels=6, train=0)
    order = in_order(Draw.load(audit))
    with serving(audit, "--twice", 2) as client:
        with person(chromium, client, "Ann") as ann, person(chromium, client, "Ben") as ben:
            assert shown(ann) == shown(ben) == order[0]
            by_keyboard(ann, truth)
            by_keyboard(ben, truth)
            after(ann, lambda: ann.keyboard.press("n"))
            assert ben.is_hidden("#said")  # what Ann said is not shown
            ben.keyboard.press("1")
            after(ben, lambda: ben.keyboard.press("Enter"))
            assert "1 to decide" in ben.text_content("#todo")
            after(ben, lambda: ben.keyboard.press("d"))
            assert shown(ben) == order[1]
            assert "Labelled differently" in ben.text_content("#said")
            assert ben.text_content("#said li").startswith("Ann (")
            assert ben.text_content("#said li").endswith("): no match")
            assert "Ben" not in ben.text_content("#said")
            assert not ben.locator("tr.candidate input:checked").count()  # not even their own
            by_mouse(ben, truth)
            for page in (ann, ben, ann, ben):
                if page.is_visible("#work"):
                    by_mouse(page, truth)
            ann.reload()
            ann.wait_for_selector("#end:not([hidden])")
            assert "they agreed on 1 (Cohen’s kappa 0." in ann.text_content("#end-text")
        client.process.send_signal(2)
        assert "Of 2 nodes that two labelled, they agreed on 1." in client.process.stdout.read()
    assert read_csv(audit / "labels.csv") == [[x, truth.get(x, "")] for x in order]


AWKWARD = [
    "<script>document.title = 'broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    "</table></body><h1>out",
    "مرحبا بالعالم \u202egnp.exe",
    "👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301\u0327 " + "\u0300" * 40,
    "x" * 100_000,
    "word " * 20_000,
    "",
    "&lt;b&gt; ' \" ` ${1+1} {{7*7}}",
    "=cmd|' /C calc'!A0",
]


@pytest.fixture
def awkward(tmp_path):
    audit, _ = make_desk(tmp_path / "data", labels=6, train=0)
    data = audit.parent
    header = ["id", "first_name", "<b>surname</b>", "city", "born"]
    for name in ("people.csv", "right.csv"):
        rows = read_csv(data / name)
        for i, row in enumerate(rows):
            row[1], row[2] = AWKWARD[i % len(AWKWARD)], AWKWARD[(i + 3) % len(AWKWARD)]
        write_csv(data / f"awkward_{name}", header, rows)
    return audit


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1280, "light"),
        (400, "dark"),
        pytest.param(1280, "dark", marks=pytest.mark.slow),
        pytest.param(400, "light", marks=pytest.mark.slow),
    ],
)
def test_records_are_text_whatever_they_hold(chromium, awkward, width, scheme):
    data = awkward.parent
    given = ["--records", data / "awkward_people.csv", "--against", data / "awkward_right.csv"]
    values = {row[0]: row[1:] for row in read_csv(data / "awkward_people.csv")}
    with (
        serving(awkward, *given, "--population", data / "people.csv") as client,
        person(chromium, client, width=width, scheme=scheme) as page,
    ):
        for _ in range(6 if (width, scheme) == (1280, "light") else 2):
            node = shown(page)
            cells = page.locator("#record td:not(.tick)").all_text_contents()[1:]
            for cell, value in zip(cells, values[node], strict=True):
                assert cell == (value or "—") or cell.startswith(value[:10_000] + " … (")
            check_layout(page, width)
            page.fill("#text", "script")
            page.wait_for_selector("#found tr.heading")
            check_layout(page, width)
            after(page, lambda: page.click("#unsure"))
        assert page.title() == "Label · matchbound"


def check_layout(page, width):
    """Nothing reaches beyond the page, nothing covers what must be pressed."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for button in ("#save", "#none", "#unsure", "#help"):
        box = page.locator(button).bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
        assert page.evaluate(
            "([id, x, y]) => document.elementFromPoint(x, y).closest(id) !== null",
            [button, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2],
        )
    heights = page.locator(".value").evaluate_all("all => all.map(one => one.offsetHeight)")
    assert max(heights) <= 120


def test_the_server_s_end_is_told(chromium, tmp_path):
    audit, _ = make_desk(tmp_path / "data", labels=5, train=0)
    with serving(audit) as client, person(chromium, client) as page:
        client.process.kill()
        client.process.wait()
        after(page, lambda: page.keyboard.press("n"))
        assert "nothing more is saved" in page.text_content("#message")
        assert page.locator("#message.wrong").count()
    assert not (audit / "labels.csv").exists()


def test_every_key_is_listed(chromium, tmp_path):
    audit, _ = make_desk(tmp_path / "data", labels=5, train=0)
    with serving(audit) as client, person(chromium, client) as page:
        page.keyboard.press("?")
        page.wait_for_selector("#keys[open]")
        listed = set(page.locator("#keys kbd").all_text_contents())
        script = client.ask("GET", "/page.js")[2].decode()
        keys = script.split("const keys = {")[1].split("};")[0]
        single = [line.split(":")[0].strip().strip('"') for line in keys.splitlines()]
        assert {key for key in single if len(key) == 1} <= listed
        page.keyboard.press("Escape")
        page.wait_for_selector("#keys:not([open])", state="attached")


def test_nothing_is_said_of_a_node_that_nobody_saw(chromium, tmp_path):
    audit, _ = make_desk(tmp_path / "data", labels=9, train=0)
    with serving(audit) as client, person(chromium, client) as page:
        page.wait_for_timeout(320)
        for _ in range(12):
            page.keyboard.down("n")  # held: the browser repeats it
            page.wait_for_timeout(20)
        page.keyboard.up("n")
        page.wait_for_timeout(400)
        page.dblclick("#none")
        page.wait_for_timeout(400)
        assert len(read_csv(audit / "labels.csv")) == 2
        page.keyboard.press("1")
        page.keyboard.press("b")
        assert "not saved" in page.text_content("#message")
        page.keyboard.press("1")
        after(page, lambda: page.keyboard.press("Shift+N"))
        assert len(read_csv(audit / "labels.csv")) == 3


def test_a_search_does_not_undo_a_tick(chromium, tmp_path):
    audit, _ = make_desk(tmp_path / "data", labels=5, train=0)
    with serving(audit) as client, person(chromium, client) as page:
        page.fill("#text", "smith")
        page.wait_for_selector("#found tr.candidate")
        page.keyboard.press("Escape")
        page.wait_for_timeout(300)
        assert page.locator("#found tr.candidate").count()
        page.check("#found tr.candidate:last-child input")
        ticked = page.input_value("#found input:checked")
        page.fill("#text", "leeds")
        page.wait_for_function(
            "y => document.querySelector('#found input').value === y", arg=ticked
        )
        assert page.is_checked(f"input[value='{ticked}']")
        page.fill("#text", "")
        page.wait_for_function("() => document.querySelectorAll('#found tr').length === 1")
        assert page.is_checked(f"input[value='{ticked}']")


def test_a_file_leads_a_labeller_with_a_key_to_the_page(chromium, tmp_path):
    """As the browser is opened: what another page or a file led to would get no strict cookie."""
    audit, truth = make_desk(tmp_path / "data", labels=5, train=0)
    with running(audit, "--labellers", "ana") as process:
        file = tmp_path / "label.html"
        file.write_text(leading_to(next_address(process)))
        context = chromium.new_context()
        page = context.new_page()
        page.goto(file.as_uri())
        page.wait_for_selector("#work:not([hidden])", timeout=180_000)
        assert "token" not in page.url
        assert page.text_content("#me") == "ana"
        assert page.is_disabled("#me")
        by_mouse(page, truth)
        assert page.evaluate("document.cookie") == ""
        context.close()
    book = Book.of(read_ledger(audit).entries)
    assert [verdict.labeller for verdict in book.live.values()] == ["ana"]
