"""How many wrong labels a certificate survives: each wrong one where it hurts most."""

from collections.abc import Mapping
from dataclasses import replace

from matchbound.choices import Choices
from matchbound.errors import AssumptionError
from matchbound.tallies import Tally, Triple
from matchbound.theorems import Guarantee, guarantees

EXACT = ("hypergeometric", "binomial")


def why_untold(found: tuple[Guarantee, ...], tallies: Mapping[str, Tally], choices: Choices) -> str:
    """Why it is not told what wrong labels would do; empty if it is."""
    told = [g for g in found if g.estimate is not None]
    nodes = [node for tally in tallies.values() for node in tally.validation]
    if choices.choose_threshold:
        return "another threshold might then have been chosen"
    if any(max(h, t or 0) > 1 for h, t, _ in nodes):
        return "nodes have several matches, so it matters which label is wrong"
    if not all(g.bound in EXACT for g in told):
        return "only exact bounds, for which all right nodes are alike, can tell"
    return ""


def with_errors(
    g: Guarantee, tallies: Mapping[str, Tally], choices: Choices, errors: int
) -> Guarantee | None:
    """A guarantee if so many validation labels outside D were wrong; None if there are not so many.

    The worst label to be wrong is a right one: it then counts as an unlabelled node does, as wrong
    for precision and the error rate, as a miss for recall, and as no match for the share of X'.
    """
    doubted = {part: _doubt(tally, g.metric, errors) for part, tally in tallies.items()}
    tally = doubted[g.part]
    if tally is None:
        return None
    every = {part: other or tallies[part] for part, other in doubted.items()}
    try:
        found = guarantees(every, choices, complete=g.algorithm == "complete")
    except AssumptionError:  # nothing is left to tell by
        return None
    return next(one for one in found if (one.metric, one.part) == (g.metric, g.part))


def survives(
    g: Guarantee, tallies: Mapping[str, Tally], choices: Choices, target: float
) -> int | None:
    """The most wrong labels for which a target still holds; None if it does not hold anyway."""

    def holds(errors: int) -> bool:
        one = g if not errors else with_errors(g, tallies, choices, errors)
        if one is None:
            return False
        return one.value >= target if one.side == "lower" else one.value <= target

    if not holds(0):
        return None
    low, high = 0, 1 + len(tallies[g.part].validation)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _doubt(tally: Tally, metric: str, errors: int) -> Tally | None:
    """So many right nodes outside D become unlabelled."""
    known = set(tally.overlap)
    right = [
        i for i, node in enumerate(tally.validation) if i not in known and _is_right(node, metric)
    ]
    if len(right) < errors:
        return None
    chosen = set(right[:errors])
    nodes = tuple(
        (h, None, None) if i in chosen else (h, t, ht)
        for i, (h, t, ht) in enumerate(tally.validation)
    )
    return replace(tally, validation=nodes)


def _is_right(node: Triple, metric: str) -> bool:
    h, t, ht = node
    return h == t == ht if metric == "error-rate" else bool(ht)
