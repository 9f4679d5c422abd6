"""Compute a certificate again: from its own tallies, and from its inputs where they are at hand."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.audits import Draw
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.contradictions import contradictions
from matchbound.certificates.place import ledger_differences, ledger_of, repaired_ledger
from matchbound.certificates.record import changed, read_record
from matchbound.certificates.recount import recount_differences
from matchbound.engines import ROWS, Progress
from matchbound.errors import MatchboundError
from matchbound.files import digest_of_file, find_file, is_folder

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
            return "\n".join(["The certificate does not verify:", *listed, *self._repairs()])
        lines = [f"The certificate verifies: {'; '.join(self.checked)}.", *self._repairs()]
        if self.missing:
            lines.append(f"Not at hand, so not checked: {', '.join(self.missing)}.")
        return "\n".join(lines)

    def _repairs(self) -> list[str]:
        return [self.repaired] if self.repaired else []


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
    try:
        certificate = Certificate.from_record(record)
    except MatchboundError as error:
        differences = list(changed(record))
        if not differences:
            raise
        return Verification((*differences, str(error)), tuple(checked), ())
    differences = list(contradictions(record, certificate))
    paths, missing = _at_hand(certificate, path.parent)
    differences += file_differences(certificate, paths)
    differences += draw_differences(certificate, paths)
    ledger, repaired = ledger_of(certificate, path, paths), ""
    in_ledger: list[str] = []
    if ledger is not None:
        repaired = repaired_ledger(certificate, ledger)
        in_ledger = list(ledger_differences(certificate, ledger))
        checked.append("its place in the ledger")
    elif certificate.ledger is not None:
        missing.append("ledger")
    if not missing and not differences:
        differences += recount_differences(certificate, paths, memory, temp, progress)
        checked.append("its tallies, from its inputs")
        if "draw" in paths:
            checked.append("its draw, from the seed")
    differences += in_ledger
    return Verification(tuple(differences), tuple(checked), tuple(missing), repaired)


def _at_hand(certificate: Certificate, folder: Path) -> tuple[dict[str, Path], list[str]]:
    """Find the files of the inputs, by digest if several have the name; list those missing."""
    paths, missing = {}, []
    for name, source in certificate.inputs.items():
        is_file = source["path"] is not None and not source["digest"].startswith(ROWS)
        files = find_file(source["path"], folder) if is_file else []
        fitting = [file for file in files if digest_of_file(file) == source["digest"]]
        if files:
            paths[name] = (fitting or files)[0]
        else:
            missing.append(name)
    return paths, missing


def file_differences(certificate: Certificate, paths: Mapping[str, Path]) -> Iterator[str]:
    """Yield the files that are not those that were certified."""
    for name, path in paths.items():
        if digest_of_file(path) != certificate.inputs[name]["digest"]:
            yield f"inputs.{name}: {str(path)!r} is not the file that was certified"


def draw_differences(certificate: Certificate, paths: Mapping[str, Path]) -> Iterator[str]:
    """Yield what is not as the draw fixed it, if the draw is at hand."""
    tally = next(iter(certificate.tallies.values()))
    population = certificate.inputs.get("population", {})
    if population.get("size") != tally.size:
        yield f"inputs.population.size is {population.get('size')!r}, the tallies' {tally.size}"
    if "draw" not in paths:
        return
    try:
        before = Draw.load(paths["draw"].parent)
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
