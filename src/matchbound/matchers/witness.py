"""Korula and Lattanzi's rounds: pairs with the most matched neighbours in common."""

from matchbound.matchers.board import Board
from matchbound.matchers.graphs import Graph, Ints
from matchbound.matchers.matches import Found, joined


def witness(
    left: Graph, right: Graph, seeds: Ints, *, threshold: int = 2, repeat: int = 2
) -> Found:
    """Match the nodes that the most matched pairs speak for, high degrees first.

    For each power of two from the highest degree down to 1: of all free pairs whose degrees are at
    least that, count the matched pairs that are neighbours of both; adopt the pairs whose count is
    at least `threshold` and above that of every other pair with one of the two nodes. All of this
    `repeat` times, or until nothing is adopted. Ties stay unmatched: names do not matter.
    Prefer it: for precision, and for large graphs; O(nodes · threads + edges) of memory.
    Source: Korula and Lattanzi (2014).
    """
    board = Board(left, right, seeds)
    adopted: list[Found] = []
    degrees = degrees_down(left, right)
    for _ in range(repeat):
        sweep: list[Found] = []
        for degree in degrees:
            pairs = board.best(degree, threshold)
            pairs.round[:] = len(adopted) + len(sweep) + 1
            board.adopt(pairs.x, pairs.y)
            sweep.append(pairs)
        adopted += sweep
        if not any(map(len, sweep)):
            break
    return joined(adopted)


def degrees_down(left: Graph, right: Graph) -> list[int]:
    """Powers of two, from the highest that nodes of both graphs reach."""
    return powers_down(int(min(left.degrees[0], right.degrees[0])))


def powers_down(highest: int) -> list[int]:
    return [2**power for power in reversed(range(highest.bit_length()))]
