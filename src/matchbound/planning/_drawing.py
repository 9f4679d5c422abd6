"""Simulated samples without replacement; compiled."""

import numpy as np

from matchbound._compiling import compiled


@compiled
def draw_rows(uniform, urn, packed):  # type: ignore[no-untyped-def]
    """Who counts, and is right, in draw order; one sample a row, and how many count in each.

    Of uniform numbers there are two for each draw (first axis) and sample: so that the same numbers
    make samples of which a shorter one is the beginning of a longer. `packed`: in precision's rows
    only those that count.
    """
    nodes, members, right = urn
    draws, rows, _ = uniform.shape
    member = np.zeros((rows, draws), dtype=np.bool_)
    values = np.zeros((rows, draws))
    count, good = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
    for i in range(draws):
        for row in range(rows):
            left = members - count[row]
            if uniform[i, row, 0] * (nodes - i) >= left:
                continue
            place = count[row] if packed else i
            member[row, place] = True
            count[row] += 1
            if uniform[i, row, 1] * left < right - good[row]:
                values[row, place] = 1.0
                good[row] += 1
    return member, values, count
