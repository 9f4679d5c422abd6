"""Let one file operation of a process go wrong: it kills the process, or it fails.

A `Watch` counts the operations that change something below a folder. Reading is left alone. What
DuckDB writes by itself goes past it: only spilled tables and Parquet are written so.
"""

import _io
import builtins
import errno
import fcntl
import io
import os
import signal
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from inspect import signature
from os.path import lexists as exists
from unittest import mock

_open = open

WRITES = ("w", "a", "x", "+")
TAKE_SPACE = ("create", "write", "fsync", "mkdir")
"""The operations that a full disk lets fail. A file that takes another's name takes no space."""
CHANGE_NOTHING = ("fsync", "lock")


@dataclass(frozen=True)
class Fault:
    """What goes wrong at the operation with the number `at`, counted from 1.

    kill: the process is killed before it, or at its end if it has fewer operations. To be killed
    after an operation is to be killed before the next one: nothing else changes a file. Those that
    change none leave what the one before left: there it is not killed a second time.
    half: it is killed after half of the bytes of a `write`.
    fails: that operation alone raises EIO.
    full: from there on, the disk is full; the first write still has room for half of its bytes.
    """

    at: int
    how: str


def faults_of(operations):
    """Every fault that a process with these operations can meet."""
    before = ""
    for at, operation in enumerate(operations, start=1):
        kind = operation.partition(" ")[0]
        if before not in CHANGE_NOTHING:
            yield Fault(at, "kill")
        before = kind
        yield Fault(at, "fails")
        if kind == "write":
            yield Fault(at, "half")
        if kind in TAKE_SPACE:
            yield Fault(at, "full")
    yield Fault(len(operations) + 1, "kill")


class Watch:
    """Counts the operations below a folder, writes their names to `log`, and does the fault."""

    def __init__(self, folder, fault=None, log=None):
        self.folder, self.fault, self.log = os.path.realpath(folder or "/nowhere"), fault, log
        self.count, self._write = 0, os.write

    def end(self):
        """Be killed at the end, if the fault was to come after the last operation."""
        if self.fault is not None and self.fault.how == "kill" and self.fault.at > self.count:
            os.kill(os.getpid(), signal.SIGKILL)

    def meets(self, path):
        """Whether an operation on this path, or on this open file, is to be counted."""
        try:
            if isinstance(path, int):
                path = os.readlink(f"/proc/self/fd/{path}")
            full = os.path.abspath(os.fsdecode(path))
            return full == self.folder or full.startswith(f"{self.folder}{os.sep}")
        except (OSError, TypeError, ValueError):
            return False

    def step(self, kind, path):
        """Count an operation, and do the fault if it is its turn; say whether to write half."""
        if isinstance(path, int):
            path = os.readlink(f"/proc/self/fd/{path}").removesuffix(" (deleted)")
        self.count += 1
        if self.log is not None:
            name = os.path.relpath(os.path.abspath(os.fsdecode(path)), self.folder)
            self._write(self.log, f"{kind} {name}\n".encode())
        if self.fault is None or self.count < self.fault.at:
            return False
        is_first = self.count == self.fault.at
        if is_first and self.fault.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if is_first and self.fault.how == "fails":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        if self.fault.how == "full" and kind in TAKE_SPACE and not (is_first and kind == "write"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return is_first and kind == "write" and self.fault.how in ("half", "full")

    def write(self, path, data, write):
        """Write, or write only half, and return how many bytes were written."""
        if not self.step("write", path):
            return write(data)
        written = write(bytes(data)[: len(data) // 2])
        if self.fault.how == "half":
            os.kill(os.getpid(), signal.SIGKILL)
        return written

    def __enter__(self):
        self._patches = ExitStack()
        for module, name, patched in self._patched():
            self._patches.enter_context(mock.patch.object(module, name, patched))
        return self

    def __exit__(self, *_):
        self._patches.close()

    def _patched(self):
        for name in ("rmdir", "truncate", "chmod", "fsync", "ftruncate"):
            kind = "truncate" if name == "ftruncate" else name
            yield os, name, self._counted(getattr(os, name), kind)
        yield os, "mkdir", self._counted(os.mkdir, "mkdir", if_=lambda path: not exists(path))
        for name in ("unlink", "remove"):
            yield os, name, self._counted(os.unlink, "unlink", if_=exists)
        for name in ("replace", "rename"):
            yield os, name, self._counted(getattr(os, name), "replace", place=1)
        yield fcntl, "flock", self._flock(fcntl.flock)
        yield os, "write", self._os_write
        yield os, "open", self._os_open(os.open)
        for module in (io, _io, builtins):
            yield module, "open", self._io_open
        for name in ("close", "cleanup"):  # before and since Python 3.12
            if (real := getattr(tempfile._TemporaryFileCloser, name, None)) is not None:
                yield tempfile._TemporaryFileCloser, name, self._removing(real)

    def _counted(self, real, kind, place=0, if_=lambda path: True):
        def run(*arguments, **options):
            if self.meets(path := arguments[place]) and if_(path):
                self.step(kind, path)
            return real(*arguments, **options)

        return run

    def _removing(self, real):
        """Remove a named temporary file by today's `os.unlink`, not by that of its import."""
        takes = "unlink" in signature(real).parameters
        return lambda closer: real(closer, unlink=os.unlink) if takes else real(closer)

    def _flock(self, real):
        def run(handle, operation):
            if operation & fcntl.LOCK_EX and self.meets(handle):
                self.step("lock", handle)
            return real(handle, operation)

        return run

    def _os_write(self, handle, data):
        if not self.meets(handle):
            return self._write(handle, data)
        return self.write(handle, data, lambda part: self._write(handle, part))

    def _os_open(self, real):
        def run(path, flags, *arguments, **options):
            if flags & (os.O_WRONLY | os.O_RDWR) and self.meets(path):
                self.step("open" if exists(path) else "create", path)
            return real(path, flags, *arguments, **options)

        return run

    def _io_open(
        self,
        file,
        mode="r",
        buffering=-1,
        encoding=None,
        errors=None,
        newline=None,
        closefd=True,
        opener=None,
    ):
        if not any(letter in mode for letter in WRITES) or not self.meets(file):
            return _open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        if not isinstance(file, int) and opener is None:
            self.step("open" if exists(file) else "create", file)
        raw = _File(file, mode.replace("b", "").replace("t", ""), closefd, opener)
        raw.watch = self
        if buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding, errors, newline)


class _File(io.FileIO):
    """A file whose writes and cuts are counted."""

    def write(self, data):
        return self.watch.write(self.fileno(), data, super().write)

    def truncate(self, size=None):
        self.watch.step("truncate", self.fileno())
        return super().truncate(size)
