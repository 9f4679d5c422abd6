"""The holdout matcher to certify: the output that is given, or the one that is on record."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from matchbound.audits.audit import Audit
from matchbound.audits.ledger import Entry
from matchbound.audits.remembered import remembered
from matchbound.audits.standing import registrations
from matchbound.errors import InputError
from matchbound.tables import Reading, Recorded


@dataclass(frozen=True)
class Matcher:
    """A holdout matcher's output and how it is read.

    `recorded` is what it must be the same as: what is on record, if the user gives no output.
    """

    output: Any
    reading: Reading
    recorded: Recorded | None = None

    @staticmethod
    def of(audit: Audit, output: Any, reading: Reading) -> "Matcher":
        """The output that is given; else the one matcher on record, where it is remembered to be.

        There is none where no matcher is on record.
        """
        if output is not None or audit.folder is None:
            return Matcher(output, reading)
        known = _registered(audit.ledger.checked().entries)
        if not known:
            return Matcher(None, reading)
        if len(known) > 1:
            raise InputError(
                f"holdout must be given where several matchers are on record, got None, and "
                f"{len(known)} are. Give one of them, with its threshold, as it was registered."
            )
        for name in reading.given:
            raise InputError(
                f"{name} must come with a holdout matcher, got it alone: the one on record is "
                "certified as it was registered. Drop it, or give the matcher's output too."
            )
        (recorded,) = known
        found = recorded.reading
        if audit.drawn.choices.scores:  # bands or candidates fix the threshold
            found = replace(found, threshold=None)
        return Matcher(_found(audit.folder, recorded), found, recorded)


def _registered(entries: Sequence[Entry]) -> list[Recorded]:
    """The matchers that are on record as registered, each once."""
    known: list[Recorded] = []
    for entry in registrations(entries):
        recorded = Recorded.of(entry["holdout"])
        if not any(map(recorded.is_same, known)):
            known.append(recorded)
    return known


def _found(folder: Path, recorded: Recorded) -> str:
    """Where the file of a matcher on record is."""
    tables = [
        table
        for table in remembered(folder)
        if table.digest is not None and table.digest.is_same(recorded.digest, read_alike=True)
    ]
    if not tables:
        raise InputError(
            "holdout must be given again where the folder does not remember its file, because it "
            "was a table in memory or paths.jsonl is gone, got None. Give the same output, with "
            "its threshold."
        )
    paths = [path for path in (table.now(folder) for table in tables) if path is not None]
    if not paths:
        raise InputError(
            f"holdout must be where it was when it was put on record, got {tables[0].path!r} (no "
            "such file). Put it there, or beside the audit folder; or say where it is now with "
            "--holdout."
        )
    return paths[0]
