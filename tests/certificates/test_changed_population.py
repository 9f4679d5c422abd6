"""A population that changed after its draw, through the commands: counts, words, and verify."""

import json
import random
from dataclasses import replace

import pytest

import matchbound as mb
from matchbound.audits.draw import Draw
from matchbound.certificates.remark import Remark
from support.audits import contents, read_csv, run, run_seeded, write_csv
from support.damage import resealed as reseal
from support.growing import Draw as DrawnNodes
from support.growing import Grown

METRICS = ("precision", "recall", "error-rate", "pairwise-precision")


class Changing:
    """60 nodes; H ran over them. Later some are gone, some new, some changed; C ran over these."""

    def __init__(self, seed, dedupe, changes=()):
        rng = random.Random(seed)
        self.dedupe = dedupe
        self.then = [f"r{i}" for i in range(60)]
        new = [f"n{i}" for i in range(8)]
        self.now = [x for x in self.then if rng.random() < 0.85] + new
        self.changed = [x for x in self.now if x in changes]
        every = [*self.then, *new]
        if dedupe:
            entity = {x: rng.randrange(30) for x in every}
            true = {x: {y for y in every if y != x and entity[y] == entity[x]} for x in every}
        else:
            true = {
                x: {f"y{rng.randrange(50)}" for _ in range(rng.choice([0, 1, 1, 2]))} for x in every
            }
        self.true = true
        then = set(self.then)
        self.labels = {x: true[x] & then if dedupe else true[x] for x in self.then}
        self.h = self._matches(rng, self.then, self.labels)
        basis = {x: self.h.get(x, true[x]) for x in self.now}
        basis = {
            x: {y for y in some if y in self.now} if dedupe else some for x, some in basis.items()
        }
        if dedupe:
            basis = {x: {y for y in self.now if y in basis[x] or x in basis[y]} for x in self.now}
        self.c = self._matches(rng, self.now, basis, 0.9)

    def _matches(self, rng, nodes, basis, kept=0.8):
        found = {x: {y for y in basis[x] if rng.random() < kept} for x in nodes}
        for x in nodes:
            if rng.random() < 0.1:
                others = [y for y in nodes if y != x] if self.dedupe else ["y7", "y8"]
                found[x].add(rng.choice(others))
        if self.dedupe:
            found = {x: {y for y in nodes if y in found[x] or x in found[y]} for x in nodes}
        return found

    def write(self, folder):
        folder.mkdir()
        write_csv(folder / "then.csv", ["id"], [[x] for x in self.then])
        write_csv(folder / "now.csv", ["id"], [[x] for x in self.now])
        write_csv(folder / "changed.csv", ["id"], [[x] for x in self.changed])
        for name, found in (("holdout", self.h), ("complete", self.c)):
            pairs = {(x, y) for x, some in found.items() for y in some if not self.dedupe or x < y}
            write_csv(folder / f"{name}.csv", ["x", "y"], sorted(pairs))

    def label(self, audit):
        drawn = [x for x, _, _ in Draw.load(audit).sample]
        rows = [[x, y] for x in drawn for y in sorted(self.labels[x]) or [""]]
        write_csv(audit / "labels.csv", ["x", "y"], rows)
        return drawn

    def as_sets(self, drawn):
        """The same as `support.growing` has it: changed records are other ones."""

        def now(x):
            return f"{x} again" if x in self.changed else x

        def all_now(some):
            return frozenset(now(y) if self.dedupe else y for y in some)

        h, t = ({x: frozenset(of[x]) for x in self.then} for of in (self.h, self.labels))
        draw = DrawnNodes(tuple(self.then), h, t, frozenset(drawn), frozenset(self.then))
        c = {now(x): all_now(some) for x, some in self.c.items()}
        present = frozenset(map(now, self.now))
        true = {now(x): all_now(self.true[x] & set(self.now)) for x in self.now}
        return Grown((draw,), present, c, true, self.dedupe)


def audited(folder, world, *options, labels=20):
    world.write(folder)
    audit = folder / "audit"
    words = [folder / "then.csv", "--labels", labels, "--holdout", folder / "holdout.csv"]
    words += [word for name in METRICS for word in ("--metric", name)]
    words += ["--dedupe"] if world.dedupe else ["--link"]
    assert run_seeded("s", "draw", *words, "--out", audit, *options) == 0
    return audit, world.label(audit)


def certify(audit, *options, now="now.csv"):
    folder = audit.parent
    words = ["--holdout", folder / "holdout.csv", "--complete", folder / "complete.csv"]
    return run("certify", audit, *words, "--population", folder / now, *options)


def counted(cells):
    return sorted(cells)


@pytest.mark.parametrize("changes", [(), ("r1", "r2", "r3", "r5", "r8")], ids=["same", "changed"])
@pytest.mark.parametrize("dedupe", [False, True], ids=["linkage", "deduplication"])
@pytest.mark.parametrize("seed", [1, 2])
def test_counts_are_those_of_sets(tmp_path, capsys, seed, dedupe, changes):
    world = Changing(seed, dedupe, changes)
    audit, drawn = audited(tmp_path / "a", world)
    options = ["--changed", tmp_path / "a" / "changed.csv"] if world.changed else []
    assert certify(audit, *options) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    sets = world.as_sets(drawn)
    expected = sets.growth(certificate.choices)
    tally, growth = certificate.tallies["all"], certificate.growth
    wanted = sets.tally(sets.draws[0]).tally
    assert counted(tally.gap) == counted(wanted.gap)
    assert sorted(tally.labelled) == sorted(wanted.labelled)
    assert growth.new == expected.new
    assert replace(growth.change, removed=()) == replace(expected.change, removed=())
    assert counted(growth.change.removed) == counted(expected.change.removed)
    assert growth.change.gone > 0
    assert growth.new.nodes >= 8
    assert run("verify", audit) == 0
    said = capsys.readouterr().out
    assert f"{growth.new.nodes} are new" in said
    assert "Of kept nodes alone" in said


def closed(found):
    """The clusters that matches link, as sets of matches."""
    cluster = {x: {x} for x in found}
    for x in found:
        for y in found[x]:
            if cluster[x] is not cluster[y]:
                cluster[x] |= cluster[y]
                for z in cluster[y]:
                    cluster[z] = cluster[x]
    return {x: cluster[x] - {x} for x in found}


@pytest.mark.parametrize("as_table", [False, True], ids=["closed", "table"])
def test_counts_of_clusters_are_those_of_sets(tmp_path, as_table):
    world = Changing(9, True, ("r1", "r4", "r6"))
    folder = tmp_path / "a"
    audit = folder / "audit"
    world.write(folder)
    world.h, world.c = closed(world.h), closed(world.c)
    if as_table:
        for name, found in (("holdout", world.h), ("complete", world.c)):
            rows = [[x, min({x, *some})] for x, some in found.items()]
            write_csv(folder / f"{name}.csv", ["unique_id", "cluster_id"], rows)
    words = [folder / "then.csv", "--labels", 20, "--holdout", folder / "holdout.csv", "--dedupe"]
    words += [] if as_table else ["--clusters"]
    assert run_seeded("s", "draw", *words, "--out", audit) == 0
    drawn = world.label(audit)
    assert certify(audit, "--changed", folder / "changed.csv") == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    sets = world.as_sets(drawn)
    expected, wanted = sets.growth(certificate.choices), sets.tally(sets.draws[0]).tally
    assert counted(certificate.tallies["all"].gap) == counted(wanted.gap)
    assert certificate.growth.new == expected.new
    assert certificate.growth.change.joined == expected.change.joined
    assert counted(certificate.growth.change.removed) == counted(expected.change.removed)
    assert run("verify", audit) == 0


@pytest.fixture(scope="module")
def linked(tmp_path_factory):
    world = Changing(3, False)
    audit, _ = audited(tmp_path_factory.mktemp("linked") / "a", world)
    assert certify(audit) == 0
    return audit


def test_assumptions_are_printed(linked):
    certificate = mb.Certificate.load(linked / "certificate.json")
    codes = [remark.code for remark in certificate.assumptions]
    assert {"changed_since", "kept_unchanged", "other_unchanged"} <= set(codes)
    assert "entities" not in codes
    said = str(certificate)
    assert "a record that is kept under its id is what it was" in said
    assert "recall is not covered" in said


def test_entities_are_assumed_where_one_table_grew(tmp_path):
    audit, _ = audited(tmp_path / "a", Changing(4, True))
    assert certify(audit) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert Remark("entities") in certificate.assumptions
    assert Remark("uncovered", (1,)) in certificate.assumptions  # error-rate, without a promise
    assert certificate.value("error-rate") == 1


def test_the_drawn_population_itself_is_no_growth(linked):
    before = contents(linked)
    out = linked.parent / "moved.json"
    assert certify(linked, "--out", out, now="then.csv") == 2  # C has nodes that were not there
    assert run("certify", linked, "--holdout", linked.parent / "holdout.csv", "--out", out) == 0
    assert json.loads(out.read_text())["growth"] is None
    assert contents(linked)[linked / "labels.csv"] == before[linked / "labels.csv"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda g: g["new"].update(nodes=0, matched=0, pairs=0), "growth is not what"),
        (lambda g: g["change"].update(removed=[]), "growth is not what"),
        (lambda g: g["new"].update(matched=1), "the tallies give"),
    ],
)
def test_changed_counts_are_contradicted(linked, tmp_path, capsys, change, sentence):
    record = json.loads((linked / "certificate.json").read_text())
    change(record["growth"])
    path = linked / "changed.json"
    path.write_text(json.dumps(reseal(record)))
    capsys.readouterr()
    assert run("verify", path, "--inputs", linked.parent) == 1
    assert sentence in capsys.readouterr().out
    path.unlink()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda g: g["change"].update(labelled=60), "removed nodes that the tally has"),
        (lambda g: g["change"].update(joined=-1), "removed nodes that the tally has"),
        (lambda g: g["change"]["removed"].append([9, 0, 0, 1]), "removed nodes that the tally"),
        (lambda g: g["new"].update(matched=99), "possible counts of new nodes"),
    ],
)
def test_impossible_counts_are_refused(linked, capsys, change, sentence):
    record = json.loads((linked / "certificate.json").read_text())
    change(record["growth"])
    path = linked / "changed.json"
    path.write_text(json.dumps(reseal(record)))
    assert sentence in refused(capsys, "verify", path)
    path.unlink()


def test_another_population_now_is_contradicted(tmp_path, capsys):
    audit, _ = audited(tmp_path / "a", Changing(5, False))
    assert certify(audit) == 0
    now = tmp_path / "a" / "now.csv"
    write_csv(now, ["id"], [*read_csv(now), ["n99"]])
    capsys.readouterr()
    assert run("verify", audit) == 1
    assert "population_now" in capsys.readouterr().out


def test_a_later_population_in_its_place_is_missing_not_contradicted(tmp_path, capsys):
    audit, _ = audited(tmp_path / "a", Changing(5, False))
    assert certify(audit, "--release", "one") == 0
    now = tmp_path / "a" / "now.csv"
    write_csv(now, ["id"], [*read_csv(now), ["n99"]])
    assert certify(audit, "--release", "two") == 0
    capsys.readouterr()
    assert run("verify", audit / "releases" / "one.json") == 3
    assert "population_now (another is in its place, entry 6)" in capsys.readouterr().out
    assert run("verify", audit / "releases" / "two.json") == 0


# What is refused.


def refused(capsys, *words):
    capsys.readouterr()
    assert run(*words) == 2
    return capsys.readouterr().err


def test_without_a_complete_matcher(linked, capsys):
    folder = linked.parent
    words = ["--holdout", folder / "holdout.csv", "--population", folder / "now.csv", "--force"]
    assert "complete must be given where the population has changed" in refused(
        capsys, "certify", linked, *words
    )


def test_a_drawn_population_that_is_gone(tmp_path, capsys):
    audit, _ = audited(tmp_path / "a", Changing(6, False))
    folder = audit.parent
    (folder / "then.csv").rename(folder / "now.csv")
    words = ["--holdout", folder / "holdout.csv", "--complete", folder / "complete.csv"]
    write_csv(folder / "now.csv", ["id"], [["r1"]])
    error = refused(capsys, "certify", audit, *words, "--population", folder / "now.csv")
    assert "the drawn population must be where it was drawn from" in error
    assert "Keep it beside the one that is now" in error


def test_a_population_overwritten_in_place(tmp_path, capsys):
    audit, _ = audited(tmp_path / "a", Changing(6, False))
    folder = audit.parent
    (folder / "now.csv").replace(folder / "then.csv")
    words = ["--holdout", folder / "holdout.csv", "--complete", folder / "complete.csv"]
    assert "has changed since. Restore it;" in refused(capsys, "certify", audit, *words)
    now = ["--population", folder / "then.csv"]
    error = refused(capsys, "certify", audit, *words, *now)
    assert "the drawn population must be kept as it was" in error


def test_another_data_sets_population(linked, capsys):
    other = write_csv(linked.parent / "other.csv", ["id"], [["z1"], ["z2"]])
    error = refused(
        capsys,
        *("certify", linked, "--holdout", linked.parent / "holdout.csv"),
        *("--complete", linked.parent / "complete.csv", "--population", other, "--force"),
    )
    assert "complete must match nodes of the population as it is now" in error


def test_a_complete_matcher_of_removed_nodes(linked, capsys):
    folder = linked.parent
    words = ["--holdout", folder / "holdout.csv", "--complete", folder / "holdout.csv"]
    error = refused(
        capsys, "certify", linked, *words, "--population", folder / "now.csv", "--force"
    )
    assert "as it is now, got x = " in error


def test_changed_without_growth_and_unknown_ids(linked, capsys):
    folder = linked.parent
    words = ["certify", linked, "--holdout", folder / "holdout.csv", "--force", "--changed"]
    assert "changed must come with" in refused(capsys, *words, folder / "now.csv")
    ids = write_csv(folder / "ids.csv", ["id"], [["r0"], ["zz"]])
    more = ["--complete", folder / "complete.csv", "--population", folder / "now.csv"]
    assert "changed must hold ids" in refused(capsys, *words, ids, *more)


@pytest.mark.parametrize("option", [["--gap", "30"], ["--theorem", "paper"]])
def test_draws_of_which_nothing_is_proved(tmp_path, capsys, option):
    world = Changing(7, False)
    world.write(tmp_path / "a")
    audit, folder = tmp_path / "a" / "audit", tmp_path / "a"
    words = [folder / "then.csv", "--labels", 20, "--link", *option]
    assert run_seeded("s", "draw", *words, "--out", audit) == 0
    world.label(audit)
    capsys.readouterr()
    assert certify(audit) == 2
    assert "nothing is proved for that" in capsys.readouterr().err


def test_of_a_part_none_is_new(tmp_path):
    world = Changing(8, True)
    world.write(tmp_path / "a")
    folder = tmp_path / "a"
    part = write_csv(folder / "part.csv", ["id"], [[x] for x in world.then[:40]])
    words = [folder / "then.csv", "--within", part, "--labels", 20, "--dedupe"]
    audit = folder / "audit"
    assert run_seeded("s", "draw", *words, "--out", audit) == 0
    world.label(audit)
    assert certify(audit) == 0
    certificate = mb.Certificate.load(audit / "certificate.json")
    assert certificate.growth.new.nodes == 0
    assert certificate.growth.change.joined == 8
    gone = {*world.then[:40]} - {*world.now}
    assert certificate.growth.change.gone == len(gone)
    assert run("verify", audit) == 0
