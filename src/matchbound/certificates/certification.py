"""From an audit folder, or from labels that a person brings, to a certificate."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from matchbound.audits import (
    Audit,
    Draw,
    Entry,
    Issued,
    OutputRef,
    TableRef,
    as_brought,
    as_drawn,
    enter_labels,
    given_choices,
    outputs_on_record,
    planned,
    standing,
)
from matchbound.certificates.assumptions import assumed, on_record
from matchbound.certificates.certificate import Certificate, issue
from matchbound.engines import Engine, Progress, connect
from matchbound.errors import InputError
from matchbound.files import hashing_once, is_file
from matchbound.tables import (
    Clusters,
    Digest,
    Form,
    Matching,
    Output,
    Pairs,
    Reading,
    Recorded,
    Source,
    digest_of,
    key_kind,
    load_drawn,
    native_columns,
    open_source,
    read_labels,
    read_outputs,
    recognise,
    rows_of_labels,
)
from matchbound.tallies import tally_parts
from matchbound.theorems import Choices, Tally, brought_variances


@hashing_once()
def certify(
    audit: Any = None,
    *,
    holdout: Any = None,
    complete: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    unlabelled: str = "refuse",
    gap_from: str | None = None,
    population: Any = None,
    id: str | None = None,
    trained_on: Any = None,
    assume_uniform: bool = False,
    columns: Mapping[str, str] | None = None,
    dedupe: bool = False,
    link: bool = False,
    source: str | None = None,
    engine: Any = "duckdb",
    memory: str | None = None,
    temp: Any = None,
    progress: Progress = lambda _: None,
    out: Any = None,
    force: bool = False,
    choices: Choices | None = None,
    delta: float | None = None,
    metrics: Sequence[str] | None = None,
    theorem: str | None = None,
    bound: str | None = None,
    one_to_one: bool | None = None,
    at_most_one_match: bool | None = None,
    guesses: Mapping[str, float] | None = None,
    matched: float | None = None,
    variances: Mapping[str, float] | None = None,
    few_misses: Sequence[str] | None = None,
    other_terms: float | None = None,
    bands: Sequence[float] | None = None,
    algorithms: Sequence[str] | None = None,
    choose_threshold: Mapping[str, float] | None = None,
    candidates: Sequence[float] | None = None,
    allowance: float | None = None,
    gap: int | None = None,
    until: Mapping[str, int] | None = None,
    among: bool | None = None,
    future: bool | None = None,
    rounds: int | None = None,
    options: Sequence[int] | None = None,
) -> Certificate:
    """Bound the complete matcher's precision and recall, or the holdout's if there is no other.

    `audit` is the folder of a draw, or a `Draw`; choices that differ from the draw's make the
    certificate exploratory. Without a draw, give `population`, `labels` and `assume_uniform=True`,
    the nodes in `trained_on`, and the choices: `choices` is a `Choices`, or its fields are given by
    name (None: not given). `unlabelled="worst"` counts drawn nodes without a label as the worst
    case. `gap_from` is census or sample. A certificate from a folder is entered into its ledger,
    and then written to `out`, if that is given.
    """
    by_name = {
        "delta": delta,
        "metrics": metrics,
        "theorem": theorem,
        "bound": bound,
        "one_to_one": one_to_one,
        "at_most_one_match": at_most_one_match,
        "guesses": guesses,
        "matched": matched,
        "variances": variances,
        "few_misses": few_misses,
        "other_terms": other_terms,
        "bands": bands,
        "algorithms": algorithms,
        "choose_threshold": choose_threshold,
        "candidates": candidates,
        "allowance": allowance,
        "gap": gap,
        "until": until,
        "among": among,
        "future": future,
        "rounds": rounds,
        "options": options,
    }
    _check_matchers(holdout, complete, unlabelled)
    opened = Audit.open(audit)
    if audit is not None:
        _refuse_fixed(
            id=id,
            trained_on=trained_on,
            assume_uniform=assume_uniform or None,
            dedupe=dedupe or None,
            link=link or None,
            source=source,
        )
        opened.truth(labels)
        _check_validates(opened.drawn)
    else:
        _check_brought(population, labels, assume_uniform)
    given = Given(
        holdout,
        complete,
        labels,
        Reading(columns or {}, threshold),
        unlabelled,
        population,
        id,
        trained_on,
        Matching(dedupe, link, source),
    )
    identity = Identity() if opened.folder is None else Identity(opened.ledger.checked().entries)
    changes = _changes(given_choices(choices, by_name), gap_from, opened.draw)
    with connect(engine, memory, temp) as con:
        certificate = compute(con, opened, given, changes, identity, progress)
    if opened.folder is not None:
        return _enter(opened, certificate, out, force)
    if out is not None:
        certificate.save(out, force=force)
    return certificate


@dataclass(frozen=True)
class Given:
    """The tables that a certificate is computed from, and how they are read."""

    holdout: Any
    complete: Any
    labels: Any
    reading: Reading
    unlabelled: str
    population: Any = None
    id: str | None = None
    trained_on: Any = None
    matching: Matching = field(default_factory=Matching)


@dataclass(frozen=True)
class Identity:
    """What settles which tables are given: the entries on record before.

    `rows_of` says by name whether an input's rows are digested, whatever is on record.
    """

    entries: Sequence[Entry] = ()
    rows_of: Mapping[str, bool] = field(default_factory=dict)


def compute(
    con: Engine,
    audit: Audit,
    given: Given,
    changes: Mapping[str, object],
    identity: Identity,
    progress: Progress,
) -> Certificate:
    """The certificate alone: nothing is written."""
    draw = audit.draw
    choices, exploratory = audit.choices(changes)
    matching = given.matching if draw is None else draw.matching
    outputs = read_outputs(
        con,
        given.holdout,
        given.complete,
        replace(given.reading, fixed=choices.scores),
        choices.algorithms,
        matching,
        outputs_on_record(identity.entries) + _drawn_by(draw),
        identity.rows_of,
    )
    _check_same_holdout(draw, outputs)
    truth = open_source(con, "labels", audit.truth(given.labels))
    truth_form = recognise(truth, named_in_labels(truth, given.reading.columns))
    native = native_columns(outputs) if isinstance(truth_form, Pairs) else None
    xs, ys = native or ([], [])
    progress("reading the population and the labels")
    if draw is not None:
        setting, origins = as_drawn(con, audit, given.population, (choices, exploratory), (xs, ys))
        load_drawn(con, setting.sample)
        read_labels(con, truth, truth_form, setting.matching)
    else:
        _check_names_nodes(truth_form)
        read = partial(read_labels, con, truth, truth_form, matching)
        brought = given.population, given.id, given.trained_on
        setting, origins = as_brought(con, *brought, choices, matching, read)
    kinds = setting.kind, key_kind(*ys) if ys else "string"
    if matching.dedupe:
        kinds = setting.kind, setting.kind
    tallies, rows = tally_parts(
        con, setting, outputs, kinds, truth_form, given.unlabelled, progress
    )
    labels = TableRef(truth.path, _digest_of_labels(con, truth, truth_form, identity))
    certified = [OutputRef.of_output(one, rows[one.name]) for one in outputs]
    progress("bounding")
    complete = given.complete is not None
    forms = [*(one.form for one in outputs), truth_form]
    return issue(
        tallies,
        _with_variances(setting.choices, audit, outputs, tallies),
        complete=complete,
        inputs=origins.inputs(labels, certified),
        assumptions=assumed(tallies, setting, complete, forms),
        exploratory=setting.exploratory,
    )


def _with_variances(
    choices: Choices, audit: Audit, outputs: Sequence[Output], tallies: Mapping[str, Tally]
) -> Choices:
    """Put in the variances that were found before any validation label, if there are some."""
    if audit.draw is None:
        return replace(choices, variances=brought_variances(tallies))
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
    rows = rows_of_labels(truth, form)
    return digest_of(con, truth, rows, (), entered, always=always)


def _enter(audit: Audit, certificate: Certificate, out: Any, force: bool) -> Certificate:
    """Put the labels, if they are new, and the certificate on record; then write it.

    How it stands is read from the ledger under its lock: whatever was entered while it was being
    computed counts.
    """
    issued = Issued.of(certificate.inputs, certificate.choices, certificate.exploratory)
    with audit.transaction() as ledger:
        enter_labels(ledger, issued.labels, _validated(certificate))
        placed = on_record(certificate, standing(ledger.entries, issued))
        ledger.add("certificate", certificate=placed.as_dict()["digest"], **issued.as_dict())
        ledger.commit()
        if out is not None:
            placed.save(out, force=force)
    return placed


def _validated(certificate: Certificate) -> int:
    """How many validation nodes outside D have a label."""
    tally = next(iter(certificate.tallies.values()))
    return sum(t is not None for _, t, *_ in tally.fresh)


def _check_validates(draw: Draw) -> None:
    if not draw.labels:
        raise InputError(
            "audit must hold nodes to validate on, got training nodes alone. Label them, develop "
            "the holdout matcher, then draw the others: draw POPULATION --labels N --holdout H."
        )


def _changes(
    choices: Mapping[str, object], gap_from: str | None, draw: Draw | None
) -> dict[str, object]:
    if gap_from is None:
        return dict(choices)
    if gap_from not in ("census", "sample") or draw is None:
        raise InputError(
            f"gap_from must be census or sample, with an audit folder, got {gap_from!r}. "
            "Choose one of them, or leave it out."
        )
    if gap_from == "sample" and not draw.choices.gap:
        raise InputError(
            "gap_from must be census where no gap sample was drawn, got sample. Draw with --gap."
        )
    return {**choices, "gap": draw.choices.gap if gap_from == "sample" else 0}


def _check_same_holdout(draw: Draw | None, outputs: Sequence[Output]) -> None:
    for drawn_by in _drawn_by(draw):
        for output in outputs:
            if output.role == "holdout" and not output.recorded.is_same(drawn_by):
                raise InputError(
                    "holdout must be the output that nodes were drawn by, at its threshold, "
                    f"got {output.source.path or 'another table'!r}. Give that one, or draw again."
                )


def named_in_labels(truth: Source, columns: Mapping[str, str]) -> dict[str, str]:
    """The names that hold for labels too: all those of ids, or none."""
    named = {role: name for role, name in columns.items() if role != "score"}
    ids = [name for role, name in named.items() if role != "source"]
    if not ids or not all(truth.column(name) for name in ids):
        return {}
    if "source" in named and not truth.column(named["source"], f"{named['source']}_l"):
        del named["source"]
    return named


def _check_names_nodes(form: Form) -> None:
    if isinstance(form, Clusters) or form.either_way:
        raise InputError(
            "labels must say which nodes were labelled where there is no draw, got pairs in either "
            "order or clusters. Give columns x and y."
        )


def _check_matchers(holdout: Any, complete: Any, unlabelled: str) -> None:
    if holdout is None:
        alone = "complete alone" if complete is not None else "neither matcher"
        raise InputError(
            f"holdout must be given, got {alone}: labels that may have trained a matcher cannot "
            "test it. Give a matcher developed without the validation labels as holdout; if the "
            "labels trained nothing, that is your matcher itself."
        )
    if unlabelled not in ("refuse", "worst"):
        raise InputError(f"unlabelled must be refuse or worst, got {unlabelled!r}. Choose one.")


def _refuse_fixed(**fixed: object) -> None:
    for name, value in fixed.items():
        if value is not None:
            raise InputError(
                f"{name} must be left out with an audit folder, got {value!r}: such things are "
                "fixed at the draw. Drop it, or draw again."
            )


def _check_brought(population: Any, labels: Any, assume_uniform: bool) -> None:
    if isinstance(labels, str | os.PathLike) and is_file(Path(labels).parent / "draw.json"):
        raise InputError(
            f"labels must not be those of a draw where none is given, got {str(labels)!r}. Certify "
            "the audit folder that they are in."
        )
    if population is None or labels is None or not assume_uniform:
        raise InputError(
            "audit must be given, or else population, labels and assume_uniform, got neither. "
            "Give the folder of a draw, or say that your labels are a uniform sample."
        )
