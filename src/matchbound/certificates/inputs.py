"""The files that a certificate was computed from, found again."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from matchbound.engines import ROWS
from matchbound.files import digest_of_file, find_file

Inputs = Mapping[str, Any]


def at_hand(inputs: Inputs, folder: Path) -> tuple[dict[str, Path], list[str]]:
    """Find the files, by their digests if several have the name; and list those missing."""
    paths, missing = {}, []
    for name, source in inputs.items():
        is_file = source["path"] is not None and not source["digest"].startswith(ROWS)
        files = find_file(source["path"], folder) if is_file else []
        fitting = [file for file in files if digest_of_file(file) == source["digest"]]
        if files:
            paths[name] = (fitting or files)[0]
        else:
            missing.append(name)
    return paths, missing


def file_differences(inputs: Inputs, paths: Mapping[str, Path]) -> Iterator[str]:
    """Yield the files that are not those that were certified."""
    for name, path in paths.items():
        if digest_of_file(path) != inputs[name]["digest"]:
            yield f"inputs.{name}: {str(path)!r} is not the file that was certified"


def size_differences(inputs: Inputs, size: int) -> Iterator[str]:
    """Yield a population's size that is not that of the tallies."""
    recorded = inputs.get("population", {}).get("size")
    if recorded != size:
        yield f"inputs.population.size is {recorded!r}, the tallies' {size}"
