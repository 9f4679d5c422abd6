"""Serve the labelling page on this machine: one server for an audit, until it is stopped."""

import socket
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from matchbound.audits import Audit, Remembered, Searched, sound_ledger, transaction
from matchbound.desk.desk import Desk
from matchbound.desk.door import Door
from matchbound.desk.inputs import Inputs, open_inputs
from matchbound.desk.invitations import invite, opening
from matchbound.desk.keys import Keys
from matchbound.desk.listening import listen_at
from matchbound.desk.site import Site
from matchbound.errors import EngineError, InputError
from matchbound.files import alone

if TYPE_CHECKING:
    from asyncio import Protocol
    from os import PathLike

    from matchbound.desk.requests import Requests


def label(
    audit: "str | PathLike[str]",
    inputs: Inputs,
    *,
    twice: int = 0,
    door: Door | None = None,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> str:
    """Serve the page until it is interrupted; return a summary of the work in a sentence or two.

    `say` is called with the page's address first, or with that of each labeller. An address works
    once; when it was used, `say` is called with another. The browser is opened for the user, not
    for labellers that have keys of their own.
    """
    _check_installed()
    from matchbound.desk.requests import Requests

    door = door or Door()
    opened_audit = Audit.open(audit)
    folder, draw = opened_audit.own_folder, opened_audit.drawn
    if not 0 <= twice <= len(draw.sample):
        raise InputError(
            f"twice must be from 0 to the {len(draw.sample)} drawn nodes, got {twice}. "
            "Choose fewer."
        )
    opened_audit.check_on_record(sound_ledger(folder).entries)
    inputs = inputs.with_remembered(opened_audit)
    with alone(folder), listen_at(door.place, door.port) as listening:
        opened = open_inputs(opened_audit, inputs)
        desk = Desk(folder, draw, twice=twice)
        _record(folder, opened.search, inputs.tables)
        search_line = f"True matches are looked for {opened.search.words}."
        requests = Requests(desk, opened.material, opened.live, search_line)
        _serve(requests, listening, door, browser and not door.labellers, say)
    return summary(desk)


def summary(desk: Desk) -> str:
    agreed, twice = desk.book.agreement()
    state = desk.state("")
    sentence = f"{len(desk.book.settled())} of {len(desk.order)} nodes are in labels.csv."
    if state.unsure or state.conflicts:
        sentence += (
            f" {len(state.unsure)} are unsure and {len(state.conflicts)} wait for a decision."
        )
    if twice:
        sentence += f" Of {twice} nodes that two labelled, they agreed on {agreed}."
    return sentence


def _serve(
    requests: "Requests",
    listening: socket.socket,
    door: Door,
    browser: bool,
    say: Callable[[str], None],
) -> None:
    import uvicorn

    from matchbound.desk.connections import AT_ONCE, IDLE, Connection, Server
    from matchbound.desk.guard import Guard
    from matchbound.desk.requests import build

    keys = Keys()
    site = Site(door.place.host, listening.getsockname()[1], door.tls is not None)
    config = uvicorn.Config(
        Guard(build(requests), site, keys),
        loop="asyncio",
        http=cast("type[Protocol]", partial(Connection, tls=door.tls)),
        ws="none",
        lifespan="off",
        backlog=AT_ONCE,
        proxy_headers=False,  # they would let a client choose its address
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_keep_alive=IDLE,
        timeout_graceful_shutdown=1,
    )
    for labeller in door.labellers or (None,):
        invite(keys, site, labeller, say)
    with (
        suppress(KeyboardInterrupt),  # Ctrl-C stops the page
        opening(keys, site) if browser else nullcontext(),
    ):
        Server(config).run(sockets=[listening])


def _record(folder: Path, search: Searched, tables: Sequence[Remembered]) -> None:
    """Append to the ledger how true matches are searched for, unless its last such entry agrees.

    The folder remembers the tables for the next time.
    """
    with transaction(folder) as ledger:
        recorded = [Searched.of(entry["search"]) for entry in ledger.ledger.of_kind("search")]
        if not recorded or recorded[-1] != search:
            ledger.add("search", search=search.as_dict())
        ledger.remember([table.path for table in tables], tables)


def _check_installed() -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise EngineError(
            "the labelling page needs Starlette and uvicorn. Run: pip install 'matchbound[label]'."
        ) from None
