"""The tables that a user gives for a certificate, and what settles which tables they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matchbound.audits.ledger import Entry
from matchbound.tables import Matching, Reading


@dataclass(frozen=True)
class Supplied:
    """The tables that a user gave for a certificate, and how they are read."""

    holdout: Any
    complete: Any
    labels: Any
    reading: Reading
    unlabelled: str
    population: Any = None
    id: str | None = None
    trained_on: Any = None
    matching: Matching = field(default_factory=Matching)
    within: Any = None


@dataclass(frozen=True)
class Identity:
    """What settles which tables are given: the entries on record before.

    `rows_of` says by name whether an input's rows are digested, whatever is on record.
    """

    entries: Sequence[Entry] = ()
    rows_of: Mapping[str, bool] = field(default_factory=dict)
