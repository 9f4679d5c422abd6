"""Point estimates of the holdout matcher's metrics. They guarantee nothing."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from matchbound.theorems.choices import Choices
from matchbound.theorems.limits import found_outside
from matchbound.theorems.metrics import METRICS, Metric
from matchbound.theorems.parts import Part, parts
from matchbound.theorems.ratios import Parts, Ratio
from matchbound.theorems.tally import Label, Tally
from matchbound.theorems.weighted import Holdout

OfFound = Callable[[int], float]
"""A number of a node, by its number of matches of the holdout matcher: a weight, or a chance."""


@dataclass(frozen=True)
class Estimate:
    """A metric of the holdout matcher as the labels estimate it; None if they tell nothing of it.

    `part` is the band, the threshold or the matcher that it is about, or all matches.
    """

    metric: str
    part: str
    value: float | None


def estimates(
    tallies: Mapping[str, Tally], choices: Choices, *, of_clusters: bool
) -> tuple[Estimate, ...]:
    """Estimate every metric; B-cubed only if the matches are `of_clusters` of one table."""
    return tuple(
        _estimate(metric, part, tallies[part.name], choices)
        for part in parts(choices)
        for metric in _meaningful(part, of_clusters)
    )


def _meaningful(part: Part, of_clusters: bool) -> Iterator[Metric]:
    """Yield the metrics of a part: a band has matches, but no true pairs of its own."""
    for metric in METRICS.values():
        is_of_matches = metric.members == "matched" or not part.is_band
        if is_of_matches and (of_clusters or not metric.of_clusters):
            yield metric


def _estimate(metric: Metric, part: Part, tally: Tally, choices: Choices) -> Estimate:
    design = choices.design(metric.name)
    among = choices.among

    def weight(found: int) -> float:
        return 0.0 if among and not found else design.weight(found)

    return Estimate(metric.name, part.name, estimate(metric.ratio, tally, weight))


def estimate(ratio: Ratio, tally: Tally, weight: OfFound = lambda found: 1.0) -> float | None:
    """Estimate both sums of a ratio, and divide.

    Known nodes add what they are: D's, and nodes without a match where that is all one needs to
    know. A labelled node of S − D stands for 1/π nodes, π being its chance to be drawn. Drawn nodes
    without a label are left out.
    """
    known = Counter(_parts(ratio, label) for label in tally.train if label.is_sure)
    drawn = [label for label in tally.fresh if label.is_sure]
    urn = found_outside(tally) if tally.is_census else Counter({0: tally.size - len(tally.train)})
    if ratio.known_unmatched and tally.is_census:
        known[ratio.parts(0, 0, 0)] += urn.pop(0, 0)
        drawn = [label for label in drawn if label.h]
    chance = _chance(urn, len(drawn), weight)
    if chance is None:
        return None
    rows = [(parts, float(nodes)) for parts, nodes in known.items()]
    rows += [(_parts(ratio, label), 1 / chance(label.h)) for label in drawn]
    num, den = (math.fsum(float(parts[i]) * nodes for parts, nodes in rows) for i in (0, 1))
    return num / den if den else None


def _parts(ratio: Ratio, label: Label) -> Parts:
    return ratio.parts(label.h, label.t or 0, label.ht or 0)


def _chance(urn: Counter[int], drawn: int, weight: OfFound) -> OfFound | None:
    """The chance of each node of the urn to be among those drawn; None if some have none.

    In a draw by weight it is about 1 − exp(−τw), with τ such that the chances add up to the number
    of drawn nodes (Rosén, 1997).
    """
    nodes, weights = urn.total(), {float(weight(found)) for found in urn}
    if nodes and (not drawn or min(weights) <= 0):
        return None
    if len(weights) < 2 or drawn >= nodes:
        return lambda found: drawn / nodes
    low, high = 0.0, 1.0 / min(weights)

    def expected(tau: float) -> float:
        return sum(-n * math.expm1(-tau * weight(found)) for found, n in urn.items())

    while expected(high) < drawn:
        high *= 2
    for _ in range(100):
        tau = (low + high) / 2
        low, high = (tau, high) if expected(tau) < drawn else (low, tau)
    return lambda found: -math.expm1(-high * weight(found))


def sample_mean(metric: str, tally: Tally, choices: Choices) -> float | None:
    """The holdout matcher's metric in the validation sample alone, to compare a bound with."""
    return Holdout(METRICS[metric].ratio, tally, choices.design(metric), 1).estimate
