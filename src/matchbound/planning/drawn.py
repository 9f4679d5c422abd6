"""Samples of a population as it is guessed to be: the same ones each time they are asked for."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from matchbound.planning.counted import Urn

SEED = 2718
BLOCK = 50  # samples at a time
KEPT = 2**14  # places: longer samples are drawn anew each time

Rows = tuple[NDArray[np.bool_], NDArray[np.bool_]]
"""Who counts, and who is right, in draw order; one sample a row."""


def samples(urn: Urn, labels: int, draws: int) -> Iterator[Rows]:
    """In blocks. A shorter sample is the beginning of a longer: so powers rise smoothly."""
    length = min(1 << (labels - 1).bit_length(), urn.nodes)
    block = _kept if length <= KEPT else _block
    for first in range(0, draws, BLOCK):
        member, right = block(urn, length, first)
        yield member[:, :labels], right[:, :labels]


def _block(urn: Urn, length: int, first: int) -> Rows:
    from matchbound.planning._drawing import draw_kinds

    uniform = np.random.default_rng([SEED, first]).random((length, BLOCK))
    member, right = draw_kinds(uniform, tuple(urn))
    return member, right


_kept = lru_cache(maxsize=160)(_block)
