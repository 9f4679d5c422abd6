"""`match` on real records with known truth: good enough, and its certificates hold."""

import pytest

from matchbound.matchers.records import classifier
from support.record_audits import RecordSet
from support.replicates import SHARED

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SHARED.exists(), reason="needs the real data in ../shared"),
]
FAILURES = 11  # of 100 draws at δ = 0.05: its mean and three standard deviations


@pytest.mark.parametrize(
    ("name", "precision", "recall"), [("dblp_acm", 0.985, 0.98), ("febrl4", 0.995, 0.99)]
)
def test_two_tables(name, precision, recall):
    data = RecordSet(name)
    for seed in range(3):
        nodes = data.draw(seed, 400)
        matches = data.matches(data.labels(nodes), one_to_one=True)
        found = data.without(nodes, matches.pairs())
        assert found[0] >= precision
        assert found[1] >= recall


@pytest.mark.parametrize(("name", "f1"), [("chicago_childcare", 0.955), ("fake_1000", 0.851)])
def test_one_table_is_matched_better_than_by_others(name, f1):
    """0.955 is dedupe's, 0.851 recordlinkage's, with the same labels."""
    data = RecordSet(name)
    nodes = data.drawn()
    found = data.without(nodes, data.matches(data.labels(nodes)).pairs())
    assert found[2] >= f1


@pytest.mark.parametrize(
    ("name", "metrics"),
    [
        ("dblp_acm", ("precision", "recall")),
        ("chicago_childcare", ("precision", "recall", "pairwise-precision", "pairwise-recall")),
    ],
)
def test_certificates_hold(name, metrics, monkeypatch):
    monkeypatch.setattr(classifier, "TREES", 40)  # for time: they must hold for any matcher
    data = RecordSet(name)
    runs = [data.withhold(str(seed), 400, 400, metrics=metrics) for seed in range(100)]
    broken = sum(any(bound > true for bound, true in run.values()) for run in runs)
    assert broken <= FAILURES
    for metric in metrics:
        assert sum(run[metric][0] for run in runs) / len(runs) >= 0.8
