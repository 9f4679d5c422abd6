"""Rounds of Korula and Lattanzi: match the pairs with the most matched neighbours in common."""

from matchbound.matchers.board import Board
from matchbound.matchers.candidates import Candidates
from matchbound.matchers.graphs import Graph, Ints
from matchbound.matchers.matches import Found, joined


def witness(
    left: Graph,
    right: Graph,
    seeds: Ints,
    *,
    threshold: int = 2,
    repeat: int = 2,
    candidates: Candidates | None = None,
) -> Found:
    """Match the pairs that have the most witnesses, high degrees first.

    A witness of a pair is a matched pair whose nodes are neighbours of the two nodes. A round takes
    a power of two, from the highest degree down to 1, and counts the witnesses of all free pairs
    whose degrees are at least that. It adopts the pairs that have at least `threshold` witnesses
    and more than every other pair with one of the two nodes. All rounds are done `repeat` times, or
    until nothing is adopted. Ties stay unmatched, so ids do not matter. With `candidates`, pairs
    are those among them; other pairs are no rivals either.
    Prefer it: for precision, and for large graphs. It needs O(nodes · threads + edges) of memory.
    Source: Korula and Lattanzi (2014).
    """
    board = Board(left, right, seeds, candidates)
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
    """Powers of two in falling order, from the highest that a node of each graph reaches."""
    return powers_down(int(min(left.degrees[0], right.degrees[0])))


def powers_down(highest: int) -> list[int]:
    return [2**power for power in reversed(range(highest.bit_length()))]
