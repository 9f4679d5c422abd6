"""PATH (Zaslavskiy, Bach and Vert): follow a convex problem's solution to a concave one's."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from matchbound.errors import InputError
from matchbound.matchers.graphs import Graph, Ints

STEPS = 100  # from the convex problem to the concave one
TURNS = 200  # of Frank and Wolfe's method in a step, at most
CLOSE = 1e-6  # how near, relatively, a step comes to its best

Matrix = NDArray[np.float64]


def path(left: Any, right: Any, *, minimise: bool = False) -> Ints:
    """Match the nodes of two small graphs so that as many edges as possible agree.

    `left` and `right` are results of `matchers.graph`, or symmetric matrices of weights that are
    not negative. Returns for each node i of `left` the node p(i) of `right`, −1 for none, so that
    Σ left(i, j) · right(p(i), p(j)) is high; with `minimise` so that it is low, as in the quadratic
    assignment problem. Not the best possible, which nobody can find in general.
    With P doubly stochastic, A and B scaled to norm 1 and L = D − A the Laplacian, the convex
    F0 = ‖AP − PB‖² and the concave F1 = −Σ (d(i) − d(j))² P(i, j) − 2 tr(L(A) P L(B) Pᵀ) are equal
    on permutations up to a constant. (1 − λ) F0 + λ F1 is minimised by Frank and Wolfe's method for
    λ = 0, 0.01, …, 1, each time from the last P. To minimise, weights of one matrix are taken from
    its highest; both are tried, and the better result is returned.
    Prefer it: without seeds, up to a few hundred nodes. Time grows with their number's cube.
    Source: Zaslavskiy, Bach and Vert (2009).

    >>> from matchbound import matchers
    >>> line = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 2], [0, 0, 2, 0]]
    >>> turned = [row[::-1] for row in line[::-1]]
    >>> matchers.path(line, turned).tolist()
    [3, 2, 1, 0]
    """
    a, b = _matrix(left, "left"), _matrix(right, "right")
    nodes = max(len(a), len(b))
    x, y = (np.pad(matrix, (0, nodes - len(matrix))) for matrix in (a, b))
    if minimise:
        tried = [followed(x, _reversed(y)), followed(_reversed(x), y)]
        places = min(tried, key=lambda p: float((x * y[np.ix_(p, p)]).sum()))
    else:
        places = followed(x, y)
    places = places[: len(a)].astype(np.int32)
    return np.where(places < len(b), places, -1).astype(np.int32)


def followed(a: Matrix, b: Matrix) -> NDArray[np.int64]:
    """The permutation at the end of the path."""
    from matchbound.matchers._assignment import assignment

    a, b = (matrix / max(np.linalg.norm(matrix), np.finfo(float).tiny) for matrix in (a, b))
    shares = np.full(a.shape, 1 / len(a))
    for step in range(STEPS + 1):
        shares = _descended(a, b, shares, step / STEPS)
    return np.asarray(assignment(-shares))


def _descended(a: Matrix, b: Matrix, shares: Matrix, concave: float) -> Matrix:
    """Frank and Wolfe's method, with exact steps, from `shares`."""
    from matchbound.matchers._assignment import assignment

    degrees = (a.sum(axis=1)[:, None] - b.sum(axis=1)) ** 2
    x, y = (np.diag(matrix.sum(axis=1)) - matrix for matrix in (a, b))
    for _ in range(TURNS):
        rest = a @ shares - shares @ b
        slope = (1 - concave) * 2 * (a @ rest - rest @ b)
        slope -= concave * (degrees + 4 * (x @ shares @ y))
        towards = -shares
        towards[np.arange(len(a)), assignment(slope)] += 1
        gain = -(slope * towards).sum()
        if gain <= CLOSE * abs((slope * shares).sum()):
            break
        rest = a @ towards - towards @ b
        bend = (1 - concave) * (rest**2).sum() - 2 * concave * ((x @ towards @ y) * towards).sum()
        length = 1.0 if 2 * bend <= gain else gain / (2 * bend)
        shares = shares + length * towards
    return shares


def _reversed(weights: Matrix) -> Matrix:
    turned: Matrix = weights.max() - weights
    np.fill_diagonal(turned, 0)
    return turned


def adjacency(graph: Graph) -> Matrix:
    matrix = np.zeros((len(graph), len(graph)))
    matrix[np.repeat(np.arange(len(graph)), graph.degrees), graph.neighbours] = 1
    return matrix


def _matrix(given: Any, argument: str) -> Matrix:
    if isinstance(given, Graph):
        return adjacency(given)
    dense = given.toarray() if hasattr(given, "toarray") else given
    matrix: Matrix
    try:
        matrix = np.array(dense, np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    is_symmetric = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] > 0
    is_symmetric = is_symmetric and bool((matrix == matrix.T).all())
    if not (is_symmetric and np.isfinite(matrix).all() and (matrix >= 0).all()):
        raise InputError(
            f"{argument} must be a graph or a symmetric matrix of numbers from 0 on, got "
            f"{_described(given, matrix)}. Give for example a + a.T, or a matchers.graph."
        )
    np.fill_diagonal(matrix, 0)
    return matrix


def _described(given: Any, matrix: Matrix) -> str:
    if matrix.ndim != 2 or not matrix.size:
        return type(given).__name__
    return f"a matrix of shape {matrix.shape} that is none"
