"""The releases of an audit folder: what each certifies, how far it moved, and what room is left."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from matchbound.audits import (
    Entry,
    all_together,
    certificate_files,
    release_path,
    released,
    sound_ledger,
)
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.record import Record
from matchbound.certificates.verdicts import UNKNOWN, Judge, Verdict, as_percent, counts_pairs
from matchbound.errors import InputError, MatchboundError
from matchbound.files import is_file
from matchbound.reprs import brief
from matchbound.theorems import METRICS, WHOLE, changed_matches, percent

if TYPE_CHECKING:
    from os import PathLike

ROOM = (
    "Room: every matcher that differs from the holdout matcher in at most this share of its pairs, "
    "dropped and added ones counted, has the target certified by the same labels."
)

OF_CLUSTERS = "Of clusters, the pairs are all those of two records in the same cluster."


@dataclass(frozen=True)
class Release:
    """A version of the matcher that was certified: its name, and the entry and time on record.

    `certificate` is None if its file is not there as it was written; `problem` says so.
    """

    name: str
    entry: int
    time: str
    certificate: Certificate | None
    problem: str = ""
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)

    def __repr__(self) -> str:
        return brief(self, f"{self.name}, {self.date}")

    @property
    def date(self) -> str:
        return self.time[:10]

    def bound(self, metric: str) -> float | None:
        """The bound on a metric; None if it is not certified, or without a guarantee."""
        one = self.certificate
        if one is None or one.exploratory or metric not in {g.metric for g in one.guarantees}:
            return None
        return one.value(metric)

    def bound_text(self, metric: str) -> str:
        value = self.bound(metric)
        if value is None:
            is_shown = self.certificate is not None and bool(self.certificate.exploratory)
            return "exploratory" if is_shown else UNKNOWN
        return f"{METRICS[metric].sign} {METRICS[metric].text(value)}"

    @property
    def gap(self) -> tuple[Fraction, Fraction] | None:
        """The shares of pairs and of nodes at which it differs from the holdout matcher.

        None if they are not counted over the population, separately for several parts, in a part of
        the population, or over one that has changed since the draw.
        """
        one = self.certificate
        if one is None or one.choices.is_sampled or list(one.tallies) != [WHOLE]:
            return None
        if not counts_pairs(one):
            return None
        tally = one.tallies[WHOLE]
        nodes = sum(cell.nodes for cell in tally.everywhere if not cell.h == cell.c == cell.hc)
        return Fraction(*changed_matches(tally)), Fraction(nodes, tally.size)

    @property
    def gap_text(self) -> str:
        if self.certificate is None:
            return self.problem
        if not self.certificate.has_complete:
            return "it is the holdout"
        if self.certificate.growth is not None:
            return "the population has changed"
        if self.gap is None:
            return UNKNOWN
        pairs, nodes = (as_percent(share, math.ceil) for share in self.gap)
        return f"{pairs} of pairs, {nodes} of nodes"


@dataclass(frozen=True)
class Releases:
    """The releases of an audit folder, in the order in which they were certified.

    `together` is the probability with which all certificates of the folder hold together.
    """

    rows: tuple[Release, ...]
    together: float
    targets: Mapping[str, float]

    @property
    def metrics(self) -> list[str]:
        """The metrics that any of them certifies, in the order of certificates."""
        certified = {name for row in self.rows for name in _metrics(row.certificate)}
        return [metric for metric in METRICS if metric in certified]

    @property
    def table(self) -> list[list[str]]:
        """A row a release, below the names of the columns."""
        targets = [f"{metric} {value:g}" for metric, value in self.targets.items()]
        head = ["release", "date", *self.metrics, "differs from the holdout", *targets]
        return [head, *(self._cells(row) for row in self.rows)]

    def _cells(self, row: Release) -> list[str]:
        verdicts = [row.verdicts.get(metric) for metric in self.targets]
        return [
            row.name,
            row.date,
            *(row.bound_text(metric) for metric in self.metrics),
            row.gap_text,
            *(UNKNOWN if verdict is None else verdict.text for verdict in verdicts),
        ]

    @property
    def heading(self) -> str:
        if not self.rows:
            return "No release yet. `matchbound certify AUDIT … --release NAME` adds one."
        many = "1 release" if len(self.rows) == 1 else f"{len(self.rows)} releases"
        return (
            f"{many}; all certificates of this folder that have a guarantee hold together with "
            f"probability at least {percent(self.together)}."
        )

    def __repr__(self) -> str:
        return brief(self, ", ".join(row.name for row in self.rows) or "none")

    def __str__(self) -> str:
        if not self.rows:
            return self.heading
        widths = [max(map(len, column)) for column in zip(*self.table, strict=True)]
        lines = [
            "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in self.table
        ]
        return "\n".join([self.heading, *lines, *([self.room_words] if self.targets else [])])

    @property
    def room_words(self) -> str:
        """What room means, and which pairs count."""
        is_clusters = any(row.certificate and row.certificate.is_clusters for row in self.rows)
        return f"{ROOM} {OF_CLUSTERS}" if is_clusters else ROOM


def releases(
    audit: "str | PathLike[str]", *, targets: Mapping[str, float] | None = None
) -> Releases:
    """The releases of an audit folder, from its ledger and the certificates in it.

    `targets` are values that metrics should have, by metric: each release then has a `Verdict`,
    which is that of `verify --require` on its certificate, with the room that is left.
    """
    folder, wanted = Path(audit), dict(targets or {})
    entries = sound_ledger(folder).entries
    found = _certificates(folder)
    rows = [_release(folder, entry, found) for entry in released(entries)]
    for metric in wanted:
        if metric not in METRICS:
            raise InputError(
                f"target must be for a metric that there is, got {metric!r}. Choose among "
                f"{', '.join(METRICS)}."
            )
    judged = tuple(_judged(rows, wanted))
    return Releases(judged, all_together(entries), wanted)


def _metrics(certificate: Certificate | None) -> Sequence[str]:
    return () if certificate is None else certificate.choices.metrics


def _certificates(folder: Path) -> dict[str, Certificate]:
    """The certificates in the folder that are as they were written, by their digests."""
    found = {}
    for path in certificate_files(folder):
        try:
            record = Record.read(path)
            if not any(record.changed()):
                found[str(record.content["digest"])] = Certificate.of(record)
        except MatchboundError:  # another file, or one of version 1
            continue
    return found


def _release(folder: Path, entry: Entry, found: Mapping[str, Certificate]) -> Release:
    name, certificate = entry["release"], found.get(entry["certificate"])
    is_there = is_file(release_path(folder, name))
    problem = "file changed" if is_there else "file missing"
    facts = name, entry["entry"], entry["time"], certificate
    return Release(*facts, problem if certificate is None else "")


def _judged(rows: Iterable[Release], targets: Mapping[str, float]) -> Iterator[Release]:
    """The releases with their verdicts."""
    judge = Judge(targets)
    for row in rows:
        certificate = row.certificate
        yield replace(row, verdicts={} if certificate is None else judge.verdicts(certificate))
