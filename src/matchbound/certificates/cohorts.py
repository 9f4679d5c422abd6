"""Certificates of later draws, which a certificate of the whole population is made with."""

from collections.abc import Mapping
from pathlib import Path

from matchbound.audits import Audit, CohortRef, Inputs, certificate_files, cohort_folder
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.record import Record
from matchbound.errors import InputError, MatchboundError
from matchbound.files import digest_of_file
from matchbound.tables import Digest, is_same_table
from matchbound.theorems import Change, Cohort, holdout_alone


def read_cohorts(
    audit: Audit, files: Mapping[str, Path | None], inputs: Inputs
) -> tuple[tuple[Cohort, ...], tuple[CohortRef, ...]]:
    """The tallies of cohorts, from their certificates, and what names these on record.

    `files` are the certificates, None for the last that fits.
    """
    found = {
        name: _certified(cohort_folder(audit.own_folder, name), path, inputs)
        for name, path in files.items()
    }
    cohorts = (_cohort(name, certificate) for name, (_, certificate) in found.items())
    refs = (
        CohortRef(str(path), Digest(None, digest_of_file(path)), name)
        for name, (path, _) in found.items()
    )
    return tuple(cohorts), tuple(refs)


def _cohort(name: str, certificate: Certificate) -> Cohort:
    tally = next(iter(certificate.tallies.values()))
    tally = tally if certificate.has_complete else holdout_alone(tally)
    change = Change() if certificate.growth is None else certificate.growth.change
    return Cohort(tally, certificate.choices, change, name)


def _certified(folder: Path, given: Path | None, inputs: Inputs) -> tuple[Path, Certificate]:
    """The cohort's last certificate of the same matcher, on the same population."""
    fitting = [
        (path, certificate)
        for path in ([given] if given is not None else certificate_files(folder))
        if (certificate := _read(path)) is not None and _is_of(certificate, inputs)
    ]
    if not fitting:
        raise InputError(
            f"cohort must have a certificate of the complete matcher on the population as it is "
            f"now, got none in {str(folder)!r}. Certify it first: matchbound certify {folder} with "
            "the same --complete and --population."
        )
    path, certificate = max(fitting, key=_place)
    if certificate.shortfall:
        raise InputError(
            f"cohort must have a certificate that holds with 1 - δ of its draw, got one in "
            f"{str(folder)!r} that does not: {certificate.shortfall}. Draw another cohort."
        )
    return path, certificate


def _place(found: tuple[Path, Certificate]) -> int:
    ledger = found[1].ledger
    return -1 if ledger is None else ledger.entries


def _read(path: Path) -> Certificate | None:
    """A certificate, if the file is one; draw.json is none."""
    try:
        return Certificate.of(Record.read(path))
    except MatchboundError:
        return None


def _is_of(certificate: Certificate, inputs: Inputs) -> bool:
    """Whether it is about the complete matcher of `inputs`, over the same nodes."""
    certified = certificate.inputs.of_role("complete" if certificate.has_complete else "holdout")
    complete = inputs.of_role("complete")
    now = certificate.inputs.now or certificate.inputs.population
    return (
        inputs.now is not None
        and len(certified) == len(complete) == 1
        and certified[0].recorded.is_same(complete[0].recorded)
        and is_same_table(now.digest, inputs.now.digest)
    )
