"""What people were shown of a matcher's results, and the labels that were changed afterwards."""

from collections.abc import Callable, Sequence
from typing import Literal

from matchbound.audits.book import Book
from matchbound.audits.inputs import ROLES, LabelsRef
from matchbound.audits.ledger import Entry, Transaction, since_draw
from matchbound.files import digest_of_text
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
    by_place = salted_by_place(ledger.salted, labels.nodes)
    validation = sum(map(bool, labels.nodes[train:]))
    page = {"page": True} if _is_of_the_page(ledger, labels.digest) else {}
    ledger.add(
        "labels", labels=recorded.as_dict(), validation=validation, by_place=by_place, **page
    )


def _is_of_the_page(ledger: Transaction, labels: Digest) -> bool:
    """Whether labels are as the labelling page wrote them."""
    book = Book.of(ledger.entries)
    return bool(book.live) and digest_of_text(book.to_csv()) == labels.bytes


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
    Where `forget` changed the salt, its entry has the digests anew, and the labels are entered
    before it. A node that had lost its label by then is changed if it has one again.

    A node that gained records because another node's label joined its entity, and was not
    labelled otherwise, does not count, if the labels are as the labelling page wrote them.
    """
    changed: set[int] = set()
    now: dict[int, str] = {}
    shown: dict[int, str] = {}
    gained: set[int] = set()
    otherwise: set[int] = set()
    places = _places_by_leader(entries)
    for entry in since_draw(entries):
        if entry["kind"] == "label":
            (gained if entry.get("adds") else otherwise).add(entry["place"])
        elif entry["kind"] == "undo":
            otherwise |= places.get(entry["undoes"], set())
        elif entry["kind"] == "labels":
            now = _labelled(entry)
            differing = {place for place in shown if now.get(place, shown[place]) != shown[place]}
            changed |= differing - (gained - otherwise if entry.get("page") else set())
        elif entry["kind"] in SHOWN:
            gained, otherwise = set(), otherwise & shown.keys() - now.keys()
            shown |= now
        elif entry["kind"] == "forget" and "by_place" in entry:
            now = _labelled(entry)
            shown = {} if _is_unread(entry) else {place: now.get(place, "") for place in shown}
    return len(changed)


def _places_by_leader(entries: Sequence[Entry]) -> dict[int, set[int]]:
    """The places whose labels an undo of each label takes back, save where it only added."""
    places: dict[int, set[int]] = {}
    for entry in entries:
        if entry["kind"] == "label" and not entry.get("adds"):
            number, last = entry.get("joint", (1, 1))
            places.setdefault(entry["entry"] + last - number, set()).add(entry["place"])
    return places


def uncompared_labels(entries: Sequence[Entry]) -> int:
    """The last `forget` after results had been shown that could not read the labels; 0 if none.

    Labels before and after it have different salts: whether they were changed cannot be told.
    """
    return max((one["entry"] for one in since_draw(entries) if _is_unread(one)), default=0)


def is_shown(entries: Sequence[Entry]) -> bool:
    """Whether results were shown since the latest draw."""
    return any(entry["kind"] in SHOWN for entry in since_draw(entries))


def _is_unread(entry: Entry) -> bool:
    return entry["kind"] == "forget" and entry.get("by_place", ()) is None


def _labelled(entry: Entry) -> dict[int, str]:
    """The digests of nodes' labels in an entry, by place; only of nodes that have some."""
    by_place = enumerate(entry.get("by_place") or (), start=1)
    return {place: digest for place, digest in by_place if digest}


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


def salted_by_place(salted: Callable[[Digest], Digest], nodes: Sequence[str]) -> list[str]:
    """The digests of nodes' labels as they are put on record.

    The place is hashed too: else the ledger would show which nodes have the same labels.
    """
    return [
        str(salted(Digest(None, f"{place} {one}")).bytes)[:DIGITS] if one else ""
        for place, one in enumerate(nodes, start=1)
    ]
