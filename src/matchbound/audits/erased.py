"""Erased nodes: their places, by the ledger, and their ids, drawn again from the seed."""

from collections.abc import Iterable
from dataclasses import replace

from matchbound.audits.audit import Audit
from matchbound.audits.draw import Draw, digest_as_drawn
from matchbound.audits.ledger import Entry, erased_places
from matchbound.audits.part import open_as_drawn
from matchbound.audits.sample import draw_again
from matchbound.audits.supplied import Supplied
from matchbound.engines import Resources
from matchbound.errors import InputError
from matchbound.tables import Row, open_source


def erased_rows(draw: Draw, entries: Iterable[Entry]) -> tuple[Row, ...]:
    """The drawn nodes that `forget` erased, each with its places in D's and in S's own order."""
    places, order = erased_places(entries), draw.in_order
    return tuple(order[place - 1] for place in sorted(places) if place <= len(order))


def has_ids(draw: Draw) -> bool:
    """Whether no id was erased from the draw's files."""
    return draw.sealed_nodes is None and all(node for node, _, _ in draw.sample) and all(draw.gap)


def is_same_sample(before: Draw, again: Draw, entries: Iterable[Entry]) -> bool:
    """Whether sample.csv is what the seed draws, but for the ids of erased nodes."""
    erased = {row[1:] for row in erased_rows(before, entries)}
    return len(before.sample) == len(again.sample) and all(
        one[1:] == other[1:] and (one[0] == other[0] or (not one[0] and one[1:] in erased))
        for one, other in zip(before.sample, again.sample, strict=True)
    )


def is_same_gap(before: Draw, again: Draw) -> bool:
    """Whether gap.csv is what the seed draws, but for erased ids."""
    return len(before.gap) == len(again.gap) and all(
        one in ("", other) for one, other in zip(before.gap, again.gap, strict=True)
    )


def with_ids(before: Draw, again: Draw) -> Draw:
    """The draw with the ids that its files have no more."""
    nodes = before.written.nodes
    return replace(before, sample=again.sample, gap=again.gap, sealed_nodes=nodes)


def restored(audit: Audit, supplied: Supplied, resources: Resources) -> Audit:
    """The audit with the ids of its erased nodes, which the seed draws again from the population.

    Nothing is written. The ids that are left in the draw's files are checked against the seed.
    """
    if audit.draw is None or has_ids(audit.draw):
        return audit
    draw, population = audit.draw, audit.population(supplied.population)
    with resources.connect() as con:
        source = open_source(con, "population", population)
        if digest_as_drawn(con, draw, source) is None:
            raise InputError(
                "population must be what was drawn from, got "
                f"{source.path or 'a table'!r}, which has changed since: ids were erased from this "
                "audit, and only the same population gives them back to be counted as the worst "
                "case. Restore it; certificates that were issued before need no new one."
            )
        open_as_drawn(con, audit, supplied.within)  # refused, if it is another part
    by = None
    if draw.holdout is not None:
        recorded = draw.holdout.reading
        by = supplied.holdout, replace(supplied.reading, clusters=recorded.clusters)
    tables = population, audit.within(supplied.within), trained_on_now(audit)
    again = draw_again(draw.written, *tables, by, resources)
    if not is_same_sample(draw, again, audit.ledger.entries) or not is_same_gap(draw, again):
        raise InputError(
            "audit must hold sample.csv and gap.csv as the seed draws them, but for erased ids, "
            f"got other nodes in {str(audit.folder)!r}. Restore them, and what was drawn by: the "
            "holdout matcher's output, or the labels trained on."
        )
    return replace(audit, draw=with_ids(draw, again))


def trained_on_now(audit: Audit) -> str | None:
    """Where the labels that D was known by are now, if it was known by some in a file."""
    labels = audit.drawn.trained_on
    return None if labels is None or audit.folder is None else labels.now(audit.folder)
