"""Matches of nodes outside the part of the population that is certified: no tally counts them."""

from matchbound.engines import Engine, keep


def count_others(con: Engine, table: str, is_clusters: bool, dedupe: bool) -> int:
    """Count the matches of nodes that are not in `population`, which is a part of `everyone`.

    In one table a pair is a match of both its records.
    """
    form = "clusters" if is_clusters else "pairs"
    keep(con, "matches_of", f"tables/count_{form}", a=table, itself=int(dedupe))
    ((others,),) = con.rows(
        "select coalesce(sum(m.n), 0) from matches_of m anti join population p on p.id = m.x"
    )
    return int(others)
