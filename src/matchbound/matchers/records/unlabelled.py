"""Matching without labels, by greedy agglomeration."""

import numpy as np

from matchbound.matchers.records.agglomeration import Pairs, agglomerate
from matchbound.matchers.records.candidates import Candidates
from matchbound.matchers.records.closure import Floats, scored_by_merges
from matchbound.matchers.records.features import Features
from matchbound.matchers.records.links import Links, text_labels

ALPHA = 0.5
THRESHOLD = 0.5  # of similarity


def unlabelled(features: Features, links: Links, alpha: float) -> tuple[Candidates, Floats]:
    """Candidates and their scores, by agglomeration of records that occur together.

    The attributes' similarity is the mean of both cosines. Agglomeration starts with the candidates
    from ½ on that have a neighbour of the same text in common, the most similar first. A score is
    the similarity at which two records came into one cluster, 1 for those of the start.
    """
    candidates, texts = features.candidates, text_labels(features.tables)
    x, y = links.ends(candidates)
    cosine = (candidates.cosine3.astype(np.float64) + candidates.cosine4) / 2
    shared = links.neighbours.labelled(texts).own(x, y)[:, 0]
    start = np.flatnonzero((cosine >= THRESHOLD) & (shared > 0))
    start = start[np.argsort(-cosine[start], kind="stable")]
    merges = agglomerate(
        links.count,
        Pairs(x, y, cosine),
        links.groups,
        alpha=alpha,
        threshold=THRESHOLD,
        start=zip(x[start].tolist(), y[start].tolist(), strict=True),
    )
    return scored_by_merges(features, links, merges, THRESHOLD)
