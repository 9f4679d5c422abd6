"""What users hold, as a graph: edge lists, sparse matrices, networkx and igraph graphs."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from matchbound.errors import InputError
from matchbound.matchers.columns import as_text, read_columns, refuse_spaces
from matchbound.matchers.graphs import Graph, Ints, ranked

Read = tuple[Any, Ints, Ints]  # ids, and the places among them of the edges' two ends


def graph(given: Any, argument: str = "graph") -> Graph:
    """A graph made ready for matching: undirected, without loops, every edge counted once.

    An edge list (a CSV or Parquet file, or a table) has columns src and dst, or its first two are
    meant. A scipy sparse matrix has an edge wherever it is not 0, and its nodes are 0, 1, …; igraph
    nodes go by their names, if they have any. Ids are compared as text.
    """
    if isinstance(given, Graph):
        return given
    ids, source, target = _read(given, argument)
    if not np.any(source != target):
        raise no_edge(argument)
    refuse_spaces(ids, argument)
    return ranked(ids, source, target)


def _read(given: Any, argument: str) -> Read:
    if hasattr(given, "__arrow_c_stream__"):  # whose columns may be called nodes and edges
        return _of_table(given, argument)
    if hasattr(given, "tocoo"):
        return _of_matrix(given, argument)
    if hasattr(given, "get_edgelist"):
        names = given.vs["name"] if "name" in given.vs.attributes() else range(given.vcount())
        return _of_objects(names, given.get_edgelist(), argument)
    if hasattr(given, "nodes") and hasattr(given, "edges"):
        place = {node: i for i, node in enumerate(given.nodes())}
        return _of_objects(place, ((place[a], place[b]) for a, b in given.edges()), argument)
    return _of_table(given, argument)


def _of_table(given: Any, argument: str) -> Read:
    import pyarrow as pa

    columns = read_columns(given, argument, ("src", "dst"), or_first=True)
    empty = sum(column.null_count for column in columns)
    if empty:
        raise no_id(argument, f"{empty} empty")
    codes = pa.concat_arrays(columns).dictionary_encode()
    places = codes.indices.to_numpy()
    return codes.dictionary.cast(pa.large_string()), *np.split(places, 2)


def _of_matrix(given: Any, argument: str) -> Read:
    import pyarrow as pa

    if len(given.shape) != 2 or given.shape[0] != given.shape[1]:
        raise InputError(
            f"{argument} must be a square matrix, got one of shape {given.shape}. "
            "Give the adjacency matrix of a graph."
        )
    matrix = given.tocoo()
    edge = matrix.data != 0
    ids = pa.array(np.arange(given.shape[0])).cast(pa.large_string())
    return ids, matrix.row[edge].astype(np.int32), matrix.col[edge].astype(np.int32)


def _of_objects(names: Iterable[Any], edges: Iterable[tuple[int, int]], argument: str) -> Read:
    ids = as_text(names, argument)
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
