"""Variances planned from the training nodes' labels, for the size of bets and stakes.

They affect only how tight a bound is: it holds whatever they are, if they do not depend on the
validation labels.
"""

from collections.abc import Mapping, Sequence

from matchbound.theorems.choices import Choices
from matchbound.theorems.design import Design
from matchbound.theorems.metrics import METRICS, Metric
from matchbound.theorems.ratios import NOTHING, RECALL_WHERE_FOUND, Ratio
from matchbound.theorems.tally import Label, Tally
from matchbound.theorems.terms import sure

RAISED = 1.5  # bets lose less by a variance planned too large than by one too small
LEAST, MOST = 0.02, 0.995  # the range in which a metric is assumed to be


def planned_variances(tally: Tally, choices: Choices, *, raised: bool) -> dict[str, float]:
    """The variances by metric, for the metrics for which a training node counts.

    `raised`: for bets in a drawn order.
    """
    variances = {}
    for name, metric in METRICS.items():
        ratio = _bet_on(metric, choices)
        variance = _variance(metric, ratio, sure(tally.train), choices.design(name))
        if variance is not None:
            variances[name] = variance * (RAISED if raised else 1.0)
    return variances


def brought_variances(tallies: Mapping[str, Tally], choices: Choices) -> dict[str, float]:
    """The variances of labels that users bring: from the first part's training nodes."""
    return planned_variances(next(iter(tallies.values())), choices, raised=False)


def _bet_on(metric: Metric, choices: Choices) -> Ratio:
    """The ratio that is bet on: recall may be over the nodes with a found match alone."""
    if choices.applied_theorem == "sharp" and choices.design(metric.name).every_node_matched:
        return RECALL_WHERE_FOUND
    return metric.ratio


def _variance(
    metric: Metric, ratio: Ratio, labels: Sequence[Label], design: Design
) -> float | None:
    """The mean square of num − mean·den, with half a node of the worst payoff added.

    It is over all nodes; or over those that count, where the matcher's output shows which do. For
    draws by weight, squares are divided by weights, in units of the mean weight.
    """
    most_within = design.among_limit if metric.needs_limit else None
    counts = {label: (label.h, label.t or 0, label.ht or 0) for label in labels}
    within = {label for label in counts if most_within is None or (label.t or 0) <= most_within}
    right = ratio.share(counts[label] for label in labels if label in within)
    unknown = [label for label in labels if label.h or not ratio.known_unmatched]
    labels = [label for label in unknown if design.weight(label.h)]
    if right is None or not labels:
        return None
    mean = min(max(metric.rightness(float(right)), LEAST), MOST)
    most = design.limit or max(label.t or 0 for label in labels)
    weights = [design.weight(label.h) for label in labels]
    squares, risk = 0.0, 0.0
    for label, weight in zip(labels, weights, strict=True):
        num, den = map(float, ratio.parts(*counts[label]) if label in within else NOTHING)
        payoff = (num if metric.is_lower else den - num) - mean * den
        greatest = float(ratio.worst(label.h, most)[1]) if ratio.pooled else 1.0
        squares += payoff**2 / weight
        risk = max(risk, greatest / weight)
    squares /= sum(weights) / len(weights)
    return (squares + (mean * risk) ** 2 / 2) / (len(labels) + 0.5)
