"""ExpandWhenStuck's loops, compiled: match the best pair first, and guess when there is none."""

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
    """A heap of marked pairs of free nodes that have not spread marks yet, the likeliest first."""
    heap = [(MOST, MOST, np.int32(0))]
    heap.pop()
    for e in range(size):
        free = partner[entries[e, X]] < 0 and taken[entries[e, Y]] < 0
        if free and entries[e, USED] == 0:
            heappush(heap, rank_of(np.int32(e), entries, x_rows, y_rows, seed))
    return heap


@compiled
def expand_from(x_rows, y_rows, seeds, candidates, least, budget, seed):  # type: ignore[no-untyped-def]
    """Match from the seeds; return rows of x, y, round, marks and margin, in the order matched."""
    x_nodes, y_nodes = x_rows[2].size, y_rows[2].size
    partner, taken = np.full(x_nodes, -1, np.int32), np.full(y_nodes, -1, np.int32)
    entries, slots = np.empty((1024, 6), np.int32), np.full(2048, -1, np.int32)
    marks = slots, entries, partner.copy(), taken.copy()
    # An element is added and removed so that numba knows the empty heap's type. Not by a
    # comprehension: numba would then drop assignments that it takes for dead.
    heap = [(MOST, MOST, np.int32(0))]
    heap.pop()
    matched = np.zeros((min(x_nodes, y_nodes), 5), np.int32)
    partner[seeds[:, 0]], taken[seeds[:, 1]] = seeds[:, 1], seeds[:, 0]
    count_matched, size, round = 0, 0, 0
    spreading = seeds
    while len(spreading):
        round += 1
        for k in range(len(spreading)):
            i, j = spreading[k, 0], spreading[k, 1]
            marks = with_room(marks, size, degree(x_rows, i) * degree(y_rows, j))
            size = spread(
                i, j, x_rows, y_rows, partner, taken, candidates, marks, size, heap, least, seed
            )
        while len(heap):
            order, _, best = heappop(heap)
            entries = marks[1]
            x, y, count = entries[best, X], entries[best, Y], entries[best, MARKS]
            # A pair is pushed again with each new mark, so older items are to be skipped.
            outdated = np.uint64(count) != MOST - (order >> SHIFT)
            if outdated or partner[x] >= 0 or taken[y] >= 0:
                continue
            rival = best_rival(best, marks, partner, taken)
            record(matched[count_matched], x, y, round, count, count - rival)
            count_matched += 1
            partner[x], taken[y] = y, x
            if entries[best, USED] == 0:
                marks = with_room(marks, size, degree(x_rows, x) * degree(y_rows, y))
                size = spread(
                    x, y, x_rows, y_rows, partner, taken, candidates, marks, size, heap, least, seed
                )
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
    return matched[:count_matched]
