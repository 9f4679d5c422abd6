"""All metrics on real data: as tight as published, and false as seldom as promised."""

from collections import Counter
from itertools import islice

import pytest

from matchbound import Choices
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.tally import Label
from support.metric_tables import (
    DEDUPLICATED,
    EXCHANGED,
    MOST_BROKEN,
    SIZES,
    closed_to_clusters,
    few_labels,
    limits_of_other_kinds,
    one_draw_for_all,
    pairs_as_given,
)
from support.populations import breaks, metrics_of
from support.replicates import SHARED, counted_by_sets, matches_by_node, replicates, truth_of
from support.simulated import in_random_order, planned

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="needs the real data in ../shared")

SHORTFALL = 0.008
BY_SUMS = tuple(name for name, metric in METRICS.items() if metric.by_sums)


def check(figures, shortfall=SHORTFALL):
    for figure in figures:
        assert figure.mean >= figure.published - shortfall, figure
        assert figure.broken <= MOST_BROKEN, figure


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
def test_as_tight_as_published(name):
    check(pairs_as_given(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", DEDUPLICATED)
def test_as_tight_as_published_of_clusters(name):
    check(closed_to_clusters(name))


@pytest.mark.slow
def test_as_tight_as_published_with_other_limits_and_weights():
    check(limits_of_other_kinds())
    check(one_draw_for_all())


@pytest.mark.slow
@pytest.mark.parametrize("name", EXCHANGED)
def test_few_labels(name):
    """On restaurants, recall from 100 labels is 0.022 below what other bets give."""
    check(few_labels(name), 0.025)


# Replicates, with a complete matcher that knows all labels.


def false_certificates(name, every):
    """How many replicates have a false guarantee, and of how many."""
    truth, dedupe = truth_of(name)
    most = max(len(matches) for matches in truth.values())
    metrics = BY_SUMS if dedupe else tuple(m for m in BY_SUMS if not METRICS[m].of_clusters)
    choices = Choices(0.05, metrics, most_true_matches=most)
    broken = Counter()
    for seed, replicate in enumerate(islice(replicates(name), 0, None, every)):
        tally = in_random_order(counted_by_sets(replicate, truth), seed)
        found = guarantees({"all": tally}, planned(tally, choices), complete=True)
        _, complete = matches_by_node(replicate, truth)
        counts = Counter(
            Label.alone(len(complete[x]), len(true), len(complete[x] & true))
            for x, true in truth.items()
        )
        broken[breaks(found, metrics_of(counts))] += 1
        assert all(g.value > 0.4 for g in found)
    return broken[True], broken.total()


def test_one_in_ten_replicates():
    broken, runs = false_certificates("fake_1000", 10)
    assert (broken <= 2, runs) == (True, 10)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dblp_acm", "febrl4", "chicago_childcare", "fake_1000"])
def test_a_hundred_replicates(name):
    broken, runs = false_certificates(name, 1)
    assert (broken <= MOST_BROKEN, runs) == (True, 100)
