"""The loops of soft assignment, compiled.

Rows are nodes of the left graph, columns those of the right. A row has at most `width` candidates,
which lie side by side in flat arrays: those of row x begin at x · width, the best first. Threads
take blocks of rows or of columns in turns; no sum depends on the number of threads. Indexes are
unsigned in the innermost loop; otherwise numba would add code for negative ones.
"""

from math import exp, log

import numpy as np

from matchbound.compiled import compiled
from matchbound.matchers._layout import record
from matchbound.matchers._percolation import best_rival, count_row

BLOCK = 64  # rows that a thread takes at a time; few, because the first rows are the longest
LEAST = 0.001  # a lower share is dropped


@compiled
def add_support(x, rows, reach, shares, own):  # type: ignore[no-untyped-def]
    """Sum up the support of x with each free y; return how many y have some.

    A neighbour of x supports the free neighbours (`reach`) of each of its own candidates, by the
    candidate's share.
    """
    starts, neighbours, _ = rows
    free_starts, free = reach
    columns, share, sizes, width = shares
    support, touched = own[:2]
    size = np.uint64(0)
    for e in range(starts[x], starts[x + 1]):
        u = neighbours[e]
        for c in range(u * width, u * width + sizes[u]):
            v, weight = columns[c], share[c]
            for f in range(free_starts[v], free_starts[v + 1]):
                y = np.uint32(free[np.uint64(f)])
                touched[size] = y
                size += np.uint64(support[y] == 0.0)
                support[y] += weight
    return size


@compiled
def place_of(value, column, values, columns, first, size):  # type: ignore[no-untyped-def]
    """Where a value belongs among `size` falling ones; of equals the lower column comes first."""
    place = size
    while place > 0:
        rival = values[place - 1]
        if rival > value or (rival == value and columns[first + place - 1] < column):
            break
        place -= 1
    return place


@compiled
def insert(item, items, place, size):  # type: ignore[no-untyped-def]
    for k in range(size, place, -1):
        items[k] = items[k - 1]
    items[place] = item


@compiled
def find_candidates(turn, turns, x_free, rows, reach, shares, beta, potential, found, own):  # type: ignore[no-untyped-def]
    """Fill in each free x's columns with the highest β · support + potential, and β · support."""
    columns, gains, sizes, width = found
    support, touched, values = own
    for block in range(turn * BLOCK, x_free.size, turns * BLOCK):
        for k in range(block, min(block + BLOCK, x_free.size)):
            x = x_free[k]
            first, size = x * width, 0
            for i in range(add_support(x, rows, reach, shares, own)):
                y = touched[i]
                gain = beta * support[y]
                support[y] = 0.0
                value = gain + potential[y]
                if size == width and value < values[width - 1]:
                    continue
                place = place_of(value, y, values, columns, first, size)
                if place < width:
                    last = min(size, width - 1)
                    insert(value, values, place, last)
                    insert(y, columns, first + place, first + last)
                    insert(gain, gains, first + place, first + last)
                    size = last + 1
            sizes[x] = size


@compiled
def by_column(found, starts, entries):  # type: ignore[no-untyped-def]
    """List the candidates of each column, in the order of rows: `entries` from its start on."""
    columns, _, sizes, width = found
    starts[:] = 0
    for x in range(sizes.size):
        for c in range(x * width, x * width + sizes[x]):
            starts[columns[c] + 2] += 1
    for y in range(2, starts.size):
        starts[y] += starts[y - 1]
    for x in range(sizes.size):
        for c in range(x * width, x * width + sizes[x]):
            starts[columns[c] + 1] += 1
            entries[starts[columns[c] + 1] - 1] = c


@compiled
def balance_rows(turn, turns, found, row_potential, column_potential):  # type: ignore[no-untyped-def]
    """Let each row's shares and its slack, e^potential, sum up to 1."""
    columns, gains, sizes, width = found
    for block in range(turn * BLOCK, sizes.size, turns * BLOCK):
        for x in range(block, min(block + BLOCK, sizes.size)):
            highest = 0.0
            for c in range(x * width, x * width + sizes[x]):
                highest = max(highest, gains[c] + column_potential[columns[c]])
            total = exp(-highest)
            for c in range(x * width, x * width + sizes[x]):
                total += exp(gains[c] + column_potential[columns[c]] - highest)
            row_potential[x] = -(highest + log(total))


@compiled
def balance_columns(turn, turns, found, listed, row_potential, column_potential):  # type: ignore[no-untyped-def]
    """Let each column's shares and its slack, e^potential, sum up to 1."""
    _, gains, _, width = found
    starts, entries = listed
    for block in range(turn * BLOCK, column_potential.size, turns * BLOCK):
        for y in range(block, min(block + BLOCK, column_potential.size)):
            highest = 0.0
            for e in range(starts[y], starts[y + 1]):
                c = entries[e]
                highest = max(highest, gains[c] + row_potential[c // width])
            total = exp(-highest)
            for e in range(starts[y], starts[y + 1]):
                c = entries[e]
                total += exp(gains[c] + row_potential[c // width] - highest)
            column_potential[y] = -(highest + log(total))


@compiled
def blend(turn, turns, x_free, shares, found, row_potential, column_potential, own):  # type: ignore[no-untyped-def]
    """Make each free row's shares the mean of its old and new ones, and keep the largest."""
    columns, share, sizes, width = shares
    new_columns, gains, new_sizes, _ = found
    support, touched, values = own
    for block in range(turn * BLOCK, x_free.size, turns * BLOCK):
        for k in range(block, min(block + BLOCK, x_free.size)):
            x = x_free[k]
            first, count = x * width, 0
            for c in range(first, first + sizes[x]):
                touched[count] = columns[c]
                support[columns[c]] = 0.5 * share[c]
                count += 1
            for c in range(first, first + new_sizes[x]):
                y = new_columns[c]
                new = exp(gains[c] + row_potential[x] + column_potential[y])
                if support[y] == 0.0:
                    touched[count] = y
                    count += 1
                support[y] += 0.5 * new
            size = 0
            for i in range(count):
                y = touched[i]
                value = support[y]
                support[y] = 0.0
                if value < LEAST:
                    continue
                place = place_of(value, y, values, columns, first, size)
                if place < width:
                    last = min(size, width - 1)
                    insert(value, values, place, last)
                    insert(y, columns, first + place, first + last)
                    size = last + 1
            share[first : first + size] = values[:size]
            sizes[x] = size


@compiled
def extract(order, candidates, width, partner, taken):  # type: ignore[no-untyped-def]
    """Match candidates in this order if both nodes are free; return those that were matched."""
    matched, size = np.empty(min(partner.size, taken.size), np.int64), 0
    for k in range(order.size):
        x, y = order[k] // width, candidates[order[k]]
        if partner[x] < 0 and taken[y] < 0:
            partner[x], taken[y] = y, x
            matched[size] = order[k]
            size += 1
    return matched[:size]


@compiled
def witnesses_of(x, y, x_rows, y_rows, seeded, matched):  # type: ignore[no-untyped-def]
    """Rows of x, y, round 1, witnesses and margin of each pair, all of them being matched.

    A rival is another pair with one of the two nodes, neither of them a seed's.
    """
    x_seeded, y_seeded = seeded
    partner, taken = matched
    counter = np.zeros(max(partner.size, taken.size), np.int32)
    touched = np.empty(counter.size, np.int32)
    found = np.empty((x.size, 5), np.int32)
    for k in range(x.size):
        count = 0
        for i in range(count_row(x[k], x_rows, partner, y_rows, y_seeded, counter, touched)):
            if touched[i] == y[k]:
                count = counter[y[k]]
            counter[touched[i]] = 0
        rival = max(
            best_rival(x[k], y[k], x_rows, partner, y_rows, y_seeded, counter, touched),
            best_rival(y[k], x[k], y_rows, taken, x_rows, x_seeded, counter, touched),
        )
        record(found[k], x[k], y[k], 1, count, count - rival)
    return found
