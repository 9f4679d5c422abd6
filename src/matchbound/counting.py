"""From pairs, labels and a sample to a tally: the step after which no identifier is left."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matchbound.engine import keep, query
from matchbound.errors import InputError
from matchbound.sampling import Row
from matchbound.tallies import Cell, Tally, Triple

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def count(
    con: "DuckDBPyConnection",
    *,
    size: int,
    sample: Sequence[Row],
    complete: bool,
    one_to_one: bool,
    unlabelled: str,
    kinds: tuple[str, str] = ("string", "string"),
) -> Tally:
    """Tally the tables `population`, `holdout`, `complete` and `labels` over a sample.

    `kinds` are those of the ids of x and y in the first three; labels and sample are text.
    """
    load_sample(con, sample)
    _check_labels(con, len(sample), one_to_one, unlabelled)
    keep(con, "nodes", "nodes", complete="complete" if complete else "holdout")
    _check_pairs(con, complete)
    train, validation, overlap = _label_triples(con, kinds)
    return Tally(size, train, validation, overlap, _gap_cells(con, size))


def load_sample(con: "DuckDBPyConnection", sample: Sequence[Row]) -> None:
    import pyarrow as pa

    ids, train, validation = zip(*sample, strict=True)
    table = pa.table(
        {
            "id": pa.array(ids, pa.string()),
            "train": pa.array(train, pa.int64()),
            "validation": pa.array(validation, pa.int64()),
        }
    )
    con.register("sample", table)


PROBLEMS = {
    "not drawn": "labels must be of drawn nodes; {nodes} were not drawn (first: {x!r}). "
    "Remove their labels: only a random sample can be counted on.",
    "both": "labels must not give a node a match and 'no match'; {nodes} have both (first: {x!r}). "
    "Keep one of them.",
    "twice": "labels must hold each pair once; {nodes} nodes have one twice (first: {x!r}). "
    "Remove the repeats.",
    "several": "labels must have at most one true match a node, as one-to-one promises; "
    "{nodes} have several (first: {x!r}). Correct them, or draw without the promise.",
    "unlabelled": "labels must cover every sampled node; {nodes} of {drawn} have none "
    "(first: {x!r}). Label them, or record 'no match'.",
}


def _check_labels(con: "DuckDBPyConnection", drawn: int, one_to_one: bool, unlabelled: str) -> None:
    found = {problem: (x, nodes) for problem, x, nodes in query(con, "labels_wrong") if nodes}
    allowed = {"several": not one_to_one, "unlabelled": unlabelled == "worst"}
    for problem, message in PROBLEMS.items():
        if problem in found and not allowed.get(problem):
            x, nodes = found[problem]
            raise InputError(message.format(x=x, nodes=nodes, drawn=drawn))


def _check_pairs(con: "DuckDBPyConnection", complete: bool) -> None:
    for table, column in (("holdout", "h"), ("complete", "c"))[: 1 + complete]:
        for x, y, times in query(con, "repeats", table=table, count=column):
            raise InputError(
                f"{table} must hold each pair once, got ({str(x)!r}, {str(y)!r}) {times} times. "
                "Remove the repeats."
            )
    for (x,) in query(con, "unknown", table="nodes", column="x"):
        raise InputError(
            f"holdout and complete must match nodes of the population, got x = {str(x)!r}, "
            "which is not in it. Give the population that was matched."
        )


def _gap_cells(con: "DuckDBPyConnection", size: int) -> tuple[Cell, ...]:
    cells: list[Cell] = query(con, "gap")
    without = size - sum(nodes for *_, nodes in cells)
    return tuple([(0, 0, 0, without), *cells] if without else cells)


def _label_triples(
    con: "DuckDBPyConnection", kinds: tuple[str, str]
) -> tuple[tuple[Triple, ...], tuple[Triple, ...], tuple[int, ...]]:
    train: dict[int, Triple] = {}
    validation: dict[int, Triple] = {}
    overlap = []
    for place_in_train, place_in_validation, h, t, ht in query(
        con, "triples", x=kinds[0], y=kinds[1]
    ):
        if place_in_train is not None:
            train[place_in_train] = (h, t, ht)
        if place_in_validation is not None:
            validation[place_in_validation] = (h, t, ht)
            if place_in_train is not None:
                overlap.append(place_in_validation - 1)
    return (
        tuple(triple for _, triple in sorted(train.items())),
        tuple(triple for _, triple in sorted(validation.items())),
        tuple(sorted(overlap)),
    )
