"""Bounds from their definitions, in plain Python: one value of ρ, or of m, at a time."""

import math
from fractions import Fraction
from math import comb


def star_rejects(nodes, n, rho, delta, variance, known=(0, 0), aim=1.5, cap=0.9):
    """Steady star; `nodes` are values in draw order, None for those who are no members.

    Sums, limits and payoffs are fractions; only the bet and the capital are not. n is None for
    independent draws.
    """
    rho, s = Fraction(rho), len(nodes)
    gain = Fraction(known[0]) - rho * known[1]  # what known and seen members are above ρ
    capital = 1.0
    for i, value in enumerate(nodes, start=1):
        left = math.inf if n is None else n - i + 1
        limit = rho if n is None else rho - gain / left
        if limit < 0:
            return True
        gained = 0 if value is None else Fraction(value) - rho
        payoff = gained + (0 if n is None else gain / left)
        if limit < 1:
            length = math.log(aim / (delta * capital))
            finite = 1 if n is None else (n - s + 1) / left
            bet = (
                length * math.sqrt(2 / (1 + length)) * math.sqrt(finite / ((s - i + 1) * variance))
            )
            bet = min(bet, cap / float(limit)) if limit > 0 else bet
            capital *= 1 + bet * float(payoff)
        gain += gained
        if capital >= 1 / delta:
            return True
    return n is not None and rho * (n - s) - gain < 0


def orderfree_log(values, n, most, stake):
    """ln E* of a list of payoffs, `most` being n·m: the sum over places written out."""
    s, total = len(values), sum(values)
    if s == 1:
        return math.log(1 - stake + stake * values[0] * n / most)
    result = 0.0
    for x in values:
        others = (total - x) / (s - 1)
        for i in range(s):
            part = 0.0 if x == 0 else stake * x * (n - i) / (most - i * others)
            result += math.log(1 - stake + part) / s
    return result


def likelihood_ratio(k, i, m, n):
    """The mean over m' > m of the likelihood of k ones among the first i, over that of m."""
    own = comb(m, k) * comb(n - m, i - k)
    others = sum(comb(j, k) * comb(n - j, i - k) for j in range(m + 1, n + 1))
    return Fraction(others, own * (n - m))


def likelihood_ones(values, n, delta):
    """The least m that no beginning rejects, after each value."""
    bounds, m, k = [], 0, 0
    for i, one in enumerate(values, start=1):
        k += bool(one)
        while m < k or (n - m > i - k and likelihood_ratio(k, i, m, n) * Fraction(delta) >= 1):
            m += 1
        bounds.append(min(m, n - (i - k)))
    return bounds


def pooled_rejects(population, places, rho, *, delta, variance, planned, anytime=False, aim=1.5):
    """Steady star for draws by weight, in total units: sums, limits and payoffs are fractions.

    `anytime`: bets that depend on nothing but their place.
    """
    cap = 0.75 if anytime else 0.9
    num, den, most, weight = (
        [Fraction(x) for x in column]
        for column in (population.num, population.den, population.most, population.weight)
    )
    rho, risk = Fraction(rho), max(d / w for d, w in zip(most, weight, strict=True))
    total, squares = sum(weight), sum(w * w for w in weight)

    def moment(i):
        left = max(total - (i - 1) * squares / total, total / 50)
        return variance * float(left) ** 2

    left = set(range(len(num)))
    gain = Fraction(population.known[0]) - rho * Fraction(population.known[1])
    capital = 1.0
    for i, x in enumerate(places, start=1):
        if gain > rho * sum(most[j] for j in left):
            return True
        weight_left = sum(weight[j] for j in left)
        gained = num[x] - rho * den[x]
        payoff = gained * weight_left / weight[x] + gain
        limit = rho * risk * weight_left - gain
        if anytime:
            fixed = 2 * math.log(1 / delta) / (variance * i * math.log(1 + i))
            bet = math.sqrt(fixed) / float(weight_left)
        else:
            length = math.log(aim / (delta * capital))
            ahead = sum(1 / moment(j) for j in range(i, max(i, planned) + 1))
            bet = length * math.sqrt(2 / (1 + length)) / (moment(i) * math.sqrt(ahead))
        bet = min(bet, cap / float(limit)) if limit > 0 else bet
        capital *= 1 + bet * float(payoff)
        if capital >= 1 / delta:
            return True
        gain += gained
        left.remove(x)
    return gain > rho * sum(most[j] for j in left)
