"""A draw, made again by its seed: from draw.json, or from what the ledger has of it."""

from collections.abc import Generator, Iterator
from dataclasses import replace

from matchbound.audits import (
    LEDGER,
    Draw,
    Entry,
    Population,
    TableRef,
    Within,
    Written,
    draw_again,
    is_by_matcher,
    is_same_gap,
    is_same_sample,
    is_sealed,
    read_sample,
    with_ids,
)
from matchbound.certificates.growth import first_of
from matchbound.certificates.history import History
from matchbound.certificates.inputs import Evidence
from matchbound.engines import Resources
from matchbound.errors import EngineError, MatchboundError
from matchbound.files import is_file
from matchbound.tables import Digest, Matching
from matchbound.theorems import Choices


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


def drawn_otherwise(evidence: Evidence, resources: Resources) -> list[str] | None:
    """What is otherwise than the seed draws, where inputs are missing; None if nothing is compared.

    For one who has the population, and draw.json or the line of the journal with the seed.
    """
    entry, draw = evidence.history.draw, evidence.draw
    written = _written(evidence) if draw is None else draw.written
    if entry is None or written is None or not _is_at_hand(written, evidence):
        return None
    try:
        again = _again(written, evidence, by_matcher=_by_matcher(written), resources=resources)
    except EngineError:
        raise
    except MatchboundError as error:
        return [f"{LEDGER}: entry {entry['entry']} gives no draw: {error}"]
    history = evidence.history
    compared = [*_lists(again, evidence), *_nodes(again, entry, history), *_labels(again, history)]
    return [difference for difference in compared if difference] if compared else None


def _by_matcher(written: Written) -> bool:
    """Whether the holdout matcher decides which nodes are drawn."""
    return written.holdout is not None or is_by_matcher(written.choices)


def _is_at_hand(written: Written, evidence: Evidence) -> bool:
    """Whether all tables are there that nodes are drawn by."""
    needed = {"population"}
    needed |= {"within"} if written.within is not None else set()
    needed |= {"trained_on"} if written.trained_on is not None else set()
    needed |= {"holdout"} if _by_matcher(written) else set()
    return needed <= evidence.paths.keys()


def _lists(again: Draw, evidence: Evidence) -> Iterator[str]:
    """Compare the lists of nodes that are at hand; yield a difference, or "" for none."""
    history, draw = evidence.history, evidence.draw
    if draw is None:
        path = None if history.folder is None else history.folder / "sample.csv"
        if path is None or not is_file(path) or history.is_replaced:
            return
        draw = replace(again, sample=first_of(read_sample(path, "Restore it."), again.labels))
    elif not is_same_gap(draw, again):
        yield "gap.csv is not what the seed draws"
    is_same = is_same_sample(draw, again, history.of_draw)
    yield "" if is_same else "sample.csv is not what the seed draws"


def _nodes(again: Draw, entry: Entry, history: History) -> Iterator[str]:
    """Compare the commitment to the nodes, if it was opened and is of a draw with all its ids."""
    nodes, drawn = entry.get("nodes"), again.facts()["nodes"]
    continues = "extends" in entry or entry["second"]
    lacks_ids = continues and any(one["kind"] == "forget" for one in history.before)
    if nodes is not None and not is_sealed(nodes) and not lacks_ids:
        what = f"{LEDGER}: the nodes of entry {entry['entry']} are not what the seed draws"
        yield "" if nodes == drawn else what


def _labels(again: Draw, history: History) -> Iterator[str]:
    """Compare the nodes of the labels that were opened."""
    order, before = [node for node, _, _ in again.in_order], history.before
    first = max(e["entry"] for e in before if e["kind"] == "draw" and "extends" not in e)
    for one in before[first:]:
        if one["kind"] == "label" and not is_sealed(one["label"]):
            place = one["place"]
            drawn = order[place - 1] if 0 < place <= len(order) else None
            what = (
                f"{LEDGER}: the label of entry {one['entry']} is not of the node that the seed "
                f"draws at place {place}"
            )
            yield "" if one["label"]["node"] == drawn else what


def _written(evidence: Evidence) -> Written | None:
    """What draw.json had, as far as nodes depend on it; None if too little is at hand."""
    history = evidence.history
    entry, choices = history.draw, history.choices
    if entry is None or choices is None:
        return None
    trained_on, within = Digest.if_any(choices["trained_on"]), choices["within"]
    if is_sealed(entry["seed"]) or is_sealed(choices["train_seed"]):
        return None
    population = Population(None, Digest.of(choices["population"]), choices["size"], choices["id"])
    return Written(
        population,
        None if within is None else Within(None, Digest.of(within["digest"]), within["size"]),
        entry["seed"],
        "",
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
    paths = evidence.paths
    reading = evidence.certificate.inputs.of_role("holdout")[0].reading
    by = (paths.get("holdout"), reading) if by_matcher else None
    tables = paths["population"], paths.get("within"), paths.get("trained_on")
    return draw_again(before, *tables, by, resources)
