"""Refuse labels of whole clusters where the user says that they are a uniform sample."""

from collections.abc import Iterable

from matchbound.engines import Engine, keep, query
from matchbound.errors import AssumptionError
from matchbound.tables import Output
from matchbound.tallies.loaded import Setting

LEAST_PAIRS = 20
TIMES_EXPECTED = 10


def refuse_by_cluster(con: Engine, setting: Setting) -> None:
    """Refuse labelled nodes of one table too many of which are each other's true matches.

    Given a labelled node, each of its t matches is labelled with probability (s − 1)/(n − 1). So
    the number of labelled pairs has the mean of the sum of t·(s − 1)/(n − 1)/2 over labelled nodes.
    """
    keep(con, "alike", "tallies/labelled_alike")
    ((nodes, matches),) = con.rows("select count(distinct x), count(y) from labels")
    expected = _chance(nodes, setting.size) * matches / 2
    otherwise = ", or their matches were looked for among labelled nodes alone"
    _refuse(con, expected, "match each other", otherwise)


def refuse_by_shared(con: Engine, setting: Setting, outputs: Iterable[Output]) -> None:
    """Refuse labelled nodes of two linked tables too many of which share a holdout's match.

    Labels do not tell with how many unlabelled nodes a y is shared: a popular y has many in any
    sample. The holdout matcher's table does, and S is uniform given it: it knew D alone. So nodes
    outside D are counted, and for the y of a node of S with d of them d − 1 others are expected to
    be in S with probability (s − 1)/(n − 1) each. Pairs that share several y are expected often.
    """
    fresh = [node for node, train, _ in setting.sample if train is None]
    chance = _chance(len(fresh), setting.size - len(setting.sample) + len(fresh))
    for output in outputs:
        if output.role != "holdout":
            continue
        form = "clusters" if output.is_clusters else "pairs"
        keep(con, "shared", f"tallies/shared_{form}")
        ((pairs, others),) = query(con, "tallies/shared_expected")
        expected = chance * others / 2
        if _is_sign(pairs, expected):  # else listing the pairs is of no use
            keep(con, "alike", "tallies/shared_alike")
            _refuse(con, expected, "share a match of the holdout matcher")


def _chance(sampled: int, size: int) -> float:
    """The probability that a node is sampled, given that another is."""
    return (sampled - 1) / max(size - 1, 1)


def _is_sign(pairs: int, expected: float) -> bool:
    return pairs >= LEAST_PAIRS and pairs >= TIMES_EXPECTED * expected


def _refuse(con: Engine, expected: float, what: str, otherwise: str = "") -> None:
    """Refuse the pairs in `alike` if they are too many, and of several clusters."""
    ((pairs, clusters),) = query(con, "tallies/alike_counted")
    if clusters > 1 and _is_sign(pairs, expected):
        raise AssumptionError(
            f"labels must be of nodes that were drawn one by one, got {pairs} pairs of labelled "
            f"nodes that {what}, in {clusters} clusters, where a uniform sample has about "
            f"{expected:.1f}: nodes were drawn by cluster{otherwise}. Draw single nodes with "
            "`matchbound draw`, and label these."
        )
