"""The audit folder of a version-1 certificate: its draw as it was, its ledger by today's rules."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from matchbound.audits import Entry, Issued, Standing, ledger_or_problems, standing
from matchbound.certificates.version1.certificate import Certificate
from matchbound.certificates.version1.choices import Choices
from matchbound.certificates.version1.inputs import Input, Place
from matchbound.errors import MatchboundError
from matchbound.files import digest_of_file, digest_of_text, find_file, read_json, read_text
from matchbound.tables import Digest, Reading, Recorded

ROWS = "rows:"  # how the digest of a table in memory begins
KEEP = ("entries", "head", "registered", "certificates", "other_labels", "labelled")
"""What today's rules must give as version 1 had it."""


def at_hand(certificate: Certificate, folder: Path) -> tuple[dict[str, Path], list[str]]:
    """Find the files of the inputs, by their digests if several have the name; list the missing."""
    paths, missing = {}, []
    for name, source in certificate.inputs.items():
        path, in_memory = source.path, source.digest.startswith(ROWS)
        files = [] if path is None or in_memory else find_file(path, folder)
        fitting = [file for file in files if digest_of_file(file) == source.digest]
        if files:
            paths[name] = (fitting or files)[0]
        else:
            missing.append(name)
    return paths, missing


def file_differences(certificate: Certificate, paths: Mapping[str, Path]) -> Iterator[str]:
    """Yield what the files at hand, and the population's size, contradict."""
    for name, path in paths.items():
        if digest_of_file(path) != certificate.inputs[name].digest:
            yield f"inputs.{name}: {str(path)!r} is not the file that was certified"
    size = next(iter(certificate.tallies.values())).size
    population = certificate.inputs.get("population")
    recorded = None if population is None else population.size
    if recorded != size:
        yield f"inputs.population.size is {recorded!r}, the tallies' {size}"


def draw_differences(certificate: Certificate, path: Path) -> Iterator[str]:
    """Yield what is not as draw.json and sample.csv have it."""
    tally = next(iter(certificate.tallies.values()))
    try:
        record = read_json(read_text(path, "audit", "Restore it."))
        sample = read_text(path.parent / "sample.csv", "audit", "Restore it.")
        body = {name: value for name, value in record.items() if name != "digest"}
        if record["digest"] != digest_of_text(json.dumps(body, sort_keys=True)):
            yield "draw.json was changed"
        if record["sample_digest"] != digest_of_text(sample):
            yield "sample.csv was changed"
        fixed, labels, train = (
            Choices.from_dict(record["choices"]),
            record["labels"],
            record["train"],
        )
        rows = list(csv.DictReader(io.StringIO(sample, newline="")))
        drawn = [sum(bool(row[name]) for row in rows) for name in ("validation", "train")]
    except (MatchboundError, KeyError, TypeError, ValueError, AttributeError) as error:
        yield f"inputs.draw: {error}"
        return
    now = certificate.choices
    differ = tuple(n for n in record["choices"] if getattr(fixed, n) != getattr(now, n))
    if differ != certificate.exploratory:
        names = ", ".join(differ) or "none differs"
        yield f"choices are not those of the draw ({names}), or exploratory is wrong"
    stops = fixed.bound == "anytime" or fixed.counted == "recall"
    whole = len(tally.validation) == labels or stops
    if not whole or len(tally.train) != train or drawn != [labels, train]:
        yield "tallies are not of as many nodes as were drawn"


def ledger_differences(certificate: Certificate, recorded: Place, folder: Path) -> Iterator[str]:
    """Yield what today's rules give otherwise from the entries before the certificate."""
    ledger, problems = ledger_or_problems(folder)
    yield from problems
    if problems:
        return
    issued = _issued(certificate)
    own = next((e for e in ledger.entries if e.get("certificate") == certificate.digest), None)
    if own is None:
        yield f"ledger.jsonl: entry {recorded.entries + 1}, this certificate's, is missing"
        return
    if own["entry"] != recorded.entries + 1 or any(own.get(n) != v for n, v in issued.items()):
        yield f"ledger.jsonl: entry {own['entry']} is not as this certificate has it"
        return
    try:
        entries = _as_now(ledger.entries[: own["entry"] - 1], certificate.choices)
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


def _as_now(entries: Sequence[Entry], choices: Choices) -> list[Entry]:
    """Version 1's entries as today's are: draws have more facts, and tables two digests."""
    more = {
        "seed_given": False,
        "delta": choices.delta,
        "several": max(len(choices.algorithms), 1),
        "second": False,
    }
    return [{**(more if entry["kind"] == "draw" else {}), **_facts_now(entry)} for entry in entries]


def _facts_now(entry: Entry) -> Entry:
    """An entry whose tables have today's digests; a draw's `labels` are a number."""
    if entry["kind"] in ("register", "watch"):
        return {**entry, "holdout": _matcher_now(entry["holdout"]).as_dict()}
    if entry["kind"] == "certificate":
        return {**entry, **_issued_now(entry).as_dict()}
    if entry["kind"] == "label":
        return {**entry, "label": {name: entry[name] for name in ("node", "matches", "note")}}
    if entry["kind"] == "labels":
        return {**entry, "labels": _digest_now(entry["labels"]).as_dict()}
    return entry


def _issued_now(facts: Entry) -> Issued:
    return Issued(
        [_matcher_now(one) for one in facts["holdout"]],
        [_matcher_now(one) for one in facts["complete"]],
        _digest_now(facts["labels"]),
        facts["delta"],
        facts["is_sampled"],
        facts["exploratory"],
    )


def _matcher_now(record: Any) -> Recorded:
    reading = Reading(record["columns"] or {}, record["threshold"])
    return Recorded(record["name"], _digest_now(record["digest"]), reading)


def _digest_now(text: str) -> Digest:
    """Version 1 had one digest, of a file's bytes or of a whole table.

    It takes the bytes' place: two outputs are the same if it is, and they are read alike.
    """
    return Digest(None, text)


def _issued(certificate: Certificate) -> Entry:
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
