"""E-values that depend on the multiset of values alone, not on their order.

They are computed as logarithms. `total` and `drawn` are the sum and the number of all payoffs.
"""

import math

import numpy as np
from numpy.typing import NDArray

from matchbound.bounds.sample import Known

ROUNDING = 1e-9
EPSILON = 2.0**-48  # of the logarithm of one factor
ROUNDS = 50  # of bisection
SPARSE = 200  # if less than 1/200 of the population is drawn, using its size gains nothing
MANY = 5000  # with more draws, places in the order are taken in blocks
BLOCKS = 256
AT_ONCE = 16_000  # factors; with more, most of the time goes into fresh memory
LEAST = 1e-300
TOGETHER = 8  # factors of one logarithm; each is between 1/4 and 2⁵³

Floats = NDArray[np.float64]
Counts = NDArray[np.int64] | Floats


def over_places(
    x: Floats, stake: float, size: float, drawn: int, spare: float, total: float
) -> Floats:
    """The mean of ln(factor) over the places at which each x may have been drawn, or a bit below.

    `spare` is the most that the payoffs of nodes not drawn can sum to. The factors rise or fall
    with i, the number of draws before x, so a block's factors are at least the lesser of those at
    its ends.
    """
    other = (total - x) / max(drawn - 1, 1)

    def factor(i: NDArray[np.int64]) -> Floats:
        left = (spare + x)[:, None] + np.multiply.outer(other, drawn - 1 - i)
        np.maximum(left, LEAST, out=left)  # nothing is left only if x is 0
        return np.asarray(1.0 - stake + np.multiply.outer(stake * x, size - i) / left)

    if drawn <= MANY:
        products = np.multiply.reduceat(factor(np.arange(drawn)), range(0, drawn, TOGETHER), axis=1)
        return np.asarray(np.log(products).sum(axis=1) / drawn)
    ends = drawn * np.arange(BLOCKS + 1) // BLOCKS
    least = np.minimum(factor(ends[:-1]), factor(ends[1:] - 1))
    return np.asarray((np.diff(ends) * np.log(least)).sum(axis=1) / drawn)


def log_e_value(
    values: Floats,
    counts: Counts,
    others: int,
    size: float,
    known: Known,
    rho: float,
    stake: float,
) -> float:
    """The e-value against "the mean over members is at most ρ"; infinite if that is impossible.

    The payoff is the value for a member, and ρ for the `others`, who are not members.
    """
    seen = float((values * counts).sum())
    if math.isinf(size):  # the others' factor is 1
        return float((counts * np.log(1.0 - stake + stake * values / rho)).sum())
    drawn, total = int(others + counts.sum()), others * rho + seen
    spare = (size - others + known[1]) * rho - known[0] - seen
    if spare < -ROUNDING * max(1.0, total):
        return math.inf
    spare = max(spare, 0.0)
    place = stake, size, drawn, spare, total
    payoffs, times = np.append(values, rho), np.append(counts, others)
    if drawn * SPARSE < size:
        ratio = size / (spare + total) if spare + total else 0.0  # there all payoffs are 0
        return float((times * np.log(1.0 - stake + stake * payoffs * ratio)).sum())
    step = max(1, AT_ONCE // (drawn if drawn <= MANY else BLOCKS))
    return sum(
        float(times[i : i + step] @ over_places(payoffs[i : i + step], *place))
        for i in range(0, len(payoffs), step)
    )


def orderfree_bound(
    values: Floats,
    counts: Counts,
    others: int,
    size: float,
    known: Known,
    stakes: Floats,
    delta: float,
) -> float:
    """The greatest ρ that bisection finds rejected by the mean of the stakes' e-values, or 0."""
    enough = math.log1p(ROUNDING) - math.log(delta) + math.log(stakes.size)
    enough += EPSILON * float(others + counts.sum())
    low, high = 0.0, 1.0
    for _ in range(ROUNDS):
        rho = (low + high) / 2.0
        logs = [log_e_value(values, counts, others, size, known, rho, stake) for stake in stakes]
        if np.logaddexp.reduce(logs) >= enough:
            low = rho
        else:
            high = rho
    return low
