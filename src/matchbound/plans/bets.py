"""The metrics that are planned by bets, on samples in draw order, without a tally.

As `counts`, this is for the theorem `sharp` over a census of the gap, with the bound `auto`.
"""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from matchbound.plans import ratios, star
from matchbound.plans.counts import SampleCounts
from matchbound.plans.drawn import Block
from matchbound.theorems import Design


class ByBets(Protocol):
    """A metric whose bound depends on the order of the labels.

    A target is reached exactly if bets reject what it needs, so no bound has to be searched for.
    """

    def value(
        self,
        sample: SampleCounts,
        design: Design,
        member: NDArray[np.bool_],
        right: NDArray[np.bool_],
        /,
    ) -> float:
        """The guarantee from a sample: whether each node counts, and whether it is right."""

    def reached(
        self,
        sample: SampleCounts,
        design: Design,
        block: Block,
        changed: NDArray[np.float64],
        target: float,
    ) -> NDArray[np.bool_]:
        """Whether each sample's guarantee is the target or more.

        `sample` has the counts of all; `changed` is how many unlabelled nodes are, for each.
        """


BY_BETS: Mapping[str, ByBets] = {"precision": star.PRECISION, "recall": star.RECALL, **ratios.ALL}
