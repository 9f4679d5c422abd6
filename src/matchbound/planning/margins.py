"""A metric as it is guessed to be, and the guarantee that a sample of it would get."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from matchbound.choices import Choices
from matchbound.parts import WHOLE
from matchbound.tallies import Cell, Tally, Triple
from matchbound.theorems import Guarantee, guarantees

NONE: Triple = (0, 0, 0)


class Urn(NamedTuple):
    """What the validation nodes outside D are drawn from."""

    nodes: int
    members: int
    right: int


@dataclass(frozen=True)
class Margin:
    """Of `size` nodes `members` count for the metric, and the holdout matcher is right at `right`.

    The members are the nodes it matches (precision), those with a true match (recall), all (error
    rate). A node that counts has `each` matches, all right or all wrong. `choices` are the metric's
    own, with its share of δ; `gap` are the cells that the two matchers are guessed to have. Of the
    `train` nodes, and of those drawn to validate on too, what is expected is taken to come.
    """

    metric: str
    choices: Choices
    complete: bool
    size: int
    members: int
    right: int
    gap: tuple[Cell, ...]
    train: int = 0
    each: int = 1

    @property
    def bets(self) -> bool:
        """Whether the bound depends on the order of the labels."""
        return self.spread(labels=1, members=1, right=1).bound == "betting"

    def fresh(self, labels: int) -> int:
        """The validation nodes that tell: `sharp` knows D's already."""
        return labels - self._overlap(labels)

    def _overlap(self, labels: int) -> int:
        return round(labels * len(self._trained) / self.size)

    @cached_property
    def _trained(self) -> tuple[Triple, ...]:
        """D's triples, as expected; `paper` makes no use of them."""
        if self.choices.theorem == "paper":
            return ()
        members = round(self.train * self.members / self.size)
        return self._triples(self.train, members, round(members * self.right / self.members))

    def _triples(self, nodes: int, members: int, right: int) -> tuple[Triple, ...]:
        e = self.each
        wrong: Triple = (e, e, 0)
        return ((e, e, e),) * right + (wrong,) * (members - right) + (NONE,) * (nodes - members)

    @cached_property
    def urn(self) -> Urn:
        counting = [triple for triple in self._trained if triple != NONE]
        known = sum(bool(right) for *_, right in counting)
        return Urn(self.size - len(self._trained), self.members - len(counting), self.right - known)

    def expected(self, labels: int) -> tuple[float, float]:
        """How many of them count, and are right."""
        nodes, members, right = self.urn
        counting = self.fresh(labels) * members / nodes
        return counting, counting * right / max(members, 1)

    def typical(self, labels: int) -> float:
        """The bound from the sample expected, between those from the nearest whole numbers."""
        members, right = self.expected(labels)
        whole, part = divmod(members, 1)
        wrong = members - right
        return (1 - part) * self._between(labels, int(whole), wrong) + (
            part * self._between(labels, int(whole) + 1, wrong) if part else 0.0
        )

    def _between(self, labels: int, members: int, wrong: float) -> float:
        members = max(members, 1)
        whole, part = divmod(min(wrong, members), 1)
        low = self.spread(labels, members, members - int(whole)).value
        if not part:
            return low
        return (1 - part) * low + part * self.spread(
            labels, members, members - int(whole) - 1
        ).value

    def spread(self, labels: int, members: int, right: int) -> Guarantee:
        """From a sample whose kinds are evenly spread over its order."""
        counts = (right, members - right, self.fresh(labels) - members)
        places = sorted(((j + 0.5) / n, i) for i, n in enumerate(counts) for j in range(n))
        return self.of_order(labels, [i for _, i in places])

    def value(self, labels: int, members: int, right: int) -> float:
        """From a sample in which so many count and are right; any order."""
        return self._of(labels, self._triples(self.fresh(labels), members, right)).value

    def of_order(self, labels: int, kinds: Sequence[int]) -> Guarantee:
        """From a sample given in its order: 0 right, 1 wrong, 2 does not count."""
        by_kind = self._triples(3, 2, 1)
        return self._of(labels, tuple(by_kind[kind] for kind in kinds))

    def _of(self, labels: int, fresh: tuple[Triple, ...]) -> Guarantee:
        again = self._trained[: self._overlap(labels)]
        places = tuple(range(len(fresh), len(fresh) + len(again)))
        tally = Tally(self.size, self._trained, fresh + again, places, self.gap)
        (found,) = guarantees({WHOLE: tally}, self.choices, complete=self.complete)
        return found

    def reaches(self, value: float, target: float) -> bool:
        return value <= target if self.metric == "error-rate" else value >= target
