"""A holdout matcher on record, before the validation labels are seen."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.audits.audit import check_on_record, enter_labels
from matchbound.audits.draw import Draw
from matchbound.audits.labels import labels
from matchbound.audits.ledger import Transaction, transaction, validation_labels
from matchbound.audits.variances import variances_of
from matchbound.engines import connect
from matchbound.errors import InputError
from matchbound.files import hashing_once, is_file
from matchbound.tables import (
    Reading,
    digest_of,
    open_source,
    recognise,
    register_outputs,
    rows_of_labels,
)

if TYPE_CHECKING:
    from os import PathLike


@hashing_once()
def register(
    audit: "str | PathLike[str]",
    *,
    holdout: Any = None,
    threshold: float | None = None,
    columns: Mapping[str, str] | None = None,
) -> int:
    """Enter a holdout matcher's output into the ledger; how many validation nodes have labels yet.

    With none, a certificate about it can say that it was on record before the labels. Its threshold
    and columns are part of it.
    """
    folder, draw = Path(audit), Draw.load(audit)
    if holdout is None:
        raise InputError("holdout must be given, got None. Give the holdout matcher's output.")
    with connect() as con:
        reading = Reading(columns or {}, threshold, draw.choices.scores)
        outputs = register_outputs(con, holdout, reading, draw.choices.algorithms, draw.matching)
        variances = {}
        if len(outputs) == 1 and _is_trained_labelled(folder, draw):
            variances = variances_of(con, folder, draw, outputs[0])
    with transaction(folder) as ledger:
        check_on_record(folder)
        labelled = _labelled(ledger, Draw.load(folder))
        more = {"variances": variances} if variances and not labelled else {}
        for one in outputs:
            ledger.add("register", holdout=one.recorded.as_dict(), validation=labelled, **more)
    return labelled


def _is_trained_labelled(folder: Path, draw: Draw) -> bool:
    """Whether all training nodes have labels, in a draw that has not planned by them."""
    if draw.choices.variances or not draw.trained or not is_file(folder / "labels.csv"):
        return False
    return set(draw.trained) <= {x for x, _ in labels(folder, "train")}


def _labelled(ledger: Transaction, draw: Draw) -> int:
    """Count the labelled validation nodes outside D, and enter labels.csv if it changed."""
    known, path = validation_labels(ledger.entries), ledger.folder / "labels.csv"
    if not is_file(path):
        return known
    count = len({x for x, _ in labels(ledger.folder, "validation")} - set(draw.trained))
    with connect() as con:
        source = open_source(con, "labels", path)
        digest = digest_of(con, source, rows_of_labels(source, recognise(source, {})))
        enter_labels(ledger, digest, count)
    return max(count, known)
