"""Compute a certificate again: from its own tallies, and from its inputs where they are at hand."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.certificates import (
    SHORT,
    Certificate,
    digest_of,
    from_record,
    leaves,
    read_record,
)
from matchbound.certifying import compute, on_record
from matchbound.errors import MatchboundError
from matchbound.files import digest_of_file, find_file, is_file, is_folder
from matchbound.ledger import append, read_ledger, repair
from matchbound.matching import Matching
from matchbound.parts import parts
from matchbound.sampling import Draw, Progress, draw
from matchbound.standing import certified, standing
from matchbound.theorems import choose_threshold, guarantees
from matchbound.words import advise

if TYPE_CHECKING:
    from os import PathLike

MATCHING = ("dedupe", "link", "source")


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


def verify(
    target: "str | PathLike[str] | Certificate",
    *,
    memory: str | None = None,
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
    differences += _strange(record, certificate)
    differences += _recomputed(certificate)
    places, missing = _at_hand(certificate, path.parent)
    differences += _other_files(certificate, places)
    differences += _other_draw(certificate, places)
    ledger, repaired = _ledger_of(certificate, path, places), ""
    elsewhere: list[str] = []
    if ledger is not None:
        repaired = _repaired(certificate, ledger)
        elsewhere = list(_other_ledger(certificate, ledger))
        checked.append("its place in the ledger")
    elif certificate.ledger is not None:
        missing.append("ledger")
    if not missing and not differences:
        differences += _recounted(certificate, places, memory, progress)
        checked.append("its tallies, from its inputs")
        if "draw" in places:
            checked.append("its draw, from the seed")
    differences += elsewhere
    return Verification(tuple(differences), tuple(checked), tuple(missing), repaired)


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
    if choices.one_to_one and any((t or 0) > 1 for _, t, _ in nodes):
        yield "tallies hold a node with several true matches, which choices.one_to_one excludes"
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
        found = [] if source["path"] is None else find_file(source["path"], folder)
        fitting = [place for place in found if digest_of_file(place) == source["digest"]]
        if found:
            places[name] = (fitting or found)[0]
        else:
            missing.append(name)
    return places, missing


def _other_files(certificate: Certificate, places: Mapping[str, Path]) -> Iterator[str]:
    for name, place in places.items():
        if digest_of_file(place) != certificate.inputs[name]["digest"]:
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
    after = certificate.choices.as_dict()
    differ = tuple(name for name, value in before.choices.as_dict().items() if value != after[name])
    if differ != certificate.exploratory:
        names = ", ".join(differ) or "none differs"
        yield f"choices are not those of the draw ({names}), or exploratory is wrong"
    stops = before.choices.is_anytime or before.choices.counted == "recall"
    whole = len(tally.validation) == before.labels or stops
    if not whole or len(tally.train) != before.train:
        yield "tallies are not of as many nodes as were drawn"


def _ledger_of(certificate: Certificate, path: Path, places: Mapping[str, Path]) -> Path | None:
    """The folder of the ledger: the certificate's own, or the draw's."""
    if certificate.ledger is None:
        return None
    beside = [path.parent, *([places["draw"].parent] if "draw" in places else [])]
    found = [folder for folder in beside if is_file(folder / "ledger.jsonl")] or beside[1:]
    return found[0] if found else None


def _repaired(certificate: Certificate, folder: Path) -> str:
    """Cut off what a crash left; if that was this certificate's own entry, make it again."""
    try:
        ledger = read_ledger(folder)
    except MatchboundError:
        return ""
    if not ledger.unfinished or ledger.problems:
        return ""
    repair(folder)
    said = certificate.ledger or {}
    if (said["entries"], said["head"]) == (len(ledger.entries), ledger.head):
        digest = certificate.as_dict()["digest"]
        append(folder, "certificate", certificate=digest, **_issued(certificate))
        return "The ledger's last line was unfinished: this certificate's entry was made again."
    return "The ledger's last line was unfinished (a crash): it was cut off."


def _other_ledger(certificate: Certificate, folder: Path) -> Iterator[str]:
    """What the ledger says otherwise."""
    try:
        ledger = read_ledger(folder)
    except MatchboundError as error:
        yield str(error)
        return
    if ledger.problems:
        yield from (f"ledger.jsonl: {problem}" for problem in ledger.problems)
        return
    said, digest = certificate.ledger or {}, certificate.as_dict()["digest"]
    before = ledger.entries[: said["entries"]]
    entry = next((e for e in ledger.of_kind("certificate") if e["certificate"] == digest), None)
    if entry is None:
        yield f"ledger.jsonl: entry {said['entries'] + 1}, this certificate's, is missing"
    elif entry["entry"] <= said["entries"] or standing(before, _issued(certificate)) != said:
        yield "ledger is not what the entries before this certificate give"
    draws = [e["draw"] for e in ledger.of_kind("draw")]
    try:
        if Draw.load(folder).as_dict()["digest"] not in draws:
            yield "ledger.jsonl has no entry of this draw"
    except MatchboundError:
        return  # said already


def _issued(certificate: Certificate) -> dict[str, Any]:
    return certified(certificate.inputs, certificate.choices, certificate.exploratory)


def _recounted(
    certificate: Certificate, places: Mapping[str, Path], memory: str | None, progress: Progress
) -> Iterator[str]:
    """What does not follow from the inputs."""
    inputs, choices = certificate.inputs, certificate.choices
    population = inputs["population"]
    first = next(source for name, source in inputs.items() if name.partition(" ")[0] == "holdout")
    audit = places["draw"].parent if "draw" in places else None
    changes = choices.as_dict()
    matching = Matching()
    try:
        if audit is not None:
            yield from _redrawn(Draw.load(audit), places, first, memory, progress)
            changes = {name: changes[name] for name in certificate.exploratory}
        else:
            matching = Matching(**{name: population[name] for name in MATCHING})
        again = compute(
            audit,
            holdout=_given(places, "holdout"),
            complete=_given(places, "complete"),
            labels=places["labels"],
            threshold=None if choices.bands or choices.candidates else first["threshold"],
            unlabelled=_unlabelled(certificate),
            population=places["population"],
            id=population["id"] if audit is None else None,
            trained_on=places.get("trained_on"),
            columns=first["columns"],
            matching=matching,
            changes=changes,
            memory=memory,
            progress=progress,
        )
        if certificate.ledger is not None:
            again = on_record(again, certificate.ledger)
    except (MatchboundError, KeyError) as error:
        yield f"inputs give no certificate: {error}"
        return
    said, found = dict(leaves(certificate.as_dict())), dict(leaves(again.as_dict()))
    for place in sorted(said.keys() | found.keys()):
        if place == "digest" or place.startswith("digests.") or place.endswith(".path"):
            continue
        if said.get(place) != found.get(place):
            yield f"{place} is not what the inputs give"


def _given(places: Mapping[str, Path], role: str) -> Any:
    """The file of a matcher, or those of several algorithms by name; None if there is none."""
    if role in places:
        return places[role]
    several = {
        name.removeprefix(f"{role} "): place
        for name, place in places.items()
        if name.startswith(f"{role} ")
    }
    return several or None


def _unlabelled(certificate: Certificate) -> str:
    """How unlabelled nodes were taken: only where there are some does it matter."""
    tally = next(iter(certificate.tallies.values()))
    some = any(t is None for _, t, _ in (*tally.train, *tally.validation))
    return "worst" if some else "refuse"


def _redrawn(
    before: Draw,
    places: Mapping[str, Path],
    holdout: Mapping[str, Any],
    memory: str | None,
    progress: Progress,
) -> Iterator[str]:
    choices = before.choices
    banded = bool(choices.bands or choices.candidates)
    by = {
        "holdout": places.get("holdout"),
        "threshold": None if banded else holdout["threshold"],
        "columns": holdout["columns"],
    }
    again = draw(
        places["population"],
        labels=None if choices.counted == "precision" else before.labels,
        train=before.train,
        seed=before.seed,
        id=before.population["id"],
        **before.matching.as_dict(),
        **(by if before.holdout is not None else {}),
        **choices.as_dict(),
        memory=memory,
        progress=progress,
    )
    if again.sample != before.sample:
        yield "sample.csv is not what the seed draws"
    if again.gap != before.gap:
        yield "gap.csv is not what the seed draws"
