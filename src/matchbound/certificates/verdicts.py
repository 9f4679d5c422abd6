"""Whether a certificate has its targets, and the room that they leave to other versions."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from matchbound.certificates.certificate import Certificate
from matchbound.reprs import brief
from matchbound.theorems import WHOLE, Tally, changed_matches, has_room, holdout_tally, room

UNKNOWN = "–"


@dataclass(frozen=True)
class Verdict:
    """Whether a release has a target, or why not, and the room that the target leaves.

    `room` is the share of the holdout matcher's pairs that any version may change; None if the
    holdout matcher itself lacks the target, or (`is_told` is False) if no theorem tells. `reason`:
    nothing that is certified so meets a target.
    """

    is_met: bool
    reason: str = ""
    room: Fraction | None = None
    is_told: bool = True

    @property
    def text(self) -> str:
        if self.reason:
            return f"not met ({self.reason})"
        return f"{'met' if self.is_met else 'not met'}, room {self.room_text}"

    def __repr__(self) -> str:
        return brief(self, self.text)

    @property
    def room_text(self) -> str:
        if not self.is_told:
            return UNKNOWN
        return "none" if self.room is None else as_percent(self.room, math.floor)


class Judge:
    """Gives verdicts on targets; room is computed once for all versions of a holdout matcher."""

    def __init__(self, targets: Mapping[str, float]) -> None:
        self._targets = targets
        self._rooms: dict[tuple[Tally, str, str], int | None] = {}

    def verdicts(self, one: Certificate) -> dict[str, Verdict]:
        """The verdicts by metric, on those that the certificate is about."""
        metrics = [metric for metric in self._targets if metric in one.choices.metrics]
        return {metric: self._verdict(one, metric) for metric in metrics}

    def _verdict(self, one: Certificate, metric: str) -> Verdict:
        is_met, reason = one.meets(metric, self._targets[metric]), one.why_unmet(metric)
        if reason or not counts_pairs(one) or not has_room(metric, one.choices):
            return Verdict(is_met, reason, is_told=False)
        alone = holdout_tally(one.tallies[WHOLE])
        key = alone, repr(one.choices), metric
        if key not in self._rooms:
            self._rooms[key] = room(alone, one.choices, metric, self._targets[metric])
        changes, (_, matches) = self._rooms[key], changed_matches(alone)
        return Verdict(is_met, room=None if changes is None else Fraction(changes, matches))


def counts_pairs(one: Certificate) -> bool:
    """Whether the matches that its tally counts are pairs, each counted as often as every other.

    In a part of one table a pair inside the part counts twice and one that leads out of it once.
    """
    return one.growth is None and one.inputs.within is None


def as_percent(share: Fraction, rounded: Callable[[Fraction], int]) -> str:
    """A share in percent, rounded up or down to two decimals."""
    return f"{rounded(share * 10_000) / 100:.2f}%"
