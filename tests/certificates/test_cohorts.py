"""Later draws from new nodes, through the commands: drawn, certified together, verified."""

import json
import random
import shutil
from dataclasses import replace

import pytest

import matchbound as mb
from matchbound.audits.draw import Draw
from matchbound.audits.ledger import read_ledger
from matchbound.audits.request import requested
from matchbound.errors import EngineError
from support.audits import read_csv, run, run_seeded, write_csv
from support.growing import Draw as DrawnNodes
from support.growing import Grown

METRICS = ("precision", "recall", "error-rate")


class Growing:
    """100 nodes, then 60 more; H ran over the first, C over all that are there at the end."""

    def __init__(self, dedupe, seed=1):
        rng = random.Random(seed)
        self.dedupe = dedupe
        self.then = [f"r{i}" for i in range(100)]
        self.new = [f"n{i}" for i in range(60)]
        self.now = [x for x in self.then if rng.random() < 0.95] + self.new
        every = [*self.then, *self.new]
        entity = {x: rng.randrange(90) for x in every}
        self.true = {
            x: {y for y in every if y != x and entity[y] == entity[x]}
            if dedupe
            else {f"y{entity[x]}"} - {"y3", "y5"}
            for x in every
        }
        self.h = self.found(rng, self.then)
        self.c = self.found(rng, self.now)

    def found(self, rng, nodes):
        """Nine in ten of the true matches among these nodes, and some others."""
        there = set(nodes)
        found = {x: {y for y in self.true[x] if rng.random() < 0.95} for x in nodes}
        if self.dedupe:
            found = {x: {y for y in found[x] if y in there and x in found[y]} for x in nodes}
        return found

    def true_among(self, x, records):
        return self.true[x] & set(records) if self.dedupe else self.true[x]

    def write(self, folder):
        folder.mkdir()
        write_csv(folder / "then.csv", ["id"], [[x] for x in self.then])
        write_csv(folder / "now.csv", ["id"], [[x] for x in self.now])
        for name, found in (("holdout", self.h), ("complete", self.c)):
            pairs = {(x, y) for x, some in found.items() for y in some if not self.dedupe or x < y}
            write_csv(folder / f"{name}.csv", ["x", "y"], sorted(pairs))

    def label(self, audit, records):
        drawn = [x for x, _, _ in Draw.load(audit).sample]
        rows = [[x, y] for x in drawn for y in sorted(self.true_among(x, records)) or [""]]
        write_csv(audit / "labels.csv", ["x", "y"], rows)
        return drawn

    def as_sets(self, drawn, of_cohort):
        def draw(nodes, found, records, labelled):
            t = {x: frozenset(self.true_among(x, records)) for x in nodes}
            h = {x: frozenset(found[x]) for x in nodes}
            return DrawnNodes(tuple(nodes), h, t, frozenset(labelled), frozenset(records))

        draws = [draw(self.then, self.h, self.then, drawn)]
        if of_cohort:
            draws.append(draw(self.new, self.c, self.now, of_cohort))
        c = {x: frozenset(some) for x, some in self.c.items()}
        true = {x: frozenset(self.true_among(x, self.now)) for x in self.now}
        return Grown(tuple(draws), frozenset(self.now), c, true, self.dedupe)


def audited(folder, world, *options):
    world.write(folder)
    audit = folder / "audit"
    words = [folder / "then.csv", "--labels", 60, "--holdout", folder / "holdout.csv"]
    words += [word for name in METRICS for word in ("--metric", name)]
    words += ["--dedupe", "--most-true-matches", 9] if world.dedupe else ["--link"]
    assert run_seeded("s", "draw", *words, "--out", audit, *options) == 0
    return audit, world.label(audit, world.then)


def draw_cohort(audit, *options, name="late", labels=40, now="now.csv"):
    folder = audit.parent
    words = [folder / now, "--cohort", name, "--labels", labels, "--delta", "0.02"]
    words += ["--holdout", folder / "complete.csv"]
    return run_seeded(name, "draw", *words, "--out", audit, *options)


def certify_cohort(audit, *options, name="late"):
    folder = audit.parent
    return run("certify", audit / "cohorts" / name, "--holdout", folder / "complete.csv", *options)


def certify(audit, *options):
    folder = audit.parent
    words = ["--holdout", folder / "holdout.csv", "--complete", folder / "complete.csv"]
    return run("certify", audit, *words, "--population", folder / "now.csv", *options)


def with_cohort(folder, world):
    audit, drawn = audited(folder, world)
    assert draw_cohort(audit) == 0
    cohort = audit / "cohorts" / "late"
    return audit, drawn, world.label(cohort, world.now)


@pytest.fixture(scope="module", params=[False, True], ids=["linkage", "deduplication"])
def both(request, tmp_path_factory):
    """An audit, its cohort, and the certificate of both."""
    world = Growing(request.param)
    audit, drawn, of_cohort = with_cohort(tmp_path_factory.mktemp("cohort") / "a", world)
    assert certify(audit, "--out", audit / "alone.json") == 0
    assert certify_cohort(audit) == 0
    assert certify(audit, "--cohort", "late") == 0
    return world, audit, drawn, of_cohort


def test_the_cohort_is_of_new_nodes_alone(both):
    world, audit, _, of_cohort = both
    cohort = Draw.load(audit / "cohorts" / "late")
    assert set(of_cohort) <= set(world.new)
    assert cohort.size == len(world.new)
    assert cohort.choices.metrics == METRICS
    assert cohort.choices.delta == 0.02


def test_the_matcher_is_on_record_before_the_seed_and_the_first_ledger_knows(both):
    _, audit, _, _ = both
    entries = read_ledger(audit / "cohorts" / "late").entries
    kinds = [entry["kind"] for entry in entries]
    assert kinds[:3] == ["register", "choices", "draw"]
    (entry,) = read_ledger(audit).of_kind("cohort")
    assert entry["choices"] == entries[1]["digest"]
    assert entry["time"] <= entries[2]["time"]


def test_the_heading_adds_both(both):
    _, audit, _, _ = both
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert certificate.heading[0].startswith("With probability at least 93%")
    assert not certificate.shortfall
    alone = mb.Certificate.load(audit / "alone.json")
    assert alone.heading[0].startswith("With probability at least 95%")
    later = mb.Certificate.load(audit / "certificate.json").value("precision")
    assert later > alone.value("precision") + 0.1


def test_counts_are_those_of_sets(both):
    world, audit, drawn, of_cohort = both
    certificate = mb.Certificate.load(audit / "certificate.json")
    sets = world.as_sets(drawn, of_cohort)
    growth, expected = certificate.growth, sets.growth(certificate.choices)
    assert growth.new == expected.new
    assert growth.new.nodes == 0
    (cohort,), (wanted,) = growth.cohorts, expected.cohorts
    assert sorted(cohort.tally.gap) == sorted(wanted.tally.gap)
    assert sorted(cohort.tally.labelled) == sorted(wanted.tally.labelled)
    assert (growth.change.joined, cohort.change.joined) == (60 if world.dedupe else 0, 0)
    true = sets.metrics
    for guarantee in certificate.guarantees:
        is_lower = guarantee.side == "lower"
        assert guarantee.value <= true[guarantee.metric] or not is_lower
        assert guarantee.value >= true[guarantee.metric] or is_lower


def test_it_verifies_with_the_cohort_s_certificate(both, capsys):
    _, audit, _, _ = both
    capsys.readouterr()
    assert run("verify", audit) == 0
    assert "the certificate of cohort late" in capsys.readouterr().out


def test_a_changed_cohort_is_contradicted(both, capsys):
    _, audit, _, _ = both
    labels = audit / "cohorts" / "late" / "labels.csv"
    before = labels.read_text()
    rows = read_csv(labels)
    write_csv(labels, ["x", "y"], [[rows[0][0], "y77"], *rows[1:]])
    capsys.readouterr()
    assert run("verify", audit) == 1
    assert "cohort late: inputs.labels" in capsys.readouterr().out
    labels.write_text(before)
    assert run("verify", audit) == 0


def test_a_cohort_s_lost_certificate_is_missing(both, capsys):
    _, audit, _, _ = both
    certificate = audit / "cohorts" / "late" / "certificate.json"
    moved = certificate.rename(audit.parent / "kept.json")
    capsys.readouterr()
    assert run("verify", audit) == 3
    assert "cohort late" in capsys.readouterr().out
    moved.rename(certificate)


def test_another_tally_of_the_cohort_is_contradicted(both, capsys):
    """A cohort's certificate that was edited is no later one."""
    _, audit, _, _ = both
    path = audit / "cohorts" / "late" / "certificate.json"
    before = path.read_text()
    record = json.loads(before)
    record["guarantees"][0]["value"] = 0.99
    path.write_text(json.dumps(record))
    capsys.readouterr()
    assert run("verify", audit) == 1
    assert "cohort late" in capsys.readouterr().out
    path.write_text(before)


def test_a_second_release_leaves_the_first_one_verified(tmp_path, capsys):
    """Each release of the cohort and of the whole; an overwritten certificate is missing alone."""
    world = Growing(False, seed=3)
    audit, _, _ = with_cohort(tmp_path / "a", world)
    folder = audit.parent
    assert certify_cohort(audit, "--release", "one") == 0
    assert certify(audit, "--cohort", "late", "--release", "one") == 0
    write_csv(folder / "second.csv", ["x", "y"], read_csv(folder / "complete.csv")[2:])
    second = ["--complete", folder / "second.csv", "--population", folder / "now.csv"]
    assert run("certify", audit / "cohorts" / "late", *second, "--release", "two") == 0
    assert run("certify", audit, *second, "--cohort", "late", "--release", "two") == 0
    for name in ("one", "two"):
        assert run("verify", audit / "releases" / f"{name}.json") == 0
    given = mb.Certificate.load(audit / "releases" / "two.json")
    assert given.inputs.cohorts[0].path == "cohorts/late/releases/two.json"
    assert given.heading[0].startswith("With probability at least 93%")


def test_an_overwritten_certificate_of_a_cohort_is_missing(tmp_path, capsys):
    world = Growing(False, seed=4)
    audit, _, _ = with_cohort(tmp_path / "a", world)
    assert certify_cohort(audit) == 0
    assert certify(audit, "--cohort", "late") == 0
    assert certify_cohort(audit, "--force") == 0
    capsys.readouterr()
    assert run("verify", audit) == 3
    assert "another certificate is in its place" in capsys.readouterr().out
    assert certify(audit, "--cohort", "late", "--force") == 0
    assert run("verify", audit) == 0


# What is refused.


def refused(capsys, ask):
    capsys.readouterr()
    assert ask() == 2
    return capsys.readouterr().err


@pytest.fixture
def plain(tmp_path):
    world = Growing(False, seed=2)
    audit, _ = audited(tmp_path / "a", world)
    return world, audit


def test_a_cohort_without_a_certificate_or_without_a_draw(plain, capsys):
    world, audit = plain
    assert "on record: none" in refused(capsys, lambda: certify(audit, "--cohort", "late"))
    assert draw_cohort(audit) == 0
    world.label(audit / "cohorts" / "late", world.now)
    error = refused(capsys, lambda: certify(audit, "--cohort", "late"))
    assert "cohort must have a certificate of the complete matcher" in error
    assert "matchbound certify" in error


def test_a_cohort_s_certificate_of_another_matcher(plain, capsys):
    world, audit = plain
    assert draw_cohort(audit) == 0
    world.label(audit / "cohorts" / "late", world.now)
    assert certify_cohort(audit) == 0
    complete = audit.parent / "complete.csv"
    write_csv(complete, ["x", "y"], read_csv(complete)[:-1])
    error = refused(capsys, lambda: certify(audit, "--cohort", "late"))
    assert "cohort must have a certificate of the complete matcher" in error


def test_a_second_cohort_is_of_other_nodes(plain, capsys):
    _, audit = plain
    assert draw_cohort(audit) == 0
    error = refused(capsys, lambda: draw_cohort(audit, name="later"))
    assert "population must hold nodes that are new" in error


def test_a_name_is_used_once(plain, capsys):
    world, audit = plain
    assert draw_cohort(audit) == 0
    more = audit.parent / "more.csv"
    write_csv(more, ["id"], [[x] for x in [*world.now, "m1", "m2"]])
    before = (audit / "cohorts" / "late" / "new.csv").read_text()
    error = refused(capsys, lambda: draw_cohort(audit, now="more.csv"))
    assert "cohort must be a name that this audit does not have yet" in error
    assert (audit / "cohorts" / "late" / "new.csv").read_text() == before
    matches = [*read_csv(audit.parent / "complete.csv"), ["m1", "m2"]]
    write_csv(audit.parent / "complete.csv", ["x", "y"], matches)
    assert draw_cohort(audit, name="later", now="more.csv", labels=2) == 0
    assert Draw.load(audit / "cohorts" / "later").size == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--cohort", "../x", "--labels", 9], "cohort must be letters, digits"),
        (["--cohort", "late", "--labels", 9], "holdout must be given where a cohort is drawn"),
        (["--cohort", "late", "--labels", 9, "--train", 3], "holdout must be given"),
        (["--cohort", "late", "--labels", 9, "--dry-run"], "dry_run must be left out"),
    ],
)
def test_draws_that_are_refused(plain, capsys, words, sentence):
    _, audit = plain
    now = audit.parent / "now.csv"
    assert sentence in refused(capsys, lambda: run("draw", now, *words, "--out", audit))
    assert not (audit / "cohorts").exists()


def test_the_drawn_population_has_no_new_nodes(plain, capsys):
    _, audit = plain
    write_csv(audit.parent / "complete.csv", ["x", "y"], read_csv(audit.parent / "holdout.csv"))
    error = refused(capsys, lambda: draw_cohort(audit, now="then.csv"))
    assert "population must hold nodes that are new" in error
    assert not (audit / "cohorts").exists()


# Records that have changed, and what a certificate of both takes over from the cohort's.


def certified_cohort(world, audit, name="late", *options):
    world.label(audit / "cohorts" / name, world.now)
    assert certify_cohort(audit, *options, name=name) == 0


def changed(audit, *ids):
    write_csv(audit.parent / "changed.csv", ["id"], [[x] for x in ids])
    return "--changed", audit.parent / "changed.csv"


def test_a_cohort_s_record_that_has_changed_since_is_refused(plain, capsys):
    """Its labels are of what it was: before, it counted as a cohort's node as ever."""
    world, audit = plain
    assert draw_cohort(audit) == 0
    certified_cohort(world, audit)
    both = "--cohort", "late", *changed(audit, world.new[0])
    error = refused(capsys, lambda: certify(audit, *both))
    assert "changed must name no record that labels of cohort 'late' may be of" in error
    assert repr(world.new[0]) in error
    # Without the cohort its nodes count as new, whatever became of them.
    assert certify(audit, *changed(audit, world.new[0])) == 0
    growth = mb.Certificate.load(audit / "certificate.json").growth
    assert growth.new.nodes == len(world.new)


def test_a_cohort_s_certificate_with_changed_records_is_not_used(plain, capsys):
    """The changed ones would be removed there, and new nowhere."""
    world, audit = plain
    assert draw_cohort(audit) == 0
    folder = audit.parent
    words = "--complete", folder / "complete.csv", "--population", folder / "now.csv"
    certified_cohort(world, audit, "late", *words, *changed(audit, *world.new[:50]))
    error = refused(capsys, lambda: certify(audit, "--cohort", "late"))
    assert "cohort must have a certificate of the complete matcher" in error


def test_a_changed_record_of_the_first_draw_is_new(plain):
    """It is no node of the cohort, whenever it changed."""
    world, audit = plain
    old = next(x for x in world.then if x in world.now)
    assert draw_cohort(audit) == 0
    certified_cohort(world, audit)
    assert certify(audit, "--cohort", "late", *changed(audit, old)) == 0
    growth = mb.Certificate.load(audit / "certificate.json").growth
    assert (growth.new.nodes, growth.cohorts[0].tally.size) == (1, 60)
    assert run("verify", audit) == 0


def test_a_certificate_of_other_labels_than_the_cohort_has_is_not_used(plain, capsys):
    world, audit = plain
    assert draw_cohort(audit) == 0
    certified_cohort(world, audit)
    labels = audit / "cohorts" / "late" / "labels.csv"
    rows = read_csv(labels)
    write_csv(labels, ["x", "y"], [[rows[0][0], "y77"], *rows[1:]])
    error = refused(capsys, lambda: certify(audit, "--cohort", "late"))
    assert "got one of labels that have changed since" in error


def test_the_newest_certificate_of_a_cohort_counts(plain, capsys):
    """Without it, an older one does not stand in; nor does another cohort's."""
    world, audit = plain
    assert draw_cohort(audit) == 0
    certified_cohort(world, audit)
    cohort = audit / "cohorts" / "late"
    first = (cohort / "certificate.json").rename(cohort / "first.json")
    assert certify_cohort(audit) == 0
    (cohort / "certificate.json").unlink()
    error = refused(capsys, lambda: certify(audit, "--cohort", "late"))
    assert "cohort must have a certificate of the complete matcher" in error
    first.rename(cohort / "certificate.json")
    assert refused(capsys, lambda: certify(audit, "--cohort", "late"))


def test_a_cohort_s_folder_drawn_by_another_draw_is_refused(plain, capsys):
    """One that the audit's ledger did not announce, with promises of its own."""
    world, audit = plain
    assert draw_cohort(audit) == 0
    cohort, folder = audit / "cohorts" / "late", audit.parent
    words = ["--within", cohort / "new.csv", "--labels", 40, "--link", "--one-to-one", "--force"]
    words += ["--holdout", folder / "complete.csv", "--out", cohort]
    assert run_seeded("other", "draw", folder / "now.csv", *words) == 0
    certified_cohort(world, audit)
    error = refused(capsys, lambda: certify(audit, "--cohort", "late"))
    assert "cohort must be the one that the audit's ledger names" in error


def test_in_deduplication_other_changed_records_are_refused_too(tmp_path, capsys):
    """The cohort's labels may be of pairs with them."""
    world = Growing(True, seed=5)
    audit, _ = audited(tmp_path / "a", world)
    assert draw_cohort(audit) == 0
    certified_cohort(world, audit)
    old = next(x for x in world.then if x in world.now)
    error = refused(capsys, lambda: certify(audit, "--cohort", "late", *changed(audit, old)))
    assert "changed must name no record that labels of cohort 'late' may be of" in error
    assert certify(audit, *changed(audit, old)) == 0


def test_records_that_have_changed_where_no_id_has(plain):
    """The same ids, other records: those named count as removed, and as new."""
    _, audit = plain
    folder = audit.parent
    words = "--holdout", folder / "holdout.csv", "--complete", folder / "holdout.csv"
    words += "--population", folder / "then.csv", *changed(audit, "r1", "r2")
    assert run("certify", audit, *words) == 0
    growth = mb.Certificate.load(audit / "certificate.json").growth
    assert (growth.change.gone, growth.new.nodes) == (2, 2)
    assert run("verify", audit) == 0


def test_a_cohort_is_not_thrown_away_and_drawn_again(plain, capsys):
    _, audit = plain
    assert draw_cohort(audit) == 0
    shutil.rmtree(audit / "cohorts" / "late")
    error = refused(capsys, lambda: draw_cohort(audit))
    assert "was drawn and is not in" in error
    assert len(read_ledger(audit).of_kind("cohort")) == 1


def test_a_cohort_that_was_interrupted_before_its_seed_is_finished(plain, monkeypatch):
    """The audit's ledger names it, and so does its own: nothing was thrown away."""
    _, audit = plain

    def stop(seed):
        raise EngineError("interrupted")

    def unmade(*given):
        return replace(requested(*given), make=stop)

    with monkeypatch.context() as patched:
        patched.setattr("matchbound.audits.cohort.requested", unmade)
        words = [audit.parent / "now.csv", "--cohort", "late", "--labels", 40, "--delta", "0.02"]
        assert run("draw", *words, "--holdout", audit.parent / "complete.csv", "--out", audit) == 2
    assert len(read_ledger(audit).of_kind("cohort")) == 1
    assert draw_cohort(audit) == 0


def test_a_cohort_s_matcher_must_be_on_record_before_its_seed(plain, capsys):
    """Another could be made from the list of its nodes: right there, and wrong elsewhere."""
    world, audit = plain
    assert draw_cohort(audit) == 0
    other = audit.parent / "other.csv"
    write_csv(other, ["x", "y"], read_csv(audit.parent / "complete.csv")[3:])
    cohort = audit / "cohorts" / "late"
    assert run("register", cohort, "--holdout", other) == 0
    world.label(cohort, world.now)
    assert run("certify", cohort, "--holdout", other) == 0
    words = "--holdout", audit.parent / "holdout.csv", "--complete", other, "--cohort", "late"
    population = "--population", audit.parent / "now.csv"
    assert run("certify", audit, *words, *population) == 2


def test_other_promises_than_the_first_draw_s_are_refused(plain, capsys):
    _, audit = plain
    error = refused(capsys, lambda: draw_cohort(audit, "--every-node-matched"))
    assert "every_node_matched must be as in the first draw" in error
    assert not (audit / "cohorts").exists()


def test_labels_on_a_cohort_s_own_rows_are_told_of_both(tmp_path, capsys):
    """The cohort's matcher finds all: every labelled match is a row of its table."""
    world = Growing(False, seed=6)
    world.c |= {x: world.true[x] for x in world.new}
    audit, _ = audited(tmp_path / "a", world)
    assert draw_cohort(audit) == 0
    certified_cohort(world, audit)
    searched = "--truth-searched", "in the other table"
    required = "--require", "recall=0.01"
    capsys.readouterr()
    assert certify(audit, "--cohort", "late", *searched, *required) == 1
    assert "Every labelled match of a cohort is a row" in capsys.readouterr().out
    assert run("verify", audit, *required) == 1
    assert certify_cohort(audit, "--force", *searched) == 0
    assert certify(audit, "--cohort", "late", *searched, *required, "--force") == 0


def test_nodes_of_a_cohort_without_a_label_are_told_of_both(plain, capsys):
    world, audit = plain
    assert draw_cohort(audit) == 0
    labels = audit / "cohorts" / "late" / "labels.csv"
    drawn = world.label(audit / "cohorts" / "late", world.now)
    write_csv(labels, ["x", "y"], [row for row in read_csv(labels) if row[0] not in drawn[:3]])
    assert certify_cohort(audit, "--unlabelled", "worst") == 0
    capsys.readouterr()
    assert certify(audit, "--cohort", "late") == 0
    assert "3 drawn nodes have no label and count as the worst case" in capsys.readouterr().out


def test_an_edited_certificate_of_a_cohort_is_not_used(plain, capsys):
    world, audit = plain
    assert draw_cohort(audit) == 0
    certified_cohort(world, audit)
    path = audit / "cohorts" / "late" / "certificate.json"
    record = json.loads(path.read_text())
    record["tallies"]["all"]["size"] += 1
    path.write_text(json.dumps(record))
    assert "cohort must have a certificate" in refused(
        capsys, lambda: certify(audit, "--cohort", "late")
    )


def test_promises_are_said_to_be_about_the_population_now(tmp_path, capsys):
    world = Growing(True, seed=7)
    audit, _ = audited(tmp_path / "a", world)
    capsys.readouterr()
    assert certify(audit) == 0
    assert "promised of the nodes drawn from is so of the population" in capsys.readouterr().out


def test_a_cohort_of_a_given_seed_is_not_used(plain, capsys):
    world, audit = plain
    assert draw_cohort(audit, "--seed", "mine") == 0
    certified_cohort(world, audit)
    error = refused(capsys, lambda: certify(audit, "--cohort", "late"))
    assert "the seed was given by the user" in error


def test_a_cohort_s_certificate_of_another_population_is_not_used(plain, capsys):
    """One more node is there now: the cohort must be certified again."""
    world, audit = plain
    assert draw_cohort(audit) == 0
    certified_cohort(world, audit)
    write_csv(audit.parent / "more.csv", ["id"], [[x] for x in [*world.now, "m1"]])
    words = "--population", audit.parent / "more.csv", "--cohort", "late"
    error = refused(capsys, lambda: certify(audit, *words))
    assert "cohort must have a certificate of the complete matcher on the population as it" in error
