"""The least share over a range of sizes, for any bound on the number of ones."""

from collections.abc import Callable
from heapq import heappop, heappush

from matchbound.bounds.sample import Known

GRAIN = 1e-5  # how far the result may be below the least share, relative to it
BLOCKS = 20_000  # the most evaluations, even if the result is then further below


def least_share(
    ones: Callable[[int], int],
    size: tuple[int, int],
    known: Known = (0.0, 0),
    blocks: int = BLOCKS,
) -> float:
    """A share just at or below (sum + ones(n))/(count + n) for every size n in the range.

    `ones` must rise by 0 or 1 when n rises by 1. So within a … b it is at least ones(a), and at
    least ones(b) − (b − n), and the share cannot be less than where the two meet. The block whose
    share may be least is split, until no block's can be less than the least share computed.
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
