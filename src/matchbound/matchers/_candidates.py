"""Whether a pair is a candidate; compiled."""

from matchbound.compiled import compiled


@compiled
def is_candidate(candidates, x, y):  # type: ignore[no-untyped-def]
    """Look the pair up in rows of candidates; None stands for all pairs.

    numba drops the look-up where it compiles for None.
    """
    if candidates is None:
        return True
    starts, columns, _ = candidates
    low, high = starts[x], starts[x + 1]
    while low < high:
        middle = (low + high) // 2
        if columns[middle] < y:
            low = middle + 1
        else:
            high = middle
    return low < starts[x + 1] and columns[low] == y
