"""What an auditor needs of an audit folder, without records, ids and the seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from matchbound.audits import (
    LEDGER,
    Journal,
    Opening,
    certificate_files,
    is_sealed,
    sound_ledger,
)
from matchbound.certificates import Certificate, Record
from matchbound.errors import InputError, MatchboundError
from matchbound.files import is_there, read_json, write_folder, write_whole
from matchbound.reports.page import page
from matchbound.reprs import brief

if TYPE_CHECKING:
    from os import PathLike


@dataclass(frozen=True)
class Export:
    """The folder that was written, how many certificates it has, and which were left out."""

    folder: Path
    certificates: int
    left_out: tuple[str, ...]

    def __repr__(self) -> str:
        return brief(self, str(self))

    def __str__(self) -> str:
        text = f"The export is in {self.folder}."
        if not self.certificates:
            text += " It has no certificate, because none of this audit's could be copied."
        return text + (f" Left out: {'; '.join(self.left_out)}." if self.left_out else "")


def export(
    audit: "str | PathLike[str]", out: "str | PathLike[str]", *, redacted: bool = False
) -> Export:
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
    entered = ledger.of_kind("certificate")
    found, left_out = _certificates(folder, {one["certificate"] for one in entered})
    copied = {record.content["digest"] for record in found.values()}
    elsewhere = [str(one["entry"]) for one in entered if one["certificate"] not in copied]
    if elsewhere:
        left_out.append(f"certificates of entries {', '.join(elsewhere)} (no such file here)")
    files: dict[str, bytes] = {LEDGER: (folder / LEDGER).read_bytes()[: ledger.size]}
    for path, record in found.items():
        name = path.relative_to(folder)
        shown = "report.html" if path.name == "certificate.json" else f"{path.stem}.html"
        files[name.as_posix()] = path.read_bytes()
        files[name.with_name(shown).as_posix()] = page(Certificate.of(record), {}).encode()
    for pattern in ("*.seal", "*.seal.sig"):
        files |= {path.name: path.read_bytes() for path in sorted(folder.glob(pattern))}
    write_folder(place, files)
    return Export(place, len(found), tuple(left_out))


def _certificates(folder: Path, on_record: set[str]) -> tuple[dict[Path, Record], list[str]]:
    """The folder's certificates that are on record; those that are left out, and why."""
    found: dict[Path, Record] = {}
    left_out = []
    for path in certificate_files(folder):
        try:
            record = Record.read(path)
        except MatchboundError:
            continue
        if record.version == 1 and "guarantees" in record.content:
            left_out.append(f"{path.name} (of version 1, with paths of this machine)")
        elif record.content.get("digest") in on_record:
            found[path] = record
        elif "guarantees" in record.content:
            left_out.append(f"{path.name} (not on record here)")
    return found, left_out


def export_openings(
    audit: "str | PathLike[str]", entries: Sequence[int], out: "str | PathLike[str]"
) -> Path:
    """Write the lines of journal.jsonl that open these entries of the ledger, for an auditor.

    Put beside the export as journal.jsonl, they let `verify` open these entries and no others.
    """
    folder, place = Path(audit), Path(out)
    if is_there(place):
        raise InputError(f"out must not exist yet, got {str(place)!r}. Choose another place.")
    ledger, lines = sound_ledger(folder), []
    for number in entries:
        is_entry = 0 < number <= len(ledger.entries)
        openings = _openings(folder, number, ledger.journal) if is_entry else []
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
