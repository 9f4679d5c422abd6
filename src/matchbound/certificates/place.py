"""A certificate's place in the ledger, checked; and what a crash left there, repaired."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from matchbound.audits import (
    Draw,
    Entry,
    Ledger,
    certified,
    planned,
    read_ledger,
    standing,
    transaction,
)
from matchbound.certificates.certificate import Certificate
from matchbound.errors import MatchboundError
from matchbound.files import is_file
from matchbound.tables import is_same_table


def ledger_of(certificate: Certificate, path: Path, places: Mapping[str, Path]) -> Path | None:
    """The folder of the ledger: the certificate's own, or the draw's."""
    if certificate.ledger is None:
        return None
    beside = [path.parent, *([places["draw"].parent] if "draw" in places else [])]
    found = [folder for folder in beside if is_file(folder / "ledger.jsonl")] or beside[1:]
    return found[0] if found else None


def repaired_ledger(certificate: Certificate, folder: Path) -> str:
    """Cut off what a crash left; if that was this certificate's own entry, make it again."""
    try:
        ledger = read_ledger(folder)
    except MatchboundError:
        return ""
    if not ledger.unfinished or ledger.problems:
        return ""
    said = certificate.ledger or {}
    with transaction(folder) as locked:
        if not locked.was_cut:  # another process was writing that line
            return ""
        if (said["entries"], said["head"]) == (len(ledger.entries), ledger.head):
            digest = certificate.as_dict()["digest"]
            locked.add("certificate", certificate=digest, **_issued(certificate))
            return "The ledger's last line was unfinished: this certificate's entry was made again."
    return "The ledger's last line was unfinished (a crash): it was cut off."


def other_ledger(certificate: Certificate, folder: Path) -> Iterator[str]:
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
        yield from _out_of_order(ledger, said["seeded"])
        yield f"ledger.jsonl: entry {said['entries'] + 1}, this certificate's, is missing"
    elif entry["entry"] != said["entries"] + 1 or any(
        entry.get(name) != value for name, value in _issued(certificate).items()
    ):
        yield f"ledger.jsonl: entry {entry['entry']} is not as this certificate has it"
    elif _standing(before, certificate) != said:
        yield from _out_of_order(ledger, said["seeded"])
        yield "ledger is not what the entries before this certificate give"
    try:
        draw = Draw.load(folder)
        yield from _other_draw(draw, ledger)
        yield from _other_plan(certificate, draw, before)
    except MatchboundError:
        return  # said already


def _other_draw(draw: Draw, ledger: Ledger) -> Iterator[str]:
    """What the ledger's entries of a draw, and of its choices, say otherwise."""
    entry = next((e for e in ledger.of_kind("draw") if e.get("draw") == draw.digest), None)
    if entry is None:
        yield "ledger.jsonl has no entry of this draw"
        return
    number = entry.get("choices")
    fixed = {
        "population": draw.population["digest"],
        "size": draw.population["size"],
        "matching": draw.matching.as_dict(),
        "train": draw.train,
        "train_seed": draw.train_seed,
        "trained_on": None if draw.trained_on is None else draw.trained_on["digest"],
        "choices": draw.choices.as_dict(),
        "seed": draw.seed if draw.seed_given else None,
    }
    if any(entry.get(name) != value for name, value in draw.facts().items()):
        yield f"ledger.jsonl: entry {entry['entry']} is not as draw.json has it"
    elif number is not None:
        before = ledger.entries[number - 1] if 0 < number < entry["entry"] else {}
        if draw.labels and not all(_is_as_fixed(name, before, fixed) for name in fixed):
            yield f"ledger.jsonl: entry {number} is not the choices that draw.json has"


def _is_as_fixed(name: str, entry: Mapping[str, Any], fixed: Mapping[str, Any]) -> bool:
    if name in ("population", "trained_on"):
        return is_same_table(entry.get(name), fixed[name])
    return bool(entry.get(name) == fixed[name])


def _other_plan(certificate: Certificate, draw: Draw, entries: Sequence[Entry]) -> Iterator[str]:
    """Planning values that neither the draw nor the matcher's registration has."""
    variances = dict(certificate.choices.variances)
    fixed = dict(draw.choices.variances) or planned(entries, _issued(certificate)["holdout"])
    if variances != fixed and "variances" not in certificate.exploratory:
        yield "choices.variances are not what the draw or the ledger has"


def _standing(entries: Sequence[Entry], certificate: Certificate) -> dict[str, Any] | None:
    """How the certificate stands after these entries; None if no draw is among them."""
    try:
        return standing(entries, _issued(certificate))
    except (KeyError, IndexError, TypeError):
        return None


def _out_of_order(ledger: Ledger, seeded: Mapping[str, int] | None) -> Iterator[str]:
    """The entries named by a certificate, of matcher, choices and seed, that are other ones."""
    for kind, number in (seeded or {}).items():
        entry = ledger.entries[number - 1] if 0 < number <= len(ledger.entries) else {}
        if entry.get("kind") != kind:
            yield (
                f"ledger.jsonl: entry {number} is not the {kind} that this certificate names, so "
                "the seed is not shown to come after the matcher"
            )


def _issued(certificate: Certificate) -> dict[str, Any]:
    return certified(certificate.inputs, certificate.choices, certificate.exploratory)
