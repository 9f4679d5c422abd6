"""Best first, and guesses when stuck; compiled."""

from heapq import heappop, heappush

import numpy as np

from matchbound.compiled import compiled
from matchbound.matchers._layout import record
from matchbound.matchers._marks import (
    MARKS,
    MOST,
    SHIFT,
    USED,
    X,
    Y,
    best_rival,
    degree,
    rank_of,
    spread,
    with_room,
)


@compiled
def guesses(entries, size, x_rows, y_rows, partner, taken, seed):  # type: ignore[no-untyped-def]
    """Marked pairs of free nodes that have not spread, the likeliest first."""
    heap = [(MOST, MOST, np.int32(0))]
    heap.pop()
    for e in range(size):
        free = partner[entries[e, X]] < 0 and taken[entries[e, Y]] < 0
        if free and entries[e, USED] == 0:
            heappush(heap, rank_of(np.int32(e), entries, x_rows, y_rows, seed))
    return heap


@compiled
def expand_from(x_rows, y_rows, seeds, least, budget, seed):  # type: ignore[no-untyped-def]
    """Rows of x, y, round, marks and margin, in the order matched."""
    nodes, others = x_rows[2].size, y_rows[2].size
    partner, taken = np.full(nodes, -1, np.int32), np.full(others, -1, np.int32)
    entries, slots = np.empty((1024, 6), np.int32), np.full(2048, -1, np.int32)
    marks = slots, entries, partner.copy(), taken.copy()
    heap = [(MOST, MOST, np.int32(0))]  # empty, but of a type; no comprehension, for which numba
    heap.pop()  # would drop assignments that it takes for dead
    matched = np.zeros((min(nodes, others), 5), np.int32)
    partner[seeds[:, 0]], taken[seeds[:, 1]] = seeds[:, 1], seeds[:, 0]
    found, size, round = 0, 0, 0
    spreading = seeds
    while len(spreading):
        round += 1
        for k in range(len(spreading)):
            i, j = spreading[k, 0], spreading[k, 1]
            marks = with_room(marks, size, degree(x_rows, i) * degree(y_rows, j))
            size = spread(i, j, x_rows, y_rows, partner, taken, marks, size, heap, least, seed)
        while len(heap):
            order, _, best = heappop(heap)
            entries = marks[1]
            x, y, count = entries[best, X], entries[best, Y], entries[best, MARKS]
            outdated = np.uint64(count) != MOST - (order >> SHIFT)  # it has more marks since
            if outdated or partner[x] >= 0 or taken[y] >= 0:
                continue
            rival = best_rival(best, marks, partner, taken)
            record(matched[found], x, y, round, count, count - rival)
            found += 1
            partner[x], taken[y] = y, x
            if entries[best, USED] == 0:
                marks = with_room(marks, size, degree(x_rows, x) * degree(y_rows, y))
                size = spread(x, y, x_rows, y_rows, partner, taken, marks, size, heap, least, seed)
        entries = marks[1]
        likely = guesses(entries, size, x_rows, y_rows, partner, taken, seed)
        spreading = np.empty((len(likely), 2), np.int32)
        for k in range(len(likely)):
            _, _, entry = heappop(likely)
            i, j = entries[entry, X], entries[entry, Y]
            budget -= degree(x_rows, i) * degree(y_rows, j)
            if budget < 0:
                spreading = spreading[:k]
                break
            entries[entry, USED] = 1
            spreading[k, 0], spreading[k, 1] = i, j
    return matched[:found]
