"""Count pairs, labels and a sample into a tally, which has no ids."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from matchbound.engines import Engine, keep, lend, query
from matchbound.errors import InputError
from matchbound.tables import Row, load_drawn
from matchbound.tallies.clusters import Tables
from matchbound.tallies.label_rules import check_clusters, check_entities, check_pairs
from matchbound.tallies.loaded import Loaded
from matchbound.theorems import Cell, Label, Tally

NO_KNOWN_PAIRS = (0, 0, 0, 0, 0)  # the known counts of a cell whose nodes have no pair with L


def count(
    con: Engine,
    loaded: Loaded,
    unlabelled: str,
    read: Callable[[Tally], Tally] = lambda tally: tally,
) -> Tally:
    """Tally loaded tables over the sample.

    `read` cuts the labels to those that count. Cells are counted after that, over all nodes without
    a label that counts.
    """
    load_drawn(con, loaded.sample)
    tables, drawn_count = Tables(con, loaded), len(loaded.sample)
    if "labels" not in loaded.clusters:
        rules = loaded.one_to_one, unlabelled, loaded.dedupe, loaded.erased
        check_pairs(con, loaded.size, drawn_count, *rules)
        if loaded.entities:
            check_entities(con)
    tables.compare()
    if "labels" in loaded.clusters:
        matchers = {} if loaded.dedupe else {m: m in loaded.clusters for m in tables.matchers}
        gone = loaded.erased, loaded.erased_records
        check_clusters(con, drawn_count, loaded.one_to_one, unlabelled, matchers, *gone)
    rows = list(_without_erased(tables.drawn_nodes(), loaded.erased))
    drawn = read(Tally(loaded.size, *_labels(rows), ()))
    cells = _gap_cells(con, *_compared(con, tables.nodes, loaded))
    if not loaded.gap and not loaded.future:
        labelled = _sure(rows, len(drawn.validation))
        known = tables.known(labelled) if loaded.dedupe and labelled else ()
        cells = outside(cells, drawn.labelled, known)
    return replace(drawn, gap=cells)


def _without_erased(rows: Iterable[Any], erased: Iterable[Row]) -> Iterator[Any]:
    """The counts of drawn nodes; an erased node has no label, whatever the labels have of it."""
    nodes = {node for node, _, _ in erased}
    for node, train, validation, h, t, ht, c, ct, hc in rows:
        true = (None, None, None) if node in nodes else (t, ht, ct)
        yield node, train, validation, h, *true[:2], c, true[2], hc


def count_drawn(con: Engine, loaded: Loaded, read_labels: Callable[[], None]) -> Tally:
    """Tally the drawn nodes alone: their labels, and the matches in `holdout`."""
    load_drawn(con, loaded.sample)
    read_labels()
    tables = Tables(con, loaded)
    tables.compare()
    return Tally(loaded.size, *_labels(tables.drawn_nodes()), ())


def _compared(con: Engine, nodes: str, loaded: Loaded) -> tuple[str, int]:
    """The table of the nodes on which the matchers are compared, and the number of these nodes.

    Of a part of the population these are the part's: tables of matches have other nodes' too.
    """
    gap, future = loaded.gap, loaded.future
    if not gap and not future and not loaded.has_others:
        return nodes, loaded.size
    lend(con, "gap_sample", {"id": gap})
    table = "gap_sample" if gap else "population"
    kept = f"select cast(id as string) as id from {table}"
    if future:
        kept += " where cast(id as string) not in (select id from sample)"
    count = _keep_compared(con, nodes, kept)
    if not count:
        raise InputError(
            f"{'gap' if gap else 'population'} must hold nodes besides the labelled ones, to "
            "compare the matchers on, got none. "
            f"Draw {'a larger gap, or ' if gap else ''}fewer to label."
        )
    return "compared_nodes", count


def _keep_compared(con: Engine, nodes: str, kept: str) -> int:
    """Keep the counts of some nodes as `compared_nodes`; return how many nodes there are."""
    con.keep("compared", kept)
    keep(con, "compared_nodes", "tallies/compared_nodes", nodes=nodes)
    ((count,),) = con.rows("select count(*) from compared")
    return int(count)


def count_removed(
    con: Engine, loaded: Loaded, tally: Tally
) -> tuple[tuple[Cell, ...], list[Label]]:
    """The cells of nodes without a label, and the labels, of the nodes in the table `removed`.

    Tables are as `count` left them, and `tally` is what it returned.
    """
    tables = Tables(con, loaded)
    gone = {node for (node,) in con.rows("select cast(id as string) from removed")}
    rows = list(_without_erased(tables.drawn_nodes(), loaded.erased))
    labelled = _sure(rows, len(tally.validation))
    in_label = gone & set(labelled)
    labels = [Label(*counts) for node, _, _, *counts in rows if node in in_label]
    size = _keep_compared(con, tables.nodes, "select cast(id as string) as id from removed")
    cells = _gap_cells(con, "compared_nodes", size)
    known = tables.known(labelled, "removed") if loaded.dedupe and labelled else ()
    return outside(cells, labels, known), labels


def _gap_cells(con: Engine, table: str, size: int) -> tuple[Cell, ...]:
    cells = [Cell(*row) for row in query(con, "tallies/gap", table=table)]
    without = size - sum(cell.nodes for cell in cells)
    return tuple([Cell(0, 0, 0, without), *cells] if without else cells)


def outside(
    cells: Iterable[Cell], labelled: Iterable[Label], known: Iterable[Cell]
) -> tuple[Cell, ...]:
    """From the cells of all nodes, remove labelled nodes; return the cells of the others.

    `known` are cells of nodes outside L that have pairs with L: they replace the same nodes' cells.
    """
    counts = Counter({_key(cell): cell.nodes for cell in cells})
    for label in labelled:
        counts[label.h, label.c, label.hc, *NO_KNOWN_PAIRS] -= 1
    for cell in known:
        counts[*cell[:3], *NO_KNOWN_PAIRS] -= cell.nodes
        counts[_key(cell)] += cell.nodes
    return tuple(Cell(*(*key[:3], n, *key[3:])) for key, n in sorted(counts.items()) if n)


def _key(cell: Cell) -> tuple[int, ...]:
    return (*cell[:3], *cell.known)


def _sure(rows: Iterable[Any], read: int) -> list[str]:
    """L: the ids of labelled nodes in D, and among the first `read` nodes of S."""
    return [
        node
        for node, train, validation, _, t, *_ in rows
        if t is not None and (train is not None or validation <= read)
    ]


def _labels(
    rows: Iterable[Any],
) -> tuple[tuple[Label, ...], tuple[Label, ...], tuple[int, ...]]:
    """The labels of D, those of S, and the places in S (from 0) of nodes that are in both."""
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
