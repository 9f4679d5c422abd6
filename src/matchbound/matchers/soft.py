"""Sparse soft assignment: every node keeps a few candidates, and a share of each."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from matchbound.compiled import thread_count
from matchbound.matchers.graphs import Graph, Ints
from matchbound.matchers.matches import Found

WIDTH = 20  # candidates of a node
ROUNDS = 30
PASSES = 10
FIRST, LAST = 1.5, 4.0  # β
MANY = 5_000  # nodes; below, one thread is faster than several that wait for each other


def soft(left: Graph, right: Graph, seeds: Ints) -> Found:
    """Share each node out among its candidates, round by round, then match the largest shares.

    The shares P begin with the seeds, P(x, y) = 1, which are fixed. In each of 30 rounds the
    support of two free nodes is S(x, y) = Σ P(u, v) over neighbours u of x and v of y. Every x
    keeps the 20 columns with the highest βS + g, where g is the last potential of the column; of
    equals the one of higher degree, then one that its id decides. Ten Sinkhorn passes then fit
    e^(βS + f + g) to rows and columns that sum up to 1 together with a slack of e^f and e^g: a
    node may have no match. P becomes the mean of the old and the fitted shares, of which each x
    keeps the 20 largest, and none below 0.001. β rises from 1.5 to 4. In the end the pair with the
    largest share is matched first; the share is the score, which is not a probability.
    Prefer it: for real networks whose neighbourhoods differ much, with a tenth or more of the nodes
    as seeds, and where a score must tell good matches from bad. `soft_memory` gives its memory.
    Source: softassign of Gold and Rangarajan (1996) on sparse rows.
    """
    from matchbound.matchers._soft import extract, witnesses_of

    assignment = Assignment(left, right, seeds)
    for round in range(ROUNDS):
        assignment.update(FIRST + (LAST - FIRST) * round / (ROUNDS - 1))
    order = assignment.by_share()
    seeded = assignment.partner, assignment.taken
    matched = assignment.partner.copy(), assignment.taken.copy()
    entries = extract(order, assignment.columns, WIDTH, *matched)
    x, y = (entries // WIDTH).astype(np.int32), assignment.columns[entries]
    found = witnesses_of(x, y, left.rows, right.rows, seeded, matched)
    return replace(Found(*found.T), score=assignment.share[entries])


def soft_memory(left: Graph, right: Graph) -> int:
    """The most bytes that `soft` takes beside the two graphs, known before it begins."""
    per_left_node = 70 * WIDTH + 130
    per_right_node = 100 + 12 * thread_count()
    per_right_edge = 48
    edges = len(right.neighbours) // 2
    return len(left) * per_left_node + len(right) * per_right_node + edges * per_right_edge + 2**16


class Assignment:
    """The candidates of every node of the left graph, with their shares, between rounds."""

    def __init__(self, left: Graph, right: Graph, seeds: Ints) -> None:
        x_nodes, y_nodes = len(left), len(right)
        self.partner, self.taken = np.full(x_nodes, -1, np.int32), np.full(y_nodes, -1, np.int32)
        self.partner[seeds[:, 0]], self.taken[seeds[:, 1]] = seeds[:, 1], seeds[:, 0]
        self._rows, self._reach = left.rows, _free_neighbours(right, self.taken)
        self._free = np.flatnonzero(self.partner < 0)
        self.columns, self.share, self._sizes = _candidates(x_nodes)
        first = seeds[:, 0].astype(np.int64) * WIDTH
        self.columns[first], self.share[first], self._sizes[seeds[:, 0]] = seeds[:, 1], 1.0, 1
        self._found = (*_candidates(x_nodes), WIDTH)
        self._listed = np.empty(y_nodes + 2, np.int64), np.empty(x_nodes * WIDTH, np.int64)
        self._potentials = np.zeros(x_nodes), np.zeros(y_nodes)
        threads = thread_count() if x_nodes >= MANY else 1
        self._own = [
            (np.zeros(y_nodes), np.empty(y_nodes + 1, np.int32), np.empty(WIDTH))
            for _ in range(threads)
        ]
        self._pool = ThreadPoolExecutor(threads)

    def update(self, beta: float) -> None:
        """One round: find candidates, fit their shares, and take the mean with the old ones."""
        from matchbound.matchers import _soft

        shares = (self.columns, self.share, self._sizes, WIDTH)
        support = (self._free, self._rows, self._reach, shares, beta, self._potentials[1])
        self._in_turns(_soft.find_candidates, *support, self._found, own=True)
        _soft.by_column(self._found, *self._listed)
        for _ in range(PASSES):
            self._in_turns(_soft.balance_rows, self._found, *self._potentials)
            self._in_turns(_soft.balance_columns, self._found, self._listed, *self._potentials)
        self._in_turns(_soft.blend, self._free, shares, self._found, *self._potentials, own=True)

    def by_share(self) -> NDArray[np.int64]:
        """The candidates of free nodes, the largest share first, then in order of x and y.

        A node's candidates are in that order already, so the sort only has to be stable.
        """
        sizes = np.where(self.partner < 0, self._sizes, 0)
        is_candidate = np.arange(WIDTH, dtype=np.int32) < sizes[:, None]
        entries = np.flatnonzero(is_candidate)
        return entries[np.argsort(-self.share[entries], kind="stable")]

    def _in_turns(self, kernel: Callable[..., None], *arguments: object, own: bool = False) -> None:
        """Run a kernel on all threads; each thread takes every so-many-th block of rows."""
        turns = len(self._own)

        def work(turn: int) -> None:
            kernel(turn, turns, *arguments, *([self._own[turn]] if own else []))

        list(self._pool.map(work, range(turns)))


def _candidates(nodes: int) -> tuple[Ints, NDArray[np.float64], Ints]:
    """Room for each node's candidates: columns, numbers, and how many there are."""
    room = nodes * WIDTH
    return np.zeros(room, np.int32), np.zeros(room), np.zeros(nodes, np.int32)


def _free_neighbours(graph: Graph, taken: Ints) -> tuple[NDArray[np.int64], Ints]:
    """The graph's neighbours without those that are seeds, and where each node's begin."""
    is_free = taken[graph.neighbours] < 0
    before = np.concatenate([[0], np.cumsum(is_free)])
    return before[graph.starts], graph.neighbours[is_free]
