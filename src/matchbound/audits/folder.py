"""The state of the draw in an audit folder: on record, in files, or in only one of them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matchbound.audits.ledger import NAME, Entry, read_ledger
from matchbound.audits.written import Written
from matchbound.errors import InputError
from matchbound.files import digest_of_text, is_file, is_there, read_json, read_text

LABELS = "labels.csv"
OLD_LEDGER = "ledger-1.jsonl"
OLD_DRAW = "draw-1.json"
"""The files of version 1 that a folder keeps when it is moved to version 2."""


def refuse_labels(folder: Path) -> None:
    if is_there(folder / LABELS):
        raise InputError(
            f"out must not hold labels yet, got {str(folder)!r}: a draw comes before them. "
            "Draw into another folder, or move labels.csv away: a fresh draw costs its δ again."
        )


def last_draw(entries: Sequence[Entry]) -> Entry | None:
    return next((entry for entry in reversed(entries) if entry["kind"] == "draw"), None)


def written_in(folder: Path) -> Written | None:
    """draw.json, if it is there and unchanged; sample.csv is not read."""
    try:
        record = _unchanged(folder)
        written = Written.of(record)
        return written if written.as_dict() == record else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _unchanged(folder: Path) -> Any:
    """The content of draw.json, of whichever version; raise ValueError if it was changed."""
    record = read_json(read_text(folder / "draw.json", "audit", "Restore it."))
    body = {name: value for name, value in record.items() if name != "digest"}
    if record["digest"] != digest_of_text(json.dumps(body, sort_keys=True)):
        raise ValueError("draw.json was changed")
    return record


def _digest_in(folder: Path) -> str | None:
    """The digest in draw.json, if it is there and unchanged."""
    try:
        return str(_unchanged(folder)["digest"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def is_written(folder: Path, entry: Entry) -> bool:
    """Whether the files of this entry's draw are there: draw.json is written last."""
    return bool(_digest_in(folder) == entry["draw"])


def refuse_unfinished(folder: Path, entries: Sequence[Entry] | None = None) -> None:
    """Refuse a folder whose last draw is on record but not in its files.

    `entries` are the ledger's, if it was read. An edited draw.json is refused elsewhere.
    """
    if is_file(folder / "draw.json") and _digest_in(folder) is None:
        return
    if entries is None:
        ledger = read_ledger(folder) if is_file(folder / NAME) else None
        entries = () if ledger is None or ledger.problems else ledger.entries
    last = last_draw(entries)
    if last is not None and not is_written(folder, last):
        raise InputError(
            f"audit must hold the draw that is last in its ledger (entry {last['entry']}), got "
            f"another or none in {str(folder)!r}. If `draw` was interrupted, repeat it with the "
            "same arguments, which finishes it; else restore draw.json and sample.csv."
        )
