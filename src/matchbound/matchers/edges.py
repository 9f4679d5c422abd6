"""Read graphs from edge lists, sparse matrices, networkx and igraph."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from matchbound.errors import InputError
from matchbound.matchers.columns import read_columns, refuse_untrimmed, text_array
from matchbound.matchers.graphs import Graph, Ints, ranked

Edges = tuple[Any, Ints, Ints]  # ids, and the numbers (from 0) of the ids at edges' two ends


def graph(given: Any, argument: str = "graph") -> Graph:
    """Prepare a graph for matching: undirected, without loops, every edge counted once.

    An edge list (a CSV or Parquet file, or a table) has its edges in the columns src and dst, or
    else in its first two columns. A scipy sparse matrix has an edge wherever it is not 0, and its
    nodes are 0, 1, …; igraph nodes have their names as ids, if there are names. Ids are compared as
    text.
    """
    if isinstance(given, Graph):
        return given
    ids, source, target = _read(given, argument)
    if not np.any(source != target):
        raise no_edge(argument)
    refuse_untrimmed(ids, argument)
    return ranked(ids, source, target)


def _read(network: Any, argument: str) -> Edges:
    if hasattr(network, "__arrow_c_stream__"):  # first: it may have columns nodes and edges
        return _of_table(network, argument)
    if hasattr(network, "tocoo"):
        return _of_matrix(network, argument)
    if hasattr(network, "get_edgelist"):
        has_names = "name" in network.vs.attributes()
        names = network.vs["name"] if has_names else range(network.vcount())
        return _of_objects(names, network.get_edgelist(), argument)
    if hasattr(network, "nodes") and hasattr(network, "edges"):
        number = {node: i for i, node in enumerate(network.nodes())}
        return _of_objects(number, ((number[a], number[b]) for a, b in network.edges()), argument)
    return _of_table(network, argument)


def _of_table(table: Any, argument: str) -> Edges:
    import pyarrow as pa

    columns = read_columns(table, argument, ("src", "dst"), or_first=True)
    empty = sum(column.null_count for column in columns)
    if empty:
        raise no_id(argument, f"{empty} empty")
    codes = pa.concat_arrays(columns).dictionary_encode()
    numbers = codes.indices.to_numpy()
    return codes.dictionary.cast(pa.large_string()), *np.split(numbers, 2)


def _of_matrix(adjacency: Any, argument: str) -> Edges:
    import pyarrow as pa

    if len(adjacency.shape) != 2 or adjacency.shape[0] != adjacency.shape[1]:
        raise InputError(
            f"{argument} must be a square matrix, got one of shape {adjacency.shape}. "
            "Give the adjacency matrix of a graph."
        )
    matrix = adjacency.tocoo()
    is_edge = matrix.data != 0
    ids = pa.array(np.arange(adjacency.shape[0])).cast(pa.large_string())
    return ids, matrix.row[is_edge].astype(np.int32), matrix.col[is_edge].astype(np.int32)


def _of_objects(names: Iterable[Any], edges: Iterable[tuple[int, int]], argument: str) -> Edges:
    ids = text_array(names, argument)
    ends = np.fromiter((end for edge in edges for end in edge), np.int32)
    for counted in ids.value_counts().to_pylist():
        if not counted["values"]:
            raise no_id(argument, "an empty one")
        if counted["counts"] > 1:
            raise InputError(
                f"{argument} must have nodes that differ as text, got {counted['values']!r} "
                f"{counted['counts']} times. Rename them."
            )
    return ids, ends[::2], ends[1::2]


def no_edge(argument: str) -> InputError:
    return InputError(
        f"{argument} must have an edge between two nodes, got none. Check what was given."
    )


def no_id(argument: str, what: str) -> InputError:
    return InputError(
        f"{argument} must have an id for each end of an edge, got {what}. Fill or remove it."
    )
