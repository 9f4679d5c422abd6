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
