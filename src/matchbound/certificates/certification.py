"""From an audit folder, or from labels that a person brings, to a certificate."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from matchbound.audits import (
    Audit,
    Draw,
    Identity,
    Ledger,
    Matcher,
    Supplied,
    checked_release,
    enter_labels,
    given_choices,
    name_taken,
    planned_choices,
    release_entry,
    release_path,
    restored,
    standing,
)
from matchbound.certificates.assumptions import assumed, on_record
from matchbound.certificates.certificate import Certificate, issue
from matchbound.certificates.contradictions import fits_inputs
from matchbound.certificates.counted import check_matchers, check_validates, count_audit
from matchbound.certificates.place import entered_otherwise
from matchbound.certificates.unclosed import clusters_beside
from matchbound.engines import Engine, Progress, Resources
from matchbound.errors import InputError
from matchbound.files import (
    check_writable,
    hashing_once,
    is_file,
    is_there,
    refuse_existing,
    refuse_input_as_out,
)
from matchbound.tables import Matching, Reading
from matchbound.theorems import Choices


@hashing_once()
def certify(
    audit: Any = None,
    *,
    holdout: Any = None,
    complete: Any = None,
    labels: Any = None,
    threshold: float | None = None,
    unlabelled: str = "refuse",
    truth_searched: str | None = None,
    release: str | None = None,
    gap_from: str | None = None,
    population: Any = None,
    changed: Any = None,
    cohorts: Sequence[str] = (),
    within: Any = None,
    id: str | None = None,
    trained_on: Any = None,
    assume_uniform: bool = False,
    columns: Mapping[str, str] | None = None,
    clusters: bool | None = None,
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
    every_node_matched: bool | None = None,
    most_true_matches: int | None = None,
    among_records_with_at_most: int | None = None,
    limit_by_sample: bool | None = None,
    weigh: str | None = None,
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

    `audit` is the folder of a draw, or a `Draw`. Without `holdout`, the one matcher that is on
    record in the folder is certified as it was registered, from its file. Choices that differ from
    the draw's make the certificate exploratory. Without a draw, give `population`, `labels` and
    `assume_uniform=True`, the nodes in `trained_on`, and the choices: `choices` is a `Choices`, or
    its fields are given by name (None: not given). `population` and `within`, the part that was
    drawn from, are found again if they are files. If the population has changed since the draw,
    give it as it is now, and in `changed` the ids of records that are not what they were: the
    certificate is about it then. `cohorts` are names of later draws, whose certificates of the same
    matcher are used. `clusters`: matchers' outputs are the clusters that their pairs link; if that
    is not said, they are what they are on record. `unlabelled="worst"` counts drawn nodes without a
    label as the worst case. `truth_searched` says in words how true matches were looked for; it is
    in the ledger and in the certificate. `gap_from` is census or sample. A certificate from a
    folder is entered into its ledger, and then written to `out`, if that is given. `release` names
    a version of the matcher: the certificate is then a release, and `out` is a file of that name
    in the folder's `releases`, if it is not given.
    """
    release = checked_release(release)
    by_name = given_choices(choices, locals())
    opened = Audit.open(audit)
    if release is not None:
        opened, out = _for_release(opened, release, out, force)
    matcher = Matcher.of(opened, holdout, Reading(columns or {}, threshold, clusters))
    check_matchers(matcher.output, complete, unlabelled)
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
        check_validates(opened.drawn)
    else:
        _check_brought(population, labels, assume_uniform)
        _refuse_of_draw(within=within, changed=changed, cohort=cohorts or None)
    supplied = Supplied(
        matcher.output,
        complete,
        labels,
        matcher.reading,
        unlabelled,
        population,
        id,
        trained_on,
        Matching(dedupe, link, source),
        within,
        truth_searched,
        changed=changed,
        cohorts=dict.fromkeys(cohorts),
        recorded=matcher.recorded,
    )
    resources = Resources(engine, memory, temp, progress)
    opened = restored(opened, supplied, resources)
    identity = Identity() if opened.folder is None else Identity(opened.ledger.checked().entries)
    changes = _changes(by_name, gap_from, opened.draw)
    with resources.connect() as con:
        certificate = compute(con, opened, supplied, changes, identity, progress)
    if opened.folder is not None:
        return _enter(opened, replace(certificate, release=release), out, force)
    certificate = replace(certificate, inputs=certificate.inputs.on_record(None, None))
    if out is not None:
        certificate.save(out, force=force)
    return certificate


def compute(
    con: Engine,
    audit: Audit,
    supplied: Supplied,
    changes: Mapping[str, object],
    identity: Identity,
    progress: Progress,
) -> Certificate:
    """The certificate alone: nothing is written."""
    counted = count_audit(con, audit, supplied, changes, identity, progress)
    progress("bounding")
    complete, tallies, outputs = supplied.complete is not None, counted.tallies, counted.outputs
    certificate = issue(
        tallies,
        planned_choices(counted.choices, audit, outputs, tallies),
        complete=complete,
        inputs=counted.inputs,
        assumptions=assumed(counted, complete),
        beside=clusters_beside(counted.unclosed, counted.choices),
        exploratory=counted.exploratory,
        truth_searched=supplied.truth_searched,
        growth=counted.growth,
    )
    if not fits_inputs(certificate):
        raise InputError(
            "population must be the same in the certificates of cohorts, with the nodes that they "
            "were drawn from, got other numbers of nodes. Certify the cohorts again with it."
        )
    return certificate


def _enter(audit: Audit, certificate: Certificate, out: Any, force: bool) -> Certificate:
    """Put the labels, if they are new, and the certificate on record; then write it.

    How it stands is read from the ledger under its lock: whatever was entered while it was being
    computed counts. A release that is on record is written again if it is the same certificate.
    """
    if out is not None:
        refuse_input_as_out(Path(out), audit.files)
    with audit.transaction() as ledger:
        entry = release_entry(ledger.entries, certificate.release)
        inputs = certificate.inputs.on_record(ledger.salted, audit.folder)
        issued = certificate.issued(inputs)
        if entry is None:
            enter_labels(ledger, certificate.inputs.labels, audit.drawn.train)
        _check_draw(audit.drawn, ledger.ledger)
        before = ledger.entries if entry is None else ledger.entries[: entry["entry"] - 1]
        stands = standing(before, issued, ledger.salted)
        placed = on_record(replace(certificate, inputs=inputs), stands)
        digest = placed.as_dict()["digest"]
        if entry is None:
            ledger.add("certificate", certificate=digest, **issued.as_dict())
        elif entry["certificate"] != digest:
            raise name_taken(issued.release or "", entry)
        ledger.remember(one.path for one in certificate.inputs.tables.values())
        ledger.commit()
        if out is not None:
            placed.save(out, force=force)
    return placed


def _for_release(audit: Audit, release: str, out: Any, force: bool) -> tuple[Audit, Path]:
    """The audit, and where a release is written; a name that is taken is refused at once.

    If the release's file is not there (a crash, or it was lost), the same command makes it again
    from the audit as it was before.
    """
    if audit.folder is None:
        raise InputError(
            f"release must come with an audit folder, got {release!r} without one: releases are in "
            "its ledger. Draw into a folder, or leave the name out."
        )
    own = release_path(audit.folder, release)
    path = own if out is None else Path(out)
    entry = release_entry(audit.ledger.checked().entries, release)
    if entry is not None:
        if entry["release"] != release or is_there(own) or is_there(path):
            raise name_taken(release, entry)
        audit = audit.before(entry)
    refuse_existing([path], force)
    check_writable(path)
    return audit, path


def _check_draw(draw: Draw, ledger: Ledger) -> None:
    """Refuse a folder whose certificates would not verify: its files do not fit each other."""
    for problem in entered_otherwise(draw, ledger):
        raise InputError(
            f"audit must hold a ledger and a draw.json that fit each other, got {problem}. Restore "
            "them, or draw into another folder."
        )
    if draw.sealed_nodes is not None and not any(e["kind"] == "forget" for e in ledger.entries):
        raise InputError(
            "audit must hold journal.jsonl as it was written, got one that does not open what the "
            "ledger commits to. Restore it, or draw into another folder."
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


def _refuse_fixed(**fixed: object) -> None:
    for name, value in fixed.items():
        if value is not None:
            raise InputError(
                f"{name} must be left out with an audit folder, got {value!r}: such things are "
                "fixed at the draw. Drop it, or draw again."
            )


def _refuse_of_draw(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise InputError(
                f"{name} must be left out where labels are brought along, got it: it is about what "
                "nodes were drawn from. Draw, and label what is drawn."
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
