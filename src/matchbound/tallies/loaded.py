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
    `entities`: true matches must form entities. `grown`: the population has changed since the draw,
    and `complete` has the matches of `nodes_now`.
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
    grown: bool = False

    @property
    def has_others(self) -> bool:
        """Whether tables of matches may have those of nodes that are not in `population`."""
        return self.in_part or self.grown


@dataclass(frozen=True)
class Setting:
    """The population, the sample and the choices, of a draw or of a sample that the user brought.

    `exploratory` are the choices that differ from the draw's. `stops`: labelling may have stopped
    before the end of the order. `truth` is the form of the labels. `erased` are the drawn nodes
    whose labels were erased, `erased_records` the number of records that were in their clusters.
    `whole_size` is the number of all nodes, where `size` is that of a part of the population.
    `grown` is how many nodes there are now, if the population has changed since the draw;
    `has_changed`: some of them under an id that was another record's then.
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
    grown: int | None = None
    has_changed: bool = False

    @property
    def needs_entities(self) -> bool:
        """Whether true matches must form entities, where a population is matched with itself.

        So they must for recall, if the population has grown.
        """
        by_growth = self.grown is not None and "recall" in self.choices.metrics
        return self.matching.dedupe and (self.choices.needs_entities or by_growth)

    @property
    def is_brought(self) -> bool:
        return self.origin == BROUGHT
