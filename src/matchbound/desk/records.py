"""Records to be compared, as text: the drawn nodes' and those that may match them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables import (
    Matching,
    Source,
    id_column,
    load,
    node_of_table,
    quoted,
    refuse_empty,
    refuse_spaces,
)

LONGEST = 10_000  # characters of a field that are shown


@dataclass(frozen=True)
class Records:
    """A table in memory: a node a row, and its fields as text or null."""

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
    con: Engine, source: Source, id: str | None, matching: Matching, *, of_x: bool
) -> Records:
    """All records; of the population, those in the table `sample`."""
    column = id_column(source, id)
    if not of_x and matching.source is not None and source.column("source_dataset") is None:
        raise InputError(
            f"{source.argument} must tell its records' source in a column 'source_dataset', since "
            f"the draw has a source, got none in {source.path!r}. Add the column."
        )
    node = node_of_table(source, column, "string", matching.source if of_x else None)
    fields = [name for name in source.columns if name != column]
    table = f"{source.argument}_records"
    texts = "".join(f", cast({quoted(name)} as string) as {quoted(name)}" for name in fields)
    wanted = f"{node} in (select id from sample)" if of_x else "true"
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
    """Fields of two tables side by side: those of the same name first, then the others."""

    names: Sequence[str]
    left: Sequence[int | None]
    right: Sequence[int | None]


def align(left: Records, right: Records) -> Alignment:
    theirs = {name.lower(): i for i, name in enumerate(right.names)}
    places = [(name, i, theirs.pop(name.lower(), None)) for i, name in enumerate(left.names)]
    rest: list[tuple[str, int | None, int | None]] = [
        (right.names[i], None, i) for i in theirs.values()
    ]
    rows = [row for row in places if row[2] is not None]
    rows_alone = [row for row in places if row[2] is None]
    every = [*rows, *rows_alone, *rest]
    return Alignment([n for n, _, _ in every], [i for _, i, _ in every], [j for _, _, j in every])


def shown(values: Sequence[str | None], places: Sequence[int | None]) -> list[str | None]:
    """A record's values in the order of the fields, cut where they are too long to be read."""
    return [None if i is None else _cut(values[i]) for i in places]


def _cut(value: str | None) -> str | None:
    if value is None or len(value) <= LONGEST:
        return value
    return f"{value[:LONGEST]} … ({len(value) - LONGEST} more characters)"
