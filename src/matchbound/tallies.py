"""The counts that every guarantee follows from. They hold no identifier."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from matchbound.errors import InputError

Triple = tuple[int, int | None, int | None]
"""At a node: h matches found by the holdout matcher, t true ones, ht both; t and ht are None where
nobody verified the node."""

Cell = tuple[int, int, int, int]
"""h, c and hc (found by the holdout matcher, the complete one, both), and the number of nodes."""


@dataclass(frozen=True)
class Tally:
    """Labels and gap, counted.

    `train` holds D's triples, `validation` S's in S's own order, `overlap` the places in it (from
    0) of nodes that are in D as well, `gap` the cells over a census of the population (or over a
    sample of it), `size` the number of nodes in the population. Without a complete matcher the
    gap's c and hc equal h.
    """

    size: int
    train: tuple[Triple, ...]
    validation: tuple[Triple, ...]
    overlap: tuple[int, ...]
    gap: tuple[Cell, ...]

    @property
    def fresh(self) -> tuple[Triple, ...]:
        """S − D, in S's order."""
        if not self.overlap:
            return self.validation
        also_trained = set(self.overlap)
        return tuple(t for i, t in enumerate(self.validation) if i not in also_trained)

    @property
    def drawn(self) -> int:
        """How many nodes the gap was counted over."""
        return sum(count for *_, count in self.gap)

    @property
    def is_census(self) -> bool:
        return self.drawn == self.size

    def as_dict(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "train": [list(triple) for triple in self.train],
            "validation": [list(triple) for triple in self.validation],
            "overlap": list(self.overlap),
            "gap": [list(cell) for cell in self.gap],
        }

    @staticmethod
    def from_dict(tally: Mapping[str, Any]) -> "Tally":
        """Read back from a certificate; refused if no population could give such counts."""
        try:
            result = Tally(
                int(tally["size"]),
                _triples(tally["train"]),
                _triples(tally["validation"]),
                tuple(int(place) for place in tally["overlap"]),
                tuple((int(h), int(c), int(hc), int(n)) for h, c, hc, n in tally["gap"]),
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InputError(
                "tallies must hold size, train, validation, overlap and gap, got something else. "
                "Give a certificate as matchbound wrote it."
            ) from None
        _check(result)
        return result


def _triples(rows: Iterable[Any]) -> tuple[Triple, ...]:
    return tuple(
        (int(h), None if t is None else int(t), None if ht is None else int(ht))
        for h, t, ht in rows
    )


def _fits(h: int, t: int | None, ht: int | None) -> bool:
    return t is not None and ht is not None and 0 <= ht <= min(h, t)


def _check(tally: Tally) -> None:
    possible = (
        all(0 <= hc <= min(h, c) and count > 0 for h, c, hc, count in tally.gap)
        and all(
            h >= 0 and ((t is None and ht is None) or _fits(h, t, ht))
            for h, t, ht in (*tally.train, *tally.validation)
        )
        and all(0 <= place < len(tally.validation) for place in tally.overlap)
        and len(set(tally.overlap)) == len(tally.overlap) <= len(tally.train)
        and 0 < tally.drawn <= tally.size
        and max(len(tally.train), len(tally.validation)) <= tally.size
    )
    if not possible:
        raise InputError(
            "tallies must be possible counts, got some that no population has. "
            "Give a certificate as matchbound wrote it."
        )
