"""The form of the ledger's entries: what reads them later relies on it.

An entry's digest shows that it was not edited by accident; whoever makes digests anew can write
anything into it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from matchbound.audits.journal import Entry, is_sealed
from matchbound.audits.release import checked_release
from matchbound.errors import InputError
from matchbound.tables import Digest, Recorded

Check = Callable[[Any], object]
"""A function that raises TypeError, KeyError or AttributeError if a fact is not of its form."""


def _of(*types: type) -> Check:
    """One of these types; True and False are no numbers."""

    def check(value: Any) -> None:
        if type(value) not in types:
            raise TypeError

    return check


def _list_of(one: Check, *, none: bool = False) -> Check:
    """A list; with `none`, null says that it could not be made."""

    def check(value: Any) -> None:
        if none and value is None:
            return
        _of(list)(value)
        for part in value:
            one(part)

    return check


def _text(value: Any) -> None:
    """A text, or a commitment to it that nobody can open here."""
    if not is_sealed(value):
        _of(str)(value)


def _label(value: Any) -> None:
    """A node, its matches (None: unsure) and a note; or a commitment to them."""
    if not is_sealed(value):
        _of(str)(value["node"])
        _of(str)(value["note"])
        _of(list, type(None))(value["matches"])
        for match in value["matches"] or ():
            _of(str)(match)


def _joint(value: Any) -> None:
    """Which of several labels it is that were saved as one, and how many they are."""
    _list_of(COUNT)(value)
    if len(value) != 2:
        raise TypeError


def _within(value: Any) -> None:
    """A part of the population, or null: its digest and its size."""
    if value is not None:
        Digest.of(value["digest"])
        _of(int)(value["size"])


def _release(value: Any) -> None:
    """A release's name, which is a file's too, or null."""
    try:
        checked_release(value)
    except InputError:
        raise TypeError from None


def _spent(value: Any) -> None:
    """A cohort's name, and its δ."""
    _of(str)(value["name"])
    _of(float)(value["delta"])


COUNT, NUMBER, TEXT, YES = _of(int), _of(int, float), _of(str), _of(bool)
FACTS: Mapping[str, Mapping[str, Check]] = {
    "register": {"holdout": Recorded.of, "validation": COUNT},
    "withdraw": {"register": COUNT},
    "choices": {
        "population": Digest.of,
        "size": COUNT,
        "within": _within,
        "train": COUNT,
        "trained_on": Digest.if_any,
        "matching": _of(dict),
        "weights": _of(str, type(None)),
    },
    "draw": {
        "draw": TEXT,
        "seed": _text,
        "seed_given": YES,
        "labels": COUNT,
        "train": COUNT,
        "delta": NUMBER,
        "several": COUNT,
        "second": YES,
    },
    "cohort": {"cohort": TEXT, "choices": TEXT},
    "labels": {"labels": Digest.of, "validation": COUNT},
    "look": {
        "what": TEXT,
        "holdout": _list_of(Recorded.of),
        "complete": _list_of(Recorded.of),
        "labels": Digest.of,
    },
    "labeller": {"labeller": COUNT, "name": _text},
    "label": {
        "labeller": COUNT,
        "place": COUNT,
        "validation": COUNT,
        "sure": YES,
        "decides": YES,
        "label": _label,
    },
    "undo": {"undoes": COUNT},
    "proceed": {"labeller": COUNT},
    "forget": {"places": _list_of(COUNT), "records": COUNT},
    "certificate": {
        "certificate": TEXT,
        "holdout": _list_of(Recorded.of),
        "complete": _list_of(Recorded.of),
        "labels": Digest.of,
        "delta": NUMBER,
        "is_sampled": YES,
        "exploratory": _list_of(TEXT),
    },
    "seal": {"entries": COUNT, "seal": TEXT},
    "moved": {"ledger": _text},
}
"""The facts that an entry of a kind must have."""
OPTIONAL: Mapping[str, Mapping[str, Check]] = {
    "draw": {"choices": COUNT, "extends": TEXT},
    "label": {"joint": _joint, "adds": YES},
    "labels": {"by_place": _list_of(TEXT), "page": YES},
    "forget": {"by_place": _list_of(TEXT, none=True)},
    "certificate": {
        "release": _release,
        "cohorts": _list_of(_spent),
        "population_now": Digest.if_any,
    },
}
"""The facts that it may have."""


def malformed(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the first entry that lacks a fact of its kind, or has one of another form.

    Ledgers of version 1, whose draws say less, are left to the rules of that version.
    """
    if any(one.get("kind") == "draw" and "seed_given" not in one for one in entries):
        return
    for entry in entries:
        kind = entry.get("kind")
        facts = dict(FACTS.get(kind, {})) if isinstance(kind, str) else {"kind": TEXT}
        may = OPTIONAL.get(kind, {}) if isinstance(kind, str) else {}
        facts |= {name: check for name, check in may.items() if name in entry}
        for name, check in facts.items():
            try:
                check(entry[name])
            except (KeyError, TypeError, AttributeError):
                yield f"entry {entry.get('entry')} has no {name} as matchbound writes it"
                return
