"""Save labels: append each action to the ledger, and write labels.csv from it, in one step."""

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

    def act(self, kind: str, labeller: str | None = None, **facts: Any) -> Entry:
        """Enter an action, of the labeller with this name if it is somebody's."""
        return self.act_all(kind, labeller, [facts])[-1]

    def act_all(self, kind: str, labeller: str | None, actions: Sequence[Entry]) -> list[Entry]:
        """Enter several actions of a kind at once, each with its facts."""
        if self._on_disk() != self._written:
            self._refuse_other()
        try:
            with transaction(self.folder, seen=self._ledger) as ledger:
                who = {} if labeller is None else {"labeller": self._number(ledger, labeller)}
                entries = [ledger.add(kind, **facts, **who) for facts in actions]
                ledger.commit()
                self._take_up(ledger.entries[len(self.entries) :])
                if kind in ("label", "undo"):
                    self._write()
        except BaseException:  # what was entered is undone, so it is not in the book either
            self.entries = list(self._ledger.entries)
            self.book = Book.of(self.entries)
            raise
        self._ledger = ledger.ledger
        return entries

    def refresh(self) -> None:
        """Take up what others entered meanwhile, such as a matcher that was put on record."""
        ledger = sound_ledger(self.folder)
        self._take_up(ledger.entries[len(self.entries) :])
        self._ledger = ledger

    def _number(self, ledger: Any, name: str) -> int:
        """The labeller's number; a new one is entered with the action."""
        number = self.book.number_of(name)
        if number is None:
            number = len(self.book.names) + 1
            ledger.add("labeller", labeller=number, name=name)
        return number

    def _take_up(self, entries: Sequence[Entry]) -> None:
        """Take up what was entered, by others too: a certificate may be issued meanwhile."""
        for entry in entries:
            self.entries.append(entry)
            self.book.enter(entry)

    def _on_disk(self) -> bytes | None:
        return self._path.read_bytes() if is_file(self._path) else None

    def _states(self) -> Iterator[bytes]:
        """Yield what labels.csv may contain after a crash: the latest state, or an earlier one."""
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
