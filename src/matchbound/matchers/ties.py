"""How ties are broken: at random by a seed."""

import hashlib

import numpy as np

from matchbound.matchers.graphs import Graph, Ints


def key_of(seed: int | str) -> np.uint64:
    """Numbers and their text are the same seed."""
    return np.uint64(int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8]))


def shuffled(pairs: Ints, left: Graph, right: Graph, seed: np.uint64) -> Ints:
    """The pairs in an order that depends on them and the seed alone."""
    from matchbound.matchers._layout import lots

    order = np.argsort(lots(left.keys[pairs[:, 0]], right.keys[pairs[:, 1]], seed))
    return pairs[order]
