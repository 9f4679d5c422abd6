"""Counting witnesses by rows; compiled.

Rows of a graph are in rising order, so that a least degree ends them early. Threads take rows in
turns, and each has a counter for every node of the other side and a list of those touched, with
room for one more: a branch that the processor cannot foresee would cost more than writing in vain.
Places are unsigned in the innermost loop, or numba would allow for those counted from the end.
"""

import numpy as np

from matchbound._compiling import compiled

BLOCK = 64  # rows that a thread takes at a time: the first are the longest


@compiled
def close_up(turn, turns, starts, ends, neighbours, partner):  # type: ignore[no-untyped-def]
    """Drop matched neighbours from the rows of matched nodes; the others keep their order."""
    for block in range(turn * BLOCK, ends.size, turns * BLOCK):
        for v in range(block, min(block + BLOCK, ends.size)):
            if partner[v] < 0:
                continue
            end = starts[v]
            for e in range(starts[v], ends[v]):
                y = neighbours[e]
                neighbours[end] = y
                end += partner[y] < 0
            ends[v] = end


@compiled
def add_near(nodes, rows, near):  # type: ignore[no-untyped-def]
    """Count these nodes as matched neighbours of theirs."""
    for k in range(nodes.size):
        for e in range(rows.starts[nodes[k]], rows.starts[nodes[k] + 1]):
            near[rows.neighbours[e]] += 1


@compiled
def count_row(x, rows, partner, free, end, own):  # type: ignore[no-untyped-def]
    """Count the witnesses of x with each free y < end; how many y have some.

    Witnesses are neighbours of x with a partner; `free` are the partners' closed up rows.
    """
    size = np.uint64(0)
    for e in range(rows.starts[x], rows.starts[x + 1]):
        v = partner[rows.neighbours[e]]
        if v < 0:
            continue
        for f in range(free.starts[v], free.ends[v]):
            y = np.uint32(free.neighbours[np.uint64(f)])
            if y >= end:
                break
            own.touched[size] = y
            size += np.uint64(own.counter[y] == 0)
            own.counter[y] += 1
    return size


@compiled
def count_rows(turn, turns, x_end, y_end, least, rows, near, partner, free, own, row):  # type: ignore[no-untyped-def]
    """Best and second count of each x < x_end that can have `least`, and its best y.

    Of columns likewise, but without what is less than `least`, which is no tie of a match.
    """
    row_best, row_second, row_match = row
    counter, touched, column_best, column_second = own
    for block in range(turn * BLOCK, x_end, turns * BLOCK):
        for x in range(block, min(block + BLOCK, x_end)):
            best, second, match = 0, 0, -1
            if partner[x] < 0 and near[x] >= least:
                for i in range(count_row(x, rows, partner, free, y_end, own)):
                    y = touched[i]
                    count = counter[y]
                    counter[y] = 0
                    if count > best:
                        best, second, match = count, best, y
                    elif count > second:
                        second = count
                    if count < least:
                        continue
                    if count > column_best[y]:
                        column_best[y], column_second[y] = count, column_best[y]
                    elif count > column_second[y]:
                        column_second[y] = count
            row_best[x], row_second[x], row_match[x] = best, second, match


@compiled
def raise_to_rivals(turn, turns, x, y, rows, partner, free, end, own, second):  # type: ignore[no-untyped-def]
    """Raise the second best count of each pair to that of x and another y, however low."""
    for block in range(turn * BLOCK, x.size, turns * BLOCK):
        for k in range(block, min(block + BLOCK, x.size)):
            for i in range(count_row(x[k], rows, partner, free, end, own)):
                other = own.touched[i]
                if other != y[k]:
                    second[k] = max(second[k], own.counter[other])
                own.counter[other] = 0
