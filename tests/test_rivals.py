"""The comparison with other tools uses what the tools compute, and docs/rivals.md what it gave."""

import itertools
import json
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest

import matchbound as mb
from support import rival_tools
from support.replicates import SHARED, read
from support.rival_draws import CLUSTERS, LABELS, LINKS, ROWS, SETTINGS, Setting, bound_of
from support.rivals import Entities, audit_bound, load, ratio_estimate, splink_chart, wilson_lower

PAGE = Path(__file__).parents[1] / "docs" / "rivals.md"
needs_data = pytest.mark.skipif(not SHARED.exists(), reason="needs the real data in ../shared")
STORED = [setting for setting in SETTINGS if setting[1] != "goldenmatch"]


@cache
def setting_of(name, matcher):
    return Setting(name, matcher, load(name, matcher))


@pytest.mark.parametrize(("right", "labelled"), [(200, 200), (191, 200), (0, 67), (1, 3), (42, 42)])
def test_wilson_is_scipy_s(right, labelled):
    theirs = binomtest(right, labelled).proportion_ci(0.90, "wilson").low
    assert wilson_lower(right, labelled) == pytest.approx(theirs, abs=1e-12)


# er-evaluation.

PREDICTION = np.array([1, 1, 2, 3, 2, 4, 4, 4])  # of records 1 … 8
SAMPLED = np.array([1, 1, 1, 2, 2, 8, 9, 4])  # 6 and 7 are in entities that are not drawn


def test_er_evaluation_s_published_estimates():
    """Those of its docstrings, by `weights` of 1."""
    entities = Entities.of(SAMPLED, PREDICTION)
    places = np.flatnonzero(np.isin(np.unique(SAMPLED), [1, 2, 4]))
    found = dict(entities.estimates(places, np.ones(5)))
    assert found["precision"] == pytest.approx((0.3888888888888889, 0.2545875386086578))
    assert found["recall"] == pytest.approx((0.296875, 0.10825317547305482))


@pytest.mark.parametrize("seed", range(5))
def test_er_evaluation_gives_the_same(seed):
    pytest.importorskip("er_evaluation", reason="er-evaluation is not installed")
    rng = np.random.default_rng(seed)
    entities, clusters = rng.integers(0, 30, 80), rng.integers(0, 25, 80)
    clusters = np.where(rng.random(80) < 0.7, 100 + entities, clusters)
    places = rng.permutation(len(np.unique(entities)))[:15]
    places.sort()
    found = Entities.of(entities, clusters)
    weights = found.weights(80, 15)
    theirs = rival_tools.er_evaluation_itself(entities, clusters, places, weights)
    for metric, ours in found.estimates(places, weights):
        rival_tools.assert_same_estimate(ours, theirs[metric])


def test_entities_sum_to_the_truth_and_weights_count_draws():
    entities, clusters = np.array([0, 0, 0, 1, 1, 2, 3]), np.array([5, 5, 6, 6, 6, 7, 7])
    found = Entities.of(entities, clusters)
    assert (found.right.sum(), found.linked.sum(), found.true.sum()) == (2, 5, 4)
    draws = list(itertools.combinations(range(7), 3))
    for entity, weight in enumerate(found.weights(7, 3)):
        drawn = sum(any(entities[x] == entity for x in draw) for draw in draws)
        assert weight == pytest.approx(len(draws) / drawn)
    assert ratio_estimate(np.zeros(3), np.ones(3))[0] == 0.0


# goldenmatch.

AUDITS = [(1000, 400, (63, 67), (2, 67)), (50, 0, (25, 25), (0, 0)), (9, 9, (0, 4), (4, 4))]


@pytest.mark.parametrize("audit", AUDITS)
def test_goldenmatch_s_certificate_is_that_of_two_wilson_intervals(audit):
    linked, others, right, missed = audit
    least, most = binomtest(*right).proportion_ci(0.95, "wilson").low * linked, 0.0
    if others:
        most = binomtest(*missed).proportion_ci(0.95, "wilson").high * others
    assert audit_bound(*audit)[1] == pytest.approx(least / (least + most), abs=1e-4)


@pytest.mark.parametrize("audit", AUDITS)
def test_goldenmatch_gives_the_same(audit):
    pytest.importorskip("goldenmatch", reason="goldenmatch is not installed")
    assert audit_bound(*audit) == pytest.approx(rival_tools.goldenmatch_bound(*audit), abs=1e-12)


# Splink.


@needs_data
def test_splink_gives_the_same():
    setting = setting_of("fake_1000", "splink")
    m, rng = setting.matching, np.random.default_rng(1)
    for _, labelled in setting.labelled_for_splink(rng.permutation(1000)[:LABELS], rng):
        theirs = rival_tools.splink_itself("fake_1000", m, labelled)
        assert splink_chart(m, labelled) == pytest.approx(theirs, abs=1e-12)
    assert splink_chart(m, m.candidates_and_truth) == pytest.approx(
        (*m.values.values(),), abs=1e-12
    )


@needs_data
def test_splink_with_every_label_gives_the_truth():
    theirs = rival_tools.splink_from_column("fake_1000")
    assert theirs == pytest.approx((*load("fake_1000", "splink").values.values(),), abs=1e-12)


# matchbound.


@needs_data
@pytest.mark.parametrize("metric", ["precision", "recall"])
@pytest.mark.parametrize("name", ["fake_1000", "dblp_acm"])
def test_the_bounds_are_those_of_certificates(name, metric):
    m = load(name, "splink")
    population = pa.table({"id": range(m.population)})
    how = {"dedupe": True} if m.dedupe else {"link": True, "one_to_one": True}
    given = {"labels": 100, "seed": name, "metrics": [f"pairwise-{metric}"]}
    draw = mb.draw(population, **given, **how)
    matches = {x: [] for x in range(m.population)}
    for x, y in m.truth.tolist():
        matches[x].append(y)
        if m.dedupe:
            matches[y].append(x)
    drawn = [int(x) for x, _, _ in draw.sample]
    rows = [(x, y) for x in drawn for y in matches[x] or [None]]
    labels = {"x": [x for x, _ in rows], "y": pa.array([y for _, y in rows], pa.int64())}
    links = pa.table({"x": m.links[:, 0], "y": m.links[:, 1]})
    certificate = mb.certify(draw, population=population, holdout=links, labels=pa.table(labels))
    assert bound_of(m, metric, drawn) == certificate.value(f"pairwise-{metric}")
    assert certificate.value(f"pairwise-{metric}") <= m.values[metric]


# The page.


def columns_of_the_page():
    """Cells of docs/rivals.md by title of the column, metric and row."""
    columns, metric, titles = {}, "", []
    for line in PAGE.read_text("utf-8").splitlines():
        first, *cells = (cell.strip() for cell in line.strip("| ").split(" | "))
        if first.startswith("pairwise "):
            metric, titles = first.removeprefix("pairwise "), cells
        elif line.startswith("| ") and first in ROWS.get(metric, ()):
            for title, cell in zip(titles, cells, strict=True):
                columns.setdefault(title, {})[metric, first] = cell
    return columns


def test_the_page_has_every_column_and_row():
    columns = columns_of_the_page()
    assert [*columns] == [*SETTINGS.values()]
    rows = {(metric, row) for metric in ROWS for row in ROWS[metric]}
    assert all(set(column) == rows for column in columns.values())


@needs_data
@pytest.mark.parametrize(("name", "matcher"), STORED)
def test_the_page_has_the_truth(name, matcher):
    column = columns_of_the_page()[SETTINGS[name, matcher]]
    setting = setting_of(name, matcher)
    for of, metric in itertools.product((LINKS, CLUSTERS), ("precision", "recall")):
        assert column[metric, of] == f"{setting.truths[of][metric]:.3f}"


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize(("name", "matcher"), STORED)
def test_the_page_has_what_the_draws_give(name, matcher):
    stored = columns_of_the_page()[SETTINGS[name, matcher]]
    column = setting_of(name, matcher).column()
    assert {key: column.get(key, "–") for key in stored} == stored


@needs_data
def test_stored_truth_is_the_data_sets_own():
    """Of dedupe's output ../shared has exact scores, computed elsewhere."""

    for name in ("chicago_childcare", "restaurants"):
        scores = json.loads((SHARED / name / "dedupe" / "metrics.json").read_text())["H"]
        values = setting_of(name, "dedupe").matching.values
        assert values["precision"] == pytest.approx(scores["precision_pair"], abs=1e-6)
        assert values["recall"] == pytest.approx(scores["recall_pair"], abs=1e-6)
    assert len(read("restaurants", "truth_pairs.parquet")) == len(
        setting_of("restaurants", "dedupe").matching.truth
    )
