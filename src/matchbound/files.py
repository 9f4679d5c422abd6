"""The only module that writes, replaces, syncs, cuts, removes, locks or hashes files.

A file is written whole or not at all, and none is overwritten without `force`. Everything here
works on Linux, macOS and Windows.
"""

import csv
import hashlib
import io
import itertools
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from matchbound.errors import EngineError, InputError, MatchboundError

Rows = Iterable[Sequence[Any]]
PATIENCE = 600.0
"""Seconds to wait while another process writes to the same audit folder."""
STALE = 3.0
"""Seconds that it may take to recognise the lock file of a killed process."""


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
    for path in inputs:
        if path is not None and Path(path).resolve() == out.resolve():
            raise InputError(f"out must not be an input, got {str(out)!r}. Choose another place.")


def check_writable(path: Path) -> None:
    """Refuse a path where no file can be written, before anything is done that stays."""
    folder = next(place for place in path.resolve().parents if place.exists())
    try:
        with tempfile.NamedTemporaryFile(prefix=f".{path.name}.", dir=folder):
            pass
    except OSError as error:
        raise EngineError(f"cannot write {path}: {error.strerror}. Choose another place.") from None


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other labelling pages and draws out of an audit folder; without a folder, do nothing."""
    if not is_folder(folder):
        yield
        return
    refusal = InputError(
        f"audit must not be open on a labelling page, got {str(folder)!r}. Use that page (two "
        "people can share it), or stop it first."
    )
    with _locked(folder / ".page.lock", 0, refusal):
        yield


@contextmanager
def without_page_of_version1(folder: Path) -> Iterator[None]:
    """Keep version 1's labelling page out: it locked the folder itself, where there is flock."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:
        yield
        return
    handle = -1
    try:
        handle = os.open(folder, os.O_RDONLY)
        flock(handle, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise InputError(
            f"audit must not be open on a labelling page of version 1, got {str(folder)!r}. Stop "
            "that page first."
        ) from None
    except OSError as error:
        raise EngineError(f"cannot lock {folder}: {error.strerror}. Try again.") from None
    try:
        yield
    finally:
        os.close(handle)


def refuse_open_page(folder: Path) -> None:
    """Refuse a folder that a labelling page or a draw has open; write nothing if none has."""
    if is_file(folder / ".page.lock"):  # left by a crash, or held now
        with alone(folder):
            pass


@contextmanager
def one_writer(folder: Path) -> Iterator[None]:
    """Wait until no other process writes to an audit folder, and keep them waiting meanwhile."""
    path = folder / ".ledger.lock"
    refusal = EngineError(
        f"cannot write to {folder}: another process has been writing there for {PATIENCE:g} "
        f"seconds. Wait until it ends; if none is running, delete {path}."
    )
    with _locked(path, PATIENCE, refusal):
        yield


@contextmanager
def _locked(path: Path, wait: float, refusal: MatchboundError) -> Iterator[None]:
    """Hold a lock file, and remove it at the end.

    The system releases the lock of a process that is killed. Where it has no locks, the file
    itself is the lock: it names the process and the machine, and is taken over if that process is
    no longer running. If it names another machine, nobody can tell, and the refusal says so.
    """
    from filelock import FileLock, SoftFileLock, Timeout

    lock = FileLock(path, timeout=wait, poll_interval=0.01)
    if isinstance(lock, SoftFileLock):
        lock.timeout = max(wait, STALE)
    while not lock.is_locked:
        try:
            lock.acquire()
        except Timeout:
            raise refusal from None
        except FileNotFoundError:  # who had the lock has removed the folder too
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EngineError(
                f"cannot write to {path.parent}: {error.strerror}. Make it writable."
            ) from None
    try:
        yield
    finally:
        # Removed while it is held: who waits for it sees that the name is gone and makes a new
        # one. Windows cannot remove an open file; there `release` does it.
        # A file that cannot be removed is left: it locks nothing any more.
        if os.name == "posix":
            with suppress(OSError):
                path.unlink(missing_ok=True)
        lock.release()


@contextmanager
def undone_on_error(paths: Iterable[Path]) -> Iterator[None]:
    """Restore these files, or their absence, if what follows raises."""
    before = {path: path.read_bytes() if is_file(path) else None for path in paths}
    try:
        yield
    except BaseException:
        for path, content in before.items():
            if content is None:
                remove(path)
            else:
                write_whole({path: content}, force=True)
        raise


def write_whole(files: Mapping[Path, str | bytes], *, force: bool) -> None:
    """Write all files or none: first beside their paths, then each to its own."""
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
            sync_folder(folder)
    except OSError as error:
        places = ", ".join(str(path) for path in files)
        raise EngineError(
            f"cannot write {places}: {error.strerror}. Choose another place."
        ) from None
    finally:
        for temporary in waiting.values():
            remove(temporary)


def append_whole(path: Path, data: bytes) -> None:
    """Append to a file and flush it to disk; if the disk is full, leave the file as it was."""
    is_new = not is_file(path)
    with path.open("ab", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            while data:
                data = data[file.write(data) :]
            os.fsync(file.fileno())
        except BaseException:
            file.truncate(size)
            raise
    if is_new:
        sync_folder(path.parent)


def cut(path: Path, size: int) -> None:
    """Keep the first `size` bytes of a file; on disk too, unless the disk fails."""
    with path.open("r+b") as file:
        file.truncate(size)
        with suppress(OSError):
            os.fsync(file.fileno())


@contextmanager
def private_file(name: str, text: str) -> Iterator[Path]:
    """Write a temporary file that nobody but the user can read, and remove it at the end."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="matchbound-"))  # the user's alone, by its mode
        path = folder / name
        path.touch(mode=0o600, exist_ok=False)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EngineError(
            f"cannot write a temporary file: {error.strerror}. Make room there, or set TMPDIR."
        ) from None
    try:
        yield path
    finally:
        remove(path)
        remove_if_empty(folder)


def remove(path: Path) -> None:
    """Remove a file, if it is there."""
    path.unlink(missing_ok=True)


LEFT_OVER = re.compile(r"\..+\.(csv|html|json|jsonl|parquet|seal|sig)\.[a-z0-9_]{8}")
"""The names of files that `_beside` makes, which a killed command leaves."""


def remove_left_over(folder: Path) -> None:
    """Remove the temporary files of killed commands. No other command may be writing there."""
    for path in folder.iterdir():
        if LEFT_OVER.fullmatch(path.name) and is_file(path):
            remove(path)


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files, all of it or nothing. It must not exist, be empty, or be the same.

    What an earlier run to the same place left when it was killed is removed.
    """
    if _is_same_folder(folder, files):
        return
    if is_file(folder) or (is_folder(folder) and any(folder.iterdir())):
        raise InputError(
            f"out must be a folder that is empty or not there yet, got {str(folder)!r}. Choose "
            "another place."
        )
    waiting: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _remove_left_over_folders(folder)
        waiting = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        for name, content in files.items():
            (waiting / name).write_bytes(content)
            _finish(waiting / name)
        os.chmod(waiting, 0o777 & ~_umask())
        sync_folder(waiting)
        remove_if_empty(folder)
        os.replace(waiting, folder)
    except OSError as error:
        raise EngineError(
            f"cannot write {folder}: {error.strerror}. Choose another place."
        ) from None
    finally:
        if waiting is not None:
            shutil.rmtree(waiting, ignore_errors=True)
    with suppress(OSError):  # it is there already
        sync_folder(folder.parent)


def _is_same_folder(folder: Path, files: Mapping[str, bytes]) -> bool:
    """Whether a folder holds these files and no others."""
    if not is_folder(folder) or {path.name for path in folder.iterdir()} != files.keys():
        return False
    return all(
        is_file(folder / name) and (folder / name).read_bytes() == content
        for name, content in files.items()
    )


def _remove_left_over_folders(folder: Path) -> None:
    pattern = re.compile(rf"\.{re.escape(folder.name)}\.[a-z0-9_]{{8}}")
    for path in folder.parent.iterdir():
        if pattern.fullmatch(path.name) and is_folder(path):
            shutil.rmtree(path, ignore_errors=True)


def remove_if_empty(folder: Path) -> None:
    """Remove a folder, if it is there and nothing is in it."""
    with suppress(OSError):
        folder.rmdir()


def _beside(path: Path) -> Path:
    """Make an empty file in the same folder, to hold the content until it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    return Path(name)


def _finish(path: Path) -> None:
    """Flush a file to disk and give it the permissions that the umask allows."""
    with path.open("r+b") as file:  # Windows syncs only what is open for writing
        os.fsync(file.fileno())
    os.chmod(path, 0o666 & ~_umask())


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk. Windows, which cannot, keeps them in its journal."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def written_whole(path: Path, *, force: bool) -> Iterator[Path]:
    """Give a path beside `path` to write a large file to; once complete, it becomes `path`."""
    refuse_existing([path], force)
    waiting: Path | None = None
    try:
        waiting = _beside(path)
        yield waiting
        _finish(waiting)
        os.replace(waiting, path)
        sync_folder(path.parent)
    except OSError as error:
        raise EngineError(f"cannot write {path}: {error.strerror}. Choose another place.") from None
    finally:
        if waiting is not None:
            remove(waiting)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]], delimiter: str = ",") -> str:
    """Rows as CSV with LF at line ends; if a value holds a CR, all values are quoted."""
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        text = "".join(_csv(header, [rows], quoting, delimiter))
        if "\r" not in text:
            break
    return text


def write_csv(path: Path, header: Sequence[str], parts: Callable[[], Iterable[Rows]]) -> None:
    """Write what `csv_text` returns, part by part: not all of it is in memory at once."""
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        bare = False
        with path.open("w", encoding="utf-8", newline="") as file:
            for text in _csv(header, parts(), quoting):
                bare = bare or "\r" in text
                file.write(text)
        if not bare:
            break


def _csv(
    header: Sequence[str], parts: Iterable[Rows], quoting: Any, delimiter: str = ","
) -> Iterator[str]:
    for rows in itertools.chain([[header]], parts):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n", quoting=quoting, delimiter=delimiter)
        writer.writerows(rows)
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


def digest_of_text(text: str) -> str:
    """The SHA-256 of a text; JSON may hold halves of characters, which UTF-8 has no bytes for."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def digest_of_json(value: Any) -> str:
    """The SHA-256 of a value as JSON, with names in order and no spaces."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return digest_of_text(text)


def find_file(path: str, beside: Path) -> list[Path]:
    """The files that a recorded path may mean: one in or beside a folder."""
    recorded, folder = Path(path), beside.resolve()
    paths: list[Path] = []
    for parent in (folder, folder.parent):
        paths += [parent / recorded, parent / recorded.name]
    return [path for path in dict.fromkeys(paths) if is_file(path)]


def is_file(path: Path) -> bool:
    """Whether a file is there; False for names that no file can have."""
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
    """Parse JSON; refuse a name that is there twice, because only one value would be used."""
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask
