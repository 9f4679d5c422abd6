"""The definitions of collective matching in plain Python: as written, without regard to speed."""

from itertools import combinations
from math import log, nan

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


def unlabelled(pairs, cosines, texts, groups, *, alpha, offset):
    """The scores of candidates and of pairs in one cluster, without labels.

    `pairs` are numbers of records, of which those from `offset` on are right ones; 0 if there is
    one table. `texts` are the records' own.
    """
    scores = [sum(both) / 2 for both in cosines]
    alike = [relations(groups, texts, x, y)["shared"] > 0 for x, y in pairs]
    known = [k for k in range(len(pairs)) if scores[k] >= 0.5 and alike[k]]
    start = [pairs[k] for k in sorted(known, key=lambda k: -scores[k])]
    given = [(x, y, score) for (x, y), score in zip(pairs, scores, strict=True)]
    merges = agglomerate(len(texts), given, groups, alpha=alpha, threshold=0.5, start=start)
    return scored(pairs, merges, offset)


def scored(pairs, merges, offset):
    """The pairs, and those that merges from ½ on put into one cluster; where they came together."""
    together, members = {}, {}
    for similarity, a, b in merges:
        of_a, of_b = members.get(a, {a}), members.get(b, {b})
        together |= {(min(x, y), max(x, y)): similarity for x in of_a for y in of_b}
        members[a] = of_a | of_b
    closed = {pair for pair, similarity in together.items() if similarity >= 0.5}
    across = {(x, y) for x, y in closed if not offset or x < offset <= y}
    return {pair: together.get(pair, 0.0) for pair in {*pairs, *across}}


def collective(pairs, fields, groups, labels, *, offset, classify, features):
    """The same with labels, in rounds.

    `labels` are sets of matches by labelled record, `fields` the records' texts by field.
    `features(pairs)` are those of pairs without links, and `classify(known, is_match, wanted)` the
    probabilities of a classifier that is trained on the first rows of features and given the last.
    """
    pairs = [p for p in pairs if not any({*p} <= set(group) for group in groups)]
    count = len(fields)
    rows = [list(row) for row in features(pairs)]
    first = [
        [*row, *_rarities(fields, x, y), *_own(groups, _texts(fields), x, y)]
        for row, (x, y) in zip(rows, pairs, strict=True)
    ]
    known = [k for k, (x, y) in enumerate(pairs) if x in labels or (not offset and y in labels)]
    is_match = {
        k: pairs[k][1] in labels.get(pairs[k][0], ()) or pairs[k][0] in labels.get(pairs[k][1], ())
        for k in known
    }
    entity = _entities(count, labels)
    fold = {k: entity[pairs[k][0] if pairs[k][0] in labels else pairs[k][1]] % 3 for k in known}

    def probabilities(rows, trained, wanted):
        given = [rows[k] for k in trained], [is_match[k] for k in trained]
        return classify(*given, [rows[k] for k in wanted])

    def merges(scores, threshold):
        given = [(x, y, score) for (x, y), score in zip(pairs, scores, strict=True)]
        return agglomerate(count, given, groups, alpha=0.0, threshold=threshold)

    rows, before = first, None
    for _ in range(4):
        scores = list(probabilities(rows, known, range(len(pairs))))
        for part in range(3):
            held = [k for k in known if fold[k] == part]
            if held:
                others = [k for k in known if fold[k] != part]
                for k, score in zip(held, probabilities(rows, others, held), strict=True):
                    scores[k] = score
        cluster = list(range(count))
        for _, a, b in merges(scores, 0.5):
            cluster = [a if own == b else own for own in cluster]
        if cluster == before:
            break
        before = cluster
        rows = [
            [*row, *relations(groups, cluster, x, y).values()]
            for row, (x, y) in zip(first, pairs, strict=True)
        ]
    return scored(pairs, merges(probabilities(rows, known, range(len(pairs))), 0.1), offset)


def _texts(fields):
    return [" ".join(filter(None, record.values())) for record in fields]


def _own(groups, labels, x, y):
    return list(relations(groups, labels, x, y).values())[:4]


def _rarities(fields, x, y):
    """By field, the logarithms of how many records have the rarer text, and the other."""
    for name in fields[0]:
        counts = [
            sum(record[name] == fields[own][name] for record in fields)
            if fields[own][name]
            else None
            for own in (x, y)
        ]
        yield from [nan, nan] if None in counts else map(log, sorted(counts))


def _entities(count, labels):
    """A number for each record, by the first record that labels connect it with."""
    entity = list(range(count))
    for x, matches in labels.items():
        for y in matches:
            low, high = sorted((entity[x], entity[y]))
            entity = [low if own == high else own for own in entity]
    numbers = {first: k for k, first in enumerate(sorted(set(entity)))}
    return [numbers[first] for first in entity]
