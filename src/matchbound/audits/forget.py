"""A person's ids erased from every file of an audit folder; the ledger says that it was done."""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from matchbound.audits.audit import Audit
from matchbound.audits.draw import PARTS
from matchbound.audits.erasure import Erasure
from matchbound.audits.folder import refuse_unfinished
from matchbound.audits.journal import Journal, Opening
from matchbound.audits.labels import labels_in_folder
from matchbound.audits.ledger import Entry, Transaction, transaction
from matchbound.audits.naming import Ids
from matchbound.audits.shown import enter_labels, is_shown, salted_by_place
from matchbound.errors import AssumptionError, InputError, MatchboundError, UnfinishedError
from matchbound.files import (
    alone,
    is_file,
    is_folder,
    read_json,
    remove,
    remove_left_over,
    undone_on_error,
    write_whole,
)
from matchbound.reprs import brief

if TYPE_CHECKING:
    from os import PathLike

UNDER_WAY = "forget.json"
"""A file that is there while `forget` runs: which entry it made, and a commitment to the ids."""


@dataclass(frozen=True)
class Forgotten:
    """How many ids were erased, and how many drawn nodes count as the worst case for it.

    `still_in` are files of the folder that hold an id and are not matchbound's. `certificates` is
    the number of those issued before, which have counts of the erased labels, and `version1` are
    those of version 1, which have digests of labels without a salt. `noted` of the nodes have a
    label that named an id in its note alone. `uncompared` is the entry in the ledger if results
    had been shown and the labels could not be read: later ones cannot be compared with them.
    """

    ids: int
    nodes: int
    still_in: tuple[str, ...] = ()
    certificates: int = 0
    version1: tuple[str, ...] = ()
    noted: int = 0
    uncompared: int = 0

    def __repr__(self) -> str:
        return brief(self, str(self))

    def __str__(self) -> str:
        ids = "1 id is" if self.ids == 1 else f"{self.ids} ids are"
        nodes = "1 drawn node counts" if self.nodes == 1 else f"{self.nodes} drawn nodes count"
        text = f"{ids} erased from the audit; {nodes} as the worst case from now on"
        text += f", {self.noted} of them because of a note alone." if self.noted else "."
        if self.nodes and self.certificates:
            text += (
                " Certificates issued before stay valid and have the counts of these nodes' "
                "matches, without ids: docs/privacy.md says what they reveal."
            )
        if self.uncompared:
            text += (
                f" The labels could not be compared around an erasure (entry {self.uncompared}), "
                "after results had been shown: new certificates from this draw meet no --require."
            )
        if self.version1:
            text += (
                f" By certificates of version 1 ({', '.join(self.version1)}) an erased label can "
                "be guessed: keep them elsewhere."
            )
        if self.still_in:
            text += f" These files still hold them: {', '.join(self.still_in)}."
        return text


def forget(audit: "str | PathLike[str]", ids: Sequence[str], *, reason: str = "") -> Forgotten:
    """Erase ids from every file of an audit folder, with all labels that name one.

    The ledger gets an entry with the number of ids, the places of the drawn nodes that count as the
    worst case from now on, and the reason; it names no id. The entry comes first, so a run that was
    killed is finished by another with the same ids.
    """
    wanted, folder = _checked(ids, reason), Path(audit)
    if not is_folder(folder):
        raise InputError(
            f"audit must be a folder, got {str(audit)!r}, which is no folder. Give the folder that "
            "`matchbound draw --out` wrote."
        )
    with transaction(folder) as ledger, alone(folder):
        refuse_unfinished(folder, ledger.entries)
        _refuse_links(folder)
        _take_up_salt(ledger)
        erasure = Erasure.of(folder, ledger, wanted, secrets.token_hex(16))
        entry = _interrupted(ledger, erasure)
        if entry is None:
            erasure.refuse_unknown(ledger.entries[-1])
            entry = _enter(ledger, erasure, reason)
        elif "by_place" in entry:  # its digests have the salt that the run before made
            erasure = Erasure.of(folder, ledger, wanted, str(ledger.journal.salt))
        _carry_out(folder, erasure)
        certificates = {e["certificate"] for e in ledger.entries if e["kind"] == "certificate"}
        still_in = tuple(_still_in(folder, wanted, certificates))
        version1 = tuple(path.name for path in folder.glob("*.json") if _is_version1(path))
        mark = _mark(folder)
    _unmark(folder, mark)
    issued = len(certificates)
    nodes, noted = len(entry["places"]), erasure.noted
    unread = entry["entry"] if entry.get("by_place", ()) is None else 0
    return Forgotten(entry["count"], nodes, still_in, issued, version1, noted, unread)


def _checked(ids: Sequence[str], reason: str) -> Ids:
    if isinstance(ids, str) or not ids or not all(isinstance(one, str) and one for one in ids):
        raise InputError(
            f"ids must be a list of texts, none of them empty, got {ids!r}. Give some."
        )
    if any("\ud800" <= letter <= "\udfff" for letter in reason):
        raise InputError(f"reason must be UTF-8 text, got {reason!r}. Write it again.")
    wanted = Ids(tuple(dict.fromkeys(ids)))
    if wanted.in_text(reason):
        raise InputError(
            "reason must not name an id, because the ledger keeps it for good, got one that does. "
            "Say it in other words."
        )
    return wanted


def _refuse_links(folder: Path) -> None:
    """Refuse a link to a file elsewhere: that file would keep what is erased here."""
    for name in PARTS:
        if (folder / name).is_symlink():
            raise InputError(
                f"audit must hold {name} itself, got a link to a file elsewhere, which would keep "
                "what is erased here. Put the file in its place."
            )


def _take_up_salt(ledger: Transaction) -> None:
    """Go on with the salt of labels of a run that was interrupted after it had made its entry."""
    try:
        record = read_json((ledger.folder / UNDER_WAY).read_text("utf-8"))
        entry, salt = ledger.entries[record["entry"] - 1], record["salt of labels"]
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return
    if entry["kind"] == "forget" and isinstance(salt, str):
        ledger.journal.salt = salt


def _interrupted(ledger: Transaction, erasure: Erasure) -> Entry | None:
    """The entry of a run with the same ids that was interrupted after it had made it, if any."""
    path = ledger.folder / UNDER_WAY
    try:
        record = read_json(path.read_text("utf-8"))
        entry = ledger.entries[record["entry"] - 1]
        is_same = _commitment(record["salt"], erasure.ids) == record["ids"]
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    return entry if is_same and entry["kind"] == "forget" and not erasure.places else None


def _commitment(salt: str, ids: Ids) -> str:
    return Opening(salt, "ids", sorted(ids.values)).commitment


def _enter(ledger: Transaction, erasure: Erasure, reason: str) -> Entry:
    """Put on record, for good, that ids are erased; nothing is erased before that."""
    opening, marker = Opening.new("ids", sorted(erasure.ids.values)), ledger.folder / UNDER_WAY
    by_place = _by_place(ledger, erasure)
    record = {"entry": len(ledger.entries) + 1, "salt": opening.salt, "ids": opening.commitment}
    record["salt of labels"] = erasure.salt
    places, count = sorted(erasure.places), len(erasure.ids.values)
    with undone_on_error([marker]):
        write_whole({marker: json.dumps(record) + "\n"}, force=True)
        facts = {"places": places, "records": erasure.records, "count": count, "reason": reason}
        entry = ledger.add("forget", **facts, **by_place)
        ledger.commit(final=True)
    return entry


def _by_place(ledger: Transaction, erasure: Erasure) -> dict[str, list[str] | None]:
    """The digests of the labels that are left, with their new salt, if results had been shown.

    The labels are entered before, with the old salt: so whoever changes labels and then erases
    somebody is found out as without that. None if the labels cannot be read: erasing comes first.
    """
    if erasure.salt is None or not is_shown(ledger.entries):
        return {}
    try:
        audit = Audit.open(ledger.folder)
        labels = labels_in_folder(audit)
    except (AssumptionError, InputError):  # not of a full disk: that is to be repeated
        return {"by_place": None}
    enter_labels(ledger, labels, audit.drawn.train)
    journal, nodes = Journal(), enumerate(labels.nodes, start=1)
    journal.salt = erasure.salt
    left = ["" if place in erasure.places else one for place, one in nodes]
    return {"by_place": salted_by_place(journal.salted, left)}


def _carry_out(folder: Path, erasure: Erasure) -> None:
    try:
        for name, content in erasure.contents.items():
            if content is None:
                remove(folder / name)
            else:
                write_whole({folder / name: content}, force=True)
        remove_left_over(folder)
    except (MatchboundError, OSError) as error:
        raise _unfinished(error) from None


def _unfinished(error: Exception) -> UnfinishedError:
    return UnfinishedError(
        f"the erasure is on record, but {error} Then repeat the command with the same ids: it "
        "erases the rest."
    )


def _mark(folder: Path) -> bytes | None:
    path = folder / UNDER_WAY
    return path.read_bytes() if is_file(path) else None


def _unmark(folder: Path, mark: bytes | None) -> None:
    """Remove the mark of this run at the very end: until then the same command is repeated."""
    try:
        if mark is not None and _mark(folder) == mark:
            remove(folder / UNDER_WAY)
    except OSError as error:
        raise _unfinished(error) from None


def _still_in(folder: Path, ids: Ids, certificates: set[str]) -> Iterator[str]:
    """The files of the folder that are not matchbound's own and hold an id.

    `certificates` are the digests of those on record.
    """
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        try:
            if is_file(path) and not _is_own(path, folder, certificates) and ids.in_file(path):
                yield name
        except OSError:
            yield f"{name} (unreadable)"


def _is_own(path: Path, folder: Path, certificates: set[str]) -> bool:
    """Whether matchbound wrote a file, and no id is in it now."""
    if path.suffix == ".json" and path.name != "draw.json":
        return _json(path).get("digest") in certificates
    own = (*PARTS, "report.html", ".page.lock", ".ledger.lock")
    return path.name.endswith((".seal", ".seal.sig")) or path in {folder / name for name in own}


def _is_version1(path: Path) -> bool:
    return _json(path).get("matchbound") == 1


def _json(path: Path) -> Mapping[str, object]:
    """The content of a file; empty if it is no JSON object."""
    try:
        record = read_json(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}
