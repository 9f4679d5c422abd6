"""A hash table of marked pairs, and a heap of those with enough marks; compiled.

The table is a tuple: slots, which lead from a pair's hash to its entry; entries; and the first
entry of each x and of each y. Entries of the same node are linked lists: NEXT_X and NEXT_Y.
"""

from heapq import heappush

import numpy as np

from matchbound.compiled import compiled
from matchbound.matchers._candidates import is_candidate
from matchbound.matchers._layout import lot, mixed, record

X, Y, MARKS, NEXT_X, NEXT_Y, USED = range(6)  # columns of an entry; USED: it has spread marks
MOST = np.uint64(1 << 31)  # at least any number of marks
SHIFT = np.uint64(32)


@compiled
def slot_of(slots, entries, x, y):  # type: ignore[no-untyped-def]
    """The slot of the pair, or the free slot where it would be put."""
    mask = np.uint64(slots.size - 1)
    slot = mixed((np.uint64(x) << SHIFT) | np.uint64(y)) & mask
    while slots[slot] >= 0 and (entries[slots[slot], X] != x or entries[slots[slot], Y] != y):
        slot = (slot + np.uint64(1)) & mask
    return slot


@compiled
def with_room(marks, size, more):  # type: ignore[no-untyped-def]
    """Return the table, copied to a larger one if it has no room for `more` pairs."""
    _, old, x_first, y_first = marks
    room = len(old)
    if size + more <= room:
        return marks
    while room < size + more:
        room *= 2
    entries = np.empty((room, 6), np.int32)
    entries[:size] = old[:size]
    slots = np.full(2 * room, -1, np.int32)
    for e in range(size):
        slots[slot_of(slots, entries, entries[e, X], entries[e, Y])] = e
    return slots, entries, x_first, y_first


@compiled
def degree(rows, node):  # type: ignore[no-untyped-def]
    return rows[0][node + 1] - rows[0][node]


@compiled
def rank_of(entry, entries, x_rows, y_rows, seed):  # type: ignore[no-untyped-def]
    """A sort key, lower for likelier pairs: more marks, then closer degrees, then a random lot."""
    x, y = entries[entry, X], entries[entry, Y]
    gap = np.uint64(abs(degree(x_rows, x) - degree(y_rows, y)))
    order = ((MOST - np.uint64(entries[entry, MARKS])) << SHIFT) | gap
    return order, lot(x_rows[2][x], y_rows[2][y], seed), entry


@compiled
def spread(i, j, x_rows, y_rows, partner, taken, candidates, marks, size, heap, least, seed):  # type: ignore[no-untyped-def]
    """Add a mark to every pair of free neighbours of i and j; return the table's new size."""
    slots, entries, x_first, y_first = marks
    x_starts, x_neighbours, _ = x_rows
    y_starts, y_neighbours, _ = y_rows
    for e in range(x_starts[i], x_starts[i + 1]):
        x = x_neighbours[e]
        if partner[x] >= 0:
            continue
        for f in range(y_starts[j], y_starts[j + 1]):
            y = y_neighbours[f]
            if taken[y] >= 0 or not is_candidate(candidates, x, y):
                continue
            slot = slot_of(slots, entries, x, y)
            if slots[slot] < 0:
                slots[slot] = size
                record(entries[size], x, y, 0, x_first[x], y_first[y])
                entries[size, USED] = 0
                x_first[x], y_first[y] = size, size
                size += 1
            entry = slots[slot]
            entries[entry, MARKS] += 1
            if entries[entry, MARKS] >= least:
                heappush(heap, rank_of(entry, entries, x_rows, y_rows, seed))
    return size


@compiled
def best_rival(best, marks, partner, taken):  # type: ignore[no-untyped-def]
    """The most marks of another pair of free nodes that shares a node with this pair."""
    _, entries, x_first, y_first = marks
    most, rival = 0, x_first[entries[best, X]]
    while rival >= 0:
        if rival != best and taken[entries[rival, Y]] < 0:
            most = max(most, entries[rival, MARKS])
        rival = entries[rival, NEXT_X]
    rival = y_first[entries[best, Y]]
    while rival >= 0:
        if rival != best and partner[entries[rival, X]] < 0:
            most = max(most, entries[rival, MARKS])
        rival = entries[rival, NEXT_Y]
    return most
