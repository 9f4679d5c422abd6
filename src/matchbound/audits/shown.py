"""What people were shown of a matcher's results, and the labels that were changed afterwards."""

from collections.abc import Sequence
from typing import Literal

from matchbound.audits.inputs import ROLES, LabelsRef
from matchbound.audits.ledger import Entry, Transaction, since_draw
from matchbound.tables import Digest, Output

SHOWN = ("look", "certificate")
"""The kinds of entries after which results were shown."""
DIGITS = 16
"""How many digits of a salted digest tell a node's labels from others."""


def enter_labels(ledger: Transaction, labels: LabelsRef, train: int) -> None:
    """Add the labels to the ledger, unless they are the ones that were added last.

    `by_place` has a salted digest of each node's labels, in the order of labelling; `train` nodes
    come first.
    """
    recorded, entries = ledger.salted(labels.digest), _comparable(ledger.entries)
    if entries and same_labels(Digest.of(entries[-1]["labels"]), recorded):
        return
    by_place = [_salted(ledger, place, one) for place, one in enumerate(labels.nodes, start=1)]
    validation = sum(map(bool, labels.nodes[train:]))
    ledger.add("labels", labels=recorded.as_dict(), validation=validation, by_place=by_place)


def enter_look(
    ledger: Transaction,
    what: Literal["errors", "estimate"],
    outputs: Sequence[Output],
    labels: LabelsRef,
    train: int,
) -> Entry:
    """Put on record, before anything is shown, whose results are shown."""
    enter_labels(ledger, labels, train)
    ledger.remember([labels.path, *(output.source.path for output in outputs)])
    matchers = {
        role: [output.recorded.as_dict() for output in outputs if output.role == role]
        for role in ROLES
    }
    digest = ledger.salted(labels.digest).as_dict()
    return ledger.add("look", what=what, **matchers, labels=digest)


def changed_labels(entries: Sequence[Entry]) -> int:
    """Count the drawn nodes whose labels were changed after results had been shown.

    A node counts that had labels when results were shown, and others in a later entry of labels.
    What was erased cannot be compared: digests before and after `forget` have different salts.
    """
    changed: set[int] = set()
    now: dict[int, str] = {}
    shown: dict[int, str] = {}
    for entry in since_draw(entries):
        if entry["kind"] == "labels":
            by_place = enumerate(entry.get("by_place", ()), start=1)
            now = {place: digest for place, digest in by_place if digest}
            changed |= {place for place in shown if now.get(place, shown[place]) != shown[place]}
        elif entry["kind"] in SHOWN:
            shown |= now
        elif entry["kind"] == "forget":
            now, shown = {}, {}
    return len(changed)


def same_labels(one: Digest, other: Digest) -> bool:
    """Whether two digests on record are of the same labels.

    The columns that they were read by are not on record, so rows decide where both are there.
    """
    return one.is_same(other, read_alike=one.rows is None or other.rows is None)


def _comparable(entries: Sequence[Entry]) -> list[Entry]:
    """The entries of labels that later ones can be compared with, node by node."""
    latest: list[Entry] = []
    for entry in since_draw(entries):
        if entry["kind"] == "forget":
            latest = []
        elif entry["kind"] == "labels" and "by_place" in entry:
            latest.append(entry)
    return latest


def _salted(ledger: Transaction, place: int, digest: str) -> str:
    """The place is hashed too: else the ledger would show which nodes have the same labels."""
    if not digest:
        return ""
    return str(ledger.salted(Digest(None, f"{place} {digest}")).bytes)[:DIGITS]
