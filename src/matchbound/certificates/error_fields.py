"""The fields of the records in a list of errors, side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matchbound.audits import Draw
from matchbound.certificates.error_search import NodeErrors
from matchbound.engines import Engine, lend
from matchbound.errors import InputError
from matchbound.tables import (
    Records,
    align,
    check_drawn,
    open_source,
    read_records,
    shown_values,
)

Values = Sequence[str | None]


@dataclass(frozen=True)
class Fields:
    """The fields' names, and their values by id: the nodes' and the other records'."""

    names: Sequence[str] = ()
    left: Mapping[str, Values] = field(default_factory=dict)
    right: Mapping[str, Values] = field(default_factory=dict)

    def of(self, node: str, other: str) -> Iterator[tuple[str, str | None, str | None]]:
        """Yield each field's name and its two values; None where a table lacks it."""
        empty: Values = [None] * len(self.names)
        left, right = self.left.get(node, empty), self.right.get(other, empty)
        yield from zip(self.names, left, right, strict=True)


NO_FIELDS = Fields()


def read_fields(
    con: Engine, draw: Draw, nodes: Sequence[NodeErrors], tables: tuple[Any, Any, str | None]
) -> Fields:
    """Read the records that are listed, and no others.

    `tables` are the population with its fields, the table that it is matched with, which may be
    left out if it is the same, and the column of ids in that one.
    """
    records, against, id = tables
    if records is None and against is None:
        return NO_FIELDS
    if records is None or (against is None and not draw.matching.dedupe):
        raise InputError(
            "records and against must be given together unless the draw was made with --dedupe, "
            "got one alone. Give both tables, or neither."
        )
    own = draw.population.id, draw.matching
    others = [pair.other for node in nodes for pair in node.pairs]
    lend(con, "listed_nodes", {"id": list(dict.fromkeys(node.node for node in nodes))})
    lend(con, "listed_others", {"id": list(dict.fromkeys(others))})
    source = open_source(con, "records", records, hashed=False)
    left = read_records(con, source, *own, of_x=True, among="listed_nodes")
    check_drawn(left, [node.node for node in nodes])
    column = own[0] if against is None else id
    other = open_source(con, "against", records if against is None else against, hashed=False)
    right = read_records(con, other, column, draw.matching, of_x=False, among="listed_others")
    fields = align(left, right)
    return Fields(fields.names, _values(left, fields.left), _values(right, fields.right))


def _values(records: Records, numbers: Sequence[int | None]) -> dict[str, Values]:
    return {node: shown_values(records.values(node), numbers) for node in records.rows}
