"""Orders of nodes by a keyed hash of their ids, and the beginnings of them that are drawn."""

import math
from collections.abc import Sequence

from matchbound.engines import Engine, lend, query
from matchbound.errors import InputError
from matchbound.files import digest_of_text


def key_of(label: str, seed: str) -> str:
    """A key of fixed length for each use of a seed."""
    return digest_of_text(f"matchbound 1 {label} {seed}")


def hash_of(key: str, node: str) -> str:
    """What draw.sql orders by."""
    return digest_of_text(f"{key}{node}")


def first(
    con: Engine,
    seed: str,
    label: str,
    count: int,
    size: int,
    table: str = "population",
) -> list[str]:
    """The first nodes of a table, which has `size` of them, in the order of a seed's key."""
    if not count:
        return []
    key = key_of(label, seed)
    for cut in (_cut(count, size), "g"):  # every digit is below g
        rows = query(con, "audits/draw", key=key, count=count, cut=cut, table=table)
        if len(rows) == count:
            break
    return [node for (node,) in rows]


def first_until(con: Engine, seed: str, wanted: int, trained: Sequence[str]) -> list[str]:
    """The first nodes, up to the one with which enough are `matched` and not in D."""
    lend(con, "trained", {"id": trained})
    ((most,),) = con.rows("select count(*) from matched anti join trained using (id)")
    if wanted > most:
        raise InputError(
            f"until must be at most the {most} nodes that the holdout matcher matches outside "
            f"the training nodes, got precision={wanted}. Choose fewer."
        )
    key = key_of("validation", seed)
    return [node for (node,) in query(con, "audits/draw_until", key=key, count=wanted)]


def with_margin(count: int) -> int:
    """How many nodes to expect, so that at least `count` are most likely there."""
    return count + 6 * math.isqrt(count) + 20


def _cut(count: int, size: int) -> str:
    """A hash, as hexadecimal digits, that at least `count` of `size` are most likely below."""
    wanted = with_margin(count)
    return f"{2**64 * wanted // size:016x}" if wanted < size else "g"
