"""Pairs of one table that are counted as pairs: what the clusters that they link would be."""

from collections.abc import Iterator
from dataclasses import dataclass

from matchbound.engines import Engine, keep, query
from matchbound.tables import close_pairs, count_rows, keep_several, pairs_linked
from matchbound.theorems import Label, Tally

Counts = tuple[int, int, int]
"""A node's matches: found, true, and both."""


@dataclass(frozen=True)
class Unclosed:
    """How many `more` pairs the clusters link; and the sampled nodes' matches, both ways."""

    more: int
    pairs: tuple[Counts, ...]
    clusters: tuple[Counts, ...]


def pairs_more(con: Engine, table: str, kind: str) -> int:
    """How many more pairs the clusters link than a table of pairs, loaded both ways, has.

    Keeps the clusters of more than two records as the table `closed`, with text ids.
    """
    keep_several(con, "linked_twice", table, "x", kind)
    keep(con, "tangled", "tallies/tangled", a=table)
    close_pairs(con, "closed", "tangled", dedupe=True)
    return pairs_linked(con, "closed", True) - count_rows(con, "tangled")


def unclosed(con: Engine, role: str, kind: str, labels_form: str, tally: Tally) -> Unclosed | None:
    """What the clusters of a matcher's pairs would be; None if they link no more.

    `tally` is that of the pairs. `labels_form` is pairs or clusters.
    """
    more = pairs_more(con, role, kind)
    if not more:
        return None
    keep(con, "count_closed", "tables/count_clusters", a="closed", itself=1)
    common = f"tallies/common_{labels_form}_clusters"
    keep(con, "right_closed", common, a="labels", b="closed", itself=1)
    in_closed = {place: (h, ht) for place, h, ht in query(con, "tallies/closed_sample")}
    pairs, clusters = [], []
    for place, label in _sampled(tally):
        h, t, ht = _counts(label, role)
        pairs.append((h, t, ht))
        h, ht = in_closed.get(place, (h, ht))
        clusters.append((h, t, ht))
    return Unclosed(more, tuple(pairs), tuple(clusters))


def _sampled(tally: Tally) -> Iterator[tuple[int, Label]]:
    """Yield the sure labels of S − D with their places in S, from 1."""
    trained = set(tally.overlap)
    for i, label in enumerate(tally.validation):
        if label.is_sure and i not in trained:
            yield i + 1, label


def _counts(label: Label, role: str) -> Counts:
    if role == "complete":
        return label.c, label.t or 0, label.ct or 0
    return label.h, label.t or 0, label.ht or 0
