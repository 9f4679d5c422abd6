"""Clusters that pairs link: on record, counted as by Python sets, and said where pairs are open."""

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
from support.audits import read_csv, run, run_seeded, write_csv
from support.clustered import World, as_clusters, components, graphs, more_pairs

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
    assert "It is about clusters: a record's matches are all other" in str(certificate)
    live = open_inputs(Audit.open(audit), Inputs(tmp_path / "people.csv", holdout=holdout)).live
    labels = {x: tuple(WORLD.truth[x]) for x, _, _ in draw.sample}
    assert live.tally(labels) == expected
    shown = {bound.metric: bound.value for bound in live.at(labels).bounds}
    assert shown == {g.metric: g.value for g in certificate.guarantees}
    errors = errors_by_sets(CLUSTERED, WORLD.truth, draw.validated)
    assert as_errors(mb.list_errors(audit, holdout=holdout)) == errors
    assert as_errors(mb.list_errors(audit)) == errors  # of the certificate's matcher
    patched = tmp_path / "patched.csv"
    mb.patch(audit, holdout=holdout, out=patched)
    assert patched.read_text("utf-8").startswith("id,cluster\n")
    again = mb.certify(audit, holdout=holdout, complete=patched)
    assert all(label.c == label.ct == label.t for label in again.tallies["all"].labelled)
    assert again.ledger.together == 0.95
    assert run("verify", audit) == 0
    both = [mb.estimate(audit, holdout=holdout, clusters=said) for said in (None, False)]
    assert both[0].value("precision") < both[1].value("precision")
    assert both[0].value("b3-precision") > 0  # which needs clusters


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


@pytest.mark.parametrize("registered", [True, False])
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


def test_a_draw_by_the_weights_of_clusters_is_repeated_as_such(tmp_path):
    """Also where the record alone says that they are clusters, and ids were erased."""
    holdout = tmp_path / "holdout.csv"
    audit = drawn(
        tmp_path, "--holdout", holdout, "--clusters", "--weigh", "pairwise-precision"
    )
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
    assert "It is about clusters" not in str(certificate)
    assert "It is about pairs, not clusters." in str(certificate)
    assert run("verify", audit) == 0
    closed = mb.certify(audit, **given, clusters=True)
    assert closed.tallies["all"] == WORLD.tally(Draw.load(audit), CLUSTERED, WORLD.matches("complete"))


def test_a_complete_matcher_alone_is_not_guessed(audit, tmp_path):
    """Its errors are those of clusters or of pairs: only the holdout matcher is on record."""
    complete, nodes = tmp_path / "complete.csv", Draw.load(audit).validated
    with pytest.raises(mb.InputError, match=r"^clusters or pairs must be said"):
        mb.list_errors(audit, complete=complete)
    listed = mb.list_errors(audit, complete=complete, clusters=True)
    expected = errors_by_sets(WORLD.matches("complete"), WORLD.truth, nodes)
    assert as_errors(listed) == expected
    assert as_errors(mb.list_errors(audit, complete=complete)) == expected  # it is on record now


def test_the_page_takes_clusters_with_a_matcher_alone(audit, tmp_path):
    with pytest.raises(mb.InputError, match="clusters must come with a holdout matcher"):
        open_inputs(Audit.open(audit), Inputs(tmp_path / "people.csv", clusters=True))
