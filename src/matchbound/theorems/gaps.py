"""How far the complete matcher can be from the holdout one at a node, whatever the truth.

At a node the holdout matcher found h matches, the complete one c, and hc are found by both.
"""

from fractions import Fraction


def precision_loss(h: int, c: int, hc: int) -> Fraction:
    """The most that precision can fall from holdout to complete: d*, in [0, 1].

    The worst truth holds all of H − C, none of C − H, and the common matches exactly if c > h.
    """
    if h == 0:
        return Fraction(0)
    return 1 - Fraction(hc, max(h, c))


def precision_loss_one_to_one(h: int, c: int, hc: int) -> Fraction:
    """d* where a node has at most one true match."""
    if h == 0:
        return Fraction(0)
    return Fraction(1, h) if hc < h else max(Fraction(0), Fraction(1, h) - Fraction(1, c))


def paper_precision_loss(h: int, c: int, hc: int) -> float:
    """d_p, the paper's: at most 1 + h, not 3 as printed."""
    if h == 0 or c == 0:
        return float(h > 0)
    return 0.0 if h == c == hc else 1.0 + (h - hc) / c


def recall_loss(h: int, c: int, hc: int) -> bool:
    """d_r: whether a match was dropped."""
    return hc < h


def differs(h: int, c: int, hc: int) -> bool:
    return not h == c == hc
