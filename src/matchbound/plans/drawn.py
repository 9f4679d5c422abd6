"""Simulated samples of the population that was guessed; the same ones at every call."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from matchbound.plans.counts import Urn

SEED = 2718
BLOCK = 50  # samples at a time
KEPT = 2**14  # places: longer samples are drawn anew each time

Rows = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""Who counts, and who is right, in draw order; one sample a row."""


def samples(urn: Urn, labels: int, block: int) -> Rows:
    """One block of them. A shorter sample is the beginning of a longer: so powers rise smoothly."""
    length = min(1 << (labels - 1).bit_length(), urn.nodes)
    member, right = (_kept if length <= KEPT else _block)(urn, length, block)
    return member[:, :labels], right[:, :labels]


def _block(urn: Urn, length: int, block: int) -> Rows:
    from matchbound.plans._drawing import draw_kinds

    uniform = np.random.default_rng([SEED, block]).random((length, BLOCK))
    member, right = draw_kinds(uniform, tuple(urn))
    return member, right


_kept = lru_cache(maxsize=160)(_block)
