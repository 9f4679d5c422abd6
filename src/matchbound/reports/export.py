"""What an auditor needs of an audit folder, without records, ids and the seed."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from matchbound.audits import LEDGER, Journal, Opening, is_sealed, sound_ledger
from matchbound.certificates import Certificate, Record
from matchbound.errors import InputError, MatchboundError
from matchbound.files import read_json, write_folder, write_whole
from matchbound.reports.page import page

if TYPE_CHECKING:
    from os import PathLike

VERSION = 2  # certificates of version 1 have paths of the machine


def export(
    audit: "str | PathLike[str]", out: "str | PathLike[str]", *, redacted: bool = False
) -> Path:
    """Write a folder that holds no person's data: ledger, certificates on record, seals, reports.

    It has no list of nodes, no label and no seed. `verify` checks it as far as that goes.
    """
    folder, place = Path(audit), Path(out)
    if not redacted:
        raise InputError(
            "redacted must be said, got an export without it: the audit folder itself is the "
            "whole, with every id and the seed. Use --redacted, or copy the folder."
        )
    ledger = sound_ledger(folder)
    if ledger.unfinished:
        raise InputError(
            "audit must hold a ledger whose last line is finished, got one that a crash cut off. "
            f"Run: matchbound repair {folder}"
        )
    on_record = {one["certificate"] for one in ledger.of_kind("certificate")}
    files: dict[str, bytes] = {LEDGER: (folder / LEDGER).read_bytes()[: ledger.size]}
    for path, record in _certificates(folder):
        if record.version == VERSION and record.content.get("digest") in on_record:
            name = "report.html" if path.name == "certificate.json" else f"{path.stem}.html"
            files[path.name] = path.read_bytes()
            files[name] = page(Certificate.of(record), {}).encode()
    for pattern in ("*.seal", "*.seal.sig"):
        files |= {path.name: path.read_bytes() for path in sorted(folder.glob(pattern))}
    write_folder(place, files)
    return place


def _certificates(folder: Path) -> Iterator[tuple[Path, Record]]:
    for path in sorted(folder.glob("*.json")):
        try:
            yield path, Record.read(path)
        except MatchboundError:
            continue


def export_openings(
    audit: "str | PathLike[str]", entries: Sequence[int], out: "str | PathLike[str]"
) -> Path:
    """Write the lines of journal.jsonl that open these entries of the ledger, for an auditor.

    Put beside the export as journal.jsonl, they let `verify` open these entries and no others.
    """
    folder, place = Path(audit), Path(out)
    ledger, lines = sound_ledger(folder), []
    for number in entries:
        is_there = 0 < number <= len(ledger.entries)
        openings = _openings(folder, number, ledger.journal) if is_there else []
        if not openings:
            raise InputError(
                f"openings must be entries with something that the journal opens, got {number}. "
                "Leave it out: it has nothing sealed, or that was erased."
            )
        lines += [opening.line for opening in openings]
    write_whole({place: b"".join(dict.fromkeys(lines))}, force=False)
    return place


def _openings(folder: Path, number: int, journal: Journal) -> list[Opening]:
    """What opens the commitments of an entry, as far as the journal has it."""
    entry = read_json((folder / LEDGER).read_bytes().split(b"\n")[number - 1].decode())
    commitments = [value["sealed"] for value in entry.values() if is_sealed(value)]
    return [opening for opening in map(journal.get, commitments) if opening is not None]
