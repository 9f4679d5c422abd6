"""How many nodes a draw by weight might miss together."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matchbound.bounds.checks import check_delta
from matchbound.errors import InputError

ROUNDING = 1e-9  # of the probability, relative


def missed(weights: Sequence[tuple[float, int]], drawn: int, delta: float) -> int:
    """The least e such that the draw misses any e given nodes with probability at most δ.

    Claim: whichever e nodes are given before the draw, all of them are missed with probability at
    most δ.
    Formula: the least e with Π (1 − w(E)/(W − wₑ₊₁ − … − wₑ₊ᵢ₋₁)) ≤ δ over the draws i, where
    w₁ ≤ w₂ ≤ … are all weights, W their sum and w(E) = w₁ + … + wₑ. Exact for equal weights:
    C(N − e, s)/C(N, s). A set of more nodes than are left undrawn is missed with probability 0. A
    probability that is δ up to rounding counts as above it.
    Assumes: drawn one by one without replacement, each node with a probability in proportion to its
    weight among those left; weights and the number drawn fixed before the draw. `weights` holds
    each weight and how many nodes have it.

    >>> missed([(1.0, 1000)], drawn=200, delta=0.05)
    14
    >>> missed([(1.0, 500), (3.0, 500)], drawn=200, delta=0.05)
    29
    """
    delta = check_delta(delta)
    rising = sorted(weights)
    weight = np.array([one for one, _ in rising], dtype=np.float64)
    count = np.array([many for _, many in rising], dtype=np.int64)
    if not (np.isfinite(weight) & (weight > 0)).all() or (count < 0).any():
        raise InputError(
            f"weights must be above 0, with how many nodes have each, got {weights!r}. "
            "Leave out nodes that cannot be drawn."
        )
    size = int(count.sum())
    if not 0 <= drawn <= size:
        raise InputError(
            f"drawn must be 0 to the number of nodes, {size}, got {drawn!r}. "
            "Count every node that can be drawn."
        )
    low, high = 0 if drawn else size, size - drawn + 1  # missed too often, and not, if it exists
    while high - low > 1:
        middle = (low + high) // 2
        if _log_missed(weight, count, middle, drawn) <= math.log(delta) - ROUNDING:
            high = middle
        else:
            low = middle
    return high


def _log_missed(weight: NDArray[np.float64], count: NDArray[np.int64], e: int, drawn: int) -> float:
    """The logarithm of a bound on the probability that the e lightest nodes are missed."""
    ends = np.cumsum(count)
    lightest = np.clip(e - (ends - count), 0, count)
    next_few = np.clip(e + drawn - 1 - (ends - count), 0, count) - lightest
    next_weights = np.repeat(weight, next_few)
    left = float(weight @ count) - np.concatenate([[0.0], np.cumsum(next_weights)])
    return float(np.log1p(-float(weight @ lightest) / left).sum())
