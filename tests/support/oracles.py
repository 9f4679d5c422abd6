"""Slow answers that cannot be wrong in the same way as the fast ones."""

from collections import Counter
from fractions import Fraction
from functools import cache
from math import comb

import mpmath

from matchbound.theorems.tally import Cell, Label, Tally


@cache
def upper_tails(n: int, s: int, m: int) -> list[int]:
    """C(n, s)·P(K ≥ k) for k = 0 … s, as whole numbers."""
    masses = [comb(m, j) * comb(n - m, s - j) for j in range(s + 1)]
    return [sum(masses[k:]) for k in range(s + 1)]


def least_ones(k: int, s: int, n: int, delta: float) -> int:
    """The least m with P(K ≥ k | m) ≥ δ, in whole-number arithmetic."""
    target = Fraction(delta) * comb(n, s)
    return next(m for m in range(n + 1) if upper_tails(n, s, m)[k] >= target)


def most_ones(k: int, s: int, n: int, delta: float) -> int:
    """The greatest m with P(K ≤ k | m) ≥ δ."""
    target = Fraction(delta) * comb(n, s)

    def at_most(m: int) -> int:
        return comb(n, s) - (upper_tails(n, s, m)[k + 1] if k < s else 0)

    return next(m for m in range(n, -1, -1) if at_most(m) >= target)


DIGITS = 60


def tail_in_60_digits(k: int, s: int, m: int, n: int) -> mpmath.mpf:
    """P(K ≥ k | m): the first mass by log-gammas of 110 digits, then whole-number ratios."""
    if m < k:
        return mpmath.mpf(0)
    with mpmath.workdps(110):

        def log_comb(a: int, b: int) -> mpmath.mpf:
            return mpmath.loggamma(a + 1) - mpmath.loggamma(b + 1) - mpmath.loggamma(a - b + 1)

        j = min(max(k, (m + 1) * (s + 1) // (n + 2)), m, s)  # the mode, or k if that is above it
        start = mpmath.exp(log_comb(m, j) + log_comb(n - m, s - j) - log_comb(n, s))
        one = 10 ** (DIGITS + 20)
        total = term = one
        i = j
        while term and i < min(m, s):
            term = term * ((m - i) * (s - i)) // ((i + 1) * (n - m - s + i + 1))
            total += term
            i += 1
        term, i = one, j
        while term and i > k and i > max(0, s - (n - m)):
            term = term * (i * (n - m - s + i)) // ((m - i + 1) * (s - i + 1))
            total += term
            i -= 1
        return start * total / one


def tally_by_sets(
    nodes, truth, holdout, complete, trained, validated, *, dedupe=False, labelled=None, gap=None
):
    """A tally by sets: each matcher, and the truth, maps a node to its matches.

    `validated` is the beginning of S that is read, `labelled` who has a sure label (all, if not
    given), `gap` a sample to compare the matchers on.
    """
    drawn = {*trained, *validated}
    sure = drawn if labelled is None else drawn & set(labelled)

    def label(x):
        h, t, c = holdout[x], truth[x], complete[x]
        if x not in sure:
            return Label(len(h), None, None, len(c), None, len(h & c))
        return Label(len(h), len(t), len(h & t), len(c), len(c & t), len(h & c))

    def cell(y):
        h, c = holdout[y], complete[y]
        known = [0] * 5
        for x in sure if dedupe and gap is None else ():
            true = y in truth[x]
            if not (true or y in holdout[x] or y in complete[x]):
                continue
            kinds = (
                y in holdout[x] and y in complete[x] and true,
                y in holdout[x] and y in complete[x] and not true,
                y in holdout[x] and y not in complete[x] and not true,
                y not in holdout[x] and y in complete[x] and true,
                y not in holdout[x] and y not in complete[x] and true,
            )
            known = [n + kind for n, kind in zip(known, kinds, strict=True)]
        return (len(h), len(c), len(h & c), *known)

    counts = Counter(cell(y) for y in (set(nodes) - sure if gap is None else gap))
    return Tally(
        len(nodes),
        tuple(map(label, trained)),
        tuple(map(label, validated)),
        tuple(i for i, x in enumerate(validated) if x in set(trained)),
        tuple(Cell(*key[:3], n, *key[3:]) for key, n in sorted(counts.items())),
    )
