"""Compute a certificate again: from its own tallies, and from its inputs where they are at hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from matchbound.audits import Draw, Newest, folder_of, newest_certificate
from matchbound.certificates import version1
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.contradictions import contradictions
from matchbound.certificates.inputs import Evidence, find_draw, gather
from matchbound.certificates.outcome import Verification
from matchbound.certificates.place import (
    history_of,
    ledger_differences,
    unfinished_ledger,
    unplaced,
)
from matchbound.certificates.reach import Reach
from matchbound.certificates.record import VERSION, Record
from matchbound.certificates.recount import recount_differences
from matchbound.certificates.redrawing import drawn_otherwise
from matchbound.certificates.seals import check_seals
from matchbound.engines import Progress, Resources
from matchbound.errors import EngineError, InputError, MatchboundError
from matchbound.files import hashing_once, is_file, is_folder

if TYPE_CHECKING:
    from os import PathLike


@hashing_once()
def verify(
    target: "str | PathLike[str] | Certificate",
    *,
    require: Mapping[str, float] | None = None,
    inputs: "str | PathLike[str] | None" = None,
    untrusted: bool = False,
    seals: "Sequence[str | PathLike[str]]" = (),
    signers: "str | PathLike[str] | None" = None,
    memory: str | None = None,
    temp: Any = None,
    progress: Progress = lambda _: None,
) -> Verification:
    """Verify the certificate in an audit folder, a certificate.json alone, or one in memory.

    `outcome` of what is returned is one of four things; what cannot be checked is raised. Inputs
    are looked for in and beside an audit folder, and where its paths.jsonl says; with `untrusted`,
    and for a certificate alone, only in its own folder. `inputs` is a folder under which they are
    looked for too. `require` are values that metrics must be certified to have. `seals` are files
    that `seal` wrote, besides those in the folder; one must be signed by one of the `signers`, a
    file of allowed signers as ssh-keygen has it.
    """
    required = _checked(require or {})
    resources = Resources("duckdb", memory, temp, progress)
    if memory is not None or temp is not None:
        with resources.connect():  # refuse these before anything is contradicted
            pass
    newest = None
    if not isinstance(target, Certificate) and is_folder(Path(target)):
        newest = newest_certificate(Path(target))
    if newest is not None and newest.missing:
        return Verification((), (), (f"{newest.path}, {newest.missing}",))
    place = None if inputs is None else Path(inputs)
    record, reach = _opened(target, newest, place, untrusted)
    kept, allowed = [Path(seal) for seal in seals], None if signers is None else Path(signers)
    try:
        if record.version == 1:
            if kept or allowed is not None:
                raise InputError(
                    "seals and signers must come with a certificate of version 2, got one of "
                    "version 1, whose ledger has no seal. Drop them."
                )
            found = _verify_version1(record, reach, required)
        else:
            found = _verify(record, reach, required, (kept, allowed), resources)
    except MatchboundError:
        raise
    except (OSError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or "memory is exhausted"
        raise EngineError(f"cannot check the certificate: {reason}. Mend that first.") from None
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        problem = f"certificate holds what matchbound does not write ({error!r})"
        found = Verification((*record.changed(), problem), ("its digests",), ())
    if newest is None:
        return found
    return replace(found, certificate=str(newest.path), release=newest.release)


def _checked(require: Mapping[str, float]) -> Mapping[str, float]:
    for metric, value in require.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise InputError(
                f"require must be a metric and a number from 0 to 1, got {metric}={value!r}. Give "
                "for example precision=0.9."
            )
    return require


def _opened(
    target: Any, newest: Newest | None, inputs: Path | None, untrusted: bool
) -> tuple[Record, Reach]:
    """Read the certificate; files of one in memory are looked for in the current folder."""
    if isinstance(target, Certificate):
        return target.record, Reach(Path(), inputs=inputs)
    path = Path(target) if newest is None else newest.path
    folder = folder_of(path)
    is_audit = newest is not None or folder != path.parent
    reach = Reach(folder, is_audit and not untrusted, inputs, path)
    leads_out = is_audit and not reach.leads_in(path)
    try:
        is_special = path.exists() and not is_file(path)
    except (OSError, ValueError):  # reading it says why
        is_special = False
    if is_special or leads_out:
        what = "a pipe or a device" if is_special else "a link that leads elsewhere"
        raise InputError(
            f"certificate must be a regular file, got {str(path)!r}, {what}. Give a certificate."
        )
    return Record.read(path), reach


def _verify(
    record: Record,
    reach: Reach,
    require: Mapping[str, float],
    seals: tuple[Sequence[Path], Path | None],
    resources: Resources,
) -> Verification:
    checked = ["its digests", "its guarantees, from its tallies"]
    try:
        certificate = Certificate.of(record)
    except MatchboundError as error:
        return _unreadable(record, error, checked)
    unmet = tuple(_unmet(certificate, require))
    differences = list(contradictions(record, certificate))
    length = None if certificate.ledger is None else certificate.ledger.entries
    digest, drawn = str(record.content.get("digest")), find_draw(certificate, reach)
    history = history_of(length, digest, reach, drawn)
    sealed = check_seals(history, reach, *seals)
    evidence = gather(certificate, reach, history)
    missing, draw = evidence.missing, evidence.draw
    differences += evidence.differences
    differences += [] if draw is None else draw_differences(certificate, draw)
    in_ledger: list[str] = []
    if certificate.ledger is None:
        drawn_from = certificate.inputs.draw
        in_ledger += unplaced(history, None if drawn_from is None else drawn_from.path)
    elif history.folder is None:
        missing.append("ledger")
    else:
        in_ledger += ledger_differences(certificate, certificate.ledger, history, draw)
        checked.append("its place in the ledger")
    if not missing and not differences and not history.ends_early:
        differences += recount_differences(evidence, resources)
        checked.append("its tallies, from its inputs")
        for name, path in evidence.cohorts.items():
            of_cohort = Reach(folder_of(path), reach.trusted, reach.inputs, path)
            nested = _verify(Record.read(path), of_cohort, {}, ((), None), resources)
            differences += [f"{name}: {one}" for one in nested.differences]
            missing += [f"{one} of {name}" for one in nested.missing]
            checked.append(f"the certificate of {name}")
        checked += [] if draw is None else ["its draw, from the seed"]
    elif not differences and not in_ledger:
        differences += _from_the_seed(evidence, resources, checked)
    differences += [*in_ledger, *sealed.differences]
    found = tuple(differences), tuple(checked), tuple(missing)
    return Verification(
        *found,
        unfinished_ledger(history, reach.certificate),
        grown=evidence.grown,
        unmet=(*unmet, *sealed.unmet),
        sealed=sealed.words,
    )


def _from_the_seed(evidence: Evidence, resources: Resources, checked: list[str]) -> list[str]:
    """Check the draw by its seed alone, where draw.json or the journal has it."""
    differences = drawn_otherwise(evidence, resources)
    if differences is None:
        return []
    checked.append("its draw, from the seed")
    return differences


def _unreadable(
    record: Record, error: MatchboundError, checked: list[str], version: int = VERSION
) -> Verification:
    """For a certificate that cannot be read: one that was changed is contradicted."""
    differences = list(record.changed())
    if not differences:
        raise error
    return Verification((*differences, str(error)), tuple(checked), (), version=version)


def _unmet(certificate: Certificate, require: Mapping[str, float]) -> Iterator[str]:
    """Yield the requirements that the certificate does not meet, and why."""
    for metric, target in require.items():
        if not certificate.meets(metric, target):
            reason = certificate.why_unmet(metric)
            if not reason and certificate.guarantees:
                reason = f"certified is {certificate.value(metric):g}"
            yield f"{metric} {target:g}" + (f" ({reason})" if reason else "")


def _verify_version1(record: Record, reach: Reach, require: Mapping[str, float]) -> Verification:
    """Verify a certificate of version 1; its tallies are not counted again from its inputs."""
    if require:
        raise InputError(
            "require must come with a certificate of version 2, got one of version 1, which does "
            "not say whether the user gave its seed. Certify again."
        )
    checked = ["its digests", "its guarantees, from its tallies, by version 1's rules"]
    try:
        certificate = version1.Certificate.of(record)
    except MatchboundError as error:
        return _unreadable(record, error, checked, version=1)
    differences = list(version1.contradictions(record, certificate))
    paths, missing = version1.at_hand(certificate, reach)
    differences += version1.file_differences(certificate, paths)
    if "draw" in paths:
        reach.check(paths["draw"].parent)
        differences += version1.draw_differences(certificate, paths["draw"])
        checked.append("its choices, from its draw")
    place = certificate.ledger
    length = None if place is None else place.entries
    history = history_of(length, certificate.digest, reach, paths.get("draw"))
    if place is None:
        drawn_from = certificate.inputs.get("draw")
        differences += unplaced(history, None if drawn_from is None else drawn_from.path)
    elif history.folder is None or not version1.has_ledger(history.folder):
        missing.append("ledger")
    else:
        differences += version1.ledger_differences(certificate, place, history.folder)
        checked.append("its place in the ledger, by today's rules")
    return Verification(tuple(differences), tuple(checked), tuple(missing), version=1)


def draw_differences(certificate: Certificate, before: Draw) -> Iterator[str]:
    """Yield what is not as the draw fixed it."""
    tally = next(iter(certificate.tallies.values()))
    drawn = certificate.inputs.draw
    if drawn is None or before.seed_given != drawn.seed_given:
        yield "inputs.draw.seed_given is not as the draw has it"
    after = certificate.choices.as_dict()
    by_ledger = ("variances",) if certificate.ledger is not None else ()
    differ = tuple(
        name
        for name, value in before.choices.as_dict().items()
        if value != after[name] and name not in by_ledger
    )
    if differ != certificate.exploratory:
        names = ", ".join(differ) or "none differs"
        yield f"choices are not those of the draw ({names}), or exploratory is wrong"
    stops = before.choices.is_anytime or before.choices.until_true is not None
    whole = len(tally.validation) == before.labels or stops
    if not whole or len(tally.train) != before.train:
        yield "tallies are not of as many nodes as were drawn"
