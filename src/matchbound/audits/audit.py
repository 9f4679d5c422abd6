"""An audit, open: its draw and, where it lives in a folder, its ledger and its labels."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from matchbound.audits.choices import change_choices, make_choices
from matchbound.audits.draw import PARTS, Draw
from matchbound.audits.folder import LABELS, last_draw, refuse_unfinished
from matchbound.audits.ledger import (
    NAME,
    Entry,
    Ledger,
    Transaction,
    erased_places,
    of_version1,
    read_ledger,
)
from matchbound.audits.ledger import transaction as ledger_transaction
from matchbound.audits.places import find
from matchbound.audits.release import release_path, released
from matchbound.errors import InputError
from matchbound.files import is_file, is_folder
from matchbound.theorems import Choices

if TYPE_CHECKING:
    from os import PathLike

Where = Union["str | PathLike[str]", Draw, None]
"""What a user gives for an audit: its folder, a `Draw`, or nothing."""


@dataclass(frozen=True)
class Audit:
    """A draw in a folder, a draw in memory, or neither: labels that a person brings along.

    `ledger` is the folder's as it was when the audit was opened; a transaction reads it again.
    """

    folder: Path | None = None
    draw: Draw | None = None
    ledger: Ledger = field(default_factory=Ledger, compare=False)

    @staticmethod
    def open(audit: Where) -> "Audit":
        """Open a folder, or a `Draw`; one that was read from a folder belongs to that folder."""
        if audit is None:
            return Audit()
        if isinstance(audit, Draw):
            if audit.folder is None:
                return Audit(draw=audit)
            audit = audit.folder
        if not isinstance(audit, str | os.PathLike):
            raise InputError(f"audit must be a folder, got {type(audit).__name__}. Give its path.")
        folder = Path(audit)
        if not is_folder(folder):
            raise InputError(
                f"audit must be a folder, got {str(audit)!r}, which is no folder. "
                "Give the folder that `matchbound draw --out` wrote."
            )
        ledger = read_ledger(folder) if is_file(folder / NAME) else Ledger()
        if ledger.is_version1 and not ledger.problems:
            raise of_version1()
        refuse_unfinished(folder, () if ledger.problems else ledger.entries)
        return Audit(folder, Draw.load(folder), ledger)

    def before(self, entry: Entry) -> "Audit":
        """The audit as it was before an entry of its ledger."""
        entries = self.ledger.entries[: entry["entry"] - 1]
        return replace(self, ledger=Ledger(entries, journal=self.ledger.journal))

    @property
    def drawn(self) -> Draw:
        """The draw, where there is one."""
        assert self.draw is not None
        return self.draw

    @property
    def own_folder(self) -> Path:
        """The folder, where there is one."""
        assert self.folder is not None
        return self.folder

    @property
    def labels(self) -> Path | None:
        """Where the folder's labels are, or will be."""
        return None if self.folder is None else self.folder / LABELS

    def truth(self, labels: Any = None) -> Any:
        """The labels that were given, or else the folder's."""
        if labels is None and self.labels is None:
            raise InputError("labels must be given with a Draw, got None. Give a table or a path.")
        return self.labels if labels is None else labels

    @property
    def files(self) -> list[Path]:
        """The files that no result may be written over: the folder's, and what was drawn from.

        Of the folder's certificates, releases that are on record are among them.
        """
        tables = () if self.draw is None else (self.draw.population, self.draw.within)
        paths = [table.path for table in tables if table is not None and table.path is not None]
        if self.folder is None:
            return [Path(path) for path in paths]
        drawn_from = [table for path in paths for table in find(path, self.folder)]
        kept = [release_path(self.folder, e["release"]) for e in released(self.ledger.entries)]
        return [*(self.folder / name for name in PARTS), *kept, *drawn_from]

    def choices(self, by_name: Mapping[str, object]) -> tuple[Choices, tuple[str, ...]]:
        """The choices for a certificate, and the names of those that are not the draw's."""
        if self.draw is None:
            return make_choices({**by_name, "brought": True}), ()
        draw, in_part = self.draw, self.draw.within is not None
        return change_choices(draw.choices, by_name, draw.matching, in_part=in_part)

    def population(self, population: Any = None) -> Any:
        """Where the population is now: as the user says, as recorded, or beside the folder."""
        if population is not None:
            return population
        way_out = "Say where it is now with --population."
        return self.drawn.population.found_again("population", self.folder, way_out)

    def within(self, within: Any = None) -> Any:
        """Where the part that was drawn from is now; None if the population was drawn from."""
        if within is not None or self.drawn.within is None:
            return within
        return self.drawn.within.found(self.folder)

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Lock the ledger and read it again; what is added is written all or not at all.

        Refused if another draw was made since this one was opened.
        """
        with ledger_transaction(self.own_folder) as ledger:
            self.check_on_record(ledger.entries)
            yield ledger

    def check_on_record(self, entries: Sequence[Entry]) -> None:
        """Refuse a folder whose draw is not the last on record."""
        refuse_unfinished(self.own_folder, entries)
        last = last_draw(entries)
        if last is None or last["draw"] != self.drawn.digest:
            raise InputError(
                f"audit must hold a draw that its ledger knows, got another in "
                f"{str(self.folder)!r}. Restore draw.json, or repeat the `draw --extend` that was "
                "interrupted."
            )
        if erased_places(entries) != erased_places(self.ledger.entries):
            raise InputError(
                f"audit must stay as it was opened, got {str(self.folder)!r}, from which labels "
                "were erased meanwhile. Repeat the command."
            )
