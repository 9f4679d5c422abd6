"""Sparse soft assignment: every node keeps a few candidates, and a share of each."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from matchbound.compiled import thread_count
from matchbound.matchers.candidates import Candidates, Rows, rows_of
from matchbound.matchers.graphs import Graph, Ints
from matchbound.matchers.matches import Found

Columns = NDArray[np.uint32]
Floats = NDArray[np.float64]

WIDTH = 20  # candidates of a node
ROUNDS = 30
PASSES = 10
STILL = 0.01  # rounds end if no share of a kept column changes by as much
FIRST, LAST = 1.5, 4.0  # β
PER_CANDIDATE = 24  # bytes of those that are given
MANY = 5_000  # nodes; below, one thread is faster than several that wait for each other


def soft(left: Graph, right: Graph, seeds: Ints, *, candidates: Candidates | None = None) -> Found:
    """Share each node out among its candidates, round by round, then match the largest shares.

    The shares P begin with the seeds, P(x, y) = 1, which are fixed. In each of 30 rounds the
    support of two free nodes is S(x, y) = Σ P(u, v) over neighbours u of x and v of y. Every x
    keeps the 20 columns with the highest βS + g, where g is the last potential of the column; of
    equals the one of higher degree, then one that its id decides. Ten Sinkhorn passes then fit
    e^(βS + f + g) to rows and columns that sum up to 1 together with a slack of e^f and e^g: a
    node may have no match. P becomes the mean of the old and the fitted shares, of which each x
    keeps the 20 largest, and none below 0.01. β rises from 1.5 to 4. Rounds end early if no
    share of a kept column changes by 0.01 or more. With `candidates`, S is 0 for all other pairs,
    and a candidate's score is added to it: 1 counts like one sure pair of neighbours. In the end
    the pair with the largest share is matched first; the share is the score, which is not a
    probability. Shares and potentials are rounded to multiples of 2⁻²⁰ after each round.
    Prefer it: for real networks whose neighbourhoods differ much, with a tenth or more of the nodes
    as seeds, and where a score must tell good matches from bad. `soft_memory` gives its memory.
    Source: softassign of Gold and Rangarajan (1996) on sparse rows.
    """
    from matchbound.matchers._soft import extract, witnesses_of

    of_x, of_y = rows_of(candidates)
    assignment = Assignment(left, right, seeds, of_x)
    for round in range(ROUNDS):
        assignment.update(FIRST + (LAST - FIRST) * round / (ROUNDS - 1))
        if assignment.moved < STILL:
            break
    order = assignment.by_share()
    seeded = assignment.partner, assignment.taken
    matched = assignment.partner.copy(), assignment.taken.copy()
    entries = extract(order, assignment.columns, WIDTH, *matched)
    x = (entries // WIDTH).astype(np.int32)
    y = assignment.columns[entries].astype(np.int32)
    found = witnesses_of(x, y, left.rows, right.rows, seeded, matched, (of_x, of_y))
    return replace(Found(*found.T), score=assignment.share[entries])


def soft_memory(left: Graph, right: Graph, candidates: int = 0) -> int:
    """The most bytes that `soft` takes beside the graphs and so many candidates, known before."""
    per_left_node = 78 * WIDTH + 140
    per_right_node = 110 + 24 * thread_count()
    per_right_edge = 48
    edges = len(right.neighbours) // 2
    of_right = len(right) * per_right_node + edges * per_right_edge
    return len(left) * per_left_node + of_right + candidates * PER_CANDIDATE + 2**16


class Assignment:
    """The candidates of every node of the left graph, with their shares, between rounds."""

    def __init__(
        self, left: Graph, right: Graph, seeds: Ints, candidates: Rows | None = None
    ) -> None:
        x_nodes, y_nodes = len(left), len(right)
        self.partner, self.taken = np.full(x_nodes, -1, np.int32), np.full(y_nodes, -1, np.int32)
        self.partner[seeds[:, 0]], self.taken[seeds[:, 1]] = seeds[:, 1], seeds[:, 0]
        self._rows, self._reach = left.rows, _free_neighbours(right, self.taken)
        self._candidates = None if candidates is None else _free_rows(candidates, self.taken)
        self._free = np.flatnonzero(self.partner < 0)
        self.columns, self.share, self._sizes = _candidates(x_nodes)
        first = seeds[:, 0].astype(np.int64) * WIDTH
        self.columns[first], self.share[first], self._sizes[seeds[:, 0]] = seeds[:, 1], 1.0, 1
        self._found = (*_candidates(x_nodes), WIDTH)
        room = x_nodes * WIDTH
        self._by_column = (  # where each begins; of its candidates row, entry and share
            np.empty(y_nodes + 2, np.int64),
            np.empty(room, np.uint32),
            np.empty(room, np.uint64),
            np.empty(room),
        )
        self._slacks = np.empty(x_nodes), np.empty(y_nodes)
        self._potentials = np.zeros(x_nodes), np.zeros(y_nodes)
        self._factors = np.empty(x_nodes), np.empty(y_nodes)
        self._moved = np.zeros(x_nodes)
        threads = thread_count() if x_nodes >= MANY else 1
        self._own = [(*_sums(y_nodes), np.empty(WIDTH), *_sums(y_nodes)) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads)

    def update(self, beta: float) -> None:
        """One round: find candidates, fit their shares, and take the mean with the old ones."""
        from matchbound.matchers import _soft

        shares = (self.columns, self.share, self._sizes, WIDTH)
        inputs = (self._rows, self._reach, shares, self._candidates)
        ranking = (beta, self._potentials[1], self._found)
        self._in_turns(_soft.find_candidates, self._free, inputs, *ranking, own=True)
        self._fit()
        news = (self._found, *self._factors, self._moved)
        self._in_turns(_soft.blend, self._free, shares, *news, own=True)

    @property
    def moved(self) -> float:
        """The most by which a share of a column that was kept changed in the last round."""
        return float(self._moved.max())

    def _fit(self) -> None:
        """Sinkhorn's passes: the first by potentials, as gains may be large; then by factors.

        A pass changes no factor more than the number of nodes does, so none overflows.
        """
        from matchbound.matchers import _soft

        of_x, of_y = self._potentials
        x_slack, y_slack = self._slacks
        starts, rows, entries, _ = self._by_column
        self._factors[1][:] = 1.0
        _soft.list_by_column(self._found, starts, rows, entries)
        self._in_turns(_soft.first_rows, self._found, of_x, of_y, x_slack)
        self._in_turns(_soft.first_columns, self._found, self._by_column, of_x, of_y, y_slack)
        for _ in range(PASSES - 1):
            self._in_turns(_soft.balance_rows, self._found, x_slack, *self._factors)
            self._in_turns(_soft.balance_columns, self._by_column, y_slack, *self._factors)
        _soft.last_columns(of_y, self._factors[1])

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

        if turns == 1:
            work(0)
        else:
            list(self._pool.map(work, range(turns)))


def _candidates(nodes: int) -> tuple[Columns, Floats, Ints]:
    """Room for each node's candidates: columns, numbers, and how many there are."""
    room = nodes * WIDTH
    return np.zeros(room, np.uint32), np.zeros(room), np.zeros(nodes, np.int32)


def _sums(nodes: int) -> tuple[Floats, Columns]:
    """Room for a sum of each node, and for a list of those that have one."""
    return np.zeros(nodes), np.empty(nodes + 1, np.uint32)


def _free_rows(candidates: Rows, taken: Ints) -> Rows:
    """The candidates without those whose y is a seed's."""
    starts, columns, scores = candidates
    is_free = taken[columns] < 0
    before = np.concatenate([[0], np.cumsum(is_free)])
    return before[starts], columns[is_free], scores[is_free]


def _free_neighbours(graph: Graph, taken: Ints) -> tuple[NDArray[np.int64], Columns]:
    """The graph's neighbours without those that are seeds, and where each node's begin."""
    is_free = taken[graph.neighbours] < 0
    before = np.concatenate([[0], np.cumsum(is_free)])
    return before[graph.starts], graph.neighbours[is_free].view(np.uint32)
