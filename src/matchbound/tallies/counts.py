"""From pairs, labels and a sample to a tally: the step after which no identifier is left."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from matchbound.engines import Engine, keep, lend, query
from matchbound.errors import InputError
from matchbound.tables import Row, keep_several, load_drawn
from matchbound.tallies.known import known_cells
from matchbound.tallies.label_rules import check_clusters, check_pairs
from matchbound.tallies.pairs import compare_pairs, refuse_repeats, refuse_unknown
from matchbound.theorems import Cell, Label, Tally

NOTHING = (0, 0, 0, 0, 0)  # known of a node's pairs


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
    read: Callable[[Tally], Tally] = lambda tally: tally,
) -> Tally:
    """Tally the tables `population`, `holdout`, `complete` and `labels` over a sample.

    `read` cuts the labels to those that count; the gap is then counted over all other nodes. Or it
    is over the nodes of `gap`; for guarantees about the `future` not over those that were drawn.

    `kinds` are those of the ids of x and y in the first three; labels and sample are text. `forms`
    tells which tables are `clusters`, to be counted without listing their pairs.
    """
    load_drawn(con, sample)
    clusters = [name for name, form in (forms or {}).items() if form == "clusters"]
    tables = _Tables(con, clusters, "complete" if complete else "holdout", dedupe, kinds)
    if "labels" not in clusters:
        check_pairs(con, size, len(sample), one_to_one, unlabelled, dedupe)
    tables.compare()
    if "labels" in clusters:
        found = {} if dedupe else {name: name in clusters for name in tables.matchers}
        check_clusters(con, len(sample), one_to_one, unlabelled, found)
    rows = tables.drawn_nodes()
    drawn = read(Tally(size, *_labels(rows), ()))
    cells = _gap_cells(con, *_compared(con, tables.nodes, size, gap, future))
    if not gap and not future:
        labelled = _sure(rows, len(drawn.validation))
        cells = outside(
            cells, drawn.labelled, tables.known(labelled) if dedupe and labelled else ()
        )
    return replace(drawn, gap=cells)


def count_drawn(
    con: Engine,
    sample: Sequence[Row],
    read_labels: Callable[[], None],
    forms: Mapping[str, str],
    dedupe: bool,
) -> Tally:
    """The labels of drawn nodes, and what the matcher in `holdout` found there; text ids."""
    load_drawn(con, sample)
    read_labels()
    clusters = [name for name, form in forms.items() if form == "clusters"]
    tables = _Tables(con, clusters, "holdout", dedupe, ("string", "string"))
    tables.compare()
    return Tally(len(sample), *_labels(tables.drawn_nodes()), ())


@dataclass(frozen=True)
class _Tables:
    """What is counted, whichever of the tables are clusters; `second` is the matcher to compare."""

    con: Engine
    clusters: Sequence[str]
    second: str
    dedupe: bool
    kinds: tuple[str, str]

    @property
    def matchers(self) -> list[str]:
        return list(dict.fromkeys(("holdout", self.second)))

    @property
    def nodes(self) -> str:
        """The table of each node's h, c and hc, where it has a match."""
        return "cluster_nodes" if self.clusters else "nodes"

    def compare(self) -> None:
        """Count matches, found and true, and those in common."""
        con, second = self.con, self.second
        if "labels" not in self.clusters:
            keep(con, "truth", "tallies/truth", x=self.kinds[0], y=self.kinds[1])
        self._count("count_true", "labels")
        if not self.clusters:
            compare_pairs(con, second == "complete", self.kinds[0])
            for name in self.matchers:
                keep(con, f"right_{name}", "tallies/right", a=name)
            return
        self._count("count_holdout", "holdout")
        self._count("count_complete", second)
        self._common("count_both", "holdout", second)
        keep(con, "cluster_nodes", "tallies/nodes_of_counts")
        for name in self.matchers:
            if name not in self.clusters:
                keep_several(con, "several", name, "x", "string")
                refuse_repeats(con, name, "several")
        refuse_unknown(con, "cluster_nodes")
        for name in self.matchers:
            self._common(f"right_{name}", "labels", name)

    def drawn_nodes(self) -> list[Any]:
        return query(
            self.con, "tallies/drawn_nodes", x=self.kinds[0], nodes=self.nodes, second=self.second
        )

    def known(self, labelled: Sequence[str]) -> list[Cell]:
        tables = {"holdout": "holdout", "complete": self.second, "labels": "labels"}
        how = {"nodes": self.nodes, "kind": self.kinds[0]}
        return known_cells(self.con, labelled, tables, self.clusters, **how)

    def _count(self, name: str, table: str) -> None:
        keep(self.con, name, f"tables/count_{self._form(table)}", a=table, itself=self._itself)

    def _common(self, name: str, first: str, second: str) -> None:
        a, b = sorted((first, second), key=self._form, reverse=True)  # pairs before clusters
        forms = f"{self._form(a)}_{self._form(b)}"
        keep(self.con, name, f"tallies/common_{forms}", a=a, b=b, itself=self._itself)

    def _form(self, table: str) -> str:
        return "clusters" if table in self.clusters else "pairs"

    @property
    def _itself(self) -> int:
        return 1 if self.dedupe else 0


def _compared(
    con: Engine, nodes: str, size: int, gap: Sequence[str], future: bool
) -> tuple[str, int]:
    """The table of the nodes to compare the matchers on, and how many there are."""
    if not gap and not future:
        return nodes, size
    lend(con, "gap_sample", {"id": gap})
    table = "gap_sample" if gap else "population"
    kept = f"select cast(id as string) as id from {table}"
    if future:
        kept += " where cast(id as string) not in (select id from sample)"
    con.keep("compared", kept)
    keep(con, "compared_nodes", "tallies/compared_nodes", nodes=nodes)
    ((count,),) = con.rows("select count(*) from compared")
    if not count:
        raise InputError(
            f"{'gap' if gap else 'population'} must hold nodes besides the labelled ones, to "
            "compare the matchers on, got none. "
            f"Draw {'a larger gap, or ' if gap else ''}fewer to label."
        )
    return "compared_nodes", count


def _gap_cells(con: Engine, table: str, size: int) -> tuple[Cell, ...]:
    cells = [Cell(*row) for row in query(con, "tallies/gap", table=table)]
    without = size - sum(cell.nodes for cell in cells)
    return tuple([Cell(0, 0, 0, without), *cells] if without else cells)


def outside(
    cells: Iterable[Cell], labelled: Iterable[Label], known: Iterable[Cell]
) -> tuple[Cell, ...]:
    """Of the cells of all nodes, those of nodes without a label; some of which are better known."""
    counts = Counter({_key(cell): cell.nodes for cell in cells})
    for label in labelled:
        counts[label.h, label.c, label.hc, *NOTHING] -= 1
    for cell in known:
        counts[*cell[:3], *NOTHING] -= cell.nodes
        counts[_key(cell)] += cell.nodes
    return tuple(Cell(*(*key[:3], n, *key[3:])) for key, n in sorted(counts.items()) if n)


def _key(cell: Cell) -> tuple[int, ...]:
    return (*cell[:3], *cell.known)


def _sure(rows: Iterable[Any], read: int) -> list[str]:
    """L: the ids of D and of the beginning of S that is read, where somebody verified them."""
    return [
        node
        for node, train, validation, _, t, *_ in rows
        if t is not None and (train is not None or validation <= read)
    ]


def _labels(
    rows: Iterable[Any],
) -> tuple[tuple[Label, ...], tuple[Label, ...], tuple[int, ...]]:
    """D's, S's and the places in S of what is in both."""
    train: dict[int, Label] = {}
    validation: dict[int, Label] = {}
    overlap = []
    for _, place_in_train, place_in_validation, *counts in rows:
        label = Label(*counts)
        if place_in_train is not None:
            train[place_in_train] = label
        if place_in_validation is not None:
            validation[place_in_validation] = label
            if place_in_train is not None:
                overlap.append(place_in_validation - 1)
    return (
        tuple(label for _, label in sorted(train.items())),
        tuple(label for _, label in sorted(validation.items())),
        tuple(sorted(overlap)),
    )
