"""Find ids that two tables write differently: their matches would all count as wrong."""

from collections.abc import Sequence

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables import SEPARATOR, Clusters, Form, Output

ENOUGH = 20
"""At so many labelled nodes no matcher is wrong, and names none of the labelled records anywhere,
unless its ids are others."""
ALIKE = (
    "Write ids alike: without .0 (in pandas, Int64 keeps empty cells), and with the same zeros "
    "before them."
)


def refuse_apart(
    con: Engine, outputs: Sequence[Output], truth: Form | None, *, scored: bool
) -> None:
    """Refuse pairs of two tables as labels that have no y in common with a matcher's matches.

    If ys are the same but for the way they are written, one is enough. Else a matcher may have
    found nothing that is true: it is refused only if it has matches at many of the nodes that have
    a true one. One id in common, at whatever node, shows that ids are written alike.
    """
    if isinstance(truth, Clusters):  # these hold every y of the matchers: that is checked already
        return
    for output in outputs:
        xs, ys = _matched(output, scored)
        if con.rows(f"select 1 from ({ys}) m join labels l on l.y = m.y limit 1"):
            continue
        start = f"labels must name the records that {output.name} names, got y = "
        for labelled, matched in spelled(con, "select y as id from labels", ys, "y"):
            raise InputError(_sentence(start, labelled, matched, output.name, ALIKE))
        ((nodes, labelled),) = con.rows(
            "select count(distinct x), min(y) from labels where y is not null "
            f"and x in (select x from ({xs}) m)"
        )
        if nodes >= ENOUGH:
            ((matched,),) = con.rows(f"select min(y) from ({ys}) m")
            way_out = (
                f"Write ids alike; if they are, {output.name} is wrong at each of {nodes} labelled "
                "nodes with a true match, and there is nothing to certify."
            )
            raise InputError(_sentence(start, labelled, matched, output.name, way_out))


def spelled(con: Engine, ids: str, others: str, column: str = "id") -> list[tuple[str, str]]:
    """The first of some ids that others write with or without .0 or zeros, with that other id."""
    here, there = _plain("a.id"), _plain(f"b.{column}")
    return [
        (first, second)
        for first, second in con.rows(
            f"select a.id, b.{column} from ({ids}) a join ({others}) b on {here} = {there} "
            "order by 1, 2 limit 1"
        )
    ]


def _sentence(start: str, labelled: str, matched: str, name: str, way_out: str) -> str:
    got = f"{labelled!r} in labels and y = {matched!r} in {name}: no id in common"
    return f"{start}{got}. {way_out}"


def _plain(text: str) -> str:
    """SQL for an id without .0 at its end, and without zeros before it."""
    whole = f"regexp_replace({text}, '[.]0+$', '')"
    return f"regexp_replace(regexp_replace({whole}, '^0+', ''), '{SEPARATOR}0+', '{SEPARATOR}')"


def _matched(output: Output, scored: bool) -> tuple[str, str]:
    """SQL for the nodes that an output matches, as x, and for what it matches them with, as y."""
    table = f"{output.role}_scored" if scored else output.role
    if output.is_clusters and not scored:
        linked = f"select x from {table} where is_x and cluster in "
        linked += f"(select cluster from {table} where is_y)"
        return linked, f"select x as y from {table} where is_y"
    xs, ys = (f"select cast({one} as string) as {one} from {table}" for one in "xy")
    if not output.is_closed:
        return xs, ys
    # Pairs that are closed later may have either side first.
    also_xs, also_ys = (f"select cast({a} as string) as {b} from {table}" for a, b in ("yx", "xy"))
    return f"{xs} union all {also_xs}", f"{ys} union all {also_ys}"
