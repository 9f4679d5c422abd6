"""Count witnesses row by row; compiled.

Neighbours are in rising order, which is falling degree, so a loop over those of a least degree can
stop early. Threads take blocks of rows in turns. Each thread has a counter for every node of the
other side, and a list `touched` of the nodes counted. A node is always written to the end of the
list, but the list only grows if the node is new: this is faster than a branch that the processor
cannot predict, and needs room for one more node. Indexes are unsigned in the innermost loop;
otherwise numba would add code for negative ones.
"""

import numpy as np

from matchbound.compiled import compiled
from matchbound.matchers._candidates import is_candidate

BLOCK = 64  # rows that a thread takes at a time; few, because the first rows are the longest


@compiled
def close_up(turn, turns, taken, free, reach):  # type: ignore[no-untyped-def]
    """Drop matched nodes from the rows of matched nodes; the other nodes keep their order."""
    for block in range(turn * BLOCK, taken.size, turns * BLOCK):
        for v in range(block, min(block + BLOCK, taken.size)):
            u = taken[v]
            if u < 0:
                continue
            end = reach[u, 0]
            for e in range(reach[u, 0], reach[u, 1]):
                y = free[e]
                free[end] = y
                end += taken[y] < 0
            reach[u, 1] = end


@compiled
def add_near(nodes, rows, near):  # type: ignore[no-untyped-def]
    """Add 1 for each of these nodes to the number of matched neighbours of its neighbours."""
    starts, neighbours, _ = rows
    for k in range(nodes.size):
        for e in range(starts[nodes[k]], starts[nodes[k] + 1]):
            near[neighbours[e]] += 1


@compiled
def count_row(x, rows, reach, free, end, own):  # type: ignore[no-untyped-def]
    """Count the witnesses of x with each free y < end; return how many y have some.

    A witness is a neighbour of x whose partner is a neighbour of y. `reach` is where the partner's
    free neighbours are.
    """
    starts, neighbours, _ = rows
    counter, touched, _, _ = own
    size = np.uint64(0)
    for e in range(starts[x], starts[x + 1]):
        u = neighbours[e]
        for f in range(reach[u, 0], reach[u, 1]):
            y = np.uint32(free[np.uint64(f)])
            if y >= end:
                break
            touched[size] = y
            size += np.uint64(counter[y] == 0)
            counter[y] += 1
    return size


@compiled
def count_bests(turn, turns, x_end, y_end, least, side, free, candidates, own, row):  # type: ignore[no-untyped-def]
    """Fill in each x's best y, best count and second-best count.

    Only the x < x_end that can have `least` are counted. Fill in each y's best and second-best
    count too, ignoring counts below `least`, which are by far the most.
    """
    row_best, row_second, row_match = row
    rows, partner, near, reach = side
    counter, touched, column_best, column_second = own
    for block in range(turn * BLOCK, x_end, turns * BLOCK):
        for x in range(block, min(block + BLOCK, x_end)):
            best, second, match = 0, 0, -1
            if partner[x] < 0 and near[x] >= least:
                for i in range(count_row(x, rows, reach, free, y_end, own)):
                    y = touched[i]
                    count = counter[y]
                    counter[y] = 0
                    if not is_candidate(candidates, x, y):
                        continue
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
def raise_to_rivals(turn, turns, x, y, rows, reach, free, end, candidates, own, second):  # type: ignore[no-untyped-def]
    """Raise each pair's second-best count to the highest count of x and another y."""
    counter, touched, _, _ = own
    for block in range(turn * BLOCK, x.size, turns * BLOCK):
        for k in range(block, min(block + BLOCK, x.size)):
            for i in range(count_row(x[k], rows, reach, free, end, own)):
                rival = touched[i]
                if rival != y[k] and is_candidate(candidates, x[k], rival):
                    second[k] = max(second[k], counter[rival])
                counter[rival] = 0
