"""The desk: it decides who labels which node next, and which labels are accepted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice, pairwise
from pathlib import Path
from statistics import median
from threading import RLock

from matchbound.audits import (
    CONFLICT,
    SETTLED,
    UNSURE,
    Book,
    Draw,
    Entry,
    Page,
    Verdict,
    on_record,
    since_draw,
)
from matchbound.desk.entities import Change, changes, entities, signature
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
    kappa: float | None
    """Cohen's kappa of the nodes that two or more people labelled."""
    tally: Mapping[str, int]
    """How many nodes have matches, and how many have none."""
    skipped: Sequence[int]
    stopped: bool
    """Whether the training nodes are done, and the matcher should be put on record now."""
    train: int


class UnconfirmedError(InputError):
    """A label that changes others', which nobody has agreed to yet."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self.changes = changes
        others = "1 other label" if len(changes) == 1 else f"{len(changes)} other labels"
        super().__init__(
            f"matches must agree with {changes[0].node!r}, which was labelled otherwise: "
            f"{others} would change too. Confirm that they do, or change the matches."
        )


class Desk:
    """The labels of one audit folder while people work on them. Any thread may call any method."""

    def __init__(self, folder: Path, draw: Draw, *, twice: int = 0) -> None:
        self.folder, self.draw, self.twice = folder, draw, twice
        self.order = in_order(draw)
        self._lock, self._keeper = RLock(), Keeper(folder)
        self._handed_out: dict[int, set[str]] = {}  # by place, the labellers who have it open
        self._skipped: dict[str, list[int]] = {}  # by labeller, for later, in order

    @property
    def book(self) -> Book:
        return self._keeper.book

    def next(self, labeller: str, *, take: bool = False) -> int | None:
        """Hand out the first place that waits for this labeller.

        With `take`, a place that another labeller has open, but has not labelled, counts too.
        """
        with self._lock:
            place = self.first(labeller, take=take)
            if place is not None:
                self._handed_out.setdefault(place, set()).add(labeller)
            return place

    def first(self, labeller: str, *, take: bool = False) -> int | None:
        """The first place that waits for this labeller, without handing it out."""
        with self._lock:
            return next(self._waiting(labeller, take), None)

    def following(self, labeller: str, place: int, count: int) -> list[int]:
        """The places that come next for this labeller, once they have labelled this one."""
        with self._lock:
            waiting = (one for one in self._waiting(labeller, False) if one != place)
            return list(islice(waiting, count))

    def elsewhere(self, labeller: str) -> int:
        """How many nodes others have open that this labeller could take over now."""
        with self._lock:
            train = self.draw.train
            last = train if self._is_early(train + 1) else len(self.order)
            return sum(place <= last for place in self._waiting(labeller, True))

    def _waiting(self, labeller: str, take: bool) -> Iterator[int]:
        """Yield the places that wait: training first, what was skipped last in its part.

        In one table, places that another labelled come before all others: see `_check_unseen`.
        """
        later, train = self._skipped.get(labeller, []), self.draw.train
        unseen = self._unseen(labeller) if self.draw.matching.dedupe else []
        yield from (place for place in unseen if place not in later)
        yield from (place for place in later if place in unseen)
        for part in (range(1, train + 1), range(train + 1, self._end() + 1)):
            now = (place for place in part if place not in later)
            for place in chain(now, (place for place in later if place in part)):
                if place not in unseen and self._waits(place, labeller, take):
                    yield place

    def _unseen(self, labeller: str) -> list[int]:
        """The places that another labelled, and this labeller is still to label unseen."""
        places = (place for place in range(1, self.twice + 1) if place in self.book.pages)
        return [p for p in places if self._is_awaited(p) and self._waits(p, labeller, False)]

    def skip(self, labeller: str, place: int) -> None:
        """Hand this place out again when nothing else of its part (training, or validation) waits
        for the labeller.
        """
        with self._lock:
            self.check_may_open(labeller, place)
            later = self._skipped.setdefault(labeller, [])
            later[:] = [*(one for one in later if one != place), place]

    def stops_before(self, place: int) -> bool:
        """Whether a validation node waits until the holdout matcher is on record, as it should be
        before the first validation label, or somebody says that labelling goes on without.
        """
        with self._lock:
            if place > self.draw.train > 0 and not self._has_validation():
                self._keeper.refresh()  # a matcher may have been put on record, or withdrawn
            return self._is_early(place)

    def _is_early(self, place: int) -> bool:
        if place <= self.draw.train or not self.draw.train or self.draw.holdout is not None:
            return False
        entries = self._keeper.entries
        return not (
            any(one["kind"] == "proceed" for one in since_draw(entries))
            or self._has_validation()
            or on_record(entries).registered
        )

    def _has_validation(self) -> bool:
        return any(verdict.place > self.draw.train for verdict in self.book.live.values())

    @property
    def _is_stopped(self) -> bool:
        """Whether every training node is labelled, and the validation nodes wait."""
        training = set(range(1, self.draw.train + 1))
        return self._is_early(self.draw.train + 1) and training <= {
            *self.book.pages,
            *self.book.erased,
        }

    def has_matcher(self) -> bool:
        """Whether a holdout matcher is on record, which `certify` then finds by itself."""
        with self._lock:
            self._keeper.refresh()
            return bool(on_record(self._keeper.entries).registered)

    def proceed(self, labeller: str) -> None:
        """Append to the ledger that labelling goes on with the validation nodes."""
        with self._lock:
            if self.stops_before(self.draw.train + 1):
                self._keeper.act("proceed", labeller)

    def named(self, name: str) -> str:
        """The labeller's name as it was written first: names are compared without case."""
        known = (one for one in self.book.names.values() if one.casefold() == name.casefold())
        return next(known, name)

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
        seen: int | None = None,
        confirmed: str = "",
        looks: Mapping[str, int] | None = None,
    ) -> None:
        """Append a verdict to the ledger and write labels.csv; both are on disk on return.

        `decides`: the labeller saw that others labelled the node differently. `seen` is the entry
        of the label that the page showed as the node's, 0 for none. `confirmed` is the
        signature of the changes of other labels that the labeller agreed to: all that there are,
        or nothing is saved. `looks` are how many records were shown, and how matches came there.
        """
        with self._lock:
            self.check_may_open(labeller, place)
            page = self.book.pages.get(place)
            if page is not None:
                _check_seen(labeller, page, decides, seen)
            self._check_matches(self.order[place - 1], matches)
            decides = page is not None and (decides or page.decision is not None)
            if matches is not None and self.draw.matching.dedupe:
                self._check_unseen(labeller, place, decides)
            others = self._changes(labeller, place, matches, decides)
            places = {verdict.node: verdict.place for verdict in self.book.settled()}
            at = [places[one.node] for one in others]
            self._check_second_looks(labeller, place, at)
            if confirmed != signature(others):
                raise UnconfirmedError(others) if others else _changed_meanwhile()
            labels = [self._entry_of(*one) for one in zip(at, others, strict=True)]
            labels.append(self._entry(place, matches, note, decides, looks=looks))
            if others:
                labels = [
                    {**label, "joint": [i, len(labels)]} for i, label in enumerate(labels, start=1)
                ]
            self._keeper.act_all("label", labeller, labels)

    def may_see(self, labeller: str, place: int) -> bool:
        """Whether this labeller may see what was said of a labelled node: not if another said it
        and they may still be asked to label the node unseen.
        """
        page = self.book.pages[place]
        is_open = page.decision is not None or page.status == CONFLICT
        return is_open or labeller in page.own or place > self.twice

    def _check_unseen(self, labeller: str, place: int, decides: bool) -> None:
        """Refuse what may become a label while the labeller is still to label a node unseen.

        Whether it agrees with what another said of that node would reveal what they said, so it
        does not matter here. What another labelled too becomes a label only if both agree.
        """
        page = self.book.pages.get(place)
        if page is not None and not decides and page.own.keys() - {labeller}:
            return
        if self._unseen(labeller):
            raise InputError(
                f"place {place} must wait: you are still to label a node unseen that another "
                "person labelled (--twice). Leave this one for later (w): that one comes first."
            )

    def _check_second_looks(self, labeller: str, place: int, others: Sequence[int]) -> None:
        """Refuse to tell, or to change, another's label that somebody is still to give unseen."""
        for one in others:
            if self._is_awaited(one) and labeller not in self.book.pages[one].own:
                raise InputError(
                    f"place {place} must wait: its label concerns a node that one person labelled "
                    "and a second is still to label unseen (--twice). Leave it for later (w)."
                )

    def _is_awaited(self, place: int) -> bool:
        """Whether a labelled node is still to be labelled by a second person."""
        page = self.book.pages[place]
        return place <= self.twice and page.decision is None and len(page.own) < 2

    def _entry_of(self, place: int, change: Change) -> Entry:
        """The facts of the entry of a change. It decides, unless a second look is to come."""
        final, decides = self.book.pages[place].final, not self._is_awaited(place)
        note = "" if final is None else final.note
        return self._entry(place, change.matches, note, decides, adds=not change.loses)

    def _entry(
        self,
        place: int,
        matches: Sequence[str] | None,
        note: str,
        decides: bool,
        *,
        looks: Mapping[str, int] | None = None,
        adds: bool = False,
    ) -> Entry:
        """The facts of a label's entry."""
        given = None if matches is None else list(matches)
        label = {"node": self.order[place - 1], "matches": given, "note": note}
        return {
            "place": place,
            "validation": int(place > self.draw.train),
            "sure": matches is not None,
            "decides": decides,
            **({"adds": True} if adds else {}),
            "label": label | ({"looks": dict(looks)} if looks else {}),
        }

    def _changes(
        self, labeller: str, place: int, matches: Sequence[str] | None, decides: bool
    ) -> list[Change]:
        """The changes of other labels that this verdict means, if it becomes the node's label."""
        if matches is None or not self.draw.matching.dedupe:
            return []
        before, node = self.book.pages.get(place, Page(())), self.order[place - 1]
        verdict = Verdict(0, place, node, labeller, tuple(matches), "", decides, 0, {})
        if Page((*before.verdicts, verdict)).status != SETTLED:
            return []
        return changes(self.labels(), node, matches)

    def entities(self, labeller: str, place: int) -> list[list[str]]:
        """The entities that labels show, where a table is matched with itself.

        Whoever labels a node that others label too sees their own alone, and nothing of what waits
        for a decision: whoever decides is not led by it.
        """
        if not self.draw.matching.dedupe:
            return []
        with self._lock:
            if place > self.twice:
                return entities(self.labels())
            agreed = (page for page in self.book.pages.values() if page.status != CONFLICT)
            own = (page.own.get(labeller) for page in agreed)
            return entities({one.node: one.matches or () for one in own if one is not None})

    def undo(self, labeller: str) -> int:
        """Take back this labeller's last verdict, and return its place."""
        with self._lock:
            last = self.book.last_of(labeller)
            if last is None:
                raise InputError(f"labeller must have labelled something, got {labeller!r}. Label.")
            self._check_undo(last)
            self._keeper.act("undo", labeller, undoes=last.leader)
            self._handed_out.setdefault(last.place, set()).add(labeller)
            return last.place

    def _check_undo(self, last: Verdict) -> None:
        """Refuse to bring labels back that others contradict, which were given meanwhile."""
        if not self.draw.matching.dedupe:
            return
        after = Book(dict(self.book.live), dict(self.book.pages))
        after.enter({"kind": "undo", "undoes": last.leader})
        labels = {verdict.node: verdict.matches or () for verdict in after.settled()}
        undone = [one.node for one in self.book.live.values() if one.leader == last.leader]
        for node in undone:
            if node in labels and changes(labels, node, labels[node]):
                raise InputError(
                    f"the label to take back must leave labels that agree, got that of "
                    f"{last.node!r}: labels would contradict each other, since others labelled "
                    f"meanwhile. Open {last.node!r} (l), and correct it."
                )

    def _check_matches(self, node: str, matches: Sequence[str] | None) -> None:
        if matches is None:
            return
        if len(matches) > 1 and self.draw.choices.one_to_one:
            raise InputError(
                "matches must be at most one, as the draw promises (one-to-one), got "
                f"{len(matches)}. Keep one, or draw without the promise."
            )
        if self.draw.matching.dedupe and node in matches:
            raise InputError(f"matches must be other records, got {node!r} itself. Untick it.")

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
                unsure=[p for p in self.book.with_status(UNSURE) if self.may_see(labeller, p)],
                conflicts=self.book.with_status(CONFLICT),
                agreed=agreed,
                twice=twice,
                last=None if last is None else last.place,
                mine=sorted({v.place for v in self.book.live.values() if v.labeller == labeller}),
                seconds=self._pace() * max(total - done, 0),
                kappa=self.book.kappa(),
                tally={
                    "match": sum(bool(one.matches) for one in self.book.settled()),
                    "none": sum(not one.matches for one in self.book.settled()),
                },
                skipped=[p for p in self._skipped.get(labeller, []) if p not in self.book.pages],
                stopped=self._is_stopped,
                train=self.draw.train,
            )

    def waits_for(self) -> tuple[int, str] | None:
        """The first validation node without a label that later ones have, and its status.

        Bounds count labels up to it.
        """
        with self._lock:
            settled = self.book.with_status(SETTLED)
            for place in range(self.draw.train + 1, max(settled, default=0)):
                page = self.book.pages.get(place)
                if place not in self.book.erased and (page is None or page.status != SETTLED):
                    return place, "open" if page is None else page.status
            return None

    def _pace(self) -> float:
        """Seconds per label: the median of the latest ones, without pauses."""
        latest = self._keeper.entries[-2 * RECENT :]
        entries = [entry for entry in latest if entry["kind"] == "label"]
        times = [datetime.fromisoformat(entry["time"]).timestamp() for entry in entries[-RECENT:]]
        gaps = [b - a for a, b in pairwise(times) if b - a < PAUSE]
        return float(median(gaps)) if gaps else 0.0


def _check_seen(labeller: str, page: Page, decides: bool, seen: int | None) -> None:
    """Refuse a label of a node as it was before others labelled or decided it."""
    decision, is_conflict = page.decision, page.status == CONFLICT
    if is_conflict and not decides:
        what = "somebody labelled it differently"
    elif decides and not is_conflict and decision is None:
        what = "a label was taken back, so that nothing is left to decide"
    elif decision and seen not in (None, decision.entry) and decision.labeller != labeller:
        what = f"{decision.labeller} changed its label"
    else:
        return
    raise InputError(
        f"place {page.verdicts[0].place} must be looked at again, got a label for it as it was "
        f"before {what}. Nothing was saved. Open it from the list of labels (l), and look."
    )


def _changed_meanwhile() -> InputError:
    return InputError(
        "confirmed must be the changes that this label means, got others: somebody labelled "
        "meanwhile. Save again."
    )


def in_order(draw: Draw) -> list[str]:
    """The ids of the drawn nodes in the order of labelling; empty where one was erased."""
    return [node for node, _, _ in draw.in_order]
