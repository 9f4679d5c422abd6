"""A certificate's place in the ledger, checked."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from matchbound.audits import (
    Draw,
    Entry,
    Ledger,
    Seeded,
    Standing,
    Weights,
    is_sealed,
    planned,
    read_ledger,
    standing,
)
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.history import History
from matchbound.certificates.reach import Reach
from matchbound.files import is_file
from matchbound.tables import Digest, is_same_table
from matchbound.theorems import WHOLE

LEDGER = "ledger.jsonl"


def history_of(length: int | None, digest: str, reach: Reach, drawn: Path | None) -> History:
    """The ledger that a certificate has its place in: beside it, of its draw, or under `inputs`.

    `length` is after how many entries it says that it came, `drawn` the draw's file. A certificate
    that names no ledger has one only if it stands beside it, or its draw does.
    """
    near = [] if reach.certificate is None else [reach.folder]
    near += [] if drawn is None else [drawn.parent]
    folders = [folder for folder in near if is_file(folder / LEDGER)]
    if length is not None and not folders:
        folders = sorted(
            (path.parent for path in reach.find_files(LEDGER)),
            key=lambda folder: digest not in {e.get("certificate") for e in _read(folder, reach)},
        )
    if not folders:
        return History()
    reach.check(folders[0])
    return History(folders[0], read_ledger(folders[0]), length or 0)


def _read(folder: Path, reach: Reach) -> Sequence[Entry]:
    reach.check(folder)
    return read_ledger(folder).entries


def unfinished_ledger(history: History, certificate: Path | None) -> str:
    """What to do about a line that a crash left unfinished; empty if there is none.

    `certificate` is the file that is verified: the line may be its entry.
    """
    ledger, folder = history.ledger, history.folder
    if folder is None or not ledger.unfinished or ledger.problems:
        return ""
    words = ["matchbound", "repair", str(folder)]
    if certificate is not None and certificate.resolve().parent != folder.resolve():
        words += ["--certificate", str(certificate)]
    return f"The ledger's last line is unfinished (a crash). Run: {shlex.join(words)}"


def unplaced(history: History, draw: str | None) -> Iterator[str]:
    """Yield if a certificate that names no ledger stands where there is one.

    `draw` is the path of its draw.json, if it has one: wherever that is written, a ledger is.
    """
    if history.folder is None and draw is not None:
        yield f"ledger is null, but {draw} is of a folder, and every folder has a ledger"
    elif history.folder is not None:
        yield (
            f"ledger is null, but there is one, {str(history.folder / LEDGER)!r}: whatever is "
            "certified from its folder has its place there"
        )


def ledger_differences(
    certificate: Certificate, recorded: Standing, history: History, draw: Draw | None
) -> Iterator[str]:
    """Yield what the ledger has otherwise than the certificate, and than how it stands."""
    ledger, before = history.ledger, history.before
    yield from (f"{LEDGER}: {problem}" for problem in ledger.problems)
    if ledger.problems:
        return
    if history.ends_early:
        yield (
            f"{LEDGER} has {len(ledger.entries)} entries, and this certificate is entry "
            f"{recorded.entries + 1}"
        )
        return
    digest = certificate.as_dict()["digest"]
    entry = next((e for e in ledger.of_kind("certificate") if e["certificate"] == digest), None)
    if entry is None:
        yield from _out_of_order(ledger, recorded.seeded)
        yield f"{LEDGER}: entry {recorded.entries + 1}, this certificate's, is missing"
    elif entry["entry"] != recorded.entries + 1 or any(
        entry.get(name) != value for name, value in certificate.issued().as_dict().items()
    ):
        yield f"{LEDGER}: entry {entry['entry']} is not as this certificate has it"
    elif not _stands(recorded, certificate, history):
        yield from _out_of_order(ledger, recorded.seeded)
        yield "ledger is not what the entries before this certificate give"
    yield from _weight_differences(certificate, history)
    yield from _part_differences(certificate, history)
    if draw is not None:
        yield from entered_otherwise(draw, ledger)
        yield from _plan_differences(certificate, draw, before)


def entered_otherwise(draw: Draw, ledger: Ledger) -> Iterator[str]:
    """Yield which entries of the draw and of its choices are not as draw.json has them."""
    entry = next((e for e in ledger.of_kind("draw") if e.get("draw") == draw.digest), None)
    if entry is None:
        yield f"{LEDGER} has no entry of this draw"
        return
    number = entry.get("choices")
    fixed = {
        "population": draw.population.digest.as_dict(),
        "size": draw.population.size,
        "within": None if draw.within is None else draw.within.fixed,
        "matching": draw.matching.as_dict(),
        "train": draw.train,
        "train_seed": draw.train_seed,
        "trained_on": None if draw.trained_on is None else draw.trained_on.digest.as_dict(),
        "choices": draw.choices.as_dict(),
        "seed": draw.seed if draw.seed_given else None,
    }
    if not all(_is_same(name, entry.get(name), value) for name, value in draw.facts().items()):
        yield f"{LEDGER}: entry {entry['entry']} is not as draw.json has it"
    elif number is not None:
        before = ledger.entries[number - 1] if 0 < number < entry["entry"] else {}
        if draw.labels and not all(
            _is_same(name, before.get(name), value) for name, value in fixed.items()
        ):
            yield f"{LEDGER}: entry {number} is not the choices that draw.json has"


def _is_same(name: str, entered: Any, fixed: Any) -> bool:
    """Whether a fact of an entry is as fixed; tables are compared by their rows.

    A commitment that nobody can open contradicts nothing.
    """
    if is_sealed(entered) or is_sealed(fixed):
        return True
    if name == "within" and entered is not None and fixed is not None:
        is_as_large = entered["size"] == fixed["size"]
        return is_as_large and _is_same("population", entered["digest"], fixed["digest"])
    if name in ("population", "trained_on"):
        return is_same_table(Digest.if_any(entered), Digest.if_any(fixed))
    return bool(entered == fixed)


def _plan_differences(
    certificate: Certificate, draw: Draw, entries: Sequence[Entry]
) -> Iterator[str]:
    """Planning values that neither the draw nor the matcher's registration has."""
    variances = dict(certificate.choices.variances)
    fixed = dict(draw.choices.variances) or planned(entries, certificate.issued().holdout)
    if variances != fixed and "variances" not in certificate.exploratory:
        yield "choices.variances are not what the draw or the ledger has"


def _weight_differences(certificate: Certificate, history: History) -> Iterator[str]:
    """Weights, or a draw without any, that are not what was entered before the seed was made."""
    choices, entered, digest = certificate.choices, history.choices, None
    if choices.weigh:
        digest = Weights.in_tally(certificate.tallies[WHOLE], choices).digest
    if entered is not None and entered["weights"] != digest:
        yield f"{LEDGER}: entry {entered['entry']} has other weights than the tallies give"


def _part_differences(certificate: Certificate, history: History) -> Iterator[str]:
    """A part of the population, or none, that is not what was entered before the seed was made."""
    within, entered = certificate.inputs.within, history.choices
    fixed = None if within is None else within.fixed
    if entered is not None and not _is_same("within", entered["within"], fixed):
        yield f"{LEDGER}: entry {entered['entry']} has another part of the population"


def _stands(recorded: Standing, certificate: Certificate, history: History) -> bool:
    """Whether the certificate stands so after the entries before it."""
    try:
        stands = standing(history.before, certificate.issued(), history.journal.salted)
    except (KeyError, IndexError, TypeError):  # as if no draw is among them
        return False
    return comparable(stands, history) == comparable(recorded, history)


def comparable(stands: Standing, history: History) -> Standing:
    """What of a standing can be compared: how labels came about only where they can be opened."""
    return stands if history.opens_labels else replace(stands, labelled=None)


def _out_of_order(ledger: Ledger, seeded: Seeded | None) -> Iterator[str]:
    """Yield which entries that the certificate names are not of a matcher, choices and a seed."""
    for kind, number in () if seeded is None else asdict(seeded).items():
        entry = ledger.entries[number - 1] if 0 < number <= len(ledger.entries) else {}
        if entry.get("kind") != kind:
            yield (
                f"{LEDGER}: entry {number} is not the {kind} that this certificate names, so "
                "the seed is not shown to come after the matcher"
            )
