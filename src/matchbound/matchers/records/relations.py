"""Relations of a pair of records: how far those that they occur with are the same."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from matchbound.matchers.records.agglomeration import LARGE, Groups

Ints = NDArray[np.int64]
Lists = tuple[Ints, Ints]
"""Lists of numbers in rising order: where each begins, and the numbers."""

OWN = ("shared", "jaccard", "adamic-adar", "fewest")
TOWARDS = ("cluster share", "cluster weight", "near share", "near weight")
CLUSTER = tuple(f"{name}, {side}" for name in TOWARDS for side in ("higher", "lower"))


@dataclass(frozen=True)
class Neighbours:
    """The records that each of `count` records occurs with in a group of at most 50."""

    count: int
    lists: Lists

    @staticmethod
    def of(count: int, groups: Groups) -> "Neighbours":
        members = [np.asarray(group, np.int64) for group in groups if 1 < len(group) <= LARGE]
        none = [np.empty(0, np.int64)]
        x = np.concatenate([np.repeat(group, len(group)) for group in members] or none)
        y = np.concatenate([np.tile(group, len(group)) for group in members] or none)
        return Neighbours(count, lists_of(x[x != y], y[x != y], count, count)[0])

    def labelled(self, labels: Ints) -> "Labels":
        """Every record's neighbours by label: `labels` are numbers from 0 on, one a record."""
        return Labels(self, labels)


@dataclass(frozen=True)
class Labels:
    """A label for each record (its text, or its cluster), and the labels it occurs with."""

    neighbours: Neighbours
    labels: Ints

    def own(self, x: Ints, y: Ints) -> NDArray[np.float32]:
        """The numbers `OWN` of pairs: shared labels, their Jaccard and Adamic–Adar similarity.

        Adamic–Adar sums 1 / ln(1 + n) up over them, where n records occur with the label. `fewest`
        is how many labels the one has that has fewer.
        """
        from matchbound.matchers.records._relations import compare_own

        found = np.empty((len(x), len(OWN)), np.float32)
        compare_own(x, y, self.lists, self.weights, found)
        return found

    def towards_clusters(self, x: Ints, y: Ints) -> NDArray[np.float32]:
        """The numbers `CLUSTER` of pairs, where labels are clusters.

        Each of the two records is compared with the other's cluster without it: which share of its
        labels the cluster has too, their Adamic–Adar weight, which share is the same or beside a
        label of the cluster in another group, and by how many labels. So a pair that was put into
        one cluster gets no better numbers by that alone.
        """
        from matchbound.matchers.records._relations import compare_clusters

        found = np.empty((len(x), len(CLUSTER)), np.float32)
        lists, records = self.lists, np.repeat(np.arange(len(self.labels)), np.diff(self.lists[0]))
        (starts, labels), counts = lists_of(self.labels[records], lists[1], self._size, self._size)
        of_clusters = starts, labels, counts
        compare_clusters(x, y, self.labels, lists, of_clusters, self.weights, found)
        return found

    @cached_property
    def lists(self) -> Lists:
        """The different labels that each record occurs with."""
        starts, neighbours = self.neighbours.lists
        records = np.repeat(np.arange(len(self.labels)), np.diff(starts))
        return lists_of(records, self.labels[neighbours], len(self.labels), self._size)[0]

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        counts = np.bincount(self.lists[1], minlength=self._size)
        return np.asarray(1 / np.log1p(np.maximum(counts, 1)))

    @cached_property
    def _size(self) -> int:
        return int(self.labels.max(initial=-1)) + 1


def lists_of(rows: Ints, values: Ints, count: int, size: int) -> tuple[Lists, Ints]:
    """The different values of each row in rising order, and how often each is there."""
    keys, counts = np.unique(rows * np.int64(max(size, 1)) + values, return_counts=True)
    starts = np.searchsorted(keys, np.arange(count + 1, dtype=np.int64) * max(size, 1))
    return (starts, keys % max(size, 1)), counts
