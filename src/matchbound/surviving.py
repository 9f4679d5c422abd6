"""How many wrong labels a certificate survives: each wrong one where it hurts most."""

from collections.abc import Mapping
from dataclasses import replace

from matchbound.choices import Choices
from matchbound.errors import AssumptionError
from matchbound.tallies import Tally
from matchbound.theorems import Guarantee, guarantees

ORDERLESS = ("hypergeometric", "binomial", "hoeffding", "serfling")


def can_tell(found: tuple[Guarantee, ...], tallies: Mapping[str, Tally]) -> bool:
    """Only bounds that never fall as a value rises, and to which all right nodes are alike."""
    alike = all(max(h, t or 0) <= 1 for tally in tallies.values() for h, t, _ in tally.validation)
    return alike and all(g.bound in ORDERLESS for g in found)


def with_errors(
    tallies: Mapping[str, Tally], choices: Choices, errors: int, *, complete: bool
) -> tuple[Guarantee, ...]:
    """The guarantees if so many validation labels were wrong, whichever hurts each term most.

    A right label that is wrong counts as an unlabelled node does: as wrong for precision and the
    error rate, as a miss for recall, as no match for the share of X'. No other error costs more.
    """
    doubted = {part: _doubt(tally, errors) for part, tally in tallies.items()}
    try:
        return guarantees(doubted, choices, complete=complete)
    except AssumptionError:  # nothing is left to tell by
        return ()


def survives(
    tallies: Mapping[str, Tally],
    choices: Choices,
    metric: str,
    part: str,
    target: float,
    *,
    complete: bool,
) -> int | None:
    """The most wrong labels for which a target still holds; None if it does not hold anyway."""

    def holds(errors: int) -> bool:
        for g in with_errors(tallies, choices, errors, complete=complete):
            if (g.metric, g.part) == (metric, part):
                return g.value >= target if g.side == "lower" else g.value <= target
        return False

    if not holds(0):
        return None
    low, high = 0, 1 + max(len(tally.validation) for tally in tallies.values())
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _doubt(tally: Tally, errors: int) -> Tally:
    """Right nodes outside D become unlabelled; where there are no more, other labelled ones."""
    known = set(tally.overlap)
    places = [i for i, (_, t, _) in enumerate(tally.validation) if t is not None and i not in known]
    places.sort(key=lambda i: not tally.validation[i][2])
    chosen = set(places[:errors])
    nodes = tuple(
        (h, None, None) if i in chosen else (h, t, ht)
        for i, (h, t, ht) in enumerate(tally.validation)
    )
    return replace(tally, validation=nodes)
