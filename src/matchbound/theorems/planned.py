"""Planning values from the training nodes' labels: the variance that bets and stakes expect.

They are a matter of width alone: a bound holds whatever they are, if they were fixed without the
validation labels.
"""

from collections.abc import Callable, Mapping

from matchbound.theorems.tally import Label, Tally
from matchbound.theorems.terms import sure

RAISED = 1.5  # steady bets forgive a variance planned too large more than one too small
LEAST, MOST = 0.02, 0.995  # what a metric is taken to be at the least and at the most
Part = Callable[[Label], tuple[float, bool]]
"""A node's value, and whether it counts."""


def planned_variances(tally: Tally, *, raised: bool) -> dict[str, float]:
    """By metric; none where no training node counts. `raised`: for bets in a drawn order."""
    found = {}
    for metric, part in PARTS.items():
        nodes = [label for label in sure(tally.train) if metric != "precision" or label.h]
        variance = _variance([part(label) for label in nodes])
        if variance is not None:
            found[metric] = variance * (RAISED if raised else 1.0)
    return found


def brought_variances(tallies: Mapping[str, Tally]) -> dict[str, float]:
    """Of labels brought along: by the first part's training nodes, which are never unsure."""
    return planned_variances(next(iter(tallies.values())), raised=False)


def _variance(nodes: list[tuple[float, bool]]) -> float | None:
    """Of 1{counts}·(value − mean), with half a node at the worst payoff besides."""
    counting = [value for value, counts in nodes if counts]
    if not counting:
        return None
    mean = min(max(sum(counting) / len(counting), LEAST), MOST)
    squares = sum((value - mean) ** 2 for value in counting)
    return (squares + mean**2 / 2) / (len(nodes) + 0.5)


PARTS: dict[str, Part] = {
    "precision": lambda label: ((label.ht or 0) / label.h, True),
    "recall": lambda label: ((label.ht or 0) / label.t if label.t else 0.0, bool(label.t)),
    "error-rate": lambda label: (float(label.h == label.t == label.ht), True),
}
