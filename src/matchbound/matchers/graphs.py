"""A graph made ready for matching: nodes ranked by falling degree, in compressed sparse rows."""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

Ints = NDArray[np.int32]
Rows = tuple[NDArray[np.int64], Ints, NDArray[np.uint64]]


@dataclass(frozen=True)
class Graph:
    """Undirected and simple. Node i is the i-th by falling degree, so a least degree is a prefix.

    `neighbours[starts[i] : starts[i + 1]]` are those of i, in rising order; `ids` are text, and
    `keys` a hash of each: ties are broken by it, not by the order of a file.
    """

    ids: "pa.LargeStringArray"
    starts: NDArray[np.int64]
    neighbours: Ints
    keys: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Graph({len(self)} nodes, {len(self.neighbours) // 2} edges)"

    @property
    def degrees(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    @property
    def rows(self) -> Rows:
        """What compiled code sees; a class of ours would be kept in caches, and break old ones."""
        return self.starts, self.neighbours, self.keys


def ranked(ids: Any, source: Ints, target: Ints) -> Graph:
    """The graph of edges between places in `ids`; loops are dropped, repeats counted once."""
    from matchbound.matchers._layout import hashes, neighbours_of

    low, high = _simple(source, target, len(ids))
    degrees = np.bincount(low, minlength=len(ids)) + np.bincount(high, minlength=len(ids))
    keys = hashes(*_bytes_of(ids))
    order = np.lexsort((keys, -degrees))
    rank = np.empty(len(ids), np.int32)
    rank[order] = np.arange(len(ids), dtype=np.int32)
    starts = np.concatenate([[0], np.cumsum(degrees[order])])
    neighbours = neighbours_of(rank[low], rank[high], starts)
    return Graph(ids.take(order), starts, neighbours, keys[order])


def _simple(source: Ints, target: Ints, nodes: int) -> tuple[Ints, Ints]:
    """Each edge once, from its lower to its higher end."""
    edges = np.minimum(source, target).astype(np.int64)
    edges *= nodes
    edges += np.maximum(source, target)
    edges = edges[source != target]
    edges.sort()
    first = np.ones(len(edges), np.bool_)
    np.not_equal(edges[1:], edges[:-1], out=first[1:])
    low, high = np.divmod(edges[first], nodes)
    return low.astype(np.int32), high.astype(np.int32)


def _bytes_of(ids: Any) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Where each text begins and ends, and the UTF-8 of all."""
    _, offsets, data = ids.buffers()
    ends = np.frombuffer(offsets, np.int64)[ids.offset : ids.offset + len(ids) + 1]
    return ends, np.frombuffer(data, np.uint8)


def key_of(seed: int | str) -> np.uint64:
    """The key that breaks ties at random; a number and its text are the same seed."""
    return np.uint64(int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8]))


def shuffled(pairs: Ints, left: Graph, right: Graph, seed: np.uint64) -> Ints:
    """The pairs in an order that depends on them and the seed alone."""
    from matchbound.matchers._layout import lots

    order = np.argsort(lots(left.keys[pairs[:, 0]], right.keys[pairs[:, 1]], seed))
    return pairs[order]
