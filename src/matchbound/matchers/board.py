"""The state of `witness` between rounds: the pairs matched so far, and the best free pairs."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from matchbound.compiled import thread_count
from matchbound.matchers.candidates import Candidates, rows_of
from matchbound.matchers.graphs import Graph, Ints
from matchbound.matchers.matches import Found

Kernel = Callable[..., None]
Own = tuple[Ints, ...]


class Side:
    """A graph, its nodes' partners, and how many matched neighbours (`near`) each node has.

    `free` are the nodes' neighbours; rows of matched nodes are closed up to their free neighbours.
    `reach` is where the row of a node's partner begins and ends in the other side's `free`.
    """

    def __init__(self, graph: Graph) -> None:
        self.starts, self.rows, self.degrees = graph.starts, graph.rows, graph.degrees
        self.partner = np.full(len(graph), -1, np.int32)
        self.near = np.zeros(len(graph), np.int32)
        self.reach = np.zeros((len(graph), 2), np.int64)
        self.free = graph.neighbours.copy()

    def adopt(self, nodes: Ints, other: "Side", partners: Ints) -> None:
        """Match nodes with partners on the other side."""
        from matchbound.matchers._witness import add_near

        self.partner[nodes] = partners
        self.reach[nodes, 0] = other.starts[partners]
        self.reach[nodes, 1] = other.starts[partners + 1]
        add_near(nodes, self.rows, self.near)

    def end(self, degree: int) -> int:
        """How many nodes have at least this degree: they are the first ones."""
        return int(np.count_nonzero(self.degrees >= degree))


class Board:
    """Two graphs and the matches between them, with memory for counting that rounds share."""

    def __init__(
        self, left: Graph, right: Graph, seeds: Ints, candidates: Candidates | None = None
    ) -> None:
        self._x, self._y = Side(left), Side(right)
        self._of_x, self._of_y = rows_of(candidates)
        nodes, threads = max(len(left), len(right)), thread_count()
        self._row = tuple(np.empty(len(left), np.int32) for _ in range(3))
        # For each thread: a counter, a list of nodes touched, each column's best and second best.
        self._own: list[Own] = [tuple(np.zeros((4, nodes + 1), np.int32)) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads)
        self.adopt(seeds[:, 0], seeds[:, 1])

    def adopt(self, x: Ints, y: Ints) -> None:
        """Add these pairs to the matches."""
        from matchbound.matchers._witness import close_up

        if not len(x):
            return
        self._x.adopt(x, self._y, y)
        self._y.adopt(y, self._x, x)
        for side, other in ((self._x, self._y), (self._y, self._x)):
            rows = (other.partner, other.free, side.reach)
            self._in_turns(close_up, lambda _, rows=rows: rows)  # type: ignore[misc]

    def best(self, degree: int, threshold: int) -> Found:
        """Pairs of free nodes of at least this degree that have more witnesses than any rival.

        Each pair has at least `threshold` witnesses. A rival is a pair with one of the two nodes.
        """
        x_end, y_end = self._x.end(degree), self._y.end(degree)
        least = min(threshold, max(threshold - 1, 2))
        column_best, column_second = self._count(x_end, y_end, least)
        row_best, row_second, row_match = (part[:x_end] for part in self._row)
        x = np.flatnonzero((row_best >= threshold) & (row_best > row_second)).astype(np.int32)
        y, best = row_match[x], row_best[x]
        x = x[(column_best[y] == best) & (column_second[y] < best)]
        y, best = row_match[x], row_best[x]
        second = np.maximum(row_second[x], column_second[y])
        too_low = second < least - 1  # counts of columns below `least` were ignored: count again
        second[too_low] = self._with_columns(x[too_low], y[too_low], x_end, second[too_low])
        return Found(x, y, np.zeros_like(x), best, best - second)

    def _count(self, x_end: int, y_end: int, least: int) -> tuple[Ints, Ints]:
        """Fill the rows' bests; return the columns' best and second best over all threads."""
        from matchbound.matchers._witness import count_bests

        for _, _, own_best, own_second in self._own:
            own_best[:y_end], own_second[:y_end] = 0, 0
        side = (self._x.rows, self._x.partner, self._x.near, self._x.reach)
        shared = (x_end, y_end, least, side, self._y.free, self._of_x)
        self._in_turns(count_bests, lambda own: (*shared, own, self._row))
        best, second = np.zeros(y_end, np.int32), np.zeros(y_end, np.int32)
        for _, _, own_best, own_second in self._own:
            lower = np.minimum(best, own_best[:y_end])
            second = np.maximum(np.maximum(second, own_second[:y_end]), lower)
            best = np.maximum(best, own_best[:y_end])
        return best, second

    def _with_columns(self, x: Ints, y: Ints, x_end: int, second: Ints) -> Ints:
        """Raise `second` to the highest count of y and another x."""
        from matchbound.matchers._witness import raise_to_rivals

        shared = (y, x, self._y.rows, self._y.reach, self._x.free, x_end, self._of_y)
        self._in_turns(raise_to_rivals, lambda own: (*shared, own, second))
        return second

    def _in_turns(self, kernel: Kernel, arguments: Callable[[Own], tuple[object, ...]]) -> None:
        """Run a kernel on all threads; each thread takes every so-many-th block of rows."""
        turns = len(self._own)

        def work(turn: int) -> None:
            kernel(turn, turns, *arguments(self._own[turn]))

        list(self._pool.map(work, range(turns)))
