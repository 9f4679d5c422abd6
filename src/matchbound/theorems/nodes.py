"""Nodes' values, from their labels. A node without a sure label counts as the worst case."""

from collections.abc import Iterable, Sequence

from matchbound.theorems.tally import Label


def precisions(labels: Iterable[Label]) -> list[float]:
    """p_H at the nodes that the holdout matcher matches."""
    return [(label.ht or 0) / label.h for label in labels if label.h > 0]


def precisions_if_matched(labels: Sequence[Label]) -> tuple[list[bool], list[float]]:
    """Whether the holdout matcher matches each node, and p_H there."""
    return (
        [label.h > 0 for label in labels],
        [(label.ht or 0) / label.h if label.h else 0.0 for label in labels],
    )


def recalls(labels: Sequence[Label]) -> tuple[list[bool], list[float]]:
    """Whether each node has a true match, and r_H there."""
    return (
        [label.t is None or label.t > 0 for label in labels],
        [(label.ht or 0) / label.t if label.t else 0.0 for label in labels],
    )


def matched(labels: Iterable[Label]) -> list[bool]:
    """Whether each node is verified to have a true match."""
    return [bool(label.t) for label in labels]


def errors(labels: Iterable[Label]) -> list[bool]:
    """Whether the holdout matcher's matches differ from the true ones at each node."""
    return [not label.h == label.t == label.ht for label in labels]


def complete_errors(labels: Iterable[Label]) -> list[bool]:
    """Whether the complete matcher's matches differ from the true ones at each node."""
    return [not label.c == label.t == label.ct for label in labels]


def complete_recalls(labels: Iterable[Label]) -> list[float]:
    """r_C at the nodes with a true match."""
    return [(label.ct or 0) / label.t for label in labels if label.t]


def verified_without(labels: Iterable[Label]) -> int:
    return sum(label.t == 0 for label in labels)
