"""What other tools say of a matcher from sampled labels, fast enough for many draws.

`tests/test_rivals.py` compares every function here with the tool itself. Records of two tables are
numbered in one row, left ones first; a pair is (smaller number, larger number).
"""

from dataclasses import dataclass
from functools import cached_property
from math import lgamma, sqrt

import numpy as np

from support.replicates import SHARED, read
from support.simulated import Counts

ONE_SIDED = 1.6448536269514722  # a normal variable is below it with probability 0.95
LINKED_FROM = 0.95  # Splink's match probability


@dataclass(frozen=True, eq=False)
class Matching:
    """A matcher's links and the truth; `candidates` are all pairs that it scored, links included.

    `population` is the number of records that a draw is from: all, or those of the left table.
    """

    size: int
    population: int
    entities: np.ndarray  # each record's
    links: np.ndarray
    candidates: np.ndarray | None = None

    @property
    def dedupe(self) -> bool:
        return self.population == self.size

    @property
    def pairs(self) -> int:
        """The number of pairs that could be linked."""
        n, m = self.size, self.population
        return n * (n - 1) // 2 if self.dedupe else m * (n - m)

    def is_right(self, pairs: np.ndarray) -> np.ndarray:
        return self.entities[pairs[:, 0]] == self.entities[pairs[:, 1]]

    @cached_property
    def truth(self) -> np.ndarray:
        """All true pairs; of two tables, between them."""
        order = np.argsort(self.entities, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(self.entities[order])) + 1)
        pairs = [(x, y) for group in groups for i, x in enumerate(group) for y in group[i + 1 :]]
        pairs = np.array(pairs, np.int64).reshape(-1, 2)
        return pairs if self.dedupe else pairs[_across(pairs, self.population)]

    @cached_property
    def candidates_and_truth(self) -> np.ndarray:
        return np.unique(np.concatenate([self.candidates, self.truth]), axis=0)

    @cached_property
    def values(self) -> dict[str, float]:
        right = self.is_right(self.links)
        return {"precision": right.mean(), "recall": right.sum() / len(self.truth)}

    @cached_property
    def counts(self) -> Counts:
        """Of each record of the population: its links, its true matches, its right links."""
        right = self.links[self.is_right(self.links)]
        return Counts(*(self._degrees(pairs) for pairs in (self.links, self.truth, right)))

    def _degrees(self, pairs: np.ndarray) -> np.ndarray:
        ends = pairs.ravel() if self.dedupe else pairs[:, 0]
        return np.bincount(ends, minlength=self.population)

    def keys(self, pairs: np.ndarray) -> np.ndarray:
        return pairs[:, 0] * self.size + pairs[:, 1]

    @cached_property
    def clusters(self) -> np.ndarray:
        """Each record's cluster: what the links join."""
        return components(self.size, self.links)


def _across(pairs: np.ndarray, population: int) -> np.ndarray:
    return (pairs[:, 0] < population) & (pairs[:, 1] >= population)


def components(size: int, pairs: np.ndarray) -> np.ndarray:
    parent = list(range(size))

    def root(x):
        while parent[x] != x:
            parent[x] = x = parent[parent[x]]
        return x

    for x, y in pairs.tolist():
        parent[root(x)] = root(y)
    return np.array([root(x) for x in range(size)])


def in_order(pairs: np.ndarray) -> np.ndarray:
    return np.unique(np.sort(pairs.astype(np.int64), axis=1), axis=0)


# The data sets.


def load(name: str, matcher: str | None) -> Matching:
    """A data set of ../shared with the output of `splink` (from 0.95 on), `dedupe` (H) or none."""
    left, right = [_ids(name, side) for side in _sides(name)]
    population, size = len(left), len(left) if right is left else len(left) + len(right)
    numbers = [{x: i for i, x in enumerate(left)}]
    numbers.append({x: i + (0 if right is left else population) for i, x in enumerate(right)})
    given = {"size": size, "population": population, "entities": _entities(name, numbers, size)}
    if matcher is None:
        return Matching(**given, links=np.empty((0, 2), np.int64))
    if matcher == "dedupe":
        return Matching(**given, links=_pairs(read(name, "dedupe/H.parquet"), numbers))
    table = read(name, "splink/predictions.parquet")
    candidates = _pairs(table, numbers, "unique_id")
    linked = table["match_probability"].to_numpy() >= LINKED_FROM
    links = _pairs(table.filter(linked), numbers, "unique_id")
    return Matching(**given, links=links, candidates=candidates)


def _sides(name: str) -> tuple[str, str]:
    deduped = (SHARED / name / "records.parquet").exists()
    return ("records", "records") if deduped else ("left", "right")


def _ids(name, side, cache={}):  # noqa: B006
    if (name, side) not in cache:
        cache[name, side] = read(name, f"{side}.parquet")["id"].to_pylist()
    return cache[name, side]


def _pairs(table, numbers, column="id"):
    ends = zip(table[f"{column}_l"].to_pylist(), table[f"{column}_r"].to_pylist(), strict=True)
    pairs = [(numbers[0][x], numbers[1][y]) for x, y in ends]
    return in_order(np.array(pairs).reshape(-1, 2))


def _entities(name, numbers, size):
    table = read(name, "truth.parquet")
    if "cluster" not in table.column_names:
        return components(size, _pairs(table, numbers))
    entities = dict(zip(table["id"].to_pylist(), table["cluster"].to_pylist(), strict=True))
    named = [entities[x] for x in numbers[0]]
    return np.unique(named, return_inverse=True)[1]


# The estimators.


def wilson_lower(right: int, labelled: int, z: float = ONE_SIDED) -> float:
    share = right / labelled
    centre = share + z * z / (2 * labelled)
    spread = z * sqrt(share * (1 - share) / labelled + z * z / (4 * labelled * labelled))
    return max((centre - spread) / (1 + z * z / labelled), 0.0)


def splink_chart(matching: Matching, labelled: np.ndarray) -> tuple[float, float]:
    """Precision and recall of Splink's accuracy table at the threshold, from labelled pairs."""
    linked = np.isin(matching.keys(labelled), matching.keys(matching.links))
    right = matching.is_right(labelled)
    both = (linked & right).sum()
    return (both / linked.sum() if linked.any() else 1.0), both / right.sum()


def pairs_of(matching: Matching, drawn: np.ndarray) -> np.ndarray:
    """All candidates and all true pairs of the drawn records."""
    pairs = matching.candidates_and_truth
    return pairs[np.isin(pairs, drawn).any(axis=1)]


@dataclass(frozen=True, eq=False)
class Entities:
    """Of each entity: records, right pairs, linked pairs (those that leave it: half), true pairs.

    Links are the pairs inside clusters; of two tables, those inside a table too.
    """

    size: np.ndarray
    right: np.ndarray
    linked: np.ndarray
    true: np.ndarray

    @staticmethod
    def of(entities: np.ndarray, clusters: np.ndarray) -> "Entities":
        _, entity, size = np.unique(entities, return_inverse=True, return_counts=True)
        _, cluster, inside = np.unique(clusters, return_inverse=True, return_counts=True)
        both = np.stack([entity, cluster], axis=1)
        (entity, cluster), shared = _counted(both)
        right = np.bincount(entity, shared * (shared - 1) / 2, len(size))
        leaving = np.bincount(entity, shared * (inside[cluster] - shared), len(size))
        return Entities(size, right, right + leaving / 2, size * (size - 1) / 2)

    @property
    def values(self) -> dict[str, float]:
        right = self.right.sum()
        return {"precision": right / self.linked.sum(), "recall": right / self.true.sum()}

    def weights(self, records: int, drawn: int) -> np.ndarray:
        """1 / the probability that at least one of an entity's records is drawn."""
        missed = {k: _missed(records, drawn, int(k)) for k in np.unique(self.size)}
        return np.array([1 / (1 - missed[k]) for k in self.size])

    def estimates(self, places, weights):
        """By metric: er-evaluation's estimate and standard deviation."""
        weights = weights[places]
        right = self.right[places] * weights
        for name, total in (("precision", self.linked), ("recall", self.true)):
            yield name, ratio_estimate(right, total[places] * weights)


def _counted(rows):
    rows, counts = np.unique(rows, axis=0, return_counts=True)
    return rows.T, counts


def _missed(n, s, k):
    if n - k < s:
        return 0.0
    logs = lgamma(n - k + 1) - lgamma(n - k - s + 1) - lgamma(n + 1) + lgamma(n - s + 1)
    return float(np.exp(logs))


def ratio_estimate(num: np.ndarray, den: np.ndarray) -> tuple[float, float]:
    """Estimate of mean(num) / mean(den), adjusted for bias, and its standard deviation."""
    n, num_mean, den_mean = len(num), num.mean(), den.mean()
    if num_mean == 0:
        return 0.0, np.nan
    a, b = den / den_mean, num / num_mean
    adjusted = 1 + np.mean(den * (b - a)) / ((n - 1) * den_mean)
    ratio = num_mean / den_mean
    return adjusted * ratio, ratio * sqrt(max(np.sum((a - b) ** 2), 0) / (n * (n - 1)))


def audit_bound(linked: int, others: int, right: tuple[int, int], missed: tuple[int, int]):
    """Estimate and lower bound of goldenmatch's certificate.

    `right` are the true among the audited links, `missed` the true among the audited candidates
    below the threshold, of which there are `others`.
    """
    z = 1.96
    least_right = wilson_lower(*right, z) * linked
    most_missed = (1 - wilson_lower(missed[1] - missed[0], missed[1], z)) * others if others else 0
    found, lost = right[0] / right[1] * linked, missed[0] / missed[1] * others if others else 0.0
    return found / (found + lost), least_right / (least_right + most_missed)
