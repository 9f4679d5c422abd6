"""Records matched by a classifier over pairs: `match`."""

import random
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import matchbound as mb
from matchbound.matchers.records import classifier
from matchbound.matchers.records.assignment import one_to_one
from matchbound.matchers.records.candidates import Candidates
from matchbound.matchers.records.chains import with_chains
from matchbound.matchers.records.features import features_of
from matchbound.matchers.records.fields import read_tables
from matchbound.matchers.records.labelled import read_labelled
from matchbound.matchers.records.match import Pool, match
from matchbound.matchers.records.similarity import compare_texts
from matchbound.matchers.records.values import as_days, as_numbers
from support import record_references as references
from support.audits import contents, read_csv, run, write_csv
from support.made_records import people, person, slip


@pytest.fixture(scope="module", autouse=True)
def _few_trees():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(classifier, "TREES", 40)
        yield


@pytest.fixture(scope="module")
def tables():
    return people(200)


@pytest.fixture(scope="module")
def linked(tables):
    left, right, truth = tables
    return match(left, right, labels=truth[:50], one_to_one=True)


def test_two_tables(tables, linked):
    truth = tables[2]
    assert linked.table.column_names == ["x", "y", "score"]
    found = set(linked.pairs())
    assert len(found & set(truth[50:])) >= 0.97 * 150
    assert len(found - set(truth)) <= 3
    assert str(linked) == f"{len(linked)} matches."
    assert linked.table["score"].to_numpy().min() >= 0.5
    for side in "xy":
        assert len(set(linked.table[side].to_pylist())) == len(linked)


def test_the_same_again_on_any_number_of_threads(tables, linked, monkeypatch):
    left, right, truth = tables
    for threads, rows in ((1, 1 << 16), (3, 100)):
        monkeypatch.setattr(classifier, "thread_count", lambda n=threads: n)
        monkeypatch.setattr(classifier, "CHUNK", rows)
        shuffled = left.take(np.random.default_rng(threads).permutation(len(left)))
        again = match(shuffled, right, labels=truth[:50][::-1], one_to_one=True)
        assert again.table == linked.table


def test_all_scores_hold_the_matches(tables, linked):
    left, right, truth = tables
    every = match(left, right, labels=truth[:50], one_to_one=True, all_scores=True)
    assert len(every) > 5 * len(linked)
    scores = dict(zip(every.pairs(), every.table["score"].to_pylist(), strict=True))
    assert [pair for pair, score in scores.items() if score >= 0.5] == linked.pairs()
    loose = [pair for pair, score in scores.items() if score > 0.25]
    assert len({x for x, _ in loose}) == len({y for _, y in loose}) == len(loose)
    assert " other candidates." in str(every)


def test_one_table_whose_entities_have_more_records_than_candidates():
    rng = random.Random(1)
    rows, truth = [], {}
    for entity in range(25):
        one = person(rng)
        ids = [f"r{len(rows) + i}" for i in range(15 if entity < 5 else 2)]
        rows += [{"id": id} | {name: slip(rng, text) for name, text in one.items()} for id in ids]
        truth |= {id: {*ids} - {id} for id in ids}
    records = pa.Table.from_pylist(rows)
    pairs = {(x, y) for x in truth for y in truth[x] if x < y}
    labels = [(x, y) for x in sorted(truth)[::3] for y in sorted(truth[x])]
    pool = Pool.of(read_tables(records))
    labelled = read_labelled(labels, pool.features.tables)
    found = {tuple(sorted(pair)) for pair in pool.matches(labelled).pairs()}
    assert len(found & pairs) / len(pairs) >= 0.95
    assert len(found & pairs) / len(found) >= 0.95
    ids = pool.features.tables.left.to_pylist()
    near = pool.features.candidates
    first = {tuple(sorted((ids[x], ids[y]))) for x, y in zip(near.x, near.y, strict=True)}
    assert len(first & pairs) / len(pairs) < 0.95  # so candidates of candidates were needed


def random_text(rng):
    texts = [
        "",
        " Anna  Smith ",
        "anna smith jr",
        "ann smyth",
        "12 High St",
        "High st 12b",
        "x",
        "straße",
        None,
    ]
    return rng.choice(texts)


def random_records(rng, size):
    return [
        {
            "name": random_text(rng),
            "other": random_text(rng),
            "price": rng.choice(["$1,200.50", "3", "-4.5", "0", "12", None]),
            "born": rng.choice(["2020-03-04", "19991231", "2020-02-29", "1969-12-31", None]),
            "nothing": None,
        }
        for _ in range(size)
    ]


def as_table(rows):
    text = {name: [row[name] for row in rows] for name in rows[0]}
    columns = {name: pa.array(values, pa.string()) for name, values in text.items()}
    return pa.table({"id": [f"{i:03}" for i in range(len(rows))], **columns})


@pytest.mark.parametrize("seed", range(20))
def test_features_are_those_of_the_definition(seed):
    rng = random.Random(seed)
    left = random_records(rng, rng.randrange(2, 12))
    right = random_records(rng, rng.randrange(2, 12)) if seed % 2 else None
    others = left if right is None else right
    every = [
        (x, y) for x in range(len(left)) for y in range(len(others)) if right is not None or x < y
    ]
    pairs = sorted(rng.sample(every, min(len(every), 30)))
    cosines = [(rng.randrange(4) / 4, rng.randrange(4) / 4) for _ in pairs]
    tables = read_tables(as_table(left), None if right is None else as_table(right))
    x, y = np.array(pairs, np.int32).T.copy()
    three, four = np.array(cosines, np.float32).T.copy()
    computed = features_of(tables, Candidates(x, y, three, four))
    expected = references.features(left, right, pairs, cosines)
    assert computed.names == list(expected[0])
    rows = [list(row.values()) for row in expected]
    np.testing.assert_allclose(computed.matrix(slice(None)), rows, rtol=1e-5, atol=1e-6)
    some = np.array([len(pairs) - 1, 0])
    np.testing.assert_allclose(computed._computed(some), np.array(rows)[some], rtol=1e-5, atol=1e-6)
    scores = np.array([rng.randrange(5) / 4 for _ in pairs], np.float32)
    lowered = one_to_one(scores, computed.candidates, tables)
    expected = references.one_to_one(scores.tolist(), pairs, cosines, right is None)
    np.testing.assert_allclose(lowered, expected, atol=1e-6)
    if right is None:
        wider = with_chains(computed, scores)
        together = list(zip(wider.x.tolist(), wider.y.tolist(), strict=True))
        assert together == references.with_chains(pairs, scores.tolist())


def test_similarities_are_those_of_the_definition():
    rng = random.Random(0)
    words = ["ab", "ba", "abc", "cab", "a", "bb"]
    texts = sorted({" ".join(rng.choices(words, k=rng.randrange(1, 5))) for _ in range(60)})
    a, b = (
        np.array(side, np.int32)
        for side in zip(*[(i, j) for i in range(40) for j in range(40)], strict=True)
    )
    columns = compare_texts(np.array(texts, object), a, b)
    for k, (i, j) in enumerate(zip(a, b, strict=True)):
        one, other = texts[i], texts[j]
        expected = [
            float(one == other),
            references.winkler(one, other),
            references.ratio(one, other),
            references.token_set(one, other),
        ]
        assert [column[k] for column in columns] == pytest.approx(expected, abs=1e-5), (one, other)


@pytest.mark.parametrize("seed", range(6))
def test_training_pairs_are_the_candidates_of_labelled_nodes(seed):
    rng, is_dedupe = random.Random(seed), seed % 2 == 0
    records = as_table([{"name": f"n{i}"} for i in range(9)])
    tables = read_tables(records, None if is_dedupe else records)
    nodes = rng.sample(range(9), 4)
    labels = {x: {y for y in range(9) if x != y and rng.random() < 0.4} for x in nodes}
    pairs = sorted((x, y) for x in range(9) for y in range(9) if (x < y if is_dedupe else True))
    given = [
        (f"{x:03}", None if y is None else f"{y:03}") for x in nodes for y in labels[x] or {None}
    ]
    labelled = read_labelled(given, tables)
    x, y = np.array(pairs, np.int32).T
    if is_dedupe:  # what is labelled for both must agree
        both = {frozenset((x, y)) for x in nodes for y in labels[x]}
        labels = {x: {y for y in range(9) if frozenset((x, y)) in both} for x in nodes}
    expected = references.training(pairs, labels, is_dedupe)
    rows, is_match = labelled.among(Candidates(x, y, x, y))
    assert list(zip(rows.tolist(), is_match.tolist(), strict=True)) == expected


def test_scores_are_the_forest_s(tables):
    from sklearn.ensemble import ExtraTreesClassifier

    left, right, truth = tables
    pool = Pool.of(read_tables(left, right))
    labelled = read_labelled(truth[:50], pool.features.tables)
    rows, is_match = labelled.among(pool.features.candidates)
    matrix = pool.features.matrix(slice(None))
    forest = ExtraTreesClassifier(classifier.TREES, random_state=0).fit(matrix[rows], is_match)
    scores = classifier.probabilities(pool.features, labelled)
    np.testing.assert_allclose(scores, forest.predict_proba(matrix)[:, 1], atol=1e-6)


@pytest.fixture
def files(tmp_path, tables):
    left, right, truth = tables
    for name, table in (("left", left), ("right", right)):
        rows = [list(row.values()) for row in table.to_pylist()]
        write_csv(tmp_path / f"{name}.csv", table.column_names, rows)
    write_csv(tmp_path / "labels.csv", ["x", "y"], truth[:50])
    return tmp_path


def test_at_the_command_line(files, linked, capsys):
    words = ["match", files / "left.csv", files / "right.csv", "--labels", files / "labels.csv"]
    assert run(*words, "--one-to-one", "--out", files / "found.csv") == 0
    assert capsys.readouterr().out.startswith(f"{len(linked)} matches.\nThey are in ")
    rows = [(x, y, float(score)) for x, y, score in read_csv(files / "found.csv")]
    assert rows == list(linked)
    given = write_csv(files / "given.csv", ["x", "y"], [row[:2] for row in rows])
    named = ["--columns", "name,street=street", "--candidates", given, "--all-scores"]
    assert run(*words, *named, "--out", files / "found.parquet") == 2  # all of them are matches
    given = write_csv(
        files / "given.csv", ["x", "y"], [(f"a{i}", f"b{j}") for i in range(60) for j in range(20)]
    )
    assert run(*words, *named, "--out", files / "found.parquet") == 0
    assert len(pq.read_table(files / "found.parquet")) == 1200


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--columns", "town"], "columns must name fields of both tables, got 'town', which is "),
        (["--columns", "name,name"], "columns must be names with commas between them, each once, "),
        (["--id", "key"], "id must be a column of left, got 'key'. "),
        (
            ["--labels", "renamed.csv"],
            "labels must have columns x and y, got 'left', 'right'. Rename the columns that hold "
            "the ids, and drop those of other ids.",
        ),
        (["--labels", "right.csv"], "labels must have columns x and y, got 'id', "),
        (["--labels", "clusters.csv"], "labels must say which nodes were labelled, got pairs in "),
        (["--labels", "wrong.csv"], "labels must be of records of the tables, got y = 'b999', "),
        (["--labels", "none.csv"], "labels must be of at least one node, got none. "),
        (["--labels", "lonely.csv"], "labels must have matches and others among the candidates "),
        (["--labels", "both.csv"], "labels must say that a record has matches, or that it has "),
        (
            ["--candidates", "right_ones.csv"],
            "labels must have matches and others among the candidates of labelled nodes, got 1 "
            "candidates, of which 1 are matches. Label more nodes, or give more candidates if they "
            "are your own.",
        ),
        (["--candidates", "wrong.csv"], "candidates must be of records of the tables, got y = "),
        (["--candidates", "none.csv"], "candidates must be pairs x, y with an id in each, got 0 "),
        (["--out", "left.csv", "--force"], "out must not be an input, got "),
        (["--out", "found.txt"], "out must be a .csv or .parquet file, got 'found.txt'. "),
        (["--columns", "empty"], "columns must have texts to compare, got none in 'empty'. Name"),
        (
            ["unnamed.csv"],
            "right must have a column 'id', got 'no', 'surname'. Name the right one",
        ),
        (["nothing.csv"], "columns must name fields to compare, since the tables share none"),
    ],
)
def test_what_is_refused(words, message, files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    write_csv(files / "clusters.csv", ["id", "cluster"], [("a1", "1"), ("a2", "1")])
    write_csv(files / "right_ones.csv", ["x", "y"], read_csv(files / "labels.csv")[:1])
    write_csv(files / "renamed.csv", ["left", "right"], [("a1", "b1")])
    write_csv(files / "wrong.csv", ["x", "y"], [("a1", "b999")])
    write_csv(files / "none.csv", ["x", "y"], [])
    write_csv(files / "lonely.csv", ["x", "y"], [("a1", "")])
    write_csv(files / "both.csv", ["x", "y"], [("a1", "b1"), ("a1", "")])
    write_csv(files / "nothing.csv", ["id", "colour"], [("b1", "red")])
    write_csv(files / "unnamed.csv", ["no", "surname"], [("b1", "red")])
    if "empty" in words:
        for name in ("left.csv", "right.csv"):
            write_csv(files / name, ["id", "empty"], [("a1", ""), ("b1", "")])
    before = contents(files)
    tables = ["left.csv", *(words if words[0].endswith(".csv") else ["right.csv", *words])]
    given = [] if "--labels" in words else ["--labels", "labels.csv"]
    given += [] if "--out" in words else ["--out", "found.csv"]
    assert run("match", *tables, *given) == 2
    assert message in capsys.readouterr().err
    assert contents(files) == before


def test_pairs_of_a_record_with_itself_are_no_labels(tables):
    records = tables[0]
    first, second = records["id"].to_pylist()[:2]
    with pytest.raises(mb.InputError) as error:
        match(records, labels=[(second, None), (first, first)])
    assert str(error.value) == (
        f"labels must not match a record with itself, got {first!r}. Remove such pairs."
    )


def test_one_table_has_no_right_id(tables):
    with pytest.raises(mb.InputError) as error:
        match(tables[0], labels=[("a1", None)], right_id="key")
    assert str(error.value) == (
        "right_id must be left out if there is no right table, got 'key'. "
        "Give id, the column of ids of the one table."
    )


def test_a_candidate_that_stands_in_two_rows_counts_once(tables):
    left, right, truth = tables
    pairs = [(x, y) for x, _ in truth[:40] for _, y in truth[:10]]
    once, twice = (
        match(
            left,
            right,
            labels=truth[:30],
            candidates=pa.table({"x": [x for x, _ in rows], "y": [y for _, y in rows]}),
            all_scores=True,
        )
        for rows in (pairs, pairs + pairs[::3])
    )
    assert once.table == twice.table
    assert sorted(once.pairs()) == sorted(pairs)


def test_without_the_extra(tables, monkeypatch):
    left, right, truth = tables
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    with pytest.raises(mb.EngineError, match=r"^match needs scikit-learn and rapidfuzz\. Run: pip"):
        mb.match(left, right, labels=truth[:50])


def test_what_is_a_number_and_what_a_date():
    def values(texts, parse):
        found = parse(pa.array(texts, pa.large_string()))
        return None if found is None else [None if np.isnan(v) else v for v in found]

    many = [str(i) for i in range(19)]
    assert values(["$1,299.50", "-3", ".5"], as_numbers) == [1299.5, -3, 0.5]
    assert values([*many, "9" * 400], as_numbers) == [*range(19), None]
    assert values(["1", "one"], as_numbers) is None
    assert values(["1970-01-03", "1970/1/2", "19700101", "04.01.1970"], as_days) == [2, 1, 0, 3]
    assert values(["12/31/1969", "1/2/1970"], as_days) == [-1, 1]
    assert values(["0000-00-00", "2020-13-01"], as_days) is None
    assert values([], as_numbers) is None
