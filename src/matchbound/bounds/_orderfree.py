"""E-values that depend on the multiset of values alone, not on their order; compiled.

They are computed as logarithms. `total` and `drawn` are the sum and the number of all payoffs.
"""

import math

from matchbound.compiled import compiled

ROUNDING = 1e-9
ROUNDS = 50  # of bisection
SPARSE = 200  # if less than 1/200 of the population is drawn, using its size gains nothing
MANY = 5000  # with more draws, places in the order are taken in blocks
BLOCKS = 256


@compiled
def factor(x, i, stake, size, drawn, spare, other):  # type: ignore[no-untyped-def]
    """The factor of the capital if i draws came before x; the mean of those left is `below`."""
    below = (spare + x + (drawn - 1 - i) * other) / (size - i)
    return 1.0 - stake + stake * x / below


@compiled
def over_places(x, stake, size, drawn, spare, total):  # type: ignore[no-untyped-def]
    """The mean of ln(factor) over the places at which x may have been drawn, or a little below.

    `spare` is the most that the payoffs of nodes not drawn can sum to. The factors rise or fall
    with i throughout, so a block's factors are at least the lesser of those at its ends.
    """
    if x == 0.0:
        return math.log1p(-stake)
    other = (total - x) / (drawn - 1) if drawn > 1 else 0.0
    if drawn > MANY:
        result = 0.0
        for block in range(BLOCKS):
            first, after = drawn * block // BLOCKS, drawn * (block + 1) // BLOCKS
            least = min(
                factor(x, first, stake, size, drawn, spare, other),
                factor(x, after - 1, stake, size, drawn, spare, other),
            )
            result += (after - first) * math.log(least)
        return result / drawn
    result, product = 0.0, 1.0
    for i in range(drawn):
        product *= factor(x, i, stake, size, drawn, spare, other)
        if product > 1e200 or product < 1e-200:
            result += math.log(product)
            product = 1.0
    return (result + math.log(product)) / drawn


@compiled
def log_e_value(values, counts, others, size, known, rho, stake):  # type: ignore[no-untyped-def]
    """The e-value against "the mean over members is at most ρ"; infinite if that is impossible.

    The payoff is the value for a member, and ρ for the `others`, who are not members.
    """
    number, seen, result = 0.0, 0.0, 0.0
    for j in range(values.size):
        number += counts[j]
        seen += values[j] * counts[j]
    if math.isinf(size):  # the others' factor is 1
        for j in range(values.size):
            result += counts[j] * math.log(1.0 - stake + stake * values[j] / rho)
        return result
    drawn, total = int(others + number), others * rho + seen
    spare = (size - others + known[1]) * rho - known[0] - seen
    if spare < -ROUNDING * max(1.0, total):
        return math.inf
    spare = max(spare, 0.0)
    for j in range(values.size + 1):
        x = values[j] if j < values.size else rho
        count = counts[j] if j < values.size else others
        if count == 0:
            continue
        if drawn * SPARSE >= size:
            result += count * over_places(x, stake, size, drawn, spare, total)
        elif x == 0.0:
            result += count * math.log1p(-stake)
        else:
            result += count * math.log(1.0 - stake + stake * x * size / (spare + total))
    return result


@compiled
def add_logs(a, b):  # type: ignore[no-untyped-def]
    """ln(eᵃ + eᵇ)."""
    greater, lesser = max(a, b), min(a, b)
    if math.isinf(greater):
        return greater
    return greater + math.log1p(math.exp(lesser - greater))


@compiled
def orderfree_bound(values, counts, others, size, known, stakes, delta):  # type: ignore[no-untyped-def]
    """The greatest ρ that bisection finds rejected by the mean of the stakes' e-values, or 0."""
    enough = math.log1p(ROUNDING) - math.log(delta) + math.log(stakes.size)
    low, high = 0.0, 1.0
    for _ in range(ROUNDS):
        rho = (low + high) / 2.0
        evidence = -math.inf
        for stake in stakes:
            more = log_e_value(values, counts, others, size, known, rho, stake)
            evidence = add_logs(evidence, more)
        if evidence >= enough:
            low = rho
        else:
            high = rho
    return low
