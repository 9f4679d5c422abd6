"""Clusters that pairs link: on record, counted as by Python sets, and said where pairs are open."""

import itertools
import random
import re
import shutil
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import matchbound as mb
from matchbound.audits.audit import Audit
from matchbound.audits.draw import Draw
from matchbound.audits.ledger import read_ledger
from matchbound.certificates.error_search import MOST
from matchbound.desk.inputs import Inputs, open_inputs
from matchbound.engines import connect
from matchbound.tallies.unclosed import pairs_more
from matchbound.theorems import Threshold
from support.audits import run, run_seeded, write_csv
from support.clustered import (
    World,
    as_clusters,
    as_matches,
    clusters_by_sets,
    components,
    graphs,
    more_pairs,
)

CANDIDATES = (0.9, 0.7, 0.5, 0.3)


# On record: said once, at draw or at register


WORLD = World.random("on record", dedupe=True)
PAIRS = WORLD.pairs("holdout")
CLUSTERED, AS_GIVEN = (WORLD.matches("holdout", clusters=is_said) for is_said in (True, False))


def drawn(folder, *options):
    """A folder with tables, and an audit in it whose drawn nodes all have labels."""
    write_csv(folder / "people.csv", ["id"], [[x] for x in WORLD.nodes])
    write_csv(folder / "holdout.csv", ["x", "y"], PAIRS)
    write_csv(folder / "complete.csv", ["x", "y"], WORLD.pairs("complete"))
    audit, truth = folder / "audit", WORLD.truth
    words = ["draw", folder / "people.csv", "--dedupe", "--labels", 60, *options, "--out", audit]
    assert run_seeded("s", *words) == 0
    rows = [(x, y) for x, _, _ in Draw.load(audit).sample for y in sorted(truth[x]) or [""]]
    write_csv(audit / "labels.csv", ["x", "y"], rows)
    return audit


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A matcher on record as clusters, in a draw whose bounds may be watched."""
    folder = tmp_path_factory.mktemp("clusters")
    drawn(folder, "--holdout", folder / "holdout.csv", "--clusters", "--anytime", "--train", 20)
    return folder


@pytest.fixture
def audit(made, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "audit"


def on_record(audit):
    return [entry["holdout"]["clusters"] for entry in read_ledger(audit).of_kind("register")]


def errors_by_sets(found, truth, nodes):
    """Nodes that have some: their wrong and their missed matches."""
    both = {x: (found[x] - truth[x], truth[x] - found[x]) for x in nodes}
    return {x: errors for x, errors in both.items() if any(errors)}


def as_errors(listed):
    return {
        node.node: tuple(
            {pair.other for pair in node.pairs if pair.kind == kind} for kind in ("wrong", "missed")
        )
        for node in listed.nodes
    }


def test_every_verb_follows_the_record(audit, tmp_path):
    holdout, draw = tmp_path / "holdout.csv", Draw.load(audit)
    assert on_record(audit) == [True]
    certificate = mb.certify(audit, holdout=holdout, out=audit / "certificate.json")
    expected = WORLD.tally(draw, CLUSTERED)
    assert certificate.tallies["all"] == expected != WORLD.tally(draw, AS_GIVEN)
    assert certificate.ledger.registered == 1
    assert certificate.ledger.together == 0.95
    assert "What is certified are clusters: a record's matches are all other" in str(certificate)
    live = open_inputs(Audit.open(audit), Inputs(tmp_path / "people.csv", holdout=holdout)).live
    labels = {x: tuple(WORLD.truth[x]) for x, _, _ in draw.sample}
    assert live.tally(labels) == expected
    shown = {bound.metric: bound.value for bound in live.at(labels).bounds}
    assert shown == {g.metric: g.value for g in certificate.guarantees}
    errors = errors_by_sets(CLUSTERED, WORLD.truth, draw.validated)
    assert as_errors(mb.list_errors(audit, holdout=holdout)) == errors
    patched = tmp_path / "patched.csv"
    mb.patch(audit, holdout=holdout, out=patched)
    assert patched.read_text("utf-8").startswith("id,cluster\n")
    again = mb.certify(audit, holdout=holdout, complete=patched, out=audit / "again.json")
    assert all(label.c == label.ct == label.t for label in again.tallies["all"].labelled)
    assert again.ledger.together == 0.95
    assert run("verify", audit) == 0
    assert mb.estimate(audit, holdout=holdout).value("b3-precision") > 0  # which needs clusters


@pytest.mark.slow
def test_register_puts_clusters_on_record_too(tmp_path):
    audit, holdout = drawn(tmp_path), tmp_path / "holdout.csv"
    (audit / "labels.csv").rename(tmp_path / "later.csv")
    assert run("register", audit, "--holdout", holdout, "--clusters") == 0
    (tmp_path / "later.csv").rename(audit / "labels.csv")
    assert on_record(audit) == [True]
    assert run("certify", audit, "--holdout", holdout, "--complete", tmp_path / "complete.csv") == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    both = CLUSTERED, WORLD.matches("complete")
    assert certificate.tallies["all"] == WORLD.tally(Draw.load(audit), *both)
    assert certificate.ledger.registered is not None
    assert run("verify", audit) == 0


def test_a_table_on_record_as_both_must_be_told_apart(tmp_path, capsys):
    audit, holdout = drawn(tmp_path), tmp_path / "holdout.csv"
    labels = (audit / "labels.csv").rename(tmp_path / "later.csv")
    for said in ("--clusters", "--pairs"):
        assert run("register", audit, "--holdout", holdout, said) == 0
    assert on_record(audit) == [True, False]
    labels.rename(audit / "labels.csv")
    capsys.readouterr()
    assert run("certify", audit, "--holdout", holdout) == 2
    assert capsys.readouterr().err == (
        "matchbound: clusters or pairs must be said, because holdout is on record as both, got "
        "neither. Give --clusters or --pairs.\n"
    )
    for said, matches in (("--clusters", CLUSTERED), ("--pairs", AS_GIVEN)):
        assert run("certify", audit, "--holdout", holdout, said, "--force") == 0
        certificate = mb.Certificate.load(audit / "certificate.json")
        assert certificate.tallies["all"] == WORLD.tally(Draw.load(audit), matches)
        assert certificate.ledger.registered is not None
        assert certificate.ledger.matchers == 2  # whichever is certified, it may have been picked
        assert certificate.ledger.together == 0.9
    assert run("verify", audit) == 0


def test_another_look_does_not_change_what_is_on_record(audit, tmp_path):
    """What was registered decides, whatever was certified since."""
    holdout, draw = tmp_path / "holdout.csv", Draw.load(audit)
    as_pairs = mb.certify(audit, holdout=holdout, clusters=False)
    assert as_pairs.tallies["all"] == WORLD.tally(draw, AS_GIVEN)
    assert mb.certify(audit, holdout=holdout).tallies["all"] == WORLD.tally(draw, CLUSTERED)


def test_a_matcher_that_is_not_on_record_as_it_is_given_must_be_told(tmp_path):
    """Another threshold is another output: nothing says whether its pairs are clusters."""
    scored = tmp_path / "scored.parquet"
    pq.write_table(WORLD.table("holdout"), scored)
    audit = drawn(tmp_path, "--holdout", scored, "--threshold", 0.7, "--clusters")
    with pytest.raises(mb.InputError, match=r"^clusters or pairs must be said, because a matcher "):
        mb.certify(audit, holdout=scored, threshold=0.5)
    certificate = mb.certify(audit, holdout=scored, threshold=0.5, clusters=True)
    assert certificate.tallies["all"] == WORLD.tally(Draw.load(audit), CLUSTERED)


def test_each_threshold_is_on_record_for_itself(tmp_path):
    """From 0.7 on the clusters, from 0.5 on the pairs."""
    scored = tmp_path / "scored.parquet"
    pq.write_table(WORLD.table("holdout"), scored)
    audit = drawn(tmp_path, "--holdout", scored, "--threshold", 0.7, "--clusters")
    (audit / "labels.csv").rename(tmp_path / "later.csv")
    assert mb.register(audit, holdout=scored, threshold=0.5) == 0
    (tmp_path / "later.csv").rename(audit / "labels.csv")
    for least, is_closed, registered in ((0.7, True, 1), (0.5, False, 4)):
        certificate = mb.certify(audit, holdout=scored, threshold=least)
        found = WORLD.matches("holdout", least, clusters=is_closed)
        assert certificate.tallies["all"] == WORLD.tally(Draw.load(audit), found)
        assert certificate.ledger.registered == registered


@pytest.mark.parametrize("registered", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_clusters_are_another_matcher_than_their_pairs(tmp_path, registered):
    """What is not on record costs δ, and is not said to have been there before the labels."""
    said = ["--clusters"] if registered else []
    audit = drawn(tmp_path, "--holdout", tmp_path / "holdout.csv", *said)
    same, other = (
        mb.certify(audit, holdout=tmp_path / "holdout.csv", clusters=clusters)
        for clusters in (registered, not registered)
    )
    assert (same.ledger.registered, same.ledger.matchers, same.ledger.together) == (1, 1, 0.95)
    assert (other.ledger.registered, other.ledger.matchers, other.ledger.together) == (None, 2, 0.9)
    assert other.exploratory == ()  # it costs, but is no choice of the draw's
    assert not other.meets("precision", 0.0)
    explored = mb.certify(audit, holdout=tmp_path / "holdout.csv", clusters=registered, delta=0.1)
    assert explored.exploratory == ("delta",)


@pytest.mark.slow
def test_a_draw_by_the_weights_of_clusters_is_repeated_as_such(tmp_path):
    """Also where the record alone says that they are clusters, and ids were erased."""
    holdout = tmp_path / "holdout.csv"
    audit = drawn(tmp_path, "--holdout", holdout, "--clusters", "--weigh", "pairwise-precision")
    draw = Draw.load(audit)
    assert draw.holdout.reading.clusters is True
    mb.forget(audit, draw.validated[:1])
    certificate = mb.certify(audit, holdout=holdout, out=audit / "certificate.json")
    counts = [(label.h, label.t) for label in certificate.tallies["all"].validation[1:3]]
    assert counts == [(len(CLUSTERED[x]), len(WORLD.truth[x])) for x in draw.validated[1:3]]
    with pytest.raises(mb.InputError, match="holdout must be the output that nodes were drawn by"):
        mb.certify(audit, holdout=holdout, clusters=False)


def test_a_table_of_clusters_and_pairs_that_are_none(tmp_path):
    """Clusters that a tool made make no clusters of the complete matcher's pairs."""
    table = as_clusters(components(PAIRS), ["id", "cluster"])
    pq.write_table(table, tmp_path / "clusters.parquet")
    audit = drawn(tmp_path, "--holdout", tmp_path / "clusters.parquet")
    given = {"holdout": tmp_path / "clusters.parquet", "complete": tmp_path / "complete.csv"}
    certificate = mb.certify(audit, **given, out=audit / "certificate.json")
    both = CLUSTERED, WORLD.matches("complete", clusters=False)
    assert certificate.tallies["all"] == WORLD.tally(Draw.load(audit), *both)
    assert "What is certified are clusters" not in str(certificate)
    assert "It is about pairs, not clusters." in str(certificate)
    assert run("verify", audit) == 0
    closed = mb.certify(audit, **given, clusters=True)
    assert closed.tallies["all"] == WORLD.tally(
        Draw.load(audit), CLUSTERED, WORLD.matches("complete")
    )


def test_a_complete_matcher_alone_is_not_guessed(audit, tmp_path):
    """Its errors are those of clusters or of pairs: only the holdout matcher is on record."""
    complete, nodes = tmp_path / "complete.csv", Draw.load(audit).validated
    with pytest.raises(mb.InputError, match=r"^clusters or pairs must be said"):
        mb.list_errors(audit, complete=complete)
    listed = mb.list_errors(audit, complete=complete, clusters=True)
    expected = errors_by_sets(WORLD.matches("complete"), WORLD.truth, nodes)
    assert as_errors(listed) == expected
    assert as_errors(mb.list_errors(audit, complete=complete)) == expected  # it is on record now


@pytest.mark.slow
def test_a_matcher_that_is_withheld_from(tmp_path):
    """Clusters of what it returns, at both of its runs."""
    audit = drawn(tmp_path, "--train", 20)
    rows = {"train": PAIRS, "all": WORLD.pairs("complete")}
    runs = iter(rows.values())
    certificate = mb.withhold(lambda labels: next(runs), audit, clusters=True)
    both = CLUSTERED, WORLD.matches("complete")
    assert certificate.tallies["all"] == WORLD.tally(Draw.load(audit), *both)


def test_the_page_takes_clusters_with_a_matcher_alone(audit, tmp_path):
    with pytest.raises(mb.InputError, match="clusters must come with a holdout matcher"):
        open_inputs(Audit.open(audit), Inputs(tmp_path / "people.csv", clusters=True))


# Counted as by sets


def certify(world, draw, holdout, complete=None, **how):
    given = {"population": world.people, "holdout": holdout, "complete": complete, "clusters": True}
    if "labels" not in how:
        given["labels"] = world.labels(draw)
    return mb.certify(draw, **{**given, **how})


def check_tallies(seed, dedupe, complete):
    """The complete matcher: none, pairs, or a table of clusters while the holdout has pairs."""
    world = World.random(f"tallies {seed}", dedupe=dedupe)
    draw = mb.draw(world.people, labels=50, train=15, seed=f"{seed}", **world.matching)
    table = None if complete is None else world.table("complete", 0.5)
    if complete == "clusters":
        table = as_clusters(components(world.links("complete")), ["id", "cluster"])
    certificate = certify(world, draw, world.table("holdout", 0.5), table)
    both = [world.matches(role) for role in ("holdout", "complete")[: 1 + (complete is not None)]]
    assert certificate.tallies["all"] == world.tally(draw, *both)
    assert certificate.beside == ()
    if complete == "clusters":
        as_clusters_too = as_clusters(world.entities, ["id", "cluster"])
        again = certify(world, draw, world.table("holdout", 0.5), table, labels=as_clusters_too)
        assert again.tallies == certificate.tallies


@pytest.mark.parametrize(
    ("dedupe", "complete"),
    [
        pytest.param(True, None, marks=pytest.mark.slow),
        (True, "pairs"),
        (True, "clusters"),
        (False, None),
        (False, "pairs"),
    ],
)
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, 12))]
)
def test_tallies_equal_those_by_sets(dedupe, complete, seed):
    """Of one table; of two, whose ids are the same numbers: 50 and 50 are two records."""
    check_tallies(seed, dedupe, complete)


def sourced(pairs):
    """As Splink has them."""
    columns = {"unique_id_l": [x for x, _ in pairs], "unique_id_r": [y for _, y in pairs]}
    sources = {
        "source_dataset_l": ["left"] * len(pairs),
        "source_dataset_r": ["right"] * len(pairs),
    }
    return pa.table(columns | sources)


def test_two_tables_with_sources_and_labels_in_clusters():
    world = World.random("sources", dedupe=False)
    draw = mb.draw(world.people, labels=50, train=15, seed="s", source="left")
    names = ["unique_id", "cluster_id", "source_dataset"]
    certificate = certify(
        world,
        draw,
        sourced(world.pairs("holdout")),
        as_clusters(components(world.links("complete")), names),
        labels=as_clusters(world.entities, names),
    )
    both = world.matches("holdout"), world.matches("complete")
    assert certificate.tallies["all"] == world.tally(draw, *both)


def three_sources(rng):
    """Links within and between three tables of 30 records, with scores, as Splink has them."""
    records = [(source, str(i)) for source in "abc" for i in range(30)]
    links = [(("a", str(i)), ("b", str(i)), 0.9) for i in range(30) if rng.random() < 0.8]
    links += [(*rng.sample(records, 2), rng.choice([0.3, 0.5, 0.9])) for _ in range(25)]
    links = list({frozenset(link[:2]): link for link in links}.values())
    columns = {
        f"{name}_{side}": [link[place][column] for link in links]
        for place, side in enumerate("lr")
        for column, name in enumerate(["source_dataset", "unique_id"])
    }
    return links, pa.table({**columns, "match_probability": [link[2] for link in links]})


def test_pairs_within_a_source_and_between_others_join_clusters(tmp_path):
    """They are no matches, but the clusters of all pairs are what a tool makes of them."""
    links, pairs = three_sources(random.Random("three"))
    within = {frozenset((a[0], b[0])) for a, b, _ in links}
    assert within >= {frozenset("a"), frozenset("b"), frozenset("bc")}
    people = pa.table({"unique_id": [str(i) for i in range(30)]})
    choose = {"choose_threshold": {"precision": 0.2}, "candidates": (0.9, 0.5, 0.3)}
    draws = {}
    for name, how in (("one", {}), ("several", choose)):
        draws[name] = mb.draw(people, labels=20, seed="s", source="a", **how)
    nodes = draws["one"].validated
    labels = pa.table({"x": nodes, "y": [x.replace("a-__-", "b-__-") for x in nodes]})
    given = {"population": people, "labels": labels}
    several = mb.certify(draws["several"], holdout=pairs, clusters=True, **given).tallies
    for least in (0.9, 0.5, 0.3):
        parts = components([(a, b) for a, b, score in links if score >= least])
        named = [(*record, i) for i, part in enumerate(parts) for record in part]
        names = ["source_dataset", "unique_id", "cluster_id"]
        table = pa.table(dict(zip(names, zip(*named, strict=True), strict=True)))
        how = {"holdout": pairs, "threshold": least, "clusters": True}
        ours = mb.certify(draws["one"], **how, **given)
        theirs = mb.certify(draws["one"], holdout=table, **given)
        assert ours.tallies["all"] == theirs.tallies["all"] == several[f"score ≥ {least}"]
        assert ours.guarantees == theirs.guarantees
        listed = mb.list_errors(draws["one"], **how, **given)
        assert as_errors(listed) == as_errors(mb.list_errors(draws["one"], holdout=table, **given))
        out = tmp_path / f"{least}.csv"
        mb.patch(draws["one"], **how, **given, out=out)
        patched = mb.certify(draws["one"], complete=out, **how, **given).tallies["all"]
        assert all(label.c == label.ct == label.t for label in patched.labelled)
    scores = {pair.score for node in listed.nodes for pair in node.pairs}
    assert {0.3, 0.5} <= scores


@pytest.mark.parametrize("dedupe", [pytest.param(True, marks=pytest.mark.slow), False])
def test_each_candidate_s_clusters_are_counted(dedupe):
    """Several thresholds, strictest first: what is linked from a score on stays linked below."""
    world = World.random("candidates", dedupe=dedupe)
    choose = {"choose_threshold": {"precision": 0.2}, "candidates": CANDIDATES}
    draw = mb.draw(world.people, labels=60, seed="s", **choose, **world.matching)
    given = draw, world.table("holdout"), world.table("complete")
    certificate = certify(world, *given)
    expected = {
        f"score ≥ {least}": world.tally(
            draw, world.matches("holdout", least), world.matches("complete", least)
        )
        for least in CANDIDATES
    }
    assert certificate.tallies == expected
    assert certificate.threshold.chosen in CANDIDATES
    assert certificate.beside == ()


# Errors and patches of clusters


@pytest.mark.parametrize("dedupe", [True, False])
def test_errors_of_clusters_equal_those_by_sets(dedupe):
    """Pairs below the threshold link nothing, and give their scores to what is missed."""
    world = World.random("errors 5", dedupe=dedupe)
    draw = mb.draw(world.people, labels=90, train=9, seed="s", **world.matching)
    given = {"labels": world.labels(draw), "population": world.people, "clusters": True}
    listed = mb.list_errors(draw, holdout=world.table("holdout"), threshold=0.5, **given)
    found = world.matches("holdout")
    expected = errors_by_sets(found, world.truth, draw.validated)
    assert as_errors(listed) == expected
    assert max(len(one) for both in expected.values() for one in both) < MOST
    same_id = [{kind for kind in (0, 1) if x in expected[x][kind]} for x in expected]
    assert set().union(*same_id) == (set() if dedupe else {0, 1})  # wrong and missed ones
    scores = dict(world.holdout)
    scores |= {(y, x): score for (x, y), score in scores.items()} if dedupe else {}
    for node in listed.nodes:
        for pair in node.pairs:
            assert pair.score == scores.get((node.node, pair.other))
    assert any(pair.score == 0.3 for node in listed.nodes for pair in node.pairs)


def same_cluster(rows):
    return [(x, y) for x, one in rows for y, other in rows if one == other and x != y]


def patched_by_sets(world, labelled):
    """Each node's matches after the entities of labelled nodes have left the clusters."""
    named = (lambda x: x) if world.dedupe else (lambda x: ("x", x))
    other = (lambda y: y) if world.dedupe else (lambda y: ("y", y))
    truth = {named(x): {other(y) for y in ys} for x, ys in world.truth.items()}
    parts = components(world.links("holdout"))
    clusters = {record: i for i, part in enumerate(parts) for record in part}
    ys = None if world.dedupe else {other(y) for y in world.others}
    left = clusters_by_sets(truth, clusters, {named(x) for x in labelled}, ys)
    matches = as_matches(left, [named(x) for x in world.nodes], ys)
    if world.dedupe:
        return matches
    return {x: {y for _, y in found} for (_, x), found in matches.items()}


@pytest.mark.parametrize("dedupe", [pytest.param(True, marks=pytest.mark.slow), False])
def test_a_patch_of_clusters_is_clusters(dedupe, tmp_path):
    """Read as the complete matcher's, with the same words, whether a row is a record or a pair."""
    world = World.random("patch", dedupe=dedupe)
    draw = mb.draw(world.people, labels=40, train=9, seed="s", **world.matching)
    out, holdout = tmp_path / "patched.parquet", world.table("holdout")
    how = {"threshold": 0.5, "clusters": True}
    given = {"labels": world.labels(draw), "population": world.people}
    written = mb.patch(draw, holdout=holdout, out=out, **given, **how)
    table = pq.read_table(out)
    assert table.column_names == (["id", "cluster"] if dedupe else ["x", "y", "score"])
    rows = [row[:2] for row in zip(*table.to_pydict().values(), strict=True)]
    patched = {x: set() for x in world.nodes}
    for x, y in rows if not dedupe else same_cluster(rows):
        patched[x].add(y)
    labelled = {*draw.trained, *draw.validated}
    assert patched == patched_by_sets(world, labelled)
    assert all(patched[x] == world.truth[x] for x in labelled)
    before, after = (
        {frozenset((x, y)) if dedupe else (x, y) for x in world.nodes for y in matches[x]}
        for matches in (world.matches("holdout"), patched)
    )
    counts = len(after), len(after - before), len(before - after), len(labelled)
    assert (written.pairs, written.added, written.dropped, written.labelled) == counts
    certificate = certify(world, draw, holdout, out, threshold=0.5)
    tally = certificate.tallies["all"]
    assert tally == world.tally(draw, world.matches("holdout"), patched)
    assert all(label.c == label.ct == label.t for label in tally.labelled)
    assert certificate.is_clusters


# Pairs that are certified as pairs


SHAPES = {
    "nothing": [],
    "one pair": [(1, 2)],
    "a triangle": [(1, 2), (2, 3), (1, 3)],
    "a path of three": [(1, 2), (2, 3)],
    "a path of four": [(1, 2), (2, 3), (3, 4)],
    "a star": [(1, i) for i in range(2, 9)],
    "two entities, one of them open": [(1, 2), (2, 3), (1, 3), (7, 8), (8, 9)],
    "pairs and a path": [(1, 2), (3, 4), (5, 6), (6, 7), (7, 8)],
}


@pytest.mark.parametrize("number", [4, pytest.param(100, marks=pytest.mark.slow)])
def test_how_many_more_pairs_clusters_link(number):
    made = [*SHAPES.values(), *graphs(random.Random(number), number)]
    with connect() as con:
        for pairs, kind in zip(made, itertools.cycle(["string", "bigint"])):
            rows = [(-1, -1), *pairs, *((b, a) for a, b in pairs)]  # the first is left out again
            ids = f"cast(x as {kind}) as x, cast(y as {kind}) as y"
            values = ", ".join(map(str, rows))
            con.keep("found", f"select {ids} from (values {values}) t(x, y) where x >= 0")
            assert pairs_more(con, "found", kind) == more_pairs(pairs)
    assert [more_pairs(pairs) for pairs in SHAPES.values()] == [0, 0, 0, 1, 3, 21, 1, 3]


def sample_means(world, draw, matches):
    """Precision and recall in S − D."""
    nodes, truth = [x for x in draw.validated if x not in set(draw.trained)], world.truth
    precision = [len(matches[x] & truth[x]) / len(matches[x]) for x in nodes if matches[x]]
    recall = [len(matches[x] & truth[x]) / len(truth[x]) for x in nodes if truth[x]]
    return sum(precision) / len(precision), sum(recall) / len(recall)


def sentence_by_sets(world, draw, role="holdout", least=0.5, of=""):
    before, after = (
        sample_means(world, draw, world.matches(role, least, clusters=is_closed))
        for is_closed in (False, True)
    )
    return (
        f"It is about pairs{of}, not clusters. The clusters that they link have "
        f"{more_pairs(world.pairs(role, least))} more pairs; in the sample they have precision "
        f"{after[0]:.4f} instead of {before[0]:.4f} and recall {after[1]:.4f} instead of "
        f"{before[1]:.4f}. If clusters are what you deploy, certify those: put the matcher on "
        "record with --clusters."
    )


def test_what_is_said_of_open_pairs(tmp_path, capsys):
    """By draw, certificate, report and verify; a certificate whose number is another is refuted."""
    holdout, complete = tmp_path / "holdout.csv", tmp_path / "complete.csv"
    audit = drawn(tmp_path, "--holdout", holdout, "--train", 15)
    more = more_pairs(PAIRS)
    assert more > 50
    assert (
        f"Holdout matcher: holdout.csv, {len(PAIRS)} pairs, taken as pairs (their clusters would "
        f"link {more} more: give --clusters if clusters are what you deploy); it matches"
    ) in capsys.readouterr().out
    assert run("certify", audit, "--holdout", holdout) == 0
    expected = sentence_by_sets(WORLD, Draw.load(audit))
    assert expected in capsys.readouterr().out
    assert run("report", audit) == 0
    assert expected in (audit / "report.html").read_text("utf-8")
    assert run("certify", audit, "--holdout", holdout, "--complete", complete, "--force") == 0
    assert sentence_by_sets(WORLD, Draw.load(audit), "complete") in capsys.readouterr().out
    assert run("verify", audit) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert [each.part for each in certificate.beside] == ["all"]
    wrong = replace(certificate.beside[0], more=certificate.beside[0].more - 1)
    replace(certificate, beside=(wrong,)).save(audit / "certificate.json", force=True)
    capsys.readouterr()
    assert run("verify", audit) == 1
    assert "  - clusters_beside[0].more is not what the inputs give" in capsys.readouterr().out


def test_of_candidates_the_chosen_one_is_told(tmp_path):
    world = World.random("open candidates", dedupe=True)
    choose = {"choose_threshold": {"precision": 0.2}, "candidates": CANDIDATES, "allowance": 0.0}
    draw = mb.draw(world.people, labels=70, seed="s", **choose, dedupe=True)
    certificate = certify(world, draw, world.table("holdout"), clusters=None)
    parts = {f"score ≥ {least}": more_pairs(world.pairs("holdout", least)) for least in CANDIDATES}
    assert {each.part: each.more for each in certificate.beside} == parts
    chosen = certificate.threshold.chosen
    told = sentence_by_sets(world, draw, least=chosen, of=f" (score ≥ {chosen})")
    assert [line for line in certificate.remarks if "clusters" in line] == [told]
    none = replace(certificate, guarantees=(), threshold=Threshold(None, ()))
    assert none.remarks == []


def test_nothing_is_said_of_closed_pairs(tmp_path, capsys):
    pairs = [(x, y) for part in components(PAIRS) for x in part for y in part if x < y]
    holdout = write_csv(tmp_path / "closed.csv", ["x", "y"], pairs)
    audit = drawn(tmp_path, "--holdout", holdout)
    assert "their clusters" not in capsys.readouterr().out
    certificate = mb.certify(audit, holdout=holdout)
    assert certificate.beside == ()
    assert "not clusters" not in str(certificate)


@pytest.mark.slow
def test_weights_tell_no_means(tmp_path):
    """Nodes that were drawn by weight stand for others; the number of pairs is said alone."""
    holdout = tmp_path / "holdout.csv"
    audit = drawn(tmp_path, "--holdout", holdout, "--weigh", "pairwise-precision")
    words = str(mb.certify(audit, holdout=holdout))
    assert f"have {more_pairs(PAIRS)} more pairs. If clusters are what you deploy" in words


# Refused


def test_bands_of_clusters_are_refused(tmp_path, capsys):
    """At the draw, and of a matcher that comes later."""
    holdout = tmp_path / "holdout.parquet"
    pq.write_table(WORLD.table("holdout"), holdout)
    told = "clusters must be left out where bands of scores were chosen, got both: a pair that only"
    audit = drawn(tmp_path, "--bands", "0.5,0.8")
    for verb in ("register", "certify"):
        assert run(verb, audit, "--holdout", holdout, "--clusters") == 2
        assert told in capsys.readouterr().err
    words = ["draw", tmp_path / "people.csv", "--dedupe", "--labels", 9, "--bands", "0.5,0.8"]
    assert run(*words, "--holdout", holdout, "--clusters", "--out", tmp_path / "b") == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"gap": 20}, "clusters must be left out where a gap sample was drawn, got both"),
        ({"future": True}, "clusters must be left out where guarantees are about nodes to come"),
    ],
)
def test_where_not_all_pairs_are_there_nothing_is_closed(choice, message):
    """Other nodes' pairs may link a node to more, and they need not be given there."""
    world = World.random("gap", dedupe=False)
    draw = mb.draw(world.people, labels=40, seed="s", link=True, **choice)
    with pytest.raises(mb.InputError, match=message):
        certify(world, draw, world.table("holdout", 0.5))


def test_b_cubed_of_open_pairs_needs_clusters(tmp_path, capsys):
    holdout, metric = tmp_path / "holdout.csv", ("--metric", "b3-precision")
    audit = drawn(tmp_path, *metric)
    capsys.readouterr()
    assert run("certify", audit, "--holdout", holdout) == 2
    assert (
        "Say --clusters, to certify the clusters that the pairs link; or give the clusters that "
        "you will use, with columns id and cluster."
    ) in capsys.readouterr().err
    certificate = mb.certify(audit, holdout=holdout, clusters=True)
    assert certificate.tallies["all"] == WORLD.tally(Draw.load(audit), CLUSTERED)
    nodes, truth = WORLD.nodes, WORLD.truth
    shares = [len(({x} | CLUSTERED[x]) & ({x} | truth[x])) / (1 + len(CLUSTERED[x])) for x in nodes]
    assert 0.3 < certificate.value("b3-precision") <= sum(shares) / len(nodes)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"threshold": 0.5}, "threshold must be left out where no matcher has a column 'score'"),
        ({"holdout": "scored"}, "threshold must be given, because holdout has scores"),
        ({"holdout": None}, "must come with a holdout matcher"),
        ({"holdout": "self"}, "holdout must not match a record with itself, got '7'"),
        ({"holdout": "unknown"}, "must match nodes of the population, got x = '999'"),
    ],
)
def test_what_else_is_refused(how, message):
    """As it is of pairs."""
    tables = {
        "plain": WORLD.table("holdout", 0.5),
        "scored": WORLD.table("holdout"),
        "self": pa.table({"x": ["7"], "y": ["7"]}),
        "unknown": pa.table({"x": ["999"], "y": ["7"]}),
        None: None,
    }
    holdout = tables[how.get("holdout", "plain")]
    with pytest.raises(mb.InputError, match=re.escape(message)):
        mb.draw(WORLD.people, labels=9, dedupe=True, clusters=True, **how | {"holdout": holdout})
