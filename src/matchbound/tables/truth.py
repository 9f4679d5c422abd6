"""Verified matches in the engine: what labels must be."""

from collections.abc import Mapping

from matchbound.engines import Engine
from matchbound.errors import AssumptionError, InputError
from matchbound.tables.forms import Clusters, Form, Pairs, recognise
from matchbound.tables.ids import node_of, refuse_empty, refuse_spaces
from matchbound.tables.orientation import (
    orient,
    refuse_either_side,
    refuse_no_source,
    refuse_selves,
    source_columns,
)
from matchbound.tables.predictions import read_clusters
from matchbound.tables.scores import says_yes
from matchbound.tables.sides import SEPARATOR, Matching
from matchbound.tables.sources import UNTYPED, Source, load, quoted, scan


def read_labels(con: Engine, source: Source, form: Form, matching: Matching) -> None:
    """Load verified matches as text; an empty y says that the node has none.

    Where x and y stand in either order, the drawn node is x: the table `sample` tells.
    """
    if isinstance(form, Clusters):
        read_clusters(con, source, "labels", form, matching)
        _refuse_some_clusters(con)
        if matching.dedupe:
            _refuse_strangers(con, source, "x")
        return
    refuse_no_source(con, source, form.x_source, form.y_source)
    _refuse_unread_verdicts(con, source, form)
    x, y = form.x, form.y
    if source.columns[y] in ("INTEGER", *UNTYPED) and not _any(con, source, y):
        y_text = "cast(null as string)"  # no label has a match: the column has no type of its own
    else:
        y_text = f"nullif({node_of(source, y, form.y_source)}, '')"
    if form.score is not None and form.positive is None:
        raise InputError(
            f"{source.argument} must be verified matches, got scores in column {form.score!r}. "
            "Drop the column if a person verified these pairs; a matcher's output are no labels."
        )
    says = says_yes(con, source, form)
    sources = source_columns(form)
    columns = f"{node_of(source, x, form.x_source)} as x, {y_text} as y, {says} as says{sources}"
    load(con, source, "labels", columns)
    refuse_empty(con, source, "labels", {"x": x})
    refuse_spaces(con, source, "labels", {"x": x, "y": y})
    refuse_either_side(con, source, "labels", form, matching)
    orient(con, source, "labels", form, matching, ", says")
    if matching.dedupe:
        refuse_selves(con, source, "labels")
        if form.either_way:  # the drawn node is x; if both were drawn, each in turn
            drawn = "in (select id from sample)"
            con.keep(
                "labels",
                f"select x, y, says from labels where x {drawn} or y is null or y not {drawn} "
                f"union select y, x, says from labels where y {drawn}",
            )
        _refuse_strangers(con, source, "y")
    elif matching.source is not None:
        _refuse_bare(con, source)
    _settle_labels(con, source)


def _settle_labels(con: Engine, source: Source) -> None:
    """Drop what a label denies, unless that was all that is known of a node."""
    contradicted = con.rows(
        "select x, y from labels where y is not null group by x, y "
        "having bool_or(says) and not bool_and(says) order by x, y limit 1"
    )
    for x, y in contradicted:
        raise InputError(
            f"{source.argument} must not contradict themselves, got ({x!r}, {y!r}) as a match and "
            "as none. Keep one of them."
        )
    con.keep(
        "labels",
        "select x, y from labels where says union all "
        "select x, null from labels group by x having not bool_or(says)",
    )


def _refuse_strangers(con: Engine, source: Source, column: str) -> None:
    rows = con.rows(
        f"select min(l.{column}) from labels l "
        f"anti join (select cast(id as string) as id from population) p on p.id = l.{column} "
        f"where l.{column} is not null"
    )
    for (stranger,) in rows:
        if stranger is not None:
            raise InputError(
                f"{source.argument} must match records of the population, got {column} = "
                f"{stranger!r}, which is not in it. Correct the id."
            )


def _refuse_unread_verdicts(con: Engine, source: Source, form: Pairs) -> None:
    """A column of yes and no that nobody named: labels it denies would count as true."""
    used = (form.x, form.y, form.x_source, form.y_source, form.positive)
    for column in source.columns:
        if column in used:
            continue
        text = f"lower(trim(cast({quoted(column)} as string)))"
        says = f"{text} in ('0', '1', '0.0', '1.0', 'true', 'false', 'yes', 'no', 'y', 'n')"
        ((some, all_),) = scan(
            con, source, f"select count({text}), count(case when {says} then 1 end)"
        )
        if some and some == all_:
            raise InputError(
                f"{source.argument} must not have a column that may be a verdict without being "
                f"read, got {column!r}. Drop it, or name it 'label', with 1 for yes and 0 for no."
            )


def _refuse_bare(con: Engine, source: Source) -> None:
    """Ids without a source would match nothing, and nobody would be told."""
    bare = f"select min(y) from labels where y is not null and position('{SEPARATOR}' in y) = 0"
    for (y,) in con.rows(bare):
        if y is not None:
            raise InputError(
                f"{source.argument} must write a match as source{SEPARATOR}id, got y = {y!r}. "
                "Put its source before it."
            )


def _refuse_some_clusters(con: Engine) -> None:
    """Clusters of some records cannot hold drawn nodes' matches among the others."""
    missing = "select min(id), count(*) from population anti join labels on id = x"
    for node, count in con.rows(missing):
        if count:
            raise AssumptionError(
                f"labels must put every record of the population into a cluster, got {count} "
                f"without (first: {node!r}). Give all clusters, or verified pairs as x and y."
            )


def _any(con: Engine, source: Source, column: str) -> bool:
    return bool(scan(con, source, f"select count({quoted(column)})")[0][0])


def form_of_labels(source: Source, columns: Mapping[str, str]) -> Form:
    """Recognise labels; names of a matcher's columns hold for them too, if they have them."""
    return recognise(source, _named_in_labels(source, columns))


def _named_in_labels(truth: Source, columns: Mapping[str, str]) -> dict[str, str]:
    """The names that hold for labels too: all those of ids, or none."""
    named = {role: name for role, name in columns.items() if role != "score"}
    ids = [name for role, name in named.items() if role != "source"]
    if not ids or not all(truth.column(name) for name in ids):
        return {}
    if "source" in named and not truth.column(named["source"], f"{named['source']}_l"):
        del named["source"]
    return named
