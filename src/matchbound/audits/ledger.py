"""The ledger of an audit: what was drawn, registered, labelled and certified, in order.

A line an entry, each with its own digest and that of the entry before, so that none can be edited,
dropped or moved unseen while a later one, or the certificate it records, is there to tell.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from matchbound.errors import EngineError, InputError, MatchboundError
from matchbound.files import is_file, is_folder, read_json, sync

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


def since_draw(entries: Sequence[Entry]) -> Sequence[Entry]:
    """The entries after the latest draw that made a seed: those about its nodes."""
    fresh = [i for i, one in enumerate(entries) if one["kind"] == "draw" and "extends" not in one]
    return entries[fresh[-1] + 1 :] if fresh else entries


def validation_labels(entries: Sequence[Entry]) -> int:
    """How many of the draw's validation nodes have labels on record, undone ones included."""
    latest = since_draw(entries)
    counts = [0, *(int(entry["validation"]) for entry in latest if entry["kind"] == "labels")]
    each = {e["place"] for e in latest if e["kind"] == "label" and e["validation"]}
    return max(*counts, len(each))


class Transaction:
    """The ledger under its lock: nobody else appends until it ends."""

    def __init__(self, folder: Path, file: BinaryIO) -> None:
        self.folder, self._file, self._waiting = folder, file, b""
        self.was_cut = _cut(folder / NAME)
        self._start = file.seek(0, os.SEEK_END)
        self.entries = list(sound_ledger(folder).entries)
        if not self._start:
            sync(folder)  # so that the file's name outlives a crash

    def add(self, kind: str, **facts: Any) -> Entry:
        """An entry to be written by the next `commit`, together with the others."""
        head = str(self.entries[-1]["digest"]) if self.entries else ""
        entry = _entry(len(self.entries) + 1, head, kind, facts)
        self._waiting += _line(entry)
        self.entries.append(entry)
        return entry

    def commit(self, *, final: bool = False) -> None:
        """Write what was added, all or nothing. `final`: a later error does not undo it."""
        waiting, self._waiting = self._waiting, b""
        self._file.seek(0, os.SEEK_END)
        try:
            _write(self._file.fileno(), waiting)
        except OSError as error:
            raise _unwritable(self.folder, error) from None
        if final:
            self._start = self._file.seek(0, os.SEEK_END)

    def undo(self) -> None:
        """Cut off what was entered and is not final."""
        os.ftruncate(self._file.fileno(), self._start)
        os.fsync(self._file.fileno())


@contextmanager
def transaction(folder: Path, *, begins: bool = False) -> Iterator[Transaction]:
    """Lock the ledger; read, decide, append and write in one step. `begins`: there may be none yet.

    What was added is written at the end. An error that a user is told of undoes it, so that a verb
    that is refused has appended nothing; a crash does not.
    """
    if not begins:
        sound_ledger(folder)
    is_new = not is_folder(folder)
    try:
        with _locked(folder) as file:
            under_way = Transaction(folder, file)
            try:
                yield under_way
                under_way.commit()
            except MatchboundError:
                under_way.undo()
                if not os.fstat(file.fileno()).st_size:
                    (folder / NAME).unlink()
                    if is_new:
                        with suppress(OSError):
                            folder.rmdir()
                raise
    except OSError as error:
        raise _unwritable(folder, error) from None


@contextmanager
def _locked(folder: Path) -> Iterator[BinaryIO]:
    """The ledger's file, once nobody else holds it."""
    path = folder / NAME
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("r+b" if is_file(path) else "a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            # Whoever held it may have removed it: then another file has the name, or none.
            if is_file(path) and os.path.samestat(os.fstat(file.fileno()), path.stat()):
                yield file
                return


def append(folder: Path, kind: str, **facts: Any) -> Entry:
    """Add an entry, on disk when this returns; an unfinished line that a crash left is cut off."""
    return Pen(folder).append(kind, **facts)


class Pen:
    """Adds entry after entry; what was read is not read again while nobody else writes."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / NAME
        self._mode = "r+b" if is_file(self.path) else "a+b"  # one that vanishes is not begun anew
        self._length, self._entries, self._head = 0, 0, ""

    def append(self, kind: str, **facts: Any) -> Entry:
        try:
            with self.path.open(self._mode) as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                if file.seek(0, os.SEEK_END) != self._length:
                    self._read()
                file.seek(0, os.SEEK_END)
                entry = _entry(self._entries + 1, self._head, kind, facts)
                _write(file.fileno(), _line(entry))
                self._mode, self._length = "r+b", file.seek(0, os.SEEK_END)
        except OSError as error:
            raise _unwritable(self.folder, error) from None
        self._entries, self._head = entry["entry"], entry["digest"]
        return entry

    def _read(self) -> None:
        ledger = sound_ledger(self.folder)
        if len(ledger.entries) < self._entries:
            raise InputError(f"audit must hold {NAME} whole, got it shorter. Restore it.")
        _cut(self.path)
        self._entries, self._head = len(ledger.entries), ledger.head


def _entry(number: int, head: str, kind: str, facts: Mapping[str, Any]) -> Entry:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entry = {"entry": number, "time": now, "kind": kind, **facts, "before": head}
    return entry | {"digest": _digest(entry)}


def _line(entry: Entry) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"


def _write(file: int, lines: bytes) -> None:
    """Append to a file, whole; if the disk is full, not at all."""
    size = os.fstat(file).st_size
    try:
        while lines:
            lines = lines[os.write(file, lines) :]
        os.fsync(file)
    except BaseException:
        os.ftruncate(file, size)
        raise


def _unwritable(folder: Path, error: OSError) -> EngineError:
    return EngineError(f"cannot write {folder / NAME}: {error.strerror}. Make it writable.")


def _cut(path: Path) -> bool:
    """Cut off the line that a crash left unfinished; return whether there was one."""
    data = path.read_bytes()
    unfinished = bool(data) and not data.endswith(b"\n")
    if unfinished:
        os.truncate(path, data.rfind(b"\n") + 1)
    return unfinished


def sound_ledger(folder: Path) -> Ledger:
    """The ledger, refused if an entry was changed, dropped or moved."""
    ledger = read_ledger(folder)
    for problem in ledger.problems:
        raise InputError(
            f"audit must hold {NAME} as it was written, got one in which {problem}. Restore it."
        )
    return ledger


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
