"""A certificate's tallies, counted again from its inputs."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from matchbound.audits import (
    Audit,
    Draw,
    Entry,
    Identity,
    Inputs,
    Issued,
    Journal,
    Ledger,
    Standing,
    Supplied,
    before_labels,
    draw_again,
    has_ids,
    is_same_gap,
    is_same_sample,
    read_ledger,
    standing,
    with_ids,
)
from matchbound.certificates.assumptions import on_record
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.certification import compute
from matchbound.certificates.inputs import salted
from matchbound.certificates.rows import rows_at
from matchbound.engines import Progress, connect
from matchbound.errors import MatchboundError
from matchbound.tables import Digest, Matching, Reading


def recount_differences(
    certificate: Certificate,
    paths: Mapping[str, Path],
    memory: str | None,
    temp: Any,
    progress: Progress,
) -> Iterator[str]:
    """Yield what does not follow from the inputs."""
    inputs, choices = certificate.inputs, certificate.choices
    population, holdout = inputs.population, inputs.of_role("holdout")[0]
    folder, audit = paths["draw"].parent if "draw" in paths else None, Audit()
    changes = choices.as_dict()
    try:
        if folder is not None:
            ledger = read_ledger(folder)  # `verify` names its problems
            audit = Audit(
                folder,
                Draw.load(folder),
                Ledger(journal=ledger.journal) if ledger.problems else ledger,
            )
            audit = yield from _redrawn(audit, paths, holdout.reading, memory, temp, progress)
            audit = replace(audit, ledger=_as_of(certificate, audit.ledger))
            changes = {name: changes[name] for name in certificate.exploratory}
        banded = choices.bands or choices.candidates
        given = Supplied(
            _files_of(inputs, paths, "holdout"),
            _files_of(inputs, paths, "complete"),
            paths["labels"],
            replace(holdout.reading, threshold=None if banded else _threshold(inputs)),
            _unlabelled(certificate),
            paths["population"],
            population.id if folder is None else None,
            paths.get("trained_on"),
            population.matching or Matching(),
        )
        with connect("duckdb", memory, temp) as con:
            again = compute(con, audit, given, changes, _identity(certificate, audit), progress)
        journal = audit.ledger.journal
        salt = None if certificate.ledger is None else journal.salted
        again = replace(again, inputs=again.inputs.on_record(salt, folder))
        if certificate.ledger is not None:
            yield from _standing_differences(certificate.ledger, again, audit)
            again = on_record(again, certificate.ledger)
    except (MatchboundError, KeyError) as error:
        yield f"inputs give no certificate: {error}"
        return
    yield from _row_differences(certificate, again, paths, journal)
    yield from certificate.record.differences(again.record)


def _as_of(certificate: Certificate, ledger: Ledger) -> Ledger:
    """The ledger as it was when the certificate was issued: labels may have been erased since."""
    if certificate.ledger is None:
        return ledger
    return replace(ledger, entries=ledger.entries[: certificate.ledger.entries])


def _identity(certificate: Certificate, audit: Audit) -> Identity:
    """The entries before any label; rows are digested where the certificate has them.

    Rows are taken from no later entry, nor from the certificate: whoever wrote the ledger's end
    anew could claim there that a file has a registered matcher's rows.
    """
    entries: Sequence[Entry] = ()
    if audit.folder is not None and certificate.ledger is not None:
        entries = list(before_labels(audit.ledger.entries[: certificate.ledger.entries]))
    tables = certificate.inputs.tables.items()
    return Identity(entries, {name: one.digest.rows is not None for name, one in tables})


def _threshold(inputs: Inputs) -> float | None:
    """The threshold of those outputs that have scores; they have the same."""
    thresholds = (output.reading.threshold for output in inputs.outputs)
    return next((threshold for threshold in thresholds if threshold is not None), None)


def _standing_differences(recorded: Standing, again: Certificate, audit: Audit) -> Iterator[str]:
    """Yield if the files at hand do not have the place in the ledger that is claimed.

    The certificate's own digests do not settle that: it could claim a registered matcher's bytes.
    """
    if audit.folder is None or not audit.ledger.entries:
        return  # a ledger with problems is empty here: they are named already
    issued = Issued.of(again.inputs, again.choices, again.exploratory)
    before, salted = audit.ledger.entries[: recorded.entries], audit.ledger.journal.salted
    if standing(before, issued, salted) != recorded:
        yield "ledger is not what the entries and the inputs at hand give"


def _row_differences(
    certificate: Certificate, again: Certificate, paths: Mapping[str, Path], journal: Journal
) -> Iterator[str]:
    """Yield the inputs whose rows are not those that the certificate has a digest of."""
    tables = again.inputs.tables
    for name, source in certificate.inputs.tables.items():
        recorded = source.digest.rows
        if recorded is None or recorded == tables[name].digest.rows:
            continue
        rows = Digest(rows_at(certificate, name, paths), None)
        if recorded != salted(certificate, name, rows, journal).rows:
            yield f"inputs.{name}.digest.rows is not what the inputs give"


def _files_of(inputs: Inputs, paths: Mapping[str, Path], role: str) -> Any:
    """The file of a matcher, or those of several algorithms by name; None if there is none."""
    files = {one.algorithm: paths[one.name] for one in inputs.of_role(role)}
    return files.get("", files or None)


def _unlabelled(certificate: Certificate) -> str:
    """How unlabelled nodes were taken: only where there are some does it matter."""
    some = any(remark.code == "unlabelled" for remark in certificate.assumptions)
    return "worst" if some else "refuse"


def _redrawn(
    audit: Audit,
    paths: Mapping[str, Path],
    reading: Reading,
    memory: str | None,
    temp: Any,
    progress: Progress,
) -> Generator[str, None, Audit]:
    """Yield what the seed does not draw; return the audit with the ids that were erased."""
    before = audit.drawn
    again = draw_again(
        before,
        paths["population"],
        paths.get("holdout"),
        reading,
        paths.get("trained_on"),
        memory=memory,
        temp=temp,
        progress=progress,
    )
    if not is_same_sample(before, again, audit.ledger.entries):
        yield "sample.csv is not what the seed draws"
    if not is_same_gap(before, again):
        yield "gap.csv is not what the seed draws"
    return audit if has_ids(before) else replace(audit, draw=with_ids(before, again))
