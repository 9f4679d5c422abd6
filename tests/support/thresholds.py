"""DBLP–ACM with Splink's scores: the threshold that is chosen, for many draws, beside the truth."""

from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq

import matchbound as mb
from matchbound.audits.order import hash_of, key_of
from matchbound.theorems.guarantees import choose_threshold, guarantees
from matchbound.theorems.tally import Cell, Label
from support.replicates import SHARED

FOLDER = SHARED / "dblp_acm"
PREDICTIONS = FOLDER / "splink" / "predictions.parquet"


class Scored:
    """Nodes, their true matches, and Splink's at each threshold, as Python sets."""

    def __init__(self, candidates):
        self.nodes = pq.read_table(FOLDER / "left.parquet")["id"].to_pylist()
        truth = pq.read_table(FOLDER / "truth.parquet")
        self.truth = self._sets(truth["id_l"].to_pylist(), truth["id_r"].to_pylist())
        table = pq.read_table(PREDICTIONS)
        x, y = (table[f"unique_id_{side}"].to_pylist() for side in "lr")
        scores = table["match_probability"].to_pylist()
        self.found = {
            score: self._sets(
                [a for a, p in zip(x, scores, strict=True) if p >= score],
                [b for b, p in zip(y, scores, strict=True) if p >= score],
            )
            for score in candidates
        }

    @staticmethod
    def _sets(x, y):
        matches = {}
        for a, b in zip(x, y, strict=True):
            matches.setdefault(a, set()).add(b)
        return matches

    def true_metrics(self, score):
        found, truth = self.found[score], self.truth
        precision = [len(ys & truth.get(x, set())) / len(ys) for x, ys in found.items()]
        recall = [len(ys & found.get(x, set())) / len(ys) for x, ys in truth.items()]
        return sum(precision) / len(precision), sum(recall) / len(recall)

    def tallies(self, drawn):
        """What `certify` counts, for a sample in this order."""
        return {f"score ≥ {score:g}": self._tally(score, drawn) for score in self.found}

    def _tally(self, score, drawn):
        found, nothing, labelled = self.found[score], set(), set(drawn)
        matches = Counter(len(found.get(x, nothing)) for x in self.nodes if x not in labelled)
        labels = [
            Label.alone(
                len(found.get(x, nothing)),
                len(self.truth.get(x, nothing)),
                len(found.get(x, nothing) & self.truth.get(x, nothing)),
            )
            for x in drawn
        ]
        gap = tuple(Cell(h, h, h, n) for h, n in sorted(matches.items()))
        return mb.Tally(len(self.nodes), (), tuple(labels), (), gap)

    def drawn(self, seed, labels):
        key = key_of("validation", seed)
        named = [f"df_left-__-{x}" for x in self.nodes]
        order = sorted(named, key=lambda node: hash_of(key, node))[:labels]
        return [node.removeprefix("df_left-__-") for node in order]

    def choose(self, seed, labels, choices):
        tallies = self.tallies(self.drawn(seed, labels))
        found = guarantees(tallies, choices, complete=False)
        chosen = choose_threshold(tallies, choices, complete=False).chosen
        return chosen, [g.value for g in found]

    def certificate(self, seed, labels, target):
        """The same by the commands, from Splink's file as it is."""
        population = FOLDER / "left.parquet"
        draw = mb.draw(
            population,
            labels=labels,
            seed=seed,
            source="df_left",
            choose_threshold={"precision": target},
            allowance=0.0,
        )
        rows = [
            (node, f"df_right-__-{y}" if y else None)
            for node, _, _ in draw.sample
            for y in sorted(self.truth.get(node.removeprefix("df_left-__-"), ())) or [None]
        ]
        labels_table = pa.table({"x": [x for x, _ in rows], "y": [y for _, y in rows]})
        return mb.certify(draw, population=population, holdout=PREDICTIONS, labels=labels_table)
