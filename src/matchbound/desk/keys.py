"""Keys to the page: tokens that work once, and the sessions that they open."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from matchbound.files import digest_of_text

LIFETIME = 12 * 3600
"""Seconds after which a session ends."""


@dataclass(frozen=True)
class Invitation:
    """What a token stands for; `after` is called with the client's address once it was used."""

    labeller: str | None
    after: Callable[[str], None]


@dataclass(frozen=True)
class Session:
    """Somebody who came in by a token, from one address; without a name, the page asks for it."""

    labeller: str | None
    client: str
    ends: float


class Keys:
    """Tokens and sessions, by their digests: how long a look-up takes reveals nothing of them."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._invitations: dict[str, Invitation] = {}
        self._sessions: dict[str, Session] = {}

    def token(self, labeller: str | None, after: Callable[[str], None]) -> str:
        """Make a token that lets one browser in, once."""
        token = secrets.token_urlsafe(32)
        self._invitations[digest_of_text(token)] = Invitation(labeller, after)
        return token

    def enter(self, token: str, client: str) -> tuple[str, Invitation] | None:
        """Use a token up; return the secret of a new session, or None if no such token is left."""
        invitation = self._invitations.pop(digest_of_text(token), None)
        if invitation is None:
            return None
        secret = secrets.token_urlsafe(32)
        session = Session(invitation.labeller, client, self._now() + LIFETIME)
        self._sessions[digest_of_text(secret)] = session
        return secret, invitation

    def session(self, secret: str, client: str) -> Session | None:
        """The session of this secret, unless it has ended or comes from another address."""
        session = self._sessions.get(digest_of_text(secret))
        if session is None or session.client != client or session.ends <= self._now():
            return None
        return session
