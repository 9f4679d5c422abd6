"""Networks and seeds in an engine, where they may be larger than memory."""

from typing import Any

import numpy as np

from matchbound.engines import Engine, keep, query
from matchbound.errors import InputError
from matchbound.matchers.columns import key_columns, refuse_spaces, spaces_around
from matchbound.matchers.edges import no_edge, no_id
from matchbound.matchers.seeds import known_pairs, refuse_repeated, unknown
from matchbound.tables import count_rows, load, open_source, spaced


def load_network(con: Engine, given: Any, side: str) -> str:
    """An edge list, as the tables `<side>_edges` and `<side>_nodes`; the kind of its ids.

    Edges are there once from either end, and not from a node to itself.
    """
    source = open_source(con, side, given, hashed=False)
    (a, b), kind = key_columns(source, ("src", "dst"), or_first=True)
    load(con, source, "given_edges", f"{a} as a, {b} as b")
    ends = "(select a as id from given_edges union all select b from given_edges) ends"
    ((empty,),) = con.rows(f"select count(*) - count(id) from {ends}")
    if empty:
        raise no_id(side, f"{empty} empty")
    keep(con, f"{side}_edges", "matchers/edges", given="given_edges")
    if not count_rows(con, f"{side}_edges"):
        raise no_edge(side)
    if kind == "string":
        ((first,),) = con.rows(f"select min(id) from {ends} where {spaced('id')}")
        if first is not None:
            raise spaces_around(side, first)
    keep(con, f"{side}_nodes", "matchers/degrees", given="given_edges", edges=f"{side}_edges")
    return kind


def load_seeds(con: Engine, given: Any, kinds: tuple[str, str]) -> None:
    """Pairs of nodes of the two networks, as the table `matched`."""
    import pyarrow as pa

    if isinstance(given, str) and given == "hubs":
        raise InputError(
            "seeds must be pairs with an engine, got 'hubs': they are guessed in memory. Give some "
            "pairs, or leave the engine out."
        )
    x, y = known_pairs(given)
    seeds = pa.table({"place": pa.array(np.arange(len(x))), "x": x, "y": y})
    con.keep("seeds", f"select * from {con.open(seeds).scan}")
    for column, ids, side in (("x", x, "left"), ("y", y, "right")):
        refuse_spaces(ids, "seeds")
        strange = query(con, "matchers/strange_seeds", column=column, nodes=f"{side}_nodes")
        if strange:
            raise unknown(column, len(strange), side, strange[0][0])
        refuse_repeated(column, ids)
    keep(con, "matched", "matchers/known_pairs", x=kinds[0], y=kinds[1])
