"""Count the known pairs of nodes without a label, where a population is matched with itself.

All true matches of a labelled node are verified. So for each pair of a labelled and another node it
is known whether it is true, and this counts for the other node too.
"""

from collections.abc import Mapping, Sequence

from matchbound.engines import Engine, keep, lend, query
from matchbound.theorems import Cell

SHARED = {  # each count of known pairs, and the roles whose tables must all have the pair
    "h": ("holdout",),
    "t": ("labels",),
    "hc": ("holdout", "complete"),
    "ht": ("holdout", "labels"),
    "ct": ("complete", "labels"),
    "hct": ("holdout", "complete", "labels"),
}


def known_cells(
    con: Engine,
    labelled: Sequence[str],
    tables: Mapping[str, str],
    clusters: Sequence[str],
    *,
    nodes: str,
    kind: str,
    among: str | None = None,
) -> list[Cell]:
    """The cells of nodes outside L that have a pair with a node of L, by a matcher or by labels.

    `tables` are the tables of the three roles. Pairs within clusters are counted without listing.
    `among` is a table of ids: other nodes have no cells, though labels tell of their pairs.
    """
    _keep_known(con, labelled, kind)
    for table in set(tables.values()):
        source = table
        if table == "labels" and table not in clusters:
            source = "(select node as x, match as y from truth where match is not null)"
        form = "clusters" if table in clusters else "pairs"
        keep(con, f"known_{table}", f"tallies/known_{form}_of", a=source)
    shared = {
        what: _shared({tables[role] for role in roles}, clusters) for what, roles in SHARED.items()
    }
    counted = " union all ".join(
        f"select '{what}' as what, x, n from ({rows})" for what, rows in shared.items()
    )
    if among is not None:
        counted = f"select c.* from ({counted}) c semi join {among} p on p.id = c.x"
    return [Cell(*row) for row in query(con, "tallies/known_cells", counted=counted, nodes=nodes)]


def _keep_known(con: Engine, labelled: Sequence[str], kind: str) -> None:
    lend(con, "known_ids", {"id": labelled})
    con.keep("known", f"select cast(id as {kind}) as x from known_ids")


def _shared(tables: set[str], clusters: Sequence[str]) -> str:
    """SQL for the number of nodes of L that each node is paired with in all of these tables."""
    of_pairs = [f"known_{table}" for table in sorted(tables) if table not in clusters]
    of_clusters = [f"known_{table}" for table in sorted(tables) if table in clusters]
    return _of_pairs(of_pairs, of_clusters) if of_pairs else _of_clusters(of_clusters)


def _of_pairs(pairs: Sequence[str], clusters: Sequence[str]) -> str:
    """SQL that lists the first table's pairs, and keeps those that are in all other tables.

    Listing is cheap: the tables have the pairs of labelled nodes alone.
    """
    first, *more = pairs
    joins = [f"join {t} o{i} on o{i}.x = p.x and o{i}.y = p.y" for i, t in enumerate(more)]
    joins += [
        f"join {t} a{i} on a{i}.x = p.x "
        f"join {t} b{i} on b{i}.x = p.y and b{i}.cluster = a{i}.cluster"
        for i, t in enumerate(clusters)
    ]
    return f"select p.y as x, count(*) as n from {first} p {' '.join(joins)} group by p.y"


def _of_clusters(clusters: Sequence[str]) -> str:
    """SQL that counts L by combinations of clusters, and joins nodes with the same combination.

    Joining one table's clusters after the other would list pairs: many nodes of L may share one
    cluster of a node, but not its others.
    """
    first, *more = clusters
    numbers = range(len(clusters))
    ids = ", ".join(f"m{i}.cluster" for i in numbers)
    columns = ", ".join(f"m{i}.cluster as c{i}" for i in numbers)
    same = " and ".join(f"l.c{i} = m{i}.cluster" for i in numbers)
    joins = " ".join(f"join {t} m{i} on m{i}.x = m0.x" for i, t in enumerate(more, 1))
    labelled = f"from known k join {first} m0 on m0.x = k.x {joins}"
    counted = f"select {columns}, count(*) as n {labelled} group by {ids}"
    return f"select m0.x, l.n from {first} m0 {joins} join ({counted}) l on {same}"
