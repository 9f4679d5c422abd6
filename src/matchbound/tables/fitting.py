"""Find the column of a table of records that holds the ids which matches name."""

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables.forms import Clusters, Form
from matchbound.tables.ids import node_of
from matchbound.tables.predictions import id_column, node_of_table
from matchbound.tables.sources import Source, load, quoted, scan

USUAL = ("id", "unique_id")


def count_matches(con: Engine, matches: Source) -> int:
    """The number of rows, at whatever score; refuse a table that has none."""
    ((rows,),) = scan(con, matches, "select count(*)")
    if not rows:
        raise InputError(f"{matches.argument} must hold at least one row, got none. Check it.")
    return int(rows)


def keep_named(con: Engine, matches: Source, form: Form) -> list[str]:
    """Keep the nodes that matches name as the table `named`; return the names of their sources.

    `side` is the column that a node is in: x or y. Clusters have all of theirs in x.
    """
    sides = (
        {"x": (form.id, form.source)}
        if isinstance(form, Clusters)
        else {
            "x": (form.x, form.x_source),
            "y": (form.y, form.y_source),
        }
    )
    for side, (column, origin) in sides.items():
        node = node_of(matches, column, origin)
        source = "null" if origin is None else quoted(origin)
        columns = f"distinct {node} as node, cast({source} as string) as source, '{side}' as side"
        load(con, matches, f"named_{side}", columns, f"{node} <> ''")
    con.keep("named", " union all ".join(f"select * from named_{side}" for side in sides))
    rows = con.rows("select distinct source from named where source is not null order by source")
    return [name for (name,) in rows]


def unheld(
    con: Engine, records: Source, column: str, origin: str | None, among: str = "true"
) -> str | None:
    """The first of the named nodes that a column of records lacks; None if it has them all.

    `origin` is the records' source, if no column of theirs tells it. `among` is SQL that says which
    of the named nodes are meant.
    """
    keep_held(con, "held", records, column, origin)
    ((node,),) = con.rows(
        f"select min(n.node) from named n anti join held h on h.node = n.node where {among}"
    )
    return None if node is None else str(node)


def keep_held(
    con: Engine, table: str, records: Source, column: str, origin: str | None = None
) -> None:
    """Keep the nodes in a column of records as a table."""
    node = node_of_table(records, column, "string", origin)
    load(con, records, table, f"distinct {node} as node")


def fitting_columns(
    con: Engine, records: Source, name: str | None, origin: str | None, among: str
) -> list[str]:
    """The columns of records that may be that of their ids, as they hold every node that is meant.

    That is the one that the user names, `id`, `unique_id`, or else any that has each value once.
    """
    usual = [column for column in map(records.column, USUAL) if column is not None]
    if name is not None:
        usual = [id_column(records, name)]
    fitting = [one for one in usual if unheld(con, records, one, origin, among) is None]
    if fitting or name is not None:
        return fitting
    others = [column for column in records.columns if column not in usual]
    return [
        column
        for column in others
        if _may_hold_ids(con, records, column)
        and unheld(con, records, column, origin, among) is None
    ]


def _may_hold_ids(con: Engine, records: Source, column: str) -> bool:
    if column == records.column("source_dataset"):
        return False
    try:
        key = records.key(column)
    except InputError:  # of dates, of fractions
        return False
    ((rows, values),) = scan(con, records, f"select count(*), count(distinct {key})")
    return bool(rows == values)
