"""A draw, made again by its seed: from draw.json, or from what the ledger has of it."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from matchbound.audits import (
    Draw,
    Entry,
    Population,
    TableRef,
    Wishes,
    Written,
    is_same_gap,
    is_same_sample,
    is_sealed,
    redraw,
    with_ids,
)
from matchbound.certificates.inputs import Evidence
from matchbound.engines import Progress
from matchbound.errors import EngineError, MatchboundError
from matchbound.tables import Digest, Matching, Reading
from matchbound.theorems import Choices


@dataclass(frozen=True)
class Resources:
    """The memory and the temporary folder to compute with, and whom to tell the stages."""

    memory: str | None = None
    temp: Any = None
    progress: Progress = lambda _: None


def seed_differences(
    evidence: Evidence, before: Draw, resources: Resources
) -> Generator[str, None, Draw]:
    """Yield which nodes of a draw are not what its seed draws; return it with those erased."""
    by_matcher = before.holdout is not None
    again = _again(before.written, evidence, by_matcher=by_matcher, resources=resources)
    if not is_same_sample(before, again, evidence.history.of_draw):
        yield "sample.csv is not what the seed draws"
    if not is_same_gap(before, again):
        yield "gap.csv is not what the seed draws"
    if all(node for node, _, _ in before.sample) and all(before.gap):
        return before
    return with_ids(before, again)


def ledger_seed_differences(evidence: Evidence, resources: Resources) -> list[str] | None:
    """What the ledger has otherwise than the seed draws; None if nothing can be drawn.

    For one who has no draw.json, but the population and the line of the journal with the seed.
    """
    history = evidence.history
    entry, written = history.draw, _written(evidence)
    if entry is None or written is None:
        return None
    choices = written.choices
    by_matcher = choices.among or choices.until_matched is not None
    if by_matcher and "holdout" not in evidence.paths:
        return None
    try:
        again = _again(written, evidence, by_matcher=by_matcher, resources=resources)
    except EngineError:
        raise
    except MatchboundError as error:
        return [f"ledger.jsonl: entry {entry['entry']} gives no draw: {error}"]
    return list(_entered_otherwise(again, entry, history.before))


def _entered_otherwise(again: Draw, entry: Entry, before: Sequence[Entry]) -> Iterator[str]:
    """Yield the commitments that were opened and are not of the nodes that the seed draws."""
    nodes = entry.get("nodes", again.facts()["nodes"])
    if not is_sealed(nodes) and nodes != again.facts()["nodes"]:
        yield f"ledger.jsonl: the nodes of entry {entry['entry']} are not what the seed draws"
    order = _in_order(again)
    first = max(e["entry"] for e in before if e["kind"] == "draw" and "extends" not in e)
    for one in before[first:]:
        if one["kind"] == "label" and not is_sealed(one["label"]):
            place = one["place"]
            drawn = order[place - 1] if 0 < place <= len(order) else None
            if one["label"]["node"] != drawn:
                yield (
                    f"ledger.jsonl: the label of entry {one['entry']} is not of the node that the "
                    f"seed draws at place {place}"
                )


def _written(evidence: Evidence) -> Written | None:
    """What draw.json had, as far as nodes depend on it; None if too little is at hand."""
    history, paths = evidence.history, evidence.paths
    entry, choices = history.draw, history.choices
    if entry is None or choices is None or "population" not in paths:
        return None
    trained_on = Digest.if_any(choices["trained_on"])
    if is_sealed(entry["seed"]) or is_sealed(choices["train_seed"]):
        return None
    if trained_on is not None and "trained_on" not in paths:
        return None
    population = Population(None, Digest.of(choices["population"]), choices["size"], choices["id"])
    return Written(
        population,
        entry["seed"],
        entry["seed_given"],
        choices["train_seed"],
        None if trained_on is None else TableRef(None, trained_on),
        entry["labels"],
        entry["train"],
        Choices.from_dict(choices["choices"]),
        Matching(**choices["matching"]),
        None,
        "",
    )


def _again(before: Written, evidence: Evidence, *, by_matcher: bool, resources: Resources) -> Draw:
    """Draw again; `by_matcher`: which nodes are drawn depends on the holdout matcher."""
    choices, paths = before.choices, evidence.paths
    reading = evidence.certificate.inputs.of_role("holdout")[0].reading
    if choices.bands or choices.candidates:
        reading = replace(reading, threshold=None)
    by: tuple[Path | None, Reading | None] = (None, None)
    if by_matcher:
        by = paths.get("holdout"), reading
    labels = None if choices.until_matched else before.labels
    wishes = Wishes.again(before, paths["population"], labels, paths.get("trained_on"), *by)
    memory, temp, progress = resources.memory, resources.temp, resources.progress
    return redraw(before, wishes, memory=memory, temp=temp, progress=progress)


def _in_order(draw: Draw) -> list[str]:
    """The nodes in the order in which they are labelled: D, then the others of S."""
    return list(dict.fromkeys([*draw.trained, *draw.validated]))
