"""The most that one wrong label can lower a metric of the complete matcher, besides the effect on
the labels' bound.

A node with a wrong label must be treated as not in L: its part of the sums over L is lost, and its
gap is counted.
"""

from fractions import Fraction

from matchbound.theorems import gaps
from matchbound.theorems.tally import Cell, Label


def precision(label: Label, one_to_one: bool) -> Fraction:
    loss = gaps.precision_loss_one_to_one if one_to_one else gaps.precision_loss
    before = Fraction(label.ht or 0, label.h) if label.h else Fraction(0)
    after = Fraction(label.ct or 0, label.c) if label.c else Fraction(0)
    return max(after, after - before + loss(_cell(label)))


def recall(label: Label) -> float:
    before, after = ((right or 0) / label.t if label.t else 0.0 for right in (label.ht, label.ct))
    return max(after, after - before + gaps.drops(_cell(label)))


def error_rate(label: Label) -> int:
    before, after = not label.h == label.t == label.ht, not label.c == label.t == label.ct
    return max(1 - after, before - after + gaps.differs(_cell(label)))


def _cell(label: Label) -> Cell:
    return Cell(label.h, label.c, label.hc, 1)
