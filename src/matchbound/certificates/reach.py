"""Where the files of a certificate may be: `verify` opens no others."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from matchbound.audits import PARTS, find, whole_paths
from matchbound.errors import InputError
from matchbound.files import files_at, in_database, is_file, is_folder, is_pattern


@dataclass(frozen=True)
class Reach:
    """The folder that a certificate stands in, and the folder `inputs`, if the user gave one.

    Of an audit folder that is `trusted`, files beside it and at the whole paths in its paths.jsonl
    are in reach too. Else a symbolic link that leads out of the two folders is not followed.
    `certificate` is its file; one in memory stands nowhere, and `folder` is the current one.
    """

    folder: Path
    trusted: bool = False
    inputs: Path | None = None
    certificate: Path | None = None

    def __post_init__(self) -> None:
        if self.inputs is not None and not is_folder(self.inputs):
            raise InputError(
                f"inputs must be a folder, got {str(self.inputs)!r}, which is no folder. Give "
                "the folder that the certificate's inputs are in."
            )

    def find(self, path: str) -> list[Path]:
        """The tables that a path on record may mean: files, folders, patterns, or in databases."""
        if self.trusted:
            near = [table for table in find(path, self.folder) if self._is_near(table)]
        else:
            near = [self.folder / path]
            near += [] if is_pattern(near[0]) else [self.folder / PurePosixPath(path).name]
        tables = [*near, *self._in_inputs(path)]
        return [table for table in dict.fromkeys(tables) if self._holds(table)]

    def find_files(self, path: str) -> list[Path]:
        """The regular files among them."""
        return [file for file in self.find(path) if is_file(file)]

    def own(self, path: str) -> list[Path]:
        """The same for a table that an audit folder holds itself: no other stands in for it."""
        here = self.folder / path
        return [here] if self._holds(here) else self.find(path)

    def _holds(self, table: Path) -> bool:
        """Whether a table is there, and none of its files is out of reach.

        Where it begins is checked before anything is listed: a pattern may span the whole disk.
        """
        if not self.leads_in(_beginning(table)):
            return False
        files = files_at(table)
        return bool(files) and all(map(self.leads_in, files))

    def leads_in(self, path: Path) -> bool:
        """Whether a path does not lead out of the folders, by dots or by a symbolic link."""
        if self.trusted and self._is_near(path):
            return True
        roots = [root.resolve() for root in (self.folder, self.inputs) if root is not None]
        return any(_resolved(path).is_relative_to(root) for root in roots)

    def check(self, folder: Path) -> None:
        """Refuse an audit folder that holds a pipe, a device or a link that leads out."""
        for path in (folder / name for name in PARTS if name != "train.csv"):  # nothing reads it
            if os.path.lexists(path) and not self.leads_in(path):
                what = "a link that leads elsewhere. Copy the file here instead of the link."
            elif path.exists() and not is_file(path):
                what = (
                    "a folder, a pipe or a device. Move it away; restore the file, if it was there."
                )
            elif is_file(path) and not os.access(path, os.R_OK):
                what = "which may not be read. Give yourself the permission to read it."
            else:
                continue
            raise InputError(f"audit must hold files that can be read, got {str(path)!r}, {what}")

    def _is_near(self, path: Path) -> bool:
        """Whether a file is in or beside the folder, or on its list of whole paths."""
        around = self.folder.resolve().parent
        places = Path(os.path.abspath(path)), _resolved(path.parent)
        return any(one.is_relative_to(around) for one in places) or str(path) in self._whole

    @cached_property
    def _whole(self) -> list[str]:
        return whole_paths(self.folder)

    def _in_inputs(self, path: str) -> list[Path]:
        """What a path on record may mean under `inputs`."""
        recorded = Path(path)
        if is_pattern(recorded):  # it begins with the folder that its files are in
            first, *rest = recorded.parts
            folders = self._under_inputs.get(first, ()) if rest else ()
            inputs = () if self.inputs is None else (self.inputs / recorded,)
            return [*inputs, *(folder.joinpath(*rest) for folder in folders)]
        database = in_database(Path(recorded.name))
        if database is None:
            return self._under_inputs.get(recorded.name, [])
        file, table = database
        return [Path(f"{one}::{table}") for one in self._under_inputs.get(file.name, ())]

    @cached_property
    def _under_inputs(self) -> dict[str, list[Path]]:
        """The files and folders under `inputs` by name, those nearest to it first."""
        paths: dict[str, list[Path]] = {}
        for folder, folders, names in os.walk(self.inputs) if self.inputs is not None else ():
            for name in (*folders, *names):
                paths.setdefault(name, []).append(Path(folder) / name)
        return {name: sorted(some, key=lambda p: (len(p.parts), p)) for name, some in paths.items()}


def _beginning(table: Path) -> Path:
    """The file or folder that a table begins with: of a pattern, what has no wildcard."""
    database = in_database(table)
    if database is not None:
        return database[0]
    while is_pattern(table):
        table = table.parent
    return table


def _resolved(path: Path) -> Path:
    """Where a path leads; a link in a circle leads nowhere."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return Path(os.devnull)
