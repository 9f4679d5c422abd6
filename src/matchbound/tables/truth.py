"""Load labels, the verified matches, into the engine, and check them."""

from collections.abc import Mapping

from matchbound.engines import Engine
from matchbound.errors import AssumptionError, InputError
from matchbound.tables.forms import Clusters, Form, Pairs, possible_forms, recognise
from matchbound.tables.ids import SEPARATOR, node_of, refuse_empty, refuse_spaces
from matchbound.tables.predictions import read_clusters
from matchbound.tables.scores import has_yes
from matchbound.tables.sides import (
    Matching,
    orient,
    refuse_either_side,
    refuse_no_source,
    refuse_selves,
    source_columns,
)
from matchbound.tables.sources import UNTYPED, Source, load, quoted, scan
from matchbound.tables.verdicts import described, doubtful_columns

REMARKS = ("note", "notes", "comment", "comments")  # columns of labels that decide nothing
MISSING = "select min(id), count(*) from everyone anti join labels on id = x"
"""The records of the population that are in no cluster."""


def read_labels(
    con: Engine, source: Source, form: Form, matching: Matching, *, erased: int = 0
) -> None:
    """Load verified matches as text; an empty y means that the node has no match.

    Where x and y may be in either order, x becomes the node that is in the table `sample`.
    `erased` is how many records may be in no cluster, since `forget` removed as many.
    """
    if isinstance(form, Clusters):
        read_clusters(con, source, "labels", form, matching)
        _refuse_some_clusters(con, source, erased)
        if matching.dedupe:
            _refuse_outsiders(con, source, "x")
        return
    refuse_no_source(con, source, form.x_source, form.y_source)
    _refuse_unread_columns(con, source, form)
    x, y = form.x, form.y
    if source.columns[y] in ("INTEGER", *UNTYPED) and not _any(con, source, y):
        y_text = "cast(null as string)"  # no label has a match, so the column may have no type
    else:
        y_text = f"nullif({node_of(source, y, form.y_source)}, '')"
    if form.score is not None and form.positive is None:
        raise InputError(
            f"{source.argument} must be verified matches, got scores in column {form.score!r}. "
            "Drop the column if a person verified these pairs; a matcher's output are no labels."
        )
    is_match, sources = has_yes(con, source, form), source_columns(form)
    x_text = node_of(source, x, form.x_source)
    columns = f"{x_text} as x, {y_text} as y, {is_match} as is_match{sources}"
    load(con, source, "labels", columns)
    refuse_empty(con, source, "labels", {"x": x})
    refuse_spaces(con, source, "labels", {"x": x, "y": y})
    refuse_either_side(con, source, "labels", form, matching)
    orient(con, source, "labels", form, matching, ", is_match")
    if matching.dedupe:
        refuse_selves(con, source, "labels")
        if form.either_way:  # the drawn node becomes x; if both are drawn, the pair counts for both
            drawn = "in (select id from sample)"
            con.keep(
                "labels",
                f"select x, y, is_match from labels where x {drawn} or y is null or y not {drawn} "
                f"union select y, x, is_match from labels where y {drawn}",
            )
        _refuse_outsiders(con, source, "y")
    elif matching.source is not None:
        _refuse_without_source(con, source)
    _keep_matches(con, source)


def _keep_matches(con: Engine, source: Source) -> None:
    """Drop the pairs that are labelled "no"; a node with no other labels has no match."""
    contradicted = con.rows(
        "select x, y from labels where y is not null group by x, y "
        "having bool_or(is_match) and not bool_and(is_match) order by x, y limit 1"
    )
    for x, y in contradicted:
        raise InputError(
            f"{source.argument} must not contradict themselves, got ({x!r}, {y!r}) as a match and "
            "as none. Keep one of them."
        )
    con.keep(
        "labels",
        "select x, y from labels where is_match union all "
        "select x, null from labels group by x having not bool_or(is_match)",
    )


def _refuse_outsiders(con: Engine, source: Source, column: str) -> None:
    """Refuse labels of records that are not in the population."""
    rows = con.rows(
        f"select min(l.{column}) from labels l "
        f"anti join (select cast(id as string) as id from everyone) p on p.id = l.{column} "
        f"where l.{column} is not null"
    )
    for (outsider,) in rows:
        if outsider is not None:
            raise InputError(
                f"{source.argument} must match records of the population, got {column} = "
                f"{outsider!r}, which is not in it. Correct the id."
            )


def _refuse_unread_columns(con: Engine, source: Source, form: Pairs) -> None:
    """Refuse a column that may be verdicts: pairs with "no" would count as true matches."""
    remarks = [name for name in source.columns if name.lower() in REMARKS]
    doubtful = doubtful_columns(con, source, form, remarks)
    if doubtful:
        raise InputError(
            f"{source.argument} must not have a column that is not read and may say which pairs "
            f"are matches, got {described(doubtful)}. Drop it, or name it 'label', with 1 for yes "
            "and 0 for no."
        )


def _refuse_without_source(con: Engine, source: Source) -> None:
    """Refuse ids of y without a source: they would match nothing, without an error."""
    without = f"select min(y) from labels where y is not null and position('{SEPARATOR}' in y) = 0"
    for (y,) in con.rows(without):
        if y is not None:
            raise InputError(
                f"{source.argument} must write a match as source{SEPARATOR}id, got y = {y!r}. "
                "Put its source before it."
            )


def _refuse_some_clusters(con: Engine, source: Source, erased: int) -> None:
    """Refuse clusters that may lack matches of drawn nodes.

    Those of all records have all matches. Those of drawn nodes have them if they have every record
    of the entity; only records that were not drawn show that matches were looked for everywhere.
    A cluster without a drawn node shows that other records were clustered, and perhaps not all.
    """
    if holds_everyone(con, erased):
        return
    drawn = "(select l.cluster from labels l semi join sample s on s.id = l.x)"
    strange = f"select count(*) from labels l anti join {drawn} d on d.cluster = l.cluster"
    ((others,),) = con.rows(strange)
    outside = "select count(*) from labels l anti join sample s on s.id = l.x where l.is_y"
    if others:
        ((node, count),) = con.rows(MISSING)
        removed = f", of which `forget` removed {erased}" if erased else ""
        raise AssumptionError(
            f"{source.argument} must put every record of the population into a cluster, or be the "
            f"clusters of drawn nodes and no others, got {count} records without one (first: "
            f"{node!r}){removed} and {others} in clusters without a drawn node. Give all clusters, "
            "or those of the drawn nodes with all their records, or verified pairs as x and y."
        )
    if con.rows(outside) == [(0,)]:
        raise AssumptionError(
            f"{source.argument} must show drawn nodes' matches among all records, got clusters of "
            "drawn nodes alone: they are no sign that matches were looked for elsewhere. Add the "
            "other records of their clusters, or give all clusters, or verified pairs as x and y."
        )


def holds_everyone(con: Engine, erased: int = 0) -> bool:
    """Whether clusters in `labels` hold every record of the population, but those erased."""
    ((_, missing),) = con.rows(MISSING)
    return bool(missing <= erased)


def _any(con: Engine, source: Source, column: str) -> bool:
    return bool(scan(con, source, f"select count({quoted(column)})")[0][0])


def form_by_names(source: Source) -> Form:
    """Recognise labels where the user cannot say what their columns are."""
    if len(possible_forms(source)) != 1:
        raise InputError(
            f"{source.argument} must have columns x and y, got {source.listed}. "
            "Rename the columns that hold the ids, and drop those of other ids."
        )
    return recognise(source, {})


def form_of_labels(source: Source, columns: Mapping[str, str]) -> Form:
    """Recognise labels; the user's names of a matcher's columns apply if labels have them too."""
    return recognise(source, _columns_of_labels(source, columns))


def _columns_of_labels(labels: Source, columns: Mapping[str, str]) -> dict[str, str]:
    """The user's names of columns that apply to labels: those of all ids, or none."""
    of_matches = ("score", "verdict", "ignore")
    applicable = {role: name for role, name in columns.items() if role not in of_matches}
    ids = [name for role, name in applicable.items() if role != "source"]
    if not ids or not all(labels.column(name) for name in ids):
        return {}
    origin = applicable.get("source")
    if origin is not None and not labels.column(origin, f"{origin}_l"):
        del applicable["source"]
    return applicable
