"""Labels that are brought along must be of nodes drawn one by one: whole clusters are no sample."""

import random

import pyarrow as pa
import pytest

import matchbound as mb
from matchbound.errors import AssumptionError

NODES = 1500
REASON = "labels must be of nodes that were drawn one by one"


def one_table(sizes):
    """Clusters of records of one table, of these sizes in turn: each record's cluster."""
    clusters, i = [], 0
    while len(clusters) < NODES:
        clusters += [i] * sizes[i % len(sizes)]
        i += 1
    return clusters[:NODES]


def members(clusters):
    found = {}
    for node, cluster in enumerate(clusters):
        found.setdefault(cluster, []).append(node)
    return found


def by_cluster(clusters, number, rng):
    groups = list(members(clusters).values())
    rng.shuffle(groups)
    drawn = []
    while len(drawn) < number:
        drawn += groups.pop()
    return drawn


def certify_one_table(clusters, labelled):
    groups = members(clusters)
    rows = [(x, y) for x in labelled for y in groups[clusters[x]] if y != x]
    matched = {x for x, _ in rows}
    rows += [(x, "") for x in labelled if x not in matched]
    pairs = [(a, b) for g in groups.values() for i, a in enumerate(g) for b in g[i + 1 :]]
    return mb.certify(
        population=pa.table({"id": [str(i) for i in range(NODES)]}),
        labels=pa.table({"x": [str(x) for x, _ in rows], "y": [str(y) for _, y in rows]}),
        holdout=table(pairs),
        assume_uniform=True,
        dedupe=True,
    )


def certify_two_tables(clusters, labelled, *, as_clusters=False):
    """Every record of a cluster matches the one record of the other table that is the cluster's."""
    found = [(i, f"y{c}") for i, c in enumerate(clusters)]
    holdout = table(found)
    if as_clusters:
        ids = [str(i) for i in range(NODES)] + [f"y{c}" for c in set(clusters)]
        names = [*clusters, *set(clusters)]
        holdout = pa.table({"id": ids, "cluster": names})
    return mb.certify(
        population=pa.table({"id": [str(i) for i in range(NODES)]}),
        labels=table([found[i] for i in labelled]),
        holdout=holdout,
        assume_uniform=True,
        link=True,
    )


def certify_linked_clusters(clusters, labelled):
    return certify_two_tables(clusters, labelled, as_clusters=True)


def table(pairs):
    return pa.table({"x": [str(x) for x, _ in pairs], "y": [str(y) for _, y in pairs]})


KINDS = [certify_one_table, certify_two_tables, certify_linked_clusters]


@pytest.mark.parametrize("certify", KINDS)
@pytest.mark.parametrize("sizes", [(1, 3), (4,)])
def test_nodes_that_were_drawn_by_cluster_are_refused(certify, sizes):
    clusters = one_table(sizes)
    with pytest.raises(AssumptionError, match=REASON):
        certify(clusters, by_cluster(clusters, 120, random.Random(1)))


def test_of_a_large_sample_the_reason_is_told_too():
    """Above a tenth of the population no number of pairs is ten times the expected one."""
    clusters = one_table((4,))
    with pytest.raises(AssumptionError, match="there alone, or whole clusters were drawn"):
        certify_one_table(clusters, by_cluster(clusters, 300, random.Random(1)))


@pytest.mark.parametrize("certify", KINDS)
@pytest.mark.parametrize("sizes", [(1, 3), (60,), (1,) * 200 + (100,)])
def test_a_uniform_sample_is_accepted_whatever_the_clusters(certify, sizes):
    """Large clusters have many labelled pairs in any sample; as many as expected."""
    clusters = one_table(sizes)
    labelled = random.Random(5).sample(range(NODES), 120)
    assert certify(clusters, labelled).guarantees


def test_one_cluster_alone_is_no_sign():
    """Ten labelled records of one cluster, by whatever chance, among many that are single."""
    clusters = [0] * 10 + list(range(1, NODES - 9))
    labelled = [*range(10), *random.Random(1).sample(range(10, NODES), 90)]
    assert certify_two_tables(clusters, labelled).guarantees


def test_two_nodes_with_many_matches_in_common_are_one_pair():
    """A pair of nodes counts once, however many ys it shares."""
    nodes = [str(i) for i in range(NODES)]
    found = [("0", f"y{k}") for k in range(30)] + [("1", f"y{k}") for k in range(30)]
    found += [("2", f"z{k}") for k in range(30)] + [("3", f"z{k}") for k in range(30)]
    labelled = ["0", "1", "2", "3", *random.Random(1).sample(nodes[4:], 100)]
    rows = [row for row in found if row[0] in labelled] + [(x, f"w{x}") for x in labelled[4:]]
    certificate = mb.certify(
        population=pa.table({"id": nodes}),
        labels=table(rows),
        holdout=table([*found, *((x, f"w{x}") for x in nodes[4:])]),
        assume_uniform=True,
        link=True,
    )
    assert certificate.guarantees


def test_a_holdout_that_knows_its_training_nodes_alone_is_no_sign():
    """It depends on D, so D shows nothing: popular ys are shared by few nodes in its table."""
    nodes = [str(i) for i in range(NODES)]
    labelled = random.Random(1).sample(nodes, 120)
    trained = labelled[:80]
    true = {x: f"y{int(x) % 20}" for x in nodes}
    found = [(x, true[x]) for x in trained] + [(x, f"z{x}") for x in nodes if x not in trained]
    certificate = mb.certify(
        population=pa.table({"id": nodes}),
        labels=table([(x, true[x]) for x in labelled]),
        trained_on=pa.table({"id": trained}),
        holdout=table(found),
        assume_uniform=True,
        link=True,
    )
    assert certificate.guarantees
