"""What the ledger says of a certificate: what was on record before, and how many ways to choose."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from matchbound.audits.book import provenance
from matchbound.audits.ledger import Entry
from matchbound.tables import Digest, Recorded
from matchbound.theorems import Choices, at_least


def certified(
    inputs: Mapping[str, Any], choices: Choices, exploratory: Sequence[str]
) -> dict[str, Any]:
    """What the ledger keeps of a certificate, besides its digest."""
    outputs_by_role: dict[str, list[dict[str, Any]]] = {"holdout": [], "complete": []}
    for name, source in inputs.items():
        role, _, algorithm = name.partition(" ")
        if role in outputs_by_role:
            outputs_by_role[role].append(Recorded.of(source, algorithm).as_dict())
    return {
        **outputs_by_role,
        "labels": inputs["labels"]["digest"],
        "delta": choices.delta,
        "is_sampled": choices.is_sampled,
        "exploratory": list(exploratory),
    }


def standing(entries: Sequence[Entry], issued: Mapping[str, Any]) -> dict[str, Any]:
    """How a certificate stands that is issued after these entries."""
    before = [entry for entry in entries if entry["kind"] == "certificate"]
    draws = list(_draws([*entries, {"kind": "certificate", **issued}]))
    several = draws[-1][0]["several"]
    looked_at = _looked_at(draws[-1])
    registered = _registered(entries, issued["holdout"])
    labelled = provenance(entries, Digest.of(issued["labels"]).bytes)
    return {
        "entries": len(entries),
        "head": entries[-1]["digest"] if entries else "",
        "registered": registered,
        "seeded": _seeded(draws[-1][0], registered),
        "grown": any("grown" in entry for entry in draws[-1]),
        "draws": len(draws),
        "certificates": len(before) + 1,
        "other_labels": sum(not same_labels(one["labels"], issued["labels"]) for one in before),
        "matchers": len(looked_at) // several,
        "uncertified": len(looked_at - _certified(draws[-1])) // several,
        "together": at_least(1 - sum(map(_cost, draws), Fraction(0))),
        **({} if labelled is None else {"labelled": labelled}),
    }


def same_labels(one: Any, other: Any) -> bool:
    """Whether two digests, as the ledger has them, are of the same labels.

    The columns that they were read by are not on record, so rows decide where both are there.
    """
    first, second = Digest.of(one), Digest.of(other)
    return first.is_same(second, read_alike=first.rows is None or second.rows is None)


def outputs_on_record(entries: Sequence[Entry]) -> list[Recorded]:
    """Every matcher's output that the ledger has."""
    records: list[Any] = []
    for entry in entries:
        if entry["kind"] in ("register", "watch"):
            records.append(entry["holdout"])
        elif entry["kind"] == "certificate":
            records += [*entry["holdout"], *entry["complete"]]
    return [Recorded.of(record) for record in records]


def planned(entries: Sequence[Entry], holdouts: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The variances that a registration of these matchers found in the training nodes' labels."""
    place = _registered(entries, holdouts)
    found: dict[str, float] = {} if place is None else entries[place - 1].get("variances", {})
    return dict(found)


def draws_cost(entries: Sequence[Entry]) -> Fraction:
    """The sum of δ of all draws of a folder, and of the matchers looked at in each."""
    return sum(map(_cost, _draws(entries)), Fraction(0))


def _draws(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """For each draw of validation nodes: its entry, then the entries that bear on it.

    Those are what was on record before its labels, and all that came after it, up to the next. One
    that repeats, or lets grow, an earlier draw has the earlier one's seed and is no other draw.
    """
    starts = _fresh(entries)
    for start, end in pairwise([*starts, len(entries)]):
        own = entries[start:end]
        if own[0]["labels"]:
            yield [*own, *(e for e in entries[:start] if e["kind"] == "register")]


def _fresh(entries: Sequence[Entry]) -> list[int]:
    """The places of draws with a seed of their own: others name an earlier one with that seed."""
    seeds: dict[str, str] = {}
    fresh = []
    for i, entry in enumerate(entries):
        if entry["kind"] == "draw":
            if "extends" not in entry or seeds.get(entry["extends"]) != entry["seed"]:
                fresh.append(i)
            seeds[entry["draw"]] = entry["seed"]
    return fresh


def _cost(draw: Sequence[Entry]) -> Fraction:
    """The δ of a draw, once for each matcher that it may have been used to pick.

    Certificates about one holdout matcher fail together, whatever complete matchers they are about:
    the gap is counted. Where it was sampled, each complete matcher costs its own, and what is said
    of the holdout matcher holds with it. A matcher that
    was on record before the labels, or whose numbers were seen, costs δ whether or not it was
    certified: the best may have been picked by them.
    """
    numbers = _Numbers(draw)
    gaps: dict[int, set[tuple[int, ...]]] = {}  # by holdout: complete ones whose gap was sampled
    for one in draw:
        for holdout in one["holdout"] if one["kind"] == "certificate" else ():
            complete = tuple(map(numbers.of, one["complete"]))
            sampled = {complete} if one["is_sampled"] and complete else set()
            gaps.setdefault(numbers.of(holdout), set()).update(sampled)
    for holdout in _on_record_or_watched(draw):
        gaps.setdefault(numbers.of(holdout), set())
    number = Fraction(sum(max(len(some), 1) for some in gaps.values()), draw[0]["several"])
    return Fraction(repr(draw[0]["delta"])) * max(number, Fraction(1))


class _Numbers:
    """A number for each of a draw's matchers: two outputs have the same if they are the same.

    Outputs that are the same as a third are the same, whichever of bytes and rows showed it.
    """

    def __init__(self, draw: Sequence[Entry]) -> None:
        groups: list[list[Recorded]] = []
        for output in outputs_on_record(draw):
            same = [group for group in groups if any(map(output.is_same, group))]
            groups = [group for group in groups if group not in same]
            groups.append([output, *(one for group in same for one in group)])
        self._numbers = {
            repr(one.as_dict()): number for number, group in enumerate(groups) for one in group
        }

    def of(self, record: Mapping[str, Any]) -> int:
        return self._numbers[repr(Recorded.of(record).as_dict())]


def _looked_at(draw: Sequence[Entry]) -> set[int]:
    """The holdout matchers that were on record before the labels, or whose numbers were seen."""
    certificates = [entry for entry in draw if entry["kind"] == "certificate"]
    seen = [holdout for one in certificates for holdout in one["holdout"]]
    return set(map(_Numbers(draw).of, (*_on_record_or_watched(draw), *seen)))


def _certified(draw: Sequence[Entry]) -> set[int]:
    certificates = [one for one in draw if one["kind"] == "certificate" and not one["exploratory"]]
    return {_Numbers(draw).of(holdout) for one in certificates for holdout in one["holdout"]}


def _on_record_or_watched(draw: Sequence[Entry]) -> Iterator[Mapping[str, Any]]:
    number = draw[0]["entry"]
    first = min((e["entry"] for e in draw if _is_label(e) and e["entry"] > number), default=None)
    for entry in draw:
        known = entry["kind"] == "register" and (first is None or entry["entry"] < first)
        if known or entry["kind"] == "watch":
            yield entry["holdout"]


def _is_label(entry: Entry) -> bool:
    return entry["kind"] in ("labels", "label") and bool(entry["validation"])


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
    output = Recorded.of(holdout)
    for entry in before_labels(entries):
        if entry["kind"] == "register" and Recorded.of(entry["holdout"]).is_same(output):
            return int(entry["entry"])
    return None


def before_labels(entries: Sequence[Entry]) -> Iterator[Entry]:
    """What was entered before there was any label of this draw's validation nodes."""
    start = max(_fresh(entries), default=0)
    for i, entry in enumerate(entries):
        if i > start and _is_label(entry):
            return
        yield entry


def _seeded(draw: Entry, registered: int | None) -> dict[str, int] | None:
    """The entries that show that the seed was made after the matcher and the choices were fixed.

    Only a draw that names its entry of choices made its seed after that entry.
    """
    choices = draw.get("choices")
    if draw["seed_given"] or choices is None or registered is None or registered > choices:
        return None
    return {"register": registered, "choices": choices, "draw": draw["entry"]}
