"""Clusters made of pairs: the connected components, by SQL that runs beyond memory.

Randomised contraction (Bögeholz, Brand and Todor, "In-database connected component analysis",
2020): in each round every node takes a neighbour, or itself, as its representative, and the links
between representatives are what the next round reads, until no link is left.
"""

from matchbound.engines import Engine, query
from matchbound.tables.ids import count_rows


def keep_components(con: Engine, table: str, links: str, before: str | None = None) -> None:
    """Keep (node, cluster) for every node of `links`, a table of (a, b); one cluster a component.

    `before` is such a table of some of the links' components (those of a stricter threshold): the
    new clusters are unions of them, and its nodes stay in the table.
    """
    con.keep("all_links", f"select a, b from {links}")
    known = before or "(select a as node, a as cluster from all_links where false)"
    con.keep(
        "nodes_to_join",
        "select n.node, coalesce(k.cluster, n.node) as cluster from (select a as node from "
        f"all_links union select b from all_links union select node from {known} old) n "
        f"left join {known} k on k.node = n.node",
    )
    con.keep(
        "links_left",
        "select distinct s.cluster as a, t.cluster as b from all_links l "
        "join nodes_to_join s on s.node = l.a join nodes_to_join t on t.node = l.b "
        "where s.cluster <> t.cluster",
    )
    rounds = 0
    while count_rows(con, "links_left"):
        rounds += 1
        con.keep(
            f"representatives_{rounds}",
            f"select a as node, min_by(b, scattered(b, {rounds})) as cluster from ("
            "select a, b from links_left union all select b, a from links_left union "
            "all select a, a from links_left union all select b, b from links_left) n group by a",
            settled=True,
        )
        con.keep(
            "links_left",
            "select distinct s.cluster as a, t.cluster as b from links_left l "
            f"join representatives_{rounds} s on s.node = l.a "
            f"join representatives_{rounds} t on t.node = l.b where s.cluster <> t.cluster",
            settled=True,
        )
    # The last round's labels are those of whole components; each earlier node has its
    # representative's.
    for number in range(rounds - 1, 0, -1):
        con.keep(
            f"representatives_{number}",
            f"select r.node, coalesce(l.cluster, r.cluster) as cluster from "
            f"representatives_{number} r left join representatives_{number + 1} l "
            "on l.node = r.cluster",
            settled=True,
        )
    last = "select node, cluster from nodes_to_join"
    if rounds:
        last = (
            "select n.node, coalesce(l.cluster, n.cluster) as cluster from nodes_to_join n "
            "left join representatives_1 l on l.node = n.cluster"
        )
    con.keep(table, last, settled=True)


def close_pairs(
    con: Engine, table: str, pairs: str, *, dedupe: bool, before: str | None = None
) -> None:
    """Keep the clusters that pairs of x and y make, as `read_clusters` keeps a table of clusters.

    The columns are x, cluster, is_x and is_y. Where two tables are linked, their ids may coincide:
    1 on the left and 1 on the right are two nodes. `before` is what an earlier call kept of the
    pairs of a stricter threshold.
    """
    if dedupe:
        con.keep("links_of_pairs", f"select x as a, y as b from {pairs}")
        old = "select x as node, cluster from"
    else:
        con.keep(
            "links_of_pairs",
            f"select concat('x', cast(x as string)) as a, concat('y', cast(y as string)) as b "
            f"from {pairs}",
        )
        old = (
            "select concat(case when is_y then 'y' else 'x' end, cast(x as string)) as node, "
            "cluster from"
        )
    if before is not None:
        con.keep("clusters_before", f"{old} {before}")
    before = None if before is None else "clusters_before"
    kind = _common_kind(con, pairs)
    keep_components(con, "components", "links_of_pairs", before)
    if dedupe:
        con.keep(table, "select node as x, cluster, true as is_x, true as is_y from components")
        return
    con.keep(
        table,
        f"select cast(substring(node, 2) as {kind}) as x, cluster, "
        "substring(node, 1, 1) = 'x' as is_x, substring(node, 1, 1) = 'y' as is_y from components",
    )


def _common_kind(con: Engine, pairs: str) -> str:
    """The type of a column that has the ids of x and of y: whole numbers if both are, else text."""
    types = {str(row[1]).lower() for row in con.rows(f"describe select x, y from {pairs}")}
    return "bigint" if types == {"bigint"} else "string"


def pairs_linked(con: Engine, table: str, dedupe: bool) -> int:
    """How many pairs clusters link: within one table each pair once, else pairs of x and y."""
    ((size,),) = query(con, "tables/size_of_clusters", a=table, itself=int(dedupe))
    return int(size) // (2 if dedupe else 1)
