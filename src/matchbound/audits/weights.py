"""Draws by weight: each next node is any that is left, in proportion to its weight.

Nodes are sorted by E/w. w is a node's weight, which follows from how many matches it has by the
holdout matcher. E = −ln(1 − u) is exponential, where u = (k + ½)/2⁶⁴ and k is the first 64 bits of
the node's keyed hash. The least E/w is a node's with probability w over the sum of all weights, and
E forgets: given that, the others are sorted in the same way. Equal weights give the order by hash.

An engine only compares hashes with cuts. Keys are computed here, in decimal arithmetic, which is
the same everywhere: floating-point logarithms may differ in their last bit, and so might the order.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal

import numpy as np

from matchbound.audits.order import key_of, with_margin
from matchbound.engines import Engine, keep, lend, query
from matchbound.files import digest_of_text
from matchbound.theorems import Choices, Tally, found_outside

EXACT = Context(prec=40, rounding=ROUND_HALF_EVEN)
HALVES = Decimal(2**65)
ROUNDING = 1e-9  # of a cut; far more than floating-point arithmetic can err by

Weight = Callable[[int], float]
"""The weight of a node, from the number of its matches by the holdout matcher."""


def weight_of(choices: Choices) -> Weight:
    """The weights that the theorems use."""
    return choices.design(choices.metrics[0]).weight


def key(place: str, weight: float) -> Decimal:
    """What nodes are sorted by; `place` is the node's hash as hexadecimal digits."""
    left = 2 * (2**64 - int(place[:16], 16)) - 1  # 1 − u, in halves of 2⁻⁶⁴
    exponential = EXACT.minus(EXACT.ln(EXACT.divide(Decimal(left), HALVES)))
    return EXACT.divide(exponential, Decimal(weight))


def ranked(
    rows: Iterable[tuple[str, int, str]], weight: Weight, latest: float = math.inf
) -> list[str]:
    """The nodes of rows (node, matches, hash) in their order, up to the key `latest`."""
    keyed = ((key(place, weight(found)), place, node) for node, found, place in rows)
    return [node for _, _, node in sorted(one for one in keyed if one[0] <= Decimal(latest))]


@dataclass(frozen=True)
class Weights:
    """The nodes that can be drawn: how many have each number of matches, and weights by these.

    The table `weighed` in the engine has their ids.
    """

    nodes: Mapping[int, int]
    weight: Weight

    @staticmethod
    def count(con: Engine, trained: Sequence[str], choices: Choices) -> "Weights":
        """Count the matches of all nodes outside D, from the tables `population` and `counted`."""
        lend(con, "trained", {"id": trained})
        keep(con, "weighed", "audits/weighed")
        rows = con.rows("select h, count(*) as nodes from weighed group by h order by h")
        return Weights.of(dict(rows), choices)

    @staticmethod
    def in_tally(tally: Tally, choices: Choices) -> "Weights":
        """The same nodes, as a certificate has counted them."""
        return Weights.of(found_outside(tally), choices)

    @staticmethod
    def of(found: Mapping[int, int], choices: Choices) -> "Weights":
        weight = weight_of(choices)
        return Weights({h: nodes for h, nodes in found.items() if weight(h) > 0}, weight)

    @property
    def size(self) -> int:
        """How many nodes can be drawn."""
        return sum(self.nodes.values())

    @property
    def digest(self) -> str:
        """The digest of how many nodes have each weight, which stands in the ledger."""
        counts = sorted((self.weight(found), nodes) for found, nodes in self.nodes.items())
        return digest_of_text("".join(f"{weight!r} {nodes}\n" for weight, nodes in counts))

    def first(self, con: Engine, seed: str, count: int) -> list[str]:
        """The first nodes in the order of a seed's key."""
        for latest in (self._latest(count), math.inf):
            cuts = self._cuts(latest)
            lend(con, "cuts", {"cut": list(cuts.values())}, {"h": list(cuts)})
            rows = query(con, "audits/below_cuts", key=key_of("validation", seed))
            nodes = ranked(rows, self.weight, latest)
            if len(nodes) >= count:
                break
        return nodes[:count]

    def _latest(self, count: int) -> float:
        """A key that at least `count` nodes are most likely up to; infinite if all are needed."""
        wanted = with_margin(count)
        if wanted >= self.size:
            return math.inf
        weight = np.array([self.weight(found) for found in self.nodes])
        nodes = np.array(list(self.nodes.values()), dtype=np.float64)

        def expected(latest: float) -> float:
            return float(-np.expm1(-weight * latest) @ nodes)

        low, high = 0.0, 1.0
        while expected(high) < wanted:
            low, high = high, 2 * high
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if expected(middle) < wanted else (low, middle)
        return high

    def _cuts(self, latest: float) -> dict[int, str]:
        """By number of matches, a hash that every node with a key up to `latest` is below."""
        shares = {h: -math.expm1(-self.weight(h) * latest) * (1 + ROUNDING) for h in self.nodes}
        return {
            h: "g" if share >= 1 else f"{math.ceil(share * 2**64):016x}"  # every digit is below g
            for h, share in shares.items()
        }
