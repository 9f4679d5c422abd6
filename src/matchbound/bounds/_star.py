"""Bets against one mean ρ, and with wrong labels; compiled.

Sizes are floats, infinite for independent draws. Capitals are logarithms of δ·capital: they start
at ln δ, and ρ is rejected at 0. Nothing is rejected that rounding might explain. Star bets grow
with their scale and with what the capital lacks; fixed bets are their scale.
"""

import math

import numpy as np

from matchbound.bounds._betting import CAP as FIXED_CAP
from matchbound.compiled import compiled

CAP = 0.9  # a bet risks at most this part of the capital
AIM = math.log(1.5)  # capital aims a little beyond 1/δ, or it would creep towards it
ROUNDING = 1e-9
ROUNDS = 40  # of bisection


@compiled
def make_scales(size, drawn, variance):  # type: ignore[no-untyped-def]
    """One over the planned deviation of the payoffs to come, before each draw."""
    scales = np.empty(drawn)
    for i in range(drawn):
        finite = 1.0 if math.isinf(size) else (size - drawn + 1) / (size - i)
        scales[i] = math.sqrt(finite / ((drawn - i) * variance))
    return scales


@compiled
def grow(capital: float, payoff: float, limit: float, scale: float, fixed: bool) -> float:
    """The capital after a bet on a payoff that is 0 at least and `limit` in the mean at most.

    At a limit of 1 the statement is certainly true: nothing is bet.
    """
    if limit >= 1.0:
        return capital
    if fixed:
        bet, cap = scale, FIXED_CAP
    else:
        aim = AIM - capital
        bet, cap = aim * math.sqrt(2.0 / (1.0 + aim)) * scale, CAP
    if bet * limit > cap:
        bet = cap / limit
    return capital + math.log1p(bet * (payoff - limit))


@compiled
def rejects(member, values, size, known, rho, scales, delta):  # type: ignore[no-untyped-def]
    """Whether "the mean over members is at most ρ" is rejected.

    The payoff is the value for a member and ρ for anyone else; `rest` is the most that the payoffs
    of the nodes not yet drawn can sum to. `known` is the sum and the count of known members.
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
    """As `rejects`, whichever labels are wrong, at most `wrong` of them.

    capitals[j] is at or below the capital of every choice of j wrong nodes that has not rejected
    yet, infinite if there is none; lost[j] is the sum of the j greatest payoffs so far.
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
    """Keep the greatest payoffs, in falling order."""
    for j in range(greatest.size):
        if payoff > greatest[j]:
            greatest[j], payoff = payoff, greatest[j]


@compiled
def star_bound(member, values, size, known, variance, delta):  # type: ignore[no-untyped-def]
    """The greatest ρ that bisection finds rejected, or 0."""
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
    """The greatest ρ that bisection finds rejected whichever labels are wrong, or 0."""
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
    """`rejects` for each row, of which the first `drawn` places count."""
    rejected = np.empty(len(drawn), dtype=np.bool_)
    scales = np.empty(0)
    for row in range(len(drawn)):
        s = drawn[row]
        if s != scales.size:
            scales = make_scales(size, s, variance)
        rejected[row] = rejects(member[row, :s], values[row, :s], size, known, rho, scales, delta)
    return rejected
