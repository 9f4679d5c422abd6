"""Certificates of later draws, which a certificate of the whole population is made with."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from matchbound.audits import (
    PROMISES,
    Audit,
    CohortRef,
    Inputs,
    Newest,
    cohort_folder,
    labels_in_folder,
    newest_certificate,
    same_labels,
)
from matchbound.certificates import words
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.record import Record
from matchbound.errors import InputError, MatchboundError
from matchbound.files import digest_of_file, is_file
from matchbound.tables import Digest, is_same_table
from matchbound.theorems import Change, Cohort, holdout_alone


@dataclass(frozen=True)
class Cohorts:
    """The tallies of cohorts, what names their certificates on record, and what these say.

    `unlabelled` and `erased` nodes count as the worst case. `only_own_rows`: every labelled match
    of a cohort is a row of its matcher's own table, and nobody said how others were looked for.
    """

    tallies: tuple[Cohort, ...] = ()
    refs: tuple[CohortRef, ...] = ()
    unlabelled: int = 0
    erased: int = 0
    only_own_rows: bool = False


PRINTED = (
    *("drawn", "within", "no_other_draw", "seed_after_matcher", "all_true", "complete_anything"),
    *("changed_since", "kept_unchanged", "promises_now", "other_unchanged", "uncovered"),
    *("one_to_one", "at_most_one_match", "every_node_matched", "most_true_matches"),
    *("entities", "disjoint_ids", "unlabelled", "erased", "only_own_rows"),
    *("limit_by_sample", "among_at_most"),  # of metrics that are not covered then
)
"""What a cohort's certificate may rest on: a certificate of both draws prints it too."""


def read_cohorts(audit: Audit, files: Mapping[str, Path | None], inputs: Inputs) -> Cohorts:
    """Read the certificates of cohorts: these files, None for the newest on record."""
    found = {name: _certified(audit, name, path, inputs) for name, path in files.items()}
    certificates = [certificate for _, certificate in found.values()]
    return Cohorts(
        tuple(_cohort(name, certificate) for name, (_, certificate) in found.items()),
        tuple(
            CohortRef(str(path), Digest(None, digest_of_file(path)), name)
            for name, (path, _) in found.items()
        ),
        sum(_nodes(one, "unlabelled") for one in certificates),
        sum(_nodes(one, "erased") for one in certificates),
        any(one.is_unsearched for one in certificates),
    )


def _nodes(certificate: Certificate, code: str) -> int:
    """How many nodes a certificate says this of."""
    return sum(one.named["nodes"] for one in certificate.assumptions if one.code == code)


def _cohort(name: str, certificate: Certificate) -> Cohort:
    tally = next(iter(certificate.tallies.values()))
    tally = tally if certificate.has_complete else holdout_alone(tally)
    change = Change() if certificate.growth is None else certificate.growth.change
    return Cohort(tally, certificate.choices, change, name)


def _certified(
    audit: Audit, name: str, given: Path | None, inputs: Inputs
) -> tuple[Path, Certificate]:
    """The cohort's certificate of the same matcher, on the same population."""
    folder = cohort_folder(audit.own_folder, name)
    newest = newest_certificate(folder) if given is None else Newest(given)
    path, certificate = newest.path, None if newest.missing else _read(newest.path)
    if certificate is None or not _is_of(certificate, inputs):
        raise InputError(
            f"cohort must have a certificate of the complete matcher on the population as it is "
            f"now, got none in {str(folder)!r}. Certify it first: matchbound certify {folder} with "
            "the same --complete and --population."
        )
    if given is None:
        _check_now(Audit.open(folder), certificate)
    _check_rests(audit, folder, certificate)
    return path, certificate


def _check_now(cohort: Audit, certificate: Certificate) -> None:
    """Refuse a certificate that is not in the cohort's ledger, or of labels as they were."""
    on_record = {one["certificate"] for one in cohort.ledger.checked().of_kind("certificate")}
    labels = labels_in_folder(cohort).digest if is_file(cohort.truth()) else None
    is_old = labels is not None and not same_labels(
        certificate.inputs.labels.digest, cohort.ledger.journal.salted(labels)
    )
    if is_old or certificate.as_dict()["digest"] not in on_record:
        what = "of labels that have changed since" if is_old else "that is not in its ledger"
        raise InputError(
            f"cohort must have a certificate of its labels as they are now, got one {what} in "
            f"{str(cohort.folder)!r}. Certify it again."
        )


def _check_rests(audit: Audit, folder: Path, certificate: Certificate) -> None:
    """Refuse a certificate that rests on more than a certificate of both draws would say."""
    if certificate.shortfall:
        raise InputError(
            f"cohort must have a certificate that holds with 1 - δ of its draw, got one in "
            f"{str(folder)!r} that does not: {certificate.shortfall}. Draw another cohort."
        )
    if certificate.ledger is None or certificate.ledger.seeded is None:
        raise InputError(
            "cohort must have a certificate of the matcher that was on record before the cohort's "
            f"seed was made, got one of another in {str(folder)!r}. Certify it with that as "
            "--holdout, and the other as --complete."
        )
    others = [remark for remark in certificate.assumptions if remark.code not in PRINTED]
    if others:
        raise InputError(
            f"cohort must have a certificate that rests on no more than one of both draws, got one "
            f"in {str(folder)!r} that does: {words.sentences(others)[0].rstrip('.')}. Draw another "
            "cohort."
        )
    promised = [getattr(certificate.choices, one) for one in PROMISES]
    if promised != [getattr(audit.drawn.choices, one) for one in PROMISES]:
        raise InputError(
            f"cohort must have the promises of the first draw, got others in {str(folder)!r}. "
            "Leave the cohort out."
        )


def _read(path: Path) -> Certificate | None:
    """A certificate, if the file is one, and as it was written; draw.json is none."""
    try:
        record = Record.read(path)
        return None if any(record.changed()) else Certificate.of(record)
    except MatchboundError:
        return None


def _is_of(certificate: Certificate, inputs: Inputs) -> bool:
    """Whether it is about the complete matcher of `inputs`, over the same nodes.

    One with records that have changed since the cohort was drawn has too few of them.
    """
    certified = certificate.inputs.of_role("complete" if certificate.has_complete else "holdout")
    complete = inputs.of_role("complete")
    now = certificate.inputs.now or certificate.inputs.population
    return (
        inputs.now is not None
        and certificate.inputs.changed is None
        and len(certified) == len(complete) == 1
        and certified[0].recorded.is_same(complete[0].recorded)
        and is_same_table(now.digest, inputs.now.digest)
    )
