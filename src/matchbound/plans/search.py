"""Searches for a whole number, which a good guess makes short."""

from collections.abc import Callable
from math import sqrt
from statistics import NormalDist

NORMAL = NormalDist()
SURE = 1e-6  # as close to 0 or 1 as a probability gets before its normal quantile tells nothing


def first_true(holds: Callable[[int], bool], low: int, high: int, guess: int) -> int:
    """The least number from low to high for which something holds that then holds on.

    high + 1 if it holds for none. Two questions if the guess is right.

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
    """About where a power is reached that is about one half at `even`.

    Its normal quantile is almost a straight line over the root of the number.
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
    """The first number from `least` on that no failure follows within a tooth of the saw."""
    while True:
        ahead = range(min(least + tooth, most), least, -1)
        last = next((number for number in ahead if fails(number)), None)
        if last is None:
            return least
        least = last + 1
