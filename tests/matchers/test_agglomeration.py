import numpy as np
import pytest

from matchbound.matchers.records.agglomeration import agglomerate, clusters_of
from support import link_references as reference
from support.link_cases import pairs_of, random_case


@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.5, 1.0])
def test_merges_are_those_of_the_definition(alpha):
    for seed in range(60):
        count, pairs, groups, start = random_case(seed)
        options = {"alpha": alpha, "threshold": 0.3, "start": start}
        merges = agglomerate(count, pairs_of(pairs), groups, **options)
        expected = reference.agglomerate(count, pairs, groups, **options)
        assert [merge[1:] for merge in merges] == [merge[1:] for merge in expected], seed
        assert np.allclose([merge[0] for merge in merges], [merge[0] for merge in expected])


def test_two_records_of_one_group_are_never_in_one_cluster():
    for seed in range(60):
        count, pairs, groups, start = random_case(seed)
        merges = agglomerate(count, pairs_of(pairs), groups, alpha=0.5, threshold=0.0, start=start)
        clusters = clusters_of(count, merges)
        assert all(len({clusters[r] for r in group}) == len(group) for group in groups)


def test_members_of_a_large_group_stay_apart_without_being_neighbours():
    group = list(range(60))
    pairs = [(0, 1, 1.0), (0, 60, 1.0), (1, 61, 0.5)]
    merges = agglomerate(62, pairs_of(pairs), [group, [60, 61]], alpha=0.5, threshold=0.1)
    assert merges == [(0.5, 0, 60), (0.25, 1, 61)]


def test_without_relations_any_threshold_cuts_the_same_merges():
    for seed in range(60):
        count, pairs, groups, _ = random_case(seed)
        every = agglomerate(count, pairs_of(pairs), groups, alpha=0.0, threshold=0.0)
        assert [merge[0] for merge in every] == sorted((m[0] for m in every), reverse=True)
        fewer = agglomerate(count, pairs_of(pairs), groups, alpha=0.0, threshold=0.5)
        assert np.array_equal(clusters_of(count, every, 0.5), clusters_of(count, fewer))
