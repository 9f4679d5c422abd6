"""Where an audit's tables are on this machine: a file of the folder that is not sent to others.

draw.json, ledger.jsonl and certificate.json name a table by its path in the folder, or by its file
name alone if it lies elsewhere; a pattern has the folder before its wildcards, too. paths.jsonl has
the whole paths, a line each.
"""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath

from matchbound.errors import InputError
from matchbound.files import (
    LONG_LIMIT,
    files_at,
    is_file,
    is_pattern,
    paths_beside,
    read_bytes,
    read_json,
    resolved,
)

NAME = "paths.jsonl"


def recorded(path: str | None, folder: Path | None) -> str | None:
    """A table's path as it is put on record."""
    if path is None:
        return None
    if folder is not None and "://" not in path:
        place = Path(os.path.abspath(path))
        if place.is_relative_to(resolved(folder)):
            return place.relative_to(resolved(folder)).as_posix()
    return _pattern(path) if is_pattern(Path(path)) and "://" not in path else _name(path)


def _pattern(path: str) -> str:
    """A pattern, from the folder on that its first part with a wildcard is in."""
    parts = Path(path).parts
    first = next(i for i, part in enumerate(parts) if set("*?[") & set(part))
    return PurePosixPath(*parts[max(first - 1, 0) :]).as_posix().lstrip("/")


def new_lines(folder: Path, paths: Iterable[str | None]) -> bytes:
    """The lines to append for tables that were read from these paths and are not known yet."""
    wholes = [whole(path) for path in paths if path]
    known = whole_paths(folder)
    new = [path for path in dict.fromkeys(wholes) if path not in known]
    return "".join(json.dumps(path) + "\n" for path in new).encode()


def whole(path: str) -> str:
    """A table's path from the root on, if it is a path."""
    return os.path.abspath(path) if files_at(Path(path)) else path


def whole_paths(folder: Path) -> list[str]:
    """The paths in paths.jsonl; lines that are none are passed over."""
    paths = []
    for line in finished_lines(folder / NAME)[0]:
        with suppress(ValueError, RecursionError):
            path = read_json(line.decode())
            paths += [path] if isinstance(path, str) else []
    return paths


def finished_lines(path: Path) -> tuple[list[bytes], int, bool]:
    """The finished lines of a file, their bytes, and whether one is unfinished; none if no file."""
    try:
        data = read_bytes(path, LONG_LIMIT) if is_file(path) else b""
    except OSError as error:
        raise InputError(
            f"audit must hold files that can be read, got {str(path)!r} ({error.strerror}). "
            "Make it readable."
        ) from None
    *lines, rest = data.split(b"\n")
    return lines, len(data) - len(rest), bool(rest)


def named(folder: Path, path: str) -> list[str]:
    """The whole paths that a path on record may stand for, the latest first."""
    return [whole for whole in reversed(whole_paths(folder)) if _name(whole) == _name(path)]


def find(path: str, folder: Path) -> list[Path]:
    """The tables that a path on record may mean: in or beside the folder, or where they were."""
    paths = [*paths_beside(path, folder), *map(Path, named(folder, path))]
    return [path for path in dict.fromkeys(paths) if files_at(path)]


def _name(path: str) -> str:
    """The last part of a path of this system, or of another."""
    is_windows = "\\" in path and "/" not in path
    return (PureWindowsPath(path) if is_windows else PurePosixPath(path)).name or path
