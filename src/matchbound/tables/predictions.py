"""Load ids, pairs and clusters into the engine, and check each table once."""

from collections.abc import Sequence

from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables.components import close_pairs
from matchbound.tables.digests import Column, Digest, Rows, digest_of
from matchbound.tables.forms import Clusters, Form, Pairs
from matchbound.tables.ids import (
    SEPARATOR,
    count_rows,
    keep_several,
    node_of,
    refuse_empty,
    refuse_spaces,
)
from matchbound.tables.scores import has_yes, refuse_repeated_rows, scores_enough
from matchbound.tables.sides import (
    Matching,
    make_symmetric,
    orient,
    pair_columns,
    population_source,
    refuse_either_side,
    refuse_no_source,
    refuse_selves,
)
from matchbound.tables.sources import Source, key_kind, listed, literal, load, quoted


def id_column(source: Source, name: str | None, *others: str) -> str:
    """The column of ids in a table of nodes: the one that the user names, or `id`."""
    if name is not None:
        column = source.column(str(name))
        if column is None:
            raise InputError(
                f"id must be a column of {source.argument}, got {name!r}. "
                f"Choose among {listed(source.columns)}."
            )
        return column
    option = "--right-id" if source.argument == "right" else "--id"
    if source.column("id") and source.column("unique_id"):
        raise InputError(
            f"{source.argument} must have one column of ids, got 'id' and 'unique_id'. "
            f"Name the right one with {option}."
        )
    column = source.column("id", "unique_id", *others)
    if column is None:
        index = "" if source.path else ' A pandas index needs a name: frame.rename_axis("id").'
        raise InputError(
            f"{source.argument} must have a column 'id', got {listed(source.columns)}. "
            f"Name the right one with {option}.{index}"
        )
    return column


def kind_of_ids(source: Source, column: str, *others: tuple[Source, str]) -> str:
    """The type as which a population's ids are read, if they are compared with other columns."""
    return "string" if source.column("source_dataset") else key_kind((source, column), *others)


def read_ids(
    con: Engine,
    source: Source,
    table: str,
    column: str,
    kind: str = "string",
    *,
    checked: bool = False,
    origin: str | None = None,
) -> int:
    """Load the ids of nodes, and return how many there are.

    `checked`: an earlier run has checked that there are no spaces and no repeats.
    """
    load(con, source, table, f"{node_of_table(source, column, kind, origin)} as id")
    refuse_empty(con, source, table, {"id": column}, [kind])
    if not checked:
        if kind == "string":
            refuse_spaces(con, source, table, {"id": column})
        keep_several(con, "repeated", table, "id", kind)
        first = "select id, n from repeated order by id limit 1"
        for repeated, times in con.rows(first):
            raise InputError(
                f"{source.argument} must hold each id once, got {str(repeated)!r} {times} times. "
                "Remove the repeats."
            )
    size = count_rows(con, table)
    if not size:
        raise InputError(f"{source.argument} must hold at least one id, got none. Check the file.")
    return size


def node_of_table(source: Source, column: str, kind: str, origin: str | None) -> str:
    """SQL for the nodes of a population: of the sources in its own column, or of `origin`."""
    sources = source.column("source_dataset")
    if origin is not None and sources is None:
        return f"{literal(origin + SEPARATOR)} || nullif({source.key(column)}, '')"
    return node_of(source, column, sources, kind)


def digest_of_ids(
    con: Engine, source: Source, column: str, origin: str | None, on_record: Sequence[Digest] = ()
) -> Digest:
    """Digest a population, or other nodes, read as `read_ids` reads them."""
    return digest_of(con, source, rows_of_ids(source, column, origin), on_record)


def rows_of_ids(source: Source, column: str, origin: str | None) -> Rows:
    return Rows("ids", [Column("id", node_of_table(source, column, "string", origin))])


def read_matches(
    con: Engine,
    source: Source,
    table: str,
    form: Form,
    matching: Matching,
    threshold: float | None,
    kinds: tuple[str, str] = ("string", "string"),
    *,
    scored: bool = False,
    closed: bool = False,
) -> int:
    """Load a matcher's matches, as pairs or as clusters, and return how many rows there are.

    `scored` keeps the scores, so that parts of the matches can be selected by them. `closed` makes
    clusters of the pairs, those that they link; with scores all pairs are kept for `close_matches`.
    """
    if isinstance(form, Clusters):
        read_clusters(con, source, table, form, matching)
        return count_rows(con, table)
    refuse_no_source(con, source, form.x_source, form.y_source)
    columns = pair_columns(source, form, kinds)
    score = "" if form.score is None or not scored else f", {source.score(form.score)} as score"
    keeps = has_yes(con, source, form)
    if form.score is None and form.positive is None and not matching.dedupe:
        load(con, source, table, columns, keeps)
    else:
        refuse_repeated_rows(con, source, columns, None)
        if form.score is not None and (matching.dedupe or form.x_source is not None):
            refuse_repeated_rows(con, source, columns, form.score)
        if form.score is not None:
            keeps = f"{keeps} and {scores_enough(con, source, form.score, threshold)}"
        load(con, source, table, columns + score, keeps)
    refuse_empty(con, source, table, {"x": form.x, "y": form.y}, kinds)
    refuse_either_side(con, source, table, form, matching)
    also = ", score" if score else ""
    if closed:
        return _read_to_close(con, source, table, form, matching, also)
    orient(con, source, table, form, matching, also)
    if matching.dedupe:
        make_symmetric(con, source, table, also)
    return count_rows(con, table)


def keep_rows_of(
    con: Engine, source: Source, table: str, form: Pairs, matching: Matching, nodes: str
) -> None:
    """Keep all rows of some nodes, whatever their score and verdict, with x on the nodes' side.

    `nodes` is SQL that selects their ids. Where sides are told by sources or are one table's, a
    node may stand on either side.
    """
    x, y = node_of(source, form.x, form.x_source), node_of(source, form.y, form.y_source)
    load(con, source, table, f"{x} as x, {y} as y", f"{x} in ({nodes})")
    if matching.dedupe or form.x_source is not None:
        load(con, source, f"{table}_turned", f"{y} as x, {x} as y", f"{y} in ({nodes})")
        con.keep(table, f"select x, y from {table} union all select x, y from {table}_turned")


def _read_to_close(
    con: Engine, source: Source, table: str, form: Pairs, matching: Matching, also: str
) -> int:
    """Close loaded pairs, or keep them with their scores; return how many there are.

    Pairs within one source join clusters too, though they are no matches where sources are linked.
    """
    if matching.dedupe:
        refuse_selves(con, source, table)
    if is_linked_by_source(form, matching):
        ours = literal(population_source(con, source, form, matching))
        con.keep(
            f"{table}_sides",
            f"select x as node, x_source = {ours} as is_x from {table} union "
            f"select y as node, y_source = {ours} as is_x from {table}",
        )
    if form.x_source is not None:
        con.keep(table, f"select x, y{also} from {table}")
    rows = count_rows(con, table)
    if not also:
        close_matches(con, table, table, table, form, matching)
    return rows


def close_matches(
    con: Engine,
    table: str,
    pairs: str,
    read: str,
    form: Form,
    matching: Matching,
    before: str | None = None,
) -> None:
    """Keep the clusters that pairs link as a table, with columns as `read_clusters` has them.

    `read` is the table that `read_matches` kept. `before` has the clusters of a stricter threshold.
    """
    by_source = is_linked_by_source(form, matching)
    close_pairs(con, table, pairs, dedupe=matching.dedupe or by_source, before=before)
    if by_source:
        con.keep(
            table,
            f"select c.x, c.cluster, s.is_x, not s.is_x as is_y from {table} c "
            f"join {read}_sides s on s.node = c.x",
        )


def is_linked_by_source(form: Form, matching: Matching) -> bool:
    """Whether records of several sources are linked, and pairs tell their sources."""
    return isinstance(form, Pairs) and form.x_source is not None and not matching.dedupe


def read_clusters(
    con: Engine, source: Source, table: str, form: Clusters, matching: Matching
) -> None:
    """Load records, their clusters, and whether each may be x (`is_x`) and y (`is_y`)."""
    if not (matching.dedupe or matching.is_link):
        raise InputError(
            f"dedupe or link must be said where {source.argument} has clusters, got neither. "
            "Draw with --dedupe if one table was matched with itself, else with --link."
        )
    node = node_of(source, form.id, form.source)
    sides = "true as is_x, true as is_y"
    if matching.is_link and form.source is not None:
        ours = literal(population_source(con, source, form, matching))
        is_x = f"cast({quoted(form.source)} as string) = {ours}"
        sides = f"{is_x} as is_x, not {is_x} as is_y"
    if form.source is not None:
        refuse_no_source(con, source, form.source)
    cluster = source.key(form.cluster)
    load(con, source, table, f"{node} as x, {cluster} as cluster, {sides}", f"{cluster} <> ''")
    refuse_empty(con, source, table, {"x": form.id})
    repeats = con.rows(
        f"select x, count(*) from {table} group by x having count(*) > 1 order by x limit 1"
    )
    for x, times in repeats:
        raise InputError(
            f"{source.argument} must put each record into one cluster, got {x!r} {times} times. "
            "Remove the repeats, or tell records of two sources apart by a column source_dataset."
        )
    if matching.is_link and form.source is None:
        con.keep(
            table,
            "select t.x, t.cluster, "
            f"p.id is not null as is_x, p.id is null as is_y from {table} t "
            "left join everyone p on p.id = t.x",
        )
