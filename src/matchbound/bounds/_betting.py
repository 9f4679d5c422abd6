"""The capital of a gambler who bets that a mean is above m; compiled.

Sizes are floats, infinite for independent draws. Capital falls as m grows (the bets depend on m
through their cap alone), so bisection finds the m up to which it suffices to reject, and returns an
m that was rejected. An m is not rejected if rounding could be the reason.
"""

import math

import numpy as np

from matchbound.compiled import compiled

CAP = 0.75  # a bet risks at most this part of the capital
ROUNDING = 1e-9  # relative, of capitals and sums
GRAIN = 1e-5  # the steps in which the running bound rises


@compiled
def pays(value: float, mean: float, bet: float) -> float:
    """The factor by which a bet on a value multiplies the capital."""
    return 1.0 + (bet if bet * mean <= CAP else CAP / mean) * (value - mean)


@compiled
def follow(member, values, size, known, m, bets, enough):  # type: ignore[no-untyped-def]
    """The capital against "the mean over members is at most m", infinite once that is rejected.

    The payoff is the value for a member and m for any other node. The members' mean is at most m
    exactly if the payoffs of all nodes sum to at most `most`. `known` is the sum and the count of
    known members that are not among the nodes bet on.
    """
    capital, seen = 1.0, 0.0
    most = (size + known[1]) * m - known[0]
    for i in range(values.size):
        mean = m if math.isinf(size) else max(most - seen, 0.0) / (size - i)
        payoff = values[i] if member[i] else m
        capital *= pays(payoff, mean, bets[i])
        seen += payoff
        if capital >= enough or most < seen - ROUNDING * (seen + abs(known[0])):
            return math.inf
    return capital


@compiled
def search(member, values, size, known, bets, enough, low, width):  # type: ignore[no-untyped-def]
    """The greatest m that bisection above `low` finds rejected, to within `width`; else `low`."""
    high = 1.0
    while high - low > width:
        m = (low + high) / 2.0
        if math.isinf(follow(member, values, size, known, m, bets, enough)):
            low = m
        else:
            high = m
    return low


@compiled
def ratio_bound(member, values, size, known, bets, delta):  # type: ignore[no-untyped-def]
    """A lower bound on the mean over members."""
    enough = (1.0 + ROUNDING) / delta
    return search(member, values, size, known, bets, enough, 0.0, 1e-15)


@compiled
def running_bound(values, size, bets, delta):  # type: ignore[no-untyped-def]
    """The bound of every prefix. It is only searched again when it can rise by a grain."""
    enough = (1.0 + ROUNDING) / delta
    everyone, nothing = np.ones(values.size, dtype=np.bool_), (0.0, 0)
    bounds = np.empty(values.size)
    bound, capital, seen = 0.0, 1.0, 0.0
    for i in range(values.size):
        m = bound + GRAIN
        mean = m if math.isinf(size) else max(size * m - seen, 0.0) / (size - i)
        capital *= pays(values[i], mean, bets[i])
        seen += values[i]
        if capital >= enough or size * m < seen - ROUNDING * seen:
            past = values[: i + 1]
            bound = search(everyone, past, size, nothing, bets, enough, m, GRAIN / 8.0)
            m = bound + GRAIN
            capital = follow(everyone, past, size, nothing, m, bets, enough)
        bounds[i] = bound
    return bounds
