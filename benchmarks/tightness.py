"""How wide each bound is beside the alternatives, with plans that fit and that do not.

Gaps are means over draws of the sample mean less the lower bound (the upper bound less the true
mean for the gap of two matchers). The first setting of each table is the one that was aimed at.
"""

import math
import sys

import numpy as np

from matchbound import bounds
from matchbound.bounds._betting import ratio_bound
from matchbound.bounds.likelihood import likelihood_sequence

DELTA = 0.05
VALUES = np.array([0, 1 / 2, 2 / 3, 1])
QUARTERS = np.array([0, 1 / 4, 1 / 2, 3 / 4, 1])
FRACTIONS = {  # values, their shares, population, draws
    "A: mean 0.95": (VALUES, (0.025, 0.03, 0.03, 0.915), 10**6, 667),
    "A, a third drawn": (VALUES, (0.025, 0.03, 0.03, 0.915), 2000, 667),
    "mean 0.70": (VALUES, (0.2, 0.1, 0.15, 0.55), 10**5, 400),
    "mean 0.99": (VALUES, (0.005, 0.006, 0.006, 0.983), 10**6, 300),
    "quarters, evenly": (QUARTERS, (0.2,) * 5, 10**6, 300),
    "0/1, mean 0.85": (np.array([0, 1]), (0.15, 0.85), 10**6, 667),
}
PLANS = (0.25, 0.5, 1, 2, 4)
GAPS = {  # matches a node, share of matched nodes changed, population, draws
    "1 to 4 matches": ((1, 4), 0.03, 10**6, 25_000),
    "1 to 4, fewer draws": ((1, 4), 0.03, 10**6, 10_000),
    "2 to 4 matches": ((2, 4), 0.03, 10**6, 25_000),
    "1 to 6, tenth changed": ((1, 6), 0.1, 10**6, 10_000),
    "small population": ((1, 4), 0.03, 20_000, 5000),
}
BINARY = [  # population, share of ones, draws
    (2000, 0.85, 400),
    (2000, 0.95, 400),
    (10**6, 0.85, 667),
    (10**6, 0.95, 667),
    (10**6, 0.50, 400),
    (2000, 0.05, 400),
    (10**6, 0.99, 400),
    (5000, 0.90, 1000),
    (10**5, 0.75, 200),
    (10**6, 0.98, 2000),
]
GRID = [
    (n, p, s) for n in (5000, 10**6) for s in (200, 667, 1500) for p in (0.5, 0.7, 0.85, 0.95, 0.99)
]


def draw(rng, values, shares, n, s):
    """Without replacement, in draw order."""
    counts = np.round(np.array(shares) * n).astype(int)
    drawn = rng.multivariate_hypergeometric(counts, s)
    return rng.permutation(np.repeat(values, drawn).astype(float))


def fixed_bets(x, n, variance):
    """One bet for all draws, sized by the plan: what star bets took the place of."""
    bets = np.full(len(x), math.sqrt(2 * -math.log(DELTA) / (len(x) * variance)))
    return ratio_bound(np.ones(len(x), dtype=bool), x, float(n), (0.0, 0), bets, DELTA)


def star(x, n, variance):
    return bounds.lower(x, size=n, delta=DELTA, variance=variance)


def orderfree(x, n, variance):
    return bounds.lower(x, size=n, delta=DELTA, variance=variance, method="orderfree")


def anytime(x, n, variance):
    return bounds.lower(x, size=n, delta=DELTA, variance=variance, method="anytime")


def bernstein(x, n, variance):
    return bounds.lower(x, size=n, delta=DELTA, method="bernstein")


def fractions(draws=1000):
    print("Fractions, s fixed, δ = 0.05; plans from ¼ to 4 times the variance")
    plans = " ".join(f"{plan:>7}" for plan in PLANS)
    print(f"{'population':20} {'bound':>11} {plans} {'none':>7}   star/fixed at 1 and 4")
    for name, (values, shares, n, s) in FRACTIONS.items():
        rng = np.random.default_rng(2024)
        variance = np.dot(shares, values**2) - np.dot(shares, values) ** 2
        samples = [draw(rng, values, shares, n, s) for _ in range(draws)]
        gaps = {}
        for bound in (bernstein, fixed_bets, star, orderfree, anytime):
            plans = [variance * plan for plan in PLANS if bound is not bernstein]
            plans.append(0.05 if bound is fixed_bets else None)
            row = [np.mean([x.mean() - bound(x, n, plan) for x in samples]) for plan in plans]
            gaps[bound] = row
            cells = " ".join(f"{gap:7.4f}" for gap in row)
            ratio = ""
            if bound is star:
                ratio = "   " + " ".join(f"{row[i] / gaps[fixed_bets][i]:.2f}" for i in (2, 4))
            print(f"{name:20} {bound.__name__:>11} {cells:>47}{ratio}")


def gap_population(rng, matches, changed, n):
    """d* of every node: two thirds matched, some changed by a match dropped, added or replaced."""
    h = rng.integers(matches[0], matches[1] + 1, n)
    kind = rng.integers(3, size=n)  # dropped, added, replaced
    loss = np.where(kind == 1, 1 / (h + 1), 1 / h)
    return loss * (rng.random(n) < 2 / 3) * (rng.random(n) < changed)


def sampled_gaps(draws=200, delta=0.00125):
    print("\nSampled gap of two matchers, δ = 0.00125: upper bounds on the mean of d*")
    print(f"{'setting':22} {'true':>7} {'as whole':>9} {'planned 0.01':>13} {'no plan':>8} ratio")
    for name, (matches, changed, n, s) in GAPS.items():
        rng = np.random.default_rng(7)
        population = gap_population(rng, matches, changed, n)
        rows = []
        for _ in range(draws):
            x = rng.choice(population, s, replace=False, shuffle=False)
            values, counts = np.unique(x, return_counts=True)
            how = {"size": n, "delta": delta, "counts": counts, "method": "orderfree"}
            whole = bounds.hypergeometric_upper(int((x > 0).sum()), s, n, delta) / n
            planned = bounds.upper(values, variance=0.01, **how)
            rows.append((whole, planned, bounds.upper(values, **how)))
        whole, planned, plain = np.mean(rows, axis=0)
        print(
            f"{name:22} {population.mean():7.4f} {whole:9.4f} {planned:13.4f} {plain:8.4f} "
            f"{planned / whole:5.2f}"
        )


def exact_gap(rows, n):
    """Of zeros and ones, at the end of each row."""
    k, s = rows.sum(axis=1), rows.shape[1]
    return np.mean(k / s - bounds.hypergeometric_lower(k, s, n, DELTA) / n)


def running_gaps(rows, n, p, method):
    """The gap after each value, in the mean over the rows."""
    means = np.cumsum(rows, axis=1) / np.arange(1, rows.shape[1] + 1)
    if method == "likelihood":
        lower = [likelihood_sequence(row, n, DELTA) / n for row in rows]
    else:
        lower = [bounds.sequence(row, size=n, delta=DELTA, variance=p * (1 - p)) for row in rows]
    return (means - lower).mean(axis=0)


def binary_rows(n, p, s, draws):
    rng = np.random.default_rng(11)
    return np.array([draw(rng, np.array([0, 1]), (1 - p, p), n, s) for _ in range(draws)]) == 1


def at_any_time(draws=300):
    print("\n0/1 values at any time, δ = 0.05")
    print(f"{'n':>8} {'p':>5} {'s':>5} {'likelihood':>11} {'anytime':>8} {'exact':>7}  over exact")
    for n, p, s in BINARY:
        rows = binary_rows(n, p, s, draws)
        exact = exact_gap(rows, n)
        gaps = [running_gaps(rows, n, p, method)[-1] for method in ("likelihood", "anytime")]
        over = " ".join(f"{gap / exact:.2f}" for gap in gaps)
        print(f"{n:8} {p:5.2f} {s:5} {gaps[0]:11.4f} {gaps[1]:8.4f} {exact:7.4f}  {over}")


def cost_of_any_time(draws=150):
    """Likelihood, or betting where fewer than 8 misses are planned: what it costs in all."""
    print("\nThe cost of reading at any time: gap over the exact gap, labels for the same gap")
    ratios = []
    for n, p, s in GRID:
        method = "likelihood" if s * (1 - p) >= 8 else "anytime"
        rows = binary_rows(n, p, min(5 * s, n), draws)
        exact = exact_gap(rows[:, :s], n)
        gaps = running_gaps(rows, n, p, method)
        enough = np.flatnonzero(gaps <= exact)
        labels = (enough[enough >= s][0] + 1) / s
        ratios.append((gaps[s - 1] / exact, labels))
        print(f"{n:8} {p:5.2f} {s:5} {method:>10} {ratios[-1][0]:6.2f} {labels:6.2f}")
    (low, few), (high, many) = np.min(ratios, axis=0), np.max(ratios, axis=0)
    print(f"gap {low:.2f} to {high:.2f} times, labels {few:.2f} to {many:.2f} times")


TABLES = (fractions, sampled_gaps, at_any_time, cost_of_any_time)

if __name__ == "__main__":
    for table in TABLES:
        if len(sys.argv) == 1 or table.__name__ in sys.argv[1:]:
            table()
