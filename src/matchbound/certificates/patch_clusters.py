"""Clusters with the verified labels over them: known entities become clusters of their own."""

from matchbound.engines import Engine, keep, query
from matchbound.tables import close_pairs, count_rows, pairs_linked
from matchbound.tallies import check_entities


def patch_clusters(con: Engine, *, dedupe: bool, is_checked: bool) -> None:
    """Keep the table `patched` of clusters, from `holdout`, `known` and `verified`.

    A record that labels place leaves its cluster. What is left is never worse at a record of one
    table; where two are linked, it may be: an unlabelled record's true match may have left.
    `is_checked`: labels are known to form entities.
    """
    if dedupe and not is_checked:
        check_entities(con)
    close_pairs(con, "entities", "verified", dedupe=dedupe)
    keep(con, "patched", "certificates/patched_clusters", both=str(dedupe).lower())


def count_clusters(con: Engine, dedupe: bool) -> tuple[int, int, int, int]:
    """Count the pairs that the clusters link, those added, those dropped, and labelled nodes."""
    before, after = (pairs_linked(con, table, dedupe) for table in ("holdout", "patched"))
    ((kept,),) = query(con, "certificates/pairs_kept", itself=int(dedupe))
    shared = int(kept) // (2 if dedupe else 1)  # within one table pairs are seen from both sides
    return after, after - shared, before - shared, count_rows(con, "known")
