"""The files that a certificate was computed from, found again."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from matchbound.certificates.certificate import Certificate
from matchbound.certificates.rows import rows_at
from matchbound.files import digest_of_file, find_file


def at_hand(certificate: Certificate, folder: Path) -> tuple[dict[str, Path], list[str]]:
    """Find the files of the inputs, by their digests if several have the name; list the missing."""
    paths, missing = {}, []
    for name, source in certificate.inputs.tables.items():
        path, digest = source.path, source.digest.bytes
        files = [] if path is None or digest is None else find_file(path, folder)
        fitting = [file for file in files if digest_of_file(file) == digest]
        if files:
            paths[name] = (fitting or files)[0]
        else:
            missing.append(name)
    return paths, missing


def file_differences(certificate: Certificate, paths: Mapping[str, Path]) -> Iterator[str]:
    """Yield what the files at hand, and the population's size, contradict.

    A file may have other bytes than the one that was certified, if it has the same rows.
    """
    for name, path in paths.items():
        recorded = certificate.inputs.tables[name].digest
        if digest_of_file(path) == recorded.bytes:
            continue
        if recorded.rows is None or rows_at(certificate, name, paths) != recorded.rows:
            yield f"inputs.{name}: {str(path)!r} is not the file that was certified"
    size = next(iter(certificate.tallies.values())).size
    population = certificate.inputs.population
    if population.size != size:
        yield f"inputs.population.size is {population.size!r}, the tallies' {size}"
