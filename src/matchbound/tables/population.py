"""Load the population, and the part of it that is drawn from where the user gives one."""

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


def part_column(within: Source, id: str | None) -> str:
    """The column of ids in a part: named as the population's, if there is such a column."""
    if id is not None and within.column(str(id)):
        return id_column(within, id)
    if within.column("id", "unique_id") is None:
        raise InputError(
            "within must have a column of ids with the name that the population's has, or 'id', "
            f"got {listed(within.columns)}. Rename it."
        )
    return id_column(within, None)


def kind_of_part(within: Source | None, id: str | None, kind: str) -> str:
    """The type as which ids are read, if that of all other columns is `kind`."""
    if within is None or kind == "string":
        return kind
    return kind_of_ids(within, part_column(within, id))
