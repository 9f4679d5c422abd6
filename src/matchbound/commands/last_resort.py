"""The sentence for whatever ends a command: of an error that is foreseen, and of any other."""

import os
import traceback
from pathlib import Path

from matchbound.errors import MatchboundError

TRACEBACK = "MATCHBOUND_TRACEBACK"
"""The environment variable that shows a developer where an unforeseen error comes from."""


def sentence_of(error: Exception) -> str:
    """What went wrong, and the way out, in one sentence.

    A `MatchboundError` has its own. Of others the kind and the place are named, not the text,
    because a report of the fault may be public and the text may hold an id.
    """
    if isinstance(error, MatchboundError):
        return str(error)
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    if isinstance(error, MemoryError):
        return "the machine has too little memory for this. Free some, or limit DuckDB's: --memory."
    if isinstance(error, OSError) and error.strerror:
        where = "" if error.filename is None else f" {str(error.filename)!r}"
        return f"the system refused{where}: {error.strerror}. Check the path, disk and permissions."
    return (
        f"this is a fault of matchbound ({type(error).__name__} in {_place(error)}). Please report "
        f"it with the command; {TRACEBACK}=1 in the environment shows more."
    )


def _place(error: Exception) -> str:
    """The last line of matchbound that ran, such as `audits/ledger.py:12`."""
    package = Path(__file__).parents[1]
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if package in Path(frame.filename).parents]
    if not ours:
        return "its start"
    return f"{Path(ours[-1].filename).relative_to(package).as_posix()}:{ours[-1].lineno}"
