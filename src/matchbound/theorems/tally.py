"""The counts from which every guarantee follows. They contain no ids."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from matchbound.errors import InputError
from matchbound.reprs import brief


class Label(NamedTuple):
    """A drawn node's numbers of matches: h by the holdout matcher, t true ones, ht of both; c by
    the complete matcher, ct of these true, hc by both matchers. t, ht and ct are None if nobody
    verified the node."""

    h: int
    t: int | None
    ht: int | None
    c: int
    ct: int | None
    hc: int

    @property
    def is_sure(self) -> bool:
        return self.t is not None

    @staticmethod
    def alone(h: int, t: int | None, ht: int | None) -> "Label":
        """The label without a complete matcher: the holdout one takes its place."""
        return Label(h, t, ht, h, ht, h)


class Cell(NamedTuple):
    """How many `nodes` have h, c and hc matches (by holdout, by complete, by both).

    The other numbers come from other nodes' labels, where a population is matched with itself. Of
    the common matches, `right` are known to be true and `wrong` known to be false; of those by the
    holdout matcher alone, `dropped_wrong` are known to be false; of those by the complete matcher
    alone, `added_right` are known to be true; `missed` are known true matches that neither has.
    """

    h: int
    c: int
    hc: int
    nodes: int
    right: int = 0
    wrong: int = 0
    dropped_wrong: int = 0
    added_right: int = 0
    missed: int = 0

    @property
    def known(self) -> tuple[int, ...]:
        return self[4:]

    def as_list(self) -> list[int]:
        return list(self) if any(self.known) else list(self[:4])


@dataclass(frozen=True)
class Tally:
    """The counts of labels and gap.

    `size` is the number of nodes in the population. `train` are D's labels, `validation` S's in
    S's order, and `overlap` the places in S (from 0) of nodes that are in D too. `gap` has the
    cells of all nodes without a sure label (a census), or of a sample of all nodes, labelled or
    not. Without a complete matcher, c and hc equal h, and ct equals ht.
    """

    size: int
    train: tuple[Label, ...]
    validation: tuple[Label, ...]
    overlap: tuple[int, ...]
    gap: tuple[Cell, ...]

    def __repr__(self) -> str:
        labelled = f"{len(self.validation)} to validate on, {len(self.train)} to train on"
        return brief(self, f"{self.size} nodes; labelled are {labelled}")

    @cached_property
    def fresh(self) -> tuple[Label, ...]:
        """S − D, in S's order."""
        if not self.overlap:
            return self.validation
        also_trained = set(self.overlap)
        return tuple(t for i, t in enumerate(self.validation) if i not in also_trained)

    @cached_property
    def labelled(self) -> tuple[Label, ...]:
        """L: the nodes of D and S with a sure label, each once."""
        return tuple(label for label in (*self.train, *self.fresh) if label.is_sure)

    @property
    def drawn(self) -> int:
        """How many nodes the gap was counted over."""
        return sum(cell.nodes for cell in self.gap)

    @property
    def is_census(self) -> bool:
        return self.drawn + len(self.labelled) == self.size

    @cached_property
    def everywhere(self) -> tuple[Cell, ...]:
        """The cells of all nodes, labelled or not, if the gap is a census; else of its sample."""
        if not self.is_census:
            return self.gap
        counts = Counter((label.h, label.c, label.hc) for label in self.labelled)
        for cell in self.gap:
            counts[cell[:3]] += cell.nodes
        return tuple(Cell(*numbers, nodes) for numbers, nodes in sorted(counts.items()))

    def as_dict(self) -> dict[str, Any]:
        """The tally as certificate.json has it: the population's size, and rows of counts."""
        return {
            "size": self.size,
            "train": [list(label) for label in self.train],
            "validation": [list(label) for label in self.validation],
            "overlap": list(self.overlap),
            "gap": [cell.as_list() for cell in self.gap],
        }

    @staticmethod
    def from_dict(tally: Mapping[str, Any]) -> "Tally":
        """Read a tally from a certificate; refuse counts that no population can have."""
        try:
            result = Tally(
                int(tally["size"]),
                _labels(tally["train"]),
                _labels(tally["validation"]),
                tuple(int(place) for place in tally["overlap"]),
                tuple(Cell(*map(int, cell)) for cell in tally["gap"]),
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InputError(
                "tallies must hold size, train, validation, overlap and gap, got something else. "
                "Give a certificate as matchbound wrote it."
            ) from None
        _check(result)
        return result


def _labels(rows: Iterable[Any]) -> tuple[Label, ...]:
    return tuple(
        Label(int(h), _count(t), _count(ht), int(c), _count(ct), int(hc))
        for h, t, ht, c, ct, hc in rows
    )


def _count(number: Any) -> int | None:
    return None if number is None else int(number)


def _is_possible(label: Label) -> bool:
    """Whether some sets H, C and T have these sizes."""
    h, t, ht, c, ct, hc = label
    if not 0 <= hc <= min(h, c):
        return False
    if t is None or ht is None or ct is None:
        return t is ht is ct is None
    if not (0 <= ht <= min(h, t) and 0 <= ct <= min(c, t)):
        return False
    # If k of the common matches are true, k is at most hc, ht and ct; and it is at least `least`,
    # because the other true matches must fit into H − C, C − H and T.
    least = max(0, ht - (h - hc), ct - (c - hc), ht + ct - t)
    return least <= min(hc, ht, ct)


def _is_cell(cell: Cell) -> bool:
    h, c, hc, nodes, right, wrong, dropped_wrong, added_right, missed = cell
    return (
        0 <= hc <= min(h, c)
        and nodes > 0
        and min(right, wrong, dropped_wrong, added_right, missed) >= 0
        and right + wrong <= hc
        and dropped_wrong <= h - hc
        and added_right <= c - hc
    )


def _check(tally: Tally) -> None:
    possible = (
        all(map(_is_cell, tally.gap))
        and all(map(_is_possible, (*tally.train, *tally.validation)))
        and all(0 <= place < len(tally.validation) for place in tally.overlap)
        and len(set(tally.overlap)) == len(tally.overlap) <= len(tally.train)
        and 0 <= tally.drawn <= tally.size
        and len(tally.train) + len(tally.fresh) <= tally.size
    )
    if not possible:
        raise InputError(
            "tallies must be possible counts, got some that no population has. "
            "Give a certificate as matchbound wrote it."
        )
