"""Networks with known truth, drawn, labelled, matched and certified; what is true beside it."""

import tempfile
from pathlib import Path

import pyarrow as pa

import matchbound as mb
from matchbound.certificates.guided import guide
from matchbound.matchers.program import network
from matchbound.theorems.others import patched_holdout
from support.audits import write_csv
from support.replicates import bounds_of, old_bounds_of


class Networks:
    """A pair of networks as matchbound reads it; nodes are those of the left one."""

    def __init__(self, pair):
        self.truth = {str(x): str(y) for x, y in pair.truth.tolist()}
        self.graphs = [mb.matchers.graph(table) for table in pair.tables()]
        self.nodes = sorted(self.graphs[0].ids.to_pylist())
        self.population = pa.table({"id": self.nodes})

    def draw(self, seed, labels, train, **choices):
        return mb.draw(
            self.population,
            labels=labels,
            train=train,
            seed=seed,
            link=True,
            one_to_one=True,
            **choices,
        )

    def labels(self, draw):
        nodes = [x for x, _, _ in draw.sample]
        return pa.table({"x": nodes, "y": [self.truth.get(x) for x in nodes]})

    def metrics(self, pairs):
        """The true precision and recall of matches."""
        right = sum(self.truth.get(x) == y for x, y in pairs)
        return right / len(pairs), right / len(self.truth)

    def withhold(self, seed, labels, train, **how):
        """Bounds and truth by kind: the complete run, by the formula before too, and patched H."""
        draw = self.draw(seed, labels, train)
        runs = []

        def matcher(known):
            runs.append(network(*self.graphs, **how)(known))
            return runs[-1]

        certificate = mb.withhold(
            matcher, draw, self.labels(draw), population=self.population, threshold=0.0
        )
        tally = certificate.tallies["all"]
        known = dict(zip(*self.labels(draw).to_pydict().values(), strict=True))
        kept = [(x, y) for x, y in runs[0].pairs() if x not in known]
        patched = [*kept, *((x, y) for x, y in known.items() if y is not None)]
        complete = self.metrics(runs[1].pairs())
        return {
            "complete": (bounds_of(tally, certificate.choices), complete),
            "old formula": (old_bounds_of(tally, certificate.choices), complete),
            "patched": (
                bounds_of(patched_holdout(tally), certificate.choices),
                self.metrics(patched),
            ),
        }

    def guided(self, seed, labels, train, target, **choices):
        """The matches, the certificate's precision, and the true one."""
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            write_csv(place / "nodes.csv", ["id"], [[x] for x in self.nodes])
            draw = mb.draw(
                place / "nodes.csv",
                labels=labels,
                train=train,
                seed=seed,
                link=True,
                one_to_one=True,
                **choices,
            )
            draw.save(place / "audit")
            rows = [[x, self.truth.get(x, "")] for x, _, _ in draw.sample]
            write_csv(place / "audit" / "labels.csv", ["x", "y"], rows)
            matches, certificate = guide(
                *self.graphs, place / "audit", target=target, out=place / "matches.csv"
            )
        return matches, certificate.value("precision"), self.metrics(matches.pairs())[0]

    def fixed(self, seed, labels, train, threshold, metrics=("precision",)):
        """The same for one threshold, chosen before."""
        draw = self.draw(seed, labels, train, metrics=metrics)
        truth = self.labels(draw)
        trained = {x for x, place, _ in draw.sample if place is not None}
        known = [(x, y) for x, y in zip(*truth.to_pydict().values(), strict=True) if x in trained]
        matches = network(*self.graphs, threshold=threshold)(known)
        certificate = mb.certify(
            draw, population=self.population, holdout=matches, labels=truth, threshold=0.0
        )
        return matches, certificate.value("precision"), self.metrics(matches.pairs())[0]
