"""The gap at a node: how much worse the complete matcher can be than the holdout one there.

It is computed for the worst truth. At a node the holdout matcher has h matches, the complete one c,
and hc matches are common. Other nodes' labels may show which of them are true (`Cell`).
"""

from fractions import Fraction

from matchbound.theorems.tally import Cell


def precision_loss(cell: Cell) -> Fraction:
    """The most that precision can fall from holdout to complete; below 0 for a certain gain.

    In the worst case, all of H − C that may be true are; of C − H, only the known ones are; and of
    the common matches, as few as possible are true if c ≤ h, else as many as possible.
    """
    dropped = cell.h - cell.hc - cell.dropped_wrong
    common = cell.right if cell.c <= cell.h else cell.hc - cell.wrong
    before = Fraction(common + dropped, cell.h) if cell.h else Fraction(0)
    after = Fraction(common + cell.added_right, cell.c) if cell.c else Fraction(0)
    return before - after


def precision_loss_one_to_one(cell: Cell) -> Fraction:
    """`precision_loss` where a node has at most one true match."""
    if cell.h == 0:
        return precision_loss(cell)
    single = Fraction(1, cell.h)  # the precision of one true match among h
    loss = single if cell.hc < cell.h else max(Fraction(0), single - Fraction(1, cell.c))
    return min(loss, precision_loss(cell))


def recall_loss(cell: Cell) -> Fraction:
    """The most that recall can fall, by dropped true matches minus known added ones.

    In the worst case, all of H − C that may be true are, and else only known true matches.
    """
    dropped = cell.h - cell.hc - cell.dropped_wrong
    if dropped <= cell.added_right:
        return Fraction(0)
    true = cell.right + dropped + cell.added_right + cell.missed
    return Fraction(dropped - cell.added_right, true)


def dropped_share(cell: Cell) -> Fraction:
    """The share of the holdout matcher's matches that the complete one dropped and may be true."""
    return Fraction(cell.h - cell.hc - cell.dropped_wrong, cell.h) if cell.h else Fraction(0)


def paper_precision_loss(cell: Cell) -> float:
    """The paper's d_p. It is at most 1 + h, not 3 as printed there."""
    if cell.h == 0 or cell.c == 0:
        return float(cell.h > 0)
    return 1.0 + (cell.h - cell.hc) / cell.c if differs(cell) else 0.0


def drops(cell: Cell) -> bool:
    """d_r: whether the complete matcher dropped a match."""
    return cell.hc < cell.h


def differs(cell: Cell) -> bool:
    return not cell.h == cell.c == cell.hc
