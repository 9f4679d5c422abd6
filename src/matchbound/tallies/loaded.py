"""A description of the tables that are loaded in an engine and ready to be tallied."""

from collections.abc import Sequence
from dataclasses import dataclass

from matchbound.tables import Form, Matching, Row
from matchbound.theorems import Choices

TEXT = ("string", "string")
BROUGHT = "brought"
"""The origin of labelled nodes that no draw has: a code of `certificates/remark`."""


@dataclass(frozen=True)
class Loaded:
    """The tables `population`, `holdout`, `complete` and `labels` in an engine, and the draw.

    `size` is the number of the population's nodes; `in_part`: they are a part, and tables of
    matches have those of other nodes, too. `kinds` are the types of the ids of x and y in
    the first three tables; ids in labels and in the sample are text. `clusters` are the tables of
    clusters, which are counted without listing their pairs. The matchers are compared on the nodes
    of `gap`, or else on all nodes; for guarantees about the `future`, drawn nodes are left out.
    `erased` are the drawn nodes whose labels were erased: they count as the worst case, even if
    there is a label. `erased_records` is how many records are in no cluster of the labels since.
    `entities`: true matches must form entities.
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
    erased: Sequence[Row] = ()
    erased_records: int = 0
    entities: bool = False
    in_part: bool = False


@dataclass(frozen=True)
class Setting:
    """The population, the sample and the choices, of a draw or of a sample that the user brought.

    `exploratory` are the choices that differ from the draw's. `stops`: labelling may have stopped
    before the end of the order. `truth` is the form of the labels. `erased` are the drawn nodes
    whose labels were erased, `erased_records` the number of records that were in their clusters.
    `whole_size` is the number of all nodes, where `size` is that of a part of the population.
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
    erased: Sequence[Row] = ()
    erased_records: int = 0
    whole_size: int | None = None

    @property
    def is_brought(self) -> bool:
        return self.origin == BROUGHT
