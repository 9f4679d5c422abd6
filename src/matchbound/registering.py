"""A holdout matcher on record, before the validation labels are seen."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.certifying import check_on_record, enter_labels
from matchbound.draws import Draw
from matchbound.engines import connect
from matchbound.errors import InputError
from matchbound.files import is_file
from matchbound.holdouts import opened
from matchbound.labelled import labels
from matchbound.ledger import Transaction, transaction, validation_labels
from matchbound.sources import open_source

if TYPE_CHECKING:
    from os import PathLike


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
        given = [one.facts for one in opened(con, holdout, threshold, columns, draw.choices)]
    with transaction(folder) as ledger:
        check_on_record(folder)
        labelled = _labelled(ledger, Draw.load(folder))
        for one in given:
            ledger.add("register", holdout=dict(one), validation=labelled)
    return labelled


def _labelled(ledger: Transaction, draw: Draw) -> int:
    """Count the labelled validation nodes outside D, and enter labels.csv if it changed."""
    known, path = validation_labels(ledger.entries), ledger.folder / "labels.csv"
    if not is_file(path):
        return known
    count = len({x for x, _ in labels(ledger.folder, "validation")} - set(draw.trained))
    with connect() as con:
        enter_labels(ledger, open_source(con, "labels", path).digest, count)
    return max(count, known)
