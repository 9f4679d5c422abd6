"""The desk where labels are made: who gets which node, and every action on disk before it counts.

The ledger has each action; labels.csv is what the book makes of them, and can be made again.
"""

import fcntl
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from threading import RLock
from typing import IO, TYPE_CHECKING, Any

from matchbound.book import CONFLICT, UNSURE, Book
from matchbound.draws import Draw
from matchbound.errors import InputError
from matchbound.files import is_file, write_whole
from matchbound.ledger import Pen, sound_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator

PAUSE = 300  # seconds after which someone was away, not labelling
RECENT = 30  # labels that the pace is told from


class Desk:
    """The labels of one audit folder in the making. Every method may be called by any thread."""

    def __init__(self, folder: Path, draw: Draw, *, twice: int = 0) -> None:
        self.folder, self.draw, self.twice = folder, draw, twice
        self.order = in_order(draw)
        self._lock, self._pen = RLock(), Pen(folder)
        self._given: dict[int, set[str]] = {}
        self._answers: set[tuple[int, str]] = set()
        entries = sound_ledger(folder).entries
        self.book = Book.of(entries)
        self._times = [entry["time"] for entry in entries if entry["kind"] == "label"][-RECENT:]
        self._recover(entries)

    def _recover(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """A crash may have come between an entry and labels.csv; nobody else writes that."""
        path = self.folder / "labels.csv"
        there = path.read_bytes() if is_file(path) else None
        if there is None and not self.book.live:
            return
        actions = [entry for entry in entries if entry["kind"] in ("label", "undo")]
        known = [
            Book.of(actions[:end]).to_csv().encode() for end in {len(actions), len(actions) - 1}
        ]
        if there is not None and there not in known:
            raise InputError(
                f"labels.csv must be as the labelling page wrote it, got another in "
                f"{str(self.folder)!r}. Move it elsewhere, or go on with it by hand."
            )
        self._write()

    def _write(self) -> None:
        write_whole({self.folder / "labels.csv": self.book.to_csv()}, force=True)

    def next(self, labeller: str, *, take: bool = False) -> int | None:
        """The first place that waits for this labeller; with `take` also one given to another."""
        with self._lock:
            for place in range(1, len(self.order) + 1):
                if self._waits(place, labeller, take):
                    self._given.setdefault(place, set()).add(labeller)
                    return place
        return None

    def _waits(self, place: int, labeller: str, take: bool) -> bool:
        page = self.book.pages.get(place)
        said = set(page.own) if page else set()
        if labeller in said or (page is not None and page.decision is not None):
            return False
        holders = said | (set() if take else self._given.get(place, set()))
        return len(holders - {labeller}) < (2 if place <= self.twice else 1)

    def check_may_open(self, labeller: str, place: int) -> None:
        """Nodes come in draw order: one that is not labelled yet must have been given."""
        if not 1 <= place <= len(self.order):
            raise InputError(
                f"place must be from 1 to {len(self.order)}, got {place}. Take the next node."
            )
        if place not in self.book.pages and labeller not in self._given.get(place, ()):
            raise InputError(
                f"place must be of a node that is labelled or was given to {labeller!r}, got "
                f"{place}: nodes come in draw order. Take the next node."
            )

    def label(
        self, labeller: str, place: int, matches: Sequence[str] | None, note: str = ""
    ) -> None:
        """Put a verdict on record and into labels.csv; on disk when this returns."""
        with self._lock:
            self.check_may_open(labeller, place)
            self._check_matches(place, matches)
            page = self.book.pages.get(place)
            settling = page is not None and (page.status == CONFLICT or page.decision is not None)
            self._act(
                "label",
                place=place,
                node=self.order[place - 1],
                validation=int(place > self.draw.train),
                labeller=labeller,
                matches=None if matches is None else list(matches),
                note=note,
                decides=settling,
                answer=(place, labeller) in self._answers,
            )

    def undo(self, labeller: str) -> int:
        """Take back this labeller's last verdict; its place."""
        with self._lock:
            last = self.book.last_of(labeller)
            if last is None:
                raise InputError(f"labeller must have labelled something, got {labeller!r}. Label.")
            self._act("undo", undoes=last.entry, labeller=labeller)
            self._given.setdefault(last.place, set()).add(labeller)
            return last.place

    def _act(self, kind: str, **facts: Any) -> None:
        entry = self._pen.append(kind, **facts)
        self.book.enter(entry)
        if kind == "label":
            self._times = [*self._times, entry["time"]][-RECENT:]
        self._write()

    def _check_matches(self, place: int, matches: Sequence[str] | None) -> None:
        several = len(matches or ()) > 1
        if several and self.draw.choices.one_to_one:
            raise InputError(
                "matches must be at most one, as the draw promises (one-to-one), got "
                f"{len(matches or ())}. Keep one, or draw without the promise."
            )

    def show_answer(self, labeller: str, place: int) -> None:
        """Remember that this labeller saw the matcher's answer."""
        with self._lock:
            self.check_may_open(labeller, place)
            self._answers.add((place, labeller))

    def state(self, labeller: str) -> dict[str, Any]:
        """Where the work stands."""
        with self._lock:
            agreed, twice = self.book.agreement()
            last = self.book.last_of(labeller)
            done = len(self.book.pages)
            return {
                "total": len(self.order),
                "train": self.draw.train,
                "labelled": done,
                "unsure": self.book.with_status(UNSURE),
                "conflicts": self.book.with_status(CONFLICT),
                "agreed": agreed,
                "twice": twice,
                "last": None if last is None else last.place,
                "mine": sorted(
                    {v.place for v in self.book.live.values() if v.labeller == labeller}
                ),
                "seconds": self._pace() * (len(self.order) - done),
            }

    def _pace(self) -> float:
        """Seconds a label, by the median of the latest, pauses left out."""
        times = [datetime.fromisoformat(time).timestamp() for time in self._times]
        gaps = [b - a for a, b in pairwise(times) if b - a < PAUSE]
        return float(median(gaps)) if gaps else 0.0


def in_order(draw: Draw) -> list[str]:
    """D, then the rest of S, each in its own order.

    D comes first so that a holdout matcher can be developed and put on record before any
    validation label is in, and since an anytime draw may be stopped on the way through S.
    """
    trained = draw.trained
    known = set(trained)
    return [*trained, *(node for node in draw.validated if node not in known)]


@contextmanager
def alone(folder: Path) -> "Iterator[None]":
    """One page for an audit: the lock is the process's own, and gone when that ends."""
    file: IO[bytes] = (folder / "draw.json").open("rb")
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"audit must not be open on another labelling page, got {str(folder)!r}. Use that "
                "page (two people can share it), or stop it first."
            ) from None
        yield
