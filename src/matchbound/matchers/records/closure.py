"""Pairs of clusters: all pairs of records in one, and the similarity that put them there."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from matchbound.matchers.records.agglomeration import Merge, clusters_of
from matchbound.matchers.records.candidates import Candidates, measured
from matchbound.matchers.records.features import Features
from matchbound.matchers.records.links import Ints, Links

Floats = NDArray[np.float32]


def scored_by_merges(
    features: Features, links: Links, merges: list[Merge], threshold: float
) -> tuple[Candidates, Floats]:
    """The candidates, and all pairs that merges from a threshold on put together; their scores.

    A score is the similarity at which the two records came into one cluster, 0 if they did not.
    """
    candidates = closed(features, links, clusters_of(links.count, merges, threshold))
    together = heights(merges, *links.ends(candidates))
    return candidates, np.maximum(together, 0).astype(np.float32)


def closed(features: Features, links: Links, clusters: Ints) -> Candidates:
    """The candidates, and all pairs of records that are in one cluster."""
    tables, candidates = features.tables, features.candidates
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    x, y = [candidates.x.astype(np.int64)], [candidates.y.astype(np.int64) + links.offset]
    for members in np.split(order, starts[1:]):
        if len(members) > 1:
            i, j = np.triu_indices(len(members), 1)
            x.append(members[i])
            y.append(members[j])
    ends = np.concatenate(x), np.concatenate(y)
    across = (ends[0] < links.offset) & (ends[1] >= links.offset)
    kept = slice(None) if tables.is_dedupe else across
    a, b = ends[0][kept].astype(np.int32), (ends[1][kept] - links.offset).astype(np.int32)
    return measured(a, b, tables.left_texts, None if tables.is_dedupe else tables.right_texts)


def heights(merges: Iterable[Merge], x: Ints, y: Ints) -> NDArray[np.float64]:
    """The similarity at which two records came into one cluster; -1 where they did not."""
    into = {b: (a, order, similarity) for order, (similarity, a, b) in enumerate(merges)}
    never = (-1, len(into), -1.0)
    found = np.empty(len(x))
    for k, (one, other) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
        height = -1.0
        while one != other:
            if into.get(other, never)[1] < into.get(one, never)[1]:
                one, other = other, one
            step, _, height = into.get(one, never)
            if step < 0:
                break
            one = step
        found[k] = height
    return found
