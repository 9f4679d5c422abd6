"""Hypergeometric probabilities of samples, for planning one."""

import math

from matchbound.bounds._hypergeometric import log_mass, log_tail

STEPS = 10  # microseconds of Python that a probability takes, about


def chance(k: int, s: int, m: int, n: int) -> float:
    """P(K = k), K the number of ones among s drawn from n of which m are ones.

    >>> round(chance(2, 5, 4, 10), 6)  # 10/21
    0.47619
    """
    if not max(0, s - (n - m)) <= k <= min(s, m):
        return 0.0
    return math.exp(log_mass.over(STEPS)(k, s, m, n)[0])


def chance_at_least(k: int, s: int, m: int, n: int) -> float:
    """P(K ≥ k).

    >>> round(chance_at_least(2, 5, 4, 10), 6)  # 31/42
    0.738095
    """
    if k <= max(0, s - (n - m)):
        return 1.0
    if k > min(s, m):
        return 0.0
    return math.exp(log_tail.over(STEPS)(k, s, m, n)[0])
