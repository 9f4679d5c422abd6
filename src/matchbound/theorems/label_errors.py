"""How many wrong labels a certificate survives, if the worst ones are wrong."""

from collections.abc import Mapping
from dataclasses import replace

from matchbound.bounds import BOUNDS
from matchbound.errors import AssumptionError
from matchbound.theorems.choices import Choices
from matchbound.theorems.guarantees import Guarantee, guarantee_with_errors
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.tally import Tally


def why_not_computable(
    certified: tuple[Guarantee, ...], tallies: Mapping[str, Tally], choices: Choices
) -> str:
    """Return the reason why the effect of wrong labels cannot be computed; empty if it can."""
    if choices.choose_threshold:
        return "another threshold might then have been chosen"
    if choices.theorem == "paper" or choices.is_sampled:
        return "it is told for the sharp theorem with a census of both matchers alone"
    if choices.weigh:
        return "it is told for uniform draws alone"
    bounded = [g for g in certified if g.estimate is not None]
    if not all(BOUNDS[g.bound].with_errors for g in bounded):
        names = ", ".join(name for name, row in BOUNDS.items() if row.with_errors)
        return f"it is told for the bounds {names} alone"
    if any(METRICS[g.metric].with_errors is None for g in bounded):
        names = ", ".join(name for name, row in METRICS.items() if row.with_errors)
        return f"it is told for the metrics {names} alone"
    complete = any(g.algorithm == "complete" for g in certified)
    if complete and any(any(cell.known) for tally in tallies.values() for cell in tally.gap):
        return "a wrong label also says something wrong of other nodes, where the matchers differ"
    return ""


def with_errors(
    g: Guarantee, tallies: Mapping[str, Tally], choices: Choices, errors: int
) -> Guarantee | None:
    """The guarantee if at most `errors` validation labels outside D are wrong.

    Any label may be wrong, and its truth may be anything. None if no guarantee is left.
    """
    if errors > len(tallies[g.part].fresh):
        return None
    try:
        value = guarantee_with_errors(g, tallies[g.part], choices, errors)
    except AssumptionError:  # no label that counts is left
        return None
    return replace(g, value=value)


def survives(
    g: Guarantee, tallies: Mapping[str, Tally], choices: Choices, target: float
) -> int | None:
    """The most wrong labels with which a target still holds; None if it never holds."""

    def holds(errors: int) -> bool:
        guarantee = g if not errors else with_errors(g, tallies, choices, errors)
        return guarantee is not None and METRICS[g.metric].meets(guarantee.value, target)

    if not holds(0):
        return None
    low, high = 0, 1 + len(tallies[g.part].validation)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
