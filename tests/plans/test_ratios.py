"""Pairwise and B-cubed metrics are planned as their theorems certify them."""

import math
from dataclasses import replace

import numpy as np
import pytest

from matchbound import InputError, plan
from matchbound.plans.counts import Urn
from matchbound.plans.outlooks import Prospects
from matchbound.plans.question import Question, choices_for
from matchbound.plans.simulation import _printed

METRICS = ("pairwise-precision", "pairwise-recall", "pairwise-f1", "b3-precision", "b3-recall")
LIMITS = {
    "promise": {"most_true_matches": 5},
    "promise of one": {"most_true_matches": 1},
    "one-to-one": {"one_to_one": True},
    "by the sample": {},
    "among": {"among_records_with_at_most": 3},
}


def question(guesses, *, size=300, matched=0.7, targets=(), gap_rate=None, train=0, **choices):
    chosen = choices_for(guesses, matched, dedupe=True, **choices)
    return Question(size, chosen, dict(targets), 0.9, gap_rate, train, dedupe=True)


def random_kinds(rng, margin, labels):
    """A sample in its order: 0 right, 1 wrong, 2 without a match."""
    nodes, members, right = margin.urn
    everyone = np.repeat([0, 1, 2], [right, members - right, nodes - members])
    return rng.permutation(everyone)[: margin.fresh(labels)]


def told_by_theorems(margin, labels, kinds):
    by_kind = margin._labels(3, 2, 1)
    sample = tuple(by_kind[kind] for kind in kinds)
    return margin._of(labels, sample, int((kinds < 2).sum())).value


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("limit", LIMITS)
def test_bets_tell_what_the_theorems_make_of_labels(metric, limit):
    """To the last digit, and so does every decision against a target."""
    rng = np.random.default_rng(6)
    reached, limited = [], metric in ("pairwise-recall", "pairwise-f1")
    for gap_rate in (None, 0.0, 0.02):
        if gap_rate is not None and limit == "among" and limited:
            continue
        for train in (0, 70):
            asked = question({metric: 0.8}, gap_rate=gap_rate, train=train, **LIMITS[limit])
            margin = asked.margins()[metric]
            assert margin.by_bets is not None
            for labels in (2, 40, 120, 300):
                rows = [random_kinds(rng, margin, labels) for _ in range(2)]
                values = [told_by_theorems(margin, labels, kinds) for kinds in rows]
                assert [margin.of_order(labels, kinds) for kinds in rows] == values
                reached += [decides(margin, labels, rows, values)]
    assert any(reached)


def decides(margin, labels, rows, values):
    """Whether targets just below values are reached, and those above are not."""
    kinds = np.array(rows)
    block = kinds < 2, kinds == 0
    fresh = margin.fresh(labels)
    changed = np.array([margin.outside(fresh, int(m))[2] for m in block[0].sum(axis=1)], float)
    for value in values:
        for target in (value - 0.004, value, value + 1e-6, value + 0.004):
            if not 0 < target < 1 or labels == margin.size:
                continue
            found = margin.by_bets.reached(
                margin.sample(labels), margin.design, block, changed, _printed(target)
            )
            assert found.tolist() == [value >= round(target, 9) for value in values]
    return any(value > 0 for value in values)
