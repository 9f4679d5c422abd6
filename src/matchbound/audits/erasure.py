"""What `forget` erases: ids, the drawn nodes whose labels name them, and the files that change."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from matchbound.audits.draw import Draw
from matchbound.audits.folder import LABELS, OLD_DRAW, OLD_LEDGER
from matchbound.audits.journal import NAME as JOURNAL
from matchbound.audits.journal import Journal
from matchbound.audits.ledger import Entry, Transaction, erased_places
from matchbound.audits.naming import Ids, LabelFile, read_label_file
from matchbound.audits.standing import outputs_on_record
from matchbound.errors import InputError
from matchbound.files import csv_text, is_file, read_text

OF_THE_DRAW = ("sample.csv", "train.csv", "gap.csv")


@dataclass(frozen=True)
class Erasure:
    """What is to be erased: ids, drawn nodes and their places, and files to be written anew.

    `records` is how many records' rows go from clusters in labels.csv.

    `contents` are the files that change, None for one that is removed. The journal comes first:
    while its salts are there, a digest of a file that is changed already would refuse the folder.
    """

    ids: Ids
    known: frozenset[str]
    places: frozenset[int]
    contents: Mapping[str, str | bytes | None]
    records: int = 0

    @staticmethod
    def of(folder: Path, ledger: Transaction, ids: Ids) -> "Erasure":
        """Read every file of the folder by itself, as far as an earlier run has left it."""
        tables = {name: _read(folder / name) for name in OF_THE_DRAW if is_file(folder / name)}
        draw = Draw.load(folder)
        order = [node for node, _, _ in draw.in_order]
        openings = [one for one in ledger.journal.openings.values() if one.name == "label"]
        labels = None
        if is_file(folder / LABELS):
            outputs = outputs_on_record(ledger.entries)
            outputs += [] if draw.holdout is None else [draw.holdout]
            named = [one.reading.columns for one in outputs]
            labels = read_label_file(folder / LABELS, {*order} - {""}, ids, named)
        naming = {one.value["node"] for one in openings if ids.in_label(one.value)}
        naming |= {*ids.values} | (set() if labels is None else labels.naming)
        places = {place for place, node in enumerate(order, start=1) if node in naming}
        before = erased_places(ledger.entries)
        nodes = naming | {order[place - 1] for place in before if place <= len(order)}
        nodes -= {""}
        records = 0 if labels is None else labels.records_of(nodes)
        known = {row[0] for rows in tables.values() for row in rows[1:] if row[0] in ids}
        known.update(*(ids.in_label(one.value) for one in openings))
        known |= set() if labels is None else labels.named
        contents = _contents(tables, ledger.journal, labels, nodes, ids)
        # Version 1's files hold ids, and digests of nodes and labels without a salt.
        old = {name: None for name in (OLD_LEDGER, OLD_DRAW) if is_file(folder / name)}
        places -= before
        return Erasure(ids, frozenset(known), frozenset(places), contents | old, records)

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
