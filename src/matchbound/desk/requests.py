"""The page's requests: each read, checked, handed on, answered."""

import json
from collections.abc import Awaitable, Callable
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
from matchbound.desk.live import Live
from matchbound.desk.material import Material
from matchbound.errors import EngineError, InputError, MatchboundError

KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
ASSETS = ("page.html", "page.css", "page.js", "table.js", "differences.js", "asking.js", "icon.svg")
MOST_MATCHES = 1_000
LONGEST_NOTE = 2_000
LONGEST_NAME = 80

Asked = dict[str, Any]


class Requests:
    """One method a request; what they are asked came through the guard."""

    def __init__(self, desk: Desk, material: Material, live: Live | str, how: str) -> None:
        self.desk, self.material, self.live, self.how = desk, material, live, how

    def start(self, asked: Asked) -> Asked:
        return {
            "fields": list(self.material.fields.names),
            "searchable": list(self.material.right.names),
            "how": self.how,
            "live": self.live if isinstance(self.live, str) else None,
            "answers": self.material.has_answers,
            "ready": self.material.search.done(),
            "most": 1 if self.desk.draw.choices.one_to_one else MOST_MATCHES,
        }

    def next(self, asked: Asked) -> Asked:
        labeller = _labeller(asked)
        place = self.desk.next(labeller, take=asked.get("take") is True)
        return self._node(labeller, place)

    def node(self, asked: Asked) -> Asked:
        labeller, place = _labeller(asked), _place(asked)
        self.desk.check_may_open(labeller, place)
        return self._node(labeller, place)

    def label(self, asked: Asked) -> Asked:
        labeller, place = _labeller(asked), _place(asked)
        matches, note = _matches(asked), _text(asked, "note", LONGEST_NOTE)
        self.material.check_known(matches or ())
        self.desk.label(labeller, place, matches, note, decides=asked.get("decides") is True)
        return {"saved": place, "state": self.desk.state(labeller)}

    def undo(self, asked: Asked) -> Asked:
        labeller = _labeller(asked)
        return self._node(labeller, self.desk.undo(labeller))

    def search(self, asked: Asked) -> Asked:
        labeller, place = _labeller(asked), _place(asked)
        self.desk.check_may_open(labeller, place)
        node, text = self.desk.order[place - 1], _text(asked, "text", 10_000)
        return {"found": self.material.found(text, node, asked.get("field") or None)}

    def answer(self, asked: Asked) -> Asked:
        labeller, place = _labeller(asked), _place(asked)
        self.desk.show_answer(labeller, place)
        return self.material.answer(self.desk.order[place - 1])

    def bounds(self, asked: Asked) -> Asked:
        if isinstance(self.live, str):
            return {"why": self.live}
        self.desk.watch(self.live.holdout)
        return self.live.at(self.desk.labels())

    def _node(self, labeller: str, place: int | None) -> Asked:
        state = self.desk.state(labeller)
        if place is None:
            return {"place": None, "state": state}
        node, page = self.desk.order[place - 1], self.desk.book.pages.get(place)
        mine = None if page is None else page.own.get(labeller) or page.decision
        told = page if page is not None and (mine or page.status == CONFLICT) else Page(())
        ticked = [y for verdict in told.verdicts for y in verdict.matches or ()]
        others = told.own.keys() - {labeller}
        return {
            "place": place,
            "record": self.material.record(node),
            "candidates": self.material.proposed(node, ticked),
            "mine": None if mine is None else _said(mine),
            "said": [_said(verdict) for verdict in told.own.values()] if others else [],
            "conflict": page is not None and page.status == CONFLICT,
            "state": state,
        }


def _said(verdict: Verdict) -> Asked:
    matches = None if verdict.matches is None else list(verdict.matches)
    return {"labeller": verdict.labeller, "matches": matches, "note": verdict.note}


def _labeller(asked: Asked) -> str:
    name = _text(asked, "labeller", LONGEST_NAME).strip()
    if not name or not name.isprintable():
        raise InputError(f"labeller must be a name, got {name!r}. Give yours.")
    return name


def _place(asked: Asked) -> int:
    place = asked.get("place")
    if isinstance(place, str) and place.isascii() and place.isdecimal() and len(place) < 10:
        place = int(place)
    if not isinstance(place, int) or isinstance(place, bool):
        raise InputError(f"place must be a whole number, got {place!r}. Take the next node.")
    return place


def _matches(asked: Asked) -> list[str] | None:
    matches = asked.get("matches", 0)
    if matches is None:
        return None
    if not isinstance(matches, list) or not all(isinstance(y, str) for y in matches):
        raise InputError("matches must be a list of ids, or null if unsure, got neither. Give one.")
    if len(matches) > MOST_MATCHES or len(set(matches)) < len(matches):
        raise InputError(
            f"matches must be at most {MOST_MATCHES} ids, each once, got {len(matches)}. Drop some."
        )
    return matches


def _text(asked: Asked, name: str, longest: int) -> str:
    text = asked.get(name, "")
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
    """The application; a refusal is a sentence."""
    getting = ("start", "node", "search")
    routes = [
        Route("/", _asset("page.html")),
        *(Route(f"/{name}", _asset(name)) for name in ASSETS),
        *(Route(f"/api/{name}", _endpoint(getattr(requests, name))) for name in getting),
        *(
            Route(f"/api/{name}", _endpoint(getattr(requests, name)), methods=["POST"])
            for name in ("next", "label", "undo", "answer", "bounds")  # what changes something
        ),
    ]
    return Starlette(routes=routes, exception_handlers={HTTPException: _refuse})


def _asset(name: str) -> Callable[[Request], Awaitable[Response]]:
    content = (files("matchbound") / "desk" / "page" / name).read_bytes()
    kind = KINDS[name.rpartition(".")[2]]

    async def give(request: Request) -> Response:
        return Response(content, media_type=kind)

    return give


def _endpoint(act: Callable[[Asked], Asked]) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        try:
            asked = await _asked(request)
            return JSONResponse(await run_in_threadpool(act, asked))
        except EngineError as error:
            return JSONResponse({"error": str(error)}, 500)
        except MatchboundError as error:
            return JSONResponse({"error": str(error)}, 422)

    return respond


async def _asked(request: Request) -> Asked:
    if request.method == "GET":
        return dict(request.query_params)
    try:
        asked = json.loads(await request.body())
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        raise InputError("the body must be a JSON object, got something else. Send one.")
    return asked


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": f"There is no such page ({error.detail})."}, error.status_code)
