"""The definitions of collective matching in plain Python: as written, without regard to speed."""

from itertools import combinations
from math import log

LARGE = 50  # members of a group that makes neighbours


def agglomerate(count, pairs, groups, *, alpha, threshold, start=()):
    """The merges (similarity, a, b) of greedy agglomeration; `pairs` are (x, y, score)."""
    clusters = [{record} for record in range(count)]
    merges = []

    def may_merge(a, b):
        return a is not b and not any(a & set(group) and b & set(group) for group in groups)

    def neighbours(cluster):
        return {
            min(other)
            for other in clusters
            for group in groups
            if len(group) <= LARGE and cluster & set(group) and (other - cluster) & set(group)
        }

    def similarity(a, b):
        scores = [s for x, y, s in pairs if (x in a and y in b) or (x in b and y in a)]
        if not scores:
            return None
        of_a, of_b = neighbours(a), neighbours(b)
        relations = len(of_a & of_b) / len(of_a | of_b) if of_a | of_b else 0.0
        return (1 - alpha) * (sum(scores) / len(scores)) + alpha * relations

    def merge(similarity, a, b):
        merges.append((similarity, *sorted((min(a), min(b)))))
        clusters.remove(a)
        clusters.remove(b)
        clusters.append(a | b)

    for x, y in start:
        a, b = (next(cluster for cluster in clusters if record in cluster) for record in (x, y))
        if may_merge(a, b):
            merge(1.0, a, b)
    while True:
        options = []
        for a, b in combinations(clusters, 2):
            if may_merge(a, b) and (value := similarity(a, b)) is not None and value >= threshold:
                options.append((-value, *sorted((min(a), min(b))), a, b))
        if not options:
            return merges
        negative, _, _, a, b = min(options, key=lambda option: option[:3])
        merge(-negative, a, b)


def relations(groups, labels, x, y):
    """The relations of records x and y, by name; a record's label is its cluster."""
    count = len(labels)
    small = [set(group) for group in groups if len(group) <= LARGE]

    def of(record):
        """The labels of the records that occur with it."""
        return {labels[v] for group in small if record in group for v in group - {record}}

    own = [of(record) for record in range(count)]
    beside = {label: set() for label in labels}
    for record in range(count):
        beside[labels[record]] |= own[record]
    frequency = {label: sum(label in labels_of for labels_of in own) for label in set(labels)}

    def weight(shared):
        return sum(1 / log(1 + frequency[label]) for label in shared)

    def towards(r, s):
        """How many of r's labels the rest of s's cluster has, or has beside its own."""
        others = [v for v in range(count) if labels[v] == labels[s] and v != r]
        known = set().union(*(own[v] for v in others))
        shared, new = own[r] & known, known - own[r]
        near = {
            label
            for label in own[r] - known
            if 0 < len(beside[label]) <= 100 and beside[label] & new
        }
        strength = sum(
            len(beside[label] & new) / (len(beside[label]) * len(new)) ** 0.5 for label in near
        )
        size = len(own[r]) or 1
        return len(shared) / size, weight(shared), len(shared | near) / size, strength

    shared, union = own[x] & own[y], own[x] | own[y]
    ways = towards(x, y), towards(y, x)
    columns = {
        "shared": len(shared),
        "jaccard": len(shared) / len(union) if union else 0.0,
        "adamic-adar": weight(shared),
        "fewest": min(len(own[x]), len(own[y])),
    }
    for i, name in enumerate(("cluster share", "cluster weight", "near share", "near weight")):
        columns[f"{name}, higher"] = max(way[i] for way in ways)
        columns[f"{name}, lower"] = min(way[i] for way in ways)
    return columns
