"""Percolation's loops, compiled.

There is no table of marks, to save memory. A node's marks are counted anew from the matched pairs
that have spread, and only once enough of its neighbours have; it is then soon matched.
"""

from heapq import heappop, heappush

import numpy as np

from matchbound.compiled import compiled
from matchbound.matchers._candidates import is_candidate
from matchbound.matchers._layout import lot, record


@compiled
def count_row(x, rows, spread, other, taken, candidates, counter, touched):  # type: ignore[no-untyped-def]
    """Count the marks of x with every free node of the other side; return how many have marks.

    These nodes are listed in `touched`, and their marks are in `counter`.
    """
    starts, neighbours, _ = rows
    other_starts, other_neighbours, _ = other
    size = 0
    for e in range(starts[x], starts[x + 1]):
        v = spread[neighbours[e]]
        if v < 0:
            continue
        for f in range(other_starts[v], other_starts[v + 1]):
            y = other_neighbours[f]
            if taken[y] >= 0 or not is_candidate(candidates, x, y):
                continue
            if counter[y] == 0:
                touched[size] = y
                size += 1
            counter[y] += 1
    return size


@compiled
def best_rival(x, y, rows, spread, other, taken, candidates, counter, touched):  # type: ignore[no-untyped-def]
    """The most marks that x has with a free node other than y."""
    best = 0
    for i in range(count_row(x, rows, spread, other, taken, candidates, counter, touched)):
        if touched[i] != y:
            best = max(best, counter[touched[i]])
        counter[touched[i]] = 0
    return best


@compiled
def ready_pairs(i, x_side, partner, spreading, y_side, candidates, least, seed, own):  # type: ignore[no-untyped-def]
    """A heap of the free pairs of i's neighbours that have `least` marks now, in random order."""
    rows, spread = x_side
    other, taken = y_side
    counter, touched = own
    # An element is added and removed so that numba knows the empty heap's type.
    pairs = [(np.uint64(0), np.int32(0), np.int32(0), np.int32(0))]
    pairs.pop()
    starts, neighbours, keys = rows
    other_keys = other[2]
    for e in range(starts[i], starts[i + 1]):
        x = neighbours[e]
        spreading[x] += 1
        if partner[x] >= 0 or spreading[x] < least:
            continue
        for k in range(count_row(x, rows, spread, other, taken, candidates, counter, touched)):
            y = touched[k]
            if counter[y] >= least:
                drawn = lot(keys[x], other_keys[y], seed)
                heappush(pairs, (drawn, np.int32(x), np.int32(y), np.int32(counter[y])))
            counter[y] = 0
    return pairs


@compiled
def percolate(x_rows, y_rows, seeds, candidates, least, seed):  # type: ignore[no-untyped-def]
    """Match from the seeds; return rows of x, y, round, marks and margin, seeds first."""
    x_nodes, y_nodes = x_rows[2].size, y_rows[2].size
    of_x, of_y = candidates
    partner, taken = np.full(x_nodes, -1, np.int32), np.full(y_nodes, -1, np.int32)
    x_spread, y_spread = partner.copy(), taken.copy()  # partners of nodes that have spread
    spreading = np.zeros(x_nodes, np.int32)  # how many neighbours have spread
    counter = np.zeros(max(x_nodes, y_nodes), np.int32)
    touched = np.empty(max(x_nodes, y_nodes), np.int32)
    matched = np.zeros((min(x_nodes, y_nodes), 5), np.int32)
    done, size = 0, len(seeds)
    matched[:size, :2] = seeds
    partner[seeds[:, 0]], taken[seeds[:, 1]] = seeds[:, 1], seeds[:, 0]
    while done < size:
        i, j, round = matched[done, 0], matched[done, 1], matched[done, 2]
        done += 1
        x_spread[i], y_spread[j] = j, i
        sides = (x_rows, x_spread), partner, spreading, (y_rows, taken)
        pairs = ready_pairs(i, *sides, of_x, least, seed, (counter, touched))
        while len(pairs):
            _, x, y, marks = heappop(pairs)
            if partner[x] >= 0 or taken[y] >= 0:
                continue
            rival = max(
                best_rival(x, y, x_rows, x_spread, y_rows, taken, of_x, counter, touched),
                best_rival(y, x, y_rows, y_spread, x_rows, partner, of_y, counter, touched),
            )
            partner[x], taken[y] = y, x
            record(matched[size], x, y, round + 1, marks, marks - rival)
            size += 1
    return matched[:size]
