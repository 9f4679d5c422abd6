"""Guess seeds: relax the matching to shares, let edges disagree as little as possible, assign."""

import numpy as np
from numpy.typing import NDArray

from matchbound.errors import InputError
from matchbound.matchers.graphs import Graph, Ints
from matchbound.matchers.path import adjacency

TURNS = 30  # of Frank and Wolfe's method
MOST = 1_500  # nodes

Matrix = NDArray[np.float64]


def convex(left: Graph, right: Graph) -> tuple[Ints, Matrix]:
    """Match nodes by the shares P that minimise ‖AP − PB‖².

    A and B are the adjacency matrices; the smaller graph gets nodes without edges. P is doubly
    stochastic, so the problem is convex. Frank and Wolfe's method takes 30 turns from equal shares,
    each to the best point on the way to the best permutation. The nodes are then assigned one to
    one with the highest sum of shares. Returns the pairs whose share is higher than any other in
    its row and column, and these shares. They may be wrong: `agreement.guess_check` checks them.
    Prefer it: without seeds, for networks that differ little, if degrees are alike.
    Source: the convex relaxation of Zaslavskiy, Bach and Vert (2009).
    """
    from matchbound.matchers._assignment import assignment

    nodes = max(len(left), len(right))
    _refuse_many(nodes)
    a, b = (np.pad(adjacency(graph), (0, nodes - len(graph))) for graph in (left, right))
    shares = np.round(relaxed(a, b), 9)
    x, y = np.arange(nodes), assignment(-shares)
    score = shares[x, y]
    is_row_best = (shares >= score[:, None]).sum(axis=1) == 1
    is_column_best = (shares[:, y] >= score).sum(axis=0) == 1
    kept = (x < len(left)) & (y < len(right)) & is_row_best & is_column_best
    return np.stack([x[kept], y[kept]], axis=1).astype(np.int32), score[kept]


def relaxed(a: Matrix, b: Matrix) -> Matrix:
    """Doubly stochastic shares with a low ‖AP − PB‖²; slopes are rounded, so equals are equal."""
    from matchbound.matchers._assignment import assignment

    nodes = np.arange(len(a))
    shares = np.full(a.shape, 1 / len(a))
    rest = a @ shares - shares @ b
    for _ in range(TURNS):
        slope = np.round(a @ rest - rest @ b, 9)
        places = assignment(slope)
        towards = -shares
        towards[nodes, places] += 1
        # With a permutation in P's place, AP is A with its columns moved, and PB rows of B.
        change = a[:, np.argsort(places)] - b[places] - rest
        gain, bend = -(rest * change).sum(), (change**2).sum()
        if gain <= 0 or bend == 0:
            break
        length = min(1.0, gain / bend)
        shares = shares + length * towards
        rest = rest + length * change
    return shares


def _refuse_many(nodes: int) -> None:
    if nodes > MOST:
        raise InputError(
            f"seeds must be given for graphs of more than {MOST} nodes, got 'convex' for {nodes}. "
            "Give some pairs, or 'bayes' (up to 4000), or 'hubs'."
        )
