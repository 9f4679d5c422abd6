"""Compute a certificate again: from its own tallies, and from its inputs where they are at hand."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.audits import Draw, read_journal
from matchbound.certificates import version1
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.contradictions import contradictions
from matchbound.certificates.inputs import at_hand, file_differences
from matchbound.certificates.place import ledger_differences, ledger_of, unfinished_ledger
from matchbound.certificates.record import VERSION, Record
from matchbound.certificates.recount import recount_differences
from matchbound.engines import Progress
from matchbound.errors import MatchboundError
from matchbound.files import hashing_once, is_folder

if TYPE_CHECKING:
    from os import PathLike


@dataclass(frozen=True)
class Verification:
    """What differs (nothing, for a good certificate), what was checked, what was not at hand.

    `repair` says what to run where a crash left the ledger unfinished: `verify` writes nothing.
    `version` is the certificate's.
    """

    differences: tuple[str, ...]
    checked: tuple[str, ...]
    missing: tuple[str, ...]
    repair: str = ""
    version: int = VERSION

    @property
    def holds(self) -> bool:
        return not self.differences

    def __str__(self) -> str:
        if not self.holds:
            listed = [f"  - {difference}" for difference in self.differences]
            return "\n".join(["The certificate does not verify:", *listed, *self._notes()])
        lines = [f"The certificate verifies: {'; '.join(self.checked)}.", *self._notes()]
        if self.missing:
            lines.append(f"Not at hand, so not checked: {', '.join(self.missing)}.")
        return "\n".join(lines)

    def _notes(self) -> list[str]:
        notes = [self.repair] if self.repair else []
        if self.version == 1:
            notes.append(
                "It is of version 1: its tallies are not counted again from its inputs, nor its "
                "sample drawn again."
            )
        return notes


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
        record, path = target.record, Path("certificate.json")
    else:
        path = Path(target)
        path = path / "certificate.json" if is_folder(path) else path
        record = Record.read(path)
    try:
        if record.version == 1:
            return _verify_version1(record, path)
        return _verify(record, path, memory, temp, progress)
    except MatchboundError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        problem = f"certificate holds what matchbound does not write ({error!r})"
        return Verification((*record.changed(), problem), ("its digests",), ())


def _verify(
    record: Record, path: Path, memory: str | None, temp: Any, progress: Progress
) -> Verification:
    checked = ["its digests", "its guarantees, from its tallies"]
    try:
        certificate = Certificate.of(record)
    except MatchboundError as error:
        differences = list(record.changed())
        if not differences:
            raise
        return Verification((*differences, str(error)), tuple(checked), ())
    differences = list(contradictions(record, certificate))
    journal = read_journal(path.parent)
    paths, missing = at_hand(certificate, path.parent, journal)
    differences += file_differences(certificate, paths, journal)
    differences += draw_differences(certificate, paths)
    ledger, repair = ledger_of(path, paths), ""
    in_ledger: list[str] = []
    if certificate.ledger is not None and ledger is not None:
        repair = unfinished_ledger(ledger)
        in_ledger = list(ledger_differences(certificate, certificate.ledger, ledger))
        checked.append("its place in the ledger")
    elif certificate.ledger is not None:
        missing.append("ledger")
    if not missing and not differences:
        differences += recount_differences(certificate, paths, memory, temp, progress)
        checked.append("its tallies, from its inputs")
        if "draw" in paths:
            checked.append("its draw, from the seed")
    differences += in_ledger
    return Verification(tuple(differences), tuple(checked), tuple(missing), repair)


def _verify_version1(record: Record, path: Path) -> Verification:
    """Verify a certificate of version 1; its tallies are not counted again from its inputs."""
    checked = ["its digests", "its guarantees, from its tallies, by version 1's rules"]
    try:
        certificate = version1.Certificate.of(record)
    except MatchboundError as error:
        differences = list(record.changed())
        if not differences:
            raise
        return Verification((*differences, str(error)), tuple(checked), (), version=1)
    differences = list(version1.contradictions(record, certificate))
    paths, missing = version1.at_hand(certificate, path.parent)
    differences += version1.file_differences(certificate, paths)
    if "draw" in paths:
        differences += version1.draw_differences(certificate, paths["draw"])
        checked.append("its choices, from its draw")
    ledger = version1.ledger_of(path, paths)
    if certificate.ledger is not None and ledger is not None:
        differences += version1.ledger_differences(certificate, certificate.ledger, ledger)
        checked.append("its place in the ledger, by today's rules")
    elif certificate.ledger is not None:
        missing.append("ledger")
    return Verification(tuple(differences), tuple(checked), tuple(missing), version=1)


def draw_differences(certificate: Certificate, paths: Mapping[str, Path]) -> Iterator[str]:
    """Yield what is not as the draw fixed it, if the draw is at hand."""
    tally = next(iter(certificate.tallies.values()))
    if "draw" not in paths:
        return
    try:
        before = Draw.load(paths["draw"].parent)
    except MatchboundError as error:
        yield f"inputs.draw: {error}"
        return
    drawn = certificate.inputs.draw
    if drawn is None or before.seed_given != drawn.seed_given:
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
    stops = before.choices.is_anytime or before.choices.until_true is not None
    whole = len(tally.validation) == before.labels or stops
    if not whole or len(tally.train) != before.train:
        yield "tallies are not of as many nodes as were drawn"
