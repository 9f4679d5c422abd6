"""Files are written whole or not at all, and nothing is overwritten unasked."""

import csv
import fcntl
import hashlib
import io
import itertools
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from matchbound.errors import EngineError, InputError

Rows = Iterable[Sequence[Any]]


def refuse_existing(paths: list[Path], force: bool) -> None:
    for path in paths:
        if is_folder(path):
            raise InputError(
                f"out must be a file, got {str(path)!r}, a folder. Choose another place."
            )
        if is_file(path) and not force:
            raise InputError(
                f"out must not exist yet, got {str(path)!r}. Choose another place, or use --force."
            )


def refuse_input_as_out(out: Path, inputs: Iterable[str | Path | None]) -> None:
    for given in inputs:
        if given is not None and Path(given).resolve() == out.resolve():
            raise InputError(f"out must not be an input, got {str(out)!r}. Choose another place.")


def check_writable(path: Path) -> None:
    """Before anything is done that cannot be undone: can a file be written there?"""
    folder = next(place for place in path.resolve().parents if place.exists())
    try:
        with tempfile.NamedTemporaryFile(prefix=f".{path.name}.", dir=folder):
            pass
    except OSError as error:
        raise EngineError(f"cannot write {path}: {error.strerror}. Choose another place.") from None


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One process at a time for what an audit folder must not have from two, if it is there."""
    if not is_folder(folder):
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        _lock(handle, folder)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            f"audit must not be open on a labelling page, got {str(folder)!r}. Use that page (two "
            "people can share it), or stop it first."
        ) from None


@contextmanager
def undone_on_error(paths: Iterable[Path]) -> Iterator[None]:
    """Whatever happens to these files is undone if what follows is refused."""
    before = {path: path.read_bytes() if is_file(path) else None for path in paths}
    try:
        yield
    except BaseException:
        for path, content in before.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                write_whole({path: content}, force=True)
        raise


def write_whole(files: Mapping[Path, str | bytes], *, force: bool) -> None:
    """Write all of them, or none: first beside their places, then each into it."""
    refuse_existing(list(files), force)
    waiting: dict[Path, Path] = {}
    try:
        for path, content in files.items():
            waiting[path] = _beside(path)
            waiting[path].write_bytes(content.encode() if isinstance(content, str) else content)
            _finish(waiting[path])
        for path in files:
            os.replace(waiting[path], path)
        for folder in {path.parent for path in files}:
            sync(folder)
    except OSError as error:
        places = ", ".join(str(path) for path in files)
        raise EngineError(
            f"cannot write {places}: {error.strerror}. Choose another place."
        ) from None
    finally:
        for temporary in waiting.values():
            temporary.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    """A place in the same folder, for a file that is not complete yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    return Path(name)


def _finish(path: Path) -> None:
    """On disk, and to be read by whom the user lets."""
    sync(path)
    os.chmod(path, 0o666 & ~_umask())


def sync(place: Path) -> None:
    """A file, or the names in a folder."""
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def written_whole(path: Path, *, force: bool) -> Iterator[Path]:
    """A place to write a large file to, beside its own; it goes there once it is complete."""
    refuse_existing([path], force)
    waiting: Path | None = None
    try:
        waiting = _beside(path)
        yield waiting
        _finish(waiting)
        os.replace(waiting, path)
        sync(path.parent)
    except OSError as error:
        raise EngineError(f"cannot write {path}: {error.strerror}. Choose another place.") from None
    finally:
        if waiting is not None:
            waiting.unlink(missing_ok=True)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Lines that end in LF; `rows` are read twice if one holds a CR, which csv would leave bare."""
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        text = "".join(_csv(header, [rows], quoting))
        if "\r" not in text:
            break
    return text


def write_csv(path: Path, header: Sequence[str], parts: Callable[[], Iterable[Rows]]) -> None:
    """As `csv_text`, without holding all of it: rows come in parts."""
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        bare = False
        with path.open("w", encoding="utf-8", newline="") as file:
            for text in _csv(header, parts(), quoting):
                bare = bare or "\r" in text
                file.write(text)
        if not bare:
            break


def _csv(header: Sequence[str], parts: Iterable[Rows], quoting: Any) -> Iterator[str]:
    for rows in itertools.chain([[header]], parts):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n", quoting=quoting).writerows(rows)
        yield text.getvalue()


def read_text(path: Path, argument: str, way_out: str) -> str:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return file.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(
            f"{argument} must be readable, got {str(path)!r} ({reason}). {way_out}"
        ) from None


_hashed: ContextVar[dict[tuple[object, ...], str] | None] = ContextVar("hashed", default=None)


@contextmanager
def hashing_once() -> Iterator[None]:
    """Hash each file at most once within, also within calls of functions that do the same."""
    if _hashed.get() is not None:
        yield
        return
    token = _hashed.set({})
    try:
        yield
    finally:
        _hashed.reset(token)


def digest_of_file(path: Path) -> str:
    hashed = _hashed.get()
    if hashed is None:
        return _sha256(path)
    state = path.stat()
    key = (path.resolve(), state.st_ino, state.st_size, state.st_mtime_ns)
    if key not in hashed:
        hashed[key] = _sha256(path)
    return hashed[key]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def find_file(path: str, beside: Path) -> list[Path]:
    """The files that a recorded path may mean: as given, or beside a folder of ours."""
    given, folder = Path(path), beside.resolve()
    places = (given, folder / given, folder / given.name, folder.parent / given)
    found = [*places, folder.parent / given.name]
    return [place for place in dict.fromkeys(found) if is_file(place)]


def is_file(path: Path) -> bool:
    """Also for names that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def read_json(text: str) -> Any:
    """JSON in which no name stands twice: of two values only one would be seen."""
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask
