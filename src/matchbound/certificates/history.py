"""An audit's ledger, seen from one of its certificates: what was before it, what came since."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from pathlib import Path

from matchbound.audits import Entry, Journal, Ledger, is_sealed
from matchbound.tables import Digest, Matching, is_same_table

NO_INPUTS = ("labeller", "moved")
"""The kinds of entries whose commitments, to names and to version 1's ledger, no tally needs."""


@dataclass(frozen=True)
class History:
    """The ledger in a folder, if one is at hand, and after how many entries a certificate came.

    A ledger with problems has no entries here: its problems are named elsewhere.
    """

    folder: Path | None = None
    ledger: Ledger = field(default_factory=Ledger)
    length: int = 0

    @property
    def journal(self) -> Journal:
        return self.ledger.journal

    @property
    def before(self) -> Sequence[Entry]:
        """The entries before the certificate."""
        return () if self.ledger.problems else self.ledger.entries[: self.length]

    @property
    def ends_early(self) -> bool:
        """Whether the ledger has fewer entries than the certificate says that came before it."""
        return self.folder is not None and len(self.ledger.entries) < self.length

    @property
    def since(self) -> Sequence[Entry]:
        """The entries after the certificate's own."""
        return () if self.ledger.problems else self.ledger.entries[self.length + 1 :]

    @property
    def of_draw(self) -> Sequence[Entry]:
        """The entries up to the next draw with a seed of its own: none is about other nodes."""
        return (*self.before, *takewhile(_keeps_draw, self.since))

    @property
    def is_replaced(self) -> bool:
        """Whether another draw, with a seed of its own, was made since."""
        return not all(map(_keeps_draw, self.since))

    @property
    def then(self) -> Ledger:
        """The ledger as it was before the certificate."""
        return Ledger(tuple(self.before), journal=self.journal)

    @property
    def draw(self) -> Entry | None:
        """The entry of the draw that the certificate is from."""
        return next((one for one in reversed(self.before) if one["kind"] == "draw"), None)

    @property
    def choices(self) -> Entry | None:
        """The entry of what was fixed before that draw's seed was made."""
        number = None if self.draw is None else self.draw.get("choices")
        return self.before[number - 1] if number else None

    @property
    def matching(self) -> Matching | None:
        return None if self.choices is None else Matching(**self.choices["matching"])

    def later_draw(self, digest: str) -> int | None:
        """The entry since the certificate that has a draw with this digest."""
        draws = (one for one in self.since if one["kind"] == "draw")
        return next((int(one["entry"]) for one in draws if one["draw"] == digest), None)

    def later_input(self, name: str, digest: Digest) -> int | None:
        """The entry of a later certificate whose complete matcher's table has this digest.

        Or that of the population as it was then, if `name` is `population_now`.
        """
        for entry in self.since:
            if entry["kind"] != "certificate":
                continue
            now = entry.get("population_now")
            tables = [now] if now else []
            if name != "population_now":
                tables = [one["digest"] for one in entry["complete"]]
            if any(is_same_table(Digest.of(one), digest) for one in tables):
                return int(entry["entry"])
        return None

    @cached_property
    def erased(self) -> int:
        """How many drawn nodes were erased since the certificate."""
        return len({place for one in _forgets(self.since) for place in one["places"]})

    @property
    def is_resalted(self) -> bool:
        """Whether digests of labels that were on record before may fit nothing any more."""
        return bool(_forgets(self.since))

    @property
    def was_resalted(self) -> bool:
        """Whether digests in the draw, which is older than the certificate, may fit nothing."""
        return self.is_resalted or bool(_forgets(self.before))

    @cached_property
    def unopened(self) -> list[str]:
        """The entries' kinds of the commitments before the certificate that nobody can open here.

        What was erased before the certificate was no input of it: it counted the worst case.
        """
        forgotten, lost = set(), []
        for entry in reversed(self.before):
            if entry["kind"] == "forget":
                forgotten |= {"nodes", *entry["places"]}
            for name, value in entry.items():
                if is_sealed(value) and forgotten.isdisjoint((name, entry.get("place"))):
                    lost.append(entry["kind"])
        return lost

    @property
    def lacks_openings(self) -> bool:
        """Whether a commitment to something that the tallies depend on cannot be opened."""
        return not {*self.unopened} <= {*NO_INPUTS}

    @property
    def opens_labels(self) -> bool:
        """Whether the labels that the page had before the certificate can be made again."""
        return self.journal.salt is not None and not self.lacks_openings and not self.is_resalted


def _keeps_draw(entry: Entry) -> bool:
    return entry["kind"] != "draw" or "extends" in entry


def _forgets(entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry["kind"] == "forget"]
