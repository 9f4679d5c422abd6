"""Load the population, and the part of it that is drawn from where the user gives one."""

from collections.abc import Sequence

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables.predictions import id_column, kind_of_ids, read_ids
from matchbound.tables.sources import Source, listed


def read_population(
    con: Engine,
    source: Source,
    id: str | None,
    kind: str = "string",
    *,
    checked: bool = False,
    origin: str | None = None,
    within: Source | None = None,
) -> int:
    """Load the nodes that are drawn from as the table `population`; return how many there are.

    `within` has the ids of a part, which `population` is then; `everyone` has all nodes always.
    Matches and labels may be of any of them.
    """
    whole = "population" if within is None else "whole_population"
    column = id_column(source, id)
    size = read_ids(con, source, whole, column, kind, checked=checked, origin=origin)
    con.rows(f"create or replace temp view everyone as select id from {whole}")
    if within is None:
        return size
    column = part_column(within, id)
    size = read_ids(con, within, "population", column, kind, checked=checked, origin=origin)
    unknown = "select min(p.id) from population p anti join everyone e on e.id = p.id"
    for (node,) in con.rows(unknown):
        if node is not None:
            raise InputError(
                f"within must hold ids of the population, got {str(node)!r}, which is not in it. "
                "Correct the id, or leave it out."
            )
    return size


def read_now(
    con: Engine,
    source: Source,
    id: str | None,
    kind: str,
    origin: str | None,
    changed: Source | None,
) -> int:
    """Load the nodes of a population that has changed since as `nodes_now`; return how many.

    `changed` has the ids of records that are not what they were: each counts as removed, and as a
    new one. So that these are told apart, new ones have a space after the id, which no id has.
    `nodes_then` has all nodes of the draw's time, and `everyone` those of both times from now on.
    """
    column = id_column(source, id)
    size = read_ids(con, source, "nodes_now", column, kind, origin=origin)
    con.keep("nodes_then", "select id from everyone")
    if changed is not None:
        _read_changed(con, changed, id, kind, origin)
        con.keep("nodes_now", renamed("nodes_now", "id"))
    con.keep("of_both_times", "select id from nodes_then union select id from nodes_now")
    con.rows("create or replace temp view everyone as select id from of_both_times")
    return size


def _read_changed(
    con: Engine, changed: Source, id: str | None, kind: str, origin: str | None
) -> None:
    read_ids(con, changed, "changed", part_column(changed, id), kind, origin=origin)
    unknown = (
        "select min(c.id) from changed c anti join nodes_now n on n.id = c.id "
        "anti join nodes_then t on t.id = c.id"
    )
    for (node,) in con.rows(unknown):
        if node is not None:
            raise InputError(
                f"changed must hold ids of the population, as it was or as it is now, got "
                f"{str(node)!r}, which is in neither. Correct the id, or leave it out."
            )


def renamed(table: str, *columns: str, others: Sequence[str] = (), where: str = "true") -> str:
    """SQL that selects a table with the ids of changed records, in these columns, as new ones.

    `others` are columns to keep as they are. `where` says in which rows ids are the population's.
    """
    names = [f"case when {c}_.id is null then t.{c} else t.{c} || ' ' end as {c}" for c in columns]
    joins = [f"left join changed {c}_ on {c}_.id = t.{c} and {where}" for c in columns]
    kept = [f"t.{other}" for other in others]
    return f"select {', '.join([*names, *kept])} from {table} t {' '.join(joins)}"


def part_column(within: Source, id: str | None) -> str:
    """The column of ids in a list of nodes: named as the population's, if there is such a one."""
    if id is not None and within.column(str(id)):
        return id_column(within, id)
    if within.column("id", "unique_id") is None:
        raise InputError(
            f"{within.argument} must have a column of ids with the name that the population's has, "
            f"or 'id', got {listed(within.columns)}. Rename it."
        )
    return id_column(within, None)


def kind_of_part(within: Source | None, id: str | None, kind: str) -> str:
    """The type as which ids are read, if that of all other columns is `kind`."""
    if within is None or kind == "string":
        return kind
    return kind_of_ids(within, part_column(within, id))
