"""The desk where labels are made: who gets which node, and which labels are accepted."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from threading import RLock

from matchbound.audits import CONFLICT, SETTLED, UNSURE, Draw
from matchbound.desk.journal import Keeper
from matchbound.errors import InputError
from matchbound.tables import Recorded

PAUSE = 300  # seconds after which someone was away, not labelling
RECENT = 30  # labels that the pace is computed from


@dataclass(frozen=True)
class State:
    """Where the work stands, for one labeller; nodes are named by their places."""

    total: int
    done: int
    enough: bool
    unsure: Sequence[int]
    conflicts: Sequence[int]
    agreed: int
    """Of the `twice` nodes that two or more labelled, how many got the same label."""
    twice: int
    last: int | None
    mine: Sequence[int]
    seconds: float
    """That the rest will take, at the pace of the latest labels."""


class Desk:
    """The labels of one audit folder in the making. Every method may be called by any thread."""

    def __init__(self, folder: Path, draw: Draw, *, twice: int = 0) -> None:
        self.draw, self.twice = draw, twice
        self.order = in_order(draw)
        self._lock, self._keeper = RLock(), Keeper(folder)
        self._given: dict[int, set[str]] = {}
        self.book = self._keeper.book

    def next(self, labeller: str, *, take: bool = False) -> int | None:
        """The first place that waits for this labeller; with `take` also one given to another."""
        with self._lock:
            for place in range(1, self._end() + 1):
                if self._waits(place, labeller, take):
                    self._given.setdefault(place, set()).add(labeller)
                    return place
        return None

    def _waits(self, place: int, labeller: str, take: bool) -> bool:
        page = self.book.pages.get(place)
        labelled_by = set(page.own) if page else set()
        if labeller in labelled_by or (page is not None and page.decision is not None):
            return False
        holders = labelled_by | (set() if take else self._given.get(place, set()))
        return len(holders - {labeller}) < (2 if place <= self.twice else 1)

    def _end(self) -> int:
        """The last place that is needed: all, or where a draw until enough has enough."""
        wanted = self.draw.choices.until_true
        if wanted is None:
            return len(self.order)
        for place in range(self.draw.train + 1, len(self.order) + 1):
            page = self.book.pages.get(place)
            if page is None or page.status != SETTLED or page.final is None:
                break
            wanted -= bool(page.final.matches)
            if not wanted:
                return place
        return len(self.order)

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
        self,
        labeller: str,
        place: int,
        matches: Sequence[str] | None,
        note: str = "",
        *,
        decides: bool = False,
    ) -> None:
        """Put a verdict on record and into labels.csv; on disk when this returns.

        `decides`: the labeller was shown that others labelled the node differently.
        """
        with self._lock:
            self.check_may_open(labeller, place)
            page = self.book.pages.get(place)
            if page is not None and page.status == CONFLICT and not decides:
                raise InputError(
                    f"place {place} must be looked at again, got a label for it as it was before "
                    "somebody labelled it differently. Open it (d), and decide."
                )
            self._check_matches(self.order[place - 1], matches)
            self._keeper.act(
                "label",
                place=place,
                node=self.order[place - 1],
                validation=int(place > self.draw.train),
                labeller=labeller,
                matches=None if matches is None else list(matches),
                note=note,
                decides=page is not None and (decides or page.decision is not None),
            )

    def undo(self, labeller: str) -> int:
        """Take back this labeller's last verdict; its place."""
        with self._lock:
            last = self.book.last_of(labeller)
            if last is None:
                raise InputError(f"labeller must have labelled something, got {labeller!r}. Label.")
            self._keeper.act("undo", undoes=last.entry, labeller=labeller)
            self._given.setdefault(last.place, set()).add(labeller)
            return last.place

    def _check_matches(self, node: str, matches: Sequence[str] | None) -> None:
        if matches is None:
            return
        if len(matches) > 1 and self.draw.choices.one_to_one:
            raise InputError(
                "matches must be at most one, as the draw promises (one-to-one), got "
                f"{len(matches)}. Keep one, or draw without the promise."
            )
        if self.draw.matching.dedupe:
            self._check_both_ways(node, set(matches))

    def _check_both_ways(self, node: str, matches: set[str]) -> None:
        """One table with itself: x matches y exactly if y matches x, where both are labelled."""
        if node in matches:
            raise InputError(f"matches must be other records, got {node!r} itself. Untick it.")
        for verdict in self.book.settled():
            named, names = verdict.node in matches, node in (verdict.matches or ())
            if verdict.node != node and named != names:
                how = "with" if names else "without"
                raise InputError(
                    f"matches must agree with {verdict.node!r}, which was labelled {how} this one "
                    "as its match. Correct it first, or say that you are unsure."
                )

    def show_answer(self, labeller: str, place: int) -> None:
        """Put on record that this labeller was shown the matcher's answer."""
        with self._lock:
            self.check_may_open(labeller, place)
            self._keeper.act("answer", place=place, labeller=labeller)

    def watch(self, holdout: Recorded) -> None:
        """Put on record that this matcher's bounds are watched, once."""
        with self._lock:
            watches = (one for one in self._keeper.entries if one["kind"] == "watch")
            watched = [Recorded.of(one["holdout"]) for one in watches]
            if holdout not in watched:
                self._keeper.act("watch", holdout=holdout.as_dict())

    def labels(self) -> dict[str, tuple[str, ...]]:
        with self._lock:
            return {verdict.node: verdict.matches or () for verdict in self.book.settled()}

    def state(self, labeller: str) -> State:
        with self._lock:
            agreed, twice = self.book.agreement()
            last = self.book.last_of(labeller)
            done, end = len(self.book.pages), self._end()
            return State(
                total=end,
                done=done,
                enough=end < len(self.order),
                unsure=self.book.with_status(UNSURE),
                conflicts=self.book.with_status(CONFLICT),
                agreed=agreed,
                twice=twice,
                last=None if last is None else last.place,
                mine=sorted({v.place for v in self.book.live.values() if v.labeller == labeller}),
                seconds=self._pace() * max(end - done, 0),
            )

    def _pace(self) -> float:
        """Seconds a label, by the median of the latest, pauses left out."""
        entries = [one for one in self._keeper.entries[-2 * RECENT :] if one["kind"] == "label"]
        times = [datetime.fromisoformat(one["time"]).timestamp() for one in entries[-RECENT:]]
        gaps = [b - a for a, b in pairwise(times) if b - a < PAUSE]
        return float(median(gaps)) if gaps else 0.0


def in_order(draw: Draw) -> list[str]:
    """D, then the rest of S, each in its own order.

    D comes first so that a holdout matcher can be developed and put on record before any
    validation label is in, and since an anytime draw may be stopped on the way through S.
    """
    trained = dict.fromkeys(draw.trained)
    return [*trained, *(node for node in draw.validated if node not in trained)]
