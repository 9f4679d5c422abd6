"""The one-sided likelihood ratio of zeros and ones drawn without replacement; compiled."""

import numpy as np

from matchbound.compiled import compiled

TINY = 1e-18  # terms below this part of the sum are left out; that can only lower the bound


@compiled
def refutes(k, d, m, n, enough):  # type: ignore[no-untyped-def]
    """Whether the ratio against m ones among n reaches `enough`, if k ones and d zeros are drawn.

    The ratio is the mean over m' = m + 1 … n of C(m', k)·C(n − m', d) / (C(m, k)·C(n − m, d)). It
    is computed as a sum of at most k + 1 positive terms, each a multiple of the one before.
    """
    zeros = float(n - m)
    if zeros <= d:
        return False
    if m < k:
        return True
    front = (m + 1.0) * (zeros - d) / (zeros * (m + 1.0 - k) * (d + 1.0))
    total, term, j = 1.0, 1.0, float(k)
    while front * total < enough:
        if j == 0.0 or term < TINY * total:
            return False
        term *= j * (zeros - (k + d) - 1.0 + j) / ((m + 2.0 - j) * (k + d + 2.0 - j))
        total += term
        j -= 1.0
    return True


@compiled
def least_kept(k, d, n, enough, low):  # type: ignore[no-untyped-def]
    """The least m from `low` on that is not refuted, found by doubling steps, then bisection."""
    if not refutes(k, d, low, n, enough):
        return low
    step = 1
    high = low + step
    while refutes(k, d, high, n, enough):
        low = high
        step *= 2
        high = min(low + step, n)
    while high - low > 1:
        m = low + (high - low) // 2
        if refutes(k, d, m, n, enough):
            low = m
        else:
            high = m
    return high


@compiled
def running_ones(values, n, enough):  # type: ignore[no-untyped-def]
    """The least m not refuted so far, after each value. It can only rise after a one."""
    bounds = np.empty(values.size, dtype=np.int64)
    k, d, m = 0, 0, 0
    for i in range(values.size):
        if values[i]:
            k += 1
            m = least_kept(k, d, n, enough, m)
        else:
            d += 1
        bounds[i] = m
    return bounds
