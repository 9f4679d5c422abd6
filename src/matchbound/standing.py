"""What the ledger says of a certificate: was its holdout matcher on record, and how many others."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

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
        "delta": choices.delta,
        "is_sampled": choices.is_sampled,
        "exploratory": list(exploratory),
    }


def standing(entries: Sequence[Entry], issued: Mapping[str, Any]) -> dict[str, Any]:
    """How a certificate stands that is issued after these entries."""
    before = [entry for entry in entries if entry["kind"] == "certificate"]
    return {
        "entries": len(entries),
        "head": entries[-1]["digest"] if entries else "",
        "registered": _registered(entries, issued["holdout"]),
        "certificates": len(before) + 1,
        "together": _together([*before, issued]),
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
    for entry in entries:
        if entry["kind"] == "labels" and entry["validation"]:
            return None
        if entry["kind"] == "register" and entry["holdout"] == holdout:
            return int(entry["entry"])
    return None


def _together(issued: Sequence[Mapping[str, Any]]) -> float:
    """With which probability all certificates hold that are not exploratory.

    Those about the same holdout matcher fail together, whatever complete matcher they are about:
    its gap is counted. Where the gap was sampled, each complete matcher costs its own δ.
    """
    failing: dict[str, Fraction] = {}
    for one in issued:
        if not one["exploratory"]:
            key = repr((one["holdout"], one["complete"] if one["is_sampled"] else None))
            failing[key] = max(Fraction(repr(one["delta"])), failing.get(key, Fraction(0)))
    return float(max(1 - sum(failing.values()), Fraction(0)))
