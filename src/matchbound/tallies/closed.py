"""Refuse pairs that are no clusters, where a metric is about clusters."""

from matchbound.engines import Engine, query
from matchbound.errors import InputError


def check_closed(con: Engine, table: str) -> None:
    """Refuse pairs with x–y and y–z but without x–z, among records of one table.

    Such pairs are not yet clusters, and clusters made from them can be far worse.
    """
    for (x,) in query(con, "tallies/open_pair", table=table):
        raise InputError(
            f"{table} must hold whole clusters for B-cubed, got pairs that lack one: {x!r} is "
            "linked to a record, but not to all that it is linked to. Give the clusters that you "
            "will use, with columns id and cluster."
        )
