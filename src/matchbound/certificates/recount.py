"""A certificate's tallies, counted again from its inputs."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from matchbound.audits import Audit, Draw, Wishes, read_ledger, redraw
from matchbound.certificates.assumptions import on_record
from matchbound.certificates.certificate import Certificate, leaves
from matchbound.certificates.certification import compute
from matchbound.engines import Progress
from matchbound.errors import MatchboundError
from matchbound.tables import Matching

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
    folder, audit = places["draw"].parent if "draw" in places else None, Audit()
    changes = choices.as_dict()
    matching = Matching()
    try:
        if folder is not None:
            audit = Audit(folder, Draw.load(folder), read_ledger(folder))
            yield from _redrawn(audit.drawn, places, first, memory, temp, progress)
            changes = {name: changes[name] for name in certificate.exploratory}
        else:
            matching = Matching(**{name: population[name] for name in MATCHING})
        again = compute(
            audit,
            holdout=_given(places, "holdout"),
            complete=_given(places, "complete"),
            labels=places["labels"],
            threshold=None if choices.bands or choices.candidates else first["threshold"],
            unlabelled=_unlabelled(certificate),
            population=places["population"],
            id=population["id"] if folder is None else None,
            trained_on=places.get("trained_on"),
            columns=first["columns"],
            matching=matching,
            changes=changes,
            memory=memory,
            temp=temp,
            progress=progress,
        )
        if certificate.ledger is not None:
            again = on_record(again, certificate.ledger)
    except (MatchboundError, KeyError) as error:
        yield f"inputs give no certificate: {error}"
        return
    said, found = dict(leaves(certificate.as_dict())), dict(leaves(again.as_dict()))
    for place in sorted(said.keys() | found.keys()):
        if place == "digest" or place.startswith("digests.") or place.endswith(".path"):
            continue
        if said.get(place) != found.get(place):
            yield f"{place} is not what the inputs give"


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
    record = before.as_dict()
    wishes = Wishes.again(
        record,
        places["population"],
        None if choices.counted == "precision" else before.labels,
        places.get("trained_on"),
        **(by if before.holdout is not None else {}),
    )
    again = redraw(record, wishes, memory=memory, temp=temp, progress=progress)
    if again.sample != before.sample:
        yield "sample.csv is not what the seed draws"
    if again.gap != before.gap:
        yield "gap.csv is not what the seed draws"
