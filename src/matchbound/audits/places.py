"""Where an audit's tables are on this machine: a file of the folder that is not sent to others.

draw.json, ledger.jsonl and certificate.json name a table by its path in the folder, or by its file
name alone if it lies elsewhere. paths.json has the whole paths.
"""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath

from matchbound.files import find_file, is_file, read_json, write_whole

NAME = "paths.json"


def recorded(path: str | None, folder: Path | None) -> str | None:
    """A table's path as it is put on record."""
    if path is None:
        return None
    if folder is not None and "://" not in path:
        place = Path(os.path.abspath(path))
        if place.is_relative_to(folder.resolve()):
            return place.relative_to(folder.resolve()).as_posix()
    return _name(path)


def remember(folder: Path, paths: Iterable[str | None]) -> None:
    """Keep where tables were read from, unless it is known."""
    known = whole_paths(folder)
    wholes = [path if "://" in path else os.path.abspath(path) for path in paths if path]
    new = [path for path in dict.fromkeys(wholes) if path not in known]
    if new:
        write_whole({folder / NAME: as_text([*known, *new])}, force=True)


def as_text(paths: Sequence[str]) -> str:
    """The content of paths.json."""
    return json.dumps(paths, indent=2, ensure_ascii=False) + "\n"


def whole_paths(folder: Path) -> list[str]:
    """The paths in paths.json; none if it is missing or damaged."""
    try:
        record = read_json((folder / NAME).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return []
    return [path for path in record if isinstance(path, str)] if isinstance(record, list) else []


def named(folder: Path, path: str) -> list[str]:
    """The whole paths that a path on record may stand for, the latest first."""
    return [whole for whole in reversed(whole_paths(folder)) if _name(whole) == _name(path)]


def find(path: str, folder: Path) -> list[Path]:
    """The files that a path on record may mean: in or beside the folder, or where they were."""
    elsewhere = [Path(whole) for whole in named(folder, path) if is_file(Path(whole))]
    return list(dict.fromkeys([*find_file(path, folder), *elsewhere]))


def _name(path: str) -> str:
    """The last part of a path of this system, or of another."""
    is_windows = "\\" in path and "/" not in path
    return (PureWindowsPath(path) if is_windows else PurePosixPath(path)).name or path
