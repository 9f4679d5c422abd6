"""What became of a population's nodes since the draw, counted."""

from matchbound.engines import Engine, keep
from matchbound.errors import InputError
from matchbound.tables import Output, count_rows, renamed
from matchbound.tallies.counts import count_removed
from matchbound.tallies.loaded import Loaded, Setting
from matchbound.theorems import Change, Growth, New, Tally


def rename_changed(con: Engine, output: Output, *, dedupe: bool) -> None:
    """Make changed records new ones in the complete matcher's table."""
    role = output.role
    if output.is_clusters:
        con.keep(role, renamed(role, "x", others=("cluster", "is_x", "is_y"), where="t.is_x"))
    elif dedupe:
        con.keep(role, renamed(role, "x", "y"))
    else:
        con.keep(role, renamed(role, "x", others=["y"]))


def check_times(con: Engine, setting: Setting, output: Output) -> None:
    """Refuse a matcher that matches nodes of the other time: keep its numbers of matches."""
    form = "clusters" if output.is_clusters else "pairs"
    keep(con, "matches_of", f"tables/count_{form}", a=output.role, itself=_itself(setting))
    time = "nodes_then" if output.role == "holdout" else "nodes_now"
    ((stranger,),) = con.rows(
        f"select min(m.x) from matches_of m anti join {time} p on p.id = m.x where m.n > 0"
    )
    if stranger is not None:
        what = "as it was drawn from" if time == "nodes_then" else "as it is now"
        raise InputError(
            f"{output.role} must match nodes of the population {what}, got x = {str(stranger)!r}, "
            "which is not in it. Give the matcher's output that is of this population."
        )


def _itself(setting: Setting) -> int:
    return int(setting.matching.dedupe)


def count_growth(con: Engine, setting: Setting, loaded: Loaded, tally: Tally) -> Growth:
    """Count what became of the nodes that were drawn from, and which are new.

    Of a part of the population none is new: it was fixed at the draw. `in_cohorts` has the nodes of
    later draws, `matches_of` the complete matcher's numbers of matches.
    """
    con.keep("removed", "select p.id from population p anti join nodes_now n on n.id = p.id")
    con.keep("since", "select n.id from nodes_now n anti join nodes_then t on t.id = n.id")
    con.keep("new_nodes", "select s.id from since s anti join in_cohorts c on c.id = s.id")
    if count_rows(con, "removed") == setting.size:
        raise InputError(
            "population must have some of the nodes that were drawn from, got none of them. Give "
            "the population as it is now, with the same ids."
        )
    cells, labels = count_removed(con, loaded, tally)
    new, joined = count_rows(con, "new_nodes"), count_rows(con, "since")
    true = [label.t or 0 for label in labels]
    of_labels = len(labels), sum(map(bool, true)), sum(true)
    change = Change(cells, *of_labels, joined if setting.matching.dedupe else 0)
    if setting.whole_size is not None:
        return Growth(change, New())
    ((matched, pairs),) = con.rows(
        "select count(*), coalesce(sum(m.n), 0) from matches_of m "
        "semi join new_nodes z on z.id = m.x where m.n > 0"
    )
    return Growth(change, New(new, int(matched), int(pairs)))
