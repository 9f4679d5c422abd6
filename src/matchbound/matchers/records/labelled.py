"""Labelled nodes, with all their matches, as positions in the tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matchbound.engines import Engine, connect
from matchbound.errors import InputError
from matchbound.matchers.records.candidates import Candidates
from matchbound.matchers.records.fields import Tables
from matchbound.tables import Clusters, Matching, form_by_names, open_source, read_labels

NAMES = (("labels", "x", "left"), ("labels", "y", "right"))


@dataclass(frozen=True)
class Labelled:
    """Which records are labelled, and their matches as numbers: x · columns + y, in rising order.

    In deduplication a match (x, y) is there as (y, x) too.
    """

    is_labelled: NDArray[np.bool_]
    matches: NDArray[np.int64]
    columns: int
    is_dedupe: bool

    def among(self, candidates: Candidates) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The positions of the candidates of labelled nodes, and whether each is a match."""
        is_known = self.is_labelled[candidates.x]
        if self.is_dedupe:
            is_known = is_known | self.is_labelled[candidates.y]
        rows = np.flatnonzero(is_known)
        keys = candidates.x[rows].astype(np.int64) * self.columns + candidates.y[rows]
        return rows, np.isin(keys, self.matches)


def read_labelled(labels: Any, tables: Tables) -> Labelled:
    """Read labels: a table with columns x and y, or pairs; y is empty where x has no match."""
    import pyarrow as pa

    pairs = labels if _is_pairs(labels) else _read(labels, tables)
    known = [(str(a), None if b is None else str(b)) for a, b in pairs]
    x = positions(pa.array([a for a, _ in known], pa.large_string()), tables.left, *NAMES[0])
    has_match = np.array([b is not None for _, b in known], bool)
    matched = pa.array([b for _, b in known if b is not None], pa.large_string())
    y = positions(matched, tables.right, *NAMES[1])
    of = x[has_match]
    if tables.is_dedupe:
        _refuse_selves(of[of == y], tables)
    _refuse_both(x[~has_match], np.concatenate([of, y]) if tables.is_dedupe else of, tables)
    columns = len(tables.right)
    keys = [of * columns + y] + ([y * columns + of] if tables.is_dedupe else [])
    is_labelled = np.zeros(len(tables.left), bool)
    is_labelled[x] = True
    if not len(x):
        raise InputError("labels must be of at least one node, got none. Check the file.")
    return Labelled(is_labelled, np.unique(np.concatenate(keys)), columns, tables.is_dedupe)


def _refuse_both(without: NDArray[np.int64], matched: NDArray[np.int64], tables: Tables) -> None:
    """Refuse records that are said to have no match, and to have one."""
    both = np.intersect1d(without, matched)
    if len(both):
        raise InputError(
            "labels must say that a record has matches, or that it has none, got both for "
            f"{tables.left[int(both[0])].as_py()!r}. Remove what is wrong."
        )


def _refuse_selves(selves: NDArray[np.int64], tables: Tables) -> None:
    if len(selves):
        raise InputError(
            "labels must not match a record with itself, got "
            f"{tables.left[int(selves[0])].as_py()!r}. Remove such pairs."
        )


def _is_pairs(labels: Any) -> bool:
    return isinstance(labels, list | tuple) and all(
        isinstance(pair, list | tuple) and len(pair) == 2 for pair in labels
    )


def _read(labels: Any, tables: Tables) -> Sequence[tuple[str, str | None]]:
    matching = Matching(dedupe=True) if tables.is_dedupe else Matching()
    with connect() as con:
        source = open_source(con, "labels", labels, hashed=False)
        form = form_by_names(source)
        if isinstance(form, Clusters) or form.either_way:
            raise InputError(
                "labels must say which nodes were labelled, got pairs in either order or clusters. "
                "Give columns x and y."
            )
        _lend_ids(con, tables)
        read_labels(con, source, form, matching)
        return [(x, y) for x, y in con.rows("select x, y from labels order by x, y")]


def _lend_ids(con: Engine, tables: Tables) -> None:
    """Keep the ids that labels may have, for the checks of labels."""
    import pyarrow as pa

    opened = con.open(pa.table({"id": tables.left}))
    con.keep("everyone", f"select id from {opened.scan}")


def positions(ids: Any, among: Any, argument: str, column: str, table: str) -> NDArray[np.int64]:
    """The positions of ids in a table's; refuse those that it has not."""
    import pyarrow.compute as pc

    numbers = pc.index_in(ids, value_set=among)
    if numbers.null_count:
        first = ids.filter(numbers.is_null())[0].as_py()
        raise InputError(
            f"{argument} must be of records of the tables, got {column} = {first!r}, which is not "
            f"in {table}. Correct the id."
        )
    return np.asarray(numbers.to_numpy(zero_copy_only=False), np.int64)
