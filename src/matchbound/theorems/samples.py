"""A sample's own value of a metric, to compare a bound with."""

from matchbound.theorems.choices import Choices
from matchbound.theorems.metrics import METRICS
from matchbound.theorems.tally import Tally
from matchbound.theorems.weighted import Holdout


def sample_mean(metric: str, tally: Tally, choices: Choices) -> float | None:
    """The holdout matcher's metric in the validation sample; None if no node counts."""
    return Holdout(METRICS[metric].ratio, tally, choices.design(metric), 1).estimate
