"""The fields that the page shows, and their order: fields.json of the folder, for everybody."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matchbound.errors import InputError
from matchbound.files import is_there, read_json, read_text, write_whole

NAME = "fields.json"


@dataclass(frozen=True)
class Arrangement:
    """The names of the fields that are shown, in their order, and of those that are not."""

    shown: Sequence[str]
    hidden: Sequence[str]

    @staticmethod
    def of(record: Any) -> "Arrangement":
        """From JSON; raise TypeError, ValueError or KeyError if it is none."""
        shown, hidden = record["shown"], record["hidden"]
        for names in (shown, hidden):
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise TypeError("fields must be lists of names")
        if not shown or len({*shown, *hidden}) < len(shown) + len(hidden):
            raise ValueError("at least one field must be shown, and each named once")
        return Arrangement(tuple(shown), tuple(hidden))

    def fitted(self, names: Sequence[str]) -> "Arrangement":
        """The same for a table with these fields: those that it does not name are shown, last."""
        hidden = [name for name in self.hidden if name in names]
        known = [name for name in self.shown if name in names]
        shown = [*known, *(name for name in names if name not in {*known, *hidden})]
        return Arrangement(shown, hidden) if shown else Arrangement(names, ())


def read_arrangement(folder: Path, names: Sequence[str]) -> Arrangement:
    """As the folder remembers it; all fields in their own order if it does not."""
    return (_remembered(folder) or Arrangement((), ())).fitted(names)


def arrange(folder: Path, names: Sequence[str], record: Any) -> Arrangement:
    """Remember an arrangement of these fields that a labeller made."""
    try:
        arrangement = Arrangement.of(record)
    except (TypeError, ValueError, KeyError):
        arrangement = Arrangement((), ())
    if sorted([*arrangement.shown, *arrangement.hidden]) != sorted(names):
        raise InputError(
            f"shown and hidden must name each of the {len(names)} fields once, and one that is "
            "shown, got other names. Reload the page."
        )
    path = folder / NAME
    if is_there(path) and _remembered(folder) is None:
        raise InputError(
            f"{NAME} must be the page's own, got another file in {str(folder)!r}. Move it "
            "elsewhere, and choose fields again."
        )
    text = json.dumps({"shown": list(arrangement.shown), "hidden": list(arrangement.hidden)})
    write_whole({path: text + "\n"}, force=True)
    return arrangement


def _remembered(folder: Path) -> Arrangement | None:
    """What the folder remembers; None if it has no such file, or another of the same name."""
    path = folder / NAME
    if not is_there(path):
        return None
    try:
        return Arrangement.of(read_json(read_text(path, "audit", "Move it elsewhere.")))
    except (InputError, TypeError, ValueError, KeyError, RecursionError):
        return None
