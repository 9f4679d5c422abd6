"""Real data with known truth: a hundred holdout and complete matchers each, with fresh labels."""

import os
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import matchbound as mb
from matchbound.theorems import gaps, members, sharp
from matchbound.theorems.choices import Choices
from matchbound.theorems.guarantees import guarantees
from matchbound.theorems.planned import planned_variances
from matchbound.theorems.terms import matched_count
from support.oracles import tally_by_sets

SHARED = Path(__file__).parents[3] / "shared" / "data" / "er"
DATASETS = {  # name: one-to-one declared, least mean bounds of `sharp`
    "dblp_acm": (True, 0.945, 0.95),
    "febrl4": (True, 0.985, 0.98),
    "chicago_childcare": (False, 0.885, 0.87),
    "fake_1000": (False, 0.90, 0.66),
}


@dataclass(frozen=True)
class Replicate:
    population: pa.Table
    holdout: pa.Table
    complete: pa.Table
    labels: pa.Table
    trained_on: pa.Table
    precision: float
    recall: float
    dedupe: bool

    def certify(self, theorem, one_to_one):
        return mb.certify(
            population=self.population,
            holdout=self.holdout,
            complete=self.complete,
            labels=self.labels,
            trained_on=self.trained_on,
            assume_uniform=True,
            theorem=theorem,
            one_to_one=one_to_one,
            **({"dedupe": True} if self.dedupe else {"link": True}),
        )


def read(name, file):
    return pq.read_table(SHARED / name / file)


def truth_of(name):
    """Each node's true matches, by row number, and the number of nodes."""
    if os.path.exists(SHARED / name / "left.parquet"):
        left, right = (
            {x: i for i, x in enumerate(read(name, f"{side}.parquet")["id"].to_pylist())}
            for side in ("left", "right")
        )
        matches = {i: set() for i in left.values()}
        truth = read(name, "truth.parquet")
        pairs = zip(truth["id_l"].to_pylist(), truth["id_r"].to_pylist(), strict=True)
        for x, y in pairs:
            matches[left[x]].add(right[y])
        return matches, False
    rows = {x: i for i, x in enumerate(read(name, "records.parquet")["id"].to_pylist())}
    truth = read(name, "truth.parquet")
    clusters = {}
    for x, cluster in zip(truth["id"].to_pylist(), truth["cluster"].to_pylist(), strict=True):
        clusters.setdefault(cluster, set()).add(rows[x])
    return {x: members - {x} for members in clusters.values() for x in members}, True


def symmetric(pairs):
    return np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)


def replicates(name):
    truth, dedupe = truth_of(name)
    pairs = read(name, "rl_logreg/replicates_pairs.parquet").to_pandas()
    labels = read(name, "rl_logreg/replicates_labels.parquet").to_pandas()
    population = pa.table({"id": range(len(truth))})
    for rep, found in pairs.groupby("rep"):
        both = {}
        for column in ("H", "C"):
            both[column] = found.loc[found[column], ["l", "r"]].to_numpy(np.int64)
        mine = labels[labels.rep == rep]
        verified = [(x, y) for x in mine.node for y in sorted(truth[x]) or [None]]
        precision, recall = score(symmetric(both["C"]) if dedupe else both["C"], truth)
        yield Replicate(
            population,
            as_table(both["H"]),
            as_table(both["C"]),
            pa.table(
                {"x": [x for x, _ in verified], "y": pa.array([y for _, y in verified], pa.int64())}
            ),
            pa.table({"id": mine.node[mine.in_D].to_numpy()}),
            precision,
            recall,
            dedupe,
        )


def as_table(pairs):
    return pa.table({"x": pairs[:, 0], "y": pairs[:, 1]})


def matches_by_node(replicate, truth):
    """What the holdout and the complete matcher found at each node."""
    for table in (replicate.holdout, replicate.complete):
        matches = {x: set() for x in truth}
        for x, y in zip(table["x"].to_pylist(), table["y"].to_pylist(), strict=True):
            matches[x].add(y)
            if replicate.dedupe:
                matches[y].add(x)
        yield matches


def counted_by_sets(replicate, truth):
    """The tally of `sharp`; D and L − D are in some order."""
    trained = set(replicate.trained_on["id"].to_pylist())
    others = set(replicate.labels["x"].to_pylist()) - trained
    matchers = matches_by_node(replicate, truth)
    return tally_by_sets(truth, truth, *matchers, [*trained], [*others], dedupe=replicate.dedupe)


def score(pairs, truth):
    found = {}
    for x, y in pairs.tolist():
        found.setdefault(x, set()).add(y)
    precision = np.mean([len(ys & truth[x]) / len(ys) for x, ys in found.items()])
    recall = np.mean([len(found.get(x, set()) & ys) / len(ys) for x, ys in truth.items() if ys])
    return float(precision), float(recall)


def certify_all(name, every=1):
    """Each replicate's tally, its bounds by `paper` and `sharp`, and the truth: a row each."""
    one_to_one, *_ = DATASETS[name]
    tallies, values = [], {"paper": [], "sharp": [], "truth": []}
    for replicate in islice(replicates(name), 0, None, every):
        for theorem in ("paper", "sharp"):
            certificate = replicate.certify(theorem, one_to_one)
            values[theorem].append([certificate.value(m) for m in ("precision", "recall")])
        tallies.append(certificate.tallies["all"])
        values["truth"].append([replicate.precision, replicate.recall])
    return tallies, {kind: np.array(rows) for kind, rows in values.items()}


def as_drawn(tally, one_to_one, seed):
    """The same labels as a draw in a random order would have had them, planned by D's."""
    order = np.random.default_rng(seed).permutation(len(tally.validation))
    drawn = replace(tally, validation=tuple(tally.validation[i] for i in order))
    choices = Choices(one_to_one=one_to_one)
    variances = planned_variances(tally, choices, raised=True)
    return drawn, replace(choices, variances=variances)


def bounds_of(tally, choices):
    found = guarantees({"all": tally}, choices, complete=True)
    return [g.value for g in found]


def old_bounds_of(tally, choices):
    """The formulas before labelled nodes counted exactly, with the same bounds on the labels."""
    loss = gaps.precision_loss_one_to_one if choices.one_to_one else gaps.precision_loss
    cells = tally.everywhere
    matched = matched_count(cells, "complete")
    right = sharp.holdout_right(tally, choices.design("precision")).value
    precision = (right - float(sum(c.nodes * loss(c) for c in cells))) / matched
    design = choices.design("recall")
    delta, delta_members = design.shares(2)
    found = members.recall_sum(tally, design, delta, design.labels_bound(choices.one_to_one))
    least = members.least(tally, design, delta_members, None)
    most = sum(bool(x.t) for x in tally.labelled) + tally.size - len(tally.labelled)
    holdout = members.worst_ratio(found, 1, most, 0.0, 0.0, 0.0)
    dropped = sum(c.nodes for c in cells if gaps.drops(c))
    return [max(precision, 0.0), max(holdout - dropped / least, 0.0)]
