"""Clusters of pairs against networkx's connected components."""

import pytest

from matchbound.engines import connect
from matchbound.tables import close_pairs, components, keep_components, pairs_linked
from support.graphs import KINDS, LEVELS, check_thresholds, clusters_in, keep_pairs

CASES = [("whole", True), ("text", True), *((ids, False) for ids in KINDS)]
NAMES = "select table_name from duckdb_tables() order by all"


@pytest.fixture
def con():
    with connect() as con:
        yield con


@pytest.mark.parametrize(("ids", "dedupe"), CASES)
def test_300_random_graphs_at_three_thresholds(con, ids, dedupe):
    sizes = check_thresholds(con, 300, ids, dedupe)
    assert min(sizes) > 300
    assert len(set(sizes)) == len(LEVELS)


@pytest.mark.parametrize(("ids", "dedupe"), CASES)
def test_a_table_of_the_new_pairs_alone(con, ids, dedupe):
    check_thresholds(con, 60, ids, dedupe, only_new=True)


def one_round(con, links, keep_roots=components._keep_roots):
    return keep_roots(con, links)[:1]


def not_composed(con, rounds):
    con.keep("labels", " union all ".join(f"select node, root from {table}" for table in rounds))
    return "labels"


def not_climbed(con, links, number):
    con.keep(
        f"roots_{number}",
        f"select greatest(a, b) as node, min(least(a, b)) as root, true as "
        f"is_root from {links} l where a <> b group by greatest(a, b)",
    )
    return f"roots_{number}"


def without_sides(con, table, pairs, before):
    components._close_one_table(con, "one", pairs, None)
    con.keep(table, "select x, cluster, x % 2 = 0 as is_x, x % 2 = 1 as is_y from one")


@pytest.mark.parametrize(
    ("part", "cut", "dedupe"),
    [
        ("_keep_roots", one_round, True),
        ("_keep_labels", not_composed, True),
        ("_keep_climbed", not_climbed, True),
        ("_close_two_tables", without_sides, False),
    ],
)
def test_a_cut_form_is_found(con, part, cut, dedupe, monkeypatch):
    check_thresholds(con, 30, "whole", dedupe)
    monkeypatch.setattr(components, part, cut)
    with pytest.raises(AssertionError):
        check_thresholds(con, 30, "whole", dedupe)


@pytest.mark.parametrize(("ids", "dedupe"), CASES)
@pytest.mark.parametrize(
    ("pairs", "clusters"), [([], 0), ([(1, 2)], 1), ([(1, 2), (1, 2), (3, 4)], 2)]
)
def test_few_pairs(con, pairs, clusters, ids, dedupe):
    keep_pairs(con, "pairs", pairs, KINDS[ids])
    close_pairs(con, "closed", "pairs", dedupe=dedupe)
    found = clusters_in(con, "closed", dedupe)
    assert [len(nodes) for nodes in found] == [2] * clusters
    assert pairs_linked(con, "closed", dedupe) == clusters


def test_the_same_id_in_two_tables_is_two_nodes(con):
    keep_pairs(con, "pairs", [(1, 1), (1, 2), (3, 3)], KINDS["whole"])
    close_pairs(con, "closed", "pairs", dedupe=False)
    assert clusters_in(con, "closed", False) == {
        frozenset({("x", 1), ("y", 1), ("y", 2)}),
        frozenset({("x", 3), ("y", 3)}),
    }


def test_nodes_linked_with_themselves_alone_and_clusters_without_new_links(con):
    con.keep("links", "select * from (values (1, 1), (2, 3), (3, 3), (4, 4)) t(a, b)")
    con.keep("before", "select * from (values (4, 4), (5, 4), (6, 7), (7, 7)) t(node, cluster)")
    keep_components(con, "alone", "links")
    assert _as_sets(con, "alone") == {(1,), (2, 3), (4,)}
    keep_components(con, "joined", "links", "before")
    assert _as_sets(con, "joined") == {(1,), (2, 3), (4, 5), (6, 7)}


def _as_sets(con, table):
    rows = con.rows(f"select list(node order by node) from {table} group by cluster")
    return {tuple(nodes) for (nodes,) in rows}


@pytest.mark.parametrize("dedupe", [True, False])
def test_nothing_else_is_left(con, dedupe):
    check_thresholds(con, 30, "text", dedupe)
    assert [name for (name,) in con.rows(NAMES)] == [f"closed_{level}" for level in LEVELS]


def test_the_order_decides_the_rounds_alone(con, monkeypatch):
    rounds = []

    def counted(con, links, number, climb=components._keep_climbed):
        rounds.append(number)
        return climb(con, links, number)

    monkeypatch.setattr(components, "_keep_climbed", counted)
    con.keep("pairs", "select i as x, i + 1 as y from range(20000) t(i)")
    close_pairs(con, "closed", "pairs", dedupe=True)
    assert pairs_linked(con, "closed", dedupe=True) == 20_001 * 10_000
    assert 4 <= max(rounds) <= 14  # of 20,000 if each round shortened the chain by one
    con.rows("create or replace temp macro scattered(id, round) as 0")
    for dedupe in (True, False):
        check_thresholds(con, 60, "whole", dedupe)
