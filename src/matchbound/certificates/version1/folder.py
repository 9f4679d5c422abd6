"""A version-1 certificate's place in the ledger, by today's rules.

A folder that was moved to version 2 keeps version 1's ledger in a file of its own.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from matchbound.audits import (
    LEDGER,
    OLD_LEDGER,
    Entry,
    Issued,
    Ledger,
    Standing,
    is_sealed,
    ledger_or_problems,
    standing,
)
from matchbound.certificates.version1.certificate import Certificate
from matchbound.certificates.version1.choices import Choices
from matchbound.certificates.version1.inputs import Input, Place
from matchbound.files import digest_of_file, is_file
from matchbound.tables import Digest, Reading, Recorded

KEEP = ("entries", "head", "registered", "certificates", "other_labels", "labelled")
"""What today's rules must give as version 1 had it."""


def has_ledger(folder: Path | None) -> bool:
    """Whether a folder has version 1's ledger: its own, or the copy that a moved folder keeps."""
    return folder is not None and is_file(folder / _name(folder))


def _name(folder: Path) -> str:
    """The file that has version 1's ledger."""
    ledger, _ = ledger_or_problems(folder)
    return OLD_LEDGER if ledger.is_moved else LEDGER


def version1_ledger(folder: Path) -> Ledger:
    """Version 1's ledger; empty if it is not there or was changed."""
    ledger, problems = ledger_or_problems(folder, _name(folder))
    return Ledger() if problems else ledger


def _replaced(folder: Path) -> Iterator[str]:
    """Yield if the old ledger of a moved folder is not the one that was moved."""
    ledger, _ = ledger_or_problems(folder)
    digest = ledger.entries[0]["ledger"] if ledger.is_moved else {"sealed": ""}
    if not is_sealed(digest) and digest != digest_of_file(folder / OLD_LEDGER):
        yield f"{OLD_LEDGER} is not the ledger that was moved"


def ledger_differences(certificate: Certificate, recorded: Place, folder: Path) -> Iterator[str]:
    """Yield what today's rules give otherwise from the entries before the certificate."""
    name = _name(folder)
    ledger, problems = ledger_or_problems(folder, name)
    yield from (*problems, *_replaced(folder))
    if problems:
        return
    issued = issued_facts(certificate)
    own = next((e for e in ledger.entries if e.get("certificate") == certificate.digest), None)
    if own is None:
        yield f"{name}: entry {recorded.entries + 1}, this certificate's, is missing"
        return
    if own["entry"] != recorded.entries + 1 or any(own.get(n) != v for n, v in issued.items()):
        yield f"{name}: entry {own['entry']} is not as this certificate has it"
        return
    try:
        entries = as_now(ledger.entries[: own["entry"] - 1], certificate.choices)
        recomputed = standing(entries, _issued_now(issued))
    except (KeyError, IndexError, TypeError):
        yield "ledger is not what the entries before this certificate give"
        return
    yield from _standing_differences(recorded, recomputed)


def _standing_differences(recorded: Place, recomputed: Standing) -> Iterator[str]:
    """Other rules may give a larger probability, or count fewer matchers: that contradicts none."""
    for name in KEEP:
        if getattr(recorded, name) != getattr(recomputed, name):
            yield f"ledger.{name} is not what the entries before this certificate give"
    if recorded.together > recomputed.together:
        yield (
            f"ledger.together is {recorded.together!r}; by today's rules all that is on record "
            f"holds together with probability {recomputed.together!r}"
        )
    if recorded.matchers < recomputed.matchers:
        yield (
            f"ledger.matchers is {recorded.matchers!r}; by today's rules "
            f"{recomputed.matchers!r} matchers are on record or were looked at"
        )


def as_now(entries: Sequence[Entry], choices: Choices) -> list[Entry]:
    """Version 1's entries as today's are: draws have more facts, and tables two digests."""
    more = {
        "seed_given": False,
        "delta": choices.delta,
        "several": max(len(choices.algorithms), 1),
        "second": False,
    }
    return [{**(more if entry["kind"] == "draw" else {}), **facts_now(entry)} for entry in entries]


def facts_now(entry: Entry) -> Entry:
    """An entry whose tables have today's digests; a draw's `labels` are a number."""
    if entry["kind"] in ("register", "watch"):
        return {**entry, "holdout": matcher_now(entry["holdout"]).as_dict()}
    if entry["kind"] == "certificate":
        return {**entry, **_issued_now(entry).as_dict()}
    if entry["kind"] == "label":
        return {**entry, "label": {name: entry[name] for name in ("node", "matches", "note")}}
    if entry["kind"] == "labels":
        return {**entry, "labels": _digest_now(entry["labels"]).as_dict()}
    return entry


def _issued_now(facts: Entry) -> Issued:
    return Issued(
        [matcher_now(one) for one in facts["holdout"]],
        [matcher_now(one) for one in facts["complete"]],
        _digest_now(facts["labels"]),
        facts["delta"],
        facts["is_sampled"],
        facts["exploratory"],
    )


def matcher_now(record: Any) -> Recorded:
    reading = Reading(record["columns"] or {}, record["threshold"], clusters=False)
    return Recorded(record["name"], _digest_now(record["digest"]), reading)


def _digest_now(text: str) -> Digest:
    """Version 1 had one digest, of a file's bytes or of a whole table.

    It takes the bytes' place: two outputs are the same if it is, and they are read alike.
    """
    return Digest(None, text)


def issued_facts(certificate: Certificate) -> Entry:
    """What version 1 entered of a certificate, besides its digest."""
    inputs = certificate.inputs.values()
    return {
        "holdout": [_matcher(one) for one in inputs if one.role == "holdout"],
        "complete": [_matcher(one) for one in inputs if one.role == "complete"],
        "labels": certificate.inputs["labels"].digest,
        "delta": certificate.choices.delta,
        "is_sampled": certificate.choices.is_sampled,
        "exploratory": list(certificate.exploratory),
    }


def _matcher(output: Input) -> Entry:
    """A matcher's output as version 1 entered it."""
    return {
        "name": output.algorithm,
        "digest": output.digest,
        "threshold": output.threshold,
        "columns": output.columns,
    }
