"""Where the files of a certificate may be: `verify` opens no others."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from matchbound.audits import PARTS, find, whole_paths
from matchbound.errors import InputError
from matchbound.files import is_file, is_folder


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
        """The regular files that a path on record may mean."""
        name = PurePosixPath(path).name
        if self.trusted:
            near = [file for file in find(path, self.folder) if self._is_near(file)]
        else:
            near = [self.folder / path, self.folder / name]
        files = [*near, *self._under_inputs.get(name, ())]
        return [file for file in dict.fromkeys(files) if is_file(file) and self.leads_in(file)]

    def own(self, path: str) -> list[Path]:
        """The same for a file that an audit folder holds itself: no other stands in for it."""
        here = self.folder / path
        return [here] if is_file(here) and self.leads_in(here) else self.find(path)

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

    @cached_property
    def _under_inputs(self) -> dict[str, list[Path]]:
        """The files under `inputs` by name, those nearest to it first."""
        files: dict[str, list[Path]] = {}
        for folder, _, names in os.walk(self.inputs) if self.inputs is not None else ():
            for name in names:
                files.setdefault(name, []).append(Path(folder) / name)
        return {name: sorted(some, key=lambda p: (len(p.parts), p)) for name, some in files.items()}


def _resolved(path: Path) -> Path:
    """Where a path leads; a link in a circle leads nowhere."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return Path(os.devnull)
