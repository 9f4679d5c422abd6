import numpy as np

from matchbound.matchers.records.relations import CLUSTER, OWN, Neighbours
from support import link_references as reference


def _random_case(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 16))
    groups = [
        sorted(rng.choice(count, int(rng.integers(1, min(count, 5) + 1)), replace=False).tolist())
        for _ in range(rng.integers(0, 9))
    ]
    return count, groups, rng.integers(0, rng.integers(1, count + 1), count)


def test_relations_are_those_of_the_definition():
    for seed in range(60):
        count, groups, labels = _random_case(seed)
        x, y = np.triu_indices(count, 1)
        relations = Neighbours.of(count, groups).labelled(labels)
        names = (*OWN, *CLUSTER)
        found = np.hstack([relations.own(x, y), relations.towards_clusters(x, y)])
        for row, a, b in zip(found, x.tolist(), y.tolist(), strict=True):
            expected = reference.relations(groups, labels.tolist(), a, b)
            assert list(expected) == list(names)
            assert np.allclose(row, list(expected.values()), atol=1e-6), (seed, a, b)


def test_being_in_one_cluster_raises_no_relation_of_a_pair():
    groups = [[0, 2], [1, 3]]
    pair = np.array([0]), np.array([1])
    together, apart = (
        Neighbours.of(4, groups).labelled(np.array(labels)).towards_clusters(*pair)
        for labels in ([0, 0, 2, 3], [0, 1, 2, 3])
    )
    assert np.array_equal(together, apart)


def test_members_of_a_large_group_are_not_neighbours():
    relations = Neighbours.of(60, [list(range(51))]).labelled(np.arange(60))
    assert not relations.own(np.array([0]), np.array([1])).any()
