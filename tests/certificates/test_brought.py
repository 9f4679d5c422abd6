"""Labels that come without a draw: no order of them is anybody's to choose or to know."""

import numpy as np
import pyarrow as pa
import pytest

import matchbound as mb
from matchbound.audits.order import hash_of, key_of
from matchbound.errors import InputError

NODES, LABELS = 2000, 300


def in_public_order(nodes):
    """An order that everybody can compute before anything is labelled."""
    key = key_of("validation", "labels brought along")
    return sorted(nodes, key=lambda node: hash_of(key, node))


def certify(labelled, holdout, **choices):
    return mb.certify(
        population=pa.table({"id": [str(i) for i in range(NODES)]}),
        labels=pa.table({"x": labelled, "y": [f"y{x}" for x in labelled]}),
        holdout=holdout,
        assume_uniform=True,
        **choices,
    )


@pytest.mark.parametrize("theorem", ["sharp", "paper"])
def test_a_matcher_that_is_right_where_a_public_order_begins(theorem):
    """Its labels come first in that order: bets on them would win, in 30 of 30 runs."""
    rng = np.random.default_rng(14)
    nodes = [str(i) for i in range(NODES)]
    right = set(in_public_order(nodes)[: NODES // 2])
    holdout = pa.table({"x": nodes, "y": [f"y{x}" if x in right else f"z{x}" for x in nodes]})
    for _ in range(30 if theorem == "sharp" else 5):
        labelled = rng.choice(nodes, LABELS, replace=False).tolist()
        certificate = certify(labelled, holdout, theorem=theorem)
        assert 0.25 < certificate.value("recall") <= 0.5
        assert 0.25 < certificate.value("precision") <= 0.5


@pytest.mark.parametrize(
    "choices", [{"bound": "star"}, {"bound": "anytime"}, {"until": {"recall": 9}}, {"gap": 50}]
)
def test_what_needs_an_order_is_refused(choices):
    nodes = [str(i) for i in range(NODES)]
    with pytest.raises(InputError, match="they need an order that was drawn"):
        certify(nodes[:9], pa.table({"x": nodes, "y": nodes}), link=True, **choices)


def test_one_matcher_gets_one_bound_whatever_the_order_of_the_labels():
    nodes = [str(i) for i in range(NODES)]
    holdout = pa.table({"x": nodes[50:], "y": [f"y{x}" for x in nodes[50:]]})
    labelled = np.random.default_rng(1).choice(nodes, LABELS, replace=False).tolist()
    one, other = certify(labelled, holdout), certify(labelled[::-1], holdout)
    assert one.guarantees == other.guarantees
