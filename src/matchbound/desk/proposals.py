"""Matchers' proposals for the drawn nodes: candidates to look at, and answers to keep hidden."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from matchbound.engines import Engine
from matchbound.tables import Clusters, Form, Matching, Source, read_matches


@dataclass(frozen=True)
class Proposals:
    """For each drawn node, the proposed ids and their scores, if there are scores."""

    by_node: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)

    def of(self, node: str) -> Mapping[str, float | None]:
        return self.by_node.get(node, {})


def read_proposals(
    con: Engine,
    source: Source,
    form: Form,
    matching: Matching,
    least: float | None,
    closed: bool = False,
) -> Proposals:
    """The proposals for the nodes in `sample`; all matches are kept, as a table of the argument's
    name. `closed`: they are the clusters that the pairs link.
    """
    table = source.argument
    scored = getattr(form, "score", None) is not None and not closed
    read_matches(con, source, table, form, matching, least, scored=scored, closed=closed)
    if closed or isinstance(form, Clusters):
        pairs = (
            f"select m.x, o.x as y, null as score from {table} m "
            f"join {table} o on o.cluster = m.cluster and o.is_y "
            "and (o.x <> m.x or not m.is_y) where m.is_x"
        )
    else:
        pairs = f"select x, y, {'score' if scored else 'null as score'} from {table}"
    by_node: dict[str, dict[str, float | None]] = {}
    rows = con.rows(
        f"select x, y, score from ({pairs}) where x in (select id from sample) order by x, y"
    )
    for x, y, score in rows:
        by_node.setdefault(x, {})[y] = score
    return Proposals(by_node)
