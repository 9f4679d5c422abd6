"""A holdout matcher on record, before the validation labels are seen."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from matchbound.audits.audit import Audit
from matchbound.audits.labels import labels_in_folder, labels_of
from matchbound.audits.ledger import Transaction, validation_labels
from matchbound.audits.shown import enter_labels
from matchbound.audits.variances import variances_of
from matchbound.engines import connect
from matchbound.errors import InputError
from matchbound.files import hashing_once, is_file
from matchbound.tables import Reading, register_outputs
from matchbound.tallies import check_closable

if TYPE_CHECKING:
    from os import PathLike


@hashing_once()
def register(
    audit: "str | PathLike[str]",
    *,
    holdout: Any = None,
    threshold: float | None = None,
    columns: Mapping[str, str] | None = None,
    clusters: bool | None = None,
) -> int:
    """Enter a holdout matcher's output into the ledger; return how many validation nodes have
    labels by then.

    With none, a certificate about it can say that it was on record before the labels. Its threshold
    and columns are part of it, and so are `clusters`: whether it is the clusters that its pairs
    link, or the pairs.
    """
    opened_audit = Audit.open(audit)
    choices = opened_audit.drawn.choices
    if holdout is None:
        raise InputError("holdout must be given, got None. Give the holdout matcher's output.")
    with connect() as con:
        reading = Reading(columns or {}, threshold, clusters, choices.scores)
        outputs = register_outputs(
            con, holdout, reading, choices.algorithms, opened_audit.drawn.matching
        )
        check_closable(choices, outputs)
        variances = {}
        if len(outputs) == 1 and _is_trained_labelled(opened_audit):
            variances = variances_of(con, opened_audit, outputs[0])
    with opened_audit.transaction() as ledger:
        labelled = _labelled(ledger, opened_audit)
        more = {"variances": variances} if variances and not labelled else {}
        for output in outputs:
            ledger.add("register", holdout=output.recorded.as_dict(), validation=labelled, **more)
    return labelled


def _is_trained_labelled(audit: Audit) -> bool:
    """Whether all training nodes have labels, in a draw that has not planned by them."""
    draw = audit.drawn
    if draw.choices.variances or not draw.trained or not is_file(audit.truth()):
        return False
    return set(draw.trained) <= {x for x, _ in labels_of(audit, audit.labels, "train")}


def _labelled(ledger: Transaction, audit: Audit) -> int:
    """Count the labelled validation nodes outside D, and enter labels.csv if it changed."""
    on_record = validation_labels(ledger.entries)
    if not is_file(audit.truth()):
        return on_record
    train, labels = audit.drawn.train, labels_in_folder(audit)
    enter_labels(ledger, labels, train)
    return max(sum(map(bool, labels.nodes[train:])), on_record)
