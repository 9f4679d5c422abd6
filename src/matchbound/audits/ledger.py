"""The ledger of an audit: what was drawn, registered, labelled and certified, in order.

Every line is an entry with its own digest and that of the entry before. So an entry that is edited,
dropped or moved is noticed as long as a later entry, or the certificate that it records, exists.
On disk an entry holds nothing about a person: see `journal`. Once read, it has what can be opened.
"""

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from matchbound.audits.entries import malformed
from matchbound.audits.journal import NAME as JOURNAL
from matchbound.audits.journal import (
    SEALED,
    Journal,
    Opening,
    is_sealed,
    read_journal,
    salt_line,
)
from matchbound.audits.journal import Entry as Entry
from matchbound.audits.places import NAME as PLACES
from matchbound.audits.places import finished_lines, new_lines
from matchbound.audits.remembered import Remembered, role_lines
from matchbound.errors import EngineError, InputError, MatchboundError
from matchbound.files import (
    LONG_LIMIT,
    append_whole,
    cut,
    digest_of_text,
    is_file,
    is_folder,
    one_writer,
    read_bytes,
    read_json,
    remove,
    remove_if_empty,
    write_whole,
)
from matchbound.tables import Digest

NAME = "ledger.jsonl"


@dataclass(frozen=True)
class Ledger:
    """The entries, what is wrong with them, and whether a crash left the last line unfinished.

    `size` is the number of bytes of the finished lines. Entries have the contents that the journal
    opens.
    """

    entries: tuple[Entry, ...] = ()
    problems: tuple[str, ...] = ()
    unfinished: bool = False
    size: int = 0
    journal: Journal = field(default_factory=Journal, compare=False)

    @property
    def unopened(self) -> int:
        """How many commitments nobody can open here."""
        return sum(is_sealed(value) for entry in self.entries for value in entry.values())

    @property
    def head(self) -> str:
        return str(self.entries[-1].get("digest")) if self.entries else ""

    @property
    def is_version1(self) -> bool:
        return any("seed_given" not in entry for entry in self.of_kind("draw"))

    @property
    def is_moved(self) -> bool:
        """Whether its first entries are those of a ledger of version 1, in today's form."""
        return bool(self.entries) and self.entries[0].get("kind") == "moved"

    def checked(self) -> "Ledger":
        """Refuse a ledger in which an entry was changed, dropped or moved, or of version 1."""
        self.refuse_changed()
        if self.is_version1:
            raise of_version1()
        return self

    def refuse_changed(self) -> None:
        for problem in self.problems:
            raise InputError(
                f"audit must hold {NAME} as it was written, got one in which {problem}. Restore it."
            )

    @property
    def has_erased(self) -> bool:
        """Whether `forget` erased something."""
        return bool(self.of_kind("forget"))

    def of_kind(self, kind: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.get("kind") == kind]


def of_version1() -> InputError:
    """The refusal of a folder whose ledger or draw is of version 1."""
    return InputError(
        "audit must be of version 2, got one of version 1. Run `matchbound repair AUDIT --to 2`, "
        "which moves it."
    )


def refuse_version1(folder: Path) -> None:
    if is_file(folder / NAME) and read_ledger(folder).is_version1:
        raise of_version1()


def read_ledger(folder: Path, name: str = NAME) -> Ledger:
    """Read all finished entries, and check their digests."""
    try:
        data = read_bytes(folder / name, LONG_LIMIT)
    except OSError as error:
        raise InputError(
            f"audit must hold {name} as `matchbound draw` wrote it, got {str(folder)!r} "
            f"({error.strerror}). Restore it, or draw again into another folder."
        ) from None
    *lines, rest = data.split(b"\n")
    entries, journal = tuple(_parsed(line) for line in lines), read_journal(folder)
    problems = (*_problems(entries), *_unfaithful(entries, journal))
    opened = tuple(journal.opened(entry) for entry in entries)
    problems = problems or tuple(malformed(opened))
    return Ledger(opened, problems, bool(rest), len(data) - len(rest), journal)


def _unfaithful(entries: Sequence[Entry], journal: Journal) -> Iterator[str]:
    """Yield the facts whose commitments the journal claims to open with another content."""
    for entry in entries if journal.changed else ():
        for name, value in entry.items():
            if is_sealed(value) and value["sealed"] in journal.changed:
                yield f"the {name} of entry {entry.get('entry')} was changed in {JOURNAL}"


def since_draw(entries: Sequence[Entry]) -> Sequence[Entry]:
    """The entries after the latest draw with a seed of its own: those about its nodes."""
    fresh = [i for i, one in enumerate(entries) if one["kind"] == "draw" and "extends" not in one]
    return entries[fresh[-1] + 1 :] if fresh else entries


def erased_places(entries: Iterable[Entry]) -> set[int]:
    """The places in the order of labelling, of the latest draw, whose nodes `forget` erased.

    A draw of validation nodes alone keeps those of D, which was drawn before it.
    """
    places: set[int] = set()
    for entry in entries:
        if entry["kind"] == "draw" and "extends" not in entry:
            kept = entry["train"] if entry["second"] else 0
            places = {place for place in places if place <= kept}
        elif entry["kind"] == "forget":
            places.update(entry["places"])
    return places


def erased_records(entries: Iterable[Entry]) -> int:
    """How many records `forget` removed from clusters that are labels of the latest draw.

    A draw of validation nodes alone keeps the labels that there are.
    """
    records = 0
    for entry in entries:
        if entry["kind"] == "draw" and "extends" not in entry and not entry["second"]:
            records = 0
        elif entry["kind"] == "forget":
            records += entry["records"]
    return records


def validation_labels(entries: Sequence[Entry]) -> int:
    """Count the draw's validation nodes whose labels are on record, undone ones included."""
    latest = since_draw(entries)
    counts = [0, *(int(entry["validation"]) for entry in latest if entry["kind"] == "labels")]
    each = {e["place"] for e in latest if e["kind"] == "label" and e["validation"]}
    return max(*counts, len(each))


class Transaction:
    """The ledger under its lock: nobody else appends until it ends."""

    def __init__(self, folder: Path, ledger: Ledger) -> None:
        self.folder, self.path = folder, folder / NAME
        self.entries, self.journal = list(ledger.entries), ledger.journal
        self.is_unfinished, self._salt = ledger.unfinished, ledger.journal.salt
        self._put: list[Opening] = []
        self._parts = [
            _Appended(folder / JOURNAL, self.journal.size, self.journal.unfinished),
            _Appended(self.path, ledger.size, ledger.unfinished),
        ]

    @property
    def ledger(self) -> Ledger:
        """As it is now on disk, once all that was added is committed."""
        in_journal, in_ledger = self._parts[:2]
        self.journal.size = in_journal.size
        return Ledger(tuple(self.entries), size=in_ledger.size, journal=self.journal)

    @property
    def head(self) -> str:
        return str(self.entries[-1]["digest"]) if self.entries else ""

    @property
    def waiting(self) -> dict[Path, bytes]:
        """What the next `commit` appends, by file."""
        return {part.path: bytes(part.waiting) for part in self._parts}

    def add(self, kind: str, **facts: Any) -> Entry:
        """Add an entry, which the next `commit` writes together with the others.

        What is private of it goes to the journal. The entry that is returned has it.
        """
        private = [name for name in SEALED.get(kind, ()) if facts.get(name) is not None]
        shown = facts | {name: self._sealed(kind, name, facts[name]) for name in private}
        entry = _entry(len(self.entries) + 1, self.head, kind, shown)
        self._parts[1].waiting += _line(entry)
        self.entries.append(self.journal.opened(entry))
        return self.entries[-1]

    def _sealed(self, kind: str, name: str, value: Any) -> Entry:
        """A commitment; the same seed or name has the same, two labels never have."""
        opening = None if kind == "label" else self.journal.holding(name, value)
        if opening is None:
            opening = self.put(Opening.new(name, value))
        return {"sealed": opening.commitment}

    def put(self, opening: Opening) -> Opening:
        """Add a line to the journal, which the next `commit` writes."""
        self._parts[0].waiting += opening.line
        self.journal.put(opening, opening.commitment)
        self._put.append(opening)
        return opening

    def salted(self, digest: Digest) -> Digest:
        """A digest of labels, as it is put on record."""
        if self.journal.salt is None:
            self.journal.salt = secrets.token_hex(16)
            self._parts[0].waiting += salt_line(self.journal.salt)
        return self.journal.salted(digest)

    def remember(self, paths: Iterable[str | None], tables: Iterable[Remembered] = ()) -> None:
        """Keep where tables were read from, and what some of them are for.

        The file that has it is not sent to others.
        """
        lines = new_lines(self.folder, paths) + role_lines(self.folder, tables)
        if lines:
            _, size, unfinished = finished_lines(self.folder / PLACES)
            self._parts.append(_Appended(self.folder / PLACES, size, unfinished))
            self._parts[-1].waiting += lines

    def commit(self, *, final: bool = False) -> None:
        """Write what was added: contents first, so that no entry is there without its own.

        `final`: a later error does not undo it.
        """
        for part in self._parts:
            try:
                part.write()
            except OSError as error:
                raise _unwritable(self.folder, error) from None
        if final:
            self._put, self._salt = [], self.journal.salt
            for part in self._parts:
                part.keep()

    def cut(self) -> None:
        """Cut off what a crash left unfinished, where nothing is added."""
        for part in self._parts:
            part.cut()

    def undo(self) -> None:
        """Cut off what was entered and is not final; a file that began with it is removed."""
        for part in reversed(self._parts):
            part.undo()
        for opening in self._put:
            self.journal.drop(opening)
        self.journal.salt = self._salt


class _Appended:
    """A file that lines are appended to. `unfinished`: a crash left a part of one at its end."""

    def __init__(self, path: Path, size: int, unfinished: bool) -> None:
        self.path, self.size, self.waiting = path, size, bytearray()
        self._start, self._unfinished, self._is_new = size, unfinished, not is_file(path)

    def write(self) -> None:
        waiting, self.waiting = bytes(self.waiting), bytearray()
        if waiting and self._unfinished:  # in one step: what to repair must not be half repaired
            write_whole({self.path: self.path.read_bytes()[: self.size] + waiting}, force=True)
            self._unfinished = False
        elif waiting:
            append_whole(self.path, waiting)
        self.size += len(waiting)

    def keep(self) -> None:
        """Let no later error undo what was written."""
        self._start, self._is_new = self.size, False

    def cut(self) -> None:
        """Cut off what a crash left unfinished."""
        if self._unfinished:
            cut(self.path, self.size)
            self._unfinished = False

    def undo(self) -> None:
        if not is_file(self.path):  # something else has its name: nothing was written
            return
        if self._is_new:
            remove(self.path)
        elif self.size > self._start:
            cut(self.path, self._start)


@contextmanager
def transaction(
    folder: Path, *, begins: bool = False, seen: Ledger | None = None
) -> Iterator[Transaction]:
    """Lock the ledger; read, decide, append and write in one step.

    What was added is written at the end. An error undoes it, so that a verb that is refused has
    appended nothing; a crash does not. `begins`: there may be no ledger yet. `seen`:
    the ledger as the caller last saw it, which is not read again if nobody else wrote since.
    """
    if not begins and not is_file(folder / NAME):
        read_ledger(folder)  # refused
    is_new = not is_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with one_writer(folder):
            under_way = Transaction(folder, _now(folder, begins, seen))
            try:
                yield under_way
                under_way.commit()
            except BaseException:
                under_way.undo()
                raise
    except MatchboundError:
        if is_new:
            remove_if_empty(folder)
        raise
    except OSError as error:
        raise _unwritable(folder, error) from None


def _now(folder: Path, begins: bool, seen: Ledger | None) -> Ledger:
    """The ledger, once it is locked."""
    path = folder / NAME
    if begins and not is_file(path):
        return Ledger(journal=read_journal(folder))
    if seen is None:
        return sound_ledger(folder)
    if is_file(path) and path.stat().st_size == seen.size:
        return seen
    ledger = sound_ledger(folder)
    if len(ledger.entries) < len(seen.entries):
        raise InputError(f"audit must hold {NAME} whole, got it shorter. Restore it.")
    return ledger


def append(folder: Path, kind: str, **facts: Any) -> Entry:
    """Add one entry, on disk when this returns."""
    with transaction(folder) as ledger:
        return ledger.add(kind, **facts)


def _entry(number: int, head: str, kind: str, facts: Mapping[str, object]) -> Entry:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entry = {"entry": number, "time": now, "kind": kind, **facts, "before": head}
    return entry | {"digest": _digest(entry)}


def _line(entry: Entry) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"


def _unwritable(folder: Path, error: OSError) -> EngineError:
    return EngineError(f"cannot write {folder / NAME}: {error.strerror}. Make it writable.")


def sound_ledger(folder: Path) -> Ledger:
    """Read the ledger; refuse one in which an entry was changed, dropped or moved."""
    return read_ledger(folder).checked()


def ledger_or_problems(folder: Path, name: str = NAME) -> tuple[Ledger, list[str]]:
    """Read the ledger, and what is wrong with it as a verification names it."""
    try:
        ledger = read_ledger(folder, name)
    except MatchboundError as error:
        return Ledger(), [str(error)]
    return ledger, [f"{name}: {problem}" for problem in ledger.problems]


def _parsed(line: bytes) -> Entry:
    try:
        entry = read_json(line.decode())
    except (ValueError, RecursionError):
        entry = None
    return entry if isinstance(entry, dict) else {}


def _problems(entries: tuple[Entry, ...]) -> list[str]:
    """Return the first broken entry. Later ones break as a consequence: they are not reported."""
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


def _digest(entry: Entry) -> str:
    return digest_of_text(json.dumps(entry, sort_keys=True, ensure_ascii=False))
