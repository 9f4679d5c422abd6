"""The columns of a patched output: the holdout matcher's own, so that both are read alike."""

from matchbound.engines import Engine
from matchbound.tables import (
    FITTING,
    SEPARATOR,
    Clusters,
    Form,
    Matching,
    Pairs,
    Source,
    literal,
    quoted,
)


def columns_of(
    con: Engine,
    source: Source,
    form: Form,
    matching: Matching,
    least: float | None,
    is_csv: bool,
) -> str:
    """SQL for the columns, from the table `patched` of nodes x and y and a score."""
    if isinstance(form, Clusters):
        plain = form.source is None
        return ", ".join(
            f"{_id(con, source, form.id, node) if plain else node} as {node}" for node in "xy"
        )
    columns = _ids(con, source, form, matching)
    if form.score is not None:
        columns[form.score] = _score(source, form.score, least, is_csv)
    if form.positive is not None:
        columns[form.positive] = "1"
    return ", ".join(f"{sql} as {quoted(name)}" for name, sql in columns.items())


def columns_of_clusters(con: Engine, source: Source, form: Form) -> str:
    """SQL for the columns of clusters of one table, from the table `patched`."""
    if isinstance(form, Clusters):
        id, cluster, origin, example = form.id, form.cluster, form.source, form.id
    else:
        is_told = form.x_source is not None
        id, cluster, origin, example = (
            "id",
            "cluster",
            "source_dataset" if is_told else None,
            form.x,
        )
    if origin is None:
        columns = {id: _id(con, source, example, "x")}
    else:
        columns = dict(zip((origin, id), _apart("x", None), strict=True))
    columns[cluster] = "cluster"
    return ", ".join(f"{sql} as {quoted(name)}" for name, sql in columns.items())


def _ids(con: Engine, source: Source, form: Pairs, matching: Matching) -> dict[str, str]:
    if form.x_source is None or form.y_source is None:
        return {name: _id(con, source, name, node) for name, node in ((form.x, "x"), (form.y, "y"))}
    mine = None if matching.dedupe else matching.source
    x_source, x = _apart("x", mine)
    y_source, y = _apart("y", None)
    return {form.x: x, form.y: y, form.x_source: x_source, form.y_source: y_source}


def _apart(node: str, origin: str | None) -> tuple[str, str]:
    """SQL for the source and the id in source-__-id."""
    if origin is not None:
        length = len(origin + SEPARATOR)
        return literal(origin), f"substr({node}, {length + 1})"
    place = f"position('{SEPARATOR}' in {node})"
    return f"substr({node}, 1, {place} - 1)", f"substr({node}, {place} + {len(SEPARATOR)})"


def _id(con: Engine, source: Source, column: str, node: str) -> str:
    """Whole numbers, if they were and all can be."""
    if source.columns[column] not in FITTING:
        return node
    written = f"cast(try_cast({node} as bigint) as string)"
    ((others,),) = con.rows(f"select count(*) from patched where {written} is distinct from {node}")
    return node if others else f"cast({node} as bigint)"


def _score(source: Source, column: str, least: float | None, is_csv: bool) -> str:
    """As text a number of half the precision is another one: never below the threshold."""
    if not (is_csv and source.columns[column] == "FLOAT"):
        return "score"
    number = "cast(cast(score as string) as double)"
    return number if least is None else f"greatest({number}, cast('{least!r}' as double))"
