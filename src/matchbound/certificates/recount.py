"""A certificate's tallies, counted again from its inputs."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from matchbound.audits import Draw, Entry, before_labels, read_ledger, redraw
from matchbound.certificates.assumptions import on_record
from matchbound.certificates.certificate import Certificate, leaves
from matchbound.certificates.certification import Given, Identity, compute
from matchbound.certificates.rows import rows_at
from matchbound.engines import Progress, connect
from matchbound.errors import MatchboundError
from matchbound.tables import Digest, Matching, Reading

MATCHING = ("dedupe", "link", "source")


def recounted(
    certificate: Certificate,
    places: Mapping[str, Path],
    memory: str | None,
    temp: Any,
    progress: Progress,
) -> Iterator[str]:
    """What does not follow from the inputs."""
    inputs, choices = certificate.inputs, certificate.choices
    population = inputs["population"]
    first = next(source for name, source in inputs.items() if name.partition(" ")[0] == "holdout")
    audit = places["draw"].parent if "draw" in places else None
    changes = choices.as_dict()
    matching = Matching()
    try:
        if audit is not None:
            yield from _redrawn(Draw.load(audit), places, first, memory, temp, progress)
            changes = {name: changes[name] for name in certificate.exploratory}
        else:
            matching = Matching(**{name: population[name] for name in MATCHING})
        banded = choices.bands or choices.candidates
        given = Given(
            _given(places, "holdout"),
            _given(places, "complete"),
            places["labels"],
            Reading(first["columns"], None if banded else first["threshold"]),
            _unlabelled(certificate),
            places["population"],
            population["id"] if audit is None else None,
            places.get("trained_on"),
            matching,
        )
        with connect("duckdb", memory, temp) as con:
            again = compute(con, audit, given, changes, _identity(certificate, audit), progress)
        if certificate.ledger is not None:
            again = on_record(again, certificate.ledger)
    except (MatchboundError, KeyError) as error:
        yield f"inputs give no certificate: {error}"
        return
    yield from _other_rows(certificate, again, places)
    said, found = dict(leaves(certificate.as_dict())), dict(leaves(again.as_dict()))
    for place in sorted(said.keys() | found.keys()):
        if place == "digest" or place.startswith("digests.") or place.endswith(".path"):
            continue
        if place.startswith("inputs.") and place.endswith((".digest.rows", ".digest.bytes")):
            continue
        if said.get(place) != found.get(place):
            yield f"{place} is not what the inputs give"


def _identity(certificate: Certificate, audit: Path | None) -> Identity:
    """The entries before any label; rows are digested where the certificate has them.

    Rows are taken from no later entry, nor from the certificate: whoever wrote the ledger's end
    anew could claim there that a file has a registered matcher's rows.
    """
    entries: Sequence[Entry] = ()
    if audit is not None and certificate.ledger is not None:
        entries = list(before_labels(read_ledger(audit).entries[: certificate.ledger["entries"]]))
    digests = {name: Digest.of(one["digest"]) for name, one in certificate.inputs.items()}
    return Identity(entries, {name: one.rows is not None for name, one in digests.items()})


def _other_rows(
    certificate: Certificate, again: Certificate, places: Mapping[str, Path]
) -> Iterator[str]:
    """The inputs whose rows are not those that the certificate has a digest of."""
    for name, source in certificate.inputs.items():
        recorded = Digest.of(source["digest"]).rows
        if recorded is None or recorded == Digest.of(again.inputs[name]["digest"]).rows:
            continue
        if recorded != rows_at(certificate, name, places):
            yield f"inputs.{name}.digest.rows is not what the inputs give"


def _given(places: Mapping[str, Path], role: str) -> Any:
    """The file of a matcher, or those of several algorithms by name; None if there is none."""
    if role in places:
        return places[role]
    several = {
        name.removeprefix(f"{role} "): place
        for name, place in places.items()
        if name.startswith(f"{role} ")
    }
    return several or None


def _unlabelled(certificate: Certificate) -> str:
    """How unlabelled nodes were taken: only where there are some does it matter."""
    tally = next(iter(certificate.tallies.values()))
    some = any(not label.is_sure for label in (*tally.train, *tally.validation))
    return "worst" if some else "refuse"


def _redrawn(
    before: Draw,
    places: Mapping[str, Path],
    holdout: Mapping[str, Any],
    memory: str | None,
    temp: Any,
    progress: Progress,
) -> Iterator[str]:
    choices = before.choices
    banded = bool(choices.bands or choices.candidates)
    by = {
        "holdout": places.get("holdout"),
        "threshold": None if banded else holdout["threshold"],
        "columns": holdout["columns"],
    }
    again = redraw(
        before.as_dict(),
        places["population"],
        labels=None if choices.counted == "precision" else before.labels,
        trained_on=places.get("trained_on"),
        **(by if before.holdout is not None else {}),
        memory=memory,
        temp=temp,
        progress=progress,
    )
    if again.sample != before.sample:
        yield "sample.csv is not what the seed draws"
    if again.gap != before.gap:
        yield "gap.csv is not what the seed draws"
