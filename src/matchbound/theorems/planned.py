"""Variances planned from the training nodes' labels, for the size of bets and stakes.

They affect only how tight a bound is: it holds whatever they are, if they do not depend on the
validation labels.
"""

from collections.abc import Mapping, Sequence

from matchbound.theorems.metrics import METRICS, Metric
from matchbound.theorems.tally import Label, Tally
from matchbound.theorems.terms import sure

RAISED = 1.5  # bets lose less by a variance planned too large than by one too small
LEAST, MOST = 0.02, 0.995  # the range in which a metric is assumed to be


def planned_variances(tally: Tally, *, raised: bool) -> dict[str, float]:
    """The variances by metric, for the metrics for which a training node counts.

    `raised`: for bets in a drawn order.
    """
    variances = {}
    for name, metric in METRICS.items():
        variance = _variance(metric, sure(tally.train))
        if variance is not None:
            variances[name] = variance * (RAISED if raised else 1.0)
    return variances


def brought_variances(tallies: Mapping[str, Tally]) -> dict[str, float]:
    """The variances of labels that users bring: from the first part's training nodes."""
    return planned_variances(next(iter(tallies.values())), raised=False)


def _variance(metric: Metric, labels: Sequence[Label]) -> float | None:
    """The variance of 1{counts}·(value − mean), with half a node of the worst payoff added.

    It is over all nodes; or over those that count, where the matcher's output shows which do.
    """
    if metric.members == "matched":
        labels = [label for label in labels if label.h]
    counts = [(label.h, label.t or 0, label.ht or 0) for label in labels]
    values = [
        metric.rightness(metric.numerator(*numbers) / whole)
        for numbers in counts
        if (whole := metric.denominator(*numbers))
    ]
    if not values:
        return None
    mean = min(max(sum(values) / len(values), LEAST), MOST)
    squares = sum((value - mean) ** 2 for value in values)
    return (squares + mean**2 / 2) / (len(labels) + 0.5)
