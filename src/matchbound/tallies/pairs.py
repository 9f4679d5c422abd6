"""How many matches each node has by either matcher: little work where they mostly agree."""

from matchbound.engines import Engine, keep, query, view
from matchbound.errors import InputError
from matchbound.tables import count_rows, keep_several

CLOSE = 8
"""Numbers are close to each other if at least one in so many is there."""


def compare_pairs(con: Engine, complete: bool, kind: str) -> None:
    """From the pairs in `holdout`, and in `complete` if there is one, the view `nodes`.

    Only nodes with several matches, or on which the matchers differ, are counted one by one: of
    every other node with a match, both matchers found the same one.
    """
    keep_several(con, "several", "holdout", "x", kind)
    refuse_repeats(con, "holdout", "several")
    if complete:
        keep(con, "differing", "tallies/differing")
        _refuse_repeats_in_complete(con)
    keep(con, "listed", "tallies/listed" if complete else "tallies/listed_alone")
    view(con, "nodes", "tallies/nodes")
    if not (kind == "bigint" and _all_known(con, "holdout")):
        refuse_unknown(con, "holdout")
    refuse_unknown(con, "listed")


def _refuse_repeats_in_complete(con: Engine) -> None:
    """Holdout has none: its pairs that complete has too are as many rows there, or one repeats."""
    ((lost, won),) = con.rows(
        "select count(case when lost then 1 end), count(case when not lost then 1 end) "
        "from differing"
    )
    repeats = query(con, "tallies/repeats", table="differing", among="differing")
    if repeats or count_rows(con, "complete") - won != count_rows(con, "holdout") - lost:
        refuse_repeats(con, "complete", "complete")


def refuse_repeats(con: Engine, table: str, among: str) -> None:
    """`among` has every node that may have a pair twice."""
    for x, y, times in query(con, "tallies/repeats", table=table, among=among):
        raise InputError(
            f"{table} must hold each pair once, got ({str(x)!r}, {str(y)!r}) {times} times. "
            "Remove the repeats."
        )


def _all_known(con: Engine, table: str) -> bool:
    """Told quickly where the population's whole numbers are close to each other."""
    first, last, size = con.rows("select min(id), max(id), count(*) from population")[0]
    if last - first > CLOSE * size:
        return False
    ((strange,),) = query(con, "tallies/unknown_blocks", table=table)
    return not strange


def refuse_unknown(con: Engine, table: str) -> None:
    for (x,) in query(con, "tallies/unknown", table=table, column="x"):
        raise InputError(
            f"holdout and complete must match nodes of the population, got x = {str(x)!r}, "
            "which is not in it. Give the population that was matched."
        )
