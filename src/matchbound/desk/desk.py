"""The desk: it decides who labels which node next, and which labels are accepted."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from threading import RLock

from matchbound.audits import CONFLICT, SETTLED, UNSURE, Book, Draw
from matchbound.desk.keeper import Keeper
from matchbound.errors import InputError
from matchbound.tables import Recorded

PAUSE = 300  # seconds between two labels from which on the labeller was away
RECENT = 30  # latest labels, from which the pace is computed


@dataclass(frozen=True)
class State:
    """The state of the work, for one labeller; nodes are given by their places."""

    total: int
    done: int
    enough: bool
    unsure: Sequence[int]
    conflicts: Sequence[int]
    agreed: int
    """How many of the `twice` nodes that two or more people labelled got the same label."""
    twice: int
    last: int | None
    mine: Sequence[int]
    seconds: float
    """How long the rest will take, at the pace of the latest labels."""


class Desk:
    """The labels of one audit folder while people work on them. Any thread may call any method."""

    def __init__(self, folder: Path, draw: Draw, *, twice: int = 0) -> None:
        self.draw, self.twice = draw, twice
        self.order = in_order(draw)
        self._lock, self._keeper = RLock(), Keeper(folder)
        self._handed_out: dict[int, set[str]] = {}  # by place, the labellers who have it open

    @property
    def book(self) -> Book:
        return self._keeper.book

    def next(self, labeller: str, *, take: bool = False) -> int | None:
        """Hand out the first place that waits for this labeller.

        With `take`, a place that another labeller has open, but has not labelled, counts too.
        """
        with self._lock:
            for place in range(1, self._end() + 1):
                if self._waits(place, labeller, take):
                    self._handed_out.setdefault(place, set()).add(labeller)
                    return place
        return None

    def _waits(self, place: int, labeller: str, take: bool) -> bool:
        page = self.book.pages.get(place)
        labelled_by = set(page.own) if page else set()
        if place in self.book.erased:
            return False
        if labeller in labelled_by or (page is not None and page.decision is not None):
            return False
        holders = labelled_by | (set() if take else self._handed_out.get(place, set()))
        return len(holders - {labeller}) < (2 if place <= self.twice else 1)

    def _end(self) -> int:
        """The last place to label: the last of all, or where a draw until enough has enough."""
        wanted = self.draw.choices.until_true
        if wanted is None:
            return len(self.order)
        for place in range(self.draw.train + 1, len(self.order) + 1):
            if place in self.book.erased:
                continue
            page = self.book.pages.get(place)
            if page is None or page.status != SETTLED or page.final is None:
                break
            wanted -= bool(page.final.matches)
            if not wanted:
                return place
        return len(self.order)

    def check_may_open(self, labeller: str, place: int) -> None:
        """Refuse a node that is neither labelled nor handed out: nodes come in draw order."""
        if not 1 <= place <= len(self.order):
            raise InputError(
                f"place must be from 1 to {len(self.order)}, got {place}. Take the next node."
            )
        if place in self.book.erased:
            raise InputError(
                f"place must be of a node whose label was not erased, got {place}: it counts as "
                "the worst case. Take the next node."
            )
        if place not in self.book.pages and labeller not in self._handed_out.get(place, ()):
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
        """Append a verdict to the ledger and write labels.csv; both are on disk on return.

        `decides`: the labeller saw that others labelled the node differently.
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
                labeller,
                place=place,
                validation=int(place > self.draw.train),
                sure=matches is not None,
                decides=page is not None and (decides or page.decision is not None),
                label={
                    "node": self.order[place - 1],
                    "matches": None if matches is None else list(matches),
                    "note": note,
                },
            )

    def undo(self, labeller: str) -> int:
        """Take back this labeller's last verdict, and return its place."""
        with self._lock:
            last = self.book.last_of(labeller)
            if last is None:
                raise InputError(f"labeller must have labelled something, got {labeller!r}. Label.")
            self._keeper.act("undo", labeller, undoes=last.entry)
            self._handed_out.setdefault(last.place, set()).add(labeller)
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
        """Refuse labels that contradict each other, where a table is matched with itself.

        If x and y are both labelled, x must match y exactly if y matches x.
        """
        if node in matches:
            raise InputError(f"matches must be other records, got {node!r} itself. Untick it.")
        for verdict in self.book.settled():
            is_here, is_there = verdict.node in matches, node in (verdict.matches or ())
            if verdict.node != node and is_here != is_there:
                with_or_without = "with" if is_there else "without"
                raise InputError(
                    f"matches must agree with {verdict.node!r}, which was labelled "
                    f"{with_or_without} this one as its match. "
                    "Correct it first, or say that you are unsure."
                )

    def show_answer(self, labeller: str, place: int) -> None:
        """Append to the ledger that this labeller sees the matcher's answer."""
        with self._lock:
            self.check_may_open(labeller, place)
            self._keeper.act("answer", labeller, place=place)

    def watch(self, holdout: Recorded) -> None:
        """Append to the ledger that this matcher's bounds are watched, if it is not there yet."""
        with self._lock:
            watches = (entry for entry in self._keeper.entries if entry["kind"] == "watch")
            watched = [Recorded.of(entry["holdout"]) for entry in watches]
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
            total = end - sum(place <= end for place in self.book.erased)
            return State(
                total=total,
                done=done,
                enough=end < len(self.order),
                unsure=self.book.with_status(UNSURE),
                conflicts=self.book.with_status(CONFLICT),
                agreed=agreed,
                twice=twice,
                last=None if last is None else last.place,
                mine=sorted({v.place for v in self.book.live.values() if v.labeller == labeller}),
                seconds=self._pace() * max(total - done, 0),
            )

    def _pace(self) -> float:
        """Seconds per label: the median of the latest ones, without pauses."""
        latest = self._keeper.entries[-2 * RECENT :]
        entries = [entry for entry in latest if entry["kind"] == "label"]
        times = [datetime.fromisoformat(entry["time"]).timestamp() for entry in entries[-RECENT:]]
        gaps = [b - a for a, b in pairwise(times) if b - a < PAUSE]
        return float(median(gaps)) if gaps else 0.0


def in_order(draw: Draw) -> list[str]:
    """The ids of the drawn nodes in the order of labelling; empty where one was erased."""
    return [node for node, _, _ in draw.in_order]
