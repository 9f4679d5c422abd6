"""Simulated samples without replacement; compiled."""

import numpy as np

from matchbound.compiled import compiled


@compiled
def draw_kinds(uniform, urn):  # type: ignore[no-untyped-def]
    """Draw samples: whether each drawn node counts, and whether it is right; one row per sample.

    `uniform` has a row of random numbers for each draw, one number for each sample.
    """
    nodes, members, right = urn
    draws, rows = uniform.shape
    member = np.zeros((rows, draws), dtype=np.bool_)
    good = np.zeros((rows, draws), dtype=np.bool_)
    for row in range(rows):
        counting, being_right = members, right
        for i in range(draws):
            lot = uniform[i, row] * (nodes - i)
            if lot < counting:
                member[row, i] = True
                counting -= 1
                if lot < being_right:
                    good[row, i] = True
                    being_right -= 1
    return member, good


@compiled
def packed(member, values):  # type: ignore[no-untyped-def]
    """Move the values of nodes that count to the beginning of each row; return how many count."""
    rows, draws = member.shape
    kept, counts = np.zeros((rows, draws)), np.zeros(rows, dtype=np.int64)
    for row in range(rows):
        for i in range(draws):
            if member[row, i]:
                kept[row, counts[row]] = values[row, i]
                counts[row] += 1
    return kept, counts
