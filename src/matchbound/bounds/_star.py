"""Bets against one mean ρ, also if some labels are wrong; compiled.

Sizes are floats, infinite for independent draws. Capitals are logarithms of δ·capital: they start
at ln δ, and ρ is rejected at 0. A ρ is not rejected if rounding could be the reason. Star bets grow
with their scale and with the distance of the capital from its aim; fixed bets are their scale.
"""

import math

import numpy as np

from matchbound.bounds._betting import CAP as FIXED_CAP
from matchbound.compiled import compiled

CAP = 0.9  # a bet risks at most this part of the capital
AIM = math.log(1.5)  # bets aim beyond 1/δ: with an aim of 1/δ they would shrink before it
ROUNDING = 1e-9
ROUNDS = 40  # of bisection


@compiled
def make_scales(size, drawn, variance):  # type: ignore[no-untyped-def]
    """Before each draw, 1 over the planned standard deviation of the payoffs still to come."""
    scales = np.empty(drawn)
    for i in range(drawn):
        finite = 1.0 if math.isinf(size) else (size - drawn + 1) / (size - i)
        scales[i] = math.sqrt(finite / ((drawn - i) * variance))
    return scales


@compiled
def grow(capital, payoff, limit, scale, fixed):  # type: ignore[no-untyped-def]
    """The capital after a bet on a payoff of at least 0 whose mean is at most `limit`.

    If the limit is 1 or more, the statement is certainly true, and nothing is bet.
    """
    if limit >= 1.0:
        return capital
    if fixed:
        return venture(capital, payoff, limit, scale, FIXED_CAP)
    return venture(capital, payoff, limit, star_bet(capital, scale), CAP)


@compiled
def star_bet(capital, scale):  # type: ignore[no-untyped-def]
    """The bet of a capital that is so far from its aim."""
    aim = AIM - capital
    return aim * math.sqrt(2.0 / (1.0 + aim)) * scale


@compiled
def venture(capital, payoff, limit, bet, cap):  # type: ignore[no-untyped-def]
    """The capital after a bet, or a smaller one that loses at most `cap` of the capital."""
    if bet * limit > cap:
        bet = cap / limit
    return capital + math.log1p(bet * (payoff - limit))


@compiled
def rejects(member, values, size, known, rho, scales, delta):  # type: ignore[no-untyped-def]
    """Whether "the mean over members is at most ρ" is rejected.

    The payoff is the value for a member and ρ for any other node. `rest` is the most that the
    payoffs of the nodes not yet drawn can sum to. `known` is the sum and the count of known
    members.
    """
    finite, capital = not math.isinf(size), math.log(delta)
    total, count = known
    for i in range(values.size):
        limit = rho
        if finite:
            rest = (size - i + count) * rho - total
            if rest < -ROUNDING * max(1.0, total):
                return True
            limit = rest / (size - i)
        capital = grow(capital, values[i] if member[i] else rho, limit, scales[i], False)
        if capital >= ROUNDING:
            return True
        if member[i]:
            total += values[i]
            count += 1
    rest = (size - values.size + count) * rho - total if finite else 0.0
    return rest < -ROUNDING * max(1.0, total)


@compiled
def rejects_despite(member, values, size, known, rho, scales, delta, wrong, fixed):  # type: ignore[no-untyped-def]
    """Whether `rejects` holds for every choice of at most `wrong` wrong labels.

    capitals[j] is at or below the capital of every choice of j wrong nodes that has not rejected
    yet; it is infinite if there is no such choice. lost[j] is the sum of the j greatest payoffs so
    far.
    """
    finite = not math.isinf(size)
    total, count = known
    greatest, lost = np.zeros(wrong), np.zeros(wrong + 1)
    capitals = np.full(wrong + 1, math.inf)
    capitals[0] = math.log(delta)
    for i in range(values.size):
        payoff = values[i] if member[i] else rho
        arrived = np.full(wrong + 1, math.inf)
        for j in range(wrong + 1):
            limit = rho
            if finite:
                rest = (size - i + count) * rho - total + lost[j]
                if rest < -ROUNDING * max(1.0, total):
                    continue
                limit = rest / (size - i)
            if math.isinf(capitals[j]):
                continue
            right = grow(capitals[j], payoff, limit, scales[i], fixed)
            if right < ROUNDING:
                arrived[j] = min(arrived[j], right)
            if j < wrong:
                arrived[j + 1] = grow(capitals[j], 0.0, limit, scales[i], fixed)
        capitals = arrived
        if member[i]:
            total += values[i]
            count += 1
        insert(greatest, payoff)
        lost[1:] = np.cumsum(greatest)
    for j in range(wrong + 1):
        rest = (size - values.size + count) * rho - total + lost[j] if finite else 0.0
        if not math.isinf(capitals[j]) and rest >= -ROUNDING * max(1.0, total):
            return False
    return True


@compiled
def insert(greatest, payoff):  # type: ignore[no-untyped-def]
    """Insert a payoff into the list of the greatest, in falling order; the least drops out."""
    for j in range(greatest.size):
        if payoff > greatest[j]:
            greatest[j], payoff = payoff, greatest[j]


@compiled
def star_bound(member, values, size, known, variance, delta):  # type: ignore[no-untyped-def]
    """The greatest ρ that bisection finds rejected; else 0."""
    scales = make_scales(size, values.size, variance)
    low, high = 0.0, 1.0
    for _ in range(ROUNDS):
        rho = (low + high) / 2.0
        if rejects(member, values, size, known, rho, scales, delta):
            low = rho
        else:
            high = rho
    return low


@compiled
def bound_despite(member, values, size, known, scales, delta, wrong, fixed):  # type: ignore[no-untyped-def]
    """The greatest ρ that bisection finds rejected, whichever labels are wrong; else 0."""
    low, high = 0.0, 1.0
    for _ in range(ROUNDS):
        rho = (low + high) / 2.0
        if rejects_despite(member, values, size, known, rho, scales, delta, wrong, fixed):
            low = rho
        else:
            high = rho
    return low


@compiled
def reject_each(member, values, drawn, size, known, rho, variance, delta):  # type: ignore[no-untyped-def]
    """`rejects` for each row; drawn[row] is how many of its values count."""
    rejected = np.empty(len(drawn), dtype=np.bool_)
    scales = np.empty(0)
    for row in range(len(drawn)):
        s = drawn[row]
        if s != scales.size:
            scales = make_scales(size, s, variance)
        rejected[row] = rejects(member[row, :s], values[row, :s], size, known, rho, scales, delta)
    return rejected
