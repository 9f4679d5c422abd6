"""What labels tell of other nodes, where a population is matched with itself.

A labelled node has all its true matches verified, so each of its pairs is known, also from the
other side.
"""

from collections.abc import Mapping, Sequence

from matchbound.engines import Engine, keep, lend, query
from matchbound.theorems import Cell

SHARED = {
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
) -> list[Cell]:
    """The cells of nodes outside L that have a pair with a node of L, found or true.

    `tables` are those of the three roles; of a cluster no pair is listed.
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
    return [Cell(*row) for row in query(con, "tallies/known_cells", counted=counted, nodes=nodes)]


def _keep_known(con: Engine, labelled: Sequence[str], kind: str) -> None:
    lend(con, "known_ids", {"id": labelled})
    con.keep("known", f"select cast(id as {kind}) as x from known_ids")


def _shared(tables: set[str], clusters: Sequence[str]) -> str:
    """SQL for how many nodes of L each node has in all of these tables."""
    pairs = [f"known_{table}" for table in sorted(tables) if table not in clusters]
    others = [f"known_{table}" for table in sorted(tables) if table in clusters]
    return _of_pairs(pairs, others) if pairs else _of_clusters(others)


def _of_pairs(pairs: Sequence[str], clusters: Sequence[str]) -> str:
    """Listed from the first table: they are pairs of labelled nodes alone."""
    first, *more = pairs
    joins = [f"join {t} o{i} on o{i}.x = p.x and o{i}.y = p.y" for i, t in enumerate(more)]
    joins += [
        f"join {t} a{i} on a{i}.x = p.x "
        f"join {t} b{i} on b{i}.x = p.y and b{i}.cluster = a{i}.cluster"
        for i, t in enumerate(clusters)
    ]
    return f"select p.y as x, count(*) as n from {first} p {' '.join(joins)} group by p.y"


def _of_clusters(clusters: Sequence[str]) -> str:
    """Nodes of L by the clusters that they are in; a node sees those in the same ones.

    A node's clusters are put side by side first: many of L may share one of them and not the rest.
    """
    first, *more = clusters
    places = range(len(clusters))
    ids = ", ".join(f"m{i}.cluster" for i in places)
    named = ", ".join(f"m{i}.cluster as c{i}" for i in places)
    same = " and ".join(f"l.c{i} = m{i}.cluster" for i in places)
    others = " ".join(f"join {t} m{i} on m{i}.x = m0.x" for i, t in enumerate(more, 1))
    known = f"from known k join {first} m0 on m0.x = k.x {others}"
    grouped = f"select {named}, count(*) as n {known} group by {ids}"
    return f"select m0.x, l.n from {first} m0 {others} join ({grouped}) l on {same}"
