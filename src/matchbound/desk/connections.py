"""Connections that bring a whole request soon, or make room for others."""

import asyncio
import socket
import ssl
from contextlib import suppress
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from matchbound.desk.listening import QUEUE

PATIENCE = 10.0
"""Seconds for a whole request, from the connection or the answer before it on."""
IDLE = 5
"""Seconds without a byte between two requests."""
MOST = 64
"""Connections that are kept. One more ends the one that has been waited for longest."""
AT_ONCE = 16
"""Connections that are accepted in one turn of the loop. It takes some turns to end those that are
too many; with them, those that are kept and the server's own files there must be fewer than 256,
the least number of open files that systems allow a process."""


class Server(uvicorn.Server):
    """A server whose queue is longer than what it accepts in one go; asyncio has one number."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(QUEUE)


class Connection(H11Protocol):
    """One client's connection; with `tls`, the handshake counts as a part of its request."""

    def __init__(self, *given: Any, tls: ssl.SSLContext | None = None, **named: Any) -> None:
        super().__init__(*given, **named)
        self.tls = tls
        self.is_open = tls is None
        self.early = b""
        self.waiting_since = 0.0
        self.deadline: asyncio.TimerHandle | None = None
        self.handshake: asyncio.Task[None] | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether the next thing to come is the client's: a request, or the rest of one."""
        return self.cycle is None or self.cycle.more_body or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.transport = transport
        self.connections.add(self)
        self._wait()
        self._make_room()
        if transport.is_closing():
            return  # every other connection is being answered
        if self.tls is None:
            super().connection_made(transport)
        else:
            transport.pause_reading()
            self.handshake = self.loop.create_task(self._shake_hands(transport, self.tls))

    async def _shake_hands(self, transport: asyncio.Transport, tls: ssl.SSLContext) -> None:
        """Start TLS here, not in asyncio's server, which would count no handshake as connection."""
        encrypted = None
        with suppress(OSError):  # the client left, speaks no TLS, or was too slow
            encrypted = await self.loop.start_tls(transport, self, tls, server_side=True)
        if encrypted is None or encrypted.is_closing():
            self.end()
        else:
            super().connection_made(encrypted)
            self.is_open = True
            self.data_received(self.early)

    def data_received(self, data: bytes) -> None:
        if not self.is_open:  # the request came along with the end of the handshake
            self.early += data
        elif data:
            super().data_received(data)

    def on_response_complete(self) -> None:
        self._wait()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def end(self) -> None:
        """Close the connection at once, without waiting for the client to read what was sent."""
        self._forget()
        self.transport.abort()

    def _wait(self) -> None:
        self.waiting_since = self.loop.time()
        if self.deadline is not None:
            self.deadline.cancel()
        self.deadline = self.loop.call_later(PATIENCE, self._end_if_waiting)

    def _end_if_waiting(self) -> None:
        if self.is_waiting:
            self.end()

    def _make_room(self) -> None:
        every = [one for one in self.connections if isinstance(one, Connection)]
        waiting = [one for one in every if one.is_waiting]
        if len(every) > MOST:
            min(waiting, key=lambda one: one.waiting_since).end()

    def _forget(self) -> None:
        self.connections.discard(self)
        if self.deadline is not None:
            self.deadline.cancel()
