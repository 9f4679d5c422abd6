"""What labels leave possible, with no probability involved: no bound lies outside.

Labelled nodes are as they are; the most that the others can be is all right, the least all wrong.
"""

import math
from collections.abc import Sequence

from matchbound.choices import Choices
from matchbound.tallies import Tally
from matchbound.theorems import labels
from matchbound.theorems.terms import worst

Range = tuple[float, float]
ANYTHING: Range = (0.0, 1.0)


def possible(metric: str, tally: Tally, choices: Choices) -> Range:
    """The least and the most that the complete matcher's metric can be, given the labels."""
    if choices.future:
        return ANYTHING
    values, others = {"precision": _precision, "recall": _recall, "error-rate": _error_rate}[
        metric
    ](tally, choices)
    size = len(values) + others
    if not size:
        return ANYTHING
    seen = math.fsum(values)
    low, half, high = (seen / size, (seen + others / 2) / size, (seen + others) / size)
    if metric == "error-rate":  # of which the bound is from above
        return low, worst("possible error-rate", high, half)
    return worst(f"possible {metric}", low, half), high


def _precision(tally: Tally, choices: Choices) -> tuple[Sequence[float], int]:
    """p_C at the labelled nodes that have it, and how many other nodes have, or may have."""
    unlabelled = tally.size - len(tally.labelled)
    if not choices.is_sampled:
        unlabelled = sum(cell.nodes for cell in tally.gap if cell.c)
    return labels.complete_precisions(tally.labelled), unlabelled


def _recall(tally: Tally, choices: Choices) -> tuple[Sequence[float], int]:
    return labels.complete_recalls(tally.labelled), tally.size - len(tally.labelled)


def _error_rate(tally: Tally, choices: Choices) -> tuple[Sequence[float], int]:
    return labels.complete_errors(tally.labelled), tally.size - len(tally.labelled)
