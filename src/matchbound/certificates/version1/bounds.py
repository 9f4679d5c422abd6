"""Version 1's bounds where they changed since: its bets, and shares over a range of sizes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matchbound import bounds
from matchbound.errors import InputError

DEFAULT_VARIANCE = 0.05
CAP = 0.75  # a bet risks at most this part of the capital
ROUNDING = 1e-9  # relative, of capitals and sums
GRAIN = 1e-5  # how finely a range of sizes is searched, relative to the size
BLOCKS = 20_000  # and in how many steps at most

Size = int | tuple[int, int] | None
Known = tuple[float, int]
NOTHING: Known = (0.0, 0)


def lower(
    values: ArrayLike,
    *,
    size: Size,
    delta: float,
    method: str,
    counts: Sequence[int] | None = None,
    variance: float | None = None,
) -> float:
    """Version 1's `bounds.lower`, of values in [0, 1]."""
    numbers = np.asarray(values)
    name = _named(method, numbers, size)
    if name in ("betting", "anytime"):
        if counts is not None:
            raise InputError(f"counts must be left out for {name}, got some.")
        members = np.ones(numbers.size, dtype=bool)
        return ratio_lower(
            members, numbers, size=size, delta=delta, variance=variance, anytime=name == "anytime"
        )
    if name == "hypergeometric" and isinstance(size, tuple):
        return share_lower(int(numbers.sum()), numbers.size, size, delta)
    return bounds.lower(numbers, size=size, delta=delta, method=name, counts=counts)


def upper(
    values: ArrayLike,
    *,
    size: Size,
    delta: float,
    method: str,
    counts: Sequence[int] | None = None,
    span: tuple[float, float] = (0, 1),
    variance: float | None = None,
) -> float:
    """Version 1's `bounds.upper`."""
    numbers = np.asarray(values)
    name = _named(method, numbers, size)
    if name in ("betting", "anytime"):
        share = lower(1.0 - numbers, size=size, delta=delta, method=name, variance=variance)
        return min(1.0 - share + 4 * math.ulp(1.0), 1.0)
    return bounds.upper(numbers, size=size, delta=delta, method=name, counts=counts, span=span)


def _named(method: str, values: NDArray[np.generic], size: Size) -> str:
    if method != "auto":
        return method
    if values.dtype != bool:
        return "betting"
    return "binomial" if size is None else "hypergeometric"


def ratio_lower(
    member: ArrayLike,
    values: ArrayLike,
    *,
    size: Size,
    delta: float,
    variance: float | None = None,
    known: Known = NOTHING,
    anytime: bool = False,
) -> float:
    """The mean over members is at least this, by bets that are fixed in advance."""
    numbers = np.asarray(values, dtype=float)
    i = np.arange(1, numbers.size + 1)
    steps = i * np.log1p(i) if anytime else np.full(numbers.size, numbers.size)
    bets = np.sqrt(2 * -math.log(delta) / ((variance or DEFAULT_VARIANCE) * steps))
    game = _Game(np.asarray(member, dtype=bool), numbers, _one_size(size), known, bets)
    low, high = 0.0, 1.0
    while high - low > 1e-15:
        mean = (low + high) / 2
        if game.rejects(mean, (1 + ROUNDING) / delta):
            low = mean
        else:
            high = mean
    return low


@dataclass(frozen=True)
class _Game:
    """Bets on values, in draw order, that the members' mean is above some number."""

    member: NDArray[np.bool_]
    values: NDArray[np.float64]
    size: float
    known: Known
    bets: NDArray[np.float64]

    def rejects(self, m: float, enough: float) -> bool:
        """Whether the capital against "the mean over members is at most m" ever suffices."""
        most = (self.size + self.known[1]) * m - self.known[0]
        payoff = np.where(self.member, self.values, m)
        seen = np.cumsum(payoff)
        mean = np.full(payoff.size, m)
        if not math.isinf(self.size):
            left = most - np.concatenate([[0.0], seen[:-1]])
            mean = np.maximum(left, 0.0) / (self.size - np.arange(payoff.size))
        with np.errstate(all="ignore"):
            bets = np.where(self.bets * mean <= CAP, self.bets, CAP / mean)
            capital = np.cumprod(1.0 + bets * (payoff - mean))
        impossible = most < seen - ROUNDING * (seen + abs(self.known[0]))
        return bool(np.any(capital >= enough) or np.any(impossible))


def _one_size(size: Size) -> float:
    if size is None:
        return math.inf
    least, most = size if isinstance(size, tuple) else (size, size)
    if least != most:
        raise InputError(f"size must be one number for betting, got {size!r}.")
    return float(most)


def share_lower(
    k: int, s: int, size: tuple[int, int], delta: float, known: Known = NOTHING
) -> float:
    """The mean over an unseen part, of any size in a range, and a known one; k of s were ones."""
    (least, most), (total, count) = size, known

    def share(ones: float, n: int) -> float:
        return (total + ones) / (count + n)

    at_most = share(bounds.hypergeometric_lower(k, s, most, delta), most)
    if least == most:
        return at_most
    slope = _below_every_size(k, s, most, delta)
    everywhere = min(share(slope * n, n) for n in size)
    if everywhere >= at_most * (1 - GRAIN):
        return everywhere
    ones = bounds.hypergeometric_lower(k, s, least, delta)
    blocks = [(share(ones, most), least, most, ones)]
    below = blocks[0][0]
    for _ in range(BLOCKS):
        below, a, b, ones = heappop(blocks)
        if b - a <= GRAIN * a:
            break
        middle = (a + b) // 2
        heappush(blocks, (share(ones, middle), a, middle, ones))
        ones = bounds.hypergeometric_lower(k, s, middle + 1, delta)
        heappush(blocks, (share(ones, b), middle + 1, b, ones))
    return max(below, everywhere)


def _below_every_size(k: int, s: int, most: int, delta: float) -> float:
    """At or below the exact share for every size up to `most`."""
    if k <= 1:
        return max(k * delta / s, k / most)
    uhlmann = (k - 1) / (s - 1) * s / (s + 1)
    seen = np.arange(s) < k
    exact = bounds.lower(seen, size=None, delta=delta, method="binomial")
    return max(min(exact, uhlmann), k / most)
