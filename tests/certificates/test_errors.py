"""The list of a matcher's errors: against Python sets, and what a person sees of it."""

import csv
import itertools
import random
from dataclasses import replace

import pyarrow as pa
import pytest

import matchbound as mb
from matchbound.audits.draw import Draw, join_orders
from matchbound.audits.ledger import read_ledger
from matchbound.certificates import error_search
from matchbound.certificates.error_search import find_errors, keep_checked
from matchbound.engines import connect
from matchbound.errors import InputError
from matchbound.tables import Clusters, Digest, Matching, Output, Pairs, Reading
from matchbound.tables.ids import load_drawn
from matchbound.tables.inputs import open_source
from matchbound.tables.population import read_population
from matchbound.tables.truth import read_labels
from matchbound.tallies import Setting
from matchbound.theorems import Choices
from support.audits import contents, make_audit, run, run_seeded, write_csv
from support.desks import make_records

LINK, DEDUPE = Matching(link=True), Matching(dedupe=True)


def clusters_of(matches, nodes):
    return {x: min({x, *matches[x]}) for x in nodes}


def partition(rng, nodes, parts):
    together = {x: rng.randrange(parts) for x in nodes}
    return {x: {y for y in nodes if y != x and together[x] == together[y]} for x in nodes}


def pairs(rng, xs, ys, *, symmetric):
    if not symmetric:
        return {x: {y for y in ys if rng.random() < 0.2} for x in xs}
    linked = {frozenset(p) for p in itertools.combinations(xs, 2) if rng.random() < 0.2}
    return {x: {y for y in xs if {x, y} in linked} for x in xs}


def opened(con, name, matches, nodes, is_clusters, is_drawn=None):
    """A table of matches, as pairs or clusters, and its form; labels name the nodes without any."""
    if is_clusters:
        together = clusters_of(matches, nodes)
        table = pa.table({"id": list(together), "cluster": list(together.values())})
        return open_source(con, name, table), Clusters("id", "cluster")
    rows = [(x, y) for x in is_drawn or matches for y in sorted(matches[x])]
    rows += [(x, None) for x in is_drawn or () if not matches[x]]
    x, y = zip(*rows, strict=True) if rows else ((), ())
    table = pa.table({"x": pa.array(x, pa.string()), "y": pa.array(y, pa.string())})
    return open_source(con, name, table), Pairs("x", "y")


def listed(con, rng, matching, *, found_clusters, true_clusters):
    """The errors of a random matcher, by SQL and by sets: node → (wrong, missed)."""
    xs, ys = [f"x{i}" for i in range(rng.randint(2, 12))], [f"y{i}" for i in range(6)]
    dedupe = matching.dedupe
    nodes = xs if dedupe else [*xs, *ys]
    sides = {}
    for name, is_clusters in (("found", found_clusters), ("true", true_clusters)):
        if is_clusters:
            sides[name] = partition(rng, nodes, rng.randint(1, 6))
        else:
            sides[name] = pairs(rng, xs, ys, symmetric=dedupe)
    sample = join_orders(rng.sample(xs, 1), rng.sample(xs, rng.randint(1, len(xs))))
    drawn = [x for x, _, _ in sample]
    labelled = drawn if true_clusters else rng.sample(drawn, rng.randint(1, len(drawn)))
    read_population(con, open_source(con, "population", pa.table({"id": xs})), None)
    load_drawn(con, sample)
    source, form = opened(con, "labels", sides["true"], nodes, true_clusters, labelled)
    read_labels(con, source, form, matching)
    kinds = ("string", "string")
    choices = Choices()
    setting = Setting(len(xs), kinds, sample, (), choices, "drawn", matching, truth=form)
    source, form = opened(con, "holdout", sides["found"], nodes, found_clusters)
    output = Output("holdout", "", source, form, Reading().of_form(form), Digest(None, None))
    others = set(xs if dedupe else ys)
    expected = {}
    for x, _, validation in sample:
        if validation is not None and x in labelled:
            found, true = (sides[name][x] & others for name in ("found", "true"))
            expected[x] = (found - true, true - found)
    assert keep_checked(con, setting) == len(expected)
    return find_errors(con, setting, output), {x: e for x, e in expected.items() if any(e)}


def check(nodes, expected, most):
    assert {node.node for node in nodes} == set(expected)
    sizes = [node.wrong + node.missed for node in nodes]
    assert sizes == sorted(sizes, reverse=True)
    for node in nodes:
        wrong, missed = expected[node.node]
        assert (node.wrong, node.missed) == (len(wrong), len(missed))
        for kind, real in (("wrong", wrong), ("missed", missed)):
            shown = [pair.other for pair in node.pairs if pair.kind == kind]
            assert set(shown) <= real
            assert len(set(shown)) == len(shown) == min(len(real), most)
        assert node.unlisted == sum(max(len(real) - most, 0) for real in (wrong, missed))


CASES = list(itertools.product((LINK, DEDUPE), (False, True), (False, True), (1, 100)))


@pytest.mark.parametrize("times", [1, pytest.param(15, marks=pytest.mark.slow)])
def test_errors_equal_those_by_sets(monkeypatch, times):
    """Linkage and deduplication, pairs and clusters, few and all errors listed: 16 kinds."""
    rng, errors = random.Random(22 + times), 0
    with connect() as con:
        for matching, found_clusters, true_clusters, most in CASES * times:
            monkeypatch.setattr(error_search, "MOST", most)
            how = {"found_clusters": found_clusters, "true_clusters": true_clusters}
            nodes, expected = listed(con, rng, matching, **how)
            check(nodes, expected, most)
            errors += len(nodes)
    assert errors > 30 * times


@pytest.mark.parametrize("true_clusters", [True, False])
def test_a_cluster_of_100_000_records_is_not_listed_pair_by_pair(true_clusters):
    """In truth it is two halves; or no drawn node has a match."""
    size, drawn = 100_000, 200
    xs = [f"x{i:06}" for i in range(size)]
    sample = join_orders([], xs[:: size // drawn])
    truth = pa.table({"x": xs[:: size // drawn], "y": pa.array([None] * drawn, pa.string())})
    form = Pairs("x", "y")
    if true_clusters:
        form, truth = Clusters("id", "cluster"), {"id": xs, "cluster": list("01") * (size // 2)}
        truth = pa.table(truth)
    with connect(memory="1GB") as con:
        read_population(con, open_source(con, "population", pa.table({"id": xs})), None)
        load_drawn(con, sample)
        read_labels(con, open_source(con, "labels", truth), form, DEDUPE)
        setting = Setting(size, ("string",) * 2, sample, (), Choices(), "drawn", DEDUPE, truth=form)
        found = open_source(con, "holdout", pa.table({"id": xs, "cluster": ["one"] * size}))
        form = Clusters("id", "cluster")
        output = Output("holdout", "", found, form, Reading().of_form(form), Digest(None, None))
        assert keep_checked(con, setting) == drawn
        nodes = find_errors(con, setting, output)
    assert len(nodes) == drawn
    assert {len(node.pairs) for node in nodes} == {error_search.MOST}
    assert {node.wrong for node in nodes} == {size // 2 if true_clusters else size - 1}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """People of two tables with fields, a matcher with scores, and labels of all drawn nodes."""
    folder = tmp_path_factory.mktemp("errors")
    truth = make_records(folder)
    rows = [(x, truth.get(x, "b1"), 0.9) for x in list(truth)[:300:2]]
    rows += [(x, truth[x], 0.4) for x in list(truth)[1:300:2]]
    rows += [(x, "b1", 0.7) for x in list(truth)[5:200:20] if truth[x] != "b1"]
    write_csv(folder / "scored.csv", ["x", "y", "score"], rows)
    return folder, truth


@pytest.fixture
def audit(made, tmp_path):
    folder, truth = made
    place = tmp_path / "audit"
    draw = ["draw", folder / "people.csv", "--labels", 60, "--train", 10, "--link", "--out", place]
    assert run_seeded("s", *draw, "--holdout", folder / "scored.csv", "--threshold", 0.5) == 0
    rows = [[x, truth.get(x, "")] for x, _, _ in Draw.load(place).sample]
    write_csv(place / "labels.csv", ["x", "y"], rows)
    return place


def errors(audit, folder, *options):
    return run("errors", audit, "--holdout", folder / "scored.csv", "--threshold", 0.5, *options)


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_what_a_person_sees(audit, made, tmp_path, capsys):
    folder, truth = made
    capsys.readouterr()
    both = ["--records", folder / "people.csv", "--against", folder / "right.csv"]
    assert errors(audit, folder, *both, "--out", tmp_path / "errors.csv") == 0
    shown = capsys.readouterr().out.splitlines()
    rows = rows_of(tmp_path / "errors.csv")
    wrong = sum(row["kind"] == "wrong" for row in rows)
    nodes = list(dict.fromkeys(row["node"] for row in rows))
    assert shown[0] == (
        f"Errors at {len(nodes)} of 60 labelled validation nodes; wrong matches: {wrong}, "
        f"missed ones: {len(rows) - wrong}."
    )
    assert shown[1] == f"{nodes[0]}: {rows[0]['wrong']} wrong, {rows[0]['missed']} missed"
    assert f"Not shown: {len(nodes) - 20} further nodes with errors." in shown
    assert shown[-2].startswith("A matcher that is mended by this list is no longer a holdout: ")
    assert shown[-1].startswith("Entry 5 of the ledger says that the list was shown: ")
    validated = set(Draw.load(audit).validated)
    people = {row["id"]: row for row in rows_of(folder / "people.csv")}
    others = {row["id"]: row for row in rows_of(folder / "right.csv")}
    scores = {(row["x"], row["y"]): row["score"] for row in rows_of(folder / "scored.csv")}
    for row in rows:
        assert row["node"] in validated
        assert (row["other"] == truth.get(row["node"])) is (row["kind"] == "missed")
        assert row["score"] == scores.get((row["node"], row["other"]), "")
        for name in ("first_name", "surname", "city", "born"):
            assert row[f"node_{name}"] == people[row["node"]][name]
            assert row[f"other_{name}"] == others[row["other"]][name]
    below = [row for row in rows if row["kind"] == "missed" and row["score"]]
    assert below
    assert {row["score"] for row in below} == {"0.4"}  # found, but below the threshold


def test_the_look_is_on_record_before_anything_is_shown(audit, made, capsys, monkeypatch):
    folder, _ = made
    capsys.readouterr()
    seen = []
    say = "matchbound.commands.errors.say"
    monkeypatch.setattr(say, lambda _: seen.append(read_ledger(audit).entries[-1]))
    assert errors(audit, folder) == 0
    (look,) = seen
    assert (look["kind"], look["what"], look["complete"]) == ("look", "errors", [])
    registered = read_ledger(audit).of_kind("register")[0]["holdout"]
    assert look["holdout"][0]["digest"]["rows"] == registered["digest"]["rows"]
    assert [e["kind"] for e in read_ledger(audit).entries][-2:] == ["labels", "look"]


def test_the_matcher_that_was_certified_is_the_default(audit, made, capsys):
    folder, _ = made
    holdout = ["--holdout", folder / "scored.csv", "--threshold", 0.5]
    assert run("errors", audit) == 2
    assert "holdout must be given where no certificate.json" in capsys.readouterr().err
    assert run("certify", audit, *holdout) == 0
    given = mb.list_errors(audit, holdout=folder / "scored.csv", threshold=0.5)
    assert mb.list_errors(audit).nodes == given.nodes
    write_csv(folder / "perfect.csv", ["x", "y"], made[1].items())
    assert run("certify", audit, *holdout, "--complete", folder / "perfect.csv", "--force") == 0
    assert mb.list_errors(audit).nodes == ()
    look = read_ledger(audit).entries[-1]
    assert (len(look["holdout"]), len(look["complete"])) == (0, 1)


def test_errors_of_a_complete_matcher_cost_nothing(audit, made, capsys):
    folder, truth = made
    write_csv(folder / "mended.csv", ["x", "y"], list(truth.items())[:-9])
    assert run("errors", audit, "--complete", folder / "mended.csv") == 0
    holdout = ["--holdout", folder / "scored.csv", "--threshold", 0.5]
    capsys.readouterr()
    assert run("certify", audit, *holdout, "--complete", folder / "mended.csv") == 0
    assert "With probability at least 95%, all together:" in capsys.readouterr().out
    assert run("errors", audit, "--holdout", folder / "mended.csv") == 0  # as if it were one
    assert run("certify", audit, *holdout, "--out", audit / "second.json") == 0
    assert "With probability at least 90%, all together (for 2 matchers" in capsys.readouterr().out
    assert run("verify", audit) == 0


def test_files_are_written_whole_and_over_none(audit, made, tmp_path, capsys):
    folder, _ = made
    out = tmp_path / "errors.csv"
    out.write_text("mine")
    before = contents(audit)
    assert errors(audit, folder, "--out", out) == 2
    assert errors(audit, folder, "--out", audit / "labels.csv", "--force") == 2
    assert errors(audit, folder, "--out", audit / "draw.json", "--force") == 2
    assert errors(audit, folder, "--out", folder / "scored.csv", "--force") == 2
    assert errors(audit, folder, "--records", folder / "people.csv") == 2
    assert "records and against must be given together" in capsys.readouterr().err
    assert out.read_text() == "mine"
    assert contents(audit) == before
    assert errors(audit, folder, "--out", out, "--force") == 0
    assert out.read_text().startswith("matcher,node,other,kind,score,wrong,missed\n")


def test_what_cannot_be_listed_is_refused(made, audit, tmp_path):
    folder, _ = made
    given = {"holdout": folder / "scored.csv", "threshold": 0.5}
    with pytest.raises(InputError, match="audit must be the folder of a draw"):
        mb.list_errors(None, **given)
    with pytest.raises(InputError, match="holdout and complete must not both be given"):
        mb.list_errors(audit, **given, complete=folder / "scored.csv")
    with pytest.raises(InputError, match="threshold must be given, because complete has scores"):
        mb.list_errors(audit, complete=folder / "scored.csv")
    with pytest.raises(
        InputError, match="threshold, columns and clusters must come with a matcher's output"
    ):
        mb.list_errors(audit, threshold=0.5)
    draw = ["draw", folder / "people.csv", "--train", 9, "--link", "--out", tmp_path / "d"]
    assert run_seeded("s", *draw) == 0
    with pytest.raises(InputError, match="audit must hold nodes to validate on"):
        mb.list_errors(tmp_path / "d", **given)


def test_a_draw_in_memory_has_no_ledger(tmp_path):
    audit = make_audit(tmp_path)
    draw = replace(Draw.load(audit), folder=None)
    draw = replace(draw, population=replace(draw.population, path=str(tmp_path / "people.csv")))
    given = {"holdout": tmp_path / "holdout.csv", "labels": audit / "labels.csv"}
    alone = mb.list_errors(draw, **given)
    assert alone.entry is None
    assert alone.nodes == mb.list_errors(audit, **given).nodes
    assert "ledger" not in str(alone)


def test_fields_are_printed_on_one_line(tmp_path, capsys):
    """Whatever is in them: no field moves the cursor."""
    people = [[f"r{i}", "a\x1b[2Jb\n" + "long " * 50] for i in range(4)]
    write_csv(tmp_path / "people.csv", ["id", "note"], people)
    write_csv(tmp_path / "found.csv", ["id", "cluster"], [["r0", 1], ["r1", 1], ["r2", 1]])
    audit = tmp_path / "audit"
    draw = ["draw", tmp_path / "people.csv", "--labels", 4, "--dedupe", "--out", audit]
    assert run_seeded("s", *draw) == 0
    write_csv(audit / "labels.csv", ["x", "y"], [[f"r{i}", ""] for i in range(4)])
    capsys.readouterr()
    given = ["--holdout", tmp_path / "found.csv", "--records", tmp_path / "people.csv"]
    assert run("errors", audit, *given) == 0
    shown = capsys.readouterr().out
    assert "Errors at 3 of 4 labelled validation nodes; wrong matches: 6, missed ones: 0." in shown
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) < 160


def test_who_was_erased_is_not_listed(audit, made, tmp_path):
    folder, _ = made
    given = {"holdout": folder / "scored.csv", "threshold": 0.5}
    before = mb.list_errors(audit, **given)
    gone = before.nodes[0].node
    mb.forget(audit, [gone])
    after = mb.list_errors(audit, **given)
    assert after.checked == before.checked - 1
    assert after.nodes == tuple(node for node in before.nodes if node.node != gone)


def test_ids_that_only_the_holdout_gives_back(made, tmp_path):
    folder, truth = made
    audit, scored = tmp_path / "among", folder / "scored.csv"
    draw = ["draw", folder / "people.csv", "--labels", 30, "--link", "--metric", "precision"]
    assert run_seeded("s", *draw, "--among", scored, "--threshold", 0.5, "--out", audit) == 0
    nodes = Draw.load(audit).validated
    write_csv(audit / "labels.csv", ["x", "y"], [[x, truth.get(x, "")] for x in nodes])
    mb.forget(audit, nodes[:1])
    assert mb.list_errors(audit, holdout=scored, threshold=0.5).checked == 29
    with pytest.raises(InputError, match="complete must be left out where ids were erased"):
        mb.list_errors(audit, complete=folder / "holdout.csv")
