"""A certificate's tallies, counted again from its inputs."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from matchbound.audits import (
    COHORT,
    Audit,
    Entry,
    Identity,
    Inputs,
    Standing,
    Supplied,
    before_labels,
    standing,
)
from matchbound.certificates.assumptions import on_record
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.certification import compute
from matchbound.certificates.inputs import Evidence
from matchbound.certificates.place import comparable
from matchbound.certificates.redrawing import seed_differences
from matchbound.engines import Resources
from matchbound.errors import EngineError, MatchboundError
from matchbound.files import scratch
from matchbound.tables import Matching


def recount_differences(evidence: Evidence, resources: Resources) -> Iterator[str]:
    """Yield what does not follow from the inputs."""
    certificate, audit = evidence.certificate, _audit(evidence)
    try:
        if evidence.draw is not None:
            drawn = yield from seed_differences(evidence, evidence.draw, resources)
            audit = replace(audit, draw=drawn)
        with _paths_then(evidence, resources.temp) as paths:
            again = _recounted(evidence, audit, paths, resources)
        salted = None if certificate.ledger is None else evidence.history.journal.salted
        inputs = again.inputs.on_record(salted, audit.folder)
        again = replace(again, inputs=inputs, release=certificate.release)
        if certificate.ledger is not None:
            yield from _standing_differences(certificate.ledger, again, evidence)
            again = on_record(again, certificate.ledger)
    except EngineError:
        raise
    except (MatchboundError, KeyError) as error:
        yield f"inputs give no certificate: {error}"
        return
    yield from _row_differences(evidence, again)
    yield from certificate.record.differences(again.record)


def _audit(evidence: Evidence) -> Audit:
    """The audit as it was before the certificate."""
    if evidence.draw is None:
        return Audit()
    return Audit(evidence.paths["draw"].parent, evidence.draw, evidence.history.then)


@contextmanager
def _paths_then(evidence: Evidence, temp: Any) -> Iterator[Mapping[str, Path]]:
    """The files of the inputs; labels as they were are in a temporary file."""
    labels = evidence.found["labels"]
    if labels.then is None:
        yield evidence.paths
        return
    recorded = evidence.certificate.inputs.labels.path or "labels.csv"
    with scratch(Path(recorded).name, labels.then, temp) as path:
        yield {**evidence.paths, "labels": path}


def _recounted(
    evidence: Evidence, audit: Audit, paths: Mapping[str, Path], resources: Resources
) -> Certificate:
    """The certificate that the inputs give, without its place in the ledger."""
    certificate = evidence.certificate
    inputs, choices = certificate.inputs, certificate.choices
    population, holdout = inputs.population, inputs.of_role("holdout")[0]
    changes, banded = choices.as_dict(), choices.bands or choices.candidates
    threshold = None if banded else _threshold(inputs)
    if audit.draw is not None:
        changes = {name: changes[name] for name in certificate.exploratory}
    given = Supplied(
        _files_of(inputs, paths, "holdout"),
        _files_of(inputs, paths, "complete"),
        paths["labels"],
        replace(holdout.reading, threshold=threshold, clusters=_are_closed(inputs)),
        _unlabelled(certificate),
        paths["population"],
        population.id if audit.draw is None else None,
        paths.get("trained_on"),
        population.matching or Matching(),
        paths.get("within"),
        certificate.truth_searched,
        paths.get("population_now"),
        paths.get("changed"),
        {one.name: paths[f"{COHORT}{one.name}"] for one in inputs.cohorts},
    )
    identity = _identity(certificate, audit)
    with resources.connect() as con:
        return compute(con, audit, given, changes, identity, resources.progress)


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


def _are_closed(inputs: Inputs) -> bool:
    """Whether pairs were read as clusters: a table of clusters beside open pairs does not tell."""
    return all(output.reading.clusters for output in inputs.outputs)


def _standing_differences(
    recorded: Standing, again: Certificate, evidence: Evidence
) -> Iterator[str]:
    """Yield if the files at hand do not have the place in the ledger that is claimed.

    The certificate's own digests do not settle that: it could claim a registered matcher's bytes.
    """
    history = evidence.history
    if evidence.draw is None or not history.before:
        return  # a ledger with problems has no entries here: they are named already
    issued = again.issued()
    stands = standing(history.before, issued, history.journal.salted)
    if comparable(stands, history) != comparable(recorded, history):
        yield "ledger is not what the entries and the inputs at hand give"


def _row_differences(evidence: Evidence, again: Certificate) -> Iterator[str]:
    """Yield the inputs whose rows are not those that the certificate has a digest of."""
    for name, source in evidence.certificate.inputs.tables.items():
        recorded = source.digest.rows
        if recorded is None or recorded == again.inputs.tables[name].digest.rows:
            continue
        if recorded != evidence.rows_of(name):
            yield f"inputs.{name}.digest.rows is not what the inputs give"


def _files_of(inputs: Inputs, paths: Mapping[str, Path], role: str) -> Any:
    """The file of a matcher, or those of several algorithms by name; None if there is none."""
    files = {one.algorithm: paths[one.name] for one in inputs.of_role(role)}
    return files.get("", files or None)


def _unlabelled(certificate: Certificate) -> str:
    """How unlabelled nodes were taken: only where there are some does it matter."""
    some = any(remark.code == "unlabelled" for remark in certificate.assumptions)
    return "worst" if some else "refuse"
