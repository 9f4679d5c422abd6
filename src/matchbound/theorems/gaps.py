"""How far the complete matcher can be from the holdout one at a node, whatever the truth.

At a node the holdout matcher found h matches, the complete one c, and hc are found by both. Other
nodes' labels may tell the truth of some of them (`Cell`).
"""

from fractions import Fraction

from matchbound.theorems.tally import Cell


def precision_loss(cell: Cell) -> Fraction:
    """The most that precision can fall from holdout to complete; below 0 for a certain gain.

    The worst truth holds all of H − C that may be true, none of C − H but what is known to be, and
    of the common matches as few as possible if c ≤ h, else as many.
    """
    dropped = cell.h - cell.hc - cell.dropped_wrong
    common = cell.right if cell.c <= cell.h else cell.hc - cell.wrong
    before = Fraction(common + dropped, cell.h) if cell.h else Fraction(0)
    after = Fraction(common + cell.added_right, cell.c) if cell.c else Fraction(0)
    return before - after


def precision_loss_one_to_one(cell: Cell) -> Fraction:
    """The same where a node has at most one true match."""
    if cell.h == 0:
        return precision_loss(cell)
    alone = Fraction(1, cell.h)
    loss = alone if cell.hc < cell.h else max(Fraction(0), alone - Fraction(1, cell.c))
    return min(loss, precision_loss(cell))


def recall_loss(cell: Cell) -> Fraction:
    """The most that recall can fall: true matches that were dropped, less those known to be added.

    The worst truth holds all of H − C that may be true, and else only what is known to be.
    """
    dropped = cell.h - cell.hc - cell.dropped_wrong
    if dropped <= cell.added_right:
        return Fraction(0)
    true = cell.right + dropped + cell.added_right + cell.missed
    return Fraction(dropped - cell.added_right, true)


def dropped_share(cell: Cell) -> Fraction:
    """The part of the holdout matcher's matches that the complete one dropped and may be true."""
    return Fraction(cell.h - cell.hc - cell.dropped_wrong, cell.h) if cell.h else Fraction(0)


def paper_precision_loss(cell: Cell) -> float:
    """d_p, the paper's: at most 1 + h, not 3 as printed."""
    if cell.h == 0 or cell.c == 0:
        return float(cell.h > 0)
    return 1.0 + (cell.h - cell.hc) / cell.c if differs(cell) else 0.0


def drops(cell: Cell) -> bool:
    """d_r: whether a match was dropped."""
    return cell.hc < cell.h


def differs(cell: Cell) -> bool:
    return not cell.h == cell.c == cell.hc
