"""Pairwise precision, recall and F1, where both matchers ran over the whole population.

Each counts pairs, not records. Only the statements about the holdout matcher take a part of δ. For
the complete matcher, A is the number of right matches of the holdout one (summed over nodes); the
complete one has at least as many, less those that it dropped, and exactly its own at labelled nodes
(L).
"""

from collections.abc import Callable
from dataclasses import dataclass

from matchbound.theorems import ratios
from matchbound.theorems.design import Design
from matchbound.theorems.limits import limit
from matchbound.theorems.tally import Tally
from matchbound.theorems.terms import Finding, matched_count, worst
from matchbound.theorems.weighted import Holdout

ROUNDING = 1e-9  # more than that of any sum


@dataclass(frozen=True)
class Sums:
    """Sums over nodes. Of labelled ones: right matches by either matcher (`before`, `after`), and
    true matches that the holdout matcher missed. Of others: matches that may be right, those known
    to be right, and `lost`, the most right ones that the complete matcher may have fewer."""

    holdout: int
    complete: int
    before: int
    after: int
    missed: int
    least: int
    most: int
    sure: int
    lost: int

    @staticmethod
    def of(tally: Tally) -> "Sums":
        labels, cells = tally.labelled, tally.gap
        dropped = sum(c.nodes * (c.h - c.hc - c.dropped_wrong - c.added_right) for c in cells)
        before = sum(label.ht or 0 for label in labels)
        return Sums(
            sum(cell.nodes * cell.h for cell in tally.everywhere),
            sum(cell.nodes * cell.c for cell in tally.everywhere),
            before,
            sum(label.ct or 0 for label in labels),
            sum((label.t or 0) - (label.ht or 0) for label in labels),
            before + sum(c.nodes * c.right for c in cells),
            before + sum(c.nodes * (c.h - c.wrong - c.dropped_wrong) for c in cells),
            sum(c.nodes * (c.right + c.added_right) for c in cells),
            worst("sharp pairwise gap", dropped, min(dropped, 0)),
        )

    def right(self, pairs: float) -> float:
        """The complete matcher's right matches, at least, if the holdout one has `pairs`."""
        return self.after + max(self.sure, pairs - self.before - self.lost)

    def least_over(self, low: float, value: Callable[[float], float]) -> float:
        """The least value over all A from `low` on: at an end of its range, or at the kink."""
        low, high = max(low, self.least, 1), max(self.most, 1)
        kink = float(self.before + self.lost + self.sure)
        if low > high * (1 + ROUNDING):  # bounds contradict the labels, and only labels count
            return 0.0
        low = min(low, high)
        return min(value(pairs) for pairs in (low, high, min(max(kink, low), high)))


def precision(tally: Tally, design: Design, complete: bool) -> Finding:
    """Σct/Σc ≥ (Σ_L ct + max(0, A − Σ_L ht − Σ_{X−L} |H − C|)) / Σc, A bounded from below."""
    matched_count(tally.everywhere, "complete")
    sums, holdout = Sums.of(tally), of_precision(tally, design)
    value = complete_right(tally, design) / sums.complete
    return Finding(value, holdout.estimate, design.labels_bound(False))


def complete_right(tally: Tally, design: Design) -> float:
    """A lower bound on Σ_X ct."""
    (delta,) = design.shares(1)
    sums = Sums.of(tally)
    return sums.right(max(right_pairs(tally, design, delta), sums.least))


def recall(tally: Tally, design: Design, complete: bool) -> Finding:
    """Σct/Σt ≥ the least over A of ρ·(Σ_L ct + max(0, A − Σ_L ht − Σ_{X−L} |H − C|)) / A."""
    beside = design.beside.get("pairwise-precision")
    most = limit(tally, design)
    holdout = Holdout(ratios.PAIRWISE_RECALL, tally, design, most or 1, design.is_among)
    bound = design.labels_bound(False)
    if most is None:
        return Finding(0.0, holdout.estimate, bound)
    delta, delta_pairs = design.shares(2) if beside is None else (*design.shares(1), 0.0)
    low = holdout.lower("sharp pairwise-recall labels", delta)
    if not complete:
        return Finding(low, holdout.estimate, bound)
    if beside is None:
        pairs = right_pairs(tally, design, delta_pairs, "sharp pairwise-recall pairs")
    else:
        pairs = right_pairs(tally, beside, beside.shares(1)[0])
    sums = Sums.of(tally)
    value = sums.least_over(pairs, lambda a: low * sums.right(a) / a)
    return Finding(value, holdout.estimate, bound)


def f1(tally: Tally, design: Design, complete: bool) -> Finding:
    """2Σct/(Σc + Σt) ≥ the least over A of 2(Σ_L ct + …) / (Σc + 2A/φ − Σh), φ the holdout's."""
    (delta,) = design.shares(1)
    most = limit(tally, design)
    holdout = Holdout(ratios.PAIRWISE_F1, tally, design, most or 1, design.is_among)
    bound = design.labels_bound(False)
    if most is None:
        return Finding(0.0, holdout.estimate, bound)
    low = holdout.lower("sharp pairwise-f1 labels", delta)
    if not complete or low <= 0:
        return Finding(low, holdout.estimate, bound)
    sums = Sums.of(tally)

    def at(pairs: float) -> float:
        return 2 * sums.right(pairs) / (sums.complete + 2 * pairs / low - sums.holdout)

    fewest = low * (sums.holdout + sums.missed) / (2 - low)
    return Finding(sums.least_over(fewest, at), holdout.estimate, bound)


def of_precision(tally: Tally, design: Design) -> Holdout:
    return Holdout(ratios.PAIRWISE_PRECISION, tally, design, 1)


def right_pairs(
    tally: Tally, design: Design, delta: float, name: str = "sharp pairwise-precision labels"
) -> float:
    """A lower bound on A."""
    found = sum(cell.nodes * cell.h for cell in tally.everywhere)
    return found * of_precision(tally, design).lower(name, delta) if found else 0.0
