"""B-cubed precision and recall of clusters, where both matchers ran over the whole population.

A record is in its own cluster and in its own entity, so every record counts. Matches are the other
records of its cluster.
"""

import math
from fractions import Fraction

from matchbound.theorems import ratios
from matchbound.theorems.design import Design
from matchbound.theorems.tally import Cell, Tally
from matchbound.theorems.terms import Finding, worst
from matchbound.theorems.weighted import Holdout


def precision(tally: Tally, design: Design, complete: bool) -> Finding:
    """B_C ≥ B_H + (Σ_L (p_C − p_H) − Σ_{X−L} d) / n."""
    least = math.fsum(c.nodes / (c.c + 1) for c in tally.gap)
    lost = math.fsum(c.nodes * float(precision_loss(c)) for c in tally.gap)
    return _bound(ratios.B3_PRECISION, tally, design, least, lost)


def recall(tally: Tally, design: Design, complete: bool) -> Finding:
    """B_C ≥ B_H + (Σ_L (r_C − r_H) − Σ_{X−L} u/(u + 1)) / n, u = |H − C|."""
    lost = math.fsum(c.nodes * float(recall_loss(c)) for c in tally.gap)
    return _bound(ratios.B3_RECALL, tally, design, 0.0, lost)


def precision_loss(cell: Cell) -> Fraction:
    """The most that a node's precision can fall, over all truths."""
    if cell.c > cell.h:
        return 1 - Fraction(cell.hc + 1, cell.c + 1)
    return Fraction(cell.h - cell.hc + 1, cell.h + 1) - Fraction(1, cell.c + 1)


def recall_loss(cell: Cell) -> Fraction:
    """The most that a node's recall can fall: by all matches that were dropped and may be true."""
    dropped = cell.h - cell.hc - cell.dropped_wrong
    return Fraction(dropped, dropped + 1)


def _bound(ratio: ratios.Ratio, tally: Tally, design: Design, least: float, lost: float) -> Finding:
    """`least` is the least sum of the complete matcher's values outside L."""
    (delta,) = design.shares(1)
    most = design.promised_limit or max(tally.size - 1, 1)
    holdout = Holdout(ratio, tally, design, most)
    low = holdout.lower(f"sharp {design.metric} labels", delta)
    before = _sum(ratio, [(label.h, label.t, label.ht) for label in tally.labelled])
    after = _sum(ratio, [(label.c, label.t, label.ct) for label in tally.labelled])
    lost = worst("sharp b3 gap", lost, 0.0)
    value = (after + max(least, low * tally.size - before - lost)) / tally.size
    return Finding(value, holdout.estimate, design.labels_bound(False))


def _sum(ratio: ratios.Ratio, counts: list[tuple[int, int | None, int | None]]) -> float:
    return math.fsum(float(ratio.parts(m, t or 0, both or 0)[0]) for m, t, both in counts)
