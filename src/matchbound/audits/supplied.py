"""The tables that a user gives for a certificate, and what settles which tables they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from matchbound.audits.ledger import Entry
from matchbound.errors import InputError
from matchbound.tables import Matching, Reading, Recorded


@dataclass(frozen=True)
class Supplied:
    """The tables that a user gave for a certificate, and how they are read.

    `truth_searched` is how true matches were looked for, in the user's words. `now` is the
    population as it is now, where it has changed since the draw, and `changed` has the ids of
    records that are not what they were. `cohorts` has by the names of later
    draws their certificates, None for the last that fits. `recorded` is the
    matcher on record that `holdout` must be, if the user gave none.
    """

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
    truth_searched: str | None = None
    now: Any = None
    changed: Any = None
    cohorts: Mapping[str, Path | None] = field(default_factory=dict)
    recorded: Recorded | None = None

    def __post_init__(self) -> None:
        checked_searched(self.truth_searched)


def checked_searched(text: object) -> str | None:
    """Refuse what is no line of text: the ledger and the certificate have it as it is."""
    if text is None:
        return None
    if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > 500:
        raise InputError(
            "truth_searched must say in one line, of at most 500 characters, how true matches were "
            f"looked for, got {str(text)[:40]!r}. Write it in your words, or leave it out."
        )
    return text


@dataclass(frozen=True)
class Identity:
    """What settles which tables are given: the entries on record before.

    `rows_of` says by name whether an input's rows are digested, whatever is on record.
    """

    entries: Sequence[Entry] = ()
    rows_of: Mapping[str, bool] = field(default_factory=dict)
