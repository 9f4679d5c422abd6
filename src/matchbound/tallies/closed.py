"""Refuse pairs that are no clusters, where a metric is about clusters."""

from collections.abc import Sequence

from matchbound.engines import Engine, query
from matchbound.errors import InputError
from matchbound.tables import Output
from matchbound.theorems import Choices


def check_closable(choices: Choices, outputs: Sequence[Output]) -> None:
    """Refuse to make clusters of pairs where the draw's choices are about single pairs or nodes."""
    if not any(output.is_closed for output in outputs):
        return
    obstacles = {
        "bands of scores were chosen": choices.bands
        and "a pair that only its cluster links has no score",
        "a gap sample was drawn": choices.gap
        and "clusters are made of all pairs, and a matcher need not have run on other nodes",
        "guarantees are about nodes to come": choices.future
        and "which records a cluster links depends on the other nodes",
    }
    for where, why in obstacles.items():
        if why:
            raise InputError(
                f"clusters must be left out where {where}, got both: {why}. Drop one of them."
            )


def check_clusters_closed(con: Engine, choices: Choices, outputs: Sequence[Output]) -> None:
    """Refuse loaded pairs that are no clusters, if a metric is about clusters."""
    if choices.of_clusters:
        for output in outputs:
            if not output.is_clusters:
                check_closed(con, output.role)


def check_closed(con: Engine, table: str) -> None:
    """Refuse pairs with x–y and y–z but without x–z, among records of one table.

    Such pairs are not yet clusters, and clusters made from them can be far worse.
    """
    for (x,) in query(con, "tallies/open_pair", table=table):
        raise InputError(
            f"{table} must hold whole clusters for B-cubed, got pairs that lack one, around "
            f"{x!r}: of two linked records, one is linked to a third and the other is not. Say "
            "--clusters, to certify the clusters that the pairs link; or give the clusters that "
            "you will use, with columns id and cluster."
        )
