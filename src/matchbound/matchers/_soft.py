"""The loops of soft assignment, compiled.

Rows are nodes of the left graph, columns those of the right. A row has at most `width` candidates,
which lie side by side in flat arrays: those of row x begin at x · width, the best first. Threads
take blocks of rows or of columns in turns; no sum depends on the number of threads. Indexes of
inner loops are unsigned (`span`); otherwise numba would add code for negative ones.

`own` is what a thread has for itself: a sum of each column (`support`) and room to list those that
have one (`touched`), the values of a row's candidates, and once more sums and room for a list.
"""

from math import exp, log

import numpy as np

from matchbound.compiled import compiled
from matchbound.matchers._candidates import is_candidate
from matchbound.matchers._layout import record
from matchbound.matchers._percolation import best_rival, count_row

BLOCK = 64  # rows that a thread takes at a time; few, because the first rows are the longest
LEAST = 0.01  # a lower share is dropped
COARSE = 1.5 * 2**32  # a number of this size is a multiple of 2⁻²⁰


@compiled
def span(first, end):  # type: ignore[no-untyped-def]
    """The places from the first to before the end, unsigned."""
    return range(np.uint64(first), np.uint64(end))


@compiled
def add_support(x, rows, reach, shares, own):  # type: ignore[no-untyped-def]
    """Sum up the support of x with each free y; return how many y have some.

    First the sum of the shares that x's neighbours have in each v, then v's free neighbours
    (`reach`): so these are gone through once, however many neighbours of x have a share in v.
    """
    starts, neighbours, _ = rows
    free_starts, free = reach
    columns, share, sizes, width = shares
    support, touched, _, sums, seen = own
    count = size = np.uint64(0)
    for e in span(starts[x], starts[x + 1]):
        u = neighbours[e]
        for c in span(u * width, u * width + sizes[u]):
            v = columns[c]
            seen[count] = v
            count += np.uint64(sums[v] == 0.0)
            sums[v] += share[c]
    for i in span(0, count):
        v = seen[i]
        weight, sums[v] = sums[v], 0.0
        for f in span(free_starts[v], free_starts[v + 1]):
            y = free[f]
            touched[size] = y
            size += np.uint64(support[y] == 0.0)
            support[y] += weight
    return size


@compiled
def rounded(value):  # type: ignore[no-untyped-def]
    """The nearest multiple of 2⁻²⁰, so that equals are equal, in whatever order they are added."""
    return (value + COARSE) - COARSE


@compiled
def add_scores(x, candidates, size, own):  # type: ignore[no-untyped-def]
    """Drop the support of other pairs than candidates, and add their scores to theirs.

    Return how many y are listed then. None stands for all pairs, without scores.
    """
    if candidates is None:
        return size
    starts, columns, scores = candidates
    support, touched = own[:2]
    kept = 0
    for i in span(0, size):
        y = touched[i]
        if is_candidate(candidates, x, y):
            touched[kept] = y
            kept += 1
        else:
            support[y] = 0.0
    for c in span(starts[x], starts[x + 1]):
        y = columns[c]
        touched[kept] = y
        kept += support[y] == 0.0
        support[y] += scores[c]
    return kept


@compiled
def insert(value, column, values, columns, first, size):  # type: ignore[no-untyped-def]
    """Put a value among `size` falling ones, and its column; the last falls out if all are taken.

    Of equals the lower column comes first. Return how many there are then.
    """
    if size == values.size:
        size -= 1
        if values[size] > value or (values[size] == value and columns[first + size] < column):
            return size + 1
    place = size
    while place > 0:
        rival = values[place - 1]
        if rival > value or (rival == value and columns[first + place - 1] < column):
            break
        values[place], columns[first + place] = rival, columns[first + place - 1]
        place -= 1
    values[place], columns[first + place] = value, column
    return size + 1


@compiled
def find_candidates(turn, turns, x_free, inputs, beta, potential, found, own):  # type: ignore[no-untyped-def]
    """Fill in each free x's columns with the highest β · support + potential, and β · support.

    The columns of the last round come first: most will stay, so few others are inserted. Those
    not read yet are never overwritten. Their support is negative afterwards, so that they are not
    taken twice. Of candidates that are given, all are free.
    """
    rows, reach, shares, candidates = inputs
    columns, gains, sizes, width = found
    support, touched, values = own[:3]
    for block in range(turn * BLOCK, x_free.size, turns * BLOCK):
        for k in range(block, min(block + BLOCK, x_free.size)):
            x = x_free[k]
            first, size = x * width, 0
            count = add_scores(x, candidates, add_support(x, rows, reach, shares, own), own)
            for c in span(first, first + sizes[x]):
                y = columns[c]
                if support[y] > 0.0:
                    value = beta * support[y] + potential[y]
                    size = insert(value, y, values, columns, first, size)
                    support[y] = -support[y]
            for i in span(0, count):
                y = touched[i]
                value = beta * support[y] + potential[y]
                if (size < width or value >= values[width - 1]) and support[y] > 0.0:
                    size = insert(value, y, values, columns, first, size)
            for c in span(first, first + size):
                gains[c] = beta * abs(support[columns[c]])
            for i in span(0, count):
                support[touched[i]] = 0.0
            sizes[x] = size


@compiled
def list_by_column(found, starts, rows, entries):  # type: ignore[no-untyped-def]
    """List the candidates of each column, in the order of rows, from its start on.

    `rows` gets their rows, `entries` their places in the flat arrays.
    """
    columns, _, sizes, width = found
    starts[:] = 0
    for x in range(sizes.size):
        for c in span(x * width, x * width + sizes[x]):
            starts[columns[c] + 2] += 1
    for y in range(2, starts.size):
        starts[y] += starts[y - 1]
    for x in range(sizes.size):
        for c in span(x * width, x * width + sizes[x]):
            place = starts[columns[c] + 1]
            rows[place], entries[place] = x, c
            starts[columns[c] + 1] += 1


@compiled
def first_rows(turn, turns, found, row_potential, column_potential, row_slack):  # type: ignore[no-untyped-def]
    """Let each row's shares and its slack, e^potential, sum up to 1."""
    columns, gains, sizes, width = found
    for block in range(turn * BLOCK, sizes.size, turns * BLOCK):
        for x in range(block, min(block + BLOCK, sizes.size)):
            highest = 0.0
            for c in span(x * width, x * width + sizes[x]):
                highest = max(highest, gains[c] + column_potential[columns[c]])
            total = slack = exp(-highest)
            for c in span(x * width, x * width + sizes[x]):
                total += exp(gains[c] + column_potential[columns[c]] - highest)
            row_potential[x] = -(highest + log(total))
            row_slack[x] = slack / total


@compiled
def first_columns(turn, turns, found, by_column, row_potential, column_potential, column_slack):  # type: ignore[no-untyped-def]
    """Let each column's shares and its slack sum up to 1; put shares in the place of gains."""
    starts, rows, entries, shares = by_column
    gains = found[1]
    for block in range(turn * BLOCK, column_potential.size, turns * BLOCK):
        for y in range(block, min(block + BLOCK, column_potential.size)):
            highest = 0.0
            for e in span(starts[y], starts[y + 1]):
                shares[e] = gains[entries[e]] + row_potential[rows[e]]
                highest = max(highest, shares[e])
            total = slack = exp(-highest)
            for e in span(starts[y], starts[y + 1]):
                shares[e] = exp(shares[e] - highest)
                total += shares[e]
            for e in span(starts[y], starts[y + 1]):
                shares[e] /= total
                gains[entries[e]] = shares[e]
            column_potential[y] = -(highest + log(total))
            column_slack[y] = slack / total


@compiled
def balance_rows(turn, turns, found, row_slack, row_factor, column_factor):  # type: ignore[no-untyped-def]
    """Choose each row's factor so that its shares, times factors, and its slack sum up to 1."""
    columns, shares, sizes, width = found
    for block in range(turn * BLOCK, sizes.size, turns * BLOCK):
        for x in range(block, min(block + BLOCK, sizes.size)):
            total = row_slack[x]
            for c in span(x * width, x * width + sizes[x]):
                total += shares[c] * column_factor[columns[c]]
            row_factor[x] = 1.0 / total


@compiled
def balance_columns(turn, turns, by_column, column_slack, row_factor, column_factor):  # type: ignore[no-untyped-def]
    """Choose each column's factor likewise."""
    starts, rows, _, shares = by_column
    for block in range(turn * BLOCK, column_factor.size, turns * BLOCK):
        for y in range(block, min(block + BLOCK, column_factor.size)):
            total = column_slack[y]
            for e in span(starts[y], starts[y + 1]):
                total += shares[e] * row_factor[rows[e]]
            column_factor[y] = 1.0 / total


@compiled
def last_columns(column_potential, column_factor):  # type: ignore[no-untyped-def]
    """Add the logarithms of the columns' factors to their potentials."""
    for y in range(column_potential.size):
        column_potential[y] = rounded(column_potential[y] + log(column_factor[y]))


@compiled
def blend(turn, turns, x_free, shares, found, row_factor, column_factor, moved, own):  # type: ignore[no-untyped-def]
    """Make each free row's shares the mean of its old and new ones, and keep the largest.

    `moved` gets the most by which a share of the row changes.
    """
    columns, share, sizes, width = shares
    new_columns, new_share, new_sizes, _ = found
    support, touched, values = own[:3]
    for block in range(turn * BLOCK, x_free.size, turns * BLOCK):
        for k in range(block, min(block + BLOCK, x_free.size)):
            x = x_free[k]
            first, count, most = x * width, 0, 0.0
            for c in span(first, first + sizes[x]):
                touched[count] = columns[c]
                support[columns[c]] = 0.5 * share[c]
                count += 1
            for c in span(first, first + new_sizes[x]):
                y = new_columns[c]
                half = 0.5 * new_share[c] * row_factor[x] * column_factor[y]
                if support[y] == 0.0:
                    touched[count] = y
                    count += 1
                most = max(most, abs(half - support[y]))
                support[y] += half
            moved[x] = most
            size = 0
            for i in span(0, count):
                y = touched[i]
                mean = rounded(support[y])
                if mean >= LEAST:
                    size = insert(mean, y, values, columns, first, size)
                support[y] = 0.0
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
def witnesses_of(x, y, x_rows, y_rows, seeded, matched, candidates):  # type: ignore[no-untyped-def]
    """Rows of x, y, round 1, witnesses and margin of each pair, all of them being matched.

    A rival is another pair with one of the two nodes, neither of them a seed's.
    """
    x_seeded, y_seeded = seeded
    of_x, of_y = candidates
    partner, taken = matched
    counter = np.zeros(max(partner.size, taken.size), np.int32)
    touched = np.empty(counter.size, np.int32)
    found = np.empty((x.size, 5), np.int32)
    for k in range(x.size):
        count = rival = 0
        for i in range(count_row(x[k], x_rows, partner, y_rows, y_seeded, of_x, counter, touched)):
            if touched[i] == y[k]:
                count = counter[y[k]]
            else:
                rival = max(rival, counter[touched[i]])
            counter[touched[i]] = 0
        other = best_rival(y[k], x[k], y_rows, taken, x_rows, x_seeded, of_y, counter, touched)
        rival = max(rival, other)
        record(found[k], x[k], y[k], 1, count, count - rival)
    return found
