"""The records that people compare, as text: drawn nodes, and records that may match them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables.ids import refuse_empty, refuse_spaces
from matchbound.tables.predictions import id_column, node_of_table
from matchbound.tables.sides import Matching
from matchbound.tables.sources import Source, load, quoted

LONGEST = 10_000  # characters of a field that are shown


@dataclass(frozen=True)
class Records:
    """A table in memory: each row is a node, and its fields are text or null."""

    source: Source
    table: Any  # Arrow, the column of nodes first
    names: Sequence[str]

    @cached_property
    def rows(self) -> dict[str, int]:
        return {node: row for row, node in enumerate(self.table.column(0).to_pylist())}

    def node(self, row: int) -> str:
        return str(self.table.column(0)[row].as_py())

    def values(self, node: str) -> list[str | None]:
        row = self.rows[node]
        return [self.table.column(1 + i)[row].as_py() for i in range(len(self.names))]


def read_records(
    con: Engine,
    source: Source,
    id: str | None,
    matching: Matching,
    *,
    of_x: bool,
    among: str | None = None,
    origin: str | None = None,
) -> Records:
    """Read records of the population (`of_x`) or of the table that it is matched with.

    `among` is a table of the ids that are wanted, if not all are. `origin` is the source of the
    other table's records, if it is known and no column of theirs tells it.
    """
    column, origin = id_column(source, id), matching.source if of_x else origin
    has_sources = origin is not None or source.column("source_dataset") is not None
    if matching.source is not None and not has_sources:
        raise InputError(
            f"{source.argument} must tell its records' source in a column 'source_dataset', since "
            f"the draw has a source, got none in {source.path!r}. Add the column."
        )
    node = node_of_table(source, column, "string", origin)
    fields = [name for name in source.columns if name != column]
    table = f"{source.argument}_records"
    texts = "".join(f", cast({quoted(name)} as string) as {quoted(name)}" for name in fields)
    wanted = "true" if among is None else f"{node} in (select id from {among})"
    load(con, source, table, f"{node} as node{texts}", wanted)
    refuse_empty(con, source, table, {"node": column})
    refuse_spaces(con, source, table, {"node": column})
    records = Records(source, con.arrow(f"select * from {table} order by node"), fields)
    _check_each_once(records)
    return records


def _check_each_once(records: Records) -> None:
    if len(records.rows) < records.table.num_rows:
        raise InputError(
            f"{records.source.argument} must hold each id once, got "
            f"{records.table.num_rows - len(records.rows)} repeats. Remove them."
        )


def check_drawn(records: Records, nodes: Sequence[str]) -> None:
    missing = [node for node in nodes if node not in records.rows]
    if missing:
        raise InputError(
            f"records must hold every drawn node, got none for {len(missing)} of {len(nodes)} "
            f"(first: {missing[0]!r}). Give the table that was drawn from, with its fields."
        )


@dataclass(frozen=True)
class Alignment:
    """The fields of two tables side by side: those of the same name first, then the others.

    `left` and `right` are the fields' numbers in either table; None if it lacks the field.
    """

    names: Sequence[str]
    left: Sequence[int | None]
    right: Sequence[int | None]


def align(left: Records, right: Records) -> Alignment:
    in_right = {name.lower(): i for i, name in enumerate(right.names)}
    of_left = [(name, i, in_right.pop(name.lower(), None)) for i, name in enumerate(left.names)]
    right_only: list[tuple[str, int | None, int | None]] = [
        (right.names[i], None, i) for i in in_right.values()
    ]
    common = [field for field in of_left if field[2] is not None]
    left_only = [field for field in of_left if field[2] is None]
    every = [*common, *left_only, *right_only]
    return Alignment([n for n, _, _ in every], [i for _, i, _ in every], [j for _, _, j in every])


def shown_values(values: Sequence[str | None], numbers: Sequence[int | None]) -> list[str | None]:
    """A record's values in the order of the fields (`numbers`), cut where they are too long."""
    return [None if i is None else _cut(values[i]) for i in numbers]


def _cut(value: str | None) -> str | None:
    if value is None or len(value) <= LONGEST:
        return value
    return f"{value[:LONGEST]} … ({len(value) - LONGEST} more characters)"
