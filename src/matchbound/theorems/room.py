"""How far a complete matcher may move from the holdout matcher before a target is lost.

A *changed match* is one that C dropped from H(x) or added to it, counted at every node x. So in
deduplication, where both of its records have a pair, it counts twice, in H as in what changed, and
the share of matches that changed is that of pairs.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from matchbound.bounds import GRAIN
from matchbound.theorems import sharp
from matchbound.theorems.choices import Choices
from matchbound.theorems.design import Design
from matchbound.theorems.guarantees import ROUNDING, outwards
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.others import holdout_alone
from matchbound.theorems.parts import WHOLE, parts
from matchbound.theorems.possible import possible
from matchbound.theorems.tally import Cell, Tally
from matchbound.theorems.terms import matched_count


def changed_matches(tally: Tally) -> tuple[int, int]:
    """How many matches the complete matcher changed, and how many the holdout matcher has."""
    cells = tally.everywhere
    changed = sum(cell.nodes * (cell.h + cell.c - 2 * cell.hc) for cell in cells)
    return changed, sum(cell.nodes * cell.h for cell in cells)


def has_room(metric: str, choices: Choices) -> bool:
    """Whether `room` is proved: for the sharp theorem with a census, without parts."""
    is_whole = [part.name for part in parts(choices)] == [WHOLE]
    return metric in WORST and is_whole and choices.applied_theorem == "sharp"


def room(tally: Tally, choices: Choices, metric: str, target: float) -> int | None:
    """The most changed matches with which every complete matcher keeps a target.

    Claim: whichever matches C changes, if they are at most as many, the labels of this tally
    certify the target of C; or C is refused, because it breaks a promise. None: the holdout matcher
    itself does not have the target, or only by what other nodes' labels tell of a node.
    Proof: `WORST[metric]` is at or below every bound on such a C, as is shown there, and both are
    rounded alike.
    With one change more some C loses the target, as long as there are unlabelled nodes at which a
    change costs most: for precision unmatched ones, for recall and the error rate matched ones.
    Where they run out, C needs more changes than that. C may also change more and keep the target.
    """
    alone = holdout_tally(tally)
    worst = WORST[metric](alone, choices.design(metric))
    row = METRICS[metric]

    def is_kept(changes: int) -> bool:
        spare = ROUNDING if changes else 0.0  # two sums of the same numbers may differ by it
        value = worst(changes) + (-spare if row.is_lower else spare)
        return row.meets(outwards(value, row.side), target)

    if not is_kept(0):
        return None
    low, high = 0, matched_count(alone.everywhere)  # so many changes can leave no match at all
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_kept(middle) else (low, middle)
    return low


def holdout_tally(tally: Tally) -> Tally:
    """The holdout matcher's tally, which all its versions have in common.

    What other nodes' labels tell of a node is left out: it only raises bounds, and how much depends
    on C, which may drop a match that is known to be true.
    """
    counts = Counter[int]()
    for cell in tally.gap:
        counts[cell.h] += cell.nodes
    gap = tuple(Cell(h, h, h, nodes) for h, nodes in sorted(counts.items()))
    return replace(holdout_alone(tally), gap=gap)


Worst = Callable[[int], float]
"""The worst bound on a complete matcher's metric, by its number of changed matches."""


def _bounded(metric: str, tally: Tally, design: Design) -> float:
    """The bound on the holdout matcher, within what is possible."""
    row = METRICS[metric]
    low, high = possible(row, tally, design)
    return min(max(row.theorems["sharp"](tally, design, False).value, float(low)), float(high))


def _precision(tally: Tally, design: Design) -> Worst:
    """The least (ρM − i − l/2) / (M − i + j) with i + j + l = k changes, at most n − M of them j.

    ρ is the bound on H, M = |X_H|, R = ρM. The bound on C is N(C)/|X_C| with N(C) = Σ_L p_C +
    max(0, U − Σ_{X−L} d) ≥ R − Σ ℓ, where ℓ is p_H − p_C at a node of L, and d, the greatest that
    this can be, at others. A node with b changes is of one of three kinds.
    Newly matched (h = 0 < c): ℓ ≤ 0, b ≥ 1, and |X_C| has one node more. Emptied (h > 0 = c):
    ℓ ≤ 1, b ≥ 1, and |X_C| has one less. Else |X_C| keeps it, and ℓ ≤ b/2: let a of its matches be
    dropped and e be added, b = a + e. If e ≤ a, then ℓ ≤ a/h, at most a/2 where h ≥ 2; where h = 1,
    it is 0 or, because something was added, 1 = b/2. If e > a, then ℓ ≤ e/(h − a + e), at most e/2
    where a < h, and 1 < b/2 where a = h.
    With j nodes of the first kind, i of the second and l changes at the third the claim follows,
    and a quotient of linear functions is least at a corner of its range. What is possible at most
    of C, (Σ_L p_C + the most that is possible elsewhere)/|X_C|, falls by no more: ρ was cut at it.
    """
    matched = matched_count(tally.everywhere)
    right, unmatched = matched * _bounded("precision", tally, design), tally.size - matched

    def worst(changes: int) -> float:
        values = []
        for added in (0, min(changes, unmatched)):
            rest = changes - added
            values += [
                (right - rest) / (matched - rest + added),
                (right - rest / 2) / (matched + added),
            ]
        return min(values)

    return worst


def _recall(tally: Tally, design: Design) -> Worst:
    """The bound on H with k taken from the sum of what is found, at every N.

    The bound on C is the least over N of (Σ_L r_C + max(0, A(N) − Σ_L r_H − loss))/N. A dropped
    match lowers r_C at a node of L by at most 1, or raises the loss by at most 1; an added one does
    neither. A(N) and the range of N do not depend on C. What is possible at most, a/b, falls by at
    most k/b. A search over N may end below the least share by a part `GRAIN` of it.
    """
    is_member = [cell.nodes for cell in tally.gap if cell.h or design.every_node_matched]
    most = sum(bool(label.t) for label in tally.labelled) + sum(is_member)
    _, high = possible(METRICS["recall"], tally, design)

    def worst(changes: int) -> float:
        value = sharp.recall(tally, design, False, dropped=changes).value
        ends = value, float(high) - changes / max(most, 1)
        return min(ends) * (1 - GRAIN if changes else 1)

    return worst


def _error_rate(tally: Tally, design: Design) -> Worst:
    """The bound on H and one node more that is wrong for each change: it concerns one node."""
    rate = _bounded("error-rate", tally, design)
    return lambda changes: rate + changes / tally.size


WORST: dict[str, Callable[[Tally, Design], Worst]] = {
    "precision": _precision,
    "recall": _recall,
    "error-rate": _error_rate,
}
"""By metric: the worst bound on any complete matcher, as a function of its changes."""
