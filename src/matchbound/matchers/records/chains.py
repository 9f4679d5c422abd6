"""Candidates of candidates: in deduplication, records that match the same third record."""

import numpy as np
from numpy.typing import NDArray

from matchbound.matchers.records.candidates import Candidates, measured
from matchbound.matchers.records.features import Features

Floats = NDArray[np.float32]
LEAST = 0.5  # probability of the matches that are followed


def with_chains(features: Features, scores: Floats) -> Candidates:
    """The candidates, and the pairs of records that both match a third one."""
    from scipy.sparse import coo_array

    pairs, size = features.candidates, len(features.tables.left)
    is_match = scores >= LEAST
    x, y = pairs.x[is_match], pairs.y[is_match]
    ends = np.concatenate([x, y]), np.concatenate([y, x])
    links = coo_array((np.ones(2 * len(x), np.float32), ends), shape=(size, size)).tocsr()
    ways = (links @ links).tocoo()
    is_new = ways.row < ways.col
    x, y = ways.row[is_new].astype(np.int32), ways.col[is_new].astype(np.int32)
    both = np.concatenate([pairs.x, x]), np.concatenate([pairs.y, y])
    return measured(*both, features.tables.left_texts)
