"""Any metric of the holdout matcher, as a ratio of two sums, from a draw by any weights.

Nodes of D, and those whose values follow from the matcher's output, are known. The others form the
urn U. Given what was drawn before, the next drawn node of U is any that is left with a probability
in proportion to its weight, so the metric is bet on the drawn nodes of U, wherever they come.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from matchbound.bounds import Draws, Urn, pooled_lower
from matchbound.theorems.design import Design
from matchbound.theorems.limits import found_outside
from matchbound.theorems.ratios import NOTHING, Parts, Ratio
from matchbound.theorems.tally import Label, Tally
from matchbound.theorems.terms import bounded, sampled, sure, trained, worst

SMALLEST = 1e-9  # the least planned variance, in units of the greatest possible square


class BeforeDraw(NamedTuple):
    """What bets need besides the draws: the urn's sums, those of known nodes, and the variance.

    Values are bet on above `least`, the least that any node can have.
    """

    urn: Urn
    known: tuple[float, float]
    variance: float
    least: float


@dataclass(frozen=True)
class Holdout:
    """The holdout matcher's `ratio` over a population.

    `limit` is the most true matches of a node, `among`: nodes with more do not count.
    """

    ratio: Ratio
    tally: Tally
    design: Design
    limit: int
    among: bool = False

    def lower(self, name: str, delta: float) -> float:
        """A lower bound on the ratio; `name` is that of the term."""
        if not self._urn:
            return float(self._exact)
        draws, before = self._draws, self.before_draw
        return before.least + bounded(
            name,
            delta,
            lambda d: pooled_lower(
                draws,
                before.urn,
                known=before.known,
                planned=self._planned,
                delta=d,
                variance=before.variance,
                top=1.0 - before.least,
                anytime=self.design.is_anytime,
            ),
        )

    @cached_property
    def before_draw(self) -> BeforeDraw:
        num, den = (
            sum((nodes * parts[i] for parts, nodes in self._known.items()), Fraction(0))
            for i in (0, 1)
        )
        known = float(num - self._least * den), float(den)
        return BeforeDraw(self._sums, known, self._variance, float(self._least))

    @property
    def estimate(self) -> float | None:
        """The sample's ratio, each node weighed by one over its weight.

        Nodes that need no label count as they are.
        """
        nodes = self._drawn(self.tally.fresh) or self._drawn(self.tally.train)
        if self._urn and not nodes:
            return None
        shares = [1 / self._weight(node.h) for node in nodes]
        scale = (sum(self._urn.values()) or len(nodes)) / (sum(shares) or 1.0)
        rows = [(self.parts(node), scale * one) for node, one in zip(nodes, shares, strict=True)]
        if self.ratio.known_unmatched:
            rows.append((self.ratio.worst(0, self.limit), self._outside[0]))
        num, den = (sum(float(parts[i]) * number for parts, number in rows) for i in (0, 1))
        return num / den if den else None

    def parts(self, label: Label) -> Parts:
        """What a node adds to the sums; a node without a label counts as the worst case."""
        if label.t is None or label.ht is None:
            return self.ratio.worst(label.h, self.limit)
        if self.among and label.t > self.limit:
            return NOTHING
        return self.ratio.parts(label.h, label.t, label.ht)

    def most(self, found: int) -> Fraction:
        """The greatest denominator that a node can have."""
        return self.ratio.worst(found, self.limit)[1] if self.ratio.pooled else Fraction(1)

    def _is_known(self, found: int) -> bool:
        return self.ratio.known_unmatched and found == 0

    def _drawn(self, labels: Sequence[Label]) -> list[Label]:
        """The labelled nodes of U that can be drawn."""
        return [x for x in sure(labels) if not self._is_known(x.h) and self._weight(x.h) > 0]

    def _weight(self, found: int) -> float:
        return worst("weights of the draw", self.design.weight(found), 1.0)

    @cached_property
    def _outside(self) -> Counter[int]:
        return found_outside(self.tally)

    @cached_property
    def _urn(self) -> dict[int, int]:
        """The nodes of U, by the number of their matches."""
        return {h: nodes for h, nodes in self._outside.items() if not self._is_known(h)}

    @cached_property
    def _known(self) -> Counter[Parts]:
        """The parts of all known nodes, with their numbers."""
        parts = Counter(map(self.parts, trained(self.tally)))
        if self.ratio.known_unmatched:
            parts[self.ratio.worst(0, self.limit)] += self._outside[0]
        return parts

    @property
    def _exact(self) -> Fraction:
        num, den = (
            sum((nodes * parts[i] for parts, nodes in self._known.items()), Fraction(0))
            for i in (0, 1)
        )
        return num / den if den else Fraction(0)

    @cached_property
    def _least(self) -> Fraction:
        """The least value that any node can have; values are bet on above it."""
        if self.ratio.pooled:
            return Fraction(0)
        found = {cell.h for cell in self.tally.everywhere}
        return min(self.ratio.worst(h, self.limit)[0] for h in found)

    @cached_property
    def _sums(self) -> Urn:
        rows = [(self._weight(h), float(self.most(h)), n) for h, n in self._urn.items()]
        return Urn(
            sum(weight * n for weight, _, n in rows),
            sum(weight**2 * n for weight, _, n in rows),
            sum(most * n for _, most, n in rows),
            max(most / weight for weight, most, _ in rows),
        )

    @cached_property
    def _seen(self) -> Sequence[Label]:
        """The drawn nodes of U, in draw order."""
        return [label for label in sampled(self.tally) if not self._is_known(label.h)]

    @cached_property
    def _draws(self) -> Draws:
        parts = [self.parts(label) for label in self._seen]
        return Draws(
            np.array([float(num - self._least * den) for num, den in parts]),
            np.array([float(den) for _, den in parts]),
            np.array([float(self.most(label.h)) for label in self._seen]),
            np.array([self._weight(label.h) for label in self._seen]),
        )

    @property
    def _planned(self) -> int:
        """How many nodes of U are planned to be drawn.

        From a uniform draw, it may be the number that came. A draw by weight from more than U may
        not use it: where the others came tells which nodes they were.
        """
        if not self.design.weigh:
            return max(1, len(self._seen))
        everyone = sum(self.design.weight(h) * n for h, n in self._outside.items())
        return max(1, round(len(self.tally.fresh) * self._sums.weight / everyone))

    @property
    def _variance(self) -> float:
        """The planned variance, not too small for bets on the node that might lose the most."""
        return max(self.design.variance or self._guessed, SMALLEST * self._sums.risk**2)

    @property
    def _guessed(self) -> float:
        """The planned variance if no labels tell it: each node's matches all right or all wrong."""
        guess = 0.95 if self.design.guess is None else self.design.guess
        total = 0.0
        for h, nodes in self._urn.items():
            true = min(max(h, 1), self.limit)
            den = float(self.ratio.parts(h, true, min(h, true))[1])
            total += nodes * den**2 / self._weight(h)
        return total * guess * (1 - guess) / self._sums.weight
