"""List a matcher's errors at the validation nodes, for mending the matcher."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from matchbound.audits import (
    Audit,
    Draw,
    Identity,
    LabelsRef,
    Supplied,
    enter_look,
    evidence_in,
    has_ids,
    load,
    read_certified,
    restored,
)
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.counted import check_validates
from matchbound.certificates.error_fields import read_fields
from matchbound.certificates.error_list import ErrorList
from matchbound.certificates.error_search import find_errors, keep_checked
from matchbound.engines import Progress, Resources
from matchbound.errors import InputError
from matchbound.files import (
    hashing_once,
    is_file,
    refuse_existing,
    refuse_input_as_out,
    write_whole,
)
from matchbound.tables import Output, Reading


@hashing_once()
def list_errors(
    audit: Any,
    *,
    holdout: Any = None,
    complete: Any = None,
    threshold: float | None = None,
    columns: Mapping[str, str] | None = None,
    clusters: bool | None = None,
    records: Any = None,
    against: Any = None,
    id: str | None = None,
    labels: Any = None,
    population: Any = None,
    within: Any = None,
    engine: Any = "duckdb",
    memory: str | None = None,
    temp: Any = None,
    progress: Progress = lambda _: None,
    out: Any = None,
    force: bool = False,
) -> ErrorList:
    """List the wrong and the missed matches of a matcher at the labelled validation nodes.

    `holdout` or `complete` is the matcher's output; without either, the one that the folder's
    certificate.json is about. `records` and `against` are the tables whose fields are shown, `id`
    the column of ids in `against`. The list is written to `out` as CSV, if that is given. The
    ledger gets an entry first: a holdout matcher counts as looked at.
    """
    opened = Audit.open(audit)
    if opened.draw is None:
        raise InputError("audit must be the folder of a draw, or a Draw, got None. Give one.")
    check_validates(opened.drawn)
    reading = Reading(columns or {}, threshold, clusters)
    supplied = Supplied(holdout, complete, labels, reading, "worst", population, within=within)
    supplied = _with_matcher(opened, supplied)
    _check_restorable(opened.drawn, supplied)
    place = None if out is None else Path(out)
    if place is not None:
        _check_out(place, opened, supplied, [records, against], force)
    resources = Resources(engine, memory, temp, progress)
    opened = restored(opened, supplied, resources)
    identity = Identity() if opened.folder is None else Identity(opened.ledger.checked().entries)
    choices = opened.choices({})
    with resources.connect() as con:
        outputs = read_certified(con, opened, supplied, choices[0], identity)
        progress("reading the population and the labels")
        setting, _, truth = load(con, opened, supplied, outputs, choices, identity)
        checked, nodes = keep_checked(con, setting), []
        for output in outputs:
            progress(f"comparing {output.name}")
            nodes += find_errors(con, setting, output)
        fields = read_fields(con, opened.drawn, nodes, (records, against, id))
    nodes.sort(key=lambda node: -node.wrong - node.missed)
    return _enter(opened, outputs, truth, ErrorList(tuple(nodes), checked, fields, place), force)


def _with_matcher(audit: Audit, supplied: Supplied) -> Supplied:
    """Put in the matcher that the folder's certificate is about, if the user gives none."""
    if supplied.holdout is not None and supplied.complete is not None:
        raise InputError(
            "holdout and complete must not both be given, got both: one matcher's errors are "
            "listed. Give one of them."
        )
    if supplied.holdout is not None or supplied.complete is not None:
        return supplied
    if supplied.reading != Reading():
        raise InputError(
            "threshold, columns and clusters must come with a matcher's output, got one alone. "
            "Give the output, or none of them: the certificate has them."
        )
    path = None if audit.folder is None else audit.folder / "certificate.json"
    if path is None or not is_file(path):
        raise InputError(
            "holdout must be given where no certificate.json names a matcher, got None. Give the "
            "matcher's output."
        )
    certificate = Certificate.load(path)
    role = "complete" if certificate.has_complete else "holdout"
    certified = certificate.inputs.of_role(role)
    tables = {one.algorithm: one.now(path.parent) for one in certified}
    if None in tables.values():
        raise InputError(
            f"{role} must be given again, because it was certified from a table in memory, got "
            "None. Give it."
        )
    reading = certified[0].reading
    if certificate.choices.scores:  # bands or candidates fix the threshold
        reading = replace(reading, threshold=None)
    table = tables.get("", tables)
    if role == "complete":
        return replace(supplied, complete=table, reading=reading)
    return replace(supplied, holdout=table, reading=reading)


def _check_restorable(draw: Draw, supplied: Supplied) -> None:
    """Refuse a draw from which ids were erased, if what gives them back is not supplied."""
    if draw.holdout is not None and supplied.holdout is None and not has_ids(draw):
        raise InputError(
            "complete must be left out where ids were erased from nodes that were drawn by the "
            "holdout matcher, got it: only that matcher's output gives them back. List the holdout "
            "matcher's errors."
        )


def _check_out(
    place: Path, audit: Audit, supplied: Supplied, tables: Sequence[Any], force: bool
) -> None:
    refuse_existing([place], force)
    given = [*tables, supplied.holdout, supplied.complete, supplied.labels]
    given += [supplied.population, supplied.within]
    paths = [table for table in given if isinstance(table, str | Path)]
    evidence = [] if audit.folder is None else evidence_in(audit.folder)
    refuse_input_as_out(place, [*audit.files, *evidence, *paths])


def _enter(
    audit: Audit, outputs: Sequence[Output], labels: LabelsRef, errors: ErrorList, force: bool
) -> ErrorList:
    """Put the look on record, then write the list."""
    if audit.folder is None:
        _write(errors, force)
        return errors
    with audit.transaction() as ledger:
        entry = enter_look(ledger, "errors", outputs, labels, audit.drawn.train)
        ledger.commit()
        _write(errors, force)
    return replace(errors, entry=entry["entry"])


def _write(errors: ErrorList, force: bool) -> None:
    if errors.out is not None:
        write_whole({errors.out: errors.to_csv()}, force=force)
