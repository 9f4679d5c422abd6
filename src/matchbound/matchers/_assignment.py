"""Linear assignment by shortest augmenting paths, compiled."""

import numpy as np

from matchbound.compiled import compiled


@compiled
def assignment(cost):  # type: ignore[no-untyped-def]
    """The column of each row in a one-to-one assignment of least total cost.

    There are at least as many columns as rows. Rows join one by one, each along the shortest path
    to a free column; potentials keep reduced costs from being negative.
    Source: Jonker and Volgenant (1987).
    """
    rows, columns = cost.shape
    row_potential, column_potential = np.zeros(rows), np.zeros(columns)
    row_of = np.full(columns, -1, np.int64)
    column_of = np.full(rows, -1, np.int64)
    for joining in range(rows):
        distance = np.full(columns, np.inf)
        before = np.full(columns, -1, np.int64)  # the row before each column on its path
        is_reached = np.zeros(columns, np.bool_)
        row, reached, end = joining, 0.0, -1
        while end < 0:
            nearest = -1
            for column in range(columns):
                if is_reached[column]:
                    continue
                reduced = cost[row, column] - row_potential[row] - column_potential[column]
                if reached + reduced < distance[column]:
                    distance[column] = reached + reduced
                    before[column] = row
                if nearest < 0 or distance[column] < distance[nearest]:
                    nearest = column
            reached = distance[nearest]
            is_reached[nearest] = True
            if row_of[nearest] < 0:
                end = nearest
            else:
                row = row_of[nearest]
        row_potential[joining] += reached
        for column in range(columns):
            if is_reached[column] and column != end:
                row_potential[row_of[column]] += reached - distance[column]
                column_potential[column] -= reached - distance[column]
        while end >= 0:
            row = before[end]
            row_of[end] = row
            end, column_of[row] = column_of[row], end
    return column_of
