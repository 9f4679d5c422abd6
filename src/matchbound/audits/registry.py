"""A holdout matcher on record, before the validation labels are seen."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from matchbound.audits.audit import Audit
from matchbound.audits.brought import as_drawn
from matchbound.audits.cohort import FOLDER as COHORTS
from matchbound.audits.cohort import NODES
from matchbound.audits.labels import labels_in_folder, labels_of
from matchbound.audits.ledger import Transaction, validation_labels
from matchbound.audits.remembered import holdouts
from matchbound.audits.shown import enter_labels
from matchbound.audits.standing import has_validation_label, registrations
from matchbound.audits.variances import variances_from
from matchbound.engines import Progress, connect
from matchbound.errors import InputError
from matchbound.files import hashing_once, is_file
from matchbound.tables import Reading, Recorded, register_outputs
from matchbound.tallies import check_on_population

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
    population: Any = None,
    engine: Any = "duckdb",
    memory: str | None = None,
    temp: Any = None,
    progress: Progress = lambda _: None,
    say: Callable[[str], None] = lambda _: None,
) -> int:
    """Enter a holdout matcher's output into the ledger; return how many validation nodes have
    labels by then.

    What `certify` would refuse is refused now, and `say` gets the output in words. `population` is
    where the population is now, if it was moved.

    With none, a certificate about it can say that it was on record before the labels. Its threshold
    and columns are part of it, and so are `clusters`: whether it is the clusters that its pairs
    link, or the pairs.
    """
    opened_audit = Audit.open(audit)
    draw, choices = opened_audit.drawn, opened_audit.drawn.choices
    if holdout is None:
        raise InputError("holdout must be given, got None. Give the holdout matcher's output.")
    with connect(engine, memory, temp) as con:
        reading = Reading(columns or {}, threshold, clusters, choices.scores)
        outputs = register_outputs(con, holdout, reading, choices.algorithms, draw.matching)
        progress("reading the population and the matches")
        setting, _ = as_drawn(con, opened_audit, population, (choices, ()), ([], []))
        in_part = setting.whole_size is not None
        checked = choices, draw.matching, setting.kinds
        words = [check_on_population(con, one, *checked, in_part=in_part) for one in outputs]
        variances = {}
        if len(outputs) == 1 and _is_trained_labelled(opened_audit):
            given = draw.trained, opened_audit.labels, outputs[0], draw.matching
            variances = variances_from(con, *given, choices)
    with opened_audit.transaction() as ledger:
        labelled = _labelled(ledger, opened_audit)
        more = {"variances": variances} if variances and not labelled else {}
        for output in outputs:
            ledger.add("register", holdout=output.recorded.as_dict(), validation=labelled, **more)
        ledger.remember([output.source.path for output in outputs], holdouts(outputs))
    for line in words:
        say(line)
    return labelled


def withdraw(audit: "str | PathLike[str]") -> Recorded:
    """Take the holdout matcher that was registered last off the record; return it.

    Refused once there is a validation label, of whichever draw of the folder; in a cohort; and
    where nodes were drawn by that matcher. Its entry stays in the ledger, with one that withdraws
    it.
    """
    opened_audit = Audit.open(audit)
    drawn_by, folder = opened_audit.drawn.holdout, opened_audit.own_folder
    if folder.parent.name == COHORTS and is_file(folder / NODES):
        raise InputError(
            "withdraw must leave a cohort's matcher, got the folder of one: its nodes were drawn "
            "with it on record. Draw another cohort with the right one; it costs δ again."
        )
    with opened_audit.transaction() as ledger:
        labelled = _labelled(ledger, opened_audit)
        is_labelled = labelled > 0 or has_validation_label(ledger.entries)
        registered = registrations(ledger.entries)
        if not is_labelled:
            if not registered:
                raise InputError("withdraw must find a matcher on record, got none. Register one.")
            last = Recorded.of(registered[-1]["holdout"])
            if drawn_by is not None and last.is_same(drawn_by):
                raise InputError(
                    "withdraw must leave the matcher that nodes were drawn by, got it as the last "
                    "one on record. Draw again with the right one; it costs δ again."
                )
            ledger.add("withdraw", register=registered[-1]["entry"])
    # Raised here, so that the validation labels that were seen stay in the ledger.
    if is_labelled:
        got = f"{labelled} nodes with some" if labelled else "some of an earlier draw"
        raise InputError(
            f"withdraw must come before validation labels, got {got}. "
            "Register the right matcher: it counts as another, and costs δ again."
        )
    return last


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
