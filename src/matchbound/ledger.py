"""The ledger of an audit: what was drawn, registered, labelled and certified, in order.

A line an entry, each with its own digest and that of the entry before, so that none can be edited,
dropped or moved unseen while a later one, or the certificate it records, is there to tell.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from matchbound.errors import EngineError, InputError
from matchbound.files import read_json

NAME = "ledger.jsonl"
Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Ledger:
    """The entries, what is wrong with them, and whether a crash left the last line unfinished."""

    entries: tuple[Entry, ...]
    problems: tuple[str, ...] = ()
    unfinished: bool = False

    @property
    def head(self) -> str:
        return str(self.entries[-1].get("digest")) if self.entries else ""

    def of_kind(self, kind: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.get("kind") == kind]


def read_ledger(folder: Path) -> Ledger:
    """All finished entries, and what does not fit."""
    try:
        data = (folder / NAME).read_bytes()
    except OSError as error:
        raise InputError(
            f"audit must hold {NAME} as `matchbound draw` wrote it, got {str(folder)!r} "
            f"({error.strerror}). Restore it, or draw again into another folder."
        ) from None
    *lines, rest = data.split(b"\n")
    entries = tuple(_parsed(line) for line in lines)
    return Ledger(entries, tuple(_problems(entries)), unfinished=bool(rest))


def append(folder: Path, kind: str, **facts: Any) -> Entry:
    """Add an entry, on disk when this returns; an unfinished line that a crash left is cut off."""
    path = folder / NAME
    try:
        with path.open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            ledger = sound_ledger(folder)
            _cut(path)
            entry = _entry(ledger, kind, facts)
            _write_line(file.fileno(), json.dumps(entry, ensure_ascii=False).encode() + b"\n")
    except OSError as error:
        raise EngineError(f"cannot write {path}: {error.strerror}. Make it writable.") from None
    return entry


def _write_line(file: int, line: bytes) -> None:
    """At the end of a file, whole; if the disk is full, not at all."""
    size = os.fstat(file).st_size
    try:
        while line:
            line = line[os.write(file, line) :]
        os.fsync(file)
    except BaseException:
        os.ftruncate(file, size)
        raise


def repair(folder: Path) -> None:
    """Cut off the line that a crash left unfinished."""
    try:
        _cut(folder / NAME)
    except OSError as error:
        raise EngineError(
            f"cannot write {folder / NAME}: {error.strerror}. Make it writable."
        ) from None


def _cut(path: Path) -> None:
    data = path.read_bytes()
    if data and not data.endswith(b"\n"):
        os.truncate(path, data.rfind(b"\n") + 1)


def sound_ledger(folder: Path) -> Ledger:
    """The ledger, refused if an entry was changed, dropped or moved."""
    ledger = read_ledger(folder)
    for problem in ledger.problems:
        raise InputError(
            f"audit must hold {NAME} as it was written, got one in which {problem}. Restore it."
        )
    return ledger


def _entry(ledger: Ledger, kind: str, facts: Mapping[str, Any]) -> Entry:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    number = len(ledger.entries) + 1
    entry = {"entry": number, "time": now, "kind": kind, **facts, "before": ledger.head}
    return entry | {"digest": _digest(entry)}


def _parsed(line: bytes) -> Entry:
    try:
        entry = read_json(line.decode())
    except (ValueError, RecursionError):
        entry = None
    return entry if isinstance(entry, dict) else {}


def _problems(entries: tuple[Entry, ...]) -> list[str]:
    """The first entry that was changed, dropped or moved; what follows it says no more."""
    before = ""
    for place, entry in enumerate(entries, start=1):
        body = {name: value for name, value in entry.items() if name != "digest"}
        number = entry.get("entry")
        if entry.get("digest") != _digest(body):
            return [f"entry {place} was changed"]
        if number != place:
            present = {other.get("entry") for other in entries}
            what = "stands elsewhere" if place in present else "is missing"
            return [f"entry {place} {what} (entry {number} is in its place)"]
        if entry.get("before") != before:
            return [f"entry {place} does not follow entry {place - 1}, which was changed"]
        before = entry["digest"]
    return []


def _digest(entry: Mapping[str, Any]) -> str:
    text = json.dumps(entry, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
