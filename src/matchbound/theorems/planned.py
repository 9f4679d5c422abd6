"""Planning values from the training nodes' labels: the variance that bets and stakes expect.

They are a matter of width alone: a bound holds whatever they are, if they were fixed without the
validation labels.
"""

from collections.abc import Mapping, Sequence

from matchbound.theorems.metrics import METRICS, Metric
from matchbound.theorems.tally import Label, Tally
from matchbound.theorems.terms import sure

RAISED = 1.5  # steady bets forgive a variance planned too large more than one too small
LEAST, MOST = 0.02, 0.995  # what a metric is taken to be at the least and at the most


def planned_variances(tally: Tally, *, raised: bool) -> dict[str, float]:
    """By metric; none where no training node counts. `raised`: for bets in a drawn order."""
    variances = {}
    for name, metric in METRICS.items():
        variance = _variance(metric, sure(tally.train))
        if variance is not None:
            variances[name] = variance * (RAISED if raised else 1.0)
    return variances


def brought_variances(tallies: Mapping[str, Tally]) -> dict[str, float]:
    """Of labels brought along: by the first part's training nodes, which are never unsure."""
    return planned_variances(next(iter(tallies.values())), raised=False)


def _variance(metric: Metric, labels: Sequence[Label]) -> float | None:
    """Of 1{counts}·(value − mean), with half a node at the worst payoff besides.

    Over all nodes; where the matcher shows which nodes count, over these alone.
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
