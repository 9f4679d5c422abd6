"""Guarantees on real data: a hundred replicates each, precision and recall together at 95%."""

from collections import Counter
from itertools import islice

import pytest

from replicates import DATASETS, SHARED, certify_all, counted_by_sets, replicates, truth_of

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="needs the real data in ../shared")


@pytest.mark.parametrize("name", DATASETS)
def test_one_in_ten_replicates(name):
    values = certify_all(name, every=10)
    for theorem in ("paper", "sharp"):
        assert (values[theorem] > values["truth"]).sum(axis=0).max() <= 1
    assert (values["sharp"].mean(axis=0) >= values["paper"].mean(axis=0)).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", DATASETS)
def test_a_hundred_replicates(name):
    values = certify_all(name)
    assert len(values["truth"]) == 100
    for theorem in ("paper", "sharp"):
        assert (values[theorem] > values["truth"]).sum(axis=0).max() <= 5
    means = {kind: rows.mean(axis=0) for kind, rows in values.items()}
    assert (means["sharp"] >= means["paper"]).all()
    assert (means["sharp"] >= DATASETS[name][1:]).all()


@pytest.mark.parametrize("name", DATASETS)
def test_tallies_equal_those_of_sets(name):
    truth, _ = truth_of(name)
    for replicate in islice(replicates(name), 0, 100, 20):
        tally = replicate.certify("sharp", one_to_one=False).tallies["all"]
        expected = counted_by_sets(replicate, truth)
        assert tally.gap == expected.gap
        assert Counter(tally.train) == Counter(expected.train)
        assert Counter(tally.validation) == Counter(expected.validation)
