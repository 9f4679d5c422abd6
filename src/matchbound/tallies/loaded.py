"""What is loaded in an engine to be tallied."""

from collections.abc import Sequence
from dataclasses import dataclass

from matchbound.tables import Row

TEXT = ("string", "string")


@dataclass(frozen=True)
class Loaded:
    """The tables `population`, `holdout`, `complete` and `labels` in an engine, and the draw.

    `size` is the population's. `kinds` are those of the ids of x and y in the first three tables;
    labels and the sample are text. `clusters` are the tables that have clusters, which are counted
    without listing their pairs. The matchers are compared on the nodes of `gap`, or on all; for
    guarantees about the `future` not on those that were drawn.
    """

    size: int
    sample: Sequence[Row]
    kinds: tuple[str, str] = TEXT
    clusters: frozenset[str] = frozenset()
    complete: bool = False
    dedupe: bool = False
    one_to_one: bool = False
    gap: Sequence[str] = ()
    future: bool = False
