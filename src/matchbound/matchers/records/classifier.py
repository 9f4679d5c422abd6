"""The classifier: extremely randomised trees, trained on candidate pairs of labelled nodes."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matchbound.compiled import thread_count
from matchbound.errors import InputError
from matchbound.matchers.records.features import Features
from matchbound.matchers.records.labelled import Labelled

Floats = NDArray[np.float32]
TREES = 200
ROUGH = 60  # trees of a classifier whose scores are held out
FOLDS = 3
CHUNK = 1 << 16  # pairs whose features are in memory at a time, for each thread


def probabilities(features: Features, labelled: Labelled) -> Floats:
    """The probability that each candidate is a match, by a classifier of the labelled ones."""
    return _scores(_trained(features, *labelled.among(features.candidates), TREES), features)


def held_out(features: Features, labelled: Labelled, entities: NDArray[np.int64]) -> Floats:
    """The same, but those of labelled nodes are by a classifier of the labels of other entities."""
    rows, is_match = labelled.among(features.candidates)
    scores = _scores(_trained(features, rows, is_match, ROUGH), features)
    x, y = features.candidates.x[rows], features.candidates.y[rows]
    fold = entities[np.where(labelled.is_labelled[x], x, y)] % FOLDS
    for number in np.unique(fold):
        others = fold != number
        trees = _trained(features, rows[others], is_match[others], ROUGH)
        held = rows[~others]
        scores[held] = _shares(trees, features.matrix(held))
    return scores


def _scores(trees: list[Any], features: Features) -> Floats:
    size = len(features.candidates)
    scores = np.empty(size, np.float32)

    def score(start: int) -> None:
        rows = slice(start, min(start + CHUNK, size))
        scores[rows] = _shares(trees, features.matrix(rows))

    with ThreadPoolExecutor(thread_count()) as pool:
        list(pool.map(score, range(0, size, CHUNK)))
    return scores


def _trained(
    features: Features, rows: NDArray[np.int64], is_match: NDArray[np.bool_], trees: int
) -> list[Any]:
    """A forest's trees; the same on every run, and whatever the number of threads."""
    from sklearn.ensemble import ExtraTreesClassifier

    if is_match.all() or not is_match.any():
        raise InputError(
            "labels must have matches and others among the candidates of labelled nodes, got "
            f"{len(rows)} candidates, of which {int(is_match.sum())} are matches. "
            "Label more nodes, or give more candidates if they are your own."
        )
    forest = ExtraTreesClassifier(trees, random_state=0)
    forest.fit(features.matrix(rows), is_match)
    return [one.tree_ for one in forest.estimators_]


def _shares(trees: list[Any], matrix: Floats) -> NDArray[np.float64]:
    """The mean over trees of the share of matches in a pair's leaf.

    It is what `predict_proba` returns. That one must not be called by several threads at a time:
    it changes Python's filters of warnings, and adds the trees up in any order.
    """
    total = np.zeros(len(matrix))
    for tree in trees:
        total += tree.predict(matrix)[:, 1]
    return total / len(trees)
