"""The matches of nodes within a part of the population, where one is drawn from."""

from matchbound.engines import Engine, keep
from matchbound.tallies.pairs import refuse_unknown


def count_others(con: Engine, table: str, *, is_clusters: bool, dedupe: bool) -> int:
    """Count the matches of nodes that are in `everyone`, but not in `population`, the part.

    A node in neither is refused. In one table a pair is a match of both its records.
    """
    form = "clusters" if is_clusters else "pairs"
    keep(con, "matches_of", f"tables/count_{form}", a=table, itself=int(dedupe))
    refuse_unknown(con, "matches_of")
    ((others,),) = con.rows(
        "select coalesce(sum(m.n), 0) from matches_of m anti join population p on p.id = m.x"
    )
    return int(others)


def keep_within(con: Engine, table: str, *, is_clusters: bool) -> None:
    """Leave out the matches of other nodes. Matches of the part's nodes may lie anywhere.

    So clusters stay whole: a record outside the part may be y, and is x no more.
    """
    if is_clusters:
        is_x = "m.is_x and p.id is not null as is_x"
        columns, join = f"m.x, m.cluster, {is_x}, m.is_y", "left join"
    else:
        columns, join = "m.*", "semi join"
    con.keep(table, f"select {columns} from {table} m {join} population p on p.id = m.x")
