"""Save labels: append each action to the ledger, then write labels.csv from the ledger."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from matchbound.audits import LABELS, Book, Entry, sound_ledger, transaction
from matchbound.errors import InputError
from matchbound.files import is_file, write_whole


class Keeper:
    """The book of an audit folder, and its files; an action is on disk when `act` returns."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / LABELS
        self._ledger = sound_ledger(folder)
        self.entries = list(self._ledger.entries)
        self.book = Book.of(self.entries)
        self._written = self._on_disk()
        if self._written is not None and self._written not in self._states():
            self._refuse_other()
        if self._written is not None or self.book.live:
            self._write()

    def act(self, kind: str, **facts: Any) -> Entry:
        if self._on_disk() != self._written:
            self._refuse_other()
        with transaction(self.folder, seen=self._ledger) as ledger:
            entry = ledger.add(kind, **facts)
        self._ledger = ledger.ledger
        self.entries.append(entry)
        self.book.enter(entry)
        if kind in ("label", "undo"):
            self._write()
        return entry

    def _on_disk(self) -> bytes | None:
        return self._path.read_bytes() if is_file(self._path) else None

    def _states(self) -> Iterator[bytes]:
        """Yield what labels.csv may contain after a crash or a full disk: the latest state, or an
        earlier one.
        """
        ends = [i for i, entry in enumerate(self.entries) if entry["kind"] in ("label", "undo")]
        for end in [len(self.entries), *reversed(ends)]:
            yield _csv(self.entries[:end])

    def _write(self) -> None:
        text = self.book.to_csv()
        write_whole({self._path: text}, force=True)
        self._written = text.encode()

    def _refuse_other(self) -> None:
        raise InputError(
            f"labels.csv must be as the labelling page wrote it, got another in "
            f"{str(self.folder)!r}. Move it elsewhere, or go on with it by hand."
        )


def _csv(entries: Sequence[Entry]) -> bytes:
    return Book.of(entries).to_csv().encode()
