"""The holdout matcher's output with the labels over it, against Python sets and read back."""

import itertools
import json
import random
from fractions import Fraction

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import matchbound as mb
from matchbound.certificates import patch as patching
from support.audits import contents, make_audit, read_csv, run
from support.clustered import as_given, as_matches, clusters_by_sets
from support.oracles import tally_by_sets

NODES = [f"a{i}" for i in range(60)]


def patched_by_sets(truth, holdout, labelled):
    """T at labelled nodes and H elsewhere; in one table also from the other side."""
    return {
        x: set(truth[x])
        if x in labelled
        else {y for y in holdout[x] if y not in labelled}
        | {y for y in truth if y in labelled and x in truth[y]}
        for x in holdout
    }


def labels_of(draw, truth, unlabelled=0):
    """As a table, without the last few drawn nodes."""
    nodes = [x for x, _, _ in draw.sample][: len(draw.sample) - unlabelled]
    rows = [(x, y) for x in nodes for y in sorted(truth[x]) or [None]]
    return {"x": [x for x, _ in rows], "y": pa.array([y for _, y in rows], pa.string())}, set(nodes)


def columns_of(path):
    return pq.read_schema(path).names if path.suffix == ".parquet" else header(path)


def header(path):
    return path.read_text("utf-8").splitlines()[0].split(",")


def pairs_in(path):
    if path.suffix == ".csv":
        return [tuple(row) for row in read_csv(path)]
    table = pq.read_table(path).to_pydict()
    return list(zip(*table.values(), strict=True))


def tally_of(draw, population, labels, holdout, complete, **how):
    given = {"population": population, "labels": labels, "unlabelled": "worst"}
    certificate = mb.certify(draw, holdout=holdout, complete=complete, **given, **how)
    return certificate.tallies["all"]


# Two tables


def links(rng):
    others = [f"b{i}" for i in range(40)]
    truth = {x: set(rng.sample(others, rng.choice([0, 1, 1, 2]))) for x in NODES}
    pairs = [(x, y) for x in NODES for y in sorted(truth[x]) if rng.random() < 0.8]
    pairs += [(x, rng.choice(others)) for x in NODES if rng.random() < 0.4]
    return truth, sorted(set(pairs))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("seed", range(4))
def test_links(tmp_path, seed, suffix):
    truth, pairs = links(random.Random(seed))
    holdout = as_given(pairs, NODES)
    people = pa.table({"id": NODES})
    draw = mb.draw(people, labels=20, train=10, seed="s", link=True)
    labels, labelled = labels_of(draw, truth, unlabelled=3)
    given = pa.table({"x": [x for x, _ in pairs], "y": [y for _, y in pairs]})
    out = tmp_path / f"patched{suffix}"
    written = mb.patch(draw, holdout=given, out=out, labels=pa.table(labels), population=people)
    expected = {x: truth[x] if x in labelled else holdout[x] for x in NODES}
    assert as_given(pairs_in(out), NODES) == expected
    assert len(pairs_in(out)) == written.pairs == sum(map(len, expected.values()))
    assert written.labelled == len(labelled)
    assert written.added == sum(len(truth[x] - holdout[x]) for x in labelled)
    assert written.dropped == sum(len(holdout[x] - truth[x]) for x in labelled)
    found = tally_of(draw, people, pa.table(labels), given, out)
    order = draw.trained, draw.validated
    assert found == tally_by_sets(NODES, truth, holdout, expected, *order, labelled=labelled)
    assert all(cell.h == cell.c == cell.hc for cell in found.gap)


def splink(pairs, scores, sources, kind):
    columns = {
        "match_weight": [0.0] * len(pairs),
        "match_probability": pa.array(scores, kind),
        "source_dataset_l": [sources[0]] * len(pairs),
        "unique_id_l": [x for x, _ in pairs],
        "source_dataset_r": [sources[1]] * len(pairs),
        "unique_id_r": [y for _, y in pairs],
    }
    return pa.table(columns)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
@pytest.mark.parametrize("swapped", [False, True])
def test_splink_s_links_with_sources(tmp_path, suffix, kind, swapped):
    """Scores, some below the threshold and some at it; the population may be on the right."""
    rng = random.Random(3)
    truth, pairs = links(rng)
    scores = [rng.choice([0.1, 0.7, 0.7, 0.95]) for _ in pairs]
    sides = [(y, x) for x, y in pairs] if swapped else pairs
    sources = ("right", "left") if swapped else ("left", "right")
    given = splink(sides, scores, sources, kind)
    people = pa.table({"id": NODES})
    draw = mb.draw(people, labels=20, seed="s", source="left")
    nodes = [f"left-__-{x}" for x in NODES]
    true = {f"left-__-{x}": {f"right-__-{y}" for y in ys} for x, ys in truth.items()}
    enough = [(x, y) for (x, y), score in zip(pairs, scores, strict=True) if score >= 0.7]
    holdout = as_given([(f"left-__-{x}", f"right-__-{y}") for x, y in enough], nodes)
    labels, labelled = labels_of(draw, true)
    out = tmp_path / f"patched{suffix}"
    how = {"threshold": 0.7, "labels": pa.table(labels), "population": people}
    mb.patch(draw, holdout=given, out=out, **how)
    assert set(columns_of(out)) == set(given.column_names) - {"match_weight"}
    if suffix == ".parquet":
        assert pq.read_schema(out).field("match_probability").type == kind
    found = tally_of(draw, people, how["labels"], given, out, threshold=0.7)
    expected = {x: true[x] if x in labelled else holdout[x] for x in nodes}
    assert found == tally_by_sets(nodes, true, holdout, expected, [], draw.validated)


def test_scores_are_kept_and_new_pairs_have_the_highest(tmp_path):
    people = pa.table({"id": NODES})
    draw = mb.draw(people, labels=30, seed="s", link=True, bands=(0.5, 0.9))
    first, second, *_ = draw.validated
    (other, *_) = set(NODES) - set(draw.validated)
    rows = [(first, "b1", 0.6), (first, "b2", 0.7), (other, "b4", 0.8), (other, "b5", 0.2)]
    given = pa.table(dict(zip("xys", zip(*rows, strict=True), strict=True)))
    given = given.rename_columns(["x", "y", "score"])
    labels = {x: set() for x in NODES} | {first: {"b1"}, second: {"b3"}}
    out = tmp_path / "patched.parquet"
    mb.patch(
        draw, holdout=given, out=out, labels=pa.table(labels_of(draw, labels)[0]), population=people
    )
    assert set(pairs_in(out)) == {(first, "b1", 0.6), (second, "b3", 0.8), (other, "b4", 0.8)}


@pytest.mark.parametrize(
    "names",
    [
        {"x": "l", "y": "r", "score": "how_sure", "source": "src"},
        {"x": "l", "y": "r"},
        {"score": "how_sure"},
        {},
    ],
)
def test_named_columns_are_kept(tmp_path, names):
    truth, pairs = links(random.Random(9))
    columns = {
        names.get("x", "x"): [x for x, _ in pairs],
        names.get("y", "y"): [y for _, y in pairs],
    }
    how = {"columns": names}
    if "score" in names:
        columns["how_sure"] = [0.5 + i / 1000 for i in range(len(pairs))]
        how["threshold"] = 0.5
    source = {}
    if "source" in names:
        columns |= {"src_l": ["u"] * len(pairs), "src_r": ["v"] * len(pairs)}
        source = {"source": "u"}
    people, given = pa.table({"id": NODES}), pa.table(columns)
    draw = mb.draw(people, labels=20, seed="s", **(source or {"link": True}))
    before = ("u-__-", "v-__-") if source else ("", "")
    true = {before[0] + x: {before[1] + y for y in ys} for x, ys in truth.items()}
    labels, labelled = labels_of(draw, true)
    out = tmp_path / "patched.csv"
    mb.patch(draw, holdout=given, out=out, labels=pa.table(labels), population=people, **how)
    assert sorted(columns_of(out)) == sorted(columns)
    found = tally_of(draw, people, pa.table(labels), given, out, **how)
    assert {label.c for label in found.validation} == {label.t for label in found.validation}
    assert all(label.c == label.ct == label.t for label in found.validation)
    assert all(cell.h == cell.c == cell.hc for cell in found.gap)
    assert len(labelled) == 20


@pytest.mark.parametrize("label", ["predicted", "label"])
def test_a_matcher_s_verdicts(tmp_path, label):
    truth, pairs = links(random.Random(2))
    says = [i % 5 > 0 for i in range(len(pairs))]
    ids = ("ltable_id", "rtable_id") if label == "predicted" else ("id_a", "id_b")
    given = {ids[0]: [x for x, _ in pairs], ids[1]: [y for _, y in pairs], label: says}
    people = pa.table({"id": NODES})
    draw = mb.draw(people, labels=20, seed="s", link=True)
    labels, labelled = labels_of(draw, truth)
    out = tmp_path / "patched.csv"
    mb.patch(draw, holdout=pa.table(given), out=out, labels=pa.table(labels), population=people)
    holdout = as_given([pair for pair, yes in zip(pairs, says, strict=True) if yes], NODES)
    expected = {x: truth[x] if x in labelled else holdout[x] for x in NODES}
    found = tally_of(draw, people, pa.table(labels), pa.table(given), out)
    assert found == tally_by_sets(NODES, truth, holdout, expected, [], draw.validated)


# One table with itself


def groups(rng, nodes, k):
    return {x: str(rng.randrange(k)) for x in nodes}


def within(cluster):
    return {x: {y for y in cluster if y != x and cluster[y] == cluster[x]} for x in cluster}


def as_clusters(cluster, names=("id", "cluster_id")):
    return pa.table(dict(zip(names, (list(cluster), list(cluster.values())), strict=True)))


def as_pairs(matches):
    rows = [(x, y) for x in matches for y in sorted(matches[x]) if x < y]
    return pa.table({"x": [x for x, _ in rows], "y": [y for _, y in rows]})


@pytest.mark.parametrize("form", ["pairs", "clusters", "named clusters"])
@pytest.mark.parametrize("labels_as", ["pairs", "clusters"])
def test_one_table(tmp_path, form, labels_as):
    """Nothing is lost anywhere: no node may be worse than it was, and recall loses nothing."""
    gains = 0
    for seed in range(4):
        rng = random.Random(seed)
        cluster, guess = groups(rng, NODES, 25), groups(rng, NODES, 25)
        guess = {x: cluster[x] if rng.random() < 0.8 else guess[x] for x in NODES}
        truth, holdout = within(cluster), within(guess)
        people = pa.table({"id": NODES})
        draw = mb.draw(people, labels=25, train=8, seed=f"{seed}", dedupe=True)
        names = ("record", "entity") if form == "named clusters" else ("id", "cluster_id")
        how = {"columns": {"id": names[0], "cluster": names[1]}} if "named" in form else {}
        given = as_pairs(holdout) if form == "pairs" else as_clusters(guess, names)
        unlabelled = 0 if labels_as == "clusters" else 4
        listed, labelled = labels_of(draw, truth, unlabelled)
        labels = pa.table(listed) if labels_as == "pairs" else as_clusters(cluster)
        out = tmp_path / f"{seed}.csv"
        written = mb.patch(draw, holdout=given, out=out, labels=labels, population=people, **how)
        if form == "pairs":
            expected = patched_by_sets(truth, holdout, labelled)
            assert as_given(pairs_in(out), NODES, dedupe=True) == expected
        else:
            expected = as_matches(clusters_by_sets(truth, guess, labelled), NODES)
            assert header(out) == list(names)
            assert within(dict(pairs_in(out))) == {
                x: ys for x, ys in expected.items() if x in dict(pairs_in(out))
            }
        before, after = (
            {(x, y) for x in NODES for y in m[x] if x < y} for m in (holdout, expected)
        )
        assert written.pairs == len(after)
        assert (written.added, written.dropped) == (len(after - before), len(before - after))
        found = tally_of(draw, people, labels, given, out, **how)
        order = draw.trained, draw.validated
        assert found == tally_by_sets(
            NODES, truth, holdout, expected, *order, dedupe=True, labelled=labelled
        )
        assert all(label.c == label.ct == label.t for label in found.labelled)
        if form == "pairs":
            losses = [greatest_losses(cell) for cell in found.gap]
            assert all(precision <= 0 and recall == 0 for precision, recall in losses)
        else:
            losses = [true_losses(truth[x], holdout[x], expected[x]) for x in NODES]
            assert all(precision <= 0 and recall <= 0 for precision, recall in losses)
        gains += sum(precision < 0 for precision, _ in losses)
    assert gains


def true_losses(truth, before, after):
    """Of precision and recall at a node; a node that is matched no more has lost no precision."""
    precision = ratio(len(before & truth), len(before)) - ratio(len(after & truth), len(after))
    recall = ratio(len(before & truth), len(truth)) - ratio(len(after & truth), len(truth))
    return precision if after else Fraction(0), recall


def greatest_losses(cell):
    """Of precision and recall at a node, over all truths that the labels leave possible."""
    h, c, hc, _, right, wrong, dropped_wrong, added_right, missed = cell
    unknown = h - hc - dropped_wrong
    both = right if c <= h else hc - wrong
    precision = Fraction(both + unknown, h) if h else Fraction(0)
    precision -= Fraction(both + added_right, c) if c else Fraction(0)
    precision = Fraction(unknown, h) if h and not c else precision
    precision = Fraction(-added_right, c) if c and not h else precision
    lost = unknown - added_right
    found = right + unknown + added_right + missed
    return precision, Fraction(lost, found) if lost > 0 else Fraction(0)


def test_the_losses_are_those_of_brute_force():
    """`greatest_losses` against all truths of small nodes."""
    rng = random.Random(1)
    for _ in range(60):
        sizes = [rng.randint(0, 2) for _ in range(7)]
        kinds = ["right", "wrong", "both", "dropped_wrong", "lost", "added_right", "won"]
        counts = dict(zip(kinds, sizes, strict=True))
        missed = rng.randint(0, 1)
        h = sum(sizes[:5])
        c = sum(sizes[:3]) + sum(sizes[5:])
        hc = sum(sizes[:3])
        worst = [Fraction(-9), Fraction(0)]
        for both, lost, won, more in itertools.product(
            range(counts["both"] + 1), range(counts["lost"] + 1), range(counts["won"] + 1), (0, 1)
        ):
            ht = counts["right"] + both + lost
            ct = counts["right"] + both + counts["added_right"] + won
            t = counts["right"] + both + lost + counts["added_right"] + won + missed + more
            worst[0] = max(worst[0], ratio(ht, h) - ratio(ct, c))
            worst[1] = max(worst[1], ratio(ht, t) - ratio(ct, t))
        known = [counts[kind] for kind in ("right", "wrong", "dropped_wrong", "added_right")]
        cell = (h, c, hc, 1, *known, missed)
        assert greatest_losses(cell) == tuple(worst)


def ratio(part, whole):
    return Fraction(part, whole) if whole else Fraction(0)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_one_table_of_several_sources(tmp_path, suffix):
    """Splink's table of all records against all: pairs within and between two sources."""
    rng = random.Random(11)
    told = [rng.choice(["u", "v"]) for _ in NODES]
    people = pa.table({"id": NODES, "source_dataset": told})
    nodes = [f"{source}-__-{x}" for source, x in zip(told, NODES, strict=True)]
    truth = within(groups(rng, nodes, 25))
    pairs = [(x, y) for x in nodes for y in sorted(truth[x]) if x < y and rng.random() < 0.7]
    pairs += [tuple(sorted(rng.sample(nodes, 2))) for _ in range(12)]
    pairs = sorted(set(pairs))
    apart = [[node.split("-__-") for node in pair] for pair in pairs]
    given = {"match_probability": [0.6 + i / 1000 for i in range(len(pairs))]}
    for i, side in enumerate("lr"):
        given[f"source_dataset_{side}"] = [pair[i][0] for pair in apart]
        given[f"unique_id_{side}"] = [pair[i][1] for pair in apart]
    draw = mb.draw(people, labels=25, seed="s", dedupe=True)
    labels, labelled = labels_of(draw, truth)
    out, how = tmp_path / f"patched{suffix}", {"threshold": 0.6}
    given, table = pa.table(given), pa.table(labels)
    mb.patch(draw, holdout=given, out=out, labels=table, population=people, **how)
    assert sorted(columns_of(out)) == sorted(given.column_names)
    holdout = as_given(pairs, nodes, dedupe=True)
    expected = patched_by_sets(truth, holdout, labelled)
    found = tally_of(draw, people, table, given, out, **how)
    assert found == tally_by_sets(nodes, truth, holdout, expected, [], draw.validated, dedupe=True)


@pytest.mark.parametrize("kind", ["link", "source"])
def test_clusters_of_two_tables(tmp_path, kind):
    rng = random.Random(7)
    left, right = NODES[:30], [f"b{i}" for i in range(30)]
    before = ("l-__-", "r-__-") if kind == "source" else ("", "")
    nodes = [*(before[0] + x for x in left), *(before[1] + y for y in right)]
    cluster = groups(rng, nodes, 20)
    guess = {x: g if rng.random() < 0.3 else cluster[x] for x, g in groups(rng, nodes, 20).items()}
    given = {"id": left + right, "cluster_id": list(guess.values())}
    if kind == "source":
        given["source_dataset"] = ["l"] * 30 + ["r"] * 30

    def matches(clusters):
        return {x: {y for y in nodes[30:] if clusters[y] == clusters[x]} for x in nodes[:30]}

    truth, holdout, people = matches(cluster), matches(guess), pa.table({"id": left})
    draw = mb.draw(
        people, labels=12, seed="s", **({"source": "l"} if kind == "source" else {"link": True})
    )
    labels, labelled = labels_of(draw, truth)
    out = tmp_path / "patched.csv"
    mb.patch(draw, holdout=pa.table(given), out=out, labels=pa.table(labels), population=people)
    ys = set(nodes[30:])
    expected = as_matches(clusters_by_sets(truth, guess, labelled, ys), nodes[:30], ys)
    assert as_given(pairs_in(out), nodes[:30]) == expected
    assert all(expected[x] == truth[x] for x in labelled)
    found = tally_of(draw, people, pa.table(labels), pa.table(given), out)
    assert found == tally_by_sets(nodes[:30], truth, holdout, expected, [], draw.validated)


def test_whole_numbers_stay_so_if_all_are(tmp_path):
    people = pa.table({"id": list(range(60))})
    given = pa.table({"x": list(range(40)), "y": list(range(100, 140))})
    draw = mb.draw(people, labels=20, seed="s", link=True)
    out = tmp_path / "patched.parquet"
    for odd, kind in (("7", pa.int64()), ("007", pa.string())):
        truth = {str(x): {odd} for x in range(60)}
        labels = pa.table(labels_of(draw, truth)[0])
        mb.patch(draw, holdout=given, out=out, labels=labels, population=people, force=True)
        assert pq.read_schema(out).types == [pa.int64(), kind]
        found = tally_of(draw, people, labels, given, out)
        assert all(label.c == label.ct == label.t == 1 for label in found.validation)


# The command


def test_the_command_and_what_certify_makes_of_it(tmp_path, capsys):
    audit = make_audit(tmp_path / "data")
    out = tmp_path / "patched.csv"
    arguments = ["patch", audit, "--holdout", tmp_path / "data" / "holdout.csv", "--out", out]
    before = contents(tmp_path)
    assert run(*arguments) == 0
    said = capsys.readouterr().out
    assert said.endswith(f"They are in {out}.\n")
    written = out.read_bytes()
    assert {path: text for path, text in contents(tmp_path).items() if path != out} == before
    assert run(*arguments) == 2  # nothing is overwritten unasked
    assert "out must not exist yet" in capsys.readouterr().err
    assert run(*arguments, "--force") == 0
    assert out.read_bytes() == written
    capsys.readouterr()
    given = ["--holdout", tmp_path / "data" / "holdout.csv", "--complete", out, "--json"]
    assert run("certify", audit, *given) == 0
    tally = json.loads(capsys.readouterr().out)["tallies"]["all"]
    assert all(c == ct == t for _, t, _, c, ct, _ in tally["train"] + tally["validation"])
    assert all(h == c == hc for h, c, hc, _ in tally["gap"])


def test_an_input_is_no_place_to_write_to(tmp_path, capsys):
    audit = make_audit(tmp_path / "data")
    inputs = [tmp_path / "data" / name for name in ("holdout.csv", "people.csv")]
    before = contents(tmp_path)
    for out in (*inputs, audit / "labels.csv", audit / "sample.csv"):
        arguments = ["--holdout", inputs[0], "--out", out, "--force"]
        assert run("patch", audit, *arguments) == 2
        assert "out must not be an input" in capsys.readouterr().err
    assert run("patch", audit, "--holdout", inputs[0], "--out", tmp_path / "patched.txt") == 2
    assert "out must be a .csv or .parquet file" in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_clusters_of_too_many_pairs_are_refused(tmp_path, monkeypatch):
    """Where two tables are linked pairs are listed."""
    monkeypatch.setattr(patching, "MOST", 60 * 40)
    others = [f"b{i}" for i in range(40)]
    people, one = pa.table({"id": NODES}), as_clusters(dict.fromkeys([*NODES, *others], "c"))
    draw = mb.draw(people, labels=20, seed="s", link=True)
    given = {"labels": one, "population": people, "force": True, "out": tmp_path / "p.csv"}
    assert mb.patch(draw, holdout=one, **given).pairs == patching.MOST
    monkeypatch.setattr(patching, "MOST", 60 * 40 - 1)
    told = r"^holdout must have at most 2399 pairs in its clusters to be patched.* got 2400\."
    with pytest.raises(mb.InputError, match=told):
        mb.patch(draw, holdout=one, **given)


def test_contradicting_labels_are_refused(tmp_path):
    people = pa.table({"id": NODES})
    draw = mb.draw(people, labels=20, seed="s", dedupe=True)
    truth = {x: set() for x in NODES} | {draw.validated[0]: {draw.validated[1]}}
    labels = pa.table(labels_of(draw, truth)[0])
    given = pa.table({"x": NODES[:2], "y": NODES[2:4]})
    with pytest.raises(mb.InputError, match=r"^labels must not contradict themselves"):
        mb.patch(draw, holdout=given, out=tmp_path / "p.csv", labels=labels, population=people)
    assert not list(tmp_path.iterdir())


def test_a_matcher_that_found_nothing(tmp_path):
    people = pa.table({"id": NODES})
    draw = mb.draw(people, labels=20, seed="s", link=True)
    nothing = pa.table({"x": pa.array([], pa.string()), "y": pa.array([], pa.string())})
    labels = pa.table(labels_of(draw, {x: set() for x in NODES})[0])
    for suffix in ("csv", "parquet"):
        out = tmp_path / f"p.{suffix}"
        patch = mb.patch(draw, holdout=nothing, out=out, labels=labels, population=people)
        assert patch.pairs == 0
        assert duckdb.read_csv(str(out)).columns == ["x", "y"] if suffix == "csv" else True
        assert columns_of(out) == ["x", "y"]
