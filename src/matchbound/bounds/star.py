"""Star bets: the tightest bound for fractions whose number was fixed at the draw.

A gambler bets on each value, in draw order, that the mean is above ρ. If it is not, her capital
ever reaches 1/δ with probability at most δ (Ville), so when it does, ρ is rejected. The size of
each bet depends on how far the capital is from its aim, and on how many draws are left. The
rejected ρ form an interval, so bisection is exact, and the bound never falls when a value rises.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matchbound.bounds.betting import bets_at_any_time, fixed_bets_lower
from matchbound.bounds.checks import (
    check_delta,
    check_known,
    check_members,
    check_size,
    check_variance,
    one_size,
)
from matchbound.bounds.sample import DEFAULT_VARIANCE, Known, Sample, Size


def star(sample: Sample, size: Size, delta: float) -> float:
    """A bound on the mean of values in [0, 1], from bets that depend on the capital so far.

    Claim: mean ≥ bound with probability at least 1 − δ.
    Formula: the least ρ not rejected; ρ is rejected when K = Π (1 + λᵢ(xᵢ − mᵢ)) reaches 1/δ, with
    mᵢ = (n·ρ − x₁ − … − xᵢ₋₁)/Nᵢ, Nᵢ = n − i + 1, L = ln(1.5/(δ·K)) before the draw and
    λᵢ = min(L·√(2/(1 + L))·√((n − s + 1)/(Nᵢ·(s − i + 1)·variance)), 0.9/mᵢ); nothing is bet where
    mᵢ ≥ 1. Without a size mᵢ = ρ, and n − s + 1 and Nᵢ cancel. Never above (Σx + n − s)/n.
    Assumes: values in the order drawn, that order uniformly random; s and `variance`, the expected
    variance, fixed before the values are seen. If in doubt, plan a greater variance.
    Prefer it: for fractional values; its distance from the mean is a fifth to a third of
    Bernstein's.
    Source: Waudby-Smith and Ramdas (2024) for the capital; the bets approximate those of the most
    powerful test of normal increments.

    >>> from matchbound import bounds
    >>> values = [1, 1, 1, 1, 0.5] * 40
    >>> round(bounds.lower(values, size=10_000, delta=0.05, variance=0.04), 4)
    0.873
    """
    member = np.ones(sample.drawn, dtype=bool)
    return _star(member, sample.values, size, delta, sample.planned)


def ratio_lower(
    member: ArrayLike,
    values: ArrayLike,
    *,
    size: int | None,
    delta: float,
    variance: float | None = None,
    known: Known = (0.0, 0),
    anytime: bool = False,
) -> float:
    """A bound on the mean over members whose number is unknown, such as nodes with a true match.

    Claim: mean over the members ≥ bound with probability at least 1 − δ.
    Formula: the mean over members is at least ρ exactly if the mean of 1{member}·(value − ρ) + ρ
    over the whole population is; bet on that, as `star` does, and invert over ρ.
    Assumes: a sample of the whole population in the order drawn; `member` is whether each value is
    a member's (other values are ignored); `variance`, that of 1{member}·(value − mean over
    members), fixed before.
    `known`: sum and number of known members outside the population that was drawn from; the bound
    is then on the mean over both. `anytime`: the bound is valid for every beginning of the sample,
    by the bets of the bound `anytime`.
    Prefer it: for fractional values; for 0 and 1 give `lower` a range of sizes.
    Source: as `star`, applied to a ratio.

    >>> member, values = [True, True, False, True] * 50, [1, 1, 0, 0.5] * 50
    >>> round(ratio_lower(member, values, size=9000, delta=0.05), 4)
    0.7966
    """
    delta, known = check_delta(delta), check_known(known)
    members, numbers = check_members(member, values, known)
    sizes = check_size(size, len(numbers))
    spread = check_variance(variance, DEFAULT_VARIANCE)
    bound = fixed_bets_lower if anytime else _star
    return bound(members, numbers, sizes, delta, spread, known)


def star_with_errors(
    member: ArrayLike,
    values: ArrayLike,
    *,
    wrong: int,
    size: int | None,
    delta: float,
    variance: float | None = None,
    known: Known = (0.0, 0),
    anytime: bool = False,
) -> float:
    """`ratio_lower` if at most `wrong` of the sampled labels are wrong, whichever they are.

    A wrong label is at worst that of a member with value 0. The result is never above the least
    `ratio_lower` over all choices of wrong labels, and seldom below it. For a mean over all nodes,
    let all be members.

    >>> values = [1, 1, 1, 1, 0.5] * 40
    >>> bounds = (
    ...     star_with_errors([True] * 200, values, wrong=e, size=10_000, delta=0.05, variance=0.04)
    ...     for e in range(3)
    ... )
    >>> [round(bound, 4) for bound in bounds]
    [0.873, 0.8633, 0.8476]
    """
    from matchbound.bounds._star import ROUNDS, bound_despite, make_scales

    delta, known = check_delta(delta), check_known(known)
    members, numbers = check_members(member, values, known)
    n, s = one_size("star", check_size(size, len(numbers))), len(numbers)
    spread = check_variance(variance, DEFAULT_VARIANCE)
    wrong = min(wrong, s)
    scales = bets_at_any_time(s, delta, spread) if anytime else make_scales.over(s)(n, s, spread)
    kernel = bound_despite.over(ROUNDS * s * (3 * wrong + 4))
    bound = float(kernel(members, numbers, n, known, scales, delta, wrong, anytime))
    return bound if size is None else min(bound, _most(members, numbers, n, known, wrong))


def star_rejects(
    member: NDArray[np.bool_],
    values: NDArray[np.float64],
    *,
    target: float,
    size: int | None,
    delta: float,
    variance: float,
    known: Known = (0.0, 0),
    drawn: NDArray[np.int64] | None = None,
) -> NDArray[np.bool_]:
    """Whether the bound of each sample reaches `target`, without bisection, for planning.

    Each row of `member` and `values` is a sample in draw order; `drawn` is how many of its values
    count, all if left out. Arguments are not checked.

    >>> values = np.array([[1, 1, 1, 1, 0.5] * 40, [1, 1, 0, 1, 0.5] * 40])
    >>> star_rejects(values >= 0, values, target=0.86, size=10_000, delta=0.05, variance=0.04)
    array([ True, False])
    """
    from matchbound.bounds._star import reject_each

    counts = np.full(len(values), values.shape[1]) if drawn is None else np.asarray(drawn)
    sizes = np.inf if size is None else float(size)
    kernel = reject_each.over(int(counts.sum()))
    return np.asarray(kernel(member, values, counts, sizes, known, target, variance, delta))


def _star(
    member: NDArray[np.bool_],
    values: NDArray[np.float64],
    size: Size,
    delta: float,
    variance: float,
    known: Known = (0.0, 0),
) -> float:
    from matchbound.bounds._star import ROUNDS, star_bound

    n = one_size("star", size)
    kernel = star_bound.over(ROUNDS * len(values))
    bound = float(kernel(member, values, n, known, variance, delta))
    return bound if size is None else min(bound, _most(member, values, n, known))


def _most(
    member: NDArray[np.bool_],
    values: NDArray[np.float64],
    size: float,
    known: Known,
    wrong: int = 0,
) -> float:
    """The greatest mean that the labels leave possible, for the worst choice of wrong ones."""
    rest, others = size - len(values), int((~member).sum())
    rising = np.sort(values[member])
    most = np.inf
    for joined in range(min(wrong, others) + 1):  # wrong labels of nodes that are members
        spoilt = min(wrong - joined, len(rising))
        total = known[0] + rising[: len(rising) - spoilt].sum() + rest
        count = known[1] + len(rising) + joined + rest
        most = min(most, float(total / count)) if count else most
    return most
