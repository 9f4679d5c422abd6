"""Planning values from the training nodes: their labels, and what the holdout matcher found there.

They are fixed before any validation label is seen, and written into the ledger.
"""

from collections.abc import Sequence
from typing import Any

from matchbound.audits.draw import join_orders
from matchbound.engines import Engine
from matchbound.tables import (
    Clusters,
    Matching,
    Output,
    open_source,
    read_labels,
    recognise,
)
from matchbound.tallies import Loaded, count_drawn
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
