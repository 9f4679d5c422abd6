"""The files of a version-1 certificate, found again.

In a folder that was moved to version 2, the draw may have grown since, and so may labels; what the
folder had of a person may have been erased.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from matchbound.audits import OLD_DRAW, Book, Ledger, join_orders, ledger_or_problems
from matchbound.certificates.reach import Reach
from matchbound.certificates.version1.certificate import Certificate
from matchbound.certificates.version1.choices import Choices
from matchbound.certificates.version1.folder import as_now, version1_ledger
from matchbound.errors import MatchboundError
from matchbound.files import (
    csv_text,
    digest_of_file,
    digest_of_text,
    read_json,
    read_text,
)

ROWS = "rows:"  # how the digest of a table in memory begins


def at_hand(certificate: Certificate, reach: Reach) -> tuple[dict[str, Path], list[str]]:
    """Find the files of the inputs, by their digests if several have the name; list the missing.

    What was erased, or stands in another file since the folder was moved, is missing.
    """
    paths, missing = {}, []
    for name, source in certificate.inputs.items():
        path, in_memory = source.path, source.digest.startswith(ROWS)
        files = [] if path is None or in_memory else reach.find_files(path)
        if name == "draw":
            files += reach.find_files(OLD_DRAW)
        fitting = [file for file in files if digest_of_file(file) == source.digest]
        if fitting or (files and not _may_differ(name, files[0].parent)):
            paths[name] = (fitting or files)[0]
        else:
            missing.append(name)
    return paths, missing


def _may_differ(name: str, folder: Path) -> bool:
    """Whether an input was lawfully replaced or rewritten since the certificate was issued."""
    if name not in ("draw", "labels"):
        return False
    ledger, _ = ledger_or_problems(folder)
    return _is_erased(ledger) or (name == "draw" and ledger.is_moved)


def _is_erased(ledger: Ledger) -> bool:
    """Whether something of a person was erased from the files beside this ledger."""
    return ledger.is_moved and bool(ledger.of_kind("forget"))


def file_differences(certificate: Certificate, paths: Mapping[str, Path]) -> Iterator[str]:
    """Yield what the files at hand, and the population's size, contradict."""
    for name, path in paths.items():
        if digest_of_file(path) == certificate.inputs[name].digest:
            continue
        if not (name == "labels" and _has_grown(certificate, path)):
            yield f"inputs.{name}: {str(path)!r} is not the file that was certified"
    size = next(iter(certificate.tallies.values())).size
    population = certificate.inputs.get("population")
    recorded = None if population is None else population.size
    if recorded != size:
        yield f"inputs.population.size is {recorded!r}, the tallies' {size}"


def _has_grown(certificate: Certificate, path: Path) -> bool:
    """Whether the page wrote the labels that were certified, and those that are there now."""
    then, now = version1_ledger(path.parent), ledger_or_problems(path.parent)[0]
    before = 0 if certificate.ledger is None else certificate.ledger.entries
    try:
        certified = Book.of(as_now(then.entries[:before], certificate.choices))
        latest = now.entries if now.is_moved else as_now(now.entries, certificate.choices)
        states = [digest_of_text(book.to_csv()) for book in (certified, Book.of(latest))]
    except (KeyError, TypeError):
        return False
    return states == [certificate.inputs["labels"].digest, digest_of_file(path)]


def draw_differences(certificate: Certificate, path: Path) -> Iterator[str]:
    """Yield what is not as draw.json and sample.csv have it."""
    tally = next(iter(certificate.tallies.values()))
    try:
        record = read_json(read_text(path, "audit", "Restore it."))
        sample = read_text(path.parent / "sample.csv", "audit", "Restore it.")
        body = {name: value for name, value in record.items() if name != "digest"}
        if record["digest"] != digest_of_text(json.dumps(body, sort_keys=True)):
            yield "draw.json was changed"
        fixed, labels, train = (
            Choices.from_dict(record["choices"]),
            record["labels"],
            record["train"],
        )
        rows = list(csv.DictReader(io.StringIO(sample, newline="")))
        trained, validated = _in_order(rows, "train"), _in_order(rows, "validation")
        ledger, _ = ledger_or_problems(path.parent)
        if ledger.is_moved:  # it may have grown since
            validated = validated[:labels]
            sample = csv_text(["id", "train", "validation"], join_orders(trained, validated))
        if record["sample_digest"] != digest_of_text(sample) and not _is_erased(ledger):
            yield "sample.csv was changed"
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
    is_drawn = _is_erased(ledger) or (len(validated), len(trained)) == (labels, train)
    if not whole or len(tally.train) != train or not is_drawn:
        yield "tallies are not of as many nodes as were drawn"


def _in_order(rows: Sequence[Mapping[str, str]], role: str) -> list[str]:
    """The nodes of a role in their own order."""
    return [node for _, node in sorted((int(row[role]), row["id"]) for row in rows if row[role])]
