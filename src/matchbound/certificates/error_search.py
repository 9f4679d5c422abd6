"""Find the wrong and the missed matches of a matcher at labelled validation nodes."""

from collections.abc import Sequence
from dataclasses import dataclass

from matchbound.engines import Engine, keep, lend, query
from matchbound.tables import (
    LOWEST,
    Clusters,
    Matching,
    Output,
    Pairs,
    close_matches,
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
    is_scored, matching = isinstance(form, Pairs) and form.score is not None, setting.matching
    is_ready = output.is_clusters and not is_scored
    read = role if is_ready else f"{role}_read"
    lowest = None if least is None else LOWEST
    given = con, output.source, read, form, matching, lowest, setting.kinds
    read_matches(*given, scored=is_scored, closed=output.is_closed)
    con.keep("scored", _of_checked(_scored_pairs(output, matching, read), ", score"))
    if isinstance(form, Pairs) and not (matching.dedupe or matching.is_link):
        refuse_doubt(con, output.name, read, is_clusters=is_ready)
    if is_ready:
        return
    table = read
    if is_scored:
        table = f"{role}_matches"
        narrow(con, table, read, least, None)
    if output.is_closed:
        close_matches(con, role, table, read, output.form, matching)
        return
    con.keep(role, _of_checked(table))
    keep_several(con, "several", role, "x", "string")
    refuse_repeats(con, role, "several")


def _scored_pairs(output: Output, matching: Matching, read: str) -> str:
    """SQL for the pairs that have scores, seen from every record that may be checked."""
    form = output.form
    if not (isinstance(form, Pairs) and form.score is not None):
        return "(select x, x as y, cast(null as double) as score from checked where false) pairs"
    if output.is_closed and (matching.dedupe or form.x_source is not None):
        both = f"select x, y, score from {read} union select y, x, score from {read}"
        return f"({both}) pairs"  # they are loaded as they stand
    return read


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
