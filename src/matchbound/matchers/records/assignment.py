"""One-to-one: of the candidates that share a record, the most probable counts."""

import numpy as np
from numpy.typing import NDArray

from matchbound.matchers.records.candidates import Candidates
from matchbound.matchers.records.fields import Tables

Floats = NDArray[np.float32]


def one_to_one(scores: Floats, candidates: Candidates, tables: Tables) -> Floats:
    """The scores of a one-to-one matching: those of pairs that lose to another are lowered.

    Pairs are taken from the highest score on, if both records are still free; of equals the one
    with the higher cosines. So from any threshold on they are the matching that this threshold
    would give. A pair that loses to one with score s gets its own times 1 − s, at most ¼.
    """
    from matchbound.matchers.records._pairs import best_free

    x, y = candidates.x, candidates.y
    order = np.lexsort((y, x, -(candidates.cosine3 + candidates.cosine4), -scores))
    best_x = np.zeros(len(tables.left), np.float32)
    best_y = best_x if tables.is_dedupe else np.zeros(len(tables.right), np.float32)
    is_kept = np.zeros(len(scores), bool)
    best_free(order, x, y, scores, best_x, best_y, is_kept)
    return np.where(is_kept, scores, scores * (1 - np.maximum(best_x[x], best_y[y])))
