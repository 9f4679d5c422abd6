"""A node's values, from its triple. An unlabelled node counts as the worst case."""

from collections.abc import Sequence

from matchbound.tallies import Triple


def precisions(triples: Sequence[Triple]) -> list[float]:
    """p_H at the nodes that have it."""
    return [(ht or 0) / h for h, _, ht in triples if h > 0]


def found(triples: Sequence[Triple]) -> tuple[list[bool], list[float]]:
    """Who has a match of the holdout matcher, and p_H there."""
    return [h > 0 for h, *_ in triples], [(ht or 0) / h if h else 0.0 for h, _, ht in triples]


def recalls(triples: Sequence[Triple]) -> tuple[list[bool], list[float]]:
    """Who has a true match, and r_H there."""
    member = [t is None or t > 0 for _, t, _ in triples]
    return member, [(ht or 0) / t if t else 0.0 for _, t, ht in triples]


def matched(triples: Sequence[Triple]) -> list[bool]:
    """Who is verified to have a true match."""
    return [bool(t) for _, t, _ in triples]


def errors(triples: Sequence[Triple]) -> list[bool]:
    """Who has other matches than the true ones."""
    return [not h == t == ht for h, t, ht in triples]


def verified_without(triples: Sequence[Triple]) -> int:
    return sum(t == 0 for _, t, _ in triples)
