"""Comparing whom two records occur with, compiled.

Lists of labels are in rising order, those of number i from `starts[i]` on.
"""

from math import sqrt

import numpy as np

from matchbound.compiled import compiled

POPULAR = 100  # a label beside more labels than this tells nothing about those near it


@compiled
def place_in(labels, start, end, label):  # type: ignore[no-untyped-def]
    """Where the label is in a list, or would be."""
    while start < end:
        middle = (start + end) // 2
        if labels[middle] < label:
            start = middle + 1
        else:
            end = middle
    return start


@compiled
def compare_own(x, y, own, weights, found):  # type: ignore[no-untyped-def]
    """Fill in labels that both records have: number, Jaccard and weight; and the fewer labels."""
    starts, labels = own
    for k in range(x.size):
        i, i_end = starts[x[k]], starts[x[k] + 1]
        j, j_end = starts[y[k]], starts[y[k] + 1]
        sizes = i_end - i, j_end - j
        both, weight = 0, 0.0
        while i < i_end and j < j_end:
            if labels[i] < labels[j]:
                i += 1
            elif labels[i] > labels[j]:
                j += 1
            else:
                both += 1
                weight += weights[labels[i]]
                i += 1
                j += 1
        found[k, 0] = both
        found[k, 1] = both / max(sizes[0] + sizes[1] - both, 1)
        found[k, 2] = weight
        found[k, 3] = min(sizes[0], sizes[1])


@compiled
def towards(r, s, clusters, own, of_clusters, weights, marks, stamp, found):  # type: ignore[no-untyped-def]
    """Fill in how many of r's labels the rest of s's cluster has, or has beside its own.

    Labels are clusters. `of_clusters` are each cluster's labels, and how many of its records have
    them. `marks` has a number for each label: `stamp` for those that the rest has and r has not.
    """
    starts, labels = own
    cluster_starts, cluster_labels, counts = of_clusters
    first, last = cluster_starts[clusters[s]], cluster_starts[clusters[s] + 1]
    least = 2 if clusters[r] == clusters[s] else 1  # r itself is not of the rest
    new = 0
    for i in range(first, last):
        marks[cluster_labels[i]] = stamp
        new += 1
    for i in range(starts[r], starts[r + 1]):
        place = place_in(cluster_labels, first, last, labels[i])
        if place < last and cluster_labels[place] == labels[i]:
            marks[labels[i]] = 0
            new -= 1
    size, both, weight, near, strength = max(starts[r + 1] - starts[r], 1), 0, 0.0, 0, 0.0
    for i in range(starts[r], starts[r + 1]):
        label = labels[i]
        place = place_in(cluster_labels, first, last, label)
        if place < last and cluster_labels[place] == label and counts[place] >= least:
            both += 1
            weight += weights[label]
            continue
        degree = cluster_starts[label + 1] - cluster_starts[label]
        common = 0
        if degree <= POPULAR:
            for j in range(cluster_starts[label], cluster_starts[label + 1]):
                common += marks[cluster_labels[j]] == stamp
        if common:
            near += 1
            strength += common / sqrt(np.float64(degree * new))
    found[0], found[1], found[2], found[3] = both / size, weight, (both + near) / size, strength


@compiled
def compare_clusters(x, y, clusters, own, of_clusters, weights, found):  # type: ignore[no-untyped-def]
    """Fill in `towards` of both records: of each number the higher, then the lower."""
    marks = np.zeros(weights.size, np.int64)
    ways = np.zeros((2, 4))
    for k in range(x.size):
        towards(x[k], y[k], clusters, own, of_clusters, weights, marks, 2 * k + 1, ways[0])
        towards(y[k], x[k], clusters, own, of_clusters, weights, marks, 2 * k + 2, ways[1])
        for i in range(4):
            found[k, 2 * i] = max(ways[0, i], ways[1, i])
            found[k, 2 * i + 1] = min(ways[0, i], ways[1, i])
