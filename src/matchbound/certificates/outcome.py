"""What a verification found, and the words for it."""

from dataclasses import dataclass
from enum import StrEnum

from matchbound.certificates.record import VERSION
from matchbound.reprs import brief


class Outcome(StrEnum):
    """What a verification says. What cannot be checked is raised as an error instead."""

    VERIFIED = "verified"
    CONSISTENT = "consistent in itself"
    CONTRADICTED = "contradicted"
    UNMET = "requirement not met"
    MISSING = "missing"


@dataclass(frozen=True)
class Verification:
    """What differs (nothing, for a good certificate), what was checked, what was not at hand.

    `unmet` are requirements that the certificate does not meet. `grown` says what was added to the
    audit since, `sealed` up to which entry its ledger is sealed. `repair` says what to run where a
    crash left the ledger unfinished: `verify` writes nothing. `version` is the certificate's. Of an
    audit folder, `certificate` is the file that was verified, and `release` its release. Nothing is
    checked if no file has the certificate; `missing` then says which that is.
    """

    differences: tuple[str, ...]
    checked: tuple[str, ...]
    missing: tuple[str, ...]
    repair: str = ""
    version: int = VERSION
    grown: str = ""
    unmet: tuple[str, ...] = ()
    sealed: str = ""
    certificate: str = ""
    release: str | None = None

    @property
    def outcome(self) -> Outcome:
        """Whether it is contradicted, or else meets its requirements, or else lacks inputs."""
        if self.differences:
            return Outcome.CONTRADICTED
        if self.unmet:
            return Outcome.UNMET
        if self.missing:
            return Outcome.CONSISTENT if self.checked else Outcome.MISSING
        return Outcome.VERIFIED

    @property
    def holds(self) -> bool:
        """Whether nothing contradicts it; `outcome` says whether all inputs were there."""
        return not self.differences

    def __repr__(self) -> str:
        return brief(self, str(self))

    def __str__(self) -> str:
        first, *rest = self._heading()
        return "\n".join([first, *self._subject(), *rest, *self._notes()])

    def _subject(self) -> list[str]:
        """What was verified, if an audit folder was given."""
        lines = [f"Certificate: {self.certificate}"] if self.certificate else []
        return lines + ([f"Release: {self.release}"] if self.release else [])

    def _heading(self) -> list[str]:
        """The outcome in words, then what it rests on."""
        checked = f"{'; '.join(self.checked)}."
        if self.outcome is Outcome.CONTRADICTED:
            return _listed("Contradicted", self.differences)
        if self.outcome is Outcome.UNMET:
            return [*_listed("Requirement not met", self.unmet), *self._basis(checked)]
        if self.outcome is Outcome.MISSING:
            return [f"Missing: {self.missing[0]}. Put the file back, or certify again."]
        if self.outcome is Outcome.CONSISTENT:
            return self._basis(checked)
        since = f", {self.grown}" if self.grown else ""
        if self.version == 1:
            since = " by version 1's rules, with its tallies as it states them"
        return [f"Verified{since}: {checked}"]

    def _basis(self, checked: str) -> list[str]:
        lines = [f"Checked: {checked}"]
        if self.missing:
            missing = ", ".join(self.missing)
            lines.insert(0, f"Consistent in itself, inputs missing: {missing}.")
        return lines

    def _notes(self) -> list[str]:
        notes = [note for note in (self.repair, self.sealed) if note]
        if self.grown and self.outcome is not Outcome.VERIFIED:
            notes.append(f"{self.grown[0].upper()}{self.grown[1:]}.")
        if self.version == 1:
            notes.append(
                "It is of version 1: its tallies are not counted again from its inputs, nor its "
                "sample drawn again."
            )
        return notes


def _listed(outcome: str, reasons: tuple[str, ...]) -> list[str]:
    """One reason on the first line, several below it."""
    if len(reasons) == 1:
        return [f"{outcome}: {reasons[0]}"]
    return [f"{outcome}: {len(reasons)} reasons.", *(f"  - {reason}" for reason in reasons)]
