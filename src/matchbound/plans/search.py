"""Searches for a whole number that start from a guess; a good guess makes them short."""

from collections.abc import Callable
from math import sqrt
from statistics import NormalDist

NORMAL = NormalDist()
SURE = 1e-6  # a probability closer to 0 or 1 has too imprecise a normal quantile


def first_true(holds: Callable[[int], bool], low: int, high: int, guess: int) -> int:
    """The least number from low to high for which a condition holds; high + 1 if there is none.

    The condition must hold for all greater numbers too. If the guess is right, it is evaluated
    twice.

    >>> first_true(lambda x: x * x >= 200, 0, 100, guess=14)
    15
    """
    below, above = low - 1, high + 1
    at, step = min(max(guess, low), high), 1
    while below < at < above:
        if holds(at):
            above, at = at, at - step
        else:
            below, at = at, at + step
        step *= 2
    while above - below > 1:
        middle = (below + above) // 2
        if holds(middle):
            above = middle
        else:
            below = middle
    return above


def near(power: Callable[[int], float], wanted: float, even: int, most: int) -> int:
    """About the number at which the power reaches `wanted`; at `even` it is about one half.

    The power's normal quantile is almost a straight line over the root of the number.
    """
    (x0, z0), at = (sqrt(even), 0.0), min(2 * even, most)
    for _ in range(3):
        x, z = sqrt(at), NORMAL.inv_cdf(min(max(power(at), SURE), 1 - SURE))
        if x == x0 or z == z0:
            break
        root = x + (NORMAL.inv_cdf(wanted) - z) * (x - x0) / (z - z0)
        x0, z0, at = x, z, round(min(max(root, 1.0) ** 2, most))
    return at


def settled(fails: Callable[[int], bool], least: int, tooth: int, most: int) -> int:
    """The first number from `least` on that is not followed by a failure within `tooth` numbers."""
    while True:
        ahead = range(min(least + tooth, most), least, -1)
        last = next((number for number in ahead if fails(number)), None)
        if last is None:
            return least
        least = last + 1
