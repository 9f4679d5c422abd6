"""Hypergeometric tails in floating point, each with a bound on its error; compiled.

The probability mass is Loader's saddle-point form (2000): factorials enter through the error of
Stirling's formula and through deviances, which are all small, so no large numbers are subtracted
from each other. Tails are sums of term ratios. `log_tail` returns the error with the value, so that
a caller can see whether floating point decides a comparison.
"""

import math

import numpy as np

from matchbound.compiled import compiled

EPSILON = 2.0**-52

# ln(x!) minus Stirling's formula, for x = 1 … 15 (the entry for x = 0 is never used).
STIRLING_ERROR = (
    0.0,
    0.08106146679532726,
    0.04134069595540929,
    0.02767792568499834,
    0.02079067210376509,
    0.01664469118982119,
    0.01387612882307075,
    0.01189670994589177,
    0.01041126526197209,
    0.009255462182712733,
    0.008330563433362871,
    0.007573675487951841,
    0.00694284010720953,
    0.006408994188004207,
    0.005951370112758848,
    0.005554733551962801,
)


@compiled
def stirling_error(x: int) -> float:
    if x < 16:
        return STIRLING_ERROR[x]
    y = 1.0 / x
    z = y * y
    return y * (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z * (1 / 1188)))))


@compiled
def log_factor(x: int) -> float:
    """ln(x!) − x·ln(x) + x."""
    return 0.5 * math.log(2 * math.pi * x) + stirling_error(x) if x > 0 else 0.0


@compiled
def deviance(x: float, expected: float, deviation: float) -> tuple[float, float]:
    """x·ln(x/expected) + expected − x without cancellation, and its error in units of ε.

    `deviation` is x − expected; both may have a relative error of a few ε.
    """
    if x == 0.0:
        return expected, 4.0 * expected
    if abs(deviation) >= 0.1 * (x + expected):
        total = x * math.log(x / expected) - deviation
        return total, 8.0 * (total + x + abs(deviation))
    v = deviation / (x + expected)
    total, term, j = deviation * v, 2.0 * x * v, 1
    while True:
        term *= v * v
        j += 2
        following = total + term / j
        if following == total:
            return total, 8.0 * total
        total = following


@compiled
def log_mass(k: int, s: int, m: int, n: int) -> tuple[float, float]:
    """ln P(K = k), K the number of ones among s drawn from n of which m are ones; and its error."""
    rough = float(k) * n - float(m) * s
    # In whole numbers the difference is exact, even where both products wrap around.
    deviation = float(k * n - m * s) / n if abs(rough) < 2.0**62 else rough / n
    share = float(m) / n
    zeros_share = float(n - m) / n
    cells = (
        (k, share * s, deviation),
        (m - k, share * (n - s), -deviation),
        (s - k, zeros_share * s, -deviation),
        (n - m - s + k, zeros_share * (n - s), deviation),
    )
    result = log_factor(m) + log_factor(n - m) + log_factor(s) + log_factor(n - s) - log_factor(n)
    error = 40.0 + 10.0 * math.log(float(n))
    for x, expected, off in cells:
        part, rounding = deviance(float(x), expected, off)
        result -= part + log_factor(x)
        error += rounding
    return result, EPSILON * error


@compiled
def log_mass_binomial(k: int, s: int, p: float) -> tuple[float, float]:
    """ln P(K = k), K binomial(s, p), and its error; 0 < p < 1."""
    expected = s * p
    deviation = k - expected
    result = log_factor(s) - log_factor(k) - log_factor(s - k)
    ones, rounding = deviance(float(k), expected, deviation)
    zeros, more = deviance(float(s - k), s * (1.0 - p), -deviation)
    # s·p is rounded, and a deviance moves by up to |deviation|/expected for each unit of it.
    error = 40.0 + 10.0 * math.log(float(s)) + rounding + more + 4.0 * abs(deviation) / (1.0 - p)
    return result - ones - zeros, EPSILON * error


@compiled
def sum_upwards(k: int, s: int, m: int, n: int) -> tuple[float, int]:
    """P(K ≥ k) / P(K = k), and the number of terms; for k at or above the mean."""
    ones, draws = float(m - k), float(s - k)
    up, down = float(k + 1), float(n - m - s + k + 1)
    total, term, terms = 1.0, 1.0, 0
    while ones > 0.0 and draws > 0.0 and term > 1e-21 * total:
        term *= (ones * draws) / (up * down)
        total += term
        terms += 1
        ones -= 1.0
        draws -= 1.0
        up += 1.0
        down += 1.0
    return total, terms


@compiled
def sum_upwards_binomial(k: int, s: int, odds: float) -> tuple[float, int]:
    """`sum_upwards` for the binomial."""
    draws, up = float(s - k), float(k + 1)
    total, term, terms = 1.0, 1.0, 0
    while draws > 0.0 and term > 1e-21 * total:
        term *= draws / up * odds
        total += term
        terms += 1
        draws -= 1.0
        up += 1.0
    return total, terms


@compiled
def log_tail_binomial(k: int, s: int, p: float) -> tuple[float, float]:
    """ln P(K ≥ k), K binomial(s, p), and its error, for 0 < k ≤ s and 0 < p < 1."""
    q = 1.0 - p
    if k >= s * p:
        mass, error = log_mass_binomial(k, s, p)
        total, terms = sum_upwards_binomial(k, s, p / q)
        return mass + math.log(total), error + 16.0 * EPSILON * (terms + 1)
    mass, error = log_mass_binomial(s - k + 1, s, q)
    total, terms = sum_upwards_binomial(s - k + 1, s, q / p)
    other_tail = min(math.exp(mass) * total, 1.0 - 1e-12)
    error = (error + 16.0 * EPSILON * (terms + 1)) * other_tail / (1.0 - other_tail)
    return math.log1p(-other_tail), error + EPSILON


@compiled
def binomial_share(k: int, s: int, delta: float) -> float:
    """The greatest p that bisection finds with P(K ≥ k) surely below δ, or 0."""
    low, high, log_delta = 0.0, 1.0, math.log(delta)
    while high - low > 1e-15 * high and high > 1e-300:
        p = (low + high) / 2.0
        tail, error = log_tail_binomial(k, s, p)
        if tail - log_delta < -error - EPSILON * (1.0 - log_delta):
            low = p
        else:
            high = p
    return low


@compiled
def log_tail(k: int, s: int, m: int, n: int) -> tuple[float, float, float]:
    """ln P(K ≥ k), its error, and ln P(K = k), for 0 < k ≤ m ≤ n − (s − k)."""
    mass, error = log_mass(k, s, m, n)
    if float(k) * n >= float(m) * s:
        total, terms = sum_upwards(k, s, m, n)
        return mass + math.log(total), error + 16.0 * EPSILON * (terms + 1), mass
    # Below the mean the other tail is the small one: zeros take the place of ones.
    if s - k + 1 > n - m:
        return 0.0, 0.0, mass
    below, error = log_mass(s - k + 1, s, n - m, n)
    total, terms = sum_upwards(s - k + 1, s, n - m, n)
    other_tail = min(math.exp(below) * total, 1.0 - 1e-12)
    error = (error + 16.0 * EPSILON * (terms + 1)) * other_tail / (1.0 - other_tail)
    return math.log1p(-other_tail), error + EPSILON, mass


@compiled
def normal_quantile(log_delta: float) -> float:
    """The normal quantile, roughly, to start a search from. Abramowitz & Stegun 26.2.23."""
    delta = math.exp(log_delta)
    if delta > 0.5:
        return -float(normal_quantile(math.log1p(-min(delta, 1.0 - 1e-15))))
    t = math.sqrt(-2.0 * log_delta)
    above = 2.515517 + t * (0.802853 + t * 0.010328)
    return t - above / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)))


@compiled
def first_guess(k: int, s: int, n: int, log_delta: float) -> int:
    """The m to start a search from: Wilson's lower limit with the finite-population factor."""
    z = normal_quantile(log_delta)
    zz = z * z / s * (n - s) / max(n - 1, 1)
    p = (k - 0.5) / s
    root = math.sqrt(max(zz * (p * (1.0 - p) + zz / 4.0), 0.0))
    return int(n * (p + zz / 2.0 - math.copysign(root, z)) / (1.0 + zz))


@compiled
def verdict(k: int, s: int, m: int, n: int, log_delta: float) -> int:
    """1 if P(K ≥ k) is surely at least δ, −1 if surely below, 0 if rounding may decide it."""
    tail, error, _ = log_tail(k, s, m, n)
    distance = tail - log_delta
    error += EPSILON * (1.0 - log_delta)
    return 1 if distance > error else -1 if distance < -error else 0


@compiled
def edge(k: int, s: int, n: int, log_delta: float, low: int, high: int, least: int) -> int:
    """Bisect for the first m in (low, high] whose verdict is at least `least`."""
    while high - low > 1:
        m = low + (high - low) // 2
        if verdict(k, s, m, n, log_delta) >= least:
            high = m
        else:
            low = m
    return high


@compiled
def bracket(k: int, s: int, n: int, delta: float) -> tuple[int, int]:
    """The greatest m surely rejected and the least surely kept; P(K ≥ k) reaches δ between them.

    This is Newton's method on the logarithm of the tail. The tails at m − 1 and m + 1 cost nothing
    more, because P(K ≥ k | m) − P(K ≥ k | m − 1) = P(K = k | m) · k / m, and likewise for m + 1.
    """
    if k == 0:
        return -1, 0
    low, high = k - 1, n - (s - k)
    if high - low == 1:
        return low, high
    log_delta = math.log(delta)
    m = min(max(first_guess(k, s, n, log_delta), low + 1), high - 1)
    while True:
        tail, error, mass = log_tail(k, s, m, n)
        distance = tail - log_delta
        error += EPSILON * (1.0 - log_delta)
        if abs(distance) <= error:
            kept = edge(k, s, n, log_delta, m, high, 1)
            return edge(k, s, n, log_delta, low, m, 0) - 1, kept
        slope = math.exp(mass - tail) * k / m
        if distance > 0:
            high = m
            if slope < 0.5 and distance + math.log1p(-slope) < -2.0 * error:
                return m - 1, m
        else:
            low = m
            forward = slope * m / (m - k + 1) * (n - m - s + k) / (n - m)
            if distance + math.log1p(forward) > 2.0 * error:
                return m, m + 1
        if high - low == 1:
            return low, high
        target = m - distance / slope if slope > 0.0 else -1.0
        m = math.floor(target) if distance > 0 else math.ceil(target)
        if not low < m < high:
            m = low + (high - low) // 2


@compiled
def brackets(k, s, n, delta, order):  # type: ignore[no-untyped-def]
    """`bracket` for each element; `order` puts equal cases together, so each is computed once."""
    low, high = np.empty_like(k), np.empty_like(k)
    last = order[0]
    low[last], high[last] = bracket(int(k[last]), int(s[last]), int(n[last]), delta[last])
    for i in order[1:]:
        if k[i] == k[last] and s[i] == s[last] and n[i] == n[last] and delta[i] == delta[last]:
            low[i], high[i] = low[last], high[last]
        else:
            low[i], high[i] = bracket(int(k[i]), int(s[i]), int(n[i]), delta[i])
            last = i
    return low, high
