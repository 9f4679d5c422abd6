"""What `forget` erases: ids, the drawn nodes whose labels name them, and the files that change."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from matchbound.audits.draw import Draw
from matchbound.audits.folder import LABELS, OLD_DRAW, OLD_LEDGER
from matchbound.audits.journal import NAME as JOURNAL
from matchbound.audits.journal import Journal, Opening
from matchbound.audits.ledger import Entry, Transaction, erased_places
from matchbound.audits.naming import Ids, read_label_file
from matchbound.audits.standing import outputs_on_record
from matchbound.errors import InputError
from matchbound.files import csv_text, is_file, read_text

OF_THE_DRAW = ("sample.csv", "train.csv", "gap.csv")


@dataclass(frozen=True)
class Erasure:
    """What is to be erased: ids, drawn nodes and their places, and files to be written anew.

    `records` is how many records' rows go from clusters in labels.csv, `noted` how many of the
    nodes go only because a note of their labels names an id.

    `salt` is the new salt of digests of labels, None if no label goes and the old one stays.
    `contents` are the files that change, None for one that is removed. The journal comes first:
    while its salts are there, a digest of a file that is changed already would refuse the folder.
    """

    ids: Ids
    known: frozenset[str]
    places: frozenset[int]
    contents: Mapping[str, str | bytes | None]
    records: int = 0
    noted: int = 0
    salt: str | None = None

    @staticmethod
    def of(folder: Path, ledger: Transaction, ids: Ids, salt: str) -> "Erasure":
        """Read every file of the folder by itself, as far as an earlier run has left it.

        `salt` becomes the salt of labels if labels go.
        """
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
        by_id = {one.value["node"] for one in openings if ids.in_label({**one.value, "note": ""})}
        by_id |= {*ids.values} | (set() if labels is None else labels.naming_by_id)
        places = {place for place, node in enumerate(order, start=1) if node in naming}
        before = erased_places(ledger.entries)
        nodes = naming | {order[place - 1] for place in before if place <= len(order)}
        nodes -= {""}
        records = 0 if labels is None else labels.records_of(nodes)
        known = {row[0] for rows in tables.values() for row in rows[1:] if row[0] in ids}
        known.update(*(ids.in_label(one.value) for one in openings))
        known |= set() if labels is None else labels.named
        left = None if labels is None else labels.without(nodes)
        gone = _gone(ledger.journal, nodes, ids)
        new = salt if left is not None or any(o.name == "label" for o in gone.values()) else None
        contents = _contents(tables, ledger.journal, gone, ids, new)
        contents |= {} if left is None else {LABELS: left}
        # Version 1's files hold ids, and digests of nodes and labels without a salt.
        old = {name: None for name in (OLD_LEDGER, OLD_DRAW) if is_file(folder / name)}
        places -= before
        noted = sum(order[place - 1] not in by_id for place in places)
        counts = {"records": records, "noted": noted}
        return Erasure(ids, frozenset(known), frozenset(places), contents | old, salt=new, **counts)

    def refuse_unknown(self, last: Entry) -> None:
        """Refuse ids that are nowhere; whoever repeats a command is told of the `last` entry."""
        unknown = [one for one in self.ids.values if one not in self.known]
        if unknown:
            erased = f" Entry {last['entry']} of its ledger, the last, says that ids were erased."
            raise InputError(
                f"ids must be in the audit, as sample.csv or labels.csv write them, got "
                f"{unknown[0]!r}, which is nowhere in it. Leave it out."
                + (erased if last["kind"] == "forget" else "")
            )


def _gone(journal: Journal, nodes: set[str], ids: Ids) -> dict[str, Opening]:
    """The openings that go because of labels, and the digest of version 1's ledger."""
    return {
        commitment: one
        for commitment, one in journal.openings.items()
        if (one.name == "label" and (one.value["node"] in nodes or ids.in_label(one.value)))
        or one.name == "ledger"
    }


def _contents(
    tables: Mapping[str, list[list[str]]],
    journal: Journal,
    gone: Mapping[str, Opening],
    ids: Ids,
    salt: str | None,
) -> dict[str, str | bytes | None]:
    """The new contents of the journal and of the draw's files, if they change."""
    drawn = {
        name: csv_text(rows[0], [["" if row[0] in ids else row[0], *row[1:]] for row in rows[1:]])
        for name, rows in tables.items()
        if any(row[0] in ids for row in rows[1:])
    }
    lists = {c for c, one in journal.openings.items() if one.name == "nodes" and drawn}
    contents: dict[str, str | bytes | None] = {}
    if gone or lists or salt is not None or journal.unfinished:
        rest = journal.without({*gone, *lists}, salt=journal.salt if salt is None else salt)
        contents[JOURNAL] = b"".join(rest.lines())
    return contents | drawn


def _read(path: Path) -> list[list[str]]:
    text = read_text(path, "audit", "Make it readable.")
    return list(csv.reader(io.StringIO(text, newline="")))
