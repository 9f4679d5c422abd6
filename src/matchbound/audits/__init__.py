"""A population's draw, and the folder that it lives in."""

from matchbound.audits.audit import check_on_record, enter_labels
from matchbound.audits.book import CONFLICT, SETTLED, UNSURE, Book, Page, Verdict, how_searched
from matchbound.audits.brought import BROUGHT, as_brought, as_drawn, chosen_after
from matchbound.audits.commit import GROWN
from matchbound.audits.draw import FILES, PARTS, Draw
from matchbound.audits.folder import refuse_unfinished
from matchbound.audits.labels import OF_CLUSTERS, check_all_labelled, labels, labels_of
from matchbound.audits.ledger import (
    Entry,
    Ledger,
    Pen,
    append,
    read_ledger,
    sound_ledger,
    transaction,
)
from matchbound.audits.order import hash_of
from matchbound.audits.request import chosen
from matchbound.audits.sample import draw, redraw
from matchbound.audits.standing import (
    before_labels,
    certified,
    outputs_on_record,
    planned,
    standing,
)

__all__ = [
    "BROUGHT",
    "CONFLICT",
    "FILES",
    "GROWN",
    "OF_CLUSTERS",
    "PARTS",
    "SETTLED",
    "UNSURE",
    "Book",
    "Draw",
    "Entry",
    "Ledger",
    "Page",
    "Pen",
    "Verdict",
    "append",
    "as_brought",
    "as_drawn",
    "before_labels",
    "certified",
    "check_all_labelled",
    "check_on_record",
    "chosen",
    "chosen_after",
    "draw",
    "enter_labels",
    "hash_of",
    "how_searched",
    "labels",
    "labels_of",
    "outputs_on_record",
    "planned",
    "read_ledger",
    "redraw",
    "refuse_unfinished",
    "sound_ledger",
    "standing",
    "transaction",
]
