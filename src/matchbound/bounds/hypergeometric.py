"""Hypergeometric tail inversion: the exact bound for values that are 0 or 1."""

import math
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matchbound.bounds._hypergeometric import bracket, brackets
from matchbound.bounds.binomial import clopper_pearson
from matchbound.bounds.checks import check_draw, check_draws
from matchbound.bounds.ranges import GRAIN, least_share
from matchbound.bounds.sample import Known, Sample, Size

STEPS = 50  # microseconds of Python that one inversion takes, about
SETTLED = 60_000  # bits: where exact comparison needs more, a doubtful m counts as kept


def hypergeometric(sample: Sample, size: Size, delta: float) -> float:
    """A bound on the share of ones in a finite population: `hypergeometric_lower` / size.

    Claim: share ≥ bound with probability at least 1 − δ, for every size in the range.
    Formula: the least m with P(K ≥ k) ≥ δ, divided by n. For a range, the least such share in it,
    which need not be at an end (the share is a saw-tooth in n), or a little below it: by 1 part in
    10⁵, or by what a search of 20,000 steps leaves.
    Assumes: drawn uniformly without replacement, s fixed beforehand, values *known* to be 0 or 1.
    Prefer it: always, for such values; among bounds that do not fall as k grows, none is larger.
    Source: Chvátal (1979); for large sizes Uhlmann (1966).

    >>> import numpy as np
    >>> from matchbound import bounds
    >>> seen = np.arange(667) < 567
    >>> round(bounds.lower(seen, size=80_000_000, delta=0.05), 6)
    0.82544
    >>> round(bounds.lower(seen, size=(567, 80_000_000), delta=0.05), 6)
    0.825439
    """
    assert size is not None
    return share_lower(sample.ones, sample.drawn, size, delta)


def share_lower(
    k: int, s: int, size: tuple[int, int], delta: float, known: Known = (0.0, 0)
) -> float:
    """A bound on the mean over nodes drawn from and known ones: the least (sum + m(n))/(count + n).

    m(n) is the bound on the ones among n of which s were drawn, for each n in `size`. `known` is
    the sum and the count of the values that are known besides.
    """
    (least, most), (total, count) = size, known

    def share(ones: float, n: int) -> float:
        return (total + ones) / (count + n)

    at_most = share(_invert(k, s, most, delta), most)
    if least == most:
        return at_most
    slope = _below_every_size(k, s, most, delta)
    everywhere = min(share(slope * n, n) for n in size)
    if everywhere >= at_most * (1 - GRAIN):
        return everywhere

    least_over_sizes = least_share(lambda n: _invert(k, s, n, delta), size, known)
    return max(least_over_sizes, everywhere)


def hypergeometric_share(
    values: NDArray[np.float64], size: tuple[int, int], delta: float, known: Known = (0.0, 0)
) -> float:
    """`share_lower`, computed from the values."""
    return share_lower(int(values.sum()), len(values), size, delta, known)


def hypergeometric_ones(values: NDArray[np.float64], n: int, delta: float) -> int:
    """`hypergeometric_lower`, computed from the values."""
    return hypergeometric_lower(int(values.sum()), len(values), n, delta)


def _below_every_size(k: int, s: int, most: int, delta: float) -> float:
    """A share at or below the exact bound for every size up to `most`.

    For k > 1, it is the binomial bound, but at most `uhlmann`: up to that mean the binomial tail is
    at least the hypergeometric one (Uhlmann). For k = 1, it follows from the union bound
    P(K ≥ 1) ≤ s·m/n. It is at least k / `most`, because k ones were seen.
    """
    if k <= 1:
        return max(k * delta / s, k / most)
    uhlmann = (k - 1) / (s - 1) * s / (s + 1)
    return max(min(clopper_pearson(k, s, delta), uhlmann), k / most)


@overload
def hypergeometric_lower(k: int, s: int, n: int, delta: float) -> int: ...
@overload
def hypergeometric_lower(
    k: ArrayLike, s: ArrayLike, n: ArrayLike, delta: ArrayLike
) -> NDArray[np.int64]: ...
def hypergeometric_lower(
    k: int | ArrayLike, s: int | ArrayLike, n: int | ArrayLike, delta: float | ArrayLike
) -> int | NDArray[np.int64]:
    """A lower bound on the number of ones among n, if k of s drawn are ones.

    Claim, assumptions and source: as `hypergeometric`. Whole numbers give a whole number; arrays
    broadcast.

    >>> hypergeometric_lower(567, 667, 80_000_000, 0.05)
    66035162
    >>> hypergeometric_lower([8, 9, 10], 10, 100, 0.05)
    array([51, 62, 76])
    """
    if (
        isinstance(k, int)
        and isinstance(s, int)
        and isinstance(n, int)
        and isinstance(delta, float)
    ):
        check_draw(k, s, n, delta)
        return _invert(k, s, n, delta)
    ones = _invert_each(*check_draws(k, s, n, delta))
    return ones if ones.ndim else int(ones)


@overload
def hypergeometric_upper(k: int, s: int, n: int, delta: float) -> int: ...
@overload
def hypergeometric_upper(
    k: ArrayLike, s: ArrayLike, n: ArrayLike, delta: ArrayLike
) -> NDArray[np.int64]: ...
def hypergeometric_upper(
    k: int | ArrayLike, s: int | ArrayLike, n: int | ArrayLike, delta: float | ArrayLike
) -> int | NDArray[np.int64]:
    """An upper bound on the number of ones among n: n minus the lower bound on zeros.

    >>> hypergeometric_upper(567, 667, 80_000_000, 0.05)
    69790275
    """
    if (
        isinstance(k, int)
        and isinstance(s, int)
        and isinstance(n, int)
        and isinstance(delta, float)
    ):
        check_draw(k, s, n, delta)
        return n - _invert(s - k, s, n, delta)
    ones, draws, sizes, deltas = check_draws(k, s, n, delta)
    upper = sizes - _invert_each(draws - ones, draws, sizes, deltas)
    return upper if upper.ndim else int(upper)


def _invert(k: int, s: int, n: int, delta: float) -> int:
    """The least m with P(K ≥ k) ≥ δ."""
    low, high = bracket.over(STEPS)(int(k), int(s), n, delta)
    return int(high) if high - low == 1 else _settle(k, s, n, delta, low, high)


def _invert_each(
    k: NDArray[np.int64], s: NDArray[np.int64], n: NDArray[np.int64], delta: NDArray[np.float64]
) -> NDArray[np.int64]:
    cases = k.ravel(), s.ravel(), n.ravel(), delta.ravel()
    if not k.size:
        return k
    low, high = brackets.over(STEPS * k.size)(*cases, np.lexsort(cases))
    for i in np.flatnonzero(high - low != 1):
        case = int(k.flat[i]), int(s.flat[i]), int(n.flat[i]), float(delta.flat[i])
        high[i] = _settle(*case, int(low[i]), int(high[i]))
    return np.asarray(high.reshape(k.shape))


def _settle(k: int, s: int, n: int, delta: float, low: int, high: int) -> int:
    """Bisect in whole numbers, where floating point cannot decide whether P(K ≥ k) ≥ δ."""
    while high - low > 1:
        m = (low + high) // 2
        if s * n.bit_length() > SETTLED or _keeps(k, s, m, n, delta):
            high = m
        else:
            low = m
    return high


def _keeps(k: int, s: int, m: int, n: int, delta: float) -> bool:
    """Whether P(K ≥ k) ≥ δ, exactly, for the value that the double δ has."""
    above, below = delta.as_integer_ratio()
    term = total = math.comb(m, k) * math.comb(n - m, s - k)
    for j in range(k, min(m, s)):
        term = term * (m - j) * (s - j) // ((j + 1) * (n - m - s + j + 1))
        total += term
    return total * below >= above * math.comb(n, s)
