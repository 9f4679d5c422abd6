"""The files that a certificate was computed from, found again."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from matchbound.audits import Journal, find
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.rows import rows_at
from matchbound.files import digest_of_file
from matchbound.tables import Digest

OF_LABELS = ("labels", "trained_on")


def salted(certificate: Certificate, name: str, digest: Digest, journal: Journal) -> Digest:
    """A file's digest as a certificate has it: those of labels are salted where there is a draw."""
    is_salted = certificate.ledger is not None and name in OF_LABELS
    return journal.salted(digest) if is_salted else digest


def at_hand(
    certificate: Certificate, folder: Path, journal: Journal
) -> tuple[dict[str, Path], list[str]]:
    """Find the files of the inputs, by their digests if several have the name; list the missing."""
    paths, missing = {}, []
    for name, source in certificate.inputs.tables.items():
        path, digest = source.path, source.digest.bytes
        files = [] if path is None or digest is None else find(path, folder)
        fitting = [file for file in files if _bytes(certificate, name, file, journal) == digest]
        if files:
            paths[name] = (fitting or files)[0]
        else:
            missing.append(name)
    return paths, missing


def _bytes(certificate: Certificate, name: str, path: Path, journal: Journal) -> str | None:
    return salted(certificate, name, Digest(None, digest_of_file(path)), journal).bytes


def file_differences(
    certificate: Certificate, paths: Mapping[str, Path], journal: Journal
) -> Iterator[str]:
    """Yield what the files at hand, and the population's size, contradict.

    A file may have other bytes than the one that was certified, if it has the same rows.
    """
    for name, path in paths.items():
        recorded = certificate.inputs.tables[name].digest
        if _bytes(certificate, name, path, journal) == recorded.bytes:
            continue
        rows = salted(certificate, name, Digest(rows_at(certificate, name, paths), None), journal)
        if recorded.rows is None or rows.rows != recorded.rows:
            yield f"inputs.{name}: {str(path)!r} is not the file that was certified"
    size = next(iter(certificate.tallies.values())).size
    population = certificate.inputs.population
    if population.size != size:
        yield f"inputs.population.size is {population.size!r}, the tallies' {size}"
