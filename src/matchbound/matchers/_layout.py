"""Build the rows of a graph, and break ties at random; compiled."""

import numpy as np

from matchbound.compiled import compiled


@compiled
def neighbours_of(low, high, starts):  # type: ignore[no-untyped-def]
    """The neighbours of every node, in rising order.

    Rows are filled in the order of the edges, then transposed, which sorts them without comparing.
    """
    filled = starts[:-1].copy()
    unsorted = np.empty(starts[-1], np.int32)
    for e in range(low.size):
        a, b = low[e], high[e]
        unsorted[filled[a]] = b
        unsorted[filled[b]] = a
        filled[a] += 1
        filled[b] += 1
    filled[:] = starts[:-1]
    neighbours = np.empty(starts[-1], np.int32)
    for a in range(starts.size - 1):
        for e in range(starts[a], starts[a + 1]):
            b = unsorted[e]
            neighbours[filled[b]] = a
            filled[b] += 1
    return neighbours


@compiled
def mixed(key):  # type: ignore[no-untyped-def]
    """Mix the key so that each of its bits changes all others (the finaliser of splitmix64)."""
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@compiled
def hashes(ends, data):  # type: ignore[no-untyped-def]
    """A number for each text (FNV-1a, mixed)."""
    keys = np.empty(ends.size - 1, np.uint64)
    for i in range(keys.size):
        key = np.uint64(0xCBF29CE484222325)
        for byte in range(ends[i], ends[i + 1]):
            key = (key ^ np.uint64(data[byte])) * np.uint64(0x100000001B3)
        keys[i] = mixed(key)
    return keys


@compiled
def lot(x_key, y_key, seed):  # type: ignore[no-untyped-def]
    """A random number that orders pairs that are otherwise equal.

    It depends on the pair and the seed alone, so the order of rows in a file does not matter.
    """
    return mixed(mixed(x_key + seed) + np.uint64(0x9E3779B97F4A7C15) * y_key)


@compiled
def lots(x_keys, y_keys, seed):  # type: ignore[no-untyped-def]
    drawn = np.empty(x_keys.size, np.uint64)
    for i in range(drawn.size):
        drawn[i] = lot(x_keys[i], y_keys[i], seed)
    return drawn


@compiled
def record(row, a, b, c, d, e):  # type: ignore[no-untyped-def]
    row[0], row[1], row[2], row[3], row[4] = a, b, c, d, e
