"""The guard in front of the page's server: it lets through only requests of the page itself."""

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from matchbound.desk.keys import LIFETIME, Invitation, Keys, Session
from matchbound.desk.site import Site
from matchbound.errors import MatchboundError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST = 100_000  # bytes of a body
TOO_LONG = f"A body must be at most {MOST} bytes."
NO_SESSION = (
    "The token is missing or was used, or the session has ended: open the address that the server "
    "printed last, whole."
)
# No redirect: where another page or a file led here, the browser would still take what follows
# for its request and keep the cookie back. From this page on it is our own.
ENTRANCE = (
    '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/">'
    '<link rel="icon" href="/icon.svg"><title>Label · matchbound</title>'
    '<p><a href="/">To the labelling page</a></p>\n'
)
ERROR = (
    '<!doctype html><html lang="en"><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width">'
    "<title>Label · matchbound</title><h1>This address does not work any more</h1>"
    "<p>{}</p><p>The server prints it in the terminal in which it was started. If it was stopped, "
    "start it again: <code>matchbound label AUDIT</code>. Every label that was saved is there.</p>"
    "\n"
)
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

Headers = dict[str, list[str]]


class Guard:
    """Refuse requests with another Host or Origin, without a session, or with a bad body.

    A token opens a session. A body must be declared as JSON, be as long as announced, and not be
    too long. The application finds the session's labeller in the scope.
    """

    def __init__(self, app: "ASGIApp", site: Site, keys: Keys) -> None:
        self.app, self.site, self.keys = app, site, keys

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            return
        headers = _headers(scope)
        refusal = self._stranger(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
        elif (entered := self._enter(scope)) is not None:
            secret, invitation = entered
            await _answer(send, 200, ENTRANCE, [("set-cookie", self._cookie(secret))])
            with suppress(OSError, MatchboundError):  # who was let in is in, printed or not
                invitation.after(scope["client"][0])
        elif (session := self._session(scope, headers)) is None:
            await _answer(send, 403, NO_SESSION, is_page=_wants_page(scope, headers))
        elif (refusal := _bad_body(scope, headers)) is not None:
            await _answer(send, *refusal)
        else:
            await self._pass_on({**scope, "labeller": session.labeller}, receive, send)

    async def _pass_on(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        try:
            body = await _body(receive)
        except ConnectionError:
            return  # nobody is there to be answered
        if body is None:
            await _answer(send, 413, TOO_LONG)
        else:
            await self.app(scope, _replay(body), _with_headers(send))

    def _stranger(self, scope: "Scope", headers: Headers) -> tuple[int, str] | None:
        if len(headers.get("host", [])) != 1 or headers["host"][0] not in self.site.hosts:
            return 403, "The Host must be the one in the printed address."
        if any(origin not in self.site.origins for origin in headers.get("origin", [])):
            return 403, "The Origin must be this page's own."
        sites = headers.get("sec-fetch-site", [])
        if any(site not in ("same-origin", "none") for site in sites) and scope["path"] != "/":
            return 403, "The request must come from this page."
        return None

    def _enter(self, scope: "Scope") -> tuple[str, Invitation] | None:
        tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if scope["path"] != "/" or scope["method"] != "GET" or len(tokens) != 1:
            return None
        return self.keys.enter(tokens[0], scope["client"][0])

    def _session(self, scope: "Scope", headers: Headers) -> Session | None:
        secrets = _cookies(headers, self.site.cookie)
        sessions = [self.keys.session(secret, scope["client"][0]) for secret in secrets]
        return next((session for session in sessions if session is not None), None)

    def _cookie(self, secret: str) -> str:
        """The session's secret, kept from scripts, other sites and, with TLS, plain connections."""
        kept = f"Max-Age={LIFETIME}; Path=/; HttpOnly; SameSite=Strict"
        return f"{self.site.cookie}={secret}; {kept}{'; Secure' if self.site.is_secure else ''}"


def _headers(scope: "Scope") -> Headers:
    headers: Headers = {}
    for name, value in scope["headers"]:
        headers.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
    return headers


def _wants_page(scope: "Scope", headers: Headers) -> bool:
    """Whether a person opened an address, and not a script of the page."""
    return scope["path"] == "/" and any("text/html" in one for one in headers.get("accept", []))


def _cookies(headers: Headers, name: str) -> list[str]:
    """The values of the cookies of this name; other sites' cookies may hold anything."""
    cookies = [
        cookie.partition("=") for line in headers.get("cookie", []) for cookie in line.split(";")
    ]
    return [value.strip() for key, _, value in cookies if key.strip() == name]


def _bad_body(scope: "Scope", headers: Headers) -> tuple[int, str] | None:
    if scope["method"] not in ("GET", "HEAD"):
        declared = headers.get("content-type", [])
        if [value.split(";")[0].strip().lower() for value in declared] != ["application/json"]:
            return 415, "A body must be application/json."
    lengths = headers.get("content-length", ["0"])
    if any(not length.isdecimal() or int(length) > MOST for length in lengths):
        return 413, TOO_LONG
    return None


async def _body(receive: "Receive") -> bytes | None:
    """The whole body, or None if it is too long; ConnectionError if its end never came."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MOST:
            return None
    return body


def _replay(body: bytes) -> "Receive":
    """A function that the application receives the body from: the guard has read it already."""

    async def receive() -> "Message":
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _with_headers(send: "Send") -> "Send":
    async def sending(message: "Message") -> None:
        if message["type"] == "http.response.start":
            given = message.get("headers", [])
            names = {name.decode() for name, _ in given}
            ours = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n not in names]
            message = {**message, "headers": [*given, *ours]}
        await send(message)

    return sending


async def _answer(
    send: "Send",
    status: int,
    text: str,
    headers: list[tuple[str, str]] | None = None,
    *,
    is_page: bool = False,
) -> None:
    """Answer by a page, or by the sentence of an error: in JSON, or for a person (`is_page`)."""
    if status != 200:
        text = ERROR.format(text) if is_page else json.dumps({"error": text})
    is_page, body = is_page or status == 200, text.encode()
    kind = "text/html; charset=utf-8" if is_page else "application/json"
    usual = [("content-type", kind), ("content-length", str(len(body)))]
    every: list[Any] = [(n.encode(), v.encode()) for n, v in [*usual, *(headers or [])]]
    sending = _with_headers(send)
    await sending({"type": "http.response.start", "status": status, "headers": every})
    await sending({"type": "http.response.body", "body": body})
