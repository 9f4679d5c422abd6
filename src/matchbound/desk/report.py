"""The audit's report, as the page's last screen links to it."""

import html
import shlex
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from matchbound.files import LIMIT, read_bytes

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

REPORT = "report.html"
# It has styles of its own, and neither scripts nor anything from elsewhere.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
NONE_YET = (
    '<!doctype html><html lang="en"><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><title>Report · matchbound</title>'
    "<main><h1>There is no report yet</h1><p>Certify the labels, write the report, and load this "
    "page again:</p><pre>matchbound certify {0}\nmatchbound report {0}</pre></main>\n"
)


def give_report(folder: Path) -> "Callable[[Request], Awaitable[Response]]":
    """A function that answers with the report, or says how to make it."""
    from starlette.responses import HTMLResponse

    path, missing = folder / REPORT, NONE_YET.format(html.escape(shlex.quote(str(folder))))

    async def give(request: "Request") -> "Response":
        try:
            content = read_bytes(path, LIMIT)
        except OSError:
            return HTMLResponse(missing, 404)
        return HTMLResponse(content, headers={"content-security-policy": POLICY})

    return give
