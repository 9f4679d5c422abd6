"""Real data whose deployed output are clusters: of logistic regression, and of Splink."""

from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from support.clustered import Matched, as_given, closed
from support.replicates import read, truth_of
from support.simulated import Counts


class Data(Matched):
    """A data set's nodes, truth and scored pairs; ids are text."""

    def __init__(self, name):
        by_row, self.dedupe = truth_of(name)
        sides = ("records", "records") if self.dedupe else ("left", "right")
        left, right = (read(name, f"{side}.parquet")["id"].to_pylist() for side in sides)
        self.name, self.nodes = name, left
        self.truth = {left[x]: {right[y] for y in ys} for x, ys in by_row.items()}
        table = read(name, "rl_logreg/H.parquet")
        self.table = table.select(["id_l", "id_r", "score"]).rename_columns(["x", "y", "score"])

    def pairs(self, least):
        kept = self.table.filter(pc.greater_equal(self.table["score"], least))
        return list(zip(kept["x"].to_pylist(), kept["y"].to_pylist(), strict=True))

    @cache  # noqa: B019
    def matches(self, least, is_closed=True):
        """By node, in the clusters of its pairs from a score on, or in the pairs themselves."""
        return (closed if is_closed else as_given)(self.pairs(least), self.nodes, self.dedupe)

    @cache  # noqa: B019
    def counts(self, least, is_closed=True):
        found, truth = self.matches(least, is_closed), self.truth
        rows = [(len(found[x]), len(truth[x]), len(found[x] & truth[x])) for x in self.nodes]
        return Counts(*np.array(rows).T)

    def labels(self, draw):
        before = "" if draw.matching.source is None else f"{draw.matching.source}-__-"
        other = before and "df_right-__-"
        rows = [
            (x, y and other + y)
            for x, _, _ in draw.sample
            for y in sorted(self.truth[x.removeprefix(before)]) or [None]
        ]
        return pa.table(
            {"x": [x for x, _ in rows], "y": pa.array([y for _, y in rows], pa.string())}
        )


@cache
def data(name):
    return Data(name)
