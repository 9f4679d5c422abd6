"""Version 1's tallies: the gap is counted over all nodes, labelled ones included."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Triple = tuple[int, int | None, int | None]
"""At a node: h matches found by the holdout matcher, t true ones, ht both; None if not verified."""
Cell = tuple[int, int, int, int]
"""h, c and hc (found by the holdout matcher, the complete one, both), and the number of nodes."""


@dataclass(frozen=True)
class Tally:
    """Labels and gap, counted; checked when made."""

    size: int
    train: tuple[Triple, ...]
    validation: tuple[Triple, ...]
    overlap: tuple[int, ...]
    gap: tuple[Cell, ...]

    def __post_init__(self) -> None:
        possible = (
            all(0 <= hc <= min(h, c) and count > 0 for h, c, hc, count in self.gap)
            and all(map(_fits, (*self.train, *self.validation)))
            and all(0 <= place < len(self.validation) for place in self.overlap)
            and len(set(self.overlap)) == len(self.overlap) <= len(self.train)
            and 0 < self.drawn <= self.size
            and max(len(self.train), len(self.validation)) <= self.size
        )
        if not possible:
            raise ValueError("tallies hold counts that no population has")

    @cached_property
    def fresh(self) -> tuple[Triple, ...]:
        """S − D, in S's order."""
        also_trained = set(self.overlap)
        return tuple(t for i, t in enumerate(self.validation) if i not in also_trained)

    @property
    def drawn(self) -> int:
        """How many nodes the gap was counted over."""
        return sum(count for *_, count in self.gap)

    @property
    def is_census(self) -> bool:
        return self.drawn == self.size

    def nodes(self, has: Callable[[int, int, int], bool]) -> int:
        """How many nodes of the gap have a property."""
        return sum(n for h, c, hc, n in self.gap if has(h, c, hc))

    def as_dict(self) -> dict[str, int | list[Any]]:
        return {
            "size": self.size,
            "train": [list(triple) for triple in self.train],
            "validation": [list(triple) for triple in self.validation],
            "overlap": list(self.overlap),
            "gap": [list(cell) for cell in self.gap],
        }

    @staticmethod
    def from_dict(tally: Mapping[str, Any]) -> "Tally":
        return Tally(
            int(tally["size"]),
            _triples(tally["train"]),
            _triples(tally["validation"]),
            tuple(int(place) for place in tally["overlap"]),
            tuple((int(h), int(c), int(hc), int(n)) for h, c, hc, n in tally["gap"]),
        )


def _triples(rows: Iterable[Any]) -> tuple[Triple, ...]:
    return tuple(
        (int(h), None if t is None else int(t), None if ht is None else int(ht))
        for h, t, ht in rows
    )


def _fits(triple: Triple) -> bool:
    h, t, ht = triple
    if t is None or ht is None:
        return h >= 0 and t is ht
    return 0 <= ht <= min(h, t)
