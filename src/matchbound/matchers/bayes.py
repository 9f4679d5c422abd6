"""Guess seeds: match nodes by the log odds of their degrees and distances to anchors."""

import numpy as np
from numpy.typing import NDArray

from matchbound.errors import InputError
from matchbound.matchers.graphs import Graph, Ints
from matchbound.matchers.path import adjacency

FIRST = 16  # nodes of the first phase
TURNS = 6  # in a phase, at most
PRIOR = 20  # pairs of anchors that stand for independence
MOST = 4_000  # nodes

Matrix = NDArray[np.float64]
Places = NDArray[np.int64]


def bayes(left: Graph, right: Graph) -> tuple[Ints, Matrix]:
    """Match nodes in phases of doubling size, the nodes of highest degree first.

    In a phase the first m nodes of each graph are matched one to one with the highest sum of log
    odds: −2 (√d − √d')² / (1 − s²) for their degrees, and for each anchor log of p(k, l) / (p(k)
    p(l)), where k and l are their distances to it in the two graphs (1, 2, or more). p is the share
    of anchors' pairs with these distances, with 20 pairs as if independent; s is the share of
    neighbours that agree, first 0.8. A pair's posterior is the lower of its shares in row and
    column by e^odds. The pairs with posterior ½ or more are the next anchors, before the last phase
    at least half of the m. A phase has 6 turns, or fewer if anchors stay the same; then m doubles.
    Returns the last anchors and their posteriors. They may all be wrong: `agreement.guess_check`
    checks them.
    Source: after Pedarsani, Figueiredo and Grossglauser (2013).
    """
    nodes = min(len(left), len(right))
    _refuse_many(max(len(left), len(right)))
    sides = _distances(left), _distances(right)
    roots = np.sqrt(left.degrees), np.sqrt(right.degrees)
    anchors, posteriors = np.empty((0, 2), np.int64), np.empty(0)
    size = min(FIRST, nodes)
    while True:
        for _ in range(TURNS):
            before = anchors
            odds = _log_odds(sides, roots, anchors, size)
            pairs, chances = _assigned(odds)
            least = size // 2 if size < nodes else 0
            kept = _likeliest(chances, least)
            anchors, posteriors = pairs[kept], chances[kept]
            if np.array_equal(anchors, before):
                break
        if size == nodes:
            return anchors.astype(np.int32), posteriors
        size = min(2 * size, nodes)


def _refuse_many(nodes: int) -> None:
    if nodes > MOST:
        raise InputError(
            f"seeds must be given for graphs of more than {MOST} nodes, got 'bayes' for {nodes}. "
            "Give some pairs, or 'hubs'."
        )


def _distances(graph: Graph) -> Matrix:
    """Flags for each pair of nodes: whether their distance is 1; 2; or more, or 0."""
    one = adjacency(graph)
    two = ((one @ one > 0) & (one == 0)).astype(float)
    np.fill_diagonal(two, 0)
    return np.stack([one, two, 1 - one - two])


def _log_odds(
    sides: tuple[Matrix, Matrix], roots: tuple[Matrix, Matrix], anchors: Places, size: int
) -> Matrix:
    """Of the first nodes of each graph with each other; rounded, so that equals are equal."""
    x, y = anchors.T
    weights, agreement = np.zeros((3, 3)), 0.8
    if len(anchors) > 1:
        near = sides[0][:, x][:, :, x], sides[1][:, y][:, :, y]
        weights, agreement = _learned(*near)
    odds = -2 * (roots[0][:size, None] - roots[1][:size]) ** 2 / (1 - agreement**2)
    for k in range(3):
        weighted = np.tensordot(weights[k], sides[1][:, :size, y], 1)
        odds += sides[0][k, :size, x].T @ weighted.T
    return np.round(odds, 9)


def _learned(x: Matrix, y: Matrix) -> tuple[Matrix, float]:
    """The log odds of two distances, and the share of edges that agree, from anchors' distances."""
    count = x.shape[1]
    pairs = count * (count - 1)
    both = np.einsum("kab,lab->kl", x, y)
    both[2, 2] -= count  # an anchor and itself
    x_share, y_share = ((both.sum(axis=axis) + 1) / (pairs + 3) for axis in (1, 0))
    both = (both + PRIOR * np.outer(x_share, y_share)) / (pairs + PRIOR)
    alone = np.outer(both.sum(axis=1), both.sum(axis=0))
    agreement = both[0, 0] / np.sqrt(alone[0, 0])
    return np.log(both / alone), float(np.clip(agreement, 0.3, 0.95))


def _assigned(odds: Matrix) -> tuple[Places, Matrix]:
    """The pairs of a best assignment, and their posteriors, rounded like the odds."""
    from matchbound.matchers._assignment import assignment

    x, y = np.arange(len(odds)), assignment(-odds)
    shares = [np.exp(odds - odds.max(axis=axis, keepdims=True)) for axis in (0, 1)]
    shares = [share / share.sum(axis=axis, keepdims=True) for axis, share in enumerate(shares)]
    return np.stack([x, y], axis=1), np.round(np.minimum(*shares)[x, y], 9)


def _likeliest(chances: Matrix, least: int) -> Places:
    """Places of the chances that are ½ or more, and of the highest others up to `least`."""
    order = np.argsort(-chances, kind="stable")
    return np.sort(order[: max(least, int(np.count_nonzero(chances >= 0.5)))])
