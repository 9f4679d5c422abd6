"""A bound for fractions that does not depend on their order, for labels that users bring.

If labels come without a draw, their order may have been chosen after they were seen. An e-value
that depends on the multiset of values alone leaves no such choice. It serves for histograms too.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matchbound.bounds._orderfree import BLOCKS, MANY, ROUNDS, SPARSE, orderfree_bound
from matchbound.bounds.checks import (
    check_delta,
    check_known,
    check_members,
    check_size,
    check_variance,
    check_weights,
    one_size,
)
from matchbound.bounds.sample import DEFAULT_VARIANCE, Known, Sample, Size

BOLDEST = 0.75  # the greatest stake
SKEW = 1.8  # smaller stakes are better for values near 1 with a few low ones
SPREAD = (0.6, 1.0, 1.7)  # multiples of the usual stake, if no variance was planned


def orderfree(sample: Sample, size: Size, delta: float) -> float:
    """A bound on the mean of values in [0, 1], from how often each was drawn.

    Claim: mean ≥ bound with probability at least 1 − δ.
    Formula: the least m not rejected; m is if n·m < Σ, the sum of the sample, or if E ≥ 1/δ,
    ln E = Σₓ (1/s)·Σᵢ ln(1 − c + c·x·(n − i)/(n·m − i·qₓ)), x over the sample, i from 0 to s − 1,
    qₓ = (Σ − x)/(s − 1); where s/n < 1/200, or without a size, E = Π (1 − c + c·x/m). The stake is
    c = min(¾, √(2·ln(1/δ)/(1.8·s·variance))). Without a planned variance E is the mean of those of
    0.6·c, c and 1.7·c, for a variance of 0.05. Beyond 5,000 draws i is taken in 256 blocks, which
    makes E a little less.
    Assumes: drawn uniformly without replacement, or independently; s and `variance`, the expected
    variance, fixed before the values are seen.
    Prefer it: for fractions without a draw's order, or in a histogram.
    Source: Maclaurin's inequality for Π; for E the mean over all orders of the logarithm of the
    capital of Waudby-Smith and Ramdas (2024), by Jensen's inequality twice.

    >>> from matchbound import bounds
    >>> how = {"size": 10_000, "delta": 0.05, "method": "orderfree", "variance": 0.04}
    >>> round(bounds.lower([0.5, 1], counts=[40, 160], **how), 4)
    0.863
    """
    counts = np.ones(sample.drawn, dtype=np.int64) if sample.counts is None else sample.counts
    return _orderfree(sample.values, counts, 0, size, delta, sample.variance)


def orderfree_ratio(
    member: ArrayLike,
    values: ArrayLike,
    *,
    size: int | None,
    delta: float,
    variance: float | None = None,
    known: Known = (0.0, 0),
) -> float:
    """A bound on the mean over members whose number is unknown, without an order.

    Claim, formula and assumptions: as `orderfree`, with ρ for the value of nodes that are not
    members, and (n + ν)·ρ − κ for n·m, where κ and ν are the sum and the number of known members.
    Arguments as for `ratio_lower`.

    >>> member, values = [True, True, False, True] * 50, [1, 1, 0, 0.5] * 50
    >>> round(orderfree_ratio(member, values, size=9000, delta=0.05), 4)
    0.7831
    """
    delta, known = check_delta(delta), check_known(known)
    members, numbers = check_members(member, values, known)
    sizes = check_size(size, len(numbers))
    planned = None if variance is None else check_variance(variance, DEFAULT_VARIANCE)
    counts = np.ones(int(members.sum()), dtype=np.int64)
    others = len(numbers) - len(counts)
    return _orderfree(numbers[members], counts, others, sizes, delta, planned, known)


def weighted_lower(
    values: ArrayLike,
    weights: ArrayLike,
    *,
    delta: float,
    variance: float | None = None,
    member: ArrayLike | None = None,
) -> float:
    """A bound on the mean of values that are in a sample with the probabilities `weights`.

    Claim: mean ≥ bound with probability at least 1 − δ; with `member`, the mean over members.
    Formula: the least m not rejected; m is rejected if Π (1 − c + c·x/m)^w ≥ 1/δ, over members; the
    stake c as for `orderfree`, where s is the sum of all weights.
    Assumes: there is a uniform sample of the population, of fixed size, in which each labelled node
    is with probability its weight, given which nodes were labelled.
    Source: Jensen's inequality, for the product form of `orderfree`.

    >>> round(weighted_lower([1, 1, 1, 1, 0.5] * 40, [0.9] * 200, delta=0.05, variance=0.04), 4)
    0.8604
    """
    delta = check_delta(delta)
    everyone = np.ones(len(np.asarray(values)), dtype=bool)
    members, numbers = check_members(everyone if member is None else member, values)
    powers = check_weights(weights, len(numbers))
    planned = None if variance is None else check_variance(variance, DEFAULT_VARIANCE)
    stakes = choose_stakes(float(powers.sum()), delta, planned)
    parts = numbers[members], powers[members]
    kernel = orderfree_bound.over(ROUNDS * len(stakes) * len(parts[0]))
    return float(kernel(*parts, 0, math.inf, (0.0, 0), stakes, delta))


def choose_stakes(drawn: float, delta: float, variance: float | None) -> NDArray[np.float64]:
    """One stake if a variance was planned, else three around the usual one."""
    plan = DEFAULT_VARIANCE if variance is None else variance
    stake = math.sqrt(2 * -math.log(delta) / (SKEW * drawn * plan))
    return np.minimum(
        np.array(SPREAD if variance is None else (1.0,)) * min(stake, BOLDEST), BOLDEST
    )


def _orderfree(
    values: NDArray[np.float64],
    counts: NDArray[np.int64],
    others: int,
    size: Size,
    delta: float,
    variance: float | None,
    known: Known = (0.0, 0),
) -> float:
    distinct, index = np.unique(values, return_inverse=True)
    merged = np.bincount(index, weights=counts, minlength=len(distinct)).astype(np.int64)
    n, drawn = one_size("orderfree", size), int(merged.sum()) + others
    stakes = choose_stakes(drawn, delta, variance)
    places = 1 if drawn * SPARSE < n else drawn if drawn <= MANY else 2 * BLOCKS
    kernel = orderfree_bound.over(ROUNDS * len(stakes) * (len(distinct) + 1) * (places + 3) // 2)
    return float(kernel(distinct, merged, others, n, known, stakes, delta))
