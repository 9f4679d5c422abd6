"""Large populations as arrays of counts: their truth, draws by weight, and tallies of these."""

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from matchbound import Choices, Tally
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.planned import planned_variances
from matchbound.theorems.tally import Cell, Label
from matchbound.theorems.terms import Terms
from support.populations import breaks, metrics_of
from support.terms import using


@dataclass(frozen=True, eq=False)
class Counts:
    """Each node's h, t and ht, as in labels."""

    h: np.ndarray
    t: np.ndarray
    ht: np.ndarray

    @staticmethod
    def of(kinds: dict[tuple[int, int, int], int]) -> "Counts":
        rows = np.repeat(np.array(list(kinds)), list(kinds.values()), axis=0)
        return Counts(*rows.T)

    @property
    def size(self) -> int:
        return len(self.h)

    @cached_property
    def labels(self) -> list[Label]:
        rows = zip(self.h.tolist(), self.t.tolist(), self.ht.tolist(), strict=True)
        return [Label.alone(*row) for row in rows]

    @cached_property
    def truth(self) -> dict[str, float]:
        return metrics_of(Counter(self.labels))

    def tally(self, trained, order) -> Tally:
        """Of the holdout matcher alone; both lists are of nodes outside each other."""
        rest = Counter(self._everywhere)
        rest.subtract(self.h[[*trained, *order]].tolist())
        gap = tuple(Cell(h, h, h, nodes) for h, nodes in sorted(rest.items()) if nodes)
        train, validation = (tuple(self.labels[i] for i in part) for part in (trained, order))
        return Tally(self.size, train, validation, (), gap)

    @cached_property
    def _everywhere(self) -> Counter:
        return Counter(self.h.tolist())


def in_order(rng, weights: np.ndarray, drawn: int) -> np.ndarray:
    """Nodes drawn one by one by weight, without replacement: by the least keys −ln U/w."""
    with np.errstate(divide="ignore"):
        keys = -np.log(rng.random(len(weights))) / weights
    order = np.argsort(keys)[:drawn]
    return order[np.isfinite(keys[order])]


def draw(rng, counts: Counts, train: int, drawn: int, weights: np.ndarray):
    """D uniform from all nodes, S by weight from the others."""
    trained = rng.permutation(counts.size)[:train]
    left = weights.astype(float).copy()
    left[trained] = 0.0
    return trained.tolist(), in_order(rng, left, drawn).tolist()


def weights_of(counts: Counts, choices: Choices) -> np.ndarray:
    limit = choices.most_true_matches or choices.among_records_with_at_most or 1
    by = {"": np.ones(counts.size), "pairwise-precision": counts.h, "pairwise-f1": counts.h + limit}
    return by[choices.weigh]


@dataclass(frozen=True)
class Setting:
    """A population with `train` nodes of D and `drawn` of S; the plan is `off` by this factor."""

    kinds: dict[tuple[int, int, int], int]
    drawn: int
    choices: dict
    train: int = 0
    off: float = 1.0
    delta: float = field(default=0.05, kw_only=True)


def failures(setting: Setting, runs: int, seed: int, terms: Terms = Terms()) -> int:  # noqa: B008
    """How many of the certificates are false."""
    rng, counts = np.random.default_rng(seed), Counts.of(setting.kinds)
    choices = Choices(setting.delta, **setting.choices)
    weights, failed = weights_of(counts, choices), 0
    for _ in range(runs):
        tally = counts.tally(*draw(rng, counts, setting.train, setting.drawn, weights))
        given = {"all": tally}, planned(tally, choices, setting.off)
        found = using(terms, lambda given=given: guarantees(*given, complete=False))
        failed += breaks(found, counts.truth)
    return failed


def in_random_order(tally: Tally, seed: int) -> Tally:
    """The same labels as a draw in a random order would have had them."""
    order = np.random.default_rng(seed).permutation(len(tally.validation))
    return replace(tally, validation=tuple(tally.validation[i] for i in order))


def planned(tally: Tally, choices: Choices, off: float = 1.0) -> Choices:
    """The choices with variances from D, as the draw enters them into the ledger."""
    given = planned_variances(tally, choices, raised=True)
    variances = {name: off * value for name, value in given.items() if name in choices.metrics}
    return Choices(**{**vars(choices), "variances": variances})


FALSE_CLUSTER = {(1, 1, 1): 380, (19, 0, 0): 20}
MISSED_ENTITY = {(1, 1, 1): 380, (0, 19, 0): 20}
MISSED_WHERE_LIGHT = {(5, 1, 1): 200, (0, 1, 0): 60, (1, 1, 1): 40}
MIXED = {(2, 2, 2): 200, (0, 2, 0): 40, (1, 0, 0): 60, (3, 1, 1): 20, (0, 0, 0): 80}
BY_F1 = {"weigh": "pairwise-f1"}
OLD = ("precision", "recall", "error-rate")
NASTY = {
    "a false cluster": Setting(FALSE_CLUSTER, 100, {"metrics": ("pairwise-precision",)}),
    "a false cluster, by links": Setting(
        FALSE_CLUSTER, 100, {"metrics": ("pairwise-precision",), "weigh": "pairwise-precision"}, 50
    ),
    "a missed entity": Setting(
        MISSED_ENTITY, 100, {"metrics": ("pairwise-recall",), "most_true_matches": 19}
    ),
    "a missed entity, limit proved": Setting(
        MISSED_ENTITY, 60, {"metrics": ("pairwise-recall",), "limit_by_sample": True}
    ),
    "missed where light": Setting(
        MISSED_WHERE_LIGHT, 80, {"metrics": ("pairwise-f1",), "most_true_matches": 1, **BY_F1}, 40
    ),
    "as ever, missed where light": Setting(
        MISSED_WHERE_LIGHT, 80, {"metrics": OLD, "most_true_matches": 1, **BY_F1}, 40, delta=0.15
    ),
    "a plan far too small": Setting(
        MIXED, 120, {"metrics": ("pairwise-f1",), "most_true_matches": 2}, 60, 0.05
    ),
    "a plan far too large": Setting(
        MIXED, 120, {"metrics": ("pairwise-recall",), "most_true_matches": 2}, 60, 20.0
    ),
    "all but one drawn": Setting(MIXED, 399, {"metrics": ("b3-precision",)}),
    "clusters": Setting(MIXED, 100, {"metrics": ("b3-precision",)}, 50),
    "entities": Setting(MIXED, 100, {"metrics": ("b3-recall",)}, 50),
}
"""Populations and plans that are as bad as can be; δ = 0.05 a metric."""
