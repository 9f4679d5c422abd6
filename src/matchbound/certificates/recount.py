"""A certificate's tallies, counted again from its inputs."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from matchbound.audits import Audit, Draw, Entry, Ledger, Wishes, read_ledger, redraw
from matchbound.certificates.assumptions import on_record
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.certification import Given, Identity, compute
from matchbound.certificates.rows import rows_at
from matchbound.engines import Progress, connect
from matchbound.errors import MatchboundError
from matchbound.tables import Digest, Matching, Reading

MATCHING = ("dedupe", "link", "source")


def recount_differences(
    certificate: Certificate,
    paths: Mapping[str, Path],
    memory: str | None,
    temp: Any,
    progress: Progress,
) -> Iterator[str]:
    """Yield what does not follow from the inputs."""
    inputs, choices = certificate.inputs, certificate.choices
    population = inputs["population"]
    first = next(source for name, source in inputs.items() if name.partition(" ")[0] == "holdout")
    folder, audit = paths["draw"].parent if "draw" in paths else None, Audit()
    changes = choices.as_dict()
    matching = Matching()
    try:
        if folder is not None:
            ledger = read_ledger(folder)  # `verify` names its problems
            audit = Audit(folder, Draw.load(folder), Ledger() if ledger.problems else ledger)
            yield from _redrawn(audit.drawn, paths, first, memory, temp, progress)
            changes = {name: changes[name] for name in certificate.exploratory}
        else:
            matching = Matching(**{name: population[name] for name in MATCHING})
        banded = choices.bands or choices.candidates
        given = Given(
            _files_of(paths, "holdout"),
            _files_of(paths, "complete"),
            paths["labels"],
            Reading(first["columns"], None if banded else first["threshold"]),
            _unlabelled(certificate),
            paths["population"],
            population["id"] if folder is None else None,
            paths.get("trained_on"),
            matching,
        )
        with connect("duckdb", memory, temp) as con:
            again = compute(con, audit, given, changes, _identity(certificate, audit), progress)
        if certificate.ledger is not None:
            again = on_record(again, certificate.ledger)
    except (MatchboundError, KeyError) as error:
        yield f"inputs give no certificate: {error}"
        return
    yield from _row_differences(certificate, again, paths)
    yield from certificate.record.differences(again.record)


def _identity(certificate: Certificate, audit: Audit) -> Identity:
    """The entries before the certificate's own; rows are digested where the certificate has them.

    Nothing that the certificate says of its own inputs is taken from it.
    """
    entries: Sequence[Entry] = ()
    if audit.folder is not None and certificate.ledger is not None:
        entries = audit.ledger.entries[: certificate.ledger.entries]
    digests = {name: Digest.of(one["digest"]) for name, one in certificate.inputs.items()}
    return Identity(entries, {name: one.rows is not None for name, one in digests.items()})


def _row_differences(
    certificate: Certificate, again: Certificate, paths: Mapping[str, Path]
) -> Iterator[str]:
    """Yield the inputs whose rows are not those that the certificate has a digest of."""
    for name, source in certificate.inputs.items():
        recorded = Digest.of(source["digest"]).rows
        if recorded is None or recorded == Digest.of(again.inputs[name]["digest"]).rows:
            continue
        if recorded != rows_at(certificate, name, paths):
            yield f"inputs.{name}.digest.rows is not what the inputs give"


def _files_of(paths: Mapping[str, Path], role: str) -> Any:
    """The file of a matcher, or those of several algorithms by name; None if there is none."""
    if role in paths:
        return paths[role]
    several = {
        name.removeprefix(f"{role} "): path
        for name, path in paths.items()
        if name.startswith(f"{role} ")
    }
    return several or None


def _unlabelled(certificate: Certificate) -> str:
    """How unlabelled nodes were taken: only where there are some does it matter."""
    tally = next(iter(certificate.tallies.values()))
    some = any(not label.is_sure for label in (*tally.train, *tally.validation))
    return "worst" if some else "refuse"


def _redrawn(
    before: Draw,
    paths: Mapping[str, Path],
    holdout: Mapping[str, Any],
    memory: str | None,
    temp: Any,
    progress: Progress,
) -> Iterator[str]:
    choices = before.choices
    banded = bool(choices.bands or choices.candidates)
    by = {
        "holdout": paths.get("holdout"),
        "threshold": None if banded else holdout["threshold"],
        "columns": holdout["columns"],
    }
    record = before.as_dict()
    wishes = Wishes.again(
        record,
        paths["population"],
        None if choices.until_matched else before.labels,
        paths.get("trained_on"),
        **(by if before.holdout is not None else {}),
    )
    again = redraw(record, wishes, memory=memory, temp=temp, progress=progress)
    if again.sample != before.sample:
        yield "sample.csv is not what the seed draws"
    if again.gap != before.gap:
        yield "gap.csv is not what the seed draws"
