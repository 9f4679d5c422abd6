"""The least share over a range of sizes; compiled."""

from heapq import heappop, heappush

from matchbound._compiling import compiled
from matchbound.bounds._tails import bracket


@compiled
def least_share(
    k: int,
    s: int,
    size: tuple[int, int],
    delta: float,
    known: tuple[float, int],
    grain: float,
    steps: int,
) -> float:
    """At or below (sum + m(n))/(count + n) for every size n; −1 if floating point cannot say.

    m does not fall as n grows, so its value at a is at or below all of a … b. Best first: the block
    that might hold the least is split until it is as narrow as the grain.
    """
    (least, most), (total, count) = size, known
    low, ones = bracket(k, s, least, delta)
    if ones - low != 1:
        return -1.0
    blocks = [((total + ones) / (count + most), least, most, ones)]
    below = blocks[0][0]
    for _ in range(steps):
        below, a, b, ones = heappop(blocks)
        if b - a <= grain * a:
            break
        middle = (a + b) // 2
        heappush(blocks, ((total + ones) / (count + middle), a, middle, ones))
        low, ones = bracket(k, s, middle + 1, delta)
        if ones - low != 1:
            return -1.0
        heappush(blocks, ((total + ones) / (count + b), middle + 1, b, ones))
    return float(below)
