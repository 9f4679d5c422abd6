"""Planning values from the training nodes: their labels, and what the holdout matcher found there.

They are fixed before any validation label is seen, and written into the ledger.
"""

from collections.abc import Sequence
from typing import Any

from matchbound.audits.audit import Audit
from matchbound.audits.draw import digest_as_drawn, join_orders
from matchbound.engines import Engine
from matchbound.errors import InputError
from matchbound.tables import (
    Clusters,
    Matching,
    Output,
    open_source,
    read_labels,
    read_population,
    recognise,
)
from matchbound.tallies import Loaded, check_on_population, count_drawn
from matchbound.theorems import Choices, planned_variances

TEXT = ("string", "string")


def variances_from(
    con: Engine,
    trained: Sequence[str],
    labels: Any,
    output: Output,
    matching: Matching,
    choices: Choices,
) -> dict[str, float]:
    """By metric. The tables `population` and `holdout` hold text ids."""
    source = open_source(con, "labels", labels)
    form = recognise(source, {})
    if isinstance(form, Clusters):
        return {}
    sample = join_orders(trained, [])
    clusters = frozenset(["holdout"] if output.is_clusters else [])
    loaded = Loaded(len(sample), sample, clusters=clusters, dedupe=matching.dedupe)
    tally = count_drawn(con, loaded, lambda: read_labels(con, source, form, matching))
    return planned_variances(tally, choices, raised=True)


def variances_of(con: Engine, audit: Audit, output: Output) -> dict[str, float]:
    """The same for a draw of both at once, whose training nodes have labels; else nothing."""
    draw = audit.drawn
    try:
        table = open_source(con, "population", audit.population())
    except InputError:  # it is elsewhere now; what is planned is a matter of width alone
        return {}
    if digest_as_drawn(con, draw, table) is None:
        return {}
    id, origin = draw.population.id, draw.matching.source
    read_population(con, table, id, checked=True, origin=origin)
    check_on_population(con, output, draw.choices, draw.matching, TEXT)
    labels, matching = audit.labels, draw.matching
    return variances_from(con, draw.trained, labels, output, matching, draw.choices)
