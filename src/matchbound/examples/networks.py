"""Two views of one made-up network, and which member of one is which of the other."""

from random import Random

from matchbound.examples.tables import Truth

Edges = list[tuple[str, str]]

CONTACTS = 7
"""How many others each person gets to know; twice as many know each other on average."""
SHOWN = 0.65
"""How often each view shows that two people know each other."""
THERE = 0.85
"""The share of the people in the first view who are in the second one too."""


def two_networks(seed: int, count: int) -> tuple[Edges, Edges, Truth]:
    """The edges of two views of `count` people, under other ids, and who is who."""
    rng = Random(seed)
    known = {
        (min(one, other), max(one, other))
        for one in range(count)
        for other in rng.sample(range(count), CONTACTS)
        if one != other
    }
    both = {one for one in range(count) if rng.random() < THERE}
    forum, chat = _ids(rng, "F", count), _ids(rng, "T", count)
    left = _view(rng, sorted(known), forum)
    right = _view(rng, sorted(edge for edge in known if both.issuperset(edge)), chat)
    there = {id for edge in right for id in edge}
    return left, right, {x: (y,) for x, y in zip(forum, chat, strict=True) if y in there}


def _ids(rng: Random, letter: str, count: int) -> list[str]:
    numbers = list(range(1001, 1001 + count))
    rng.shuffle(numbers)
    return [f"{letter}{number}" for number in numbers]


def _view(rng: Random, known: list[tuple[int, int]], ids: list[str]) -> Edges:
    """The edges that a view shows, in the order of its own ids."""
    return sorted(
        (min(ids[a], ids[b]), max(ids[a], ids[b])) for a, b in known if rng.random() < SHOWN
    )
