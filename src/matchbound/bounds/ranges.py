"""The least share over a range of sizes, for any bound on the number of ones."""

from collections.abc import Callable
from heapq import heappop, heappush

from matchbound.bounds.sample import Known

GRAIN = 1e-5  # how far below the least share the result may lie, relative to it
BLOCKS = 20_000  # and the most evaluations


def least_share(
    ones: Callable[[int], int],
    size: tuple[int, int],
    known: Known = (0.0, 0),
    blocks: int = BLOCKS,
) -> float:
    """At or below (sum + ones(n))/(count + n) for every size n in the range, and close to it.

    `ones` must rise by 0 or 1 where n rises by 1. So within a … b it is at least ones(a), and at
    least ones(b) − (b − n): the share is least where the two meet. Best first: the block that might
    hold the least is split until no block can be below what was seen.
    """
    (total, count) = known
    queue: list[tuple[float, int, int, int, int]] = []

    def share(number: int, n: int) -> float:
        return (total + number) / (count + n)

    def add(a: int, b: int, low: int, high: int) -> None:
        heappush(queue, (share(low, b - (high - low)), a, b, low, high))

    ends = ones(size[0]), ones(size[1])
    seen = min(share(number, n) for number, n in zip(ends, size, strict=True))
    add(*size, *ends)
    for _ in range(blocks):
        below, a, b, low, high = queue[0]
        if below >= seen * (1 - GRAIN):
            break
        heappop(queue)
        middle = (a + b) // 2
        number = ones(middle)
        seen = min(seen, share(number, middle))
        add(a, middle, low, number)
        add(middle, b, number, high)
    return float(queue[0][0])
