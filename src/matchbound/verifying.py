"""Compute a certificate again: from its own tallies, and from its inputs where they are at hand."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.certificates import (
    SHORT,
    Certificate,
    advise,
    digest_of,
    from_record,
    leaves,
    read_record,
)
from matchbound.certifying import certify
from matchbound.errors import MatchboundError
from matchbound.files import digest_of_file
from matchbound.sampling import Draw, draw
from matchbound.theorems import guarantees

if TYPE_CHECKING:
    from os import PathLike


@dataclass(frozen=True)
class Verification:
    """What differs (nothing, for a good certificate), what was checked, what was not at hand."""

    differences: tuple[str, ...]
    checked: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        if not self.holds:
            return "\n".join(["The certificate does not verify:", *self._listed(self.differences)])
        lines = [f"The certificate verifies: {', '.join(self.checked)}."]
        if self.missing:
            lines.append(f"Not at hand, so not checked: {', '.join(self.missing)}.")
        return "\n".join(lines)

    @staticmethod
    def _listed(lines: tuple[str, ...]) -> list[str]:
        return [f"  - {line}" for line in lines]


def verify(target: "str | PathLike[str]") -> Verification:
    """Verify the certificate in an audit folder, or a certificate.json alone."""
    path = Path(target)
    path = path / "certificate.json" if path.is_dir() else path
    record = read_record(path)
    differences = list(_changed(record))
    checked, missing = ["its digest", "its guarantees, from its tallies"], []
    try:
        certificate = from_record(record)
    except MatchboundError as error:
        return Verification((*differences, str(error)), tuple(checked), ())
    differences += _recomputed(certificate)
    places = {name: _at_hand(certificate.inputs[name], path) for name in certificate.inputs}
    for name, place in places.items():
        if place is None:
            missing.append(name)
        elif digest_of_file(place) != certificate.inputs[name]["digest"]:
            differences.append(f"inputs.{name}: {str(place)!r} is not the file that was certified")
    if not missing and not differences:
        differences += _recounted(certificate, places)
        checked.append("its tallies, from its inputs")
        if "draw" in places:
            checked.append("its draw, from the seed")
    return Verification(tuple(differences), tuple(checked), tuple(missing))


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


def _recomputed(certificate: Certificate) -> Iterator[str]:
    """What does not follow from the tallies."""
    tally, choices = certificate.tallies, certificate.choices
    try:
        again = guarantees(tally, choices, complete="complete" in certificate.inputs)
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
    if certificate.advice != advise(tally, choices):
        yield "advice is not what the tallies give"


def _at_hand(source: Mapping[str, Any], certificate: Path) -> Path | None:
    """The file that an input came from: where it was, or beside the certificate."""
    if source["path"] is None:
        return None
    given = Path(source["path"])
    for place in (given, certificate.parent / given, certificate.parent / given.name):
        if place.is_file():
            return place
    return None


def _recounted(certificate: Certificate, places: Mapping[str, Path | None]) -> Iterator[str]:
    """What does not follow from the inputs."""
    inputs = certificate.inputs
    given: dict[str, Any] = {
        name: places.get(name) for name in ("population", "holdout", "complete", "labels")
    }
    drawn = places.get("draw")
    if drawn is not None:
        given["audit"] = drawn.parent
        yield from _redrawn(Draw.load(drawn.parent), given["population"])
    else:
        given |= certificate.choices.as_dict()
        given |= {"assume_uniform": True, "trained_on": places.get("trained_on")}
        given["id"] = inputs["population"]["id"]
        del given["other_terms"]
    try:
        again = certify(**given, threshold=inputs["holdout"]["threshold"], unlabelled="worst")
    except MatchboundError as error:
        yield f"inputs give no certificate: {error}"
        return
    said, found = certificate.as_dict(), again.as_dict()
    for name, value in found["choices"].items():
        if said["choices"][name] != value:
            yield f"choices.{name} is {said['choices'][name]!r}, the draw has {value!r}"
    for name, value in found["tallies"].items():
        if said["tallies"][name] != value:
            yield f"tallies.{name} is not what the inputs give"


def _redrawn(before: Draw, population: Any) -> Iterator[str]:
    again = draw(
        population,
        labels=before.labels,
        train=before.train,
        seed=before.seed,
        id=before.population["id"],
    )
    if again.sample != before.sample:
        yield "sample.csv is not what the seed draws"
