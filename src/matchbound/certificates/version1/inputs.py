"""What a version-1 certificate says of its inputs, and of its place in the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from matchbound.audits import Provenance

NAMES = ("population", "draw", "labels", "trained_on", "holdout", "complete")


@dataclass(frozen=True)
class Input:
    """A table: where it was, one digest, of its bytes or of a table in memory, and how it was read.

    The population has a `size`, an output a threshold and columns.
    """

    role: str
    algorithm: str
    path: str | None
    digest: str
    size: int | None
    threshold: float | None
    columns: Mapping[str, str] | None

    @staticmethod
    def of(name: str, record: Any) -> "Input":
        role, _, algorithm = name.partition(" ")
        path, digest = record["path"], record["digest"]
        if role not in NAMES:
            raise TypeError(f"inputs has no {name!r}")
        if not isinstance(path, str | None) or not isinstance(digest, str):
            raise TypeError("inputs must have paths and digests")
        size, threshold, columns = map(record.get, ("size", "threshold", "columns"))
        return Input(role, algorithm, path, digest, size, threshold, columns)


@dataclass(frozen=True)
class Place:
    """How the certificate stood in the ledger, by version 1's rules."""

    entries: int
    head: str
    registered: int | None
    certificates: int
    other_labels: int
    matchers: int
    together: float
    labelled: Provenance | None = None

    def __post_init__(self) -> None:
        numbers = (self.entries, self.matchers, self.together)
        if not all(isinstance(number, int | float) for number in numbers):
            raise TypeError("ledger must hold numbers")

    @staticmethod
    def of(record: Any) -> "Place":
        """From JSON; raise TypeError if it has other names."""
        labelled = record.get("labelled")
        return Place(
            **{**record, "labelled": None if labelled is None else Provenance.of(labelled)}
        )
