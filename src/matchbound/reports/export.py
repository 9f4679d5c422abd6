"""What an auditor needs of an audit folder, without records, ids and the seed."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from matchbound.audits import sound_ledger
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
    files: dict[str, str | bytes] = {"ledger.jsonl": (folder / "ledger.jsonl").read_bytes()}
    for path, record in _certificates(folder):
        if record.version == VERSION and record.content.get("digest") in on_record:
            name = "report.html" if path.name == "certificate.json" else f"{path.stem}.html"
            files[path.name] = path.read_bytes()
            files[name] = page(Certificate.of(record), {})
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
    journal, lines = sound_ledger(folder).journal, []
    sealed = [read_json(line) for line in (folder / "ledger.jsonl").read_text("utf-8").splitlines()]
    for number in entries:
        entry = sealed[number - 1] if 0 < number <= len(sealed) else {}
        commitments = [
            one["sealed"] for one in entry.values() if isinstance(one, dict) and "sealed" in one
        ]
        openings = [opening for opening in map(journal.get, commitments) if opening is not None]
        if not openings:
            raise InputError(
                f"openings must be entries with something that the journal opens, got {number}. "
                "Leave it out: it has nothing sealed, or that was erased."
            )
        lines += [opening.line for opening in openings]
    write_whole({place: b"".join(dict.fromkeys(lines))}, force=False)
    return place
