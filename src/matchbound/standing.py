"""What the ledger says of a certificate: was its holdout matcher on record, and how many others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from matchbound.book import provenance
from matchbound.choices import Choices
from matchbound.ledger import Entry


def matcher(name: str, source: Mapping[str, Any]) -> dict[str, Any]:
    """A matcher's output, as the ledger knows it; its threshold and columns are part of it."""
    return {"name": name, **{key: source.get(key) for key in ("digest", "threshold", "columns")}}


def certified(
    inputs: Mapping[str, Any], choices: Choices, exploratory: Sequence[str]
) -> dict[str, Any]:
    """What the ledger keeps of a certificate, besides its digest."""
    found: dict[str, list[dict[str, Any]]] = {"holdout": [], "complete": []}
    for name, source in inputs.items():
        role, _, algorithm = name.partition(" ")
        if role in found:
            found[role].append(matcher(algorithm, source))
    return {
        **found,
        "labels": inputs["labels"]["digest"],
        "delta": choices.delta,
        "is_sampled": choices.is_sampled,
        "exploratory": list(exploratory),
    }


def standing(entries: Sequence[Entry], issued: Mapping[str, Any]) -> dict[str, Any]:
    """How a certificate stands that is issued after these entries."""
    before = [entry for entry in entries if entry["kind"] == "certificate"]
    matchers, together = _together(entries, [*before, issued])
    told = provenance(entries, issued["labels"])
    return {
        "entries": len(entries),
        "head": entries[-1]["digest"] if entries else "",
        "registered": _registered(entries, issued["holdout"]),
        "certificates": len(before) + 1,
        "other_labels": sum(one["labels"] != issued["labels"] for one in before),
        "matchers": matchers,
        "together": together,
        **({} if told is None else {"labelled": told}),
    }


def _registered(entries: Sequence[Entry], holdouts: Iterable[Mapping[str, Any]]) -> int | None:
    """The entry since which the holdout matcher was on record, if before any validation label."""
    places = []
    for holdout in holdouts:
        place = _place_of(entries, holdout)
        if place is None:
            return None
        places.append(place)
    return max(places, default=None)


def _place_of(entries: Sequence[Entry], holdout: Mapping[str, Any]) -> int | None:
    for entry in _before_labels(entries):
        if entry["kind"] == "register" and entry["holdout"] == holdout:
            return int(entry["entry"])
    return None


def _before_labels(entries: Sequence[Entry]) -> Iterator[Entry]:
    """What was entered before there was any validation label."""
    for entry in entries:
        if entry["kind"] in ("labels", "label") and entry["validation"]:
            return
        yield entry


def _together(entries: Sequence[Entry], issued: Sequence[Mapping[str, Any]]) -> tuple[int, float]:
    """How many holdout matchers may have been picked from, and how surely all guarantees hold.

    Certificates about one holdout matcher fail together, whatever complete matchers they are
    about: the gap is counted. One about the holdout matcher alone shares δ otherwise, and where the
    gap was sampled each complete matcher costs its own. A matcher that was on record before the
    labels, or whose bounds were watched, costs δ whether or not it was certified: the best may have
    been picked by them.
    """
    failing: dict[tuple[str, str], Fraction] = {}
    several, delta = 1, Fraction(0)
    for one in issued:
        if one["exploratory"]:
            continue
        delta, several = Fraction(repr(one["delta"])), len(one["holdout"])
        about = repr(one["complete"]) if one["is_sampled"] else str(bool(one["complete"]))
        for holdout in one["holdout"]:
            failing[repr(holdout), about] = delta / several
    certified_too = {holdout for holdout, _ in failing}
    known = [entry for entry in _before_labels(entries) if entry["kind"] == "register"]
    for entry in [*known, *(entry for entry in entries if entry["kind"] == "watch")]:
        if repr(entry["holdout"]) not in certified_too:
            failing[repr(entry["holdout"]), ""] = delta / several
    matchers = len({holdout for holdout, _ in failing}) // several
    return max(matchers, 1), float(max(1 - sum(failing.values()), Fraction(0)))
