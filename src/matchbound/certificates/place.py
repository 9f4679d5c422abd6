"""A certificate's place in the ledger, checked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from matchbound.audits import (
    Draw,
    Entry,
    Issued,
    Ledger,
    Seeded,
    Standing,
    ledger_or_problems,
    planned,
    standing,
)
from matchbound.certificates.certificate import Certificate
from matchbound.errors import MatchboundError
from matchbound.files import is_file
from matchbound.tables import Digest, is_same_table


def ledger_of(path: Path, paths: Mapping[str, Path]) -> Path | None:
    """The folder of the ledger: the certificate's own, or the draw's."""
    beside = [path.parent, *([paths["draw"].parent] if "draw" in paths else [])]
    folders = [folder for folder in beside if is_file(folder / "ledger.jsonl")] or beside[1:]
    return folders[0] if folders else None


def unfinished_ledger(folder: Path) -> str:
    """What to do about a line that a crash left unfinished; empty if there is none."""
    ledger, problems = ledger_or_problems(folder)
    if not ledger.unfinished or problems:
        return ""
    return f"The ledger's last line is unfinished (a crash). Run: matchbound repair {folder}"


def ledger_differences(certificate: Certificate, recorded: Standing, folder: Path) -> Iterator[str]:
    """Yield what the ledger has otherwise than the certificate, and than how it stands."""
    ledger, problems = ledger_or_problems(folder)
    yield from problems
    if problems:
        return
    digest = certificate.as_dict()["digest"]
    before = ledger.entries[: recorded.entries]
    entry = next((e for e in ledger.of_kind("certificate") if e["certificate"] == digest), None)
    if entry is None:
        yield from _out_of_order(ledger, recorded.seeded)
        yield f"ledger.jsonl: entry {recorded.entries + 1}, this certificate's, is missing"
    elif entry["entry"] != recorded.entries + 1 or any(
        entry.get(name) != value for name, value in _issued(certificate).as_dict().items()
    ):
        yield f"ledger.jsonl: entry {entry['entry']} is not as this certificate has it"
    elif _standing(before, certificate, ledger) != recorded:
        yield from _out_of_order(ledger, recorded.seeded)
        yield "ledger is not what the entries before this certificate give"
    try:
        draw = Draw.load(folder)
        yield from _draw_differences(draw, ledger)
        yield from _plan_differences(certificate, draw, before)
    except MatchboundError:
        return  # the draw's own check names it


def _draw_differences(draw: Draw, ledger: Ledger) -> Iterator[str]:
    """Yield which entries of the draw and of its choices are not as draw.json has them."""
    entry = next((e for e in ledger.of_kind("draw") if e.get("draw") == draw.digest), None)
    if entry is None:
        yield "ledger.jsonl has no entry of this draw"
        return
    number = entry.get("choices")
    fixed = {
        "population": draw.population.digest.as_dict(),
        "size": draw.population.size,
        "matching": draw.matching.as_dict(),
        "train": draw.train,
        "train_seed": draw.train_seed,
        "trained_on": None if draw.trained_on is None else draw.trained_on.digest.as_dict(),
        "choices": draw.choices.as_dict(),
        "seed": draw.seed if draw.seed_given else None,
    }
    if any(entry.get(name) != value for name, value in draw.facts().items()):
        yield f"ledger.jsonl: entry {entry['entry']} is not as draw.json has it"
    elif number is not None:
        before = ledger.entries[number - 1] if 0 < number < entry["entry"] else {}
        if draw.labels and not all(
            _is_same(name, before.get(name), value) for name, value in fixed.items()
        ):
            yield f"ledger.jsonl: entry {number} is not the choices that draw.json has"


def _is_same(name: str, entered: Any, fixed: Any) -> bool:
    """Whether a fact of an entry is as fixed; tables are compared by their rows."""
    if name in ("population", "trained_on"):
        return is_same_table(Digest.if_any(entered), Digest.if_any(fixed))
    return bool(entered == fixed)


def _plan_differences(
    certificate: Certificate, draw: Draw, entries: Sequence[Entry]
) -> Iterator[str]:
    """Planning values that neither the draw nor the matcher's registration has."""
    variances = dict(certificate.choices.variances)
    fixed = dict(draw.choices.variances) or planned(entries, _issued(certificate).holdout)
    if variances != fixed and "variances" not in certificate.exploratory:
        yield "choices.variances are not what the draw or the ledger has"


def _standing(
    entries: Sequence[Entry], certificate: Certificate, ledger: Ledger
) -> Standing | None:
    """How the certificate stands after these entries; None if no draw is among them."""
    try:
        return standing(entries, _issued(certificate), ledger.journal.salted)
    except (KeyError, IndexError, TypeError):
        return None


def _out_of_order(ledger: Ledger, seeded: Seeded | None) -> Iterator[str]:
    """Yield which entries that the certificate names are not of a matcher, choices and a seed."""
    for kind, number in () if seeded is None else asdict(seeded).items():
        entry = ledger.entries[number - 1] if 0 < number <= len(ledger.entries) else {}
        if entry.get("kind") != kind:
            yield (
                f"ledger.jsonl: entry {number} is not the {kind} that this certificate names, so "
                "the seed is not shown to come after the matcher"
            )


def _issued(certificate: Certificate) -> Issued:
    return Issued.of(certificate.inputs, certificate.choices, certificate.exploratory)
