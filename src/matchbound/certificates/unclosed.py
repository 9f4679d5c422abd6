"""What a certificate says of pairs whose clusters link more: it is about the pairs alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matchbound.tallies import Unclosed
from matchbound.theorems import METRICS, WHOLE, Choices

DECIMALS = 6
Means = tuple[float, float]
"""A metric in the sample, of the pairs and of their clusters."""


@dataclass(frozen=True)
class ClustersBeside:
    """The clusters beside certified pairs of one table.

    They link so many `more` pairs. `part` is the part of matches that the pairs are; `means` are
    the certified matcher's metrics in the sample.
    """

    part: str
    more: int
    means: Mapping[str, Means]

    def __post_init__(self) -> None:
        numbers = [number for both in self.means.values() for number in both]
        if type(self.more) is not int or not all(isinstance(one, float) for one in numbers):
            raise TypeError("clusters beside pairs must have numbers")

    def as_dict(self) -> dict[str, object]:
        means = {metric: list(both) for metric, both in self.means.items()}
        return {"part": self.part, "more": self.more, "means": means}

    @staticmethod
    def of(record: Any) -> "ClustersBeside":
        means = {metric: (float(a), float(b)) for metric, (a, b) in record["means"].items()}
        return ClustersBeside(record["part"], record["more"], means)

    @property
    def sentence(self) -> str:
        of = "" if self.part == WHOLE else f" ({self.part})"
        changed = [
            f"{metric} {after:.4f} instead of {before:.4f}"
            for metric, (before, after) in self.means.items()
        ]
        sample = f"; in the sample they have {' and '.join(changed)}" if changed else ""
        return (
            f"It is about pairs{of}, not clusters. The clusters that they link have {self.more} "
            f"more pairs{sample}. If clusters are what you deploy, certify those: put the matcher "
            "on record with --clusters."
        )


def clusters_beside(
    unclosed: Mapping[str, Unclosed], choices: Choices
) -> tuple[ClustersBeside, ...]:
    """For each part of matches whose clusters link more.

    Means are left out where nodes were drawn by weight, for which they would not stand.
    """
    metrics = () if choices.weigh else [m for m in choices.metrics if not METRICS[m].of_clusters]
    return tuple(
        ClustersBeside(part, one.more, _means(one, metrics)) for part, one in unclosed.items()
    )


def _means(unclosed: Unclosed, metrics: Sequence[str]) -> dict[str, Means]:
    means = {}
    for metric in metrics:
        share = METRICS[metric].ratio.share
        both = share(unclosed.pairs), share(unclosed.clusters)
        if None not in both:
            before, after = (round(float(mean), DECIMALS) for mean in both if mean is not None)
            means[metric] = before, after
    return means
