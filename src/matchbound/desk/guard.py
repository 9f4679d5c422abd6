"""The guard in front of the page's server: it lets through only requests of the page itself."""

import json
import secrets
from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST = 100_000  # bytes of a body
TOO_LONG = f"A body must be at most {MOST} bytes."
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


class Guard:
    """Refuse requests with another Host or Origin, without the token, or with a bad body.

    A body must be declared as JSON, and must not be too long.
    """

    def __init__(self, app: "ASGIApp", hosts: Collection[str], token: str, cookie: str) -> None:
        self.app, self.hosts, self.token, self.cookie = app, hosts, token, cookie

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _answer(send, *refusal)
        elif self._brings_token(scope):
            cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
            await _answer(send, 303, "", [("location", "/"), ("set-cookie", cookie)])
        elif (body := await _body(receive)) is None:
            await _answer(send, 413, TOO_LONG)
        else:
            await self.app(scope, _replay(body), _with_headers(send))

    def _refusal(self, scope: "Scope") -> tuple[int, str] | None:
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
        if len(headers.get("host", [])) != 1 or headers["host"][0] not in self.hosts:
            return 403, "The Host must be the one in the printed address."
        origins = {f"http://{host}" for host in self.hosts}
        if any(origin not in origins for origin in headers.get("origin", [])):
            return 403, "The Origin must be this page's own."
        sites = headers.get("sec-fetch-site", [])
        if any(site not in ("same-origin", "none") for site in sites) and scope["path"] != "/":
            return 403, "The request must come from this page."
        if not (self._brings_token(scope) or self._has_cookie(headers.get("cookie", []))):
            return 403, "The token is missing: open the printed address, whole."
        if scope["method"] not in ("GET", "HEAD"):
            declared = headers.get("content-type", [])
            if [value.split(";")[0].strip().lower() for value in declared] != ["application/json"]:
                return 415, "A body must be application/json."
        lengths = headers.get("content-length", ["0"])
        if any(not length.isdecimal() or int(length) > MOST for length in lengths):
            return 413, TOO_LONG
        return None

    def _brings_token(self, scope: "Scope") -> bool:
        tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        is_page = scope["path"] == "/" and scope["method"] == "GET"
        return is_page and len(tokens) == 1 and self._is_token(tokens[0])

    def _has_cookie(self, cookies: list[str]) -> bool:
        try:
            morsels = [SimpleCookie(text).get(self.cookie) for text in cookies]
        except CookieError:
            return False
        return any(morsel is not None and self._is_token(morsel.value) for morsel in morsels)

    def _is_token(self, text: str) -> bool:
        return secrets.compare_digest(text.encode(), self.token.encode())


async def _body(receive: "Receive") -> bytes | None:
    """The whole body, or None if it is too long."""
    body, more = b"", True
    while more:
        message = await receive()
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
            ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *ours]}
        await send(message)

    return sending


async def _answer(
    send: "Send", status: int, sentence: str, headers: list[tuple[str, str]] | None = None
) -> None:
    body = json.dumps({"error": sentence}).encode() if sentence else b""
    usual = [("content-type", "application/json"), ("content-length", str(len(body)))]
    every: list[Any] = [(n.encode(), v.encode()) for n, v in [*usual, *(headers or [])]]
    sending = _with_headers(send)
    await sending({"type": "http.response.start", "status": status, "headers": every})
    await sending({"type": "http.response.body", "body": body})
