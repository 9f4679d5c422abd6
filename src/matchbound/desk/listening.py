"""Find the one address that a page listens on, and listen."""

import errno
import ipaddress
import socket
from dataclasses import dataclass

from matchbound.errors import EngineError, InputError

HERE = "127.0.0.1"
QUEUE = 1000
"""Connections that the system keeps until the server accepts them."""

EVERYWHERE = ("", "*")
"""What means all addresses to some; the system takes the second for 127.0.0.1."""
NOT_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EINVAL)
"""What the system answers for an address that is another machine's, or of a kind that it lacks."""

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class Place:
    """An address of this machine: as a browser writes it in the Host header, and as a number."""

    host: str
    number: IPAddress

    @property
    def is_loopback(self) -> bool:
        return self.number.is_loopback


def find_place(listen: str, port: int) -> Place:
    """The address that `listen` means, however it is written; refuse "all addresses"."""
    numbers = _numbers(listen, port, socket.AI_NUMERICHOST)
    is_name = not numbers
    numbers = numbers or _numbers(listen, port)
    if listen in EVERYWHERE or any(number.is_unspecified for number in numbers):
        raise InputError(
            f"listen must be the one address that others reach this machine by, got {listen!r}. "
            "Name it: requests for any other are refused."
        )
    if not numbers:
        raise _not_here(listen)
    number = min(numbers, key=lambda number: number.version)
    if is_name:
        return Place(listen.lower(), number)
    return Place(f"[{number.compressed}]" if number.version == 6 else str(number), number)


def _numbers(listen: str, port: int, flags: int = 0) -> list[IPAddress]:
    """The addresses that the system would bind to; 0x0, 0 and ::0 are 0.0.0.0 and :: for it."""
    try:
        found = socket.getaddrinfo(listen, port, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, UnicodeError):
        return []
    numbers = [ipaddress.ip_address(address[0]) for *_, address in found]
    return [getattr(number, "ipv4_mapped", None) or number for number in numbers]


def _not_here(listen: str) -> InputError:
    return InputError(
        f"listen must be an address of this machine, got {listen!r}. Name one, such as {HERE}."
    )


def listen_at(place: Place, port: int) -> socket.socket:
    family = socket.AF_INET6 if place.number.version == 6 else socket.AF_INET
    listening = socket.socket(family)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((str(place.number), port))
        listening.listen(QUEUE)  # now: a browser can open the address as soon as it is printed
    except OSError as error:
        listening.close()
        if error.errno in NOT_HERE:
            raise _not_here(place.host) from None
        raise EngineError(
            f"cannot listen on {place.host}:{port}: {error.strerror}. Choose another --port."
        ) from None
    return listening
