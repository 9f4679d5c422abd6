"""The terminal, for all verbs: print, show progress, end by a signal."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from matchbound.errors import EngineError


def say(text: object) -> None:
    """Print; if nobody reads any more, discard the text and what follows."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        with suppress(OSError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise EngineError(f"cannot print the result: {error.strerror}.") from None


def progress(stage: str) -> None:
    """Print a stage of the work to a terminal; print nothing to a file or a pipe."""
    if sys.stderr.isatty():
        print(f"matchbound: {stage} …", file=sys.stderr)


@contextmanager
def interrupted_by_sigterm() -> Iterator[list[int]]:
    """Treat SIGTERM like Ctrl-C, so that temporary files are removed; yield signals received."""
    received: list[int] = []

    def interrupt(number: int, _: object) -> None:
        received.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield received
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield received
    finally:
        signal.signal(signal.SIGTERM, before)
