"""What each tool says of a matcher in many seeded draws, as the table of docs/rivals.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from matchbound import Choices
from matchbound.theorems.guarantees import guarantees
from support.rivals import (
    ONE_SIDED,
    Entities,
    Matching,
    audit_bound,
    pairs_of,
    splink_chart,
    wilson_lower,
)
from support.simulated import in_order

DRAWS = 500
LABELS = 200  # records, or pairs
STRATUM = 67  # goldenmatch asks for pairs of three strata
METRICS = ("precision", "recall")
SETTINGS = {  # docs/rivals.md says how they were chosen
    ("dblp_acm", "splink"): "DBLP–ACM, Splink",
    ("febrl4", "splink"): "FEBRL 4, Splink",
    ("fake_1000", "splink"): "fake_1000, Splink",
    ("chicago_childcare", "dedupe"): "Chicago, dedupe",
    ("restaurants", "dedupe"): "restaurants, dedupe",
    ("chicago_childcare", "goldenmatch"): "Chicago, goldenmatch",
    ("fake_1000", "goldenmatch"): "fake_1000, goldenmatch",
}
LINKS, CLUSTERS = "truth: links", "truth: their clusters"
MATCHBOUND = "matchbound, 200 records: bound"
BY_LINKS = "matchbound, 200 records by links: bound"
WILSON = "200 links"
CHART = "Splink's chart"
CERTIFICATE = "goldenmatch's certificate, 201 pairs"
ENTITIES = "er-evaluation, entities of 200 records"
ROWS = {
    "precision": (
        LINKS,
        MATCHBOUND,
        BY_LINKS,
        f"{WILSON}: their share",
        f"{WILSON}: Wilson's limit",
        f"{CHART}, all pairs of 200 records",
        f"{CHART}, 200 candidates",
        CLUSTERS,
        f"{ENTITIES}: estimate",
        f"{ENTITIES}: limit made of it",
    ),
    "recall": (
        LINKS,
        MATCHBOUND,
        f"{CHART}, all pairs of 200 records",
        f"{CHART}, 200 candidates",
        f"{CERTIFICATE}: estimate",
        f"{CERTIFICATE}: bound",
        CLUSTERS,
        f"{ENTITIES}: estimate",
        f"{ENTITIES}: limit made of it",
    ),
}


def sample(rng, pairs, size):
    """Pairs drawn at random, at most half of them."""
    return pairs[rng.permutation(len(pairs))[: min(size, len(pairs) // 2)]]


def bound_of(matching: Matching, metric: str, records, **how) -> float:
    """matchbound's bound from the labels of these records, in the order of the draw."""
    tally = matching.counts.tally([], records)
    limit = {"limit_by_sample": True} if matching.dedupe else {"one_to_one": True}
    choices = Choices(metrics=(f"pairwise-{metric}",), **limit, **how)
    (bound,) = guarantees({"all": tally}, choices, complete=False)
    return bound.value


@dataclass(frozen=True, eq=False)
class Setting:
    name: str
    matcher: str
    matching: Matching

    @cached_property
    def by_entity(self) -> Entities:
        return Entities.of(self.matching.entities, self.matching.clusters)

    @cached_property
    def weights(self) -> np.ndarray:
        return self.by_entity.weights(self.matching.size, LABELS)

    @cached_property
    def ranks(self) -> np.ndarray:
        return np.unique(self.matching.entities, return_inverse=True)[1]

    @cached_property
    def truths(self) -> dict[str, dict[str, float]]:
        return {LINKS: self.matching.values, CLUSTERS: self.by_entity.values}

    def draw(self, number: int) -> Iterator[tuple[str, str, float]]:
        """Yield metric, row and value of every number that a tool gives."""
        rng = np.random.default_rng([number, *self.name.encode(), *self.matcher.encode()])
        records = rng.permutation(self.matching.population)[:LABELS]
        yield from self._matchbound(records, rng)
        yield from self._wilson(rng)
        if self.matcher == "splink":
            for row, labelled in self.labelled_for_splink(records, rng):
                values = splink_chart(self.matching, labelled)
                yield from ((m, f"{CHART}, {row}", v) for m, v in zip(METRICS, values, strict=True))
        if self.matching.candidates is not None:
            estimate, bound = audit_bound(*self.audit(rng))
            yield "recall", f"{CERTIFICATE}: estimate", estimate
            yield "recall", f"{CERTIFICATE}: bound", bound
        yield from self._er_evaluation(records, rng)

    def _matchbound(self, records, rng):
        for metric in METRICS:
            yield metric, MATCHBOUND, bound_of(self.matching, metric, records.tolist())
        drawn = in_order(rng, self.matching.counts.h.astype(float), LABELS).tolist()
        bound = bound_of(self.matching, "precision", drawn, weigh="pairwise-precision")
        yield "precision", BY_LINKS, bound

    def _wilson(self, rng):
        right = self.matching.is_right(sample(rng, self.matching.links, LABELS))
        yield "precision", f"{WILSON}: their share", right.mean()
        yield "precision", f"{WILSON}: Wilson's limit", wilson_lower(int(right.sum()), len(right))

    def labelled_for_splink(self, records, rng):
        yield "all pairs of 200 records", pairs_of(self.matching, records)
        yield "200 candidates", sample(rng, self.matching.candidates, LABELS)

    def audit(self, rng):
        """Pairs in goldenmatch's strata A and B, and (true, labelled) of each."""
        m = self.matching
        below = m.candidates[~np.isin(m.keys(m.candidates), m.keys(m.links))]
        labels = [m.is_right(sample(rng, pairs, STRATUM)) for pairs in (m.links, below)]
        return len(m.links), len(below), *((int(right.sum()), len(right)) for right in labels)

    @property
    def warned(self) -> float:
        """The chance that goldenmatch's stratum C, 67 pairs of no candidates, has a true one."""
        m = self.matching
        others = m.pairs - len(m.candidates)
        missed = len(m.truth) - int(m.is_right(m.candidates).sum())
        return 1 - float(np.prod(1 - missed / (others - np.arange(STRATUM))))

    def sampled_entities(self, records, rng):
        """The entities of the drawn records; of two tables, of as many records of both."""
        if not self.matching.dedupe:
            records = rng.permutation(self.matching.size)[:LABELS]
        return np.unique(self.ranks[records])

    def _er_evaluation(self, records, rng):
        places = self.sampled_entities(records, rng)
        for metric, (value, deviation) in self.by_entity.estimates(places, self.weights):
            yield metric, f"{ENTITIES}: estimate", value
            yield (
                metric,
                f"{ENTITIES}: limit made of it",
                value - ONE_SIDED * np.nan_to_num(deviation),
            )

    def column(self, draws: int = DRAWS) -> dict[tuple[str, str], str]:
        """By metric and row: the mean, and the share of draws above the truth."""
        numbers: dict[tuple[str, str], list[float]] = {}
        for number in range(draws):
            for metric, row, value in self.draw(number):
                numbers.setdefault((metric, row), []).append(value)
        cells = {(m, of): f"{self.truths[of][m]:.3f}" for of in self.truths for m in METRICS}
        for (metric, row), values in numbers.items():
            truth = self.truths[CLUSTERS if row.startswith(ENTITIES) else LINKS][metric]
            above = np.mean(np.array(values) > truth + 1e-9)
            cells[metric, row] = f"{np.mean(values):.3f} ({100 * above:.1f}%)"
        return cells


def table(columns: dict[str, dict[tuple[str, str], str]]) -> Iterator[str]:
    """Lines of Markdown; columns by title."""
    for metric, rows in ROWS.items():
        yield f"| pairwise {metric} | " + " | ".join(columns) + " |"
        yield "| --- " * (1 + len(columns)) + "|"
        for row in rows:
            cells = [column.get((metric, row), "–") for column in columns.values()]
            yield f"| {row} | " + " | ".join(cells) + " |"
        yield ""
