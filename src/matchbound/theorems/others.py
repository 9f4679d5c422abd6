"""Tallies that the same labels give for other matchers: the holdout matcher alone, or patched."""

from dataclasses import replace

from matchbound.theorems.tally import Cell, Label, Tally


def holdout_alone(tally: Tally) -> Tally:
    """The tally with the holdout matcher in place of the complete one."""
    return _with(tally, _label_alone, _cell_alone)


def patched_holdout(tally: Tally) -> Tally:
    """The tally with the patched holdout matcher in place of the complete one.

    Sure labels replace its matches, as `patch` writes them.
    """
    return _with(tally, _label_patched, _cell_patched)


def _with(tally: Tally, label, cell) -> Tally:  # type: ignore[no-untyped-def]
    return replace(
        tally,
        train=tuple(map(label, tally.train)),
        validation=tuple(map(label, tally.validation)),
        gap=tuple(map(cell, tally.gap)),
    )


def _label_alone(label: Label) -> Label:
    return Label.alone(label.h, label.t, label.ht)


def _cell_alone(cell: Cell) -> Cell:
    true = cell.added_right + cell.missed
    return Cell(cell.h, cell.h, cell.h, cell.nodes, cell.right, cell.wrong, 0, 0, true)


def _label_patched(label: Label) -> Label:
    if label.t is None or label.ht is None:
        return _label_alone(label)
    return label._replace(c=label.t, ct=label.t, hc=label.ht)


def _cell_patched(cell: Cell) -> Cell:
    """The cell if known false matches are dropped, and known true ones added."""
    wrong, added = cell.wrong + cell.dropped_wrong, cell.added_right + cell.missed
    kept = cell.h - wrong
    return Cell(cell.h, kept + added, kept, cell.nodes, cell.right, 0, wrong, added, 0)
