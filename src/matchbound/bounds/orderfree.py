"""A bound for fractions that uses no order: for labels brought along, and for histograms.

Where labels come without a draw, every order of them is public, or was chosen. An e-value that
depends on the multiset of values alone gives nobody such a choice.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
SKEW = 1.8  # values near 1 with a few low ones want smaller stakes
SPREAD = (0.6, 1.0, 1.7)  # stakes where no variance was planned


def orderfree(sample: Sample, size: Size, delta: float) -> float:
    """The mean of values in [0, 1], from how often each was drawn.

    Claim: mean ≥ bound with probability at least 1 − δ.
    Formula: the least m not rejected; m is when n·m < Σ, the sum of the sample, or when E ≥ 1/δ,
    ln E = Σₓ (1/s)·Σᵢ ln(1 − c + c·x·(n − i)/(n·m − i·qₓ)), x over the sample, i from 0 to s − 1,
    qₓ = (Σ − x)/(s − 1); where s/n < 1/200, or without a size, E = Π (1 − c + c·x/m). The stake is
    c = min(¾, √(2·ln(1/δ)/(1.8·s·variance))). Without a planned variance E is the mean of those of
    0.6·c, c and 1.7·c, at 0.05. Beyond 5,000 draws i is taken in 256 blocks, a little below.
    Assumes: drawn uniformly without replacement, or independently; s and `variance`, the variance
    one expects, fixed before the values are seen.
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
    """The mean over a subpopulation whose size is not known, in any order.

    Claim, formula and assumptions: as `orderfree`, with ρ for the value of anyone who is no member
    and (n + ν)·ρ − κ for n·m, κ and ν the sum and the number of members known besides. Arguments as
    for `ratio_lower`.

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
    """The mean of values that are in a sample with the probabilities `weights`, given the labels.

    Claim: mean ≥ bound with probability at least 1 − δ; with `member`, the mean over members.
    Formula: the least m not rejected; m is when Π (1 − c + c·x/m)^w ≥ 1/δ, over members; the stake
    as for `orderfree`, s being the sum of all weights.
    Assumes: a sample in which each labelled node is with its weight, given which nodes were
    labelled, is a uniform sample of the population, of fixed size.
    Source: Jensen's inequality, for the product form of `orderfree`.

    >>> round(weighted_lower([1, 1, 1, 1, 0.5] * 40, [0.9] * 200, delta=0.05, variance=0.04), 4)
    0.8604
    """
    from matchbound.bounds._orderfree import orderfree_bound

    delta = check_delta(delta)
    who = np.ones(len(np.asarray(values)), dtype=bool) if member is None else member
    members, numbers = check_members(who, values)
    powers = check_weights(weights, len(numbers))
    planned = None if variance is None else check_variance(variance, DEFAULT_VARIANCE)
    chosen = choose_stakes(float(powers.sum()), delta, planned)
    parts = numbers[members], powers[members]
    return float(orderfree_bound(*parts, 0, math.inf, (0.0, 0), chosen, delta))


def choose_stakes(drawn: float, delta: float, variance: float | None) -> NDArray[np.float64]:
    """One stake where a variance was planned, else three around the usual one."""
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
    from matchbound.bounds._orderfree import orderfree_bound

    distinct, place = np.unique(values, return_inverse=True)
    merged = np.bincount(place, weights=counts, minlength=len(distinct)).astype(np.int64)
    n = one_size("orderfree", size)
    chosen = choose_stakes(merged.sum() + others, delta, variance)
    bound = orderfree_bound(distinct, merged, others, n, known, chosen, delta)
    return float(bound)
