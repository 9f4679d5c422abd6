"""A threshold on real scores: the chosen one has the precision that was asked for."""

import pytest

from matchbound import Choices
from matchbound.theorems.choices import CANDIDATES
from support.replicates import SHARED
from support.thresholds import Scored

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="needs the real data in ../shared")


@pytest.fixture(scope="module")
def scored():
    return Scored(CANDIDATES)


@pytest.mark.parametrize(
    ("target", "labels"), [(0.95, 400), pytest.param(0.975, 1000, marks=pytest.mark.slow)]
)
def test_the_chosen_threshold_has_the_target_in_95_of_100_draws(scored, target, labels):
    choices = Choices(choose_threshold={"precision": target})
    truth = {score: scored.true_metrics(score) for score in CANDIDATES}
    assert (min(p for p, _ in truth.values()) < target) == (target == 0.975)
    right = held = chosen_at_all = 0
    for seed in range(100):
        chosen, values = scored.choose(str(seed), labels, choices)
        if chosen is None:  # nothing was claimed
            right, held = right + 1, held + 1
            continue
        chosen_at_all += 1
        right += truth[chosen][0] >= target
        held += all(v <= t for v, t in zip(values, truth[chosen], strict=True))
    assert right >= 95
    assert held >= 95
    assert chosen_at_all >= 20


def test_the_commands_count_the_same(scored):
    choices = Choices(choose_threshold={"precision": 0.95})
    for seed in ("1", "2"):
        certificate = scored.certificate(seed, 300, 0.95)
        assert certificate.tallies == scored.tallies(scored.drawn(seed, 300))
        chosen, values = scored.choose(seed, 300, choices)
        assert certificate.threshold.chosen == chosen
        assert [g.value for g in certificate.guarantees] == values
