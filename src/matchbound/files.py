"""Files are written whole or not at all, and nothing is overwritten unasked."""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from matchbound.errors import EngineError, InputError


def refuse_existing(paths: list[Path], force: bool) -> None:
    for path in paths:
        if path.exists() and not force:
            raise InputError(
                f"out must not exist yet, got {str(path)!r}. Choose another place, or use --force."
            )


def write_whole(files: Mapping[Path, str], *, force: bool) -> None:
    """Write all of them, or none: first beside their places, then each into it."""
    refuse_existing(list(files), force)
    waiting: dict[Path, str] = {}
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, waiting[path] = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(waiting[path], 0o644)
        for path in files:
            os.replace(waiting[path], path)
    except OSError as error:
        raise EngineError(f"cannot write {str(error.filename)!r}: {error.strerror}.") from None
    finally:
        for temporary in waiting.values():
            Path(temporary).unlink(missing_ok=True)


def read_text(path: Path, argument: str, way_out: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(
            f"{argument} must be readable, got {str(path)!r} ({reason}). {way_out}"
        ) from None


def digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
