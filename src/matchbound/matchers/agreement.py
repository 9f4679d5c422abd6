"""How well seeds agree: which of the edges between them both networks have."""

import numpy as np

from matchbound.matchers.graphs import Graph, Ints

GUESSED = 0.7  # the least share of edges that agree if guessed seeds are right
KNOWN = 0.2  # the same for seeds that were given: nobody chose them for their edges
FEW = 10  # edges that say nothing yet


def edges_between(left: Graph, right: Graph, seeds: Ints) -> tuple[int, int, int]:
    """How many edges are between seeds in left, in right, and in both."""
    x_edges, y_edges = _edges_within(left, seeds[:, 0]), _edges_within(right, seeds[:, 1])
    return len(x_edges), len(y_edges), len(x_edges & y_edges)


def seed_doubt(in_left: int, in_right: int, common: int) -> str:
    """A sentence if hardly any of the edges between given seeds agree; else empty."""
    fewer = min(in_left, in_right)
    if fewer < FEW or common >= KNOWN * fewer:
        return ""
    return (
        f"Doubtful: of the {in_left} edges between seeds in left and {in_right} in right, {common} "
        "agree, fewer than a fifth. Check that each seed is the same node in both networks."
    )


def guess_check(left: Graph, right: Graph, seeds: Ints) -> str:
    """How many edges between guessed seeds agree, in words.

    Seeds that are wrong agree too, as they are chosen for it, but less, and they stay few.
    """
    in_left, in_right, common = edges_between(left, right, seeds)
    said = (
        f"Self-check: {len(seeds)} seeds for {min(len(left), len(right))} nodes; of the "
        f"{in_left} edges between them in left and {in_right} in right, {common} agree."
    )
    is_likely = common >= GUESSED * min(in_left, in_right)
    if is_likely and 2 * len(seeds) >= min(len(left), len(right)):
        return said
    return (
        f"{said} Doubtful: right seeds are at least half of the nodes, and at least "
        f"{GUESSED:.0%} of their edges agree."
    )


def _edges_within(graph: Graph, nodes: Ints) -> set[tuple[int, int]]:
    """The edges between these nodes, as pairs of their places in `nodes`, the lower first."""
    place = np.full(len(graph), -1, np.int32)
    place[nodes] = np.arange(len(nodes))
    degrees = graph.degrees[nodes]
    a = np.repeat(np.arange(len(nodes)), degrees)
    first = graph.starts[nodes] - (np.cumsum(degrees) - degrees)
    b = place[graph.neighbours[np.arange(len(a)) + np.repeat(first, degrees)]]
    return set(zip(a[a < b].tolist(), b[a < b].tolist(), strict=True))
