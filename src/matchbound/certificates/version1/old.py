"""An audit folder as version 1 left it, read to be moved."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matchbound.audits import (
    LEDGER,
    OLD_DRAW,
    OLD_LEDGER,
    Entry,
    Ledger,
    Transaction,
    last_draw,
    read_ledger,
)
from matchbound.certificates.record import Record
from matchbound.certificates.version1.certificate import Certificate
from matchbound.certificates.version1.folder import issued_facts
from matchbound.errors import InputError, MatchboundError
from matchbound.files import digest_of_text, is_file, read_json


@dataclass(frozen=True)
class Old:
    """What version 1 left in a folder: its ledger and draw.json, as bytes and as they are read.

    A line that a crash left unfinished is not among the ledger's.
    """

    folder: Path
    ledger: bytes
    draw: bytes
    entries: tuple[Entry, ...]
    record: Any

    @staticmethod
    def read(folder: Path, certificates: list[Path]) -> "Old":
        """Read a folder; refuse one that was changed."""
        ledger, entries = _finished(folder, certificates)
        draw, record = _draw_of(folder)
        _refuse_other(folder / OLD_LEDGER, ledger)
        _refuse_other(folder / OLD_DRAW, draw)
        last = last_draw(entries)
        if last is None or last["draw"] != record["digest"]:
            raise InputError(
                f"audit must hold the draw that is last in its ledger, got another in "
                f"{str(folder)!r}. Restore draw.json and sample.csv."
            )
        return Old(folder, ledger, draw, entries, record)


def _finished(folder: Path, certificates: list[Path]) -> tuple[bytes, tuple[Entry, ...]]:
    """The finished lines of the ledger, and that of a certificate which a crash left unfinished."""
    ledger = read_ledger(folder)
    finished = Transaction(folder, Ledger(ledger.entries))
    for certificate in _certificates(certificates) if ledger.unfinished else ():
        place = certificate.ledger
        if place is not None and (place.entries, place.head) == (len(ledger.entries), ledger.head):
            digest = certificate.digest
            finished.add("certificate", certificate=digest, **issued_facts(certificate))
            break
    data = (folder / LEDGER).read_bytes()[: ledger.size]
    return data + finished.waiting[folder / LEDGER], tuple(finished.entries)


def _certificates(paths: list[Path]) -> Iterator[Certificate]:
    """The certificates of version 1 in those files that are such, and as they were written."""
    for path in paths:
        try:
            record = Record.read(path)
            if record.version == 1 and not list(record.changed()):
                yield Certificate.of(record)
        except MatchboundError:
            continue


def _draw_of(folder: Path) -> tuple[bytes, Any]:
    """Version 1's draw.json; a move that was killed may have left it under its new name alone."""
    for path in (folder / "draw.json", folder / OLD_DRAW):
        try:
            data = path.read_bytes()
            record = read_json(data.decode())
            body = {name: value for name, value in record.items() if name != "digest"}
            is_whole = record["digest"] == digest_of_text(json.dumps(body, sort_keys=True))
        except (OSError, ValueError, KeyError, AttributeError, RecursionError):
            continue
        if is_whole and "sample_digest" in record:
            return data, record
    raise InputError(
        f"audit must hold draw.json as version 1 wrote it, got another or none in {str(folder)!r}. "
        "Restore it."
    )


def _refuse_other(path: Path, data: bytes) -> None:
    """Refuse a file that is not what a killed move left, or the beginning of it."""
    if is_file(path) and not data.startswith(path.read_bytes()):
        raise InputError(
            f"audit must have no other {path.name}, got one in {str(path.parent)!r}: the file of "
            "version 1 is to have this name. Rename yours."
        )
