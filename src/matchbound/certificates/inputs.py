"""The files that a certificate was computed from, found again."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from matchbound.certificates.certificate import Certificate
from matchbound.engines import ROWS
from matchbound.files import digest_of_file, find_file


def at_hand(certificate: Certificate, folder: Path) -> tuple[dict[str, Path], list[str]]:
    """Find the files of the inputs, by their digests if several have the name; list the missing."""
    paths, missing = {}, []
    for name, source in certificate.inputs.items():
        is_file = source["path"] is not None and not source["digest"].startswith(ROWS)
        files = find_file(source["path"], folder) if is_file else []
        fitting = [file for file in files if digest_of_file(file) == source["digest"]]
        if files:
            paths[name] = (fitting or files)[0]
        else:
            missing.append(name)
    return paths, missing


def file_differences(certificate: Certificate, paths: Mapping[str, Path]) -> Iterator[str]:
    """Yield what the files at hand, and the population's size, contradict."""
    for name, path in paths.items():
        if digest_of_file(path) != certificate.inputs[name]["digest"]:
            yield f"inputs.{name}: {str(path)!r} is not the file that was certified"
    size = next(iter(certificate.tallies.values())).size
    recorded = certificate.inputs.get("population", {}).get("size")
    if recorded != size:
        yield f"inputs.population.size is {recorded!r}, the tallies' {size}"
