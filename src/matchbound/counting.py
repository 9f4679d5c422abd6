"""From pairs, labels and a sample to a tally: the step after which no identifier is left."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matchbound.comparing import compare_pairs, refuse_repeats, refuse_unknown
from matchbound.draws import Row
from matchbound.engines import Engine, keep, lend, query
from matchbound.errors import AssumptionError, InputError
from matchbound.loading import keep_several
from matchbound.tallies import Cell, Tally, Triple


def count(
    con: Engine,
    *,
    size: int,
    sample: Sequence[Row],
    complete: bool,
    one_to_one: bool,
    unlabelled: str,
    kinds: tuple[str, str] = ("string", "string"),
    forms: Mapping[str, str] | None = None,
    dedupe: bool = False,
    gap: Sequence[str] = (),
    future: bool = False,
) -> Tally:
    """Tally the tables `population`, `holdout`, `complete` and `labels` over a sample.

    The matchers are compared on the nodes of `gap`, or on all; for guarantees about the `future`
    not on those that were drawn to be labelled.

    `kinds` are those of the ids of x and y in the first three; labels and sample are text. `forms`
    tells which tables are `clusters`, to be counted without listing their pairs.
    """
    load_sample(con, sample)
    second = "complete" if complete else "holdout"
    clusters = [name for name, form in (forms or {}).items() if form == "clusters"]
    if "labels" not in clusters:
        _check_labels(con, len(sample), one_to_one, unlabelled, "labels_wrong")
        if dedupe:
            _check_both_ways(con, size, len(sample))
    if not clusters:
        compare_pairs(con, complete, kinds[0])
        rows = query(con, "triples", x=kinds[0], y=kinds[1])
    else:
        tables = _Counts(con, clusters, 1 if dedupe else 0)
        tables.count("count_holdout", "holdout")
        tables.count("count_complete", second)
        tables.common("count_both", "holdout", second)
        keep(con, "cluster_nodes", "nodes_of_counts")
        for name in ("holdout", "complete")[: 1 + complete]:
            if name not in clusters:
                keep_several(con, "several", name, "x", "string")
                refuse_repeats(con, name, "several")
        refuse_unknown(con, "cluster_nodes")
        tables.count("count_true", "labels")
        tables.common("count_right", "labels", "holdout")
        if "labels" in clusters:
            if not dedupe:
                for name in {"holdout", second}:
                    _check_matched_are_labelled(con, name, name in clusters)
            _check_labels(con, len(sample), one_to_one, unlabelled, "cluster_labels_wrong")
        rows = query(con, "triples_of_counts")
    train, validation, overlap = _label_triples(rows)
    compared = _compared(con, "cluster_nodes" if clusters else "nodes", size, gap, future)
    return Tally(size, train, validation, overlap, _gap_cells(con, *compared))


@dataclass(frozen=True)
class _Counts:
    """Counts of matches, whichever of the tables are clusters."""

    con: Engine
    clusters: Sequence[str]
    itself: int

    def count(self, name: str, table: str) -> None:
        keep(self.con, name, f"count_{self._form(table)}", a=table, itself=self.itself)

    def common(self, name: str, first: str, second: str) -> None:
        a, b = sorted((first, second), key=self._form, reverse=True)  # pairs before clusters
        forms = f"{self._form(a)}_{self._form(b)}"
        keep(self.con, name, f"common_{forms}", a=a, b=b, itself=self.itself)

    def _form(self, table: str) -> str:
        return "clusters" if table in self.clusters else "pairs"


def _check_matched_are_labelled(con: Engine, table: str, is_clusters: bool) -> None:
    """Clusters as labels must know every y that a matcher found, or it would count as wrong."""
    found = f"select x as y from {table} where is_y" if is_clusters else f"select y from {table}"
    rows = con.rows(f"select min(f.y) from ({found}) f anti join labels l on l.x = f.y")
    for (y,) in rows:
        if y is not None:
            raise AssumptionError(
                f"labels must put every record that {table} matches into a cluster, got none for "
                f"{y!r}. Give all clusters, or verified pairs as x and y."
            )


def _check_both_ways(con: Engine, size: int, drawn: int) -> None:
    """Labels of one table with itself: symmetric among drawn nodes, and not only among them."""
    for x, y in query(con, "one_sided"):
        raise InputError(
            f"labels must not contradict themselves, got {y!r} as a match of {x!r} but not the "
            "other way round, though both were drawn. Correct one of them."
        )
    # A cluster of k with one node drawn has the others drawn with probability (drawn/size)^(k−1);
    # each of its nodes has t = k − 1 matches, and their t/(t + 1) sum to k − 1.
    ((others, outside),) = con.rows(
        "select coalesce(sum(t / (t + 1)), 0), coalesce(sum(outside), 0) from ("
        "select count(*) as t, count(case when s.id is null then 1 end) as outside "
        "from labels l left join sample s on s.id = l.y where l.y is not null group by l.x)"
    )
    if not outside and drawn < size and others * math.log(drawn / size) < math.log(1e-6):
        raise AssumptionError(
            f"labels must hold drawn nodes' matches among all {size} nodes, got matches of drawn "
            "nodes with drawn nodes alone. Look for each drawn node's matches everywhere."
        )


def load_sample(con: Engine, sample: Sequence[Row]) -> None:
    import pyarrow as pa

    ids, train, validation = zip(*sample, strict=True)
    lend(
        con,
        "sample",
        {
            "id": pa.array(ids, pa.string()),
            "train": pa.array(train, pa.int64()),
            "validation": pa.array(validation, pa.int64()),
        },
    )


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


def _check_labels(con: Engine, drawn: int, one_to_one: bool, unlabelled: str, name: str) -> None:
    found = {problem: (x, nodes) for problem, x, nodes in query(con, name) if nodes}
    allowed = {"several": not one_to_one, "unlabelled": unlabelled == "worst"}
    for problem, message in PROBLEMS.items():
        if problem in found and not allowed.get(problem):
            x, nodes = found[problem]
            raise InputError(message.format(x=x, nodes=nodes, drawn=drawn))


def _compared(
    con: Engine, nodes: str, size: int, gap: Sequence[str], future: bool
) -> tuple[str, int]:
    """The table of the nodes to compare the matchers on, and how many there are."""
    if not gap and not future:
        return nodes, size
    import pyarrow as pa

    lend(con, "gap_sample", {"id": pa.array(gap, pa.string())})
    table = "gap_sample" if gap else "population"
    kept = f"select cast(id as string) as id from {table}"
    if future:
        kept += " where cast(id as string) not in (select id from sample)"
    con.keep("compared", kept)
    keep(con, "compared_nodes", "compared_nodes", nodes=nodes)
    ((count,),) = con.rows("select count(*) from compared")
    if not count:
        raise InputError(
            f"{'gap' if gap else 'population'} must hold nodes besides the labelled ones, to "
            "compare the matchers on, got none. "
            f"Draw {'a larger gap, or ' if gap else ''}fewer to label."
        )
    return "compared_nodes", count


def _gap_cells(con: Engine, table: str, size: int) -> tuple[Cell, ...]:
    cells: list[Cell] = query(con, "gap", table=table)
    without = size - sum(nodes for *_, nodes in cells)
    return tuple([(0, 0, 0, without), *cells] if without else cells)


def _label_triples(
    rows: Sequence[tuple[int | None, int | None, int, int | None, int | None]],
) -> tuple[tuple[Triple, ...], tuple[Triple, ...], tuple[int, ...]]:
    train: dict[int, Triple] = {}
    validation: dict[int, Triple] = {}
    overlap = []
    for place_in_train, place_in_validation, h, t, ht in rows:
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
