"""Count each node's matches by both matchers, with little work where they mostly agree."""

from matchbound.engines import Engine, keep, query, view
from matchbound.errors import InputError
from matchbound.tables import count_rows, keep_several, literal
from matchbound.tallies.spellings import ALIKE, spelled

SPARSEST = 8
"""Ids are dense if at least one in eight whole numbers between the smallest and the largest is an
id."""


def compare_pairs(con: Engine, complete: bool, kind: str) -> None:
    """Create the view `nodes` from the pairs in `holdout`, and in `complete` if there is one.

    Only nodes with several matches, or on which the matchers differ, are counted one by one. Every
    other node with a match has the same single match by both matchers.
    """
    keep_several(con, "several", "holdout", "x", kind)
    refuse_repeats(con, "holdout", "several")
    if complete:
        keep(con, "differing", "tallies/differing")
        _refuse_repeats_in_complete(con)
    keep(con, "listed", "tallies/listed" if complete else "tallies/listed_alone")
    view(con, "nodes", "tallies/nodes")
    if not (kind == "bigint" and _are_in_population(con, "holdout")):
        refuse_unknown(con, "holdout")
    refuse_unknown(con, "listed")


def _refuse_repeats_in_complete(con: Engine) -> None:
    """Refuse a pair that `complete` has twice, without sorting all of its pairs.

    `holdout` repeats no pair. So the pairs in common are as many rows in `complete` as in
    `holdout`, unless `complete` repeats one.
    """
    ((lost, won),) = con.rows(
        "select count(case when lost then 1 end), count(case when not lost then 1 end) "
        "from differing"
    )
    repeats = query(con, "tallies/repeats", table="differing", among="differing")
    if repeats or count_rows(con, "complete") - won != count_rows(con, "holdout") - lost:
        refuse_repeats(con, "complete", "complete")


def refuse_repeats(con: Engine, table: str, among: str) -> None:
    """Refuse a pair that a loaded table has twice; `among` has every node that may have one."""
    for x, y, times in query(con, "tallies/repeats", table=table, among=among):
        raise InputError(
            f"{table} must hold each pair once, got ({str(x)!r}, {str(y)!r}) {times} times. "
            "Remove the repeats."
        )


def _are_in_population(con: Engine, table: str) -> bool:
    """Check by blocks of ids that every x is in the population.

    Tried only where ids are dense; False means "not shown", not "unknown".
    """
    first, last, size = con.rows("select min(id), max(id), count(*) from everyone")[0]
    if last - first > SPARSEST * size:
        return False
    ((unknown_blocks,),) = query(con, "tallies/unknown_blocks", table=table)
    return not unknown_blocks


def refuse_unknown(con: Engine, table: str) -> None:
    for (x,) in query(con, "tallies/unknown", table=table, column="x"):
        known = "select cast(id as string) as id from everyone"
        same = spelled(con, f"select {literal(str(x))} as id", known)
        why = (
            f"which is {same[0][1]!r} in it. {ALIKE}"
            if same
            else ("which is not in it. Give the population that was matched.")
        )
        raise InputError(
            f"holdout and complete must match nodes of the population, got x = {str(x)!r}, {why}"
        )
