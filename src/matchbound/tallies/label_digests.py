"""A digest of each drawn node's labels, by which labels that were changed can be counted."""

import hashlib
from collections.abc import Iterable, Sequence

from matchbound.engines import Engine, query
from matchbound.tables import Clusters, Form

MODULUS = 1 << 256


def label_digests(con: Engine, form: Form, order: Sequence[str], dedupe: bool) -> tuple[str, ...]:
    """Digest the labels of the drawn nodes in `order`; empty for a node without a label.

    The tables `sample` and `labels` must be loaded; `form` is the labels'. Matches are a set: the
    hashes of its members are added, so that a cluster's are hashed once, not once for each node.
    """
    if isinstance(form, Clusters):
        sums = _of_clusters(con, dedupe)
    else:
        sums = _of_pairs(con.rows("select l.x, l.y from labels l semi join sample s on s.id = l.x"))
    return tuple(_text(sums[node]) if node in sums else "" for node in order)


def _of_pairs(rows: Iterable[tuple[str, str | None]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for x, y in rows:
        sums[x] = sums.get(x, 0) + (0 if y is None else _hashed(y))
    return sums


def _of_clusters(con: Engine, dedupe: bool) -> dict[str, int]:
    """A node's matches are the records of its cluster that may be y, without itself."""
    sums: dict[str, int] = {}
    for cluster, y in query(con, "tallies/drawn_clusters"):
        sums[cluster] = sums.get(cluster, 0) + _hashed(y)
    drawn = con.rows("select l.x, l.cluster from labels l semi join sample s on s.id = l.x")
    return {x: sums.get(cluster, 0) - (_hashed(x) if dedupe else 0) for x, cluster in drawn}


def _hashed(match: str) -> int:
    return int.from_bytes(hashlib.sha256(match.encode()).digest())


def _text(total: int) -> str:
    return hashlib.sha256(str(total % MODULUS).encode()).hexdigest()
