"""Clusters made of pairs: connected components, by SQL that runs beyond memory.

Randomised contraction (Bögeholz, Brand and Todor, "In-database connected component analysis",
2020). Each round puts the nodes into a random order. A node's root is found by going to a neighbour
that is earlier in the order, and on from there, until no neighbour is earlier. The next round
reads the links between roots, until no link is left.

A node and its root are in one component, and a link of a and b becomes a link of their roots, so
two nodes are in one component if and only if their roots are. Only the number of rounds depends on
the order: in a random order at most half of the linked nodes are expected to be roots.
"""

from itertools import count

from matchbound.engines import Engine, keep, query, sql
from matchbound.tables.ids import count_rows


def keep_components(con: Engine, table: str, links: str, before: str | None = None) -> None:
    """Keep (node, cluster) for every node of `links`, a table of (a, b); one cluster a component.

    `before` is such a table of some of the links' components (those of a stricter threshold): the
    new clusters are unions of them, and its nodes stay in the table. A cluster is named by one of
    its nodes. `links` and `before` may be queries in parentheses.
    """
    _keep_clusters(con, table, links, before, "node, cluster")


def _keep_clusters(con: Engine, table: str, links: str, before: str | None, columns: str) -> None:
    """Keep `columns` of the nodes and clusters."""
    left = links
    if before is not None:
        left = "component_links_0"
        clusters = f"(select node, cluster as root from {before} k)"
        keep(con, left, "tables/component_links", True, links=links, roots=clusters)
    labels = _keep_labels(con, _keep_roots(con, left))
    clusters = sql("tables/components", labels=labels, links=links)
    if before is not None:
        con.keep("components_linked", clusters, settled=True)
        clusters = sql("tables/components_joined", before=before, components="components_linked")
    con.keep(table, f"select {columns} from ({clusters}) c", settled=True)
    con.drop(labels)
    con.drop("components_linked")


def _keep_roots(con: Engine, links: str) -> list[str]:
    """Keep a table of nodes and their roots for each round, until no link is left."""
    tables = []
    for number in count(1):
        tables.append(_keep_climbed(con, links, number))
        left = f"component_links_{number}"
        keep(con, left, "tables/component_links", True, links=links, roots=tables[-1])
        con.drop(f"component_links_{number - 1}")
        links = left
        if not count_rows(con, links):
            break
    con.drop(links)
    return tables


def _keep_climbed(con: Engine, links: str, number: int) -> str:
    """Keep the roots of a round; each step doubles how far nodes are from where they began."""
    roots = f"component_roots_{number}"
    keep(con, roots, "tables/component_roots", True, links=links, round=number)
    for step in count(1):
        ((climbing,),) = con.rows(f"select count(*) from {roots} where not is_root")
        if not climbing:
            break
        higher = f"component_roots_{number}_{step}"
        keep(con, higher, "tables/component_climb", True, roots=roots)
        con.drop(roots)
        roots = higher
    return roots


def _keep_labels(con: Engine, rounds: list[str]) -> str:
    """Keep the last root that each node leads to, from the last round back to the first."""
    labels = rounds[-1]
    for roots in reversed(rounds[:-1]):
        longer = f"labels_of_{roots}"
        keep(con, longer, "tables/component_labels", True, labels=labels, roots=roots)
        con.drop(labels)
        con.drop(roots)
        labels = longer
    return labels


def close_pairs(
    con: Engine, table: str, pairs: str, *, dedupe: bool, before: str | None = None
) -> None:
    """Keep the clusters that pairs of x and y make, as `read_clusters` keeps a table of clusters.

    The columns are x, cluster, is_x and is_y. Where two tables are linked, their ids may coincide:
    1 on the left and 1 on the right are two nodes. `before` is what an earlier call kept of the
    pairs of a stricter threshold.
    """
    close = _close_one_table if dedupe else _close_two_tables
    close(con, table, pairs, before)


def _close_one_table(con: Engine, table: str, pairs: str, before: str | None) -> None:
    links = f"(select x as a, y as b from {pairs} p)"
    clusters = None if before is None else f"(select x as node, cluster from {before} b)"
    columns = "node as x, cluster, true as is_x, true as is_y"
    _keep_clusters(con, table, links, clusters, columns)


def _close_two_tables(con: Engine, table: str, pairs: str, before: str | None) -> None:
    """Close the links between those x that have a y in common; then put each y to its x."""
    pairs = f"({_pairs_of_one_kind(con, pairs)})"
    ys = f"(select x as y, x as cluster from {pairs} p where false)"
    xs = None
    if before is not None:
        ys = f"(select x as y, cluster from {before} b where is_y)"
        xs = f"(select x as node, cluster from {before} b where is_x)"
    keep(con, "component_of_y", "tables/component_of_y", True, pairs=pairs, before=ys)
    links = f"select p.x as a, f.x as b from {pairs} p join component_of_y f on f.y = p.y"
    con.keep("component_links_of_x", f"{links} where p.x <> f.x", settled=True)
    keep_components(con, "components", "component_links_of_x", xs)
    keep(con, table, "tables/components_of_two_tables", True)
    for kept in ("component_of_y", "component_links_of_x", "components"):
        con.drop(kept)


def _pairs_of_one_kind(con: Engine, pairs: str) -> str:
    """SQL for the pairs, with both ids as text unless both have the same type."""
    types = {row[1] for row in con.rows(f"describe select x, y from {pairs}")}
    if len(types) == 1:
        return f"select x, y from {pairs} p"
    return f"select cast(x as string) as x, cast(y as string) as y from {pairs} p"


def pairs_linked(con: Engine, table: str, dedupe: bool) -> int:
    """How many pairs clusters link: within one table each pair once, else pairs of x and y."""
    ((size,),) = query(con, "tables/size_of_clusters", a=table, itself=int(dedupe))
    return int(size) // (2 if dedupe else 1)
