"""What is tallied: a sample of a population, under the choices made before."""

from collections.abc import Sequence
from dataclasses import dataclass

from matchbound.tables import Form, Matching, Row
from matchbound.theorems import Choices


@dataclass(frozen=True)
class Setting:
    """What the labels are of, wherever they come from.

    `exploratory` are the choices that differ from the draw's. `stops`: labels of a beginning of the
    order may be all there are. `truth` is the form of the labels.
    """

    size: int
    kinds: tuple[str, str]  # of the ids of x, which are the population's, and of y, as loaded
    sample: Sequence[Row]
    gap: Sequence[str]
    choices: Choices
    origin: str
    matching: Matching
    exploratory: tuple[str, ...] = ()
    stops: bool = False
    truth: Form | None = None
