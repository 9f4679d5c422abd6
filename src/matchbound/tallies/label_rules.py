"""Check labels against the sample and against the matchers' matches."""

import math
from collections.abc import Mapping, Sequence

from matchbound.engines import Engine, lend, query
from matchbound.errors import AssumptionError, InputError
from matchbound.tables import Row, holds_everyone
from matchbound.tallies.spellings import ALIKE, spelled

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


def check_pairs(
    con: Engine,
    size: int,
    drawn: int,
    one_to_one: bool,
    unlabelled: str,
    dedupe: bool,
    erased: Sequence[Row] = (),
) -> None:
    """Check the table `labels`, of pairs, against the table `sample`."""
    _keep_due(con, erased)
    _check_labels(con, drawn, one_to_one, unlabelled, "tallies/labels_wrong")
    if dedupe:
        _check_both_ways(con, size, drawn)


def check_clusters(
    con: Engine,
    drawn: int,
    one_to_one: bool,
    unlabelled: str,
    matchers: Mapping[str, bool],
    erased: Sequence[Row] = (),
    erased_records: int = 0,
) -> None:
    """Check the table `labels`, of clusters, whose matches are counted in `count_true`.

    `matchers` are the matchers' tables, by name, and whether they are clusters; none if X = Y.
    As many as `erased_records` may be in no cluster now, and no more.
    """
    _keep_due(con, erased)
    if matchers and holds_everyone(con, erased_records):  # else they are of drawn nodes alone
        for name, is_clusters in matchers.items():
            _check_matched_are_labelled(con, name, is_clusters, erased_records)
    _check_labels(con, drawn, one_to_one, unlabelled, "tallies/cluster_labels_wrong")


def check_entities(con: Engine) -> None:
    """Refuse labels of one table by which a true match of a true match is none."""
    for (x,) in query(con, "tallies/no_entity"):
        raise InputError(
            f"labels must form entities for these metrics, got {x!r}, whose labelled matches do "
            "not all have the same matches: a true match of a true match is one. Correct them, or "
            "draw with other metrics or a promised limit."
        )


def _keep_due(con: Engine, erased: Sequence[Row]) -> None:
    """Keep the drawn nodes that need a label as the table `due`: all but the erased ones."""
    nodes = "select id from sample"
    if erased:
        lend(con, "erased", {"id": [node for node, _, _ in erased]})
        nodes += " where id not in (select id from erased)"
    con.keep("due", nodes)


def _check_labels(con: Engine, drawn: int, one_to_one: bool, unlabelled: str, name: str) -> None:
    problems = {problem: (x, nodes) for problem, x, nodes in query(con, name) if nodes}
    allowed = {"several": not one_to_one, "unlabelled": unlabelled == "worst"}
    if "not drawn" in problems:
        _refuse_spelled(con)
    for problem, message in PROBLEMS.items():
        if problem in problems and not allowed.get(problem):
            x, nodes = problems[problem]
            raise InputError(message.format(x=x, nodes=nodes, drawn=drawn))


def _refuse_spelled(con: Engine) -> None:
    """Refuse labels of drawn nodes whose ids are written otherwise, before they are removed."""
    strangers = "select x as id from labels anti join "
    strangers += "(select cast(id as string) as id from everyone) p on p.id = x"
    for x, drawn in spelled(con, strangers, "select id from sample"):
        raise InputError(
            f"labels must write drawn nodes as the sample does, got x = {x!r}, where {drawn!r} was "
            f"drawn. {ALIKE}"
        )


def _check_matched_are_labelled(
    con: Engine, table: str, is_clusters: bool, erased_records: int
) -> None:
    """Refuse clusters as labels that lack a y of a matcher: its match would count as wrong."""
    matched = f"select x as y from {table} where is_y" if is_clusters else f"select y from {table}"
    lacking = f"select min(f.y), count(distinct f.y) from ({matched}) f"
    for y, count in con.rows(f"{lacking} anti join labels l on l.x = f.y"):
        if count > erased_records:
            raise AssumptionError(
                f"labels must put every record that {table} matches into a cluster, got none for "
                f"{y!r}. Give all clusters, or verified pairs as x and y."
            )


def _check_both_ways(con: Engine, size: int, drawn: int) -> None:
    """Check labels of one table with itself.

    Among drawn nodes they must be symmetric, and true matches must have been searched for among all
    nodes, not among drawn nodes alone.
    """
    for x, y in query(con, "tallies/one_sided"):
        raise InputError(
            f"labels must not contradict themselves, got {y!r} as a match of {x!r} but not the "
            "other way round, though both were drawn. Correct one of them."
        )
    # Given that one node of a cluster of k is drawn, all others are drawn with probability about
    # (drawn/size)^(k−1). Each of its nodes has t = k − 1 matches, and their t/(t + 1) sum to k − 1.
    # So all matches are drawn nodes by chance with probability about (drawn/size)^(sum of these).
    # Of a part it is less, unless its entities lie wholly in it: `size` is the part's.
    ((others, outside),) = con.rows(
        "select coalesce(sum(t / (t + 1)), 0), coalesce(sum(outside), 0) from ("
        "select count(*) as t, count(case when s.id is null then 1 end) as outside "
        "from labels l left join sample s on s.id = l.y where l.y is not null group by l.x)"
    )
    if not outside and drawn < size and others * math.log(drawn / size) < math.log(1e-6):
        raise AssumptionError(
            "labels must hold drawn nodes' matches among all records, got matches of drawn "
            "nodes with drawn nodes alone: matches were looked for there alone, or whole clusters "
            "were drawn. Look for each drawn node's matches everywhere; draw single nodes with "
            "`matchbound draw`."
        )
