"""Find the wrong and the missed matches of a matcher at labelled validation nodes."""

from collections.abc import Sequence
from dataclasses import dataclass

from matchbound.engines import Engine, keep, lend, query
from matchbound.tables import (
    LOWEST,
    Clusters,
    Output,
    Pairs,
    close_pairs,
    keep_several,
    narrow,
    read_matches,
)
from matchbound.tallies import Setting, check_clusters, check_pairs, refuse_doubt, refuse_repeats

MOST = 100
"""How many wrong matches of a node are listed, and how many missed ones."""


@dataclass(frozen=True)
class PairError:
    """A wrong match of a node, or one that is missed, and the score of that pair if it has one."""

    other: str
    kind: str
    score: float | None


@dataclass(frozen=True)
class NodeErrors:
    """A node's errors: how many matches are wrong and how many missed, and the first of each."""

    matcher: str
    node: str
    wrong: int
    missed: int
    pairs: tuple[PairError, ...]

    @property
    def unlisted(self) -> int:
        return self.wrong + self.missed - len(self.pairs)


def keep_checked(con: Engine, setting: Setting) -> int:
    """Keep the labelled nodes of S as the table `checked`; return how many there are."""
    lend(con, "erased_nodes", {"id": [node for node, _, _ in setting.erased]})
    con.keep(
        "checked",
        "select s.id as x, s.validation as place from sample s semi join labels l on l.x = s.id "
        "anti join erased_nodes e on e.id = s.id where s.validation is not null",
    )
    return int(con.rows("select count(*) from checked")[0][0])


def find_errors(con: Engine, setting: Setting, output: Output) -> list[NodeErrors]:
    """The nodes in `checked` at which an output is not the truth, the worst first.

    Pairs within clusters are counted, and at most `MOST` of each kind are listed for a node.
    """
    assert setting.truth is not None
    _read_found(con, setting, output)
    itself, names = int(setting.matching.dedupe), (output.role, "labels")
    of_clusters = output.is_clusters, isinstance(setting.truth, Clusters)
    forms = {
        name: "clusters" if is_clusters else "pairs"
        for name, is_clusters in zip(names, of_clusters, strict=True)
    }
    keep(con, "count_found", f"tables/count_{forms[output.role]}", a=output.role, itself=itself)
    keep(con, "count_true", f"tables/count_{forms['labels']}", a="labels", itself=itself)
    _check_labels(con, setting, output)
    a, b = sorted(names, key=lambda name: forms[name], reverse=True)  # pairs before clusters
    keep(con, "count_both", f"tallies/common_{forms[a]}_{forms[b]}", a=a, b=b, itself=itself)
    for table, (one, other) in {"only_found": names, "only_true": names[::-1]}.items():
        query_name = f"certificates/only_{forms[one]}_{forms[other]}"
        keep(con, table, query_name, a=one, b=other, most=MOST)
    return _by_node(con, output.name)


def _read_found(con: Engine, setting: Setting, output: Output) -> None:
    """Keep clusters, or the matches of checked nodes, as a table of the output's role.

    The table `scored` has all pairs of these nodes with a score, matches or not. Ids are text.
    """
    role, form, least = output.role, output.form, output.reading.threshold
    is_pairs = isinstance(form, Pairs)
    is_scored = isinstance(form, Pairs) and form.score is not None
    table = f"{role}_read" if is_pairs else role
    given = (
        con,
        output.source,
        table,
        form,
        setting.matching,
        None if least is None else LOWEST,
        setting.kinds,
    )
    read_matches(*given, scored=is_scored)
    scored = "select x, x as y, cast(null as double) as score from checked where false"
    con.keep("scored", _of_checked(table, ", score") if is_scored else scored)
    if not is_pairs:
        return
    if not (setting.matching.dedupe or setting.matching.is_link):
        refuse_doubt(con, output.name, table)
    if is_scored:
        narrow(con, f"{role}_matches", table, least, None)
        table = f"{role}_matches"
    if output.is_closed:
        close_pairs(con, role, table, dedupe=setting.matching.dedupe)
        return
    con.keep(role, _of_checked(table))
    keep_several(con, "several", role, "x", "string")
    refuse_repeats(con, role, "several")


def _of_checked(table: str, also: str = "") -> str:
    """SQL for the pairs of checked nodes, their ids as text."""
    pairs = f"select cast(x as string) as x, cast(y as string) as y{also} from {table}"
    return f"select p.* from ({pairs}) p semi join checked c on c.x = p.x"


def _check_labels(con: Engine, setting: Setting, output: Output) -> None:
    """Refuse labels that `certify` refuses, but for nodes that have none."""
    drawn, single, dedupe = len(setting.sample), setting.choices.one_to_one, setting.matching.dedupe
    if isinstance(setting.truth, Clusters):
        matchers = {} if dedupe else {output.role: output.is_clusters}
        check_clusters(con, drawn, single, "worst", matchers, (), setting.erased_records)
    else:
        check_pairs(con, setting.size, drawn, single, "worst", dedupe)


def _by_node(con: Engine, matcher: str) -> list[NodeErrors]:
    pairs: dict[str, list[PairError]] = {}
    for x, y, kind, score in query(con, "certificates/errors", most=MOST):
        pairs.setdefault(x, []).append(PairError(y, kind, score))
    rows: Sequence[tuple[str, int, int, int]] = query(con, "certificates/wrong_nodes")
    return [
        NodeErrors(matcher, x, wrong, missed, tuple(pairs.get(x, ())))
        for x, _, wrong, missed in sorted(rows, key=lambda row: (-row[2] - row[3], row[1]))
    ]
