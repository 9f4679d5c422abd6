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
def add_up(values):  # type: ignore[no-untyped-def]
    """The sum of values, added one by one: sums of arrays depend on the form of a kernel."""
    total = 0.0
    for value in values:
        total += value
    return total


@compiled
def make_left(values, total):  # type: ignore[no-untyped-def]
    """Before each draw and after the last, the sum of the values not yet drawn.

    Added up from the last draw, so that rounding makes no sum less than the value drawn next.
    """
    left = np.empty(values.size + 1)
    left[-1] = max(0.0, total - add_up(values))
    for i in range(values.size - 1, -1, -1):
        left[i] = left[i + 1] + values[i]
    return left


@compiled
def make_scales(left, planned, weight, squares, variance):  # type: ignore[no-untyped-def]
    """Before each draw, 1 over the planned standard deviation of the payoffs still to come.

    `left` is the weight not yet drawn. The moment is the planned one of the payoff times the weight
    left. A draw beyond the planned number is planned as if it were the last.
    """
    drawn = left.size - 1
    scales = np.empty(drawn)
    precision = 0.0
    for i in range(max(planned, drawn) - 1 if drawn else -1, -1, -1):
        expected = max(weight - i * squares / weight, weight * LEAST_LEFT)
        moment = variance * expected * expected
        precision = 1.0 / moment + (precision if i < planned - 1 else 0.0)
        if i < drawn:
            scales[i] = left[i] / (moment * math.sqrt(precision))
    return scales


@compiled
def is_above(rho, total, size, left, most):  # type: ignore[no-untyped-def]
    """Whether the ratio is certainly above ρ, even if all that is left is wrong.

    `total` and `size` are the sums of num and den so far, `left` is the most that den can still
    add, `most` is what `left` was before the first draw. What is certain once stays so.
    """
    return total - rho * (size + left) > ROUNDING * (total + rho * (size + most))


@compiled
def rejects(draws, left, most, risk, known, rho, scales, delta, fixed):  # type: ignore[no-untyped-def]
    """Whether "the ratio is at most ρ" is rejected.

    A node gains f = num − ρ·den. `left` is the weight not yet drawn, `most` the greatest den of all
    nodes and of those never drawn. The payoff is f/weight above its least value, −ρ·risk; its mean
    is at most `limit`. Fixed bets are their scale, as in `_star`.
    """
    num, den, weight = draws
    capital = math.log(delta)
    total, size = known
    for i in range(num.size):
        payoff = max(0.0, (num[i] - rho * den[i]) / weight[i] + rho * risk)
        limit = rho * risk - (total - rho * size) / left[i]
        if fixed:
            capital = venture(capital, payoff, limit, scales[i], FIXED_CAP)
        else:
            capital = venture(capital, payoff, limit, star_bet(capital, scales[i]), CAP)
        if capital >= ROUNDING:
            return True
        total += num[i]
        size += den[i]
    return is_above(rho, total, size, most[1], most[0])


@compiled
def pooled_bound(draws, most, urn, known, planned, variance, delta, top, bets):  # type: ignore[no-untyped-def]
    """The greatest ρ up to `top` that bisection finds rejected; else 0.

    `bets` are fixed ones; if there are none, star bets are made. `most` and `urn` are explained in
    `matchbound.bounds.urn`.
    """
    weight, squares, all_most, risk = urn
    fixed, left = bets.size > 0, make_left(draws[2], weight)
    mosts = all_most, all_most - add_up(most)
    scales = bets if fixed else make_scales(left, planned, weight, squares, variance)
    low, high = 0.0, top
    for _ in range(ROUNDS):
        rho = (low + high) / 2.0
        if rejects(draws, left, mosts, risk, known, rho, scales, delta, fixed):
            low = rho
        else:
            high = rho
    return low


@compiled
def reject_each(num, den, most, weight, drawn, urn, known, planned, variance, delta, target):  # type: ignore[no-untyped-def]
    """`rejects` for each row; drawn[row] is how many of its nodes count, planned[row] its plan."""
    all_weight, squares, all_most, risk = urn
    rejected = np.empty(len(drawn), dtype=np.bool_)
    for row in range(len(drawn)):
        s = drawn[row]
        draws = num[row, :s], den[row, :s], weight[row, :s]
        left = make_left(draws[2], all_weight)
        mosts = all_most, all_most - add_up(most[row, :s])
        scales = make_scales(left, planned[row], all_weight, squares, variance)
        rejected[row] = rejects(draws, left, mosts, risk, known, target[row], scales, delta, False)
    return rejected
