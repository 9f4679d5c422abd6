"""Labels by role: training labels may develop the holdout matcher, validation labels may not."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matchbound.audits.audit import Audit
from matchbound.audits.draw import Draw
from matchbound.audits.inputs import LabelsRef
from matchbound.audits.ledger import erased_places, erased_records
from matchbound.engines import Engine, connect
from matchbound.errors import InputError
from matchbound.tables import (
    Clusters,
    Form,
    Row,
    Source,
    digest_of,
    form_by_names,
    load_drawn,
    open_source,
    read_labels,
    read_population,
    rows_of_labels,
)
from matchbound.tallies import label_digests

if TYPE_CHECKING:
    from os import PathLike

OF_CLUSTERS = (
    "select s.id as x, o.x as y from sample s join labels m on m.x = s.id "
    "left join labels o on o.cluster = m.cluster and o.is_y and o.x <> m.x"
)
ROLES = ("train", "validation", "all")


def labels(audit: "str | PathLike[str]", role: str = "train") -> list[tuple[str, str | None]]:
    """The verified matches (x, y) of the nodes with a role, in draw order; y None for no match.

    A holdout matcher may be developed with role "train" and no other; the complete matcher with
    "all". Nodes that are not labelled yet are left out.
    """
    if role not in ROLES:
        raise InputError(f"role must be one of {', '.join(ROLES)}; got {role!r}. Choose one.")
    opened = Audit.open(audit)
    return labels_of(opened, opened.truth(), role)


def check_all_labelled(
    draw: Draw, matches: Sequence[tuple[str, str | None]], erased: Sequence[Row] = ()
) -> None:
    """Refuse missing labels before a matcher is run: the certificate would be refused later."""
    due = {node for node, _, _ in {*draw.sample}.difference(erased)}
    missing = sorted(due - {x for x, _ in matches})
    if missing:
        raise InputError(
            f"labels must cover every sampled node; {len(missing)} of {len(draw.sample)} have none "
            f"(first: {missing[0]!r}). Label them, or record 'no match'."
        )


def labels_of(
    audit: Audit, truth: Any, role: str, population: Any = None
) -> list[tuple[str, str | None]]:
    """The same for labels that are anywhere."""
    draw = audit.drawn
    wanted = {
        "train": draw.trained,
        "validation": draw.validated,
        "all": [node for node, _, _ in draw.sample],
    }[role]
    with connect() as con:
        form = load_labels(con, audit, open_source(con, "labels", truth), population)
        matches: dict[str, list[str | None]] = {}
        rows = OF_CLUSTERS if isinstance(form, Clusters) else "select x, y from labels"
        for x, y in con.rows(f"{rows} order by x, y"):
            matches.setdefault(x, []).append(y)
    return [(node, y) for node in wanted for y in matches.get(node, [])]


def labels_in_folder(audit: Audit) -> LabelsRef:
    """The labels that labels.csv has now; an erased node has none, whatever the file has."""
    draw, erased = audit.drawn, erased_places(audit.ledger.entries)
    with connect() as con:
        source = open_source(con, "labels", audit.labels)
        form = load_labels(con, audit, source)
        digest = digest_of(con, source, rows_of_labels(source, form))
        nodes = enumerate((node for node, _, _ in draw.in_order), start=1)
        order = ["" if place in erased else node for place, node in nodes]
        return LabelsRef(source.path, digest, label_digests(con, form, order, draw.matching.dedupe))


def load_labels(con: Engine, audit: Audit, source: Source, population: Any = None) -> Form:
    """Load the drawn nodes and their labels, and return the labels' form."""
    draw, form = audit.drawn, form_by_names(source)
    load_drawn(con, draw.sample)
    if draw.matching.dedupe or isinstance(form, Clusters):
        table = open_source(con, "population", audit.population(population))
        id, origin = draw.population.id, draw.matching.source
        read_population(con, table, id, checked=True, origin=origin)
    read_labels(con, source, form, draw.matching, erased=erased_records(audit.ledger.entries))
    return form
