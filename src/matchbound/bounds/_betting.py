"""The capital of a gambler who bets that a mean is above m; compiled.

Sizes are floats, infinite for independent draws. Capital falls as m grows (the bets depend on m
through their cap alone), so bisection finds where it stops to suffice, and the end that is
returned was rejected. Nothing is rejected that rounding might explain.
"""

import math

import numpy as np

from matchbound.compiled import compiled

CAP = 0.75  # a bet risks at most this part of the capital
ROUNDING = 1e-9  # relative, of capitals and sums
GRAIN = 1e-5  # how finely the running bound is searched


@compiled
def pays(value: float, mean: float, bet: float) -> float:
    """What one unit of capital becomes."""
    return 1.0 + (bet if bet * mean <= CAP else CAP / mean) * (value - mean)


@compiled
def follow(member, values, size, known, m, bets, enough):  # type: ignore[no-untyped-def]
    """The capital against "the mean over members is at most m", infinite once that is rejected.

    The payoff is the value for a member and m itself for anyone else. The members' mean is at most
    m exactly if the payoffs of all nodes sum to at most `most`; `known` is the sum and the count of
    members that are known and not among the nodes bet on.
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
    """The greatest m above `low` that bisection finds rejected, to within `width`, or `low`."""
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
    """The mean over members is at least this."""
    enough = (1.0 + ROUNDING) / delta
    return search(member, values, size, known, bets, enough, 0.0, 1e-15)


@compiled
def running_bound(values, size, bets, delta):  # type: ignore[no-untyped-def]
    """The bound of every prefix; searched again only when a grain more would be rejected."""
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
