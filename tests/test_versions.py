"""Twenty versions of a matcher on real data, certified from one set of labels, hold together."""

import numpy as np
import pytest

from matchbound import Choices
from support.replicates import SHARED
from support.versions import (
    ATTACKS,
    as_its_own_holdout,
    failures,
    gap_on_labelled,
    shipped,
)

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="needs the real data in ../shared")
DELTA, LABELS = 0.2, 300


def any_fails(audits, seed, certify):
    """The shares of audits in which any version's certificate is false, and the holdout's is."""
    choices = Choices(DELTA, one_to_one=True)
    rows = failures(audits, seed, choices, LABELS, certify)
    assert rows.shape == (audits, len(ATTACKS)) == (audits, 20)
    return rows.any(axis=1).mean(), rows[:, 0].mean()


def test_few_audits():
    """All twenty fail together, or none does; what claims a little more fails in every audit."""
    together, alone = any_fails(6, 5, shipped)
    assert 0 < alone == together <= DELTA
    for stronger in (as_its_own_holdout, gap_on_labelled):
        assert any_fails(1, 5, stronger)[0] == 1


@pytest.mark.slow
def test_a_thousand_audits():
    parts = np.array([any_fails(250, seed, shipped) for seed in range(4)])
    together, alone = parts.mean(axis=0)
    assert alone > DELTA / 2  # the setting is one in which a weaker bound would fail
    assert alone <= together <= DELTA


@pytest.mark.slow
@pytest.mark.parametrize("stronger", [as_its_own_holdout, gap_on_labelled])
def test_stronger_claims_fail(stronger):
    assert any_fails(50, 5, stronger)[0] > 0.9
