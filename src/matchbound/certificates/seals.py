"""Seals of a ledger, checked: what others kept shows whether its entries were made anew."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matchbound.audits import Seal, check_signers, seals_in, signer_of
from matchbound.certificates.history import History
from matchbound.certificates.reach import Reach
from matchbound.errors import InputError


@dataclass(frozen=True)
class Sealed:
    """What seals show: against the ledger, against what is required, and up to which entry."""

    differences: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()
    words: str = ""


NOT_COMPARED = "No seal was compared: the ledger is not at hand."


def check_seals(
    history: History, reach: Reach, given: Sequence[Path], signers: Path | None
) -> Sealed:
    """Compare the ledger with the seals that were given and those that are beside it.

    With a file of allowed `signers`, one of the seals must be signed by one of them.
    """
    if signers is not None:
        check_signers(signers)
    seals = {path: Seal.read(path) for path in given}
    if history.folder is None or history.ledger.problems:
        return Sealed(words=NOT_COMPARED if seals or signers is not None else "")
    differences = []
    for path in filter(reach.leads_in, seals_in(history.folder)):
        try:
            seals.setdefault(path, Seal.read(path))
        except InputError:
            differences.append(f"{path.name} is not as `matchbound seal` wrote it")
    fitting = {}
    for path, seal in seals.items():
        broken = seal.broken_by(history.ledger.entries)
        if broken:
            differences.append(f"{path.name} shows that the ledger was changed: {broken}")
        else:
            fitting[path] = seal
    by = {path: signer_of(path, signers) for path in fitting} if signers is not None else {}
    signed = {path: seal for path, seal in fitting.items() if by.get(path)}
    unsigned = "no seal of this ledger is signed by one of the signers"
    unmet = (unsigned,) if signers is not None and not signed else ()
    return Sealed(tuple(differences), unmet, _words(signed or fitting, by))


def _words(seals: dict[Path, Seal], by: dict[Path, str | None]) -> str:
    """The latest seal in words."""
    if not seals:
        return ""
    path = max(seals, key=lambda one: seals[one].entries)
    who = f", signed by {by[path]}" if by.get(path) else ""
    return f"Sealed up to entry {seals[path].entries} ({path.name}, {seals[path].time}{who})."
