"""The best bets there are against the truth, of somebody who knows how many nodes will come.

8 right nodes of weight 8 and 6 wrong ones of weight 1 are bet on, among 10 others of weight 1; 14
are drawn. The truth, ρ = 8/14, is rejected when the capital reaches 1/δ.
"""

from functools import cache

import numpy as np

COUNTS, WEIGHTS, DRAWN = np.array([10, 8, 6]), np.array([1.0, 8, 1]), 14  # others, right, wrong
STEPS = 100  # capital, as a part of 1/δ, is rounded down to these


def next_chances(gone):
    left = (COUNTS - gone) * WEIGHTS
    return left / left.sum()


def after(gone, kind):
    return tuple(many + (k == kind) for k, many in enumerate(gone))


@cache
def chance_of(number, gone):
    """P(so many of those bet on are drawn), given how many of each kind are gone."""
    if sum(gone) == DRAWN:
        return float(gone[1] + gone[2] == number)
    chances = next_chances(gone)
    return sum(chances[k] * chance_of(number, after(gone, k)) for k in range(3) if chances[k])


@cache
def successes(number, gone):
    """P(rejected) for each capital; the number is known before, or None.

    A bet is fair without it: the mean of capital stays the same.
    """
    won = np.zeros(STEPS + 1)
    won[STEPS] = 1.0
    if sum(gone) == DRAWN:
        return won
    fair = next_chances(gone)
    real = fair.copy()
    if number is not None:
        ahead = [chance_of(number, after(gone, k)) if fair[k] else 0.0 for k in range(3)]
        real *= np.array(ahead) / chance_of(number, gone)
    other, right, wrong = (
        real[k] * successes(number, after(gone, k)) if real[k] else 0.0 * won for k in range(3)
    )
    result = other + best_bet(right, wrong, fair[1] / (fair[1:].sum() or 1.0))
    result[STEPS] = 1.0
    return result


def best_bet(right, wrong, chance):
    """The best, for each capital, of all rises if the node is right that a fall can pay for."""
    if chance in (0.0, 1.0):
        return right + wrong  # nothing to bet on
    capital, risen = np.arange(STEPS + 1)[:, None], np.arange(STEPS + 1)[None, :]
    fallen = np.floor((capital - chance * risen) / (1 - chance) + 1e-9).astype(int)
    possible = (fallen >= 0) & (risen >= capital)
    return np.where(possible, right[risen] + wrong[np.clip(fallen, 0, STEPS)], 0.0).max(axis=1)


def failure(delta, knowing):
    start, none = round(delta * STEPS), (0, 0, 0)
    if not knowing:
        return successes(None, none)[start]
    numbers = [n for n in range(DRAWN + 1) if chance_of(n, none)]
    return sum(chance_of(n, none) * successes(n, none)[start] for n in numbers)
