"""The only module that writes, replaces, syncs, cuts, removes, locks or hashes files.

A file is written whole or not at all, and none is overwritten without `force`. Everything here
works on Linux, macOS and Windows.
"""

import csv
import errno
import glob
import hashlib
import io
import itertools
import json
import os
import re
import shutil
import stat
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, BinaryIO

from matchbound.errors import ChangedError, EngineError, InputError, MatchboundError

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

Rows = Iterable[Sequence[Any]]
LIMIT = 256 << 20
"""Bytes of a draw.json or a certificate.json: a larger one is none, and would fill the memory."""
LONG_LIMIT = 2 << 30
"""Bytes of what has a line for each node or event: the ledger, sample.csv, gap.csv."""
DEPTH = 100
"""Levels to which JSON may be nested; what matchbound writes has fewer than ten."""
TRIES = 3
"""How often a file is read that someone writes to meanwhile."""
TEMPORARY = ".matchbound-"
"""How the names of files begin that are not complete yet, or that mark a folder as in use."""
SETTLED = 60.0
"""Seconds after which a mark is locked for certain, if the process that made it still runs."""
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
        if is_there(path) and not is_file(path):
            raise InputError(
                f"out must be a file, got {str(path)!r}, a pipe, a device or a link to nothing. "
                "Choose another place."
            )
        if is_file(path) and not force:
            raise InputError(
                f"out must not exist yet, got {str(path)!r}. Choose another place, or use --force."
            )


def refuse_input_as_out(out: Path, inputs: Iterable[str | Path | None]) -> None:
    """Refuse to write over a table that is read, or into the folder or the pattern of one."""
    for path in inputs:
        if path is not None and _holds(Path(path), resolved(out)):
            raise InputError(f"out must not be an input, got {str(out)!r}. Choose another place.")


def _holds(table: Path, out: Path) -> bool:
    """Whether a file would be, or be part of, the table at a path."""
    if out in map(resolved, (table, *files_at(table))):
        return True
    if is_folder(table):
        return out.parent == resolved(table)
    return is_pattern(table) and fnmatch(str(out), str(resolved(table)))


def check_writable(path: Path) -> None:
    """Refuse a path where no file can be written, before anything is done that stays."""
    folder = next(place for place in resolved(path).parents if os.path.exists(place))
    try:
        with suppress(FileNotFoundError):
            path.lstat()  # a name may be too long
        with _temporary(folder):
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
        for path, content in reversed(before.items()):
            if content is None:
                remove(path)
            elif not is_file(path) or path.read_bytes() != content:
                write_whole({path: content}, force=True)
        raise


def write_whole(files: Mapping[Path, str | bytes], *, force: bool) -> None:
    """Write all files or none: first beside their paths, then each to its own, in their order."""
    refuse_existing(list(files), force)
    waiting: dict[Path, Path] = {}
    try:
        with ExitStack() as temporaries:
            for path, content in files.items():
                waiting[path] = temporaries.enter_context(_beside(path))
                waiting[path].write_bytes(content.encode() if isinstance(content, str) else content)
                _finish(waiting[path])
            with undone_on_error(list(files)[:-1]):  # if a later one cannot be replaced
                for path in files:
                    os.replace(waiting[path], path)
            for folder in {path.parent for path in files}:
                sync_folder(folder)
    except OSError as error:
        places = ", ".join(str(path) for path in files)
        raise EngineError(
            f"cannot write {places}: {error.strerror}. Choose another place."
        ) from None


def append_whole(path: Path, data: bytes) -> None:
    """Append to a file and flush it to disk; if the disk is full, leave the file as it was."""
    is_new = not is_there(path)
    if not is_new:
        _refuse_irregular(path.stat())  # to open a pipe would never end
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
    with ExitStack() as temporaries:
        try:
            path = Path(temporaries.enter_context(temporary_folder())) / name
            path.touch(mode=0o600, exist_ok=False)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise EngineError(
                f"cannot write a temporary file: {error.strerror}. Make room there, or set TMPDIR."
            ) from None
        yield path


def remove(path: Path) -> None:
    """Remove a file, if it is there."""
    path.unlink(missing_ok=True)


OF_VERSION1 = re.compile(r"\..+\.(csv|html|json|jsonl|parquet)\.[a-z0-9_]{8}")
"""The names of version 1's temporary files, which no later command removes."""


def remove_left_over(folder: Path) -> None:
    """Remove the temporary files of killed commands, those of version 1 too."""
    for path in folder.iterdir():
        if path.name.startswith(TEMPORARY):
            _remove_left(path, remove)
        elif OF_VERSION1.fullmatch(path.name) and is_file(path):
            remove(path)


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder of files, all of it or nothing. It must not exist, be empty, or be the same.

    A name may have a folder in it: `releases/one.json`. What an earlier run to the same place left
    when it was killed is removed.
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
            (waiting / name).parent.mkdir(exist_ok=True)
            (waiting / name).write_bytes(content)
            _finish(waiting / name)
        os.chmod(waiting, 0o777 & ~_umask())
        for inner in {(waiting / name).parent for name in files} | {waiting}:
            sync_folder(inner)
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
    inner = [path for path in folder.rglob("*") if not is_folder(path)]
    if {path.relative_to(folder).as_posix() for path in inner} != files.keys():
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


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """Make an empty file in the same folder, to hold the content until it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _temporary(path.parent) as temporary:
        yield temporary


@contextmanager
def temporary_folder(parent: "str | os.PathLike[str] | None" = None) -> Iterator[str]:
    """Make a folder that only the user can read, for what is not kept; remove it at the end.

    It holds a mark, by which the next command recognises the folder of a killed one and removes it.
    """
    place = Path(parent or tempfile.gettempdir())
    for left in glob.glob(f"{glob.escape(str(place))}/matchbound-*/{TEMPORARY}*"):
        if time.time() - _modified(left) > SETTLED:
            _remove_left(Path(left), _remove_left_folder)
    folder = place / f"matchbound-{uuid.uuid4().hex}"
    try:  # before it is made: an interruption at that moment leaves nothing either
        folder.mkdir(mode=0o700)
        with _temporary(folder) as mark:
            try:
                yield str(folder)
            finally:
                _remove_marked(mark)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_left_folder(mark: Path) -> None:
    """Remove a marked folder of this user; a link may lead anywhere, and is left alone."""
    facts = os.lstat(mark.parent)
    if stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid():
        _remove_marked(mark)


def _remove_marked(mark: Path) -> None:
    """Remove a temporary folder, its mark last: what a kill leaves meanwhile is still marked."""
    for name in glob.glob("*", root_dir=mark.parent, include_hidden=True):
        path = mark.parent / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        elif path != mark:
            with suppress(OSError):
                remove(path)
    shutil.rmtree(mark.parent, ignore_errors=True)


@contextmanager
def _temporary(folder: Path) -> Iterator[Path]:
    """Make an empty file, and remove it at the end; first, remove those of killed commands.

    It is locked meanwhile, and the system releases the lock of a process that is killed: so other
    commands know what they may remove. Windows, which cannot move an open file, has no such lock.
    """
    for left in glob.glob(f"{glob.escape(str(folder))}/{TEMPORARY}*"):
        _remove_left(Path(left), remove)
    while True:
        handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=folder)
        if not HAS_LOCKS or (_lock(handle) and os.path.exists(name)):
            break
        os.close(handle)  # another command removes it: it found it before it was locked
    if not HAS_LOCKS:
        os.close(handle)
    try:
        yield Path(name)
    finally:
        remove(Path(name))
        if HAS_LOCKS:
            os.close(handle)


def _remove_left(path: Path, how: Callable[[Path], None]) -> None:
    """Remove what a killed command left; nothing that is locked, or that another user made."""
    if not HAS_LOCKS:
        return
    with suppress(OSError):
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if os.fstat(handle).st_uid == os.geteuid() and _lock(handle, if_none=False):
                how(path)
        finally:
            os.close(handle)


def _modified(path: str) -> float:
    """When a file was last written to; now, if it is gone."""
    try:
        return os.stat(path, follow_symlinks=False).st_mtime
    except OSError:
        return time.time()


def _lock(handle: int, *, if_none: bool = True) -> bool:
    """Lock an open file, if nobody else has; `if_none` is returned where there are no locks."""
    try:
        flock(handle, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return if_none
    return True


def _finish(path: Path) -> None:
    """Flush a file to disk and give it the permissions that the umask allows."""
    with path.open("r+b") as file:  # Windows syncs only what is open for writing
        os.fsync(file.fileno())
    os.chmod(path, 0o666 & ~_umask())


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk. Windows, which cannot, keeps them in its journal.

    A failing disk is passed over: the files stand under their names already, so it would be wrong
    to say that nothing was written.
    """
    if os.name == "nt":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def written_whole(path: Path, *, force: bool) -> Iterator[Path]:
    """Give a path beside `path` to write a large file to; once complete, it becomes `path`."""
    refuse_existing([path], force)
    try:
        with _beside(path) as waiting:
            yield waiting
            _finish(waiting)
            os.replace(waiting, path)
            sync_folder(path.parent)
    except OSError as error:
        raise EngineError(f"cannot write {path}: {error.strerror}. Choose another place.") from None


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


def open_regular(path: Path) -> BinaryIO:
    """Open a file to read it; a pipe or a device, which may never end, is refused at once."""
    _refuse_irregular(path.stat())
    flags = getattr(os, "O_NONBLOCK", 0)  # if it becomes a pipe now, opening it does not wait
    file = open(path, "rb", opener=lambda name, mode: os.open(name, mode | flags))  # noqa: SIM115
    try:
        _refuse_irregular(os.fstat(file.fileno()))
    except OSError:
        file.close()
        raise
    return file


def _refuse_irregular(facts: os.stat_result) -> None:
    if stat.S_ISDIR(facts.st_mode):
        raise OSError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(facts.st_mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a regular file")


def read_bytes(path: Path, limit: int) -> bytes:
    """Read a whole file; raise OSError if it is no regular file, or has more bytes than `limit`."""
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size > limit:
            raise OSError(errno.EFBIG, f"it has more than {limit >> 20} MiB")
        return file.read()


def read_at_once(path: Path, limit: int) -> bytes:
    """Read a whole file through one handle: as it is now, also if it is replaced meanwhile.

    Refuse one that is written to meanwhile.
    """
    with open_regular(path) as file:
        before = os.fstat(file.fileno())
        data = file.read(limit + 1)
        now = os.fstat(file.fileno())
    sizes = {len(data), before.st_size, now.st_size}
    if len(sizes) > 1 or before.st_mtime_ns != now.st_mtime_ns:
        raise _changed(path)
    return data


def read_text(path: Path, argument: str, way_out: str, limit: int = LIMIT) -> str:
    """Read a file of UTF-8 text whole, if it has at most `limit` bytes."""
    try:
        return read_bytes(path, limit).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(
            f"{argument} must be readable, got {str(path)!r} ({reason}). {way_out}"
        ) from None


@dataclass(frozen=True)
class Seen:
    """A file as it is at one moment: its path, and what a write or a replacement changes."""

    path: Path
    facts: tuple[int, ...]

    @staticmethod
    def at(path: Path) -> "Seen":
        return Seen(path, _facts(path.stat()))

    @property
    def size(self) -> int:
        return self.facts[2]

    @property
    def is_now(self) -> bool:
        """Whether the file is still there, and as it was."""
        try:
            return _facts(self.path.stat()) == self.facts
        except OSError:
            return False

    def refuse_changed(self) -> None:
        if not self.is_now:
            raise _changed(self.path)


def _facts(of: os.stat_result) -> tuple[int, ...]:
    return (of.st_dev, of.st_ino, of.st_size, of.st_mtime_ns, of.st_ctime_ns)


def _changed(path: Path) -> ChangedError:
    return ChangedError(
        f"cannot read {path}: it was changed or replaced while it was being read. "
        "Run the command again when nothing writes to it."
    )


@dataclass(frozen=True)
class Content:
    """What all bytes of a file were read for: their SHA-256, and whether one of them is NUL."""

    digest: str
    has_nul: bool


_read: ContextVar[dict[Seen, Content] | None] = ContextVar("read", default=None)


@contextmanager
def hashing_once() -> Iterator[None]:
    """Hash each file at most once within, also within calls of functions that do the same."""
    if _read.get() is not None:
        yield
        return
    token = _read.set({})
    try:
        yield
    finally:
        _read.reset(token)


def digest_of_file(path: Path) -> str:
    return content_of_file(path).digest


def digest_of_table(path: Path) -> str | None:
    """The digest of the bytes of a table's file or files; None of a table in a database.

    A database's bytes change without its rows: they do not tell which table it is.
    """
    if is_file(path):
        return digest_of_file(path)
    files = () if in_database(path) else files_at(path)
    return digest_of_several([digest_of_file(file) for file in files]) if files else None


def digest_of_several(digests: Iterable[str]) -> str:
    """The digest of files from theirs, in order. Their bytes put together could be split otherwise.

    What is hashed begins with NUL and ends as no Parquet does, so it is no readable file itself.
    """
    return hashlib.sha256("\0".join(["", "files", *digests]).encode()).hexdigest()


def content_of_file(path: Path) -> Content:
    """Read a file through; read it again if it is changed meanwhile, and give up in the end."""
    contents = _read.get()
    real = resolved(path)
    for _ in range(TRIES):
        seen = Seen.at(real)
        content = None if contents is None else contents.get(seen)
        if content is None:
            content = _read_through(real)
        if seen.is_now:
            if contents is not None:
                contents[seen] = content
            return content
    raise _changed(path)


def _read_through(path: Path) -> Content:
    digest, has_nul = hashlib.sha256(), False
    with open_regular(path) as file:
        while data := file.read(1 << 20):
            digest.update(data)
            has_nul = has_nul or b"\0" in data
    return Content(digest.hexdigest(), has_nul)


def digests_of_beginnings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the size and the digest of each beginning of a file, to the end of a line or before.

    Every byte is hashed once.
    """
    size, hashed = 0, hashlib.sha256()
    with path.open("rb") as file:
        for line in file:
            body = line.rstrip(b"\r\n")
            for part in (body, line[len(body) :]):
                size += len(part)
                hashed.update(part)
                yield size, hashed.copy().hexdigest()


@contextmanager
def scratch(name: str, content: bytes, temp: Any = None) -> Iterator[Path]:
    """Give a file with this name and content, in a temporary folder that is removed at the end."""
    with temporary_folder(temp) as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        yield path


def digest_of_text(text: str) -> str:
    """The SHA-256 of a text; JSON may hold halves of characters, which UTF-8 has no bytes for."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def digest_of_json(value: Any) -> str:
    """The SHA-256 of a value as JSON, with names in order and no spaces."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return digest_of_text(text)


def paths_beside(path: str, folder: Path) -> list[Path]:
    """The paths in or beside a folder that a recorded path may mean, whether anything is there.

    Of a pattern the last part alone means nothing: `*.csv` fits any other table.
    """
    recorded, here = Path(path), resolved(folder)
    names = [recorded] if is_pattern(recorded) else [recorded, Path(recorded.name)]
    paths = [parent / name for parent in (here, here.parent) for name in names]
    return list(dict.fromkeys(paths))


def is_pattern(path: Path) -> bool:
    """Whether a path may stand for several files, as `parts/*.csv` does."""
    return not is_there(path) and bool(set("*?[") & set(str(path)))


def in_database(path: Path) -> tuple[Path, str] | None:
    """The file and the table that `people.duckdb::people` names; None if it names no such thing."""
    file, _, table = str(path).rpartition("::")
    if not file or not table or set("/\\") & set(table) or is_file(path):
        return None
    return Path(file), table


def files_at(path: Path) -> tuple[Path, ...]:
    """The files that hold the table at a path, by their names; none if there is no such table.

    It may be a file, a folder of files, a pattern of files, or a table in a database.
    """
    if is_file(path):
        return (path,)
    database = in_database(path)
    if database is not None:
        return (database[0],) if is_file(database[0]) else ()
    try:
        return tuple(file for file in parts_at(path) if is_file(file))
    except (OSError, ValueError):
        return ()


def parts_at(path: Path) -> list[Path]:
    """What is in a folder, or what a pattern matches, by its names.

    What begins with `_` or `.` is no part of a table: Spark's `_SUCCESS`, checksums.
    """
    if is_folder(path):
        parts = list(path.iterdir())
    elif is_pattern(path):
        parts = [Path(name) for name in glob.glob(str(path), recursive=True)]
    else:
        parts = []
    shown = (part for part in parts if not part.name.startswith(("_", ".")))
    return sorted(shown, key=lambda part: part.parts)


def is_file(path: Path) -> bool:
    """Whether a file is there; False for names that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_there(path: Path) -> bool:
    """Whether anything has this name, be it a pipe or a link to nothing."""
    return os.path.lexists(path)


def resolved(path: Path) -> Path:
    """The absolute path without links; with them, where they go in a circle."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path.absolute()


def is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def read_json(text: str) -> Any:
    """Parse JSON; refuse a name that is there twice, because only one value would be used."""
    try:
        value = json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise _too_deep() from None
    if text.count("[") + text.count("{") > DEPTH:
        _refuse_deep(value)
    return value


def _refuse_deep(value: Any) -> None:
    """Refuse what is nested so deeply that functions that call themselves fail on it."""
    level = [value]
    for _ in range(DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, list | dict)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    if level:
        raise _too_deep()


def _too_deep() -> ValueError:
    return ValueError(f"it is nested more than {DEPTH} deep")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask
