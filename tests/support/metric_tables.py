"""Mean bounds of all metrics on real data, beside the values that the theory was published with.

One metric at a time at δ = 0.05; D uniform, S from the other records, 100 seeded draws. `PAIRS` has
the matchers' pairs as given, `CLOSED` has them closed to clusters. Values are those of steady star
bets, or, where these were not told, of bets as narrow. The greatest t is promised as the limit.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from matchbound import Choices
from matchbound.theorems.guarantees import guarantees
from support.populations import breaks
from support.replicates import read, truth_of
from support.simulated import Counts, draw, planned, weights_of

DELTA, DRAWS = 0.05, 100
MOST_BROKEN = 11  # of 100: δ and three standard errors
HOLDOUT = {"restaurants": "dedupe/H.parquet"}
SIZES = {  # |D| and |S|
    "dblp_acm": (200, 400),
    "febrl4": (400, 400),
    "chicago_childcare": (200, 400),
    "fake_1000": (80, 120),
    "restaurants": (100, 150),
}
EXCHANGED = {  # as the label files have it
    "dblp_acm": (400, 200),
    "chicago_childcare": (400, 200),
    "fake_1000": (120, 80),
    "restaurants": (150, 100),
}
DEDUPLICATED = ("chicago_childcare", "fake_1000", "restaurants")
BY_LINKS, BY_F1 = "pairwise-precision", "pairwise-f1"

PAIRS = {  # by metric and weights, for the data sets of SIZES
    ("precision", ""): (0.971, 0.992, 0.924, 0.945, 0.917),
    ("recall", ""): (0.974, 0.987, 0.912, 0.718, 0.637),
    ("pairwise-precision", BY_LINKS): (0.953, 0.991, 0.929, 0.937, 0.998),
    ("pairwise-precision", ""): (0.928, 0.978, 0.911, 0.892, 0.916),
    ("pairwise-recall", ""): (0.974, 0.987, 0.889, 0.714, 0.637),
    ("pairwise-f1", BY_F1): (0.965, 0.989, 0.911, 0.814, 0.776),
    ("pairwise-f1", ""): (0.953, 0.984, 0.901, 0.801, 0.766),
}
CLOSED = {  # for those of DEDUPLICATED
    ("precision", ""): (0.869, 0.893, 0.916),
    ("recall", ""): (0.948, 0.852, 0.637),
    ("pairwise-precision", BY_LINKS): (0.787, 0.824, 0.998),
    ("pairwise-recall", ""): (0.939, 0.872, 0.637),
    ("pairwise-f1", BY_F1): (0.858, 0.851, 0.770),
    ("b3-precision", ""): (0.901, 0.914, 0.991),
    ("b3-recall", ""): (0.967, 0.896, 0.946),
}
FEW_LABELS = {  # for those of EXCHANGED
    ("precision", ""): (0.958, 0.912, 0.931, 0.884),
    ("recall", ""): (0.958, 0.901, 0.708, 0.622),
    ("pairwise-precision", BY_LINKS): (0.942, 0.920, 0.928, 0.985),
    ("pairwise-precision", ""): (0.897, 0.888, 0.860, 0.884),
    ("pairwise-recall", ""): (0.958, 0.866, 0.701, 0.622),
    ("pairwise-f1", BY_F1): (0.953, 0.896, 0.799, 0.756),
}


@dataclass(frozen=True)
class Figure:
    """The mean of 100 bounds, the truth, how many were false, and the value to compare with."""

    name: str
    metric: str
    weigh: str
    mean: float
    truth: float
    broken: int
    published: float

    def __str__(self) -> str:
        return (
            f"{self.name:28} {self.metric:19} {self.weigh or 'uniform':19} {self.mean:6.4f} "
            f"{self.truth:6.4f} {self.broken:3d} {self.published:6.3f} "
            f"{self.mean - self.published:+7.4f}"
        )


def closed(matches):
    """Each record's matches, closed to connected components."""
    found = {}
    for start in matches:
        if start in found:
            continue
        component, new = {start}, [start]
        while new:
            new = [y for x in new for y in matches[x] if y not in component]
            component.update(new)
        found.update({x: component - {x} for x in component})
    return found


@cache
def holdout_and_truth(name):
    """Each record's matches by the holdout matcher, and its true ones, by row number."""
    truth, dedupe = truth_of(name)
    sides = ("records", "records") if dedupe else ("left", "right")
    rows = [
        {x: i for i, x in enumerate(read(name, f"{s}.parquet")["id"].to_pylist())} for s in sides
    ]
    table = read(name, HOLDOUT.get(name, "rl_logreg/H.parquet")).to_pydict()
    is_match = table.get("match", [True] * len(table["id_l"]))
    found = {x: set() for x in truth}
    for x, y, matched in zip(table["id_l"], table["id_r"], is_match, strict=True):
        if matched:
            found[rows[0][x]].add(rows[1][y])
            if dedupe:
                found[rows[1][y]].add(rows[0][x])
    return found, truth


@cache
def counts_of(name, is_closed=False) -> Counts:
    found, truth = holdout_and_truth(name)
    found = closed(found) if is_closed else found
    triples = [(len(found[x]), len(truth[x]), len(found[x] & truth[x])) for x in sorted(truth)]
    return Counts(*np.array(triples).T)


def bounds_of(counts, choices, sizes, truth):
    """Of each seeded draw: the bound on the one metric, and whether it is false."""
    weights, rows = weights_of(counts, choices), []
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        tally = counts.tally(*draw(rng, counts, *sizes, weights))
        (found,) = guarantees({"all": tally}, planned(tally, choices), complete=False)
        rows.append((found.value, breaks([found], truth)))
    return np.array(rows)


def figures(name, counts, sizes, asked, truth=None, **how):
    """By metric and weights asked: the figure, with the greatest t promised if nothing is said."""
    truth = truth or counts.truth
    for (metric, weigh), published in asked.items():
        limit = how or {"most_true_matches": int(counts.t.max())}
        choices = Choices(DELTA, (metric,), weigh=weigh, **limit)
        values, broken = bounds_of(counts, choices, sizes, truth).T
        yield Figure(
            name, metric, weigh, values.mean(), truth[metric], int(broken.sum()), published
        )


def column(table, place):
    return {row: values[place] for row, values in table.items()}


def pairs_as_given(name):
    asked = column(PAIRS, list(SIZES).index(name))
    yield from figures(name, counts_of(name), SIZES[name], asked)


def closed_to_clusters(name):
    asked = column(CLOSED, DEDUPLICATED.index(name))
    yield from figures(f"{name}, closed", counts_of(name, True), SIZES[name], asked)


# Other settings.


def few_labels(name):
    """|D| and |S| exchanged."""
    sizes, asked = EXCHANGED[name], column(FEW_LABELS, list(EXCHANGED).index(name))
    yield from figures(f"{name} {sizes}", counts_of(name), sizes, asked)


def limits_of_other_kinds():
    """A limit that the sample proves, and statements about records within a limit."""
    recall = ("pairwise-recall", "")
    for name, published in (("chicago_childcare", 0.885), ("fake_1000", 0.676)):
        given = {"sizes": SIZES[name], "asked": {recall: published}, "limit_by_sample": True}
        yield from figures(f"{name}, proved", counts_of(name), **given)
    for name, limit, published in (("chicago_childcare", 10, 0.896), ("fake_1000", 5, 0.709)):
        counts = counts_of(name)
        within = counts.t <= limit
        truth = Counts(counts.h[within], counts.t[within], counts.ht[within]).truth
        given = {"sizes": SIZES[name], "asked": {recall: published}, "truth": truth}
        named = f"{name}, t ≤ {limit}"
        yield from figures(named, counts, **given, among_records_with_at_most=limit)


def one_draw_for_all():
    """Weights of F1, for every metric of pairs as given."""
    published = (0.922, 0.909, 0.920, 0.884, 0.910)
    names = ("precision", "recall", "pairwise-precision", "pairwise-recall", "pairwise-f1")
    asked = {(name, BY_F1): value for name, value in zip(names, published, strict=True)}
    name = "chicago_childcare"
    yield from figures(f"{name}, one draw", counts_of(name), SIZES[name], asked)


def a_wrong_cluster():
    """1,000 records, 450 right pairs, one wrong cluster of 100."""
    counts = Counts.of({(1, 1, 1): 900, (99, 0, 0): 100})
    rows = [("precision", ""), ("pairwise-precision", ""), ("pairwise-precision", BY_LINKS)]
    for sizes, published in (
        ((0, 200), (0.859, 0.059, 0.073)),
        ((100, 100), (0.838, 0.052, 0.059)),
        ((200, 400), (0.881, 0.070, 0.082)),
    ):
        asked = dict(zip(rows, published, strict=True))
        yield from figures(f"a wrong cluster {sizes}", counts, sizes, asked)
