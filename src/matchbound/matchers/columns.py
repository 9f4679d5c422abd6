"""Read two columns of ids from a user's table or from Python objects."""

from collections.abc import Iterable, Sequence
from typing import Any

from matchbound.engines import connect
from matchbound.errors import InputError
from matchbound.tables import Source, key_kind, listed, load, open_source


def read_columns(table: Any, argument: str, names: tuple[str, str], *, or_first: bool) -> list[Any]:
    """Arrow arrays of the two columns with these names: whole numbers or text, null without an id.

    `or_first` takes the table's first two columns if it lacks one of the names.
    """
    with connect() as con:
        source = open_source(con, argument, table, hashed=False)
        (a, b), _ = key_columns(source, names, or_first=or_first)
        load(con, source, "pairs", f"{a} as a, {b} as b")
        pairs = con.arrow("select a, b from pairs")
    return [column.combine_chunks() for column in pairs.columns]


def key_columns(source: Source, names: tuple[str, str], *, or_first: bool) -> tuple[list[str], str]:
    """SQL for the ids in these two columns, null where an id is empty, and their type."""
    a, b = _two_columns(source, names, or_first)
    kind = key_kind((source, a), (source, b))
    keys = [source.key(name, kind) for name in (a, b)]
    return [f"nullif({key}, '')" for key in keys] if kind == "string" else keys, kind


def _two_columns(source: Source, names: tuple[str, str], or_first: bool) -> Sequence[str]:
    if not or_first or all(map(source.column, names)):
        return [source.require(name) for name in names]
    if len(source.columns) < 2:
        raise InputError(
            f"{source.argument} must have two columns of nodes, got {listed(source.columns)} "
            "alone. Give an edge list, such as src, dst."
        )
    return list(source.columns)[:2]


def text_array(values: Iterable[Any], argument: str) -> Any:
    """An Arrow array of the values as text; None is null."""
    import pyarrow as pa

    try:
        texts = [None if value is None else str(value) for value in values]
        return pa.array(texts, pa.large_string())
    except UnicodeEncodeError as error:
        raise InputError(
            f"{argument} must have ids that are text, got {error.object!r}. Rename it."
        ) from None


def refuse_untrimmed(ids: Any, argument: str) -> None:
    import pyarrow.compute as pc

    untrimmed = ids.filter(pc.not_equal(ids, pc.utf8_trim(ids, " \t\n\r")))
    if len(untrimmed):
        raise spaces_around(argument, pc.min(untrimmed).as_py())


def spaces_around(argument: str, first: str) -> InputError:
    return InputError(
        f"{argument} must have ids without spaces around them, got {first!r}. Trim them."
    )
