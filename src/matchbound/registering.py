"""A holdout matcher on record, before the validation labels are seen."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.draws import Draw
from matchbound.engines import connect
from matchbound.errors import InputError
from matchbound.files import is_file
from matchbound.forms import recognise
from matchbound.labelled import labels
from matchbound.ledger import append, sound_ledger
from matchbound.sampling import named
from matchbound.scores import check_scored, first_threshold
from matchbound.sources import open_source
from matchbound.standing import matcher

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
    found = []
    with connect() as con:
        for name, given in named(holdout, draw.choices, "holdout").items():
            source = open_source(con, "holdout", given)
            form = recognise(source, columns or {})
            least = first_threshold(draw.choices, threshold, [form])
            check_scored(form, least)
            facts = source.as_dict(threshold=least, columns=dict(columns or {}))
            found.append(matcher(name, facts))
    labelled = _labelled(folder, draw)
    for one in found:
        append(folder, "register", holdout=one, validation=labelled)
    return labelled


def _labelled(folder: Path, draw: Draw) -> int:
    """How many nodes have validation labels that no matcher may learn from; the ledger is told."""
    known = [int(entry["validation"]) for entry in sound_ledger(folder).of_kind("labels")]
    if not is_file(folder / "labels.csv"):
        return max(known, default=0)
    count = len({x for x, _ in labels(folder, "validation")} - set(draw.trained))
    with connect() as con:
        digest = open_source(con, "labels", folder / "labels.csv").digest
    seen = sound_ledger(folder).of_kind("labels")
    if not seen or seen[-1]["labels"] != digest:
        append(folder, "labels", labels=digest, validation=count)
    return max([count, *known])
