"""The likeness of two nodes' neighbourhoods, compiled."""

import numpy as np

from matchbound.compiled import compiled


@compiled
def likeness(x_rows, y_rows, x_hubs, y_hubs):  # type: ignore[no-untyped-def]
    """For each x < x_hubs and y < y_hubs, return Σ min / Σ max of their neighbours' degrees.

    The k-th neighbours by falling degree are compared, and a missing one counts as 0. Rows have
    neighbours in this order already.
    """
    x_starts, x_neighbours, _ = x_rows
    y_starts, y_neighbours, _ = y_rows
    x_degrees, y_degrees = np.diff(x_starts), np.diff(y_starts)
    alike = np.empty((x_hubs, y_hubs))
    for x in range(x_hubs):
        for y in range(y_hubs):
            least, most = 0, 0
            for k in range(max(x_degrees[x], y_degrees[y])):
                a, b = 0, 0
                if k < x_degrees[x]:
                    a = x_degrees[x_neighbours[x_starts[x] + k]]
                if k < y_degrees[y]:
                    b = y_degrees[y_neighbours[y_starts[y] + k]]
                least += min(a, b)
                most += max(a, b)
            alike[x, y] = least / most
    return alike
