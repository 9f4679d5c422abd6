"""The terminal, for all verbs: print, show progress, end by a signal."""

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from matchbound.errors import UnfinishedError


def say(text: object, end: str = "\n") -> None:
    """Print; if nobody reads any more, discard the text and what follows."""
    try:
        print(text, end=end, flush=True)
    except BrokenPipeError:
        with suppress(OSError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise UnfinishedError(
            f"cannot print the result: {error.strerror}. What was done stays done."
        ) from None


def progress(stage: str) -> None:
    """Print a stage of the work to a terminal; print nothing to a file or a pipe."""
    if sys.stderr is not None and sys.stderr.isatty():
        note(f"matchbound: {stage} …")


def ask(question: str, answers: Sequence[str]) -> int | None:
    """Ask for one of some answers at a terminal, and return its index; None if nobody answers."""
    streams = sys.stdin, sys.stderr
    if not all(stream is not None and stream.isatty() for stream in streams):
        return None
    note(f"matchbound: {question}")
    for number, answer in enumerate(answers, start=1):
        note(f"  {number}  {answer}")
    numbers = [str(number) for number in range(1, len(answers) + 1)]
    while True:
        note(f"Which? Type {' or '.join(numbers)}:")
        line = sys.stdin.readline()
        if not line:
            return None
        if line.strip() in numbers:
            return numbers.index(line.strip())


def note(text: object) -> None:
    """Print to stderr, if it can be written to: it is where a failure would be told."""
    with suppress(OSError, ValueError):
        print(text, file=sys.stderr, flush=True)


def flush() -> None:
    """Hand on what was printed: at the end of the process Python itself would print an error."""
    if sys.stdout is not None:
        say("", end="")


@contextmanager
def interrupted_by_signals() -> Iterator[list[int]]:
    """Treat SIGTERM and SIGHUP like Ctrl-C: what is temporary is removed. Yield those received.

    A signal that is ignored, as SIGHUP under nohup, stays so.
    """
    received: list[int] = []

    def interrupt(number: int, _: object) -> None:
        received.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield received
        return
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {one: signal.getsignal(one) for one in signals}
    handled = [one for one in signals if before[one] not in (signal.SIG_IGN, None)]
    try:
        for one in handled:
            signal.signal(one, interrupt)
        yield received
    finally:
        for one in handled:
            signal.signal(one, before[one])
