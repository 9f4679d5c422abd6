"""Greedy agglomeration: clusters of records by what they say and by whom they occur with."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Merge = tuple[float, int, int]
Groups = Sequence[Sequence[int]]
"""The members (positions of records) of each group of records that occur together."""

LARGE = 50  # members; a larger group does not make its members neighbours


@dataclass(frozen=True)
class Pairs:
    """Candidate pairs of records, by position, and how alike their attributes are."""

    x: Ints
    y: Ints
    scores: Floats


def agglomerate(
    count: int,
    pairs: Pairs,
    groups: Groups,
    *,
    alpha: float,
    threshold: float,
    start: Iterable[tuple[int, int]] = (),
) -> list[Merge]:
    """Merge clusters of `count` records, which are alone at first: (similarity, a, b) a merge.

    A cluster is named by its first record; b is merged into a. Two clusters are similar by
    (1 - alpha) · attributes + alpha · relations. Attributes is the mean score of the candidate
    pairs between them; without such a pair they are never merged. Relations is the Jaccard
    similarity of their neighbours: the clusters whose records occur with theirs in a group of at
    most 50. The most similar two are merged, of equals those whose first records come first, until
    none reaches the threshold. Two records of one group, however large, are never in one cluster.
    `start` are pairs that are merged before, in order, where groups allow it, with similarity 1.
    Source: Bhattacharya and Getoor, Collective entity resolution in relational data (2007).
    """
    clusters = Clusters(count, groups, alpha)
    clusters.begin(start)
    clusters.link(pairs)
    clusters.merge_best(threshold)
    return clusters.merges


def clusters_of(count: int, merges: Iterable[Merge], threshold: float = 0.0) -> Ints:
    """The cluster of each record, after the merges from a similarity on."""
    cluster = np.arange(count)
    for similarity, a, b in merges:
        if similarity >= threshold:
            cluster[b] = a
    for record, first in enumerate(cluster.tolist()):  # a cluster's name is its first record
        cluster[record] = cluster[first]
    return cluster


class Clusters:
    """Clusters between merges: their groups, neighbours and candidate pairs."""

    def __init__(self, count: int, groups: Groups, alpha: float) -> None:
        self.merges: list[Merge] = []
        self._alpha = alpha
        self._first = list(range(count))  # of a record's cluster, once it was merged
        self._groups: list[set[int]] = [set() for _ in range(count)]
        self._neighbours: list[set[int]] = [set() for _ in range(count)]
        self._links: list[dict[int, tuple[float, int]]] = [{} for _ in range(count)]
        self._similarity: dict[tuple[int, int], float] = {}
        self._heap: list[Merge] = []
        for number, members in enumerate(groups):
            for record in members:
                self._groups[record].add(number)
                if alpha and len(members) <= LARGE:
                    self._neighbours[record].update(members)
                    self._neighbours[record].discard(record)

    def begin(self, pairs: Iterable[tuple[int, int]]) -> None:
        for x, y in pairs:
            a, b = sorted((self._cluster(x), self._cluster(y)))
            if self._may_merge(a, b):
                self._merge(1.0, a, b)

    def link(self, pairs: Pairs) -> None:
        """Add the candidate pairs of records whose clusters differ."""
        columns = (pairs.x.tolist(), pairs.y.tolist(), pairs.scores.tolist())
        for x, y, score in zip(*columns, strict=True):
            a, b = self._cluster(x), self._cluster(y)
            if a != b:
                total, number = self._links[a].get(b, (0.0, 0))
                self._links[a][b] = self._links[b][a] = total + score, number + 1

    def merge_best(self, threshold: float) -> None:
        self._update(range(len(self._first)), threshold)
        while self._heap:
            negative, a, b = heappop(self._heap)
            if b not in self._links[a] or self._similarity[a, b] != -negative:
                continue
            if self._may_merge(a, b):
                self._merge(-negative, a, b)
                self._update([a, *self._neighbours[a]], threshold)
            else:
                del self._links[a][b], self._links[b][a]

    def _update(self, changed: Iterable[int], threshold: float) -> None:
        """Put pairs of clusters whose similarity has changed in order again."""
        for one in changed:
            for other in self._links[one]:
                a, b = (one, other) if one < other else (other, one)
                total, number = self._links[a][b]
                similarity = (1 - self._alpha) * (total / number)
                if self._alpha:
                    similarity += self._alpha * self._jaccard(a, b)
                if self._similarity.get((a, b)) != similarity:
                    self._similarity[a, b] = similarity
                    if similarity >= threshold:
                        heappush(self._heap, (-similarity, a, b))

    def _merge(self, similarity: float, a: int, b: int) -> None:
        self.merges.append((similarity, a, b))
        self._first[b] = a
        self._groups[a] |= self._groups[b]
        for neighbour in self._neighbours[b]:
            self._neighbours[neighbour].discard(b)
            self._neighbours[neighbour].add(a)
        self._neighbours[a] |= self._neighbours[b]
        self._links[a].pop(b, None)
        for c, (total, number) in self._links[b].items():
            if c != a:
                del self._links[c][b]
                other, more = self._links[a].get(c, (0.0, 0))
                self._links[a][c] = self._links[c][a] = total + other, number + more
        self._groups[b], self._neighbours[b], self._links[b] = set(), set(), {}

    def _cluster(self, record: int) -> int:
        while self._first[record] != record:
            record = self._first[record]
        return record

    def _may_merge(self, a: int, b: int) -> bool:
        return a != b and self._groups[a].isdisjoint(self._groups[b])

    def _jaccard(self, a: int, b: int) -> float:
        shared = len(self._neighbours[a] & self._neighbours[b])
        union = len(self._neighbours[a]) + len(self._neighbours[b]) - shared
        return shared / union if union else 0.0
