"""A person's ids erased from every file of an audit folder; the ledger says that it was done."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from matchbound.audits.draw import PARTS, Draw
from matchbound.audits.folder import LABELS, OLD_DRAW, OLD_LEDGER, refuse_unfinished
from matchbound.audits.journal import NAME as JOURNAL
from matchbound.audits.journal import Journal, Opening
from matchbound.audits.ledger import Entry, Transaction, erased_places, transaction
from matchbound.audits.naming import Ids, LabelFile, read_label_file
from matchbound.errors import InputError, MatchboundError, UnfinishedError
from matchbound.files import (
    alone,
    csv_text,
    is_file,
    is_folder,
    read_json,
    read_text,
    remove,
    remove_left_over,
    undone_on_error,
    write_whole,
)

if TYPE_CHECKING:
    from os import PathLike

UNDER_WAY = "forget.json"
"""A file that is there while `forget` runs: which entry it made, and a commitment to the ids."""
OF_THE_DRAW = ("sample.csv", "train.csv", "gap.csv")


@dataclass(frozen=True)
class Forgotten:
    """How many ids were erased, and how many drawn nodes count as the worst case for it.

    `still_in` are files of the folder that hold an id and are not matchbound's. `certificates` is
    the number of those issued before, which have counts of the erased labels, and `version1` are
    those of version 1, which have digests of labels without a salt.
    """

    ids: int
    nodes: int
    still_in: tuple[str, ...] = ()
    certificates: int = 0
    version1: tuple[str, ...] = ()
    done_in: int | None = None
    """The entry of an earlier run, if it had erased everything already."""

    def __str__(self) -> str:
        if self.done_in is not None:
            return (
                f"None of these ids is in the audit: entry {self.done_in} of its ledger, the last, "
                "says that as many were erased."
            )
        ids = "1 id is" if self.ids == 1 else f"{self.ids} ids are"
        nodes = "1 drawn node counts" if self.nodes == 1 else f"{self.nodes} drawn nodes count"
        text = f"{ids} erased from the audit; {nodes} as the worst case from now on."
        if self.nodes and self.certificates:
            text += (
                " Certificates issued before stay valid and have the counts of these nodes' "
                "matches, without ids: docs/privacy.md says what they reveal."
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
            f"audit must be a folder, got {str(audit)!r}, which is none. Give the folder that "
            "`matchbound draw --out` wrote."
        )
    with transaction(folder) as ledger, alone(folder):
        refuse_unfinished(folder, ledger.entries)
        _refuse_links(folder)
        erasure = Erasure.of(folder, ledger, wanted)
        entry = _interrupted(ledger, erasure)
        if entry is None and erasure.is_done(ledger.entries):
            return Forgotten(0, 0, done_in=len(ledger.entries))
        if entry is None:
            erasure.refuse_unknown()
            entry = _enter(ledger, erasure, reason)
        _carry_out(folder, erasure)
        certificates = {e["certificate"] for e in ledger.entries if e["kind"] == "certificate"}
        still_in = tuple(_still_in(folder, wanted, certificates))
        version1 = tuple(path.name for path in folder.glob("*.json") if _is_version1(path))
        mark = _mark(folder)
    _unmark(folder, mark)
    issued = len(certificates)
    return Forgotten(entry["count"], len(entry["places"]), still_in, issued, version1)


def _checked(ids: Sequence[str], reason: str) -> Ids:
    if isinstance(ids, str) or not ids or not all(isinstance(one, str) and one for one in ids):
        raise InputError(
            f"ids must be a list of texts, none of them empty, got {ids!r}. Give some."
        )
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


@dataclass(frozen=True)
class Erasure:
    """What is to be erased: ids, drawn nodes and their places, and files to be written anew.

    `contents` are the files that change, None for one that is removed. The journal comes first:
    while its salts are there, a digest of a file that is changed already would refuse the folder.
    """

    ids: Ids
    known: frozenset[str]
    places: frozenset[int]
    contents: Mapping[str, str | bytes | None]

    @staticmethod
    def of(folder: Path, ledger: Transaction, ids: Ids) -> "Erasure":
        """Read every file of the folder by itself, as far as an earlier run has left it."""
        tables = {name: _read(folder / name) for name in OF_THE_DRAW if is_file(folder / name)}
        order = [node for node, _, _ in Draw.load(folder).in_order]
        openings = [one for one in ledger.journal.openings.values() if one.name == "label"]
        labels = None
        if is_file(folder / LABELS):
            labels = read_label_file(folder / LABELS, {*order} - {""}, ids)
        naming = {one.value["node"] for one in openings if ids.in_label(one.value)}
        naming |= {*ids.values} | (set() if labels is None else labels.naming)
        places = {place for place, node in enumerate(order, start=1) if node in naming}
        before = erased_places(ledger.entries)
        nodes = naming | {order[place - 1] for place in before if place <= len(order)}
        known = {row[0] for rows in tables.values() for row in rows[1:] if row[0] in ids}
        known.update(*(ids.in_label(one.value) for one in openings))
        known |= set() if labels is None else labels.named
        contents = _contents(tables, ledger.journal, labels, nodes - {""}, ids)
        # Version 1's files hold ids, and digests of nodes and labels without a salt.
        old = {name: None for name in (OLD_LEDGER, OLD_DRAW) if is_file(folder / name)}
        return Erasure(ids, frozenset(known), frozenset(places - before), contents | old)

    def is_done(self, entries: Sequence[Entry]) -> bool:
        """Whether as many ids were just erased, and none of these is there: it may be repeated."""
        last = entries[-1]
        is_last = last["kind"] == "forget" and last["count"] == len(self.ids.values)
        return is_last and not self.known

    def refuse_unknown(self) -> None:
        unknown = [one for one in self.ids.values if one not in self.known]
        if unknown:
            raise InputError(
                f"ids must be in the audit, as sample.csv or labels.csv write them, got "
                f"{unknown[0]!r}, which is nowhere in it. Leave it out."
            )


def _contents(
    tables: Mapping[str, list[list[str]]],
    journal: Journal,
    labels: LabelFile | None,
    nodes: set[str],
    ids: Ids,
) -> dict[str, str | bytes | None]:
    """The new contents of the journal, of the draw's files and of labels.csv, if they change."""
    drawn = {
        name: csv_text(rows[0], [["" if row[0] in ids else row[0], *row[1:]] for row in rows[1:]])
        for name, rows in tables.items()
        if any(row[0] in ids for row in rows[1:])
    }
    left = None if labels is None else labels.without(nodes)
    gone = {
        commitment
        for commitment, one in journal.openings.items()
        if (one.name == "label" and (one.value["node"] in nodes or ids.in_label(one.value)))
        or (one.name == "nodes" and drawn)
        or one.name == "ledger"  # the digest of version 1's, which goes with it
    }
    some_label = left is not None or any(journal.openings[one].name == "label" for one in gone)
    contents: dict[str, str | bytes | None] = {}
    if gone or some_label or journal.unfinished:
        rest = journal.without(gone, keeps_salt=not some_label)
        contents[JOURNAL] = b"".join(rest.lines())
    contents |= drawn
    return contents if left is None else contents | {LABELS: left}


def _read(path: Path) -> list[list[str]]:
    text = read_text(path, "audit", "Make it readable.")
    return list(csv.reader(io.StringIO(text, newline="")))


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
    record = {"entry": len(ledger.entries) + 1, "salt": opening.salt, "ids": opening.commitment}
    places, count = sorted(erasure.places), len(erasure.ids.values)
    with undone_on_error([marker]):
        write_whole({marker: json.dumps(record) + "\n"}, force=True)
        entry = ledger.add("forget", places=places, count=count, reason=reason)
        ledger.commit(final=True)
    return entry


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
        if is_file(path) and not _is_own(path, folder, certificates) and ids.in_file(path):
            yield path.relative_to(folder).as_posix()


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
