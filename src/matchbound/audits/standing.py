"""What the ledger says of a certificate: what was on record before, and how many ways to choose."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any

from matchbound.audits.inputs import Inputs
from matchbound.audits.ledger import Entry
from matchbound.audits.provenance import Provenance, label_provenance
from matchbound.audits.seal import sealed_up_to
from matchbound.audits.shown import SHOWN, changed_labels, same_labels, uncompared_labels
from matchbound.tables import Digest, OnRecord, Recorded
from matchbound.theorems import Choices, at_least


@dataclass(frozen=True)
class CohortSpent:
    """A later draw from new nodes that a certificate is from too, and its δ."""

    name: str
    delta: float


@dataclass(frozen=True)
class Issued:
    """What the ledger keeps of a certificate, besides its digest."""

    holdout: Sequence[Recorded]
    complete: Sequence[Recorded]
    labels: Digest
    delta: float
    is_sampled: bool
    exploratory: Sequence[str] = ()
    truth_searched: str | None = None
    release: str | None = None
    cohorts: Sequence[CohortSpent] = ()
    now: Digest | None = None

    @staticmethod
    def of(
        inputs: Inputs,
        choices: Choices,
        exploratory: Sequence[str],
        truth_searched: str | None,
        release: str | None,
    ) -> "Issued":
        """From a certificate's inputs, its choices, and the names of those not the draw's.

        `truth_searched` is how true matches were looked for, in the user's words; `release` is the
        release's name, if it is one.
        """
        return Issued(
            [one.recorded for one in inputs.of_role("holdout")],
            [one.recorded for one in inputs.of_role("complete")],
            inputs.labels.digest,
            choices.delta,
            choices.is_sampled,
            tuple(exploratory),
            truth_searched,
            release,
            now=None if inputs.now is None else inputs.now.digest,
        )

    def as_dict(self) -> dict[str, Any]:
        """As its entry in the ledger has it."""
        return {
            "holdout": [output.as_dict() for output in self.holdout],
            "complete": [output.as_dict() for output in self.complete],
            "labels": self.labels.as_dict(),
            "delta": self.delta,
            "is_sampled": self.is_sampled,
            "exploratory": list(self.exploratory),
            "truth_searched": self.truth_searched,
            "release": self.release,
            "cohorts": [asdict(cohort) for cohort in self.cohorts],
            "population_now": None if self.now is None else self.now.as_dict(),
        }


@dataclass(frozen=True)
class Seeded:
    """The entries that show that the seed was made after the matcher and the choices were fixed."""

    register: int
    choices: int
    draw: int

    def __post_init__(self) -> None:
        if not all(type(number) is int for number in (self.register, self.choices, self.draw)):
            raise TypeError("ledger must hold the entries of matcher, choices and seed")


@dataclass(frozen=True)
class Standing:
    """What the ledger says of a certificate.

    It was issued after `entries` entries, the last of which has the digest `head`. `registered` is
    the entry since which the holdout matcher was on record, if before any validation label.
    `draws`, `certificates` and `matchers` count those so far, `uncertified` the matchers that were
    looked at and not certified; where several algorithms were named, so many count as one.
    `other_labels` counts the certificates from other labels. `sealed` is the last entry that a
    seal was made of. `changed` counts the drawn nodes whose labels were changed after results had
    been shown, `uncompared` is the entry of an erasure after which that cannot be told, 0 if there
    is none. `together` is the probability with which all certificates hold.
    """

    entries: int
    head: str
    registered: int | None
    seeded: Seeded | None
    grown: bool
    draws: int
    certificates: int
    other_labels: int
    matchers: int
    uncertified: int
    sealed: int
    changed: int
    uncompared: int
    together: float
    labelled: Provenance | None = None

    def as_dict(self) -> dict[str, Any]:
        """As it stands in certificate.json."""
        record = asdict(self)
        if self.labelled is None:
            del record["labelled"]
        else:
            record["labelled"] = self.labelled.as_dict()
        return record

    @staticmethod
    def of(record: Any) -> "Standing":
        """From JSON; raise TypeError or KeyError if it is not what `as_dict` returns."""
        values = {name: record[name] for name in (*NUMBERS, "head", "registered", "grown")}
        if not all(isinstance(values[name], int | float) for name in NUMBERS):
            raise TypeError("ledger must hold numbers")
        whole = [values[name] for name in NUMBERS if name != "together"]
        if not all(isinstance(number, int) for number in whole):
            raise TypeError("ledger must hold whole numbers")
        if not isinstance(values["registered"], int | None):
            raise TypeError("ledger must hold the entry of the registration")
        if not isinstance(values["grown"], bool):
            raise TypeError("ledger must hold whether the draw has grown")
        seeded, labelled = record["seeded"], record.get("labelled")
        return Standing(
            **values,
            seeded=None if seeded is None else Seeded(**seeded),
            labelled=None if labelled is None else Provenance.of(labelled),
        )


NUMBERS = (
    "entries",
    "draws",
    "certificates",
    "other_labels",
    "matchers",
    "uncertified",
    "sealed",
    "changed",
    "uncompared",
    "together",
)


def standing(
    entries: Sequence[Entry],
    issued: Issued,
    salted: Callable[[Digest], Digest] = lambda digest: digest,
) -> Standing:
    """How a certificate stands that is issued after these entries.

    `salted` gives the digest that labels have on record; version 1 had it as it is.
    """
    before = [entry for entry in entries if entry["kind"] == "certificate"]
    with_this = [*entries, {"kind": "certificate", **issued.as_dict()}]
    draws = list(_draws(with_this))
    latest = draws[-1]
    several = latest[0]["several"]
    numbers = _Numbers(latest)
    looked_at = _looked_at(latest, numbers)
    registered = _registered(entries, issued.holdout)
    return Standing(
        entries=len(entries),
        head=entries[-1]["digest"] if entries else "",
        registered=registered,
        seeded=_seeded(latest[0], registered),
        grown=any("grown" in entry for entry in latest),
        draws=len(draws),
        certificates=len(before) + 1,
        other_labels=sum(
            not same_labels(Digest.of(one["labels"]), issued.labels) for one in before
        ),
        matchers=ceil(len(looked_at) / several),
        uncertified=ceil(len(looked_at - _certified(latest, numbers)) / several),
        sealed=sealed_up_to(entries),
        changed=changed_labels(entries),
        uncompared=uncompared_labels(entries),
        together=all_together(with_this),
        labelled=label_provenance(entries, issued.labels, salted),
    )


def in_force(entries: Sequence[Entry]) -> list[Entry]:
    """The entries without the registrations that were withdrawn before any validation label.

    Labels of an earlier draw count too: the δ of what was on record by then is spent. Withdrawals
    are left out, so that a part of what is returned, which may lack those labels, is in force too.
    """
    withdrawn = set()
    for entry in entries:
        if _is_label(entry):
            break
        if entry["kind"] == "withdraw":
            withdrawn.add(entry["register"])
    return [
        entry
        for entry in entries
        if entry["kind"] != "withdraw"
        and not (entry["kind"] == "register" and entry["entry"] in withdrawn)
    ]


def has_validation_label(entries: Sequence[Entry]) -> bool:
    """Whether these entries have a validation label, of whichever draw."""
    return any(map(_is_label, entries))


def registrations(entries: Sequence[Entry]) -> list[Entry]:
    """The entries of holdout matchers that were registered, and not withdrawn."""
    return [entry for entry in in_force(entries) if entry["kind"] == "register"]


def outputs_on_record(entries: Sequence[Entry]) -> list[Recorded]:
    """Every matcher's output that these entries have; withdrawn ones are not on record."""
    outputs = []
    for entry in in_force(entries):
        if entry["kind"] in ("register", "watch"):
            outputs.append(Recorded.of(entry["holdout"]))
        elif entry["kind"] in SHOWN:
            outputs += [*_matchers_in(entry, "holdout"), *_matchers_in(entry, "complete")]
    return outputs


def on_record(entries: Sequence[Entry]) -> OnRecord:
    """The outputs that these entries have, those that were registered apart."""
    registered = [Recorded.of(entry["holdout"]) for entry in registrations(entries)]
    return OnRecord(registered, outputs_on_record(entries))


def _matchers_in(entry: Entry, role: str) -> list[Recorded]:
    """The holdout matchers that the entry of a certificate or a look has, or the complete ones."""
    return [Recorded.of(record) for record in entry[role]]


def planned(entries: Sequence[Entry], holdouts: Iterable[Recorded]) -> dict[str, float]:
    """The variances that `register` computed from the training nodes' labels, if it did."""
    place = _registered(entries, holdouts)
    return {} if place is None else dict(entries[place - 1].get("variances", {}))


def draws_cost(entries: Sequence[Entry]) -> Fraction:
    """The sum of δ of all draws of a folder, and of the matchers looked at in each."""
    return sum(map(_cost, _draws(entries)), Fraction(0))


def all_together(entries: Sequence[Entry]) -> float:
    """The probability with which all certificates of a folder hold that have a guarantee."""
    return at_least(1 - draws_cost(entries) - _cost_of_cohorts(entries))


def _draws(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """For each draw of validation nodes: its entry, then the entries that concern it.

    Those are all entries up to the next draw, and the registrations before it. An entry that
    repeats an earlier draw, or adds nodes to it, has the earlier one's seed and starts no new draw.
    """
    entries = in_force(entries)
    starts = _fresh(entries)
    for start, end in pairwise([*starts, len(entries)]):
        own = entries[start:end]
        if own[0]["labels"]:
            yield [*own, *(e for e in entries[:start] if e["kind"] == "register")]


def _fresh(entries: Sequence[Entry]) -> list[int]:
    """The indices of draws with a seed of their own; others name an earlier one with theirs."""
    seeds: dict[str, str] = {}
    fresh = []
    for i, entry in enumerate(entries):
        if entry["kind"] == "draw":
            if "extends" not in entry or seeds.get(entry["extends"]) != entry["seed"]:
                fresh.append(i)
            seeds[entry["draw"]] = entry["seed"]
    return fresh


TODAY = 2
"""The version of a certificate whose entry names none."""


def _cost(draw: Sequence[Entry]) -> Fraction:
    """The δ of a draw, once for each matcher that it may have been used to pick.

    Certificates about one holdout matcher fail together, whatever complete matchers they are about:
    the gap is counted. Where it was sampled, each complete matcher costs its own, and what is said
    of the holdout matcher holds with it. A matcher that
    was on record before the labels, or whose numbers were seen, costs δ whether or not it was
    certified: the best may have been picked by them.
    """
    numbers = _Numbers(draw)
    # By holdout and rules: the complete ones whose gap was sampled. A bound by version 1's rules
    # fails in other samples than one by today's, so the two do not fail together.
    gaps: dict[tuple[int, int], set[tuple[int, ...]]] = {}
    for entry in draw:
        for holdout in _matchers_in(entry, "holdout") if entry["kind"] == "certificate" else ():
            complete = tuple(map(numbers.of, _matchers_in(entry, "complete")))
            sampled = {complete} if entry["is_sampled"] and complete else set()
            rules = TODAY if entry["exploratory"] else entry.get("version", TODAY)
            gaps.setdefault((numbers.of(holdout), rules), set()).update(sampled)
    for holdout in _on_record_or_shown(draw):
        gaps.setdefault((numbers.of(holdout), TODAY), set())
    number = Fraction(sum(max(len(sampled), 1) for sampled in gaps.values()), draw[0]["several"])
    return Fraction(repr(draw[0]["delta"])) * max(number, Fraction(1))


def _cost_of_cohorts(entries: Sequence[Entry]) -> Fraction:
    """The δ of later draws that certificates are from; each counts once."""
    used = (one for e in entries if e["kind"] == "certificate" for one in e.get("cohorts", ()))
    deltas = {one["name"]: Fraction(repr(one["delta"])) for one in used}
    return sum(deltas.values(), Fraction(0))


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
        self._groups = groups

    def of(self, output: Recorded) -> int:
        return next(number for number, group in enumerate(self._groups) if output in group)


def _looked_at(draw: Sequence[Entry], numbers: _Numbers) -> set[int]:
    """The holdout matchers that were on record before the labels, or whose numbers were seen."""
    certificates = [entry for entry in draw if entry["kind"] == "certificate"]
    seen = [holdout for one in certificates for holdout in _matchers_in(one, "holdout")]
    return set(map(numbers.of, (*_on_record_or_shown(draw), *seen)))


def _certified(draw: Sequence[Entry], numbers: _Numbers) -> set[int]:
    certificates = [one for one in draw if one["kind"] == "certificate" and not one["exploratory"]]
    return {numbers.of(each) for one in certificates for each in _matchers_in(one, "holdout")}


def _on_record_or_shown(draw: Sequence[Entry]) -> Iterator[Recorded]:
    number = draw[0]["entry"]
    first = min((e["entry"] for e in draw if _is_label(e) and e["entry"] > number), default=None)
    for entry in draw:
        is_registered = entry["kind"] == "register"
        is_early = is_registered and (first is None or entry["entry"] < first)
        if is_early or entry["kind"] == "watch":
            yield Recorded.of(entry["holdout"])
        elif entry["kind"] == "look":
            yield from _matchers_in(entry, "holdout")


def _is_label(entry: Entry) -> bool:
    return entry["kind"] in ("labels", "label") and bool(entry["validation"])


def _registered(entries: Sequence[Entry], holdouts: Iterable[Recorded]) -> int | None:
    """The entry since which the holdout matcher was on record, if before any validation label."""
    places = []
    for holdout in holdouts:
        place = _place_of(entries, holdout)
        if place is None:
            return None
        places.append(place)
    return max(places, default=None)


def _place_of(entries: Sequence[Entry], holdout: Recorded) -> int | None:
    for entry in in_force(list(before_labels(entries))):
        if entry["kind"] == "register" and Recorded.of(entry["holdout"]).is_same(holdout):
            return int(entry["entry"])
    return None


def before_labels(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the entries before the first label of the latest draw's validation nodes."""
    start = max(_fresh(entries), default=0)
    for i, entry in enumerate(entries):
        if i > start and _is_label(entry):
            return
        yield entry


def _seeded(draw: Entry, registered: int | None) -> Seeded | None:
    """Only a draw that names its entry of choices made its seed after that entry."""
    choices = draw.get("choices")
    if draw["seed_given"] or choices is None or registered is None or registered > choices:
        return None
    return Seeded(registered, choices, draw["entry"])
