"""A graph prepared for matching: nodes sorted by falling degree, in compressed sparse rows."""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

Ints = NDArray[np.int32]
SparseRows = tuple[NDArray[np.int64], Ints, NDArray[np.uint64]]


@dataclass(frozen=True)
class Graph:
    """An undirected graph without loops and repeated edges.

    Node i is the i-th by falling degree, so the nodes of a least degree come first.
    `neighbours[starts[i] : starts[i + 1]]` are the neighbours of i, in rising order. `ids` are
    text. `keys` are their hashes, which break ties, so that the order of a file does not matter.
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
    def rows(self) -> SparseRows:
        """The arrays for compiled code.

        They are a plain tuple: a class of ours would be part of the compiled code in caches, and a
        change of the class would break it.
        """
        return self.starts, self.neighbours, self.keys


def ranked(ids: Any, source: Ints, target: Ints) -> Graph:
    """The graph of the edges from `source` to `target`, numbers of ids; drop loops and repeats."""
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
    """The lower and the higher end of each edge; drop loops and repeats."""
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
    """Where each text begins and ends, and the UTF-8 bytes of all texts."""
    _, offsets, data = ids.buffers()
    ends = np.frombuffer(offsets, np.int64)[ids.offset : ids.offset + len(ids) + 1]
    return ends, np.frombuffer(data, np.uint8)


def tie_key(seed: int | str) -> np.uint64:
    """The key that breaks ties at random; a number and its text are the same seed."""
    return np.uint64(int.from_bytes(hashlib.sha256(str(seed).encode()).digest()[:8]))


def shuffled(pairs: Ints, left: Graph, right: Graph, seed: np.uint64) -> Ints:
    """The pairs in a random order that depends on the pairs and the seed alone."""
    from matchbound.matchers._layout import lots

    order = np.argsort(lots(left.keys[pairs[:, 0]], right.keys[pairs[:, 1]], seed))
    return pairs[order]
