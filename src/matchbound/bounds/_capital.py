"""The capital of a gambler who bets that a mean is above m; compiled.

Sizes are floats, infinite for independent draws. Capital falls as m grows (the bets depend on m
through their cap alone), so bisection finds where it stops to suffice, and the end that is
returned was rejected. Nothing is rejected that rounding might explain.
"""

import math

import numpy as np
from numba import njit

CAP = 0.75  # a bet risks at most this part of the capital
ROUNDING = 1e-9  # relative, of capitals and sums
GRAIN = 1e-5  # how finely the running bound is searched
STEPS = 50  # of bisection


@njit(cache=True)
def pays(value: float, mean: float, bet: float) -> float:
    """What one unit of capital becomes."""
    return 1.0 + (bet if bet * mean <= CAP else CAP / mean) * (value - mean)


@njit(cache=True)
def follow(values, size, m, bets, enough):  # type: ignore[no-untyped-def]
    """The capital against "the mean is at most m", infinite once m is rejected; and the sum."""
    capital, seen = 1.0, 0.0
    for i in range(values.size):
        mean = m if math.isinf(size) else max(size * m - seen, 0.0) / (size - i)
        capital *= pays(values[i], mean, bets[i])
        seen += values[i]
        if capital >= enough or size * m < seen * (1.0 - ROUNDING):
            return math.inf, seen
    return capital, seen


@njit(cache=True)
def mean_bound(values, size, bets, delta):  # type: ignore[no-untyped-def]
    """The greatest m that bisection finds rejected, or 0."""
    enough = (1.0 + ROUNDING) / delta
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        m = (low + high) / 2.0
        if math.isinf(follow(values, size, m, bets, enough)[0]):
            low = m
        else:
            high = m
    return low


@njit(cache=True)
def running_bound(values, size, bets, delta):  # type: ignore[no-untyped-def]
    """`mean_bound` of every prefix; looked at again only when a grain more would be rejected."""
    enough = (1.0 + ROUNDING) / delta
    bounds = np.empty(values.size)
    bound, capital, seen = 0.0, 1.0, 0.0
    for i in range(values.size):
        m = bound + GRAIN
        mean = m if math.isinf(size) else max(size * m - seen, 0.0) / (size - i)
        capital *= pays(values[i], mean, bets[i])
        seen += values[i]
        if capital >= enough or size * m < seen * (1.0 - ROUNDING):
            low, high, past = m, 1.0, values[: i + 1]
            while high - low > GRAIN / 8.0:
                m = (low + high) / 2.0
                if math.isinf(follow(past, size, m, bets, enough)[0]):
                    low = m
                else:
                    high = m
            bound = low
            capital = follow(past, size, bound + GRAIN, bets, enough)[0]
        bounds[i] = bound
    return bounds


@njit(cache=True)
def ratio_rejects(member, values, size, known, ratio, bet, enough):  # type: ignore[no-untyped-def]
    """Whether capital against "the mean over members is at most `ratio`" reaches enough.

    The payoff is the value for a member and the ratio itself for anyone else. The members' mean is
    at most the ratio exactly if the payoffs of all nodes sum to at most `most`; `known` is the sum
    and the count of members that are known and not among the nodes bet on.
    """
    capital, seen = 1.0, 0.0
    most = (size + known[1]) * ratio - known[0]
    if most < -ROUNDING * known[0]:
        return True
    for i in range(values.size):
        mean = ratio if math.isinf(size) else max(most - seen, 0.0) / (size - i)
        payoff = values[i] if member[i] else ratio
        capital *= pays(payoff, mean, bet)
        seen += payoff
        if capital >= enough or most < seen - ROUNDING * (seen + known[0]):
            return True
    return False


@njit(cache=True)
def ratio_bound(member, values, size, known, bet, delta):  # type: ignore[no-untyped-def]
    """The greatest ratio that bisection finds rejected, or 0."""
    enough = (1.0 + ROUNDING) / delta
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        ratio = (low + high) / 2.0
        if ratio_rejects(member, values, size, known, ratio, bet, enough):
            low = ratio
        else:
            high = ratio
    return low
