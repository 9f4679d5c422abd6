"""The page's requests: read and check each one, call the desk or the material, and answer."""

import json
import shlex
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from matchbound.audits import CONFLICT, UNSURE, Page, Verdict
from matchbound.desk.ahead import Ahead
from matchbound.desk.arrangement import arrange, read_arrangement
from matchbound.desk.desk import Desk, UnconfirmedError
from matchbound.desk.door import LONGEST_NAME, check_name
from matchbound.desk.entities import signature
from matchbound.desk.live import Live
from matchbound.desk.looks import CANDIDATE, ENTITY, EXPANSION, LIKENESS, SEARCH, Looks
from matchbound.desk.material import Material, Shown
from matchbound.desk.report import give_report
from matchbound.errors import EngineError, InputError, MatchboundError

KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
LIST = ("list.js", "table.js", "cut.js", "entities.js", "confirm.js", "drafts.js")
DIFFERENCES = ("differences.js", "pairs.js", "words.js")
SCRIPTS = ("page.js", "asking.js", "labels.js", "guide.js", "fields.js", *LIST, *DIFFERENCES)
ASSETS = ("page.html", "page.css", *SCRIPTS, "icon.svg")
MOST_MATCHES = 1_000
PREPARED = 3  # nodes that are looked up in advance: more than anybody labels in a second
LONGEST_NOTE = 2_000
OWN_NAME = "own name"
"""The name that the session stands for, added to each request; None if the page asks for one."""

Body = dict[str, Any]
"""A JSON object, as it comes in or goes out."""


class Requests:
    """One method for each request that the guard lets through; `search_line` is for the page."""

    def __init__(self, desk: Desk, material: Material, live: Live | str, search_line: str) -> None:
        self.desk, self.material, self.live = desk, material, live
        self.search_line, self.looks = search_line, Looks()
        self._ahead = Ahead(material.proposed)

    def start(self, request: Body) -> Body:
        return {
            "fields": list(self.material.fields.names),
            "arrangement": asdict(read_arrangement(self.desk.folder, self.material.fields.names)),
            "searchable": list(self.material.right.names),
            "how": self.search_line,
            "live": self.live if isinstance(self.live, str) else None,
            "answers": self.material.has_answers,
            "labeller": request[OWN_NAME],
            "ready": self.material.search.done(),
            "most": 1 if self.desk.draw.choices.one_to_one else MOST_MATCHES,
            "names": list(self.desk.book.names.values()) if request[OWN_NAME] is None else [],
            "register": f"matchbound register {self._folder} --holdout MATCHES",
            "guidelines": self.material.guidelines,
        }

    @property
    def _folder(self) -> str:
        """The audit folder as a word of a command."""
        return shlex.quote(str(self.desk.folder))

    def arrange(self, request: Body) -> Body:
        """Choose the fields that are shown, and their order, for everybody."""
        return asdict(arrange(self.desk.folder, self.material.fields.names, request))

    def end(self, request: Body) -> Body:
        """The commands that come after labelling, in full."""
        holdout = "" if self.desk.has_matcher() else " --holdout MATCHES"
        certify = f"matchbound certify {self._folder}{holdout}"
        return {"commands": [certify, f"matchbound report {self._folder}"]}

    def _labeller(self, request: Body) -> str:
        return self.desk.named(_labeller(request))

    def next(self, request: Body) -> Body:
        labeller = self._labeller(request)
        take = request.get("take") is True
        place = self.desk.first(labeller, take=take)
        if place is not None and self.desk.stops_before(place):
            return self._node(labeller, None)
        return self._node(labeller, self.desk.next(labeller, take=take))

    def ahead(self, request: Body) -> Body:
        """The records of the node that comes after this one, for the page to prepare while this
        one is read. Another node may come, and others' labels are not told: `next` decides.
        """
        labeller, place = self._labeller(request), _place(request)
        self.desk.check_may_open(labeller, place)
        following = self.desk.following(labeller, place, PREPARED)
        if not following or self.desk.stops_before(following[0]):
            return {"record": None, "candidates": []}
        nodes = [self.desk.order[one - 1] for one in following]
        for node in nodes:
            self._ahead.begin(node)
        return {
            "record": asdict(self.material.record(nodes[0])),
            "candidates": [asdict(record) for record in self._ahead.get(nodes[0])],
        }

    def skip(self, request: Body) -> Body:
        labeller, place = self._labeller(request), _place(request)
        self.desk.skip(labeller, place)
        return self.next(request)

    def proceed(self, request: Body) -> Body:
        """Go on with the validation nodes, though no holdout matcher is on record."""
        self.desk.proceed(self._labeller(request))
        return self.next(request)

    def labels(self, request: Body) -> Body:
        """All labels as they stand, as far as this labeller may see them."""
        labeller, rows = self._labeller(request), []
        for place, page in sorted(self.desk.book.pages.items()):
            if not self.desk.may_see(labeller, place):
                continue  # another's, which this labeller may still be asked about
            mine, is_conflict = page.own.get(labeller), page.status == CONFLICT
            verdict = page.final
            matches = None if verdict is None or verdict.matches is None else list(verdict.matches)
            said = verdict or mine
            note = "" if said is None else said.note
            status = CONFLICT if is_conflict else None
            kind = status or (UNSURE if matches is None else "match" if matches else "none")
            node = self.desk.order[place - 1]
            row = {"place": place, "node": node, "kind": kind, "matches": matches, "note": note}
            rows.append(row)
        return {"labels": rows}

    def node(self, request: Body) -> Body:
        labeller, place = self._labeller(request), _place(request)
        self.desk.check_may_open(labeller, place)
        return self._node(labeller, place)

    def label(self, request: Body) -> Body:
        labeller, place = self._labeller(request), _place(request)
        matches, note = _matches(request), _text(request, "note", LONGEST_NOTE)
        self.material.check_known(matches or ())
        try:
            self.desk.label(
                labeller,
                place,
                matches,
                note,
                decides=request.get("decides") is True,
                seen=request.get("seen"),
                confirmed=_text(request, "confirmed", 64),
                looks=self.looks.counts(labeller, place, matches or ()),
            )
        except UnconfirmedError as error:
            changes = [asdict(change) | {"matches": None} for change in error.changes]
            return {"confirm": changes, "signature": signature(error.changes)}
        saved = {"saved": place, "state": asdict(self.desk.state(labeller))}
        if request.get("go_on") is True:
            with suppress(MatchboundError):  # it is saved; who asks for the next node is told why
                saved["next"] = self.next(request)
        return saved

    def undo(self, request: Body) -> Body:
        """Take back the last label; what it said stays ticked and written on the page."""
        labeller = self._labeller(request)
        last = self.desk.book.last_of(labeller)
        place = self.desk.undo(labeller)
        undone = None if last is None else _label(last)
        return self._node(labeller, place, undone["matches"] or () if undone else ()) | {
            "undone": undone
        }

    def search(self, request: Body) -> Body:
        labeller, place = self._labeller(request), _place(request)
        self.desk.check_may_open(labeller, place)
        node, text = self.desk.order[place - 1], _text(request, "text", 10_000)
        results = self.material.results(text, node, request.get("field") or None)
        return self._shown(labeller, place, results, SEARCH)

    def more(self, request: Body) -> Body:
        """Ten records more, the next in likeness."""
        labeller, place = self._labeller(request), _place(request)
        self.desk.check_may_open(labeller, place)
        listed = self.looks.listed(labeller, place)
        results = self.material.more(self.desk.order[place - 1], listed)
        return self._shown(labeller, place, results, LIKENESS)

    def around(self, request: Body) -> Body:
        """The records nearest to those that were just ticked."""
        labeller, place = self._labeller(request), _place(request)
        self.desk.check_may_open(labeller, place)
        ticked, listed = _matches(request) or [], self.looks.listed(labeller, place)
        self.material.check_known(ticked)
        results = self.material.around(self.desk.order[place - 1], ticked, listed)
        return self._shown(labeller, place, results, EXPANSION)

    def join(self, request: Body) -> Body:
        """All records of an entity that was labelled before, but the node itself."""
        labeller, place = self._labeller(request), _place(request)
        self.desk.check_may_open(labeller, place)
        node, member = self.desk.order[place - 1], _text(request, "member", 10_000)
        known = (one for one in self.desk.entities(labeller, place) if member in one)
        ids = [y for y in next(known, []) if y != node and y in self.material.right.rows]
        records = [self.material.candidate(y) for y in ids]
        return self._shown(labeller, place, records, ENTITY)

    def _shown(self, labeller: str, place: int, records: Sequence[Shown], way: str) -> Body:
        self.looks.add(labeller, place, [record.id for record in records], way)
        return {
            "found": [asdict(record) for record in records],
            "entities": self._entities(labeller, place, records),
        }

    def _entities(self, labeller: str, place: int, records: Iterable[Shown]) -> list[list[str]]:
        """The entities labelled before that the node or one of these records belongs to.

        The node's own comes first; the node is left out of it.
        """
        node, shown = self.desk.order[place - 1], {record.id for record in records}
        known = self.desk.entities(labeller, place)
        own = [[y for y in one if y != node] for one in known if node in one]
        return own + [one for one in known if node not in one and not shown.isdisjoint(one)]

    def _said_before(self, labeller: str, place: int) -> list[str]:
        """The labelled records of the node's own entity: each was said to be the same."""
        node, labelled = self.desk.order[place - 1], self.desk.labels().keys()
        entities = (one for one in self.desk.entities(labeller, place) if node in one)
        return [y for one in entities for y in one if y != node and y in labelled]

    def answer(self, request: Body) -> Body:
        labeller, place = self._labeller(request), _place(request)
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
        bounds, waits = self.live.at(self.desk.labels()), self.desk.waits_for()
        if isinstance(bounds, str):
            return {"why": bounds, "waits": waits}
        return asdict(bounds) | {"stop": bounds.stop, "waits": waits}

    def _node(self, labeller: str, place: int | None, also: Iterable[str] = ()) -> Body:
        state = asdict(self.desk.state(labeller))
        if place is None:
            return {"place": None, "elsewhere": self.desk.elsewhere(labeller), "state": state}
        node, page = self.desk.order[place - 1], self.desk.book.pages.get(place)
        is_conflict = page is not None and page.status == CONFLICT
        mine = None if page is None else page.decision or page.own.get(labeller)
        visible = page if page and self.desk.may_see(labeller, place) else Page(())
        ticked = [y for verdict in visible.verdicts for y in verdict.matches or ()] + [*also]
        decision = [] if visible.decision is None else [visible.decision]
        before = self._said_before(labeller, place)
        shown = self.material.proposed(node, ticked) if ticked else self._ahead.get(node)
        proposed = [one for one in shown if one.id not in before]
        self.looks.begin(labeller, place)
        self.looks.add(labeller, place, before, ENTITY)
        candidates = self.material.candidates.of(node)
        for record in proposed:
            way = CANDIDATE if record.id in candidates else LIKENESS
            self.looks.add(labeller, place, [record.id], way)
        return {
            "place": place,
            "record": asdict(self.material.record(node)),
            "before": [asdict(self.material.candidate(y)) for y in before],
            "candidates": [asdict(record) for record in proposed],
            "entities": self._entities(labeller, place, proposed),
            # Whoever decides looks again, and is not led by what they said before.
            "mine": None if mine is None or is_conflict else _label(mine),
            "said": [
                _label(verdict)
                for verdict in (*visible.own.values(), *decision)
                if not (is_conflict and verdict.labeller == labeller)
            ],
            "seen": 0 if mine is None else mine.entry,
            "conflict": is_conflict,
            "state": state,
        }


def _label(verdict: Verdict) -> Body:
    matches = None if verdict.matches is None else list(verdict.matches)
    return {
        "labeller": verdict.labeller,
        "matches": matches,
        "note": verdict.note,
        "decides": verdict.decides,
        "time": verdict.time,
    }


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
    read_only = ("start", "node", "search", "labels", "end")
    posted = (
        "ahead",
        "arrange",
        "skip",
        "proceed",
        "next",
        "label",
        "undo",
        "answer",
        "bounds",
        "more",
        "around",
        "join",
    )
    routes = [
        Route("/", _asset("page.html")),
        Route("/report", give_report(requests.desk.folder)),
        *(Route(f"/{name}", _asset(name)) for name in ASSETS),
        *(Route(f"/api/{name}", _endpoint(getattr(requests, name))) for name in read_only),
        *(
            Route(f"/api/{name}", _endpoint(getattr(requests, name)), methods=["POST"])
            for name in posted  # they write to the ledger, or have much to say
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
