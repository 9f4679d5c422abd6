"""Records with known truth (../shared), drawn, labelled, matched and certified."""

from functools import cached_property

import numpy as np
import pyarrow as pa

import matchbound as mb
from matchbound.matchers.records.fields import read_tables
from matchbound.matchers.records.labelled import read_labelled
from matchbound.matchers.records.match import Pool
from support.replicates import SHARED, read


class RecordSet:
    """A data set of ../shared/data/er: its tables, and every record's true matches."""

    def __init__(self, name):
        self.name = name
        self.is_link = (SHARED / name / "left.parquet").exists()
        truth = read(name, "truth.parquet" if self.is_link else "truth_pairs.parquet")
        pairs = list(zip(truth["id_l"].to_pylist(), truth["id_r"].to_pylist(), strict=True))
        self.truth = set(pairs) if self.is_link else {*pairs, *((y, x) for x, y in pairs)}
        self.partners = {}
        for x, y in sorted(self.truth):
            self.partners.setdefault(x, []).append(y)

    @property
    def files(self):
        names = ("left", "right") if self.is_link else ("records",)
        return [SHARED / self.name / f"{name}.parquet" for name in names]

    @cached_property
    def pool(self):
        return Pool.of(read_tables(*self.files))

    @cached_property
    def ids(self):
        return self.pool.features.tables.left.to_pylist()

    def draw(self, seed, size):
        """Nodes drawn uniformly, for training alone."""
        rng = np.random.default_rng(seed)
        return [self.ids[i] for i in rng.choice(len(self.ids), size, replace=False)]

    def drawn(self):
        """The nodes of D that recordlinkage's matcher was trained on."""
        labels = read(self.name, "rl_logreg/labels.parquet").to_pylist()
        return [row["id"] for row in labels if row["in_D"]]

    def matches(self, labels, **options):
        labelled = read_labelled(labels, self.pool.features.tables)
        return self.pool.matches(labelled, **options)

    def labels(self, nodes):
        return [(x, y) for x in nodes for y in self.partners.get(x, [None])]

    def without(self, nodes, pairs):
        """Precision, recall and F1 of pairs, those of the nodes left out; of pairs, not nodes."""
        left_out = set(nodes)

        def kept(pairs):
            one_way = pairs if self.is_link else {(min(pair), max(pair)) for pair in pairs}
            of = (0,) if self.is_link else (0, 1)
            return {pair for pair in one_way if not any(pair[i] in left_out for i in of)}

        found, true = kept(set(pairs)), kept(self.truth)
        right = len(found & true)
        precision, recall = right / max(len(found), 1), right / len(true)
        return precision, recall, 2 * right / (len(found) + len(true))

    def metrics(self, pairs):
        """The true metrics of matches, by name: means over nodes, and shares of pairs."""
        both = set(pairs) if self.is_link else {*pairs, *((y, x) for x, y in pairs)}
        found = {}
        for x, y in both:
            found.setdefault(x, set()).add(y)
        right = {x: len(ys & set(self.partners.get(x, []))) for x, ys in found.items()}
        return {
            "precision": np.mean([right[x] / len(ys) for x, ys in found.items()]),
            "recall": np.mean([right.get(x, 0) / len(ys) for x, ys in self.partners.items()]),
            "pairwise-precision": sum(right.values()) / len(both),
            "pairwise-recall": sum(right.values()) / len(self.truth),
        }

    def withhold(self, seed, labels, train, *, metrics, **choices):
        """Bounds and truth of the complete matcher by metric, in one draw."""
        population = pa.table({"id": self.ids})
        matching = {"link": True, "one_to_one": True} if self.is_link else {"dedupe": True}
        draw = mb.draw(
            population,
            labels=labels,
            train=train,
            seed=seed,
            metrics=metrics,
            **matching,
            **choices,
        )
        known = self.labels([x for x, _, _ in draw.sample])
        truth = pa.table({"x": [x for x, _ in known], "y": [y for _, y in known]})
        runs = []

        def matcher(given):
            runs.append(self.matches(given, one_to_one=self.is_link))
            return runs[-1]

        deployed = {} if self.is_link else {"clusters": False}
        certificate = mb.withhold(
            matcher, draw, truth, population=population, threshold=0.5, **deployed
        )
        complete = self.metrics(runs[1].pairs())
        return {name: (certificate.value(name), complete[name]) for name in metrics}
