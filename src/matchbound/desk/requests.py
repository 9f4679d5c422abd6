"""The page's requests: read and check each one, call the desk or the material, and answer."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from matchbound.audits import CONFLICT, Page, Verdict
from matchbound.desk.desk import Desk
from matchbound.desk.door import LONGEST_NAME, check_name
from matchbound.desk.live import Live
from matchbound.desk.material import Material
from matchbound.errors import EngineError, InputError, MatchboundError

KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
ASSETS = ("page.html", "page.css", "page.js", "table.js", "differences.js", "asking.js", "icon.svg")
MOST_MATCHES = 1_000
LONGEST_NOTE = 2_000
OWN_NAME = "own name"
"""The name that the session stands for, added to each request; None if the page asks for one."""

Body = dict[str, Any]
"""A JSON object, as it comes in or goes out."""


class Requests:
    """One method for each request that the guard lets through; `search_line` is for the page."""

    def __init__(self, desk: Desk, material: Material, live: Live | str, search_line: str) -> None:
        self.desk, self.material, self.live = desk, material, live
        self.search_line = search_line

    def start(self, request: Body) -> Body:
        return {
            "fields": list(self.material.fields.names),
            "searchable": list(self.material.right.names),
            "how": self.search_line,
            "live": self.live if isinstance(self.live, str) else None,
            "answers": self.material.has_answers,
            "labeller": request[OWN_NAME],
            "ready": self.material.search.done(),
            "most": 1 if self.desk.draw.choices.one_to_one else MOST_MATCHES,
        }

    def next(self, request: Body) -> Body:
        labeller = _labeller(request)
        place = self.desk.next(labeller, take=request.get("take") is True)
        return self._node(labeller, place)

    def node(self, request: Body) -> Body:
        labeller, place = _labeller(request), _place(request)
        self.desk.check_may_open(labeller, place)
        return self._node(labeller, place)

    def label(self, request: Body) -> Body:
        labeller, place = _labeller(request), _place(request)
        matches, note = _matches(request), _text(request, "note", LONGEST_NOTE)
        self.material.check_known(matches or ())
        self.desk.label(labeller, place, matches, note, decides=request.get("decides") is True)
        return {"saved": place, "state": asdict(self.desk.state(labeller))}

    def undo(self, request: Body) -> Body:
        labeller = _labeller(request)
        return self._node(labeller, self.desk.undo(labeller))

    def search(self, request: Body) -> Body:
        labeller, place = _labeller(request), _place(request)
        self.desk.check_may_open(labeller, place)
        node, text = self.desk.order[place - 1], _text(request, "text", 10_000)
        results = self.material.results(text, node, request.get("field") or None)
        return {"found": [asdict(record) for record in results]}

    def answer(self, request: Body) -> Body:
        labeller, place = _labeller(request), _place(request)
        self.desk.show_answer(labeller, place)
        answer = self.material.answer(self.desk.order[place - 1])
        matches = None if answer.matches is None else answer.matches.items()
        return {
            "matches": None if matches is None else [{"id": y, "score": s} for y, s in matches],
            "scores": dict(answer.scores),
        }

    def bounds(self, request: Body) -> Body:
        if isinstance(self.live, str):
            return {"why": self.live}
        self.desk.watch(self.live.holdout)
        bounds = self.live.at(self.desk.labels())
        return (
            {"why": bounds} if isinstance(bounds, str) else asdict(bounds) | {"stop": bounds.stop}
        )

    def _node(self, labeller: str, place: int | None) -> Body:
        state = asdict(self.desk.state(labeller))
        if place is None:
            return {"place": None, "state": state}
        node, page = self.desk.order[place - 1], self.desk.book.pages.get(place)
        mine = None if page is None else page.own.get(labeller) or page.decision
        visible = page if page is not None and (mine or page.status == CONFLICT) else Page(())
        ticked = [y for verdict in visible.verdicts for y in verdict.matches or ()]
        others = visible.own.keys() - {labeller}
        return {
            "place": place,
            "record": asdict(self.material.record(node)),
            "candidates": [asdict(record) for record in self.material.proposed(node, ticked)],
            "mine": None if mine is None else _label(mine),
            "said": [_label(verdict) for verdict in visible.own.values()] if others else [],
            "conflict": page is not None and page.status == CONFLICT,
            "state": state,
        }


def _label(verdict: Verdict) -> Body:
    matches = None if verdict.matches is None else list(verdict.matches)
    return {"labeller": verdict.labeller, "matches": matches, "note": verdict.note}


def _labeller(request: Body) -> str:
    name, own = check_name(_text(request, "labeller", LONGEST_NAME)), request[OWN_NAME]
    if own is not None and name != own:
        raise InputError(
            f"labeller must be {own!r}, whose address this browser opened, got {name!r}. "
            "Reload the page."
        )
    return name


def _place(request: Body) -> int:
    place = request.get("place")
    if isinstance(place, str) and place.isascii() and place.isdecimal() and len(place) < 10:
        place = int(place)
    if not isinstance(place, int) or isinstance(place, bool):
        raise InputError(f"place must be a whole number, got {place!r}. Take the next node.")
    return place


def _matches(request: Body) -> list[str] | None:
    matches = request.get("matches", 0)
    if matches is None:
        return None
    if not isinstance(matches, list) or not all(isinstance(y, str) for y in matches):
        raise InputError("matches must be a list of ids, or null if unsure, got neither. Give one.")
    if len(matches) > MOST_MATCHES or len(set(matches)) < len(matches):
        raise InputError(
            f"matches must be at most {MOST_MATCHES} ids, each once, got {len(matches)}. Drop some."
        )
    return matches


def _text(request: Body, name: str, longest: int) -> str:
    text = request.get(name, "")
    if not isinstance(text, str) or len(text) > longest or not _is_unicode(text):
        raise InputError(f"{name} must be text of at most {longest} characters. Shorten it.")
    return text


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def build(requests: Requests) -> Starlette:
    """The application. It answers an error by a sentence."""
    read_only = ("start", "node", "search")
    routes = [
        Route("/", _asset("page.html")),
        *(Route(f"/{name}", _asset(name)) for name in ASSETS),
        *(Route(f"/api/{name}", _endpoint(getattr(requests, name))) for name in read_only),
        *(
            Route(f"/api/{name}", _endpoint(getattr(requests, name)), methods=["POST"])
            for name in ("next", "label", "undo", "answer", "bounds")  # these write to the ledger
        ),
    ]
    return Starlette(routes=routes, exception_handlers={HTTPException: _refuse})


def _asset(name: str) -> Callable[[Request], Awaitable[Response]]:
    content = (files("matchbound") / "desk" / "page" / name).read_bytes()
    kind = KINDS[name.rpartition(".")[2]]

    async def give(request: Request) -> Response:
        return Response(content, media_type=kind)

    return give


def _endpoint(act: Callable[[Body], Body]) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        try:
            body = await _body(request) | {OWN_NAME: request.scope["labeller"]}
            return JSONResponse(await run_in_threadpool(act, body))
        except EngineError as error:
            return JSONResponse({"error": str(error)}, 500)
        except MatchboundError as error:
            return JSONResponse({"error": str(error)}, 422)

    return respond


async def _body(request: Request) -> Body:
    if request.method == "GET":
        return dict(request.query_params)
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise InputError("the body must be a JSON object, got something else. Send one.")
    return body


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": f"There is no such page ({error.detail})."}, error.status_code)
