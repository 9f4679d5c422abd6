"""Simulated samples of the guessed population; the same ones at every call."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from matchbound.plans.counts import Urn

SEED = 2718
BLOCK = 50  # samples at a time
KEPT = 2**14  # labels: longer samples are not kept, but drawn again each time

Block = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""Whether each node counts, and whether it is right, in draw order; one row per sample."""


def samples(urn: Urn, labels: int, block: int) -> Block:
    """A block of samples. Shorter ones are beginnings of longer ones, so powers rise smoothly."""
    length = min(1 << (labels - 1).bit_length(), urn.nodes)
    member, right = (_kept if length <= KEPT else _block)(urn, length, block)
    return member[:, :labels], right[:, :labels]


def _block(urn: Urn, length: int, block: int) -> Block:
    from matchbound.plans._drawing import draw_kinds

    uniform = np.random.default_rng([SEED, block]).random((length, BLOCK))
    member, right = draw_kinds(uniform, tuple(urn))
    return member, right


_kept = lru_cache(maxsize=160)(_block)
