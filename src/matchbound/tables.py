"""Tables of ids, pairs and labels in the engine, each checked once as it is loaded."""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from matchbound.choices import Choices
from matchbound.engine import query
from matchbound.errors import AssumptionError, InputError
from matchbound.forms import Clusters, Form, Pairs
from matchbound.matching import SEPARATOR, Matching
from matchbound.parts import Part
from matchbound.sources import Source, listed, literal, quoted, scan

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def id_column(source: Source, named: str | None, *others: str) -> str:
    """The column of ids in a table of nodes: the one named, or `id`."""
    if named is not None:
        column = source.column(str(named))
        if column is None:
            raise InputError(
                f"id must be a column of {source.argument}, got {named!r}. "
                f"Choose among {listed(source.columns)}."
            )
        return column
    if source.column("id") and source.column("unique_id"):
        raise InputError(
            f"{source.argument} must have one column of ids, got 'id' and 'unique_id'. "
            "Name the right one with --id."
        )
    column = source.column("id", "unique_id", *others)
    if column is None:
        raise InputError(
            f"{source.argument} must have a column 'id', got {listed(source.columns)}. "
            "Name the right one with --id."
        )
    return column


def read_ids(
    con: "DuckDBPyConnection",
    source: Source,
    table: str,
    column: str,
    kind: str = "string",
    *,
    checked: bool = False,
    origin: str | None = None,
) -> int:
    """Load the ids of nodes; how many there are. `checked` before: each is there once."""
    _load(con, source, table, f"{_node_of_table(source, column, kind, origin)} as id")
    _refuse_empty(con, source, table, {"id": column})
    if not checked:
        _refuse_spaces(con, source, table, {"id": column})
        for repeated, times in query(con, "repeated_ids", table=table):
            raise InputError(
                f"{source.argument} must hold each id once, got {repeated!r} {times} times. "
                "Remove the repeats."
            )
    size = _count(con, table)
    if not size:
        raise InputError(f"{source.argument} must hold at least one id, got none. Check the file.")
    return size


def _node_of_table(source: Source, column: str, kind: str, origin: str | None) -> str:
    """SQL for the nodes of a population: of the source `origin`, or of those it tells itself."""
    told = source.column("source_dataset")
    if origin is not None and told is not None:
        raise InputError(
            f"source must be left out where {source.argument} tells sources itself in "
            f"{told!r}, got {origin!r}. Drop it, or that column."
        )
    if origin is not None:
        return f"{literal(origin + SEPARATOR)} || nullif({source.key(column)}, '')"
    return _node(source, column, told, kind)


def read_matches(
    con: "DuckDBPyConnection",
    source: Source,
    table: str,
    form: Form,
    matching: Matching,
    threshold: float | None,
    kinds: tuple[str, str] = ("string", "string"),
    *,
    scored: bool = False,
) -> int:
    """Load what a matcher found, as pairs or as clusters; how many rows there are.

    `scored` keeps the scores, for parts of the matches to be told by them.
    """
    if isinstance(form, Clusters):
        read_clusters(con, source, table, form, matching)
        return _count(con, table)
    _refuse_no_source(con, source, form.x_source, form.y_source)
    columns = _pair_columns(source, form, kinds)
    score = "" if form.score is None or not scored else f", {source.score(form.score)} as score"
    keeps = _verdict(con, source, form)
    if form.score is None and form.positive is None and not matching.dedupe:
        _load(con, source, table, columns, keeps)
    else:
        _refuse_repeats(con, source, columns, None)
        if form.score is not None and (matching.dedupe or form.x_source is not None):
            _refuse_repeats(con, source, columns, form.score)
        if form.score is not None:
            keeps = f"{keeps} and {_matches(con, source, form.score, threshold)}"
        _load(con, source, table, columns + score, keeps)
    _refuse_empty(con, source, table, {"x": form.x, "y": form.y})
    _refuse_either_side(con, source, table, form, matching)
    also = ", score" if score else ""
    _orient(con, source, table, form, matching, also)
    if matching.dedupe:
        _make_symmetric(con, source, table, also)
    return _count(con, table)


def read_clusters(
    con: "DuckDBPyConnection", source: Source, table: str, form: Clusters, matching: Matching
) -> None:
    """Load records with their clusters, telling who may be x and who y."""
    if not (matching.dedupe or matching.is_link):
        raise InputError(
            f"dedupe or link must be said where {source.argument} has clusters, got neither. "
            "Draw with --dedupe if one table was matched with itself, else with --link."
        )
    node = _node(source, form.id, form.source)
    sides = "true as is_x, true as is_y"
    if matching.is_link and form.source is not None:
        told = f"cast({quoted(form.source)} as string)"
        mine = f"{told} = {literal(_known_source(con, source, form, matching))}"
        sides = f"{mine} as is_x, not {mine} as is_y"
    if form.source is not None:
        _refuse_no_source(con, source, form.source)
    cluster = source.key(form.cluster)
    _load(con, source, table, f"{node} as x, {cluster} as cluster, {sides}", f"{cluster} <> ''")
    _refuse_empty(con, source, table, {"x": form.id})
    repeats = con.execute(
        f"select x, count(*) from {table} group by x having count(*) > 1 order by x limit 1"
    ).fetchall()
    for x, times in repeats:
        raise InputError(
            f"{source.argument} must put each record into one cluster, got {x!r} {times} times. "
            "Remove the repeats, or tell records of two sources apart by a column source_dataset."
        )
    if matching.is_link and form.source is None:
        con.execute(
            f"create or replace temp table {table} as select t.x, t.cluster, "
            f"p.id is not null as is_x, p.id is null as is_y from {table} t "
            "left join population p on p.id = t.x"
        ).fetchall()


def read_labels(con: "DuckDBPyConnection", source: Source, form: Form, matching: Matching) -> None:
    """Load verified matches as text; an empty y says that the node has none.

    Where x and y stand in either order, the drawn node is x: the table `sample` tells.
    """
    if isinstance(form, Clusters):
        read_clusters(con, source, "labels", form, matching)
        _refuse_some_clusters(con)
        if matching.dedupe:
            _refuse_strangers(con, source, "x")
        return
    _refuse_no_source(con, source, form.x_source, form.y_source)
    _refuse_unread_verdicts(con, source, form)
    x, y = form.x, form.y
    if source.columns[y] in ("INTEGER", '"NULL"', "NULL") and not _any(con, source, y):
        y_text = "cast(null as string)"  # no label has a match: the column has no type of its own
    else:
        y_text = f"nullif({_node(source, y, form.y_source)}, '')"
    if form.score is not None and form.positive is None:
        raise InputError(
            f"{source.argument} must be verified matches, got scores in column {form.score!r}. "
            "Drop the column if a person verified these pairs; a matcher's output are no labels."
        )
    says = _verdict(con, source, form)
    sources = _source_columns(form)
    columns = f"{_node(source, x, form.x_source)} as x, {y_text} as y, {says} as says{sources}"
    _load(con, source, "labels", columns)
    _refuse_empty(con, source, "labels", {"x": x})
    _refuse_spaces(con, source, "labels", {"x": x, "y": y})
    _refuse_either_side(con, source, "labels", form, matching)
    _orient(con, source, "labels", form, matching, ", says")
    if matching.dedupe:
        _refuse_selves(con, source, "labels")
        if form.either_way:  # the drawn node is x; if both were drawn, each in turn
            drawn = "in (select id from sample)"
            con.execute(
                "create or replace temp table labels as "
                f"select x, y, says from labels where x {drawn} or y is null or y not {drawn} "
                f"union select y, x, says from labels where y {drawn}"
            ).fetchall()
        _refuse_strangers(con, source, "y")
    elif matching.source is not None:
        _refuse_bare(con, source)
    _settle_labels(con, source)


def _verdict(con: "DuckDBPyConnection", source: Source, form: Pairs) -> str:
    """The condition under which a row says yes, where a column says yes or no."""
    if form.positive is None:
        return "true"
    verdict = source.score(form.positive)
    nan = "cast('nan' as double)"
    inside = f"case when {verdict} between 0 and 1 then nullif({verdict}, {nan}) end"
    ((unsaid,),) = scan(con, source, f"select count(*) - count({inside})")
    if unsaid:
        raise InputError(
            f"{source.argument} must have 1 for yes or 0 for no in every {form.positive!r}, got "
            f"{unsaid} rows with neither. Write 1 or 0 there."
        )
    return f"{verdict} >= 0.5"


def _settle_labels(con: "DuckDBPyConnection", source: Source) -> None:
    """Drop what a label denies, unless that was all that is known of a node."""
    contradicted = con.execute(
        "select x, y from labels where y is not null group by x, y "
        "having bool_or(says) and not bool_and(says) order by x, y limit 1"
    ).fetchall()
    for x, y in contradicted:
        raise InputError(
            f"{source.argument} must not contradict themselves, got ({x!r}, {y!r}) as a match and "
            "as none. Keep one of them."
        )
    con.execute(
        "create or replace temp table labels as select x, y from labels where says union all "
        "select x, null from labels group by x having not bool_or(says)"
    ).fetchall()


def _refuse_strangers(con: "DuckDBPyConnection", source: Source, column: str) -> None:
    rows = con.execute(
        f"select min({column}) from labels where {column} is not null and "
        f"{column} not in (select cast(id as string) from population)"
    ).fetchall()
    for (stranger,) in rows:
        if stranger is not None:
            raise InputError(
                f"{source.argument} must match records of the population, got {column} = "
                f"{stranger!r}, which is not in it. Correct the id."
            )


def _refuse_unread_verdicts(con: "DuckDBPyConnection", source: Source, form: Pairs) -> None:
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


def _refuse_either_side(
    con: "DuckDBPyConnection", source: Source, table: str, form: Pairs, matching: Matching
) -> None:
    """Two tables, no sources, and ids of the population on both sides: which is x?"""
    if not matching.is_link or not form.either_way or form.x_source is not None:
        return
    known = "in (select cast(id as string) from population)"
    rows = con.execute(
        f"select min(y) from {table} where cast(y as string) {known} "
        f"and exists (select 1 from {table} where cast(x as string) {known})"
    ).fetchall()
    for (y,) in rows:
        if y is not None:
            raise InputError(
                f"{source.argument} must tell which side is the population, got its ids on both "
                f"sides (such as {str(y)!r}). Name the sides: --columns x={form.x},y={form.y} if "
                "the first is it; or give both sources."
            )


def _refuse_bare(con: "DuckDBPyConnection", source: Source) -> None:
    """Ids without a source would match nothing, and nobody would be told."""
    bare = f"select min(y) from labels where y is not null and position('{SEPARATOR}' in y) = 0"
    for (y,) in con.execute(bare).fetchall():
        if y is not None:
            raise InputError(
                f"{source.argument} must write a match as source{SEPARATOR}id, got y = {y!r}. "
                "Put its source before it."
            )


def _refuse_some_clusters(con: "DuckDBPyConnection") -> None:
    """Clusters of some records cannot hold drawn nodes' matches among the others."""
    missing = "select min(id), count(*) from population anti join labels on id = x"
    for node, count in con.execute(missing).fetchall():
        if count:
            raise AssumptionError(
                f"labels must put every record of the population into a cluster, got {count} "
                f"without (first: {node!r}). Give all clusters, or verified pairs as x and y."
            )


def _pair_columns(source: Source, form: Pairs, kinds: tuple[str, str]) -> str:
    x = _node(source, form.x, form.x_source, kinds[0])
    y = _node(source, form.y, form.y_source, kinds[1])
    return f"{x} as x, {y} as y{_source_columns(form)}"


def _source_columns(form: Pairs) -> str:
    if form.x_source is None or form.y_source is None:
        return ""
    x, y = (f"cast({quoted(column)} as string)" for column in (form.x_source, form.y_source))
    return f", {x} as x_source, {y} as y_source"


def _node(source: Source, column: str, origin: str | None, kind: str = "string") -> str:
    """SQL for a node: its id, or source-__-id where records carry sources."""
    if origin is None:
        return source.key(column, kind)
    # || keeps what is null null, where concat would make an id of it.
    return f"{source.key(origin)} || '{SEPARATOR}' || nullif({source.key(column)}, '')"


def _refuse_no_source(con: "DuckDBPyConnection", source: Source, *columns: str | None) -> None:
    for column in columns:
        if column is None:
            continue
        empty = f"{quoted(column)} is null or cast({quoted(column)} as string) = ''"
        ((count,),) = scan(con, source, "select count(*)", empty)
        if count:
            raise InputError(
                f"{source.argument} must have a source in every row, got {count} empty in column "
                f"{column!r}. Fill them."
            )


def _known_source(con: "DuckDBPyConnection", source: Source, form: Form, matching: Matching) -> str:
    """The source that is X, if it is one of the table's."""
    columns = [form.source] if isinstance(form, Clusters) else [form.x_source, form.y_source]
    names: set[str] = set()
    for column in columns:
        if column is not None:
            rows = scan(con, source, f"select distinct cast({quoted(column)} as string)")
            names |= {name for (name,) in rows}
    if matching.source is None or (names and matching.source not in names):
        raise InputError(
            f"source must say which of {listed(sorted(names))} is the population, as "
            f"{source.argument} has records of several, got {matching.source!r}. "
            "Draw with --source."
        )
    return matching.source


def _orient(
    con: "DuckDBPyConnection",
    source: Source,
    table: str,
    form: Pairs,
    matching: Matching,
    also: str,
) -> None:
    """Let x be of the population's source, where sources are told; `also` are other columns."""
    if form.x_source is None:
        return
    if not matching.dedupe:
        mine = literal(_known_source(con, source, form, matching))
        con.execute(
            f"create or replace temp table {table} as "
            f"select x, y{also} from {table} where x_source = {mine} and y_source <> {mine} "
            "union all "
            f"select y, x{also} from {table} where y_source = {mine} and x_source <> {mine}"
        ).fetchall()
    else:
        con.execute(f"create or replace temp table {table} as select x, y{also} from {table}")


def _make_symmetric(con: "DuckDBPyConnection", source: Source, table: str, also: str) -> None:
    _refuse_selves(con, source, table)
    con.execute(
        f"create or replace temp table {table} as "
        f"select x, y{also} from {table} union select y, x{also} from {table}"
    ).fetchall()


def narrow(con: "DuckDBPyConnection", table: str, scored: str, part: Part) -> None:
    """Of a table with scores, the pairs of a part."""
    kinds = con.execute(f"select typeof(score) from {scored} limit 1").fetchall()
    kind = kinds[0][0] if kinds else "double"
    keeps = f"score >= cast({part.least!r} as {kind})"
    if part.below is not None:
        keeps += f" and score < cast({part.below!r} as {kind})"
    con.execute(
        f"create or replace temp view {table} as select x, y from {scored} where {keeps}"
    ).fetchall()


def _refuse_selves(con: "DuckDBPyConnection", source: Source, table: str) -> None:
    for (x,) in con.execute(f"select x from {table} where x = y order by x limit 1").fetchall():
        raise InputError(
            f"{source.argument} must not match a record with itself, got {str(x)!r}. "
            "Remove such pairs."
        )


def check_threshold(threshold: Any, forms: Iterable[Form]) -> float | None:
    """A finite number, if any of the tables has scores to compare it with."""
    if threshold is None:
        return None
    try:
        number = math.nan if isinstance(threshold, str | bool) else float(threshold)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(
            f"threshold must be a finite number, got {threshold!r}. "
            "Say from which score on a pair is a match."
        )
    if not any(isinstance(form, Pairs) and form.score for form in forms):
        raise InputError(
            "threshold must be left out where no matcher has a column 'score', "
            f"got {threshold}. Drop it, or give the scores."
        )
    return number


def first_threshold(
    choices: Choices, threshold: float | None, forms: Iterable[Form]
) -> float | None:
    """The score from which on a pair is a match: as given, or as bands or candidates have it."""
    forms = list(forms)
    fixed = min(choices.bands or choices.candidates, default=None)
    if fixed is None:
        return check_threshold(threshold, forms)
    if threshold is not None:
        raise InputError(
            "threshold must be left out where bands or candidates fix it, "
            f"got {threshold}. Drop it."
        )
    if not all(isinstance(form, Pairs) and form.score for form in forms):
        raise InputError(
            "matchers must have scores where bands or candidates were chosen, got one without. "
            "Give pairs with a column 'score', or name it with --columns score=…."
        )
    return fixed


def _matches(
    con: "DuckDBPyConnection", source: Source, column: str, threshold: float | None
) -> str:
    """The condition that makes a row a match."""
    score = source.score(column)
    unscored, least, most = scan(
        con,
        source,
        f"select count(*) - count(nullif({score}, cast('nan' as double))), "
        f"min({score}), max({score})",
    )[0]
    if unscored:
        raise InputError(
            f"{source.argument} must have a number in every {column!r}, got {unscored} without. "
            "Remove these pairs, or score them (with a point, not a comma)."
        )
    if threshold is None:
        if least is None:
            return "true"
        raise InputError(
            f"threshold must be given, because {source.argument} has scores "
            f"from {least:g} to {most:g}. Say from which score on a pair is a match."
        )
    kind = "float" if source.columns[column] == "FLOAT" else "double"
    return f"{score} >= cast({threshold!r} as {kind})"


def _refuse_repeats(
    con: "DuckDBPyConnection", source: Source, columns: str, score: str | None
) -> None:
    """The same pair twice, whatever its scores; either way round, if it has two (`score`)."""
    inner = f"select {columns}" + (f", {source.score(score)} as score" if score else "")
    repeats = "group by x, y having count(*) > 1"
    if score:
        repeats = "group by least(x, y), greatest(x, y) having count(distinct score) > 1"
    select = "select min(x), min(y), count(*) from (" + inner
    for x, y, times in scan(con, source, select, f"true) {repeats} order by 1, 2 limit 1"):
        raise InputError(
            f"{source.argument} must hold each pair once, got ({str(x)!r}, {str(y)!r}) {times} "
            "times. Remove the repeats."
        )


def _load(
    con: "DuckDBPyConnection", source: Source, table: str, columns: str, condition: str = "true"
) -> None:
    scan(con, source, f"create or replace temp table {table} as select {columns}", condition)


def _any(con: "DuckDBPyConnection", source: Source, column: str) -> bool:
    return bool(scan(con, source, f'select count("{column}")')[0][0])


def _refuse_empty(
    con: "DuckDBPyConnection", source: Source, table: str, columns: dict[str, str]
) -> None:
    for ours, theirs in columns.items():
        empty = f"{ours} is null" + (f" or {ours} = ''" if _is_text(con, table, ours) else "")
        ((count,),) = con.execute(f"select count(*) from {table} where {empty}").fetchall()
        if count:
            raise InputError(
                f"{source.argument} must have an id in every row, "
                f"got {count} empty in column {theirs!r}. Fill or remove these rows."
            )


def _refuse_spaces(
    con: "DuckDBPyConnection", source: Source, table: str, columns: dict[str, str]
) -> None:
    for ours, theirs in columns.items():
        if not _is_text(con, table, ours):
            continue
        blank = "concat(' ', chr(9), chr(10), chr(13))"
        spaced = f"select min({ours}) from {table} where {ours} <> trim({ours}, {blank})"
        ((first,),) = con.execute(spaced).fetchall()
        if first is not None:
            raise InputError(
                f"{source.argument} must have ids without spaces around them, "
                f"got {first!r} in column {theirs!r}. Trim them."
            )


def _is_text(con: "DuckDBPyConnection", table: str, column: str) -> bool:
    kind = con.execute(f"select typeof({column}) from {table} limit 1").fetchall()
    return kind == [("VARCHAR",)]


def _count(con: "DuckDBPyConnection", table: str) -> int:
    return int(con.execute(f"select count(*) from {table}").fetchall()[0][0])
