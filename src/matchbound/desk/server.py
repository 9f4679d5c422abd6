"""Serve the labelling page on this machine: one server for an audit, until it is stopped."""

import secrets
import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any

from matchbound.audits import Audit, Draw, Searched, append, sound_ledger
from matchbound.desk.desk import Desk
from matchbound.desk.inputs import Inputs, open_inputs
from matchbound.errors import EngineError, InputError
from matchbound.files import alone

if TYPE_CHECKING:
    from os import PathLike

HERE = "127.0.0.1"


def label(
    audit: "str | PathLike[str]",
    inputs: Inputs,
    *,
    twice: int = 0,
    listen: str = HERE,
    port: int = 0,
    browser: bool = True,
    say: Callable[[str], None] = print,
) -> str:
    """Serve the page until it is interrupted; return a summary of the work in a sentence or two.

    `say` is called with the page's address first, which contains the token that requests need.
    """
    _check_installed()
    opened_audit = Audit.open(audit)
    folder, draw = opened_audit.own_folder, opened_audit.drawn
    _check_numbers(draw, twice, listen, port)
    opened_audit.check_on_record(sound_ledger(folder).entries)
    with alone(folder), _bound(listen, port) as listening:
        opened = open_inputs(opened_audit, inputs)
        desk = Desk(folder, draw, twice=twice)
        _record(folder, opened.search)
        _serve(desk, opened, listening, listen, browser, say)
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
    desk: Desk, opened: Any, listening: socket.socket, listen: str, browser: bool, say: Any
) -> None:
    import uvicorn

    from matchbound.desk.guard import Guard
    from matchbound.desk.requests import Requests, build

    port, token = listening.getsockname()[1], secrets.token_urlsafe(32)
    host = f"[{listen}]:{port}" if ":" in listen else f"{listen}:{port}"
    hosts = {host} | ({f"localhost:{port}"} if listen == HERE else set())
    search_line = f"True matches are looked for {opened.search.words}."
    app = build(Requests(desk, opened.material, opened.live, search_line))
    config = uvicorn.Config(
        Guard(app, hosts, token, f"matchbound-{port}"),
        lifespan="off",
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    address = f"http://{host}/?token={token}"
    say(address)
    if browser:
        Timer(0.5, webbrowser.open, [address]).start()
    with suppress(KeyboardInterrupt):  # Ctrl-C stops the page
        uvicorn.Server(config).run(sockets=[listening])


def _record(folder: Path, search: Searched) -> None:
    """Append to the ledger how true matches are searched for, unless its last such entry agrees."""
    recorded = [Searched.of(entry["search"]) for entry in sound_ledger(folder).of_kind("search")]
    if not recorded or recorded[-1] != search:
        append(folder, "search", search=search.as_dict())


def _check_numbers(draw: Draw, twice: int, listen: str, port: int) -> None:
    if not 0 <= twice <= len(draw.sample):
        raise InputError(
            f"twice must be from 0 to the {len(draw.sample)} drawn nodes, got {twice}. "
            "Choose fewer."
        )
    if not 0 <= port <= 65535:
        raise InputError(f"port must be from 0 to 65535, got {port}. Choose another.")
    if listen in ("", "0.0.0.0", "::"):
        raise InputError(
            f"listen must be the one address that others reach this machine by, got {listen!r}. "
            "Name it: requests for any other are refused."
        )


def _bound(listen: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in listen else socket.AF_INET)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((listen, port))
        listening.listen()  # now, so that a browser can open the address as soon as it is printed
    except OSError as error:
        listening.close()
        raise EngineError(
            f"cannot listen on {listen}:{port}: {error.strerror}. Choose another --port."
        ) from None
    return listening


def _check_installed() -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise EngineError(
            "the labelling page needs Starlette and uvicorn. Run: pip install 'matchbound[label]'."
        ) from None
