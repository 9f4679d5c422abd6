"""The names of releases: certificates of a matcher's versions that an audit folder keeps."""

import re
from collections.abc import Sequence
from pathlib import Path

from matchbound.audits.journal import Entry
from matchbound.errors import InputError

FOLDER = "releases"
"""The folder in an audit folder that holds a file for each release."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}(?<!\.)")
RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
"""Names that no file has on Windows, whatever follows a dot."""


def checked_release(name: object) -> str | None:
    """Refuse a name that is not safe as a file's on every system; None: it is no release."""
    if isinstance(name, str) and name.lower().endswith(".json"):
        raise InputError(
            f"release must be a name without '.json', which its file gets, got {name[:80]!r}. Drop "
            "the ending."
        )
    return None if name is None else checked_name("release", name)


def checked_name(argument: str, name: object) -> str:
    """Refuse a name that is not safe as a file's on every system."""
    if isinstance(name, str) and NAME.fullmatch(name) and not RESERVED.fullmatch(name):
        return name
    raise InputError(
        f"{argument} must be letters, digits, '.', '_' and '-', at most 64 of them, beginning with "
        "a letter or a digit, not ending with a dot, and no device of Windows such as 'con', got "
        f"{str(name)[:80]!r}. Choose another name."
    )


def release_path(folder: Path, name: str) -> Path:
    """Where a release is written if the user says nothing else."""
    return folder / FOLDER / f"{name}.json"


def released(entries: Sequence[Entry]) -> list[Entry]:
    """The entries of certificates that are releases, in their order."""
    return [e for e in entries if e["kind"] == "certificate" and e.get("release") is not None]


def release_entry(entries: Sequence[Entry], name: str | None) -> Entry | None:
    """The entry of the release that has a name; capitals make no other, as in names of files."""
    named = (e for e in released(entries) if name and e["release"].lower() == name.lower())
    return next(named, None)


def name_taken(name: str, entry: Entry) -> InputError:
    """The refusal of a name that a release has already."""
    return InputError(
        f"release must be a name that this folder does not have yet, got {name!r}, which is entry "
        f"{entry['entry']} of its ledger. Choose another name."
    )
