"""Clusters as labels: of all records, or of the drawn nodes with every record of their entities."""

import random

import pyarrow as pa
import pytest

import matchbound as mb
from support.audits import read_csv, run, write_csv


def as_table(clusters):
    """From the cluster of each record."""
    return pa.table({"id": list(clusters), "cluster_id": [str(one) for one in clusters.values()]})


def of_drawn(clusters, nodes):
    """The records of the clusters that have a drawn node."""
    drawn = {clusters[node] for node in nodes}
    return {x: one for x, one in clusters.items() if one in drawn}


def among(clusters, nodes):
    """The drawn nodes alone: what people find who look among these."""
    return {x: clusters[x] for x in nodes}


def audit(rng, kind, records=40, labels=12):
    """A population and the clusters of its records, of those of the other table too, by chance."""
    left = [f"a{i}" for i in range(records)]
    right = [f"b{i}" for i in range(records)] if kind == "link" else []
    made = [{x: rng.randrange(records // 2) for x in left + right} for _ in range(3)]
    population = pa.table({"id": left})
    draw = mb.draw(population, labels=labels, seed=str(rng.random()), **{kind: True})
    return draw, population, [x for x, _, _ in draw.sample], made


def certify(draw, population, holdout, complete, labels, **how):
    tables = (holdout, complete, labels)
    given = zip(("holdout", "complete", "labels"), map(as_table, tables), strict=True)
    return mb.certify(draw, population=population, **dict(given), **how)


@pytest.mark.parametrize("kind", ["dedupe", "link"])
def test_clusters_of_drawn_nodes_count_as_those_of_all(kind):
    rng, compared = random.Random(5), 0
    for _ in range(2):
        draw, population, nodes, (truth, holdout, complete) = audit(rng, kind)
        tallies = [
            certify(draw, population, holdout, complete, labels).tallies
            for labels in (truth, of_drawn(truth, nodes))
        ]
        assert len(of_drawn(truth, nodes)) < len(truth)
        assert tallies[0] == tallies[1]
        compared += sum(label.t for label in tallies[0]["all"].validation)
    assert compared > 15


REFUSED = {
    "among themselves": (among, "labels must show drawn nodes' matches among all records, got clu"),
    "each alone": (
        lambda truth, nodes: {x: x for x in nodes},
        "labels must show drawn nodes' matches among all records, got clusters of drawn nodes al",
    ),
    "with others": (
        lambda truth, nodes: among(truth, nodes) | {next(x for x in truth if x not in nodes): "z"},
        "labels must put every record of the population into a cluster, or be the clusters of dr",
    ),
    "some left out": (
        lambda truth, nodes: dict(list(truth.items())[::2]) | among(truth, nodes),
        "labels must put every record of the population into a cluster, or be the clusters of dr",
    ),
    "one not listed": (
        lambda truth, nodes: of_drawn(truth, [x for x in nodes if truth[x] != truth[nodes[0]]]),
        "labels must cover every sampled node; ",
    ),
}


@pytest.mark.parametrize("kind", ["dedupe", "link"])
@pytest.mark.parametrize("case", REFUSED)
def test_clusters_that_may_lack_matches_are_refused(kind, case):
    draw, population, nodes, (truth, holdout, complete) = audit(random.Random(6), kind)
    labels, message = REFUSED[case]
    with pytest.raises(mb.MatchboundError) as error:
        certify(draw, population, holdout, complete, labels(truth, nodes))
    assert str(error.value).startswith(message)


def test_a_drawn_node_that_is_not_listed_may_count_as_the_worst():
    draw, population, nodes, (truth, *matchers) = audit(random.Random(6), "dedupe")
    labels = REFUSED["one not listed"][0](truth, nodes)
    tally = certify(draw, population, *matchers, labels, unlabelled="worst").tallies["all"]
    unlisted = sum(x not in labels for x in nodes)
    assert [label.t for label in tally.validation].count(None) == unlisted > 0


def test_in_linkage_other_nodes_are_no_sign_of_a_search():
    """Records of the population itself cannot be a drawn node's matches."""
    draw, population, nodes, (truth, *matchers) = audit(random.Random(6), "link")
    labels = {x: one for x, one in of_drawn(truth, nodes).items() if x[0] == "a"}
    assert {*labels} - {*nodes}
    with pytest.raises(mb.AssumptionError, match="got clusters of drawn nodes alone"):
        certify(draw, population, *matchers, labels)


def test_error_rates_would_be_too_kind_among_drawn_nodes():
    """Why they are refused: matches outside the draw would not be missed."""
    records = [f"r{i}" for i in range(200)]
    population, found = pa.table({"id": records}), pa.table({"x": ["r0"], "y": ["r1"]})
    truth = {x: i // 2 for i, x in enumerate(records)}  # all but one of 100 pairs are missed
    draw = mb.draw(population, labels=40, seed="s", dedupe=True, metrics=["error-rate"])
    nodes = [x for x, _, _ in draw.sample]
    given = {"population": population, "holdout": found}
    with pytest.raises(mb.AssumptionError, match="got clusters of drawn nodes alone"):
        mb.certify(draw, **given, labels=as_table(among(truth, nodes)))
    cert = mb.certify(draw, **given, labels=as_table(of_drawn(truth, nodes)))
    assert cert.value("error-rate") > 0.95
    partners = sum(truth[x] == truth[y] for x in nodes for y in nodes if x != y)
    assert partners / len(nodes) < 0.5  # the rate that would have been seen


def test_clusters_of_drawn_nodes_in_a_folder(tmp_path, capsys):
    """`certify`, `verify`, `errors`, `patch` and `labels` read them alike."""
    records = [f"r{i}" for i in range(90)]
    truth = {x: i // 3 for i, x in enumerate(records)}
    write_csv(tmp_path / "records.csv", ["id"], [[x] for x in records])
    found = write_csv(
        tmp_path / "found.csv", ["x", "y"], [records[i : i + 2] for i in range(0, 90, 3)]
    )
    folder = tmp_path / "audit"
    draw = ["draw", tmp_path / "records.csv", "--dedupe", "--labels", 30, "--out", folder]
    assert run(*draw, "--holdout", found) == 0
    nodes = [x for x, _, _ in mb.Draw.load(folder).sample]
    write_csv(folder / "labels.csv", ["id", "cluster_id"], of_drawn(truth, nodes).items())
    assert run("certify", folder, "--holdout", found) == 0
    assert run("verify", folder) == 0
    expected = {x: {y for y in records if y != x and truth[y] == truth[x]} for x in nodes}
    assert {(x, y) for x, y in mb.labels(folder, role="all")} == {
        (x, y) for x, ys in expected.items() for y in ys
    }
    assert run("errors", folder, "--holdout", found) == 0
    patched = tmp_path / "patched.csv"
    assert run("patch", folder, "--holdout", found, "--out", patched) == 0
    pairs = {frozenset(row) for row in read_csv(patched)}
    assert {frozenset((x, y)) for x, ys in expected.items() for y in ys} <= pairs
    capsys.readouterr()
    assert run("certify", folder, "--holdout", found, "--complete", patched, "--force") == 0
    assert run("verify", folder) == 0
