"""A real browser, offline: Chromium as the system has it."""

import os
import shutil
from contextlib import contextmanager

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(
    CHROMIUM is None and "browser" not in os.environ.get("MATCHBOUND_NEEDS", ""),
    reason="needs Chromium",
)


@contextmanager
def opened(address, width=1280, scheme="light", javascript=True):
    """A page, and what its console said; the network is off."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            offline=True,
            java_script_enabled=javascript,
        )
        page, said, asked = context.new_page(), [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        assert asked == [address]
        yield page, said
        browser.close()


SERVER_GONE = ("ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE")
"""What Chromium says of a request to a server that was killed, before or during the request."""


@contextmanager
def person(chromium, client, name="Ann", width=1280, scheme="light", refusals=0):
    """Somebody at the page, past its first question.

    The console must stay empty, except for this many refused requests.
    """
    view = {"width": width, "height": 900}
    context = chromium.new_context(viewport=view, color_scheme=scheme)
    page, said, asked = context.new_page(), [], []
    page.set_default_timeout(20_000)
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(client.new_address())
    page.wait_for_url(f"{client.origin}/")
    page.fill("#name", name)
    page.click("#who button")
    # The first search of a fresh installation is compiled.
    page.wait_for_selector("#work:not([hidden]), #end:not([hidden])", timeout=180_000)
    yield page
    refused = [text for text in said if "status of 422" in text]
    assert len(refused) == refusals
    assert [text for text in said if not any(error in text for error in SERVER_GONE)] == refused
    assert {url.split("/")[2] for url in asked} == {client.host}
    context.close()


def settle(page):
    """Wait until the page has nothing under way."""
    page.wait_for_function(
        "() => !document.body.dataset.waiting && !document.body.matches('.busy')"
    )


def shown(page):
    return page.text_content("#record .value")


def after(page, act):
    """Look, do something, and wait until the page has gone on from it."""
    page.wait_for_timeout(320)
    before = page.text_content("#message") + str(page.text_content("#record"))
    act()
    page.wait_for_function(
        "before => document.getElementById('message').textContent + "
        "document.getElementById('record').textContent !== before "
        "&& !document.body.classList.contains('busy')",
        arg=before,
    )
