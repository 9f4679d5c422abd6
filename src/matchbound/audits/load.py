"""From an audit and the tables given with it to what is tallied."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from matchbound.audits.audit import Audit
from matchbound.audits.brought import as_brought, as_drawn
from matchbound.audits.draw import Draw
from matchbound.audits.inputs import LabelsRef, Origins
from matchbound.audits.since import read_grown, told_apart
from matchbound.audits.standing import on_record, planned
from matchbound.audits.supplied import Identity, Supplied
from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.files import is_file
from matchbound.tables import (
    Clusters,
    Digest,
    Form,
    Output,
    Pairs,
    Recorded,
    Source,
    digest_of,
    form_of_labels,
    key_kind,
    load_drawn,
    native_columns,
    open_source,
    read_labels,
    read_outputs,
    rows_of_labels,
)
from matchbound.tallies import Setting, check_closable, label_digests
from matchbound.theorems import Choices, Tally, brought_variances


def read_certified(
    con: Engine, audit: Audit, supplied: Supplied, choices: Choices, identity: Identity
) -> Sequence[Output]:
    """Open the outputs to certify; refuse a holdout that is not the one nodes were drawn by."""
    draw, known = audit.draw, on_record(identity.entries)
    outputs = read_outputs(
        con,
        supplied.holdout,
        supplied.complete,
        replace(supplied.reading, fixed=choices.scores),
        choices.algorithms,
        supplied.matching if draw is None else draw.matching,
        replace(known, all=[*known.all, *_drawn_by(draw)]),
        identity.rows_of,
    )
    _check_unchanged(supplied, outputs)
    _check_same_holdout(draw, outputs)
    check_closable(choices, outputs)
    return outputs


def load(
    con: Engine,
    audit: Audit,
    supplied: Supplied,
    outputs: Sequence[Output],
    choices: tuple[Choices, tuple[str, ...]],
    identity: Identity,
) -> tuple[Setting, Origins, LabelsRef]:
    """Load the population, the sample and the labels, and return what names them on record.

    `choices` come with the names of those that are not the draw's.
    """
    labelled = audit.truth(supplied.labels)
    if supplied.labels is None and not is_file(labelled):
        raise InputError(
            f"labels must be there before they are counted, got no {str(labelled)!r}. Label the "
            f"drawn nodes: matchbound label {audit.folder}; or give a file with --labels."
        )
    truth = open_source(con, "labels", labelled)
    form = form_of_labels(truth, supplied.reading.columns)
    native = native_columns(outputs) if isinstance(form, Pairs) else None
    xs, ys = native or ([], [])
    if audit.draw is not None:
        supplied = told_apart(con, audit, supplied)
        xs, ys = (xs, ys) if supplied.now is None else ([], [])
        drawn_from = supplied.population, choices, (xs, ys), supplied.within
        setting, origins = as_drawn(con, audit, *drawn_from)
        load_drawn(con, setting.sample)
        read_labels(con, truth, form, setting.matching, erased=setting.erased_records)
        if supplied.now is not None:
            setting, origins = read_grown(con, audit, supplied, setting, origins)
    else:
        _check_names_nodes(form)
        read = partial(read_labels, con, truth, form)
        brought = supplied.population, supplied.id, supplied.trained_on
        setting, origins = as_brought(con, *brought, choices[0], supplied.matching, read)
    kind = setting.kinds[0]
    of_y = kind if setting.matching.dedupe else key_kind(*ys) if ys else "string"
    digest = _digest_of_labels(con, truth, form, identity)
    labels = LabelsRef(truth.path, digest, _digests_of_nodes(con, audit, setting, form))
    return replace(setting, kinds=(kind, of_y), truth=form), origins, labels


def planned_choices(
    choices: Choices, audit: Audit, outputs: Sequence[Output], tallies: Mapping[str, Tally]
) -> Choices:
    """Put in the variances that were found before any validation label, if there are some."""
    if audit.draw is None:
        return replace(choices, variances=brought_variances(tallies, choices))
    if audit.folder is None or choices.variances:
        return choices
    holdouts = [one.recorded for one in outputs if one.role == "holdout"]
    return replace(choices, variances=planned(audit.ledger.entries, holdouts))


def _drawn_by(draw: Draw | None) -> list[Recorded]:
    """The output that nodes were drawn by, if they were."""
    return [] if draw is None or draw.holdout is None else [draw.holdout]


def _digest_of_labels(con: Engine, truth: Source, form: Form, identity: Identity) -> Digest:
    entered = [Digest.of(one["labels"]) for one in identity.entries if one["kind"] == "labels"]
    always = identity.rows_of.get("labels", False)
    return digest_of(con, truth, rows_of_labels(truth, form), (), entered, always=always)


def _digests_of_nodes(con: Engine, audit: Audit, setting: Setting, form: Form) -> tuple[str, ...]:
    """For the ledger, if there is one: an erased node has no labels, whatever the file has."""
    if audit.folder is None:
        return ()
    erased = set(setting.erased)
    order = ["" if row in erased else row[0] for row in audit.drawn.in_order]
    return label_digests(con, form, order, setting.matching.dedupe)


def _check_unchanged(supplied: Supplied, outputs: Sequence[Output]) -> None:
    """Refuse a file that is not what was put on record, where the user did not name the file."""
    recorded = supplied.recorded
    if recorded is None:
        return
    for output in outputs:
        if output.role == "holdout" and not output.recorded.is_same(recorded):
            raise InputError(
                f"holdout must be as it was put on record, got {output.source.path!r}, which has "
                "changed since. Restore it; or name the file to certify with --holdout: another "
                "matcher costs δ again."
            )


def _check_same_holdout(draw: Draw | None, outputs: Sequence[Output]) -> None:
    for drawn_by in _drawn_by(draw):
        for output in outputs:
            if output.role == "holdout" and not output.recorded.is_same(drawn_by):
                raise InputError(
                    "holdout must be the output that nodes were drawn by, at its threshold, and as "
                    "pairs or clusters as it was, "
                    f"got {output.source.path or 'another table'!r}. Give that one, or draw again."
                )


def _check_names_nodes(form: Form) -> None:
    if isinstance(form, Clusters) or form.either_way:
        raise InputError(
            "labels must say which nodes were labelled where there is no draw, got pairs in either "
            "order or clusters. Give columns x and y."
        )
