"""A description of the tables that are loaded in an engine and ready to be tallied."""

from collections.abc import Sequence
from dataclasses import dataclass

from matchbound.tables import Row

TEXT = ("string", "string")


@dataclass(frozen=True)
class Loaded:
    """The tables `population`, `holdout`, `complete` and `labels` in an engine, and the draw.

    `size` is the number of the population's nodes. `kinds` are the types of the ids of x and y in
    the first three tables; ids in labels and in the sample are text. `clusters` are the tables of
    clusters, which are counted without listing their pairs. The matchers are compared on the nodes
    of `gap`, or else on all nodes; for guarantees about the `future`, drawn nodes are left out.
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
