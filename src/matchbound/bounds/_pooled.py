"""Bets against one ratio ρ of two sums, from draws by weight; compiled.

Payoffs and limits are divided by the weight not yet drawn. Capitals are as in `_star`. A ρ is not
rejected if rounding could be the reason.
"""

import math

import numpy as np

from matchbound.bounds._betting import CAP as FIXED_CAP
from matchbound.bounds._star import CAP, ROUNDING, ROUNDS, star_bet, venture
from matchbound.compiled import compiled

LEAST_LEFT = 1 / 50  # the least part of the weight that is planned to be left


@compiled
def make_spreads(drawn, planned, weight, squares, variance):  # type: ignore[no-untyped-def]
    """Before each draw, the payoff's planned second moment times √(Σ 1/moment, still to come).

    A draw beyond the planned number is planned as the last.
    """
    spreads = np.empty(drawn)
    precision = 0.0
    for i in range(max(planned, drawn) - 1, -1, -1):
        left = max(weight - i * squares / weight, weight * LEAST_LEFT)
        moment = variance * left * left
        precision = 1.0 / moment + (precision if i < planned - 1 else 0.0)
        if i < drawn:
            spreads[i] = moment * math.sqrt(precision)
    return spreads


@compiled
def make_left(values, total):  # type: ignore[no-untyped-def]
    """Before each draw and after the last, the sum of the values not yet drawn.

    Added up from the last draw, so that rounding makes no sum less than the value drawn next.
    """
    left = np.empty(values.size + 1)
    left[-1] = max(0.0, total - values.sum())
    for i in range(values.size - 1, -1, -1):
        left[i] = left[i + 1] + values[i]
    return left


@compiled
def is_above(rho, total, size, left, most):  # type: ignore[no-untyped-def]
    """Whether the ratio is certainly above ρ, even if all that is left is wrong.

    `total` and `size` are the sums of num and den so far, `left` is the most that den can still
    add, `most` is what `left` was before the first draw.
    """
    return total - rho * (size + left) > ROUNDING * (total + rho * (size + most))


@compiled
def rejects(draws, left, most_left, spreads, risk, known, rho, delta, fixed):  # type: ignore[no-untyped-def]
    """Whether "the ratio is at most ρ" is rejected.

    A node gains f = num − ρ·den. `left` and `most_left` are the weights and the greatest den not
    yet drawn. The payoff, f/weight above its least value −ρ·risk, has a mean of at most `limit`.
    `fixed`: `spreads` are the bets themselves.
    """
    num, den, weight = draws
    capital = math.log(delta)
    total, size = known
    for i in range(num.size):
        if is_above(rho, total, size, most_left[i], most_left[0]):
            return True
        payoff = max(0.0, (num[i] - rho * den[i]) / weight[i] + rho * risk)
        limit = rho * risk - (total - rho * size) / left[i]
        if fixed:
            capital = venture(capital, payoff, limit, spreads[i], FIXED_CAP)
        else:
            bet = star_bet(capital, left[i] / spreads[i])
            capital = venture(capital, payoff, limit, bet, CAP)
        if capital >= ROUNDING:
            return True
        total += num[i]
        size += den[i]
    return is_above(rho, total, size, most_left[num.size], most_left[0])


@compiled
def pooled_bound(draws, most, urn, known, planned, variance, delta, top, bets):  # type: ignore[no-untyped-def]
    """The greatest ρ up to `top` that bisection finds rejected; else 0.

    `bets` are those of bets that do not depend on the capital; none for star bets.
    """
    weight_sum, squares, most_sum, risk = urn
    left, most_left = make_left(draws[2], weight_sum), make_left(most, most_sum)
    fixed = bets.size > 0
    spreads = bets if fixed else make_spreads(most.size, planned, weight_sum, squares, variance)
    low, high = 0.0, top
    for _ in range(ROUNDS):
        rho = (low + high) / 2.0
        if rejects(draws, left, most_left, spreads, risk, known, rho, delta, fixed):
            low = rho
        else:
            high = rho
    return low


@compiled
def reject_each(num, den, most, weight, drawn, urn, known, planned, variance, delta, rho):  # type: ignore[no-untyped-def]
    """`rejects` for each row; drawn[row] is how many of its nodes count, planned[row] its plan."""
    weight_sum, squares, most_sum, risk = urn
    rejected = np.empty(len(drawn), dtype=np.bool_)
    for row in range(len(drawn)):
        s = drawn[row]
        draws = num[row, :s], den[row, :s], weight[row, :s]
        left = make_left(draws[2], weight_sum)
        most_left = make_left(most[row, :s], most_sum)
        spreads = make_spreads(s, planned[row], weight_sum, squares, variance)
        rejected[row] = rejects(draws, left, most_left, spreads, risk, known, rho, delta, False)
    return rejected
