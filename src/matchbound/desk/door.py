"""The page's door: where the page listens, who may come in, and whether it is encrypted."""

import ssl
from dataclasses import dataclass, field
from pathlib import Path

from matchbound.desk.listening import HERE, Place, find_place
from matchbound.errors import InputError
from matchbound.files import is_file

LONGEST_NAME = 80


@dataclass(frozen=True)
class Door:
    """What a user says about the page's address; a value that was made can be used."""

    listen: str = HERE
    port: int = 0
    labellers: tuple[str, ...] = ()
    """Who may come in, each with a key of their own; if empty, the page asks for a name."""
    tls_cert: str | None = None
    tls_key: str | None = None
    place: Place = field(init=False)
    tls: ssl.SSLContext | None = field(init=False)

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise InputError(f"port must be from 0 to 65535, got {self.port}. Choose another.")
        object.__setattr__(self, "labellers", _names(self.labellers))
        object.__setattr__(self, "place", find_place(self.listen, self.port))
        if not self.place.is_loopback and not self.labellers:
            raise InputError(
                "labellers must be given where other machines can reach the page, got none for "
                f"listen {self.listen!r}. Name them: --labellers ana,ben."
            )
        object.__setattr__(self, "tls", _tls(self.tls_cert, self.tls_key))


def check_name(name: str) -> str:
    """A labeller's name without spaces around it, if it is one."""
    name = name.strip()
    if not name or not name.isprintable():
        raise InputError(f"labeller must be a name, got {name!r}. Give yours.")
    if len(name) > LONGEST_NAME:
        raise InputError(
            f"labeller must be text of at most {LONGEST_NAME} characters, got {len(name)}. "
            "Shorten it."
        )
    return name


def _names(labellers: tuple[str, ...]) -> tuple[str, ...]:
    names = tuple(check_name(name) for name in labellers)
    if len({name.casefold() for name in names}) < len(names):
        raise InputError(
            f"labellers must be different names, got {','.join(names)!r}. Name each once."
        )
    return names


def _tls(cert: str | None, key: str | None) -> ssl.SSLContext | None:
    """Load a certificate and its key, which must be a pair."""
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        raise InputError("tls_cert and tls_key must be given together, got one. Give both files.")
    for argument, path in {"tls_cert": cert, "tls_key": key}.items():
        if not is_file(Path(path)):
            raise InputError(f"{argument} must be a file, got {path!r}. Name a PEM file.")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        # An empty passphrase opens no key; without one, OpenSSL would ask at the terminal.
        context.load_cert_chain(cert, key, password="")
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise InputError(
            "tls_cert and tls_key must be a certificate and its key, readable PEM files without a "
            f"passphrase, got {cert!r} and {key!r} ({reason}). Name such a pair."
        ) from None
    return context
