"""The setting of a tally: a sample of a population, and the choices made before labelling."""

from collections.abc import Sequence
from dataclasses import dataclass

from matchbound.tables import Form, Matching, Row
from matchbound.theorems import Choices


@dataclass(frozen=True)
class Setting:
    """The population, the sample and the choices, of a draw or of a sample that the user brought.

    `exploratory` are the choices that differ from the draw's. `stops`: labelling may have stopped
    before the end of the order. `truth` is the form of the labels.
    """

    size: int
    kinds: tuple[str, str]  # types of the loaded ids of x, which are the population's, and of y
    sample: Sequence[Row]
    gap: Sequence[str]
    choices: Choices
    origin: str
    matching: Matching
    exploratory: tuple[str, ...] = ()
    stops: bool = False
    truth: Form | None = None
