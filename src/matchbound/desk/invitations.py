"""Invite people to the page: print addresses that work once, and open the browser."""

import html
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from matchbound.desk.keys import Keys
from matchbound.desk.site import Site
from matchbound.files import private_file, remove

SOON = 0.5
"""Seconds until the browser is opened: then the server answers."""


def invite(
    keys: Keys, site: Site, labeller: str | None, say: Callable[[str], None], lead: str = ""
) -> None:
    """Print an address for this labeller, or for anybody; once it was used, print another."""

    def again(client: str) -> None:
        invite(keys, site, labeller, say, f"Opened from {client}; for another browser, ")

    name = "" if labeller is None else f"{labeller}: "
    say(f"{lead}{name}{site.address(keys.token(labeller, again))}")


@contextmanager
def opening(keys: Keys, site: Site) -> Iterator[None]:
    """Open the page in the user's browser, soon.

    Every user of the machine can read the browser's command line. So it has the path of a file
    that only this user can read; the file leads to the page, and goes when it was used.
    """
    token = keys.token(None, lambda _: remove(path))
    with private_file("label.html", leading_to(site.address(token))) as path:
        timer = Timer(SOON, webbrowser.open, [path.as_uri()])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def leading_to(address: str) -> str:
    """The content of an HTML file that leads to an address."""
    address = html.escape(address)
    return (
        '<!doctype html><meta charset="utf-8">'
        f'<meta http-equiv="refresh" content="0; url={address}"><title>Label · matchbound</title>'
        f'<p><a href="{address}">To the labelling page</a></p>\n'
    )
