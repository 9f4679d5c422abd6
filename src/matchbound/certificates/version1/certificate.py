"""A certificate of version 1: read, and computed again by version 1's rules."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from matchbound.certificates.record import Record, guarantee_differences, unreadable
from matchbound.certificates.version1.choices import Choices
from matchbound.certificates.version1.guarantees import (
    Guarantee,
    Threshold,
    choose_threshold,
    guarantees,
)
from matchbound.certificates.version1.inputs import Input, Place
from matchbound.certificates.version1.tally import Tally
from matchbound.errors import MatchboundError


@dataclass(frozen=True)
class Certificate:
    """What version 1 certified; its assumptions and advice were sentences, and are not kept."""

    guarantees: tuple[Guarantee, ...]
    choices: Choices
    tallies: Mapping[str, Tally]
    inputs: Mapping[str, Input]
    threshold: Threshold | None
    exploratory: tuple[str, ...]
    ledger: Place | None
    digest: str

    @staticmethod
    def of(written: Record) -> "Certificate":
        record = written.content
        try:
            threshold, ledger = record["threshold"], record["ledger"]
            if not record["tallies"]:
                raise TypeError("tallies are empty")
            names = [field.name for field in fields(Guarantee)]
            return Certificate(
                tuple(Guarantee(*(each[n] for n in names)) for each in record["guarantees"]),
                Choices.from_dict(record["choices"]),
                {part: Tally.from_dict(tally) for part, tally in record["tallies"].items()},
                {name: Input.of(name, one) for name, one in record["inputs"].items()},
                threshold and Threshold(threshold["chosen"], tuple(threshold["passed"])),
                tuple(record["exploratory"]),
                None if ledger is None else Place.of(ledger),
                record["digest"],
            )
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise unreadable(error) from None

    @property
    def has_complete(self) -> bool:
        return any(one.role == "complete" for one in self.inputs.values())

    @property
    def is_brought(self) -> bool:
        return "draw" not in self.inputs

    def rewritten(self, record: Record) -> Record:
        """Write it again; sentences, inputs and the place in the ledger are as in the record."""
        kept = ("matchbound", "assumptions", "advice", "inputs", "ledger")
        content = {
            **{name: record.content[name] for name in kept if name in record.content},
            "guarantees": [asdict(guarantee) for guarantee in self.guarantees],
            "choices": {k: list(v) if isinstance(v, tuple) else v for k, v in self._choices()},
            "exploratory": list(self.exploratory),
            "threshold": self.threshold
            and {"chosen": self.threshold.chosen, "passed": list(self.threshold.passed)},
            "tallies": {part: tally.as_dict() for part, tally in self.tallies.items()},
        }
        return Record(content)

    def _choices(self) -> Iterator[tuple[str, Any]]:
        return ((field.name, getattr(self.choices, field.name)) for field in fields(Choices))


def contradictions(record: Record, certificate: Certificate) -> Iterator[str]:
    """Yield what version 1's rules do not give from the tallies, and bounds that are not valid."""
    yield from record.changed()
    yield from record.unknown_fields(certificate.rewritten(record))
    yield from _recomputed(certificate)
    for i, guarantee in enumerate(certificate.guarantees):
        if certificate.is_brought and guarantee.bound == "betting":
            yield (
                f"guarantees[{i}]: betting on labels brought along; this bound is not valid: "
                "public order"
            )


def _recomputed(certificate: Certificate) -> Iterator[str]:
    tallies, choices = certificate.tallies, certificate.choices
    if list(tallies) != [part for part, _ in choices.parts()]:
        yield "tallies are not of the parts that the choices make"
        return
    nodes = [node for tally in tallies.values() for node in (*tally.train, *tally.validation)]
    if choices.one_to_one and any((t or 0) > 1 for _, t, _ in nodes):
        yield "tallies hold a node with several true matches, which choices.one_to_one excludes"
    try:
        again = guarantees(tallies, choices, certificate.has_complete)
        threshold = choose_threshold(tallies, choices, certificate.has_complete)
    except (MatchboundError, KeyError, TypeError, ValueError, ArithmeticError) as error:
        yield f"tallies give no guarantee: {error}"
        return
    if certificate.threshold != threshold:
        yield "threshold is not what the tallies give"
    yield from guarantee_differences(
        list(map(asdict, certificate.guarantees)), list(map(asdict, again))
    )
