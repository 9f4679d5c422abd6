"""Hypergeometric inversion against bisection over scipy.stats.hypergeom.sf; the other bounds."""

import time
from statistics import geometric_mean

import numpy as np
from scipy.stats import hypergeom

from matchbound import bounds
from matchbound.bounds.likelihood import likelihood_share
from matchbound.bounds.star import star_rejects

DELTA = 0.05
CASES = [
    (120_000_000, 100_000, 100),
    (120_000_000, 100_000, 50_000),
    (80_000_000, 667, 567),
    (10_000, 1_000, 950),
    (120_000_000, 1_000_000, 800_000),
]


def by_scipy(k, s, n, delta):
    low, high = k - 1, n - (s - k)
    while high - low > 1:
        m = (low + high) // 2
        if hypergeom.sf(k - 1, n, m, s) >= delta:
            high = m
        else:
            low = m
    return high


def seconds(function, repeats):
    """The median of single calls, after one to warm up."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return sorted(times)[repeats // 2]


def main():
    print(f"{'n':>12} {'s':>9} {'k':>8} {'ones':>12} {'scipy µs':>10} {'ours µs':>8} {'ratio':>6}")
    ratios = []
    for n, s, k in CASES:
        ours = bounds.hypergeometric_lower(k, s, n, DELTA)
        assert ours == by_scipy(k, s, n, DELTA)
        slow = seconds(lambda k=k, s=s, n=n: by_scipy(k, s, n, DELTA), 11)
        fast = seconds(lambda k=k, s=s, n=n: bounds.hypergeometric_lower(k, s, n, DELTA), 201)
        ratios.append(slow / fast)
        print(
            f"{n:12} {s:9} {k:8} {ours:12} {slow * 1e6:10.0f} {fast * 1e6:8.1f} {slow / fast:6.0f}"
        )
    print(f"geometric mean of the ratios: {geometric_mean(ratios):.0f}")

    ks = np.random.default_rng(0).integers(0, 1001, 100_000)
    array = seconds(lambda: bounds.hypergeometric_lower(ks, 1000, 10**6, DELTA), 5)
    hundred = seconds(lambda: [by_scipy(k, 1000, 10**6, DELTA) for k in ks[:100].tolist()], 3)
    print(f"an array of 100,000: {array:.3f} s; 100 scipy bisections: {hundred:.3f} s")
    print_others()


def print_others():
    rng = np.random.default_rng(1)
    samples = rng.choice([0, 1 / 2, 2 / 3, 1], (2000, 1000), p=[0.025, 0.03, 0.03, 0.915])
    ones, n = rng.random(10_000) < 0.85, 120_000_000
    plan = {"target": 0.93, "size": 10**6, "delta": DELTA, "variance": 0.04}
    cases = {
        "star, s = 667": lambda: bounds.lower(samples[0, :667], size=10**6, delta=DELTA),
        "star against one target, 2,000 samples of 1,000": lambda: star_rejects(
            samples >= 0, samples, **plan
        ),
        "orderfree, s = 400 of 2,000": lambda: bounds.lower(
            samples[0, :400], size=2000, delta=DELTA, method="orderfree"
        ),
        "likelihood, s = 10,000 of 1.2e8": lambda: likelihood_share(ones, (n, n), DELTA),
        "likelihood, any size up to 1.2e8": lambda: likelihood_share(ones, (10_000, n), DELTA),
    }
    for name, function in cases.items():
        print(f"{name:48} {seconds(function, 5) * 1e3:8.2f} ms")


if __name__ == "__main__":
    main()
