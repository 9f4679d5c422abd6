"""Guarantees on real data: a hundred replicates each, precision and recall together at 95%."""

import pytest

from replicates import DATASETS, SHARED, certify_all

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="needs the real data in ../shared")


@pytest.mark.parametrize("name", DATASETS)
def test_a_hundred_replicates(name):
    values = certify_all(name)
    assert len(values["truth"]) == 100
    for theorem in ("paper", "sharp"):
        assert (values[theorem] > values["truth"]).sum(axis=0).max() <= 5
    means = {kind: rows.mean(axis=0) for kind, rows in values.items()}
    assert (means["sharp"] >= means["paper"]).all()
    assert (means["sharp"] >= DATASETS[name][1:]).all()
