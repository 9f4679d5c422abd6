"""What a certificate shows to be wrong by itself, without any other file."""

from collections.abc import Iterator
from dataclasses import asdict

from matchbound.audits import refuse_unproven_in_part
from matchbound.certificates.advice import advise
from matchbound.certificates.certificate import Certificate
from matchbound.certificates.record import Record, guarantee_differences
from matchbound.errors import MatchboundError
from matchbound.theorems import (
    Choices,
    brought_variances,
    choose_threshold,
    guarantees,
    parts,
)


def contradictions(record: Record, certificate: Certificate) -> Iterator[str]:
    """Yield what was changed, what no certificate has, and what the tallies do not give."""
    yield from record.changed()
    yield from record.unknown_fields(certificate.record)
    yield from _recomputed(certificate)


def _recomputed(certificate: Certificate) -> Iterator[str]:
    """Yield what does not follow from the tallies."""
    tallies, choices = certificate.tallies, certificate.choices
    if list(tallies) != [part.name for part in parts(choices)]:
        yield "tallies are not of the parts that the choices make"
        return
    nodes = [node for tally in tallies.values() for node in (*tally.train, *tally.validation)]
    if choices.one_to_one and any((node.t or 0) > 1 for node in nodes):
        yield "tallies hold a node with several true matches, which choices.one_to_one excludes"
    if certificate.inputs.within is not None:
        yield from _unproven_in_part(choices)
        if certificate.inputs.draw is None:
            yield "inputs.within is of a draw, and there is none"
    if choices.brought is (certificate.inputs.draw is not None):
        yield "choices.brought is not what the inputs say"
    if choices.brought and dict(choices.variances) != brought_variances(tallies, choices):
        yield "choices.variances are not what the training nodes' labels give"
    if not fits_inputs(certificate):
        yield "growth is not what the inputs say"
    try:
        again = guarantees(
            tallies, choices, complete=certificate.has_complete, growth=certificate.growth
        )
        yield from _threshold_differences(certificate)
    except MatchboundError as error:
        yield f"tallies give no guarantee: {error}"
        return
    yield from guarantee_differences(
        list(map(asdict, certificate.guarantees)), list(map(asdict, again))
    )
    if certificate.advice != advise(next(iter(tallies.values())), choices):
        yield "advice is not what the tallies give"


def fits_inputs(certificate: Certificate) -> bool:
    """Whether as many nodes are kept and new as the population now has, if it has changed."""
    growth, now, within = certificate.growth, certificate.inputs.now, certificate.inputs.within
    if growth is None or now is None:
        return growth is None and now is None
    kept = next(iter(certificate.tallies.values())).size - growth.change.gone
    cohorts = sum(one.tally.size - one.change.gone for one in growth.cohorts)
    return within is not None or now.size == kept + cohorts + growth.new.nodes


def _unproven_in_part(choices: Choices) -> Iterator[str]:
    try:
        refuse_unproven_in_part(choices)
    except MatchboundError as error:
        yield f"choices are not proved for a part: {error}"


def _threshold_differences(certificate: Certificate) -> Iterator[str]:
    tallies, choices = certificate.tallies, certificate.choices
    if choices.choose_threshold:
        chosen = choose_threshold(tallies, choices, complete=certificate.has_complete)
        if certificate.threshold != chosen:
            yield f"threshold is not what the tallies give, {chosen.chosen}"
    elif certificate.threshold is not None:
        yield "threshold was not to be chosen"
