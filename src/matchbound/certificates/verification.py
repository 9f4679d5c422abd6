"""Compute a certificate again: from its own tallies, and from its inputs where they are at hand."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.audits import Draw
from matchbound.certificates.certificate import (
    SHORT,
    Certificate,
    digest_of,
    from_record,
    leaves,
    read_record,
)
from matchbound.certificates.place import ledger_of, other_ledger, repaired_ledger
from matchbound.certificates.recount import recounted
from matchbound.certificates.rows import rows_at
from matchbound.certificates.words import advise
from matchbound.engines import Progress
from matchbound.errors import MatchboundError
from matchbound.files import digest_of_file, find_file, hashing_once, is_folder
from matchbound.tables import Digest
from matchbound.theorems import brought_variances, choose_threshold, guarantees, parts

if TYPE_CHECKING:
    from os import PathLike


@dataclass(frozen=True)
class Verification:
    """What differs (nothing, for a good certificate), what was checked, what was not at hand.

    `repaired` says what a crash had left in the ledger.
    """

    differences: tuple[str, ...]
    checked: tuple[str, ...]
    missing: tuple[str, ...]
    repaired: str = ""

    @property
    def holds(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        if not self.holds:
            listed = [f"  - {difference}" for difference in self.differences]
            return "\n".join(["The certificate does not verify:", *listed, *self._said()])
        lines = [f"The certificate verifies: {'; '.join(self.checked)}.", *self._said()]
        if self.missing:
            lines.append(f"Not at hand, so not checked: {', '.join(self.missing)}.")
        return "\n".join(lines)

    def _said(self) -> list[str]:
        return [self.repaired] if self.repaired else []


@hashing_once()
def verify(
    target: "str | PathLike[str] | Certificate",
    *,
    memory: str | None = None,
    temp: Any = None,
    progress: Progress = lambda _: None,
) -> Verification:
    """Verify the certificate in an audit folder, a certificate.json alone, or one in memory."""
    if isinstance(target, Certificate):
        record, path = target.as_dict(), Path("certificate.json")
    else:
        path = Path(target)
        path = path / "certificate.json" if is_folder(path) else path
        record = read_record(path)
    checked = ["its digests", "its guarantees, from its tallies"]
    differences = list(_changed(record))
    try:
        certificate = from_record(record)
    except MatchboundError as error:
        if not differences:
            raise
        return Verification((*differences, str(error)), tuple(checked), ())
    differences = list(contradictions(record, certificate))
    places, missing = _at_hand(certificate, path.parent)
    differences += _other_files(certificate, places)
    differences += _other_draw(certificate, places)
    ledger, repaired = ledger_of(certificate, path, places), ""
    elsewhere: list[str] = []
    if ledger is not None:
        repaired = repaired_ledger(certificate, ledger)
        elsewhere = list(other_ledger(certificate, ledger))
        checked.append("its place in the ledger")
    elif certificate.ledger is not None:
        missing.append("ledger")
    if not missing and not differences:
        differences += recounted(certificate, places, memory, temp, progress)
        checked.append("its tallies, from its inputs")
        if "draw" in places:
            checked.append("its draw, from the seed")
    differences += elsewhere
    return Verification(tuple(differences), tuple(checked), tuple(missing), repaired)


def contradictions(record: Mapping[str, Any], certificate: Certificate) -> Iterator[str]:
    """What a certificate itself tells to be wrong, without any other file."""
    yield from _changed(record)
    yield from _strange(record, certificate)
    yield from _recomputed(certificate)


def _changed(record: Mapping[str, Any]) -> Iterator[str]:
    """What is not as its digest says."""
    body = {name: value for name, value in record.items() if name not in ("digests", "digest")}
    digests = record.get("digests")
    digests = digests if isinstance(digests, dict) else {}
    found = dict(leaves(body))
    intact = True
    for place in [*found, *(place for place in digests if place not in found)]:
        if place not in found or digests.get(place) != digest_of(found[place])[:SHORT]:
            intact = False
            yield f"{place} was changed" if place in found else f"{place} was removed"
    whole = {name: value for name, value in record.items() if name != "digest"}
    if intact and record.get("digest") != digest_of(whole):
        yield "digest was changed"


def _strange(record: Mapping[str, Any], certificate: Certificate) -> Iterator[str]:
    """What no certificate holds."""
    known = dict(leaves(certificate.as_dict()))
    for place, leaf in leaves(dict(record)):
        ours = place == "digest" or place.startswith("digests.")
        if not ours and (place not in known or known[place] != leaf):
            yield f"{place} is not part of a certificate, or not as one has it"


def _recomputed(certificate: Certificate) -> Iterator[str]:
    """What does not follow from the tallies."""
    tallies, choices = certificate.tallies, certificate.choices
    if list(tallies) != [part.name for part in parts(choices)]:
        yield "tallies are not of the parts that the choices make"
        return
    nodes = [node for tally in tallies.values() for node in (*tally.train, *tally.validation)]
    if choices.one_to_one and any((node.t or 0) > 1 for node in nodes):
        yield "tallies hold a node with several true matches, which choices.one_to_one excludes"
    if choices.brought is ("draw" in certificate.inputs):
        yield "choices.brought is not what the inputs say"
    if choices.brought and dict(choices.variances) != brought_variances(tallies):
        yield "choices.variances are not what the training nodes' labels give"
    complete = any(name.partition(" ")[0] == "complete" for name in certificate.inputs)
    try:
        again = guarantees(tallies, choices, complete=complete)
        if choices.choose_threshold:
            chosen = choose_threshold(tallies, choices, complete=complete)
            if certificate.threshold != chosen:
                yield f"threshold is not what the tallies give, {chosen.chosen}"
        elif certificate.threshold is not None:
            yield "threshold was not to be chosen"
    except MatchboundError as error:
        yield f"tallies give no guarantee: {error}"
        return
    if len(again) != len(certificate.guarantees):
        yield f"guarantees are {len(certificate.guarantees)}, the choices make {len(again)}"
    for i, (said, found) in enumerate(zip(certificate.guarantees, again, strict=False)):
        for name, value in asdict(found).items():
            if getattr(said, name) != value:
                yield (
                    f"guarantees[{i}].{name} is {getattr(said, name)!r}, the tallies give {value!r}"
                )
    if certificate.advice != advise(next(iter(tallies.values())), choices):
        yield "advice is not what the tallies give"


def _at_hand(certificate: Certificate, folder: Path) -> tuple[dict[str, Path], list[str]]:
    """The files that the inputs came from, by their digests if several might be meant."""
    places, missing = {}, []
    for name, source in certificate.inputs.items():
        digest = Digest.of(source["digest"])
        is_file = source["path"] is not None and digest.bytes is not None
        found = find_file(source["path"], folder) if is_file else []
        fitting = [place for place in found if digest_of_file(place) == digest.bytes]
        if found:
            places[name] = (fitting or found)[0]
        else:
            missing.append(name)
    return places, missing


def _other_files(certificate: Certificate, places: Mapping[str, Path]) -> Iterator[str]:
    """The files that have neither the bytes nor the rows that were certified."""
    for name, place in places.items():
        recorded = Digest.of(certificate.inputs[name]["digest"])
        if digest_of_file(place) == recorded.bytes:
            continue
        if recorded.rows is None or rows_at(certificate, name, places) != recorded.rows:
            yield f"inputs.{name}: {str(place)!r} is not the file that was certified"


def _other_draw(certificate: Certificate, places: Mapping[str, Path]) -> Iterator[str]:
    """What was not fixed at the draw, if that is at hand."""
    tally = next(iter(certificate.tallies.values()))
    population = certificate.inputs.get("population", {})
    if population.get("size") != tally.size:
        yield f"inputs.population.size is {population.get('size')!r}, the tallies' {tally.size}"
    if "draw" not in places:
        return
    try:
        before = Draw.load(places["draw"].parent)
    except MatchboundError as error:
        yield f"inputs.draw: {error}"
        return
    if before.seed_given != certificate.inputs["draw"].get("seed_given"):
        yield "inputs.draw.seed_given is not as the draw has it"
    after = certificate.choices.as_dict()
    by_ledger = ("variances",) if certificate.ledger is not None else ()
    differ = tuple(
        name
        for name, value in before.choices.as_dict().items()
        if value != after[name] and name not in by_ledger
    )
    if differ != certificate.exploratory:
        names = ", ".join(differ) or "none differs"
        yield f"choices are not those of the draw ({names}), or exploratory is wrong"
    stops = before.choices.is_anytime or before.choices.counted == "recall"
    whole = len(tally.validation) == before.labels or stops
    if not whole or len(tally.train) != before.train:
        yield "tallies are not of as many nodes as were drawn"
